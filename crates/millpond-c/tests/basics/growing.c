/* Pools that grow, loops over them and beside them. */
#include "sparks.h"

MP_PACKED(growing_packed_sparks, spark)

static mp_pool *growing_pool(uint32_t slots, uint32_t slots_max, uint32_t order) {
    mp_options options = MP_OPTIONS(spark, slots);
    mp_pool *pool = MP_NULL_;
    options.slots_max = slots_max;
    options.order = order;
    options.name = "sparks";
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    return pool;
}

static spark *put_spark(mp_pool *pool, mp_handle *id, int frames_left) {
    spark *made = MP_CAST_(spark *, mp_insert(pool, id));
    if (made != MP_NULL_) {
        memset(made, 0, sizeof *made);
        made->frames_left = frames_left;
    }
    return made;
}

static void pools_grow(void) {
    uint32_t order;
    for (order = MP_LIFO; order <= MP_ROSTER; order++) {
        mp_pool *pool = growing_pool(0, MP_NO_LIMIT, order);
        mp_handle ids[1000];
        size_t at, capacity = 0;
        CHECK(mp_capacity(pool) == 0 && mp_live(pool) == 0 && mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
        CHECK(mp_pool_capacity_max(pool) > 4000000000u);
        for (at = 0; at < 1000; at++) {
            if (mp_capacity(pool) != capacity) {
                CHECK(mp_capacity(pool) == (capacity == 0 ? 4 : 2 * capacity));
                capacity = mp_capacity(pool);
            }
            CHECK(put_spark(pool, &ids[at], MP_CAST_(int, at)) != MP_NULL_ && mp_index(ids[at]) <= at);
            if (at % 100 == 50) {
                CHECK(mp_remove(pool, ids[at - 5]));
            }
            if (at % 3 == 0) {
                mp_pool_refresh(pool);
            }
        }
        CHECK(mp_capacity(pool) == 1024 && mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
        for (at = 0; at < 1000; at++) {
            spark *found = MP_CAST_(spark *, mp_get(pool, ids[at]));
            CHECK(at % 100 == 45 ? found == MP_NULL_ : found->frames_left == MP_CAST_(int, at));
            CHECK(found == MP_NULL_ || mp_pool_index_of(pool, found) == mp_index(ids[at]));
        }
        mp_pool_destroy(pool);
    }
}

static void pools_grow_up_to_their_limit(void) {
    mp_options options = MP_OPTIONS(spark, 3);
    mp_pool *pool = growing_pool(3, 10, MP_LIFO), *small = MP_NULL_;
    mp_handle id, first;
    size_t at;
    CHECK(mp_pool_capacity_max(pool) == 10 && mp_pool_next_handle(pool).bits != 0 && mp_capacity(pool) == 3);
    CHECK(mp_pool_reserve(pool, 11) == MP_TOO_MANY_SLOTS && mp_pool_reserve(pool, 3) == MP_OK && mp_capacity(pool) == 3);
    CHECK(put_spark(pool, &first, 0) != MP_NULL_);
    for (at = 1; at < 10; at++) {
        CHECK(put_spark(pool, &id, 0) != MP_NULL_);
    }
    CHECK(mp_capacity(pool) == 10 && mp_insert(pool, &id) == MP_NULL_ && id.bits == 0);
    CHECK(mp_pool_stats(pool).refused == 1 && mp_pool_stats(pool).capacity == 10 && mp_pool_next_handle(pool).bits == 0);
    CHECK(mp_pool_reserve(pool, 0) == MP_OK && mp_pool_reserve(pool, 1) == MP_TOO_MANY_SLOTS);
    CHECK(mp_pool_reserve(pool, SIZE_MAX) == MP_TOO_MANY_SLOTS && mp_remove(pool, first));
    CHECK(mp_pool_reserve(pool, 1) == MP_OK && mp_capacity(pool) == 10);
    mp_pool_destroy(pool);
    /* What is reserved needs no growth. */
    pool = growing_pool(0, MP_NO_LIMIT, MP_FIFO);
    CHECK(mp_pool_reserve(pool, 777) == MP_OK && mp_capacity(pool) == 777);
    for (at = 0; at < 777; at++) {
        CHECK(put_spark(pool, &id, 0) != MP_NULL_ && mp_capacity(pool) == 777);
    }
    CHECK(mp_pool_reserve(pool, 1) == MP_OK && mp_capacity(pool) == 1554);
    mp_pool_destroy(pool);
    /* A pool that has all of its slots. */
    CHECK(mp_pool_create(&options, &pool) == MP_OK && mp_pool_reserve(pool, 3) == MP_OK);
    CHECK(mp_pool_reserve(pool, 4) == MP_TOO_MANY_SLOTS && mp_pool_capacity_max(pool) == 3);
    mp_pool_destroy(pool);
    CHECK(mp_pool_reserve(MP_NULL_, 1) == MP_NULL_POINTER && mp_pool_capacity_max(MP_NULL_) == 0);
    /* Options that no pool has. */
    options.slots_max = 2;
    CHECK(mp_pool_create(&options, &pool) == MP_BAD_OPTIONS && pool == MP_NULL_);
    options.slots_max = 3;
    CHECK(mp_pool_bytes(&options) == 0 && mp_pool_create_(&options, &pool, MP_LAYOUT_, sizeof *pool) == MP_BAD_OPTIONS);
    options.memory = &options;
    options.memory_bytes = sizeof options;
    CHECK(mp_pool_create(&options, &pool) == MP_BAD_OPTIONS);
    options.memory = MP_NULL_;
    options.memory_bytes = 0;
    CHECK(mp_pool_create_growing_(&options, &pool, MP_LAYOUT_ + 1, sizeof *pool) == MP_OTHER_VERSION);
    options.index_bits = 16;
    options.slots = 65536 + 5;
    options.slots_max = MP_NO_LIMIT;
    CHECK(mp_pool_create(&options, &pool) == MP_TOO_MANY_SLOTS);
    /* Handles of four bytes name no more slots. */
    options.slots = 0;
    CHECK(mp_pool_create(&options, &small) == MP_OK && mp_pool_capacity_max(small) <= 65536);
    while (put_spark(small, &id, 0) != MP_NULL_) {
        CHECK(mp_narrow(id, 16) != 0);
    }
    CHECK(mp_live(small) == mp_pool_capacity_max(small) && mp_live(small) > 65000);
    mp_pool_destroy(small);
}

static int64_t by_frames_left(const void *value, mp_handle handle, void *user) {
    (void)handle;
    (void)user;
    return MP_CAST_(const spark *, value)->frames_left;
}

static void growing_pools_evict_at_their_limit(void) {
    mp_options options = MP_OPTIONS(spark, 0);
    mp_pool *pool = MP_NULL_;
    sparks all;
    sparks_id ids[12], gone, none;
    int at;
    options.slots_max = 9;
    options.full = MP_EVICT_OLDEST;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    all = sparks_of(pool);
    for (at = 0; at < 12; at++) {
        spark *made = sparks_insert(&all, &ids[at]);
        CHECK(made != MP_NULL_ && mp_live(pool) == MP_CAST_(size_t, at < 9 ? at + 1 : 9));
        made->frames_left = at == 5 ? 1 : 50;
        if (at == 1) {
            CHECK(mp_pool_note_use(pool, sparks_handle(ids[0])) == MP_OK);
        }
    }
    /* The second was the oldest, then the first. */
    CHECK(!sparks_contains(&all, ids[0]) && !sparks_contains(&all, ids[1]) && !sparks_contains(&all, ids[2]));
    CHECK(sparks_contains(&all, ids[3]) && mp_pool_stats(pool).evicted == 3);
    none.bits = 1;
    CHECK(sparks_insert_or_evict(&all, by_frames_left, MP_NULL_, &none, &gone) != MP_NULL_);
    CHECK(gone.bits == ids[5].bits && sparks_contains(&all, none) && sparks_live(&all) == 9);
    CHECK(sparks_insert_or_evict(&all, by_frames_left, MP_NULL_, MP_NULL_, MP_NULL_) != MP_NULL_);
    mp_pool_destroy(pool);
    /* Before its limit, it grows. */
    pool = growing_pool(1, 2, MP_LIFO);
    all = sparks_of(pool);
    CHECK(sparks_insert(&all, &ids[0]) != MP_NULL_);
    CHECK(sparks_insert_or_evict(&all, by_frames_left, MP_NULL_, &ids[1], &gone) != MP_NULL_ && gone.bits == 0);
    CHECK(sparks_contains(&all, ids[0]) && mp_capacity(pool) == 2);
    mp_pool_destroy(pool);
}

static void saved_handles_are_claimed_in_pools_that_grow(void) {
    mp_pool *pool = growing_pool(0, 100000, MP_LIFO);
    mp_handle id = mp_pool_next_handle(pool), other;
    uint32_t first = MP_CAST_(uint32_t, id.bits);
    void *value = MP_NULL_;
    size_t capacity = mp_capacity(pool);
    /* Neither a handle that there cannot be, nor one far away, makes the pool grow. */
    CHECK(mp_pool_insert_at(pool, handle_of(99999, first), &value) == MP_TOO_FAR && value == MP_NULL_);
    CHECK(mp_pool_insert_at(pool, handle_of(100000, first), &value) == MP_OUT_OF_RANGE);
    CHECK(mp_pool_insert_at(pool, handle_of(4096, first), &value) == MP_TOO_FAR);
    CHECK(mp_pool_insert_at(pool, handle_of(50, 0), &value) == MP_BEYOND_LIFETIMES);
    CHECK(mp_pool_insert_at(pool, handle_of(50, UINT32_MAX), &value) == MP_BEYOND_LIFETIMES);
    CHECK(mp_capacity(pool) == capacity && mp_pool_check(pool, handle_of(50, first)) == MP_OTHER_POOL);
    CHECK(mp_pool_check(pool, handle_of(100000, first)) == MP_OUT_OF_RANGE);
    CHECK(mp_get(pool, handle_of(50, first)) == MP_NULL_ && !mp_remove(pool, handle_of(50, first)));
    CHECK(mp_pool_insert_at(pool, handle_of(4095, first), &value) == MP_OK && mp_capacity(pool) == 4096);
    CHECK(value == mp_get(pool, handle_of(4095, first)) && mp_live(pool) == 1);
    CHECK(mp_pool_insert_at(pool, handle_of(6000, first + 7), &value) == MP_OK && mp_capacity(pool) == 8192);
    CHECK(mp_pool_reserve(pool, 99998) == MP_OK);
    CHECK(mp_pool_insert_at(pool, handle_of(99999, first), &value) == MP_OK);
    CHECK(mp_insert(pool, &other) != MP_NULL_ && other.bits == id.bits && mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
    mp_pool_destroy(pool);
}

/* A pool's past may have fewer slots, or more. */
static void the_past_of_pools_that_grow(void) {
    uint32_t order;
    for (order = MP_LIFO; order <= MP_ROSTER; order++) {
        mp_options options = MP_OPTIONS(spark, 0), fixed = MP_OPTIONS(spark, 8);
        mp_pool *pool = growing_pool(0, 1000, order), *second = growing_pool(0, MP_NO_LIMIT, order), *eight = MP_NULL_;
        mp_snapshot *past = MP_NULL_;
        mp_handle ids[300];
        unsigned char *state;
        size_t at, bytes;
        uint64_t sum;
        options.slots_max = 1000;
        options.order = fixed.order = order;
        options.name = fixed.name = "sparks";
        CHECK(mp_snapshot_create(&options, &past) == MP_OK && mp_pool_create(&fixed, &eight) == MP_OK);
        CHECK(mp_pool_copy(second, pool) == MP_OK && mp_capacity(second) == 0);
        for (at = 0; at < 7; at++) {
            CHECK(put_spark(pool, &ids[at], MP_CAST_(int, at)) != MP_NULL_);
        }
        CHECK(mp_remove(pool, ids[3]) && mp_pool_save(pool, past) == MP_OK);
        sum = mp_pool_checksum(pool, MP_NULL_, MP_NULL_);
        bytes = mp_pool_state_bytes(pool);
        state = MP_CAST_(unsigned char *, malloc(bytes));
        CHECK(state != MP_NULL_ && mp_pool_write_state(pool, state, bytes) == MP_OK);
        for (; at < 300; at++) {
            CHECK(put_spark(pool, &ids[at], MP_CAST_(int, at)) != MP_NULL_);
        }
        CHECK(mp_pool_copy(second, pool) == MP_OK && mp_capacity(second) == 512 && mp_live(second) == 299);
        CHECK(mp_pool_restore(pool, past) == MP_OK && mp_capacity(pool) == 8 && mp_live(pool) == 6);
        CHECK(mp_pool_checksum(pool, MP_NULL_, MP_NULL_) == sum && !mp_contains(pool, ids[3]) && !mp_contains(pool, ids[200]));
        CHECK(MP_CAST_(spark *, mp_get(pool, ids[6]))->frames_left == 6);
        /* And forth: into more slots. */
        CHECK(mp_pool_copy(pool, second) == MP_OK && mp_capacity(pool) == 512);
        for (at = 0; at < 300; at++) {
            spark *found = MP_CAST_(spark *, mp_get(pool, ids[at]));
            CHECK(at == 3 ? found == MP_NULL_ : found->frames_left == MP_CAST_(int, at));
        }
        CHECK(mp_pool_save(pool, past) == MP_OK && mp_pool_restore(second, past) == MP_OK);
        CHECK(mp_pool_validate(pool, MP_NULL_, 0) == MP_OK && mp_pool_validate(second, MP_NULL_, 0) == MP_OK);
        /* A saved game: also of a pool with other limits, and of one that does not grow, if it has as many slots. */
        CHECK(mp_pool_read_state(second, state, bytes) == MP_OK && mp_capacity(second) == 8);
        CHECK(mp_pool_read_state(eight, state, bytes) == MP_OK && mp_pool_checksum(eight, MP_NULL_, MP_NULL_) == sum);
        CHECK(mp_pool_copy(second, eight) == MP_OK && mp_pool_copy(eight, second) == MP_OK);
        CHECK(mp_pool_copy(eight, pool) == MP_OTHER_SHAPE && mp_live(eight) == 6);
        for (at = 0; at < 9; at++) {
            CHECK(put_spark(second, &ids[at], 1) != MP_NULL_);
        }
        CHECK(mp_capacity(second) == 16 && mp_pool_copy(eight, second) == MP_OTHER_SHAPE);
        CHECK(mp_pool_copy(MP_NULL_, pool) == MP_NULL_POINTER && mp_pool_copy(pool, MP_NULL_) == MP_NULL_POINTER);
        CHECK(mp_pool_copy(pool, pool) == MP_OK);
        /* Beyond the limit. */
        mp_pool_destroy(pool);
        pool = growing_pool(2, 5, order);
        CHECK(put_spark(pool, &ids[0], 77) != MP_NULL_ && mp_pool_copy(pool, second) == MP_OTHER_SHAPE);
        CHECK(mp_pool_read_state(pool, state, bytes) == MP_OTHER_SHAPE && mp_live(pool) == 1);
        CHECK(MP_CAST_(spark *, mp_get(pool, ids[0]))->frames_left == 77);
        free(state);
        mp_snapshot_destroy(past);
        mp_pool_destroy(pool);
        mp_pool_destroy(second);
        mp_pool_destroy(eight);
    }
}

typedef struct taken_memory {
    size_t blocks, bytes;
    bool is_refused;
} taken_memory;

static void *take_some(size_t bytes, size_t align, void *user) {
    taken_memory *of = MP_CAST_(taken_memory *, user);
    CHECK(bytes > 0);
    if (of->is_refused) {
        return MP_NULL_;
    }
    of->blocks++;
    of->bytes += bytes;
    return aligned_alloc(align, (bytes + align - 1) / align * align);
}
static void give_some(void *block, size_t bytes, size_t align, void *user) {
    taken_memory *of = MP_CAST_(taken_memory *, user);
    (void)align;
    of->blocks--;
    of->bytes -= bytes;
    free_aligned(block);
}

static void growth_takes_memory_and_gives_it_back(void) {
    uint32_t flags;
    for (flags = 0; flags < 8; flags++) {
        mp_options options = MP_OPTIONS(spark, 0);
        mp_pool *pool = MP_NULL_;
        mp_handle ids[65], id;
        taken_memory memory = {0, 0, false};
        size_t at;
        options.slots_max = MP_NO_LIMIT;
        options.flags = flags;
        options.take = take_some;
        options.give = give_some;
        options.user = &memory;
        CHECK(mp_pool_create(&options, &pool) == MP_OK && memory.blocks >= 1);
        for (at = 0; at < 64; at++) {
            spark *made = MP_CAST_(spark *, mp_insert(pool, &ids[at]));
            CHECK(made != MP_NULL_ && memory.blocks == 2);
            CHECK((flags & MP_ZEROED) == 0 || (made->frames_left == 0 && made->x == 0));
            made->frames_left = MP_CAST_(int, at);
            if (at % 2 == 1) {
                CHECK(mp_remove(pool, ids[at]) && mp_insert(pool, &ids[at]) != MP_NULL_);
                MP_CAST_(spark *, mp_get(pool, ids[at]))->frames_left = MP_CAST_(int, at);
            }
        }
        memory.is_refused = true;
        CHECK(mp_insert(pool, &ids[64]) == MP_NULL_ && mp_pool_next_handle(pool).bits == 0);
        CHECK(mp_pool_reserve(pool, 1) == MP_OUT_OF_MEMORY && mp_capacity(pool) == 64);
        CHECK(mp_remove(pool, ids[1]) && mp_insert(pool, &ids[1]) != MP_NULL_);
        MP_CAST_(spark *, mp_get(pool, ids[1]))->frames_left = 1;
        memory.is_refused = false;
        CHECK(mp_insert(pool, &id) != MP_NULL_ && mp_capacity(pool) == 128 && memory.blocks == 2);
        for (at = 0; at < 64; at++) {
            CHECK(MP_CAST_(spark *, mp_get(pool, ids[at]))->frames_left == MP_CAST_(int, at));
        }
        mp_pool_clear(pool);
        CHECK(mp_live(pool) == 0 && mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
        mp_pool_destroy(pool);
        CHECK(memory.blocks == 0 && memory.bytes == 0);
    }
}

/* Each visit inserts: the pool grows, but the loop goes no farther than the slots that there were. */
static void loops_end_though_the_pool_grows(void) {
    int kind;
    for (kind = 0; kind < 8; kind++) {
        mp_pool *pool = growing_pool(0, MP_NO_LIMIT, kind < 4 ? MP_LIFO : MP_FIFO);
        sparks all = sparks_of(pool);
        mp_handle id;
        mp_walk walk = MP_WALK;
        mp_run run = MP_RUN;
        size_t visited = 0, at, last = 0;
        for (at = 0; at < 256; at++) {
            CHECK(put_spark(pool, &id, MP_CAST_(int, at)) != MP_NULL_);
        }
        if (kind % 2 == 0) {
            mp_pool_refresh(pool);
        }
        if (kind % 4 < 2) {
            spark *one;
            while ((one = sparks_next(&all, &walk)) != MP_NULL_) {
                CHECK(one->frames_left == MP_CAST_(int, walk.index) && walk.index < 256);
                CHECK(put_spark(pool, &id, 1000) != MP_NULL_ && put_spark(pool, &id, 1000) != MP_NULL_);
                visited++;
            }
        } else {
            /* The first run is of the first slots; the others are removed as it is visited. */
            CHECK(mp_remove(pool, mp_pool_handle_at(pool, 100)) && mp_remove(pool, mp_pool_handle_at(pool, 130)));
            while (mp_next_run(pool, &run)) {
                for (at = 0; at < run.count; at++) {
                    CHECK(run.first + at >= last && run.first + at < 256);
                    CHECK(put_spark(pool, &id, 1000) != MP_NULL_ && put_spark(pool, &id, 1000) != MP_NULL_);
                    visited++;
                }
                last = run.first + run.count;
            }
        }
        CHECK(visited >= 254 && visited <= 256 && mp_capacity(pool) >= 512);
        CHECK(mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
        mp_pool_destroy(pool);
    }
}

static void each_live_object_is_visited(void) {
    mp_pool *pool = growing_pool(0, MP_NO_LIMIT, MP_LIFO);
    mp_options options = MP_OPTIONS(spark, 200);
    mp_packed *packed = MP_NULL_;
    sparks all = sparks_of(pool);
    growing_packed_sparks values;
    sparks_id ids[200];
    growing_packed_sparks_id id, gone;
    int beside[256], at, count = 0;
    for (at = 0; at < 200; at++) {
        spark *made = sparks_insert(&all, &ids[at]);
        made->frames_left = at;
        beside[sparks_index(ids[at])] = -at;
    }
    MP_EACH(sparks, each, &all) {
        CHECK(each.id.bits == ids[count].bits && each.value->frames_left == count);
        CHECK(beside[sparks_index(each.id)] == -count);
        count++;
        if (count % 2 == 0) {
            CHECK(sparks_remove(&all, each.id));
            continue;
        }
        if (count == 151) {
            break;
        }
    }
    CHECK(count == 151 && sparks_live(&all) == 125);
    count = 0;
    MP_EACH(sparks, outer, &all) {
        MP_EACH(sparks, inner, &all) {
            count += outer.id.bits == inner.id.bits;
        }
    }
    CHECK(count == 125);
    mp_pool_clear(pool);
    MP_EACH(sparks, none, &all) {
        CHECK(none.value == MP_NULL_);
    }
    mp_pool_destroy(pool);

    CHECK(mp_packed_create(&options, &packed) == MP_OK);
    values = growing_packed_sparks_of(packed);
    for (at = 0; at < 200; at++) {
        growing_packed_sparks_insert(&values, &id)->frames_left = at;
    }
    CHECK(growing_packed_sparks_index(id) == 199);
    CHECK(growing_packed_sparks_insert_or_evict(&values, by_frames_left, MP_NULL_, &id, &gone) != MP_NULL_);
    CHECK(growing_packed_sparks_index(gone) == 0 && growing_packed_sparks_index(id) == 0 && gone.bits != id.bits);
    growing_packed_sparks_get(&values, id)->frames_left = 0;
    count = 0;
    MP_EACH(growing_packed_sparks, each, &values) {
        count++;
        CHECK(growing_packed_sparks_get(&values, each.id) == each.value);
        if (each.value->frames_left % 2 == 0) {
            CHECK(growing_packed_sparks_remove(&values, each.id));
        }
    }
    CHECK(count == 200 && growing_packed_sparks_count(&values) == 100);
    /* Whoever removes all of them meanwhile ends the loop. */
    count = 0;
    MP_EACH(growing_packed_sparks, each, &values) {
        count++;
        mp_packed_clear(packed);
    }
    CHECK(count == 1);
    mp_packed_destroy(packed);
    options.slots_max = 200;
    CHECK(mp_packed_create(&options, &packed) == MP_BAD_OPTIONS && mp_packed_bytes(&options) == 0);
}

static bool gather_text(const char *text, size_t bytes, void *user) {
    size_t *lines = MP_CAST_(size_t *, user), at;
    for (at = 0; at < bytes; at++) {
        lines[0] += text[at] == '\n';
    }
    return true;
}

static void growing_pools_are_recorded(void) {
    mp_pool *pool = growing_pool(0, MP_NO_LIMIT, MP_LIFO), *past = growing_pool(0, MP_NO_LIMIT, MP_LIFO);
    mp_recorder *recorder = MP_NULL_;
    mp_handle id;
    size_t lines = 0, at;
    CHECK(mp_recorder_create(gather_text, &lines, &recorder) == MP_OK && mp_pool_record(pool, recorder) == MP_OK);
    for (at = 0; at < 100; at++) {
        CHECK(put_spark(pool, &id, 0) != MP_NULL_);
    }
    CHECK(mp_remove(pool, id));
    /* All that lived ends, in slots that are no more. */
    CHECK(mp_pool_copy(pool, past) == MP_OK && mp_capacity(pool) == 0 && put_spark(pool, &id, 0) != MP_NULL_);
    mp_pool_destroy(pool);
    CHECK(mp_recorder_destroy(recorder) == MP_OK);
    /* The header, 101 births and as many deaths, and the end. */
    CHECK(lines == 1 + 202 + 1);
    mp_pool_destroy(past);
}
