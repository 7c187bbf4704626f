/* For programs that check what they see: `CHECK` ends the program with 1 and says which line of which file is wrong. */
#ifndef MILLPOND_TESTS_CHECK_H
#define MILLPOND_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

/* The C library of Windows has other names for aligned memory. */
#if defined(_WIN32)
#include <malloc.h>
#define aligned_alloc(align, bytes) _aligned_malloc(bytes, align)
#define free_aligned _aligned_free
#else
#define free_aligned free
#endif

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);              \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

#endif
