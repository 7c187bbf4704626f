/* What the files of `basics.c` share: the pools of the tests. */
#ifndef MILLPOND_TESTS_SPARKS_H
#define MILLPOND_TESTS_SPARKS_H

#ifndef _ISOC11_SOURCE
#define _ISOC11_SOURCE 1 /* aligned_alloc, also in C99 */
#endif
#include "millpond.h"
#include "../check.h"

#include <string.h>

typedef struct spark {
    float x, y;
    int frames_left;
    int padding_;
} spark;

MP_POOL(sparks, spark)
MP_POOL32(small_sparks, spark, 20)

MP_API_ mp_handle handle_of(uint32_t index, uint32_t generation) {
    mp_handle handle;
    handle.bits = MP_CAST_(uint64_t, index) << 32 | generation;
    return handle;
}

#endif
