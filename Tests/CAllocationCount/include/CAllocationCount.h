#pragma once

// Allocations of this process so far, by any of malloc's functions.
long allocation_count(void);
