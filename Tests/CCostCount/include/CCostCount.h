#pragma once

#include <stdbool.h>

// Allocations of this process so far, by any of malloc's functions.
long allocation_count(void);

// Whether the thread or address sanitizer watches this process: then memory is its business, and all takes longer.
bool has_sanitizer(void);

// System calls of this process so far, by those functions of the C library that messages and waiting may use. What the
// library calls inside, such as for a contended lock, is not seen.
long system_call_count(void);
