/* What the targets for libFuzzer share: the bytes of a run, read one by one, and the handles that were issued. */
#pragma once

#include "millpond.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KNOWN_MAX 64

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                  \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

typedef struct value {
    uint64_t number;
    uint32_t more;
} value;

typedef struct input {
    const uint8_t *bytes;
    size_t left;
    uint64_t known[KNOWN_MAX]; /* handles that were issued, of late */
    size_t known_count;
} input;

static unsigned next(input *from) {
    if (from->left == 0) {
        return 0;
    }
    from->left--;
    return *from->bytes++;
}

static void know(input *from, uint64_t bits) {
    from->known[from->known_count++ % KNOWN_MAX] = bits;
}

/* Mostly a handle that was issued; otherwise one that may never have been. */
static mp_handle some_handle(input *from) {
    mp_handle handle;
    unsigned which = next(from);
    size_t count = from->known_count < KNOWN_MAX ? from->known_count : KNOWN_MAX;
    handle.bits = count == 0 ? 1 : from->known[which % count];
    if (which >= 224) {
        handle.bits += (uint64_t)next(from) << (which % 8 * 8);
    }
    return handle;
}
