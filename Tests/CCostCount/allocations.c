#include "CCostCount.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_long count;

long allocation_count(void) { return count; }

#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)

bool has_sanitizer(void) { return true; }

// A sanitizer has a malloc of its own, which runs before anything of ours may. It tells of each block.
#include <sanitizer/allocator_interface.h>

__attribute__((no_sanitize("thread", "address"))) static void note_block(const volatile void *block, size_t size) {
    (void)block;
    (void)size;
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

static void note_nothing(const volatile void *block) { (void)block; }

__attribute__((constructor)) static void begin(void) {
    __sanitizer_install_malloc_and_free_hooks(note_block, note_nothing);
}

#else

bool has_sanitizer(void) { return false; }

// The program's own malloc goes before the C library's, which stays behind these names.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count++;
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    count++;
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    count++;
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}

#endif
