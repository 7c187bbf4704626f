/* A sanitizer of our own: it scribbles over what the library says is dead, so that a write there is noticed even though
 * the library is not compiled with a sanitizer. Pools that fill dead slots write to them in every way to empty a pool. */
#include "check.h"
#include "millpond.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SLOTS 5

typedef struct number {
    uint64_t words[2];
} number;

typedef struct region {
    unsigned char *start;
    unsigned char saved[sizeof(number)];
} region;

static region dead[4 * SLOTS];

static region *at(unsigned char *start) {
    int i;
    for (i = 0; i < 4 * SLOTS && dead[i].start != start; i++) {
    }
    return i < 4 * SLOTS ? &dead[i] : NULL;
}

static unsigned char *writable(void const volatile *start) { return (unsigned char *)(uintptr_t)start; }

static void poison(void const volatile *start, size_t bytes) {
    region *of = at(writable(start));
    CHECK(bytes == sizeof of->saved);
    if (of == NULL) {
        of = at(NULL);
        CHECK(of != NULL);
        of->start = writable(start);
        memcpy(of->saved, of->start, bytes);
        memset(of->start, 0xaa, bytes);
    }
}

static void unpoison(void const volatile *start, size_t bytes) {
    region *of = at(writable(start));
    size_t i;
    if (of != NULL) {
        for (i = 0; i < bytes; i++) {
            CHECK(of->start[i] == 0xaa);
        }
        memcpy(of->start, of->saved, bytes);
        of->start = NULL;
    }
}

static int dead_slots(void) {
    int i, count = 0;
    for (i = 0; i < 4 * SLOTS; i++) {
        count += dead[i].start != NULL;
    }
    return count;
}

static void pools(uint32_t order, uint32_t full) {
    mp_options options = MP_OPTIONS(number, SLOTS);
    mp_pool *pool = NULL;
    mp_snapshot *past = NULL;
    mp_handle id, last = {0};
    unsigned char state[1024];
    size_t written = 0;
    int step, i;
    options.order = order;
    options.full = full;
    options.flags = MP_FILLED;
    CHECK(mp_pool_create(&options, &pool) == MP_OK && mp_snapshot_create(&options, &past) == MP_OK);
    mp_pool_watch_(pool, poison, unpoison);
    CHECK(dead_slots() == SLOTS);
    for (step = 0; step < 40; step++) {
        for (i = 0; i < 3 + step % 4; i++) {
            number *made = (number *)mp_insert(pool, &id);
            CHECK((made != NULL) == (i < SLOTS || full != MP_REFUSE));
            if (made != NULL) {
                last = id;
                made->words[0] = made->words[1] = 7;
            }
        }
        CHECK(dead_slots() == SLOTS - (int)mp_pool_stats(pool).live);
        CHECK(mp_remove(pool, last));
        if (step % 5 == 1) {
            written = mp_pool_state_bytes(pool);
            CHECK(mp_pool_save(pool, past) == MP_OK && written <= sizeof state);
            CHECK(mp_pool_write_state(pool, state, sizeof state) == MP_OK);
        } else if (step % 5 == 2) {
            CHECK(mp_pool_restore(pool, past) == MP_OK);
        } else if (step % 5 == 3) {
            CHECK(mp_pool_read_state(pool, state, written) == MP_OK);
        }
        CHECK(dead_slots() == SLOTS - (int)mp_pool_stats(pool).live);
        mp_pool_clear(pool);
        CHECK(dead_slots() == SLOTS);
    }
    mp_pool_destroy(pool);
    mp_snapshot_destroy(past);
    CHECK(dead_slots() == 0);
}

static void packed_pools(void) {
    mp_options options = MP_OPTIONS(number, SLOTS);
    mp_packed *pool = NULL, *past = NULL;
    mp_handle first, id;
    unsigned char state[1024];
    int step, i;
    options.flags = MP_FILLED;
    CHECK(mp_packed_create(&options, &pool) == MP_OK && mp_packed_create(&options, &past) == MP_OK);
    mp_packed_watch_(pool, poison, unpoison);
    CHECK(dead_slots() == SLOTS);
    for (step = 0; step < 40; step++) {
        for (i = 0; i < 2 + step % 3; i++) {
            number *made = (number *)mp_packed_insert(pool, i == 0 ? &first : &id);
            CHECK(made != NULL);
            made->words[0] = made->words[1] = 7;
        }
        CHECK(mp_packed_remove(pool, first) && dead_slots() == SLOTS - (int)mp_packed_count(pool));
        if (step % 5 == 1) {
            CHECK(mp_packed_copy(past, pool) == MP_OK);
        } else if (step % 5 == 2) {
            CHECK(mp_packed_copy(pool, past) == MP_OK);
        } else if (step % 5 == 3) {
            CHECK(mp_packed_state_bytes(past) <= sizeof state);
            CHECK(mp_packed_write_state(past, state, sizeof state) == MP_OK);
            CHECK(mp_packed_read_state(pool, state, mp_packed_state_bytes(past)) == MP_OK);
        }
        CHECK(dead_slots() == SLOTS - (int)mp_packed_count(pool));
        mp_packed_clear(pool);
        CHECK(dead_slots() == SLOTS);
    }
    mp_packed_destroy(pool);
    mp_packed_destroy(past);
    CHECK(dead_slots() == 0);
}

int main(void) {
    uint32_t order;
    for (order = MP_LIFO; order <= MP_ROSTER; order++) {
        pools(order, MP_REFUSE);
        pools(order, MP_EVICT_OLDEST);
    }
    packed_pools();
    puts("all is well");
    return 0;
}
