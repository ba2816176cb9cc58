// glibc's getopt_long, one word at a time. Its state is global: one scan at a time, on one thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef enum {
    CPS_WORD_END,              // `index` is the first word that was not looked at
    CPS_WORD_OPTION,           // `index` into the options; `value` when it takes one
    CPS_WORD_OPERAND,          // `value`
    CPS_WORD_UNKNOWN,          // also a long name that is the beginning of several options
    CPS_WORD_MISSING_VALUE,    // `index` into the options
    CPS_WORD_UNEXPECTED_VALUE, // `index` into the options
} cps_word_kind;

typedef struct {
    const char *long_name;
    char letter;               // 0 when it has none
    bool takes_value;
} cps_option;

typedef struct {
    cps_word_kind kind;
    int32_t index;
    int32_t position;          // of the word in argv
    char letter;               // of an unknown option in a cluster of letters, else 0
    const char *_Nullable value;
} cps_word;

// Forgets the last scan. With `stop_at_operand` the first operand ends the scan, as a command's name does.
void cps_getopt_reset(bool stop_at_operand);
// argv[0] is skipped and argv[argc] is NULL; at most CPS_OPTIONS_MAX options are looked at.
cps_word cps_getopt_next(int argc, char *_Nullable *_Nonnull argv, const cps_option *options, size_t count);

enum { CPS_OPTIONS_MAX = 64 };

#pragma clang assume_nonnull end
