/* Pools whose memory is not touched when they are created. */
#include "sparks.h"

#define UNTOUCHED_SLOTS 1048576u
/* As many bytes of lists as of the others' values, or twice as many. */
#define LISTED_SLOTS 16777216u

typedef struct chunk {
    unsigned char bytes[64];
} chunk;

/* How many bytes an address is beyond a multiple of so many. */
static size_t beyond(const void *address, size_t multiple) {
    uintptr_t number;
    memcpy(&number, &address, sizeof number);
    return MP_CAST_(size_t, number % multiple);
}

#if defined(__linux__)
#include <unistd.h>

#ifdef __cplusplus
extern "C" int mincore(void *start, size_t bytes, unsigned char *pages);
#else
extern int mincore(void *start, size_t bytes, unsigned char *pages);
#endif

/* For how much of a block there is memory: 0 to 64 sixty-fourths. */
static size_t sixty_fourths(void *start, size_t bytes) {
    static unsigned char pages[2 * UNTOUCHED_SLOTS * sizeof(chunk) / 4096];
    const size_t page = MP_CAST_(size_t, sysconf(_SC_PAGESIZE)), all = bytes / page - 1;
    size_t resident = 0, i;
    CHECK(mincore(MP_CAST_(unsigned char *, start) + (page - beyond(start, page)), all * page, pages) == 0);
    for (i = 0; i < all; i++) {
        resident += pages[i] & 1;
    }
    return resident * 64 / (all + 1);
}

static size_t of_values(const mp_pool *pool) {
    return sixty_fourths(mp_values(pool), UNTOUCHED_SLOTS * sizeof(chunk));
}

/* Whether the C library leaves what it zeroes to the system; under valgrind, it does not. */
static bool zeroed_memory_is_untouched(void) {
    void *block = calloc(UNTOUCHED_SLOTS, sizeof(chunk));
    const bool is_untouched = block != MP_NULL_ && sixty_fourths(block, UNTOUCHED_SLOTS * sizeof(chunk)) <= 2;
    free(block);
    return is_untouched;
}

static mp_pool *untouched_pool(uint32_t order) {
    mp_options options = MP_OPTIONS(chunk, UNTOUCHED_SLOTS);
    mp_pool *pool = MP_NULL_;
    options.flags = MP_UNTOUCHED;
    options.order = order;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    return pool;
}
#endif

static void untouched_pools_take_memory_as_they_fill(void) {
#if defined(__linux__)
    uint32_t order;
    for (order = MP_LIFO; order <= MP_ROSTER && zeroed_memory_is_untouched(); order++) {
        mp_pool *pool = untouched_pool(order);
        mp_handle id = {0};
        uint32_t i;
        CHECK(of_values(pool) <= 2);
        for (i = 0; i < UNTOUCHED_SLOTS / 4; i++) {
            memset(mp_insert(pool, &id), 1, sizeof(chunk));
        }
        CHECK(of_values(pool) <= 16 + 2);
        /* Neither walks nor lookups need more. */
        CHECK(mp_contains(pool, id) && mp_live(pool) == UNTOUCHED_SLOTS / 4);
        mp_pool_clear(pool);
        CHECK(of_values(pool) <= 16 + 2 && mp_insert(pool, &id) != MP_NULL_);
        mp_pool_destroy(pool);
    }
#endif
}

static void untouched_pools_do_what_others_do(void) {
    uint32_t order;
    for (order = MP_LIFO; order <= MP_ROSTER; order++) {
        mp_options options = MP_OPTIONS(chunk, 500);
        mp_pool *pools[2];
        mp_snapshot *past = MP_NULL_;
        mp_handle ids[2], first;
        uint32_t i, which;
        options.order = order;
        options.value_align = order == MP_FIFO ? 64 : 1;
        options.name = "chunks";
        for (which = 0; which < 2; which++) {
            options.flags = which == 0 ? 0u : MP_UNTOUCHED | MP_ZEROED;
            CHECK(mp_pool_create(&options, &pools[which]) == MP_OK);
            CHECK(beyond(mp_values(pools[which]), 64) == 0);
        }
        CHECK(mp_snapshot_create(&options, &past) == MP_OK);
        first = mp_pool_next_handle(pools[0]);
        for (i = 0; i < 2000; i++) {
            if (i % 3 < 2 && mp_live(pools[0]) < 500) {
                unsigned char *value = MP_CAST_(unsigned char *, mp_insert(pools[1], &ids[1]));
                CHECK(mp_insert(pools[0], &ids[0]) != MP_NULL_ && value[0] == 0 && value[63] == 0);
                CHECK(ids[0].bits == ids[1].bits);
                value[0] = value[63] = 9;
            } else {
                ids[0] = mp_pool_handle_at(pools[0], i % 400);
                CHECK(mp_remove(pools[0], ids[0]) == mp_remove(pools[1], ids[0]));
            }
            if (i == 300) {
                CHECK(mp_pool_save(pools[1], past) == MP_OK);
            }
        }
        CHECK(mp_pool_validate(pools[1], MP_NULL_, 0) == MP_OK);
        CHECK(mp_pool_restore(pools[1], past) == MP_OK && mp_pool_validate(pools[1], MP_NULL_, 0) == MP_OK);
        CHECK(mp_live(pools[1]) < mp_live(pools[0]) && mp_pool_check(pools[1], first) != MP_OTHER_POOL);
        mp_snapshot_destroy(past);
        mp_pool_destroy(pools[0]);
        mp_pool_destroy(pools[1]);
    }
}

/* A pool of handles alone, of which the first `used` slots were taken and every third is free again. */
static mp_pool *lists_in_use(uint32_t order, uint32_t slots, uint32_t used, uint32_t flags) {
    mp_options options = MP_OPTIONS(chunk, slots);
    mp_pool *pool = MP_NULL_;
    uint32_t i;
    options.order = order;
    options.value_bytes = options.value_align = 0;
    options.flags = flags;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    for (i = 0; i < used; i++) {
        mp_handle id;
        CHECK(mp_acquire(pool, &id));
    }
    for (i = 0; i < used; i += 3) {
        CHECK(mp_release(pool, mp_pool_handle_at(pool, i)));
    }
    return pool;
}

static bool lists_all(uint32_t order) {
    return order == MP_FIFO || order == MP_ROSTER;
}

static void states_list_what_was_used(void) {
    const uint32_t orders[] = {MP_LIFO, MP_LOWEST_FIRST};
    size_t at;
    for (at = 0; at < sizeof orders / sizeof *orders; at++) {
        mp_pool *pool = lists_in_use(orders[at], LISTED_SLOTS, 100, MP_UNTOUCHED);
        mp_pool *other = lists_in_use(orders[at], LISTED_SLOTS, 300, MP_UNTOUCHED);
        unsigned char state[400];
        const size_t bytes = mp_pool_state_bytes(pool);
        mp_handle ids[2];
        uint32_t i;
        CHECK(bytes <= sizeof state && mp_pool_write_state(pool, state, bytes) == MP_OK);
        CHECK(mp_pool_read_state(other, state, bytes) == MP_OK);
        CHECK(mp_pool_checksum(other, MP_NULL_, MP_NULL_) == mp_pool_checksum(pool, MP_NULL_, MP_NULL_));
#if defined(__linux__) && !defined(MP_ASAN_)
        /* The sanitizer is told of each slot. */
        if (zeroed_memory_is_untouched()) {
            /* The lists are all that there is: 8 bytes for each slot, or 4 and some bits, one of which is read. */
            const size_t all = (orders[at] == MP_LIFO ? 8 : 4) * MP_CAST_(size_t, LISTED_SLOTS);
            CHECK(sixty_fourths(pool, all) <= 4 && sixty_fourths(other, all) <= 4);
        }
#endif
        for (i = 0; i < 300; i++) {
            CHECK(mp_acquire(pool, &ids[0]) && mp_acquire(other, &ids[1]) && ids[0].bits == ids[1].bits);
        }
        mp_pool_destroy(pool);
        mp_pool_destroy(other);
    }
}

/* Whatever was used of the pool, and of the one in the state. */
static void states_go_into_pools_of_another_used_part(void) {
    const uint32_t parts[] = {0, 1, 64, 65, 129, 130};
    const size_t count = sizeof parts / sizeof *parts;
    uint32_t order;
    size_t at;
    for (order = MP_LIFO; order <= MP_ROSTER; order++) {
        for (at = 0; at < count * count; at++) {
            mp_pool *pool = lists_in_use(order, 130, parts[at / count], MP_UNTOUCHED);
            mp_pool *other = lists_in_use(order, 130, parts[at % count], at % 2 == 0 ? MP_UNTOUCHED : 0u);
            unsigned char state[1000];
            const size_t bytes = mp_pool_state_bytes(pool);
            mp_handle ids[2];
            CHECK(bytes <= sizeof state && mp_pool_write_state(pool, state, bytes) == MP_OK);
            CHECK(mp_pool_read_state(other, state, bytes) == MP_OK && mp_pool_validate(other, MP_NULL_, 0) == MP_OK);
            CHECK(mp_pool_checksum(other, MP_NULL_, MP_NULL_) == mp_pool_checksum(pool, MP_NULL_, MP_NULL_));
            /* Written again, it is the same, in as many bytes. */
            CHECK(mp_pool_state_bytes(other) == bytes);
            while (mp_acquire(pool, &ids[0])) {
                CHECK(mp_acquire(other, &ids[1]) && ids[0].bits == ids[1].bits);
            }
            CHECK(!mp_acquire(other, &ids[1]) && mp_pool_validate(other, MP_NULL_, 0) == MP_OK);
            mp_pool_destroy(pool);
            mp_pool_destroy(other);
        }
    }
}

/* The number of slots is what the last bytes of a state say: of a pool of handles alone, of its slots as well. */
static void states_that_claim_other_numbers_of_slots(void) {
    uint32_t order, claim;
    for (order = MP_LIFO; order <= MP_ROSTER; order++) {
        mp_pool *pool = lists_in_use(order, 100, 20, 0), *growing = MP_NULL_, *salted = MP_NULL_;
        mp_options options = MP_OPTIONS(chunk, 30);
        unsigned char state[1000];
        size_t bytes = mp_pool_state_bytes(pool), live = mp_live(pool);
        mp_handle id;
        options.order = order;
        options.value_bytes = options.value_align = 0;
        options.slots_max = MP_NO_LIMIT;
        CHECK(mp_pool_create(&options, &growing) == MP_OK);
        options.salt = 9;
        CHECK(mp_pool_create(&options, &salted) == MP_OK && mp_acquire(salted, &id));
        memset(state, 0, sizeof state);
        CHECK(mp_pool_write_state(pool, state, bytes) == MP_OK);
        CHECK(mp_pool_read_state(salted, state, bytes) == MP_OTHER_SHAPE && mp_pool_copy(salted, pool) == MP_OTHER_SHAPE);
        CHECK(mp_capacity(salted) == 30 && mp_contains(salted, id));
        mp_pool_destroy(salted);
        /* Bytes of slots behind the slots. */
        state[16] = MP_CAST_(unsigned char, state[16] + 2);
        CHECK(mp_pool_read_state(pool, state, bytes + 2) == MP_BAD_STATE && mp_live(pool) == live);
        state[16] = MP_CAST_(unsigned char, state[16] - 2);
        if (lists_all(order)) {
            /* A claim that there may not be: the front says how many bytes are slots. */
            CHECK(mp_pool_read_state(growing, state, bytes) == MP_OK && mp_capacity(growing) == 100);
            state[16] = MP_CAST_(unsigned char, state[16] + 2);
            state[bytes] = 1;
            for (claim = 99; claim < 102; claim++) {
                state[bytes + 1] = MP_CAST_(unsigned char, claim);
                CHECK(mp_pool_read_state(pool, state, bytes + 2) == MP_BAD_STATE && mp_live(pool) == live);
                CHECK(mp_pool_read_state(growing, state, bytes + 2) == MP_BAD_STATE && mp_capacity(growing) == 100);
            }
        } else {
            CHECK(state[bytes - 2] == 1 && state[bytes - 1] == 100);
            for (claim = 0; claim < 128; claim++) {
                const mp_status expected = claim < 20 ? MP_BAD_STATE : claim == 100 ? MP_OK : MP_OTHER_SHAPE;
                state[bytes - 1] = MP_CAST_(unsigned char, claim);
                CHECK(mp_pool_read_state(pool, state, bytes) == expected && mp_live(pool) == live);
            }
            /* 2^32 - 2 slots, which handles can name: a pool that grows has no memory yet for those that are not listed. */
            state[16] = MP_CAST_(unsigned char, state[16] + 4);
            memcpy(state + bytes - 1, "\xfe\xff\xff\xff\x0f", 5);
            CHECK(mp_pool_read_state(pool, state, bytes + 4) == MP_OTHER_SHAPE && mp_live(pool) == live);
            CHECK(mp_pool_read_state(growing, state, bytes + 4) == MP_OK && mp_capacity(growing) == 20);
            CHECK(mp_live(growing) == live && mp_pool_validate(growing, MP_NULL_, 0) == MP_OK);
            memcpy(state + bytes - 1, "\xff\xff\xff\xff\x7f", 5);
            CHECK(mp_pool_read_state(pool, state, bytes + 4) == MP_BAD_STATE && mp_live(pool) == live);
        }
        while (mp_live(growing) < 101) {
            CHECK(mp_acquire(growing, &id));
        }
        CHECK(mp_pool_validate(pool, MP_NULL_, 0) == MP_OK && mp_pool_validate(growing, MP_NULL_, 0) == MP_OK);
        mp_pool_destroy(pool);
        mp_pool_destroy(growing);
    }
}

static void *no_memory(size_t bytes, size_t align, void *user) {
    (void)bytes, (void)align, (void)user;
    return MP_NULL_;
}

static void give_none(void *block, size_t bytes, size_t align, void *user) {
    (void)block, (void)bytes, (void)align, (void)user;
}

static void what_would_be_touched_is_refused(void) {
    mp_options good = MP_OPTIONS(chunk, 9), bad;
    static unsigned char memory[4096];
    mp_pool *pool = MP_NULL_;
    mp_packed *packed = MP_NULL_;
    good.flags = MP_UNTOUCHED;
    CHECK(mp_pool_bytes(&good) > 9 * sizeof(chunk) && mp_pool_bytes(&good) < sizeof memory);
    bad = good;
    bad.memory = memory;
    bad.memory_bytes = sizeof memory;
    CHECK(mp_pool_create(&bad, &pool) == MP_BAD_OPTIONS && pool == MP_NULL_);
    bad = good;
    bad.take = no_memory;
    bad.give = give_none;
    CHECK(mp_pool_create(&bad, &pool) == MP_BAD_OPTIONS && pool == MP_NULL_);
    bad = good;
    bad.flags |= MP_FILLED;
    CHECK(mp_pool_create(&bad, &pool) == MP_BAD_OPTIONS && pool == MP_NULL_);
    bad = good;
    bad.slots_max = 20;
    CHECK(mp_pool_create(&bad, &pool) == MP_BAD_OPTIONS && pool == MP_NULL_);
    CHECK(mp_packed_create(&good, &packed) == MP_BAD_OPTIONS && packed == MP_NULL_);
    bad = good;
    bad.flags |= 16u;
    CHECK(mp_pool_create(&bad, &pool) == MP_BAD_OPTIONS && pool == MP_NULL_);
}
