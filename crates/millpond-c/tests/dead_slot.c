/* Writes to an object after its end, in a pool that fills dead slots: the next insertion there must end the program and
 * say which slot it was. Also in a packed pool (`-DPACKED`), and if the pool has grown meanwhile (`-DGROWN`). Without the write (`-DHARMLESS`) the program goes on. */
#include "millpond.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PACKED
#define mp_pool mp_packed
#define mp_pool_create mp_packed_create
MP_PACKED(numbers, double)
#else
MP_POOL(numbers, double)
#endif

static void last_words(int signal) {
    (void)signal;
    puts(mp_last_words);
    fflush(stdout);
    _Exit(0);
}

int main(void) {
    mp_options options = MP_OPTIONS(double, 100);
    mp_pool *pool;
    numbers all;
    numbers_id id;
    double *number = MP_NULL_;
    int i;
    options.flags = MP_FILLED;
#ifdef GROWN
    options.slots = 0;
    options.slots_max = 100;
#endif
    if (signal(SIGABRT, last_words) == SIG_ERR || mp_pool_create(&options, &pool) != MP_OK) {
        return 1;
    }
    all = numbers_of(pool);
    for (i = 0; i < 3; i++) {
        number = numbers_insert(&all, &id);
    }
    *number = 5;
    (void)numbers_remove(&all, id);
#ifndef HARMLESS
    memset((char *)number + 6, 7, 1);
#endif
#ifdef GROWN
    if (mp_pool_reserve(pool, 50) != MP_OK) {
        return 1;
    }
#endif
    (void)numbers_insert(&all, &id);
    puts("not noticed");
    return 0;
}
