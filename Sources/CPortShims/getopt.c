#include "CPortShimsGetopt.h"

#include <getopt.h>
#include <string.h>

// Values that getopt_long returns for options, above every character.
enum { FIRST_OPTION = 256, OPERAND = 1 };

static bool stops_at_operand;

void cps_getopt_reset(bool stop_at_operand) {
    stops_at_operand = stop_at_operand;
    optind = 0; // glibc: start anew, and look at the mode characters again
    opterr = 0;
}

// "-": operands are reported where they stand; "+": the first one ends the scan; ":" tells a missing
// value from an unknown option. Neither mode heeds POSIXLY_CORRECT.
static void describe(const cps_option *options, size_t count, char *letters, struct option *long_options) {
    *letters++ = stops_at_operand ? '+' : '-';
    *letters++ = ':';
    for (size_t i = 0; i < count; i++) {
        int argument = options[i].takes_value ? required_argument : no_argument;
        long_options[i] = (struct option){options[i].long_name, argument, NULL, FIRST_OPTION + (int)i};
        if (options[i].letter) {
            *letters++ = options[i].letter;
            if (options[i].takes_value) *letters++ = ':';
        }
    }
    *letters = 0;
    memset(&long_options[count], 0, sizeof long_options[count]);
}

static int32_t index_of(int result, const cps_option *options, size_t count) {
    if (result >= FIRST_OPTION) return result - FIRST_OPTION;
    for (size_t i = 0; i < count; i++)
        if (result && options[i].letter == result) return (int32_t)i;
    return -1;
}

cps_word cps_getopt_next(int argc, char **argv, const cps_option *options, size_t count) {
    char letters[3 + 2 * CPS_OPTIONS_MAX];
    struct option long_options[CPS_OPTIONS_MAX + 1];
    if (count > CPS_OPTIONS_MAX) count = CPS_OPTIONS_MAX;
    describe(options, count, letters, long_options);

    cps_word word = {.position = optind ? optind : 1};
    int result = getopt_long(argc, argv, letters, long_options, NULL);
    int about = result == '?' || result == ':' ? optopt : result;
    word.index = index_of(about, options, count);
    if (result == -1) {
        word.kind = CPS_WORD_END;
        word.index = optind;
    } else if (result == OPERAND) {
        word.kind = CPS_WORD_OPERAND;
        word.value = optarg;
    } else if (result == ':') {
        word.kind = CPS_WORD_MISSING_VALUE;
    } else if (result == '?') {
        // A known option in this answer can only be a long one that was given a value against its nature.
        word.kind = about >= FIRST_OPTION ? CPS_WORD_UNEXPECTED_VALUE : CPS_WORD_UNKNOWN;
        word.letter = about > 0 && about < FIRST_OPTION ? (char)about : 0;
    } else {
        word.kind = CPS_WORD_OPTION;
        if (word.index >= 0 && options[word.index].takes_value) word.value = optarg;
    }
    return word;
}
