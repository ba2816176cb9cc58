#pragma once

#include <stdbool.h>

// Allocations of this process so far, by any of malloc's functions.
long allocation_count(void);

// Whether the thread or address sanitizer watches this process: then memory is its business, and all takes longer.
bool has_sanitizer(void);
