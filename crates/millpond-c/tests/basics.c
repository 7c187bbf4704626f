/* Everything in millpond.h once, in C and in C++. Ends with 0, or says which line is wrong. */
#ifndef _ISOC11_SOURCE
#define _ISOC11_SOURCE 1 /* aligned_alloc, also in C99 */
#endif
#include "millpond.h"
#include "check.h"

#include <string.h>

typedef struct spark {
    float x, y;
    int frames_left;
    int padding_;
} spark;

MP_POOL(sparks, spark)
MP_POOL32(small_sparks, spark, 20)

static void pools(void) {
    mp_options options = MP_OPTIONS(spark, 100);
    mp_pool *pool = MP_NULL_;
    sparks all;
    sparks_id id, other, none;
    spark *made;
    size_t live = 0, i;
    mp_run run = MP_RUN;
    mp_walk walk = MP_WALK;
    options.name = "sparks";
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    all = sparks_of(pool);
    CHECK(all.pool == pool && small_sparks_of(pool).pool == MP_NULL_);
    none.bits = 0;
    CHECK(!sparks_contains(&all, none) && !sparks_remove(&all, none));
    made = sparks_insert(&all, &id);
    CHECK(made != MP_NULL_ && id.bits != 0 && sparks_get(&all, id) == made);
    made->frames_left = 3;
    CHECK(sparks_id_at(&all, 0).bits == id.bits && mp_pool_index_of(pool, made) == 0);
    CHECK(mp_pool_index_of(pool, &made->y) == SIZE_MAX);
    CHECK(sparks_remove(&all, id) && !sparks_remove(&all, id) && sparks_get(&all, id) == MP_NULL_);
    /* The slot's word as it is while the slot is dead: no handle has such bits. */
    other.bits = (id.bits + 1) | UINT64_C(0x80000000);
    CHECK(!sparks_contains(&all, other) && sparks_get(&all, other) == MP_NULL_ && !sparks_remove(&all, other));
    made = sparks_insert(&all, &other);
    CHECK(made != MP_NULL_ && other.bits == id.bits + 1);
    for (i = 1; i < 100; i++) {
        CHECK(sparks_insert(&all, &id) != MP_NULL_);
    }
    CHECK(sparks_insert(&all, &id) == MP_NULL_ && id.bits == 0);
    CHECK(sparks_live(&all) == 100 && mp_pool_stats(pool).refused == 1);
    for (i = 0; i < 100; i += 3) {
        CHECK(sparks_remove(&all, sparks_id_at(&all, i)));
    }
    mp_pool_refresh(pool);
    while ((made = sparks_next_run(&all, &run)) != MP_NULL_) {
        CHECK(made == sparks_get(&all, sparks_id_at(&all, run.first)));
        for (i = run.first; i < run.first + run.count; i++) {
            CHECK(i % 3 != 0);
        }
        live += run.count;
    }
    CHECK(live == sparks_live(&all) && live == 66);
    /* What a walk has met may be removed meanwhile. */
    while ((made = sparks_next(&all, &walk)) != MP_NULL_) {
        CHECK(walk.index % 3 != 0 && made == sparks_get(&all, sparks_id_at(&all, walk.index)));
        CHECK(walk.index % 2 == 0 || sparks_remove(&all, sparks_id_at(&all, walk.index)));
        live--;
    }
    CHECK(live == 0 && sparks_live(&all) == 33 && sparks_next(&all, &walk) == MP_NULL_);
    CHECK(mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
    mp_pool_clear(pool);
    CHECK(sparks_live(&all) == 0 && mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
    mp_pool_destroy(pool);
    mp_pool_destroy(MP_NULL_);
}

/* Walks over several words of the bitmap, up to date or old. */
static void long_walks(void) {
    mp_options options = MP_OPTIONS(spark, 1000);
    mp_pool *pool = MP_NULL_;
    sparks all;
    sparks_id id;
    size_t i, round;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    all = sparks_of(pool);
    for (i = 0; i < 1000; i++) {
        CHECK(sparks_insert(&all, &id) != MP_NULL_);
    }
    for (round = 0; round < 4; round++) {
        mp_run run = MP_RUN;
        mp_walk walk = MP_WALK;
        size_t expected = 0;
        if (round % 2 == 1) {
            mp_pool_refresh(pool);
        }
        if (round < 2) {
            CHECK(sparks_next_run(&all, &run) == mp_values(pool) && run.first == 0 && run.count == 1000);
        } else {
            /* Slots 100, 640 and 999 are gone. */
            CHECK(sparks_next_run(&all, &run) != MP_NULL_ && run.first == 0 && run.count == 100);
            CHECK(sparks_next_run(&all, &run) != MP_NULL_ && run.first == 101 && run.count == 539);
            CHECK(sparks_next_run(&all, &run) != MP_NULL_ && run.first == 641 && run.count == 358);
        }
        CHECK(sparks_next_run(&all, &run) == MP_NULL_);
        while (sparks_next(&all, &walk) != MP_NULL_) {
            expected += round >= 2 && (expected == 100 || expected == 640);
            CHECK(walk.index == expected);
            expected++;
        }
        CHECK(expected == (round < 2 ? 1000 : 999));
        if (round == 1) {
            CHECK(sparks_remove(&all, sparks_id_at(&all, 100)) && sparks_remove(&all, sparks_id_at(&all, 640)));
            CHECK(sparks_remove(&all, sparks_id_at(&all, 999)));
        }
    }
    mp_pool_destroy(pool);
}

/* Every order with every handle layout: as many as there are slots, and a removal in between. */
static void orders_and_layouts(void) {
    static const uint32_t bits[4] = {0, 16, 20, 24};
    uint32_t order, layout;
    for (order = MP_LIFO; order <= MP_INTRUSIVE; order++) {
        for (layout = 0; layout < 4; layout++) {
            mp_options options = MP_OPTIONS(spark, 70);
            mp_pool *pool = MP_NULL_;
            mp_handle handles[70];
            unsigned i;
            options.order = order;
            options.index_bits = bits[layout];
            CHECK(mp_pool_create(&options, &pool) == MP_OK);
            for (i = 0; i < 70; i++) {
                CHECK(mp_insert(pool, &handles[i]) != MP_NULL_);
                CHECK(mp_pool_check(pool, handles[i]) == MP_OK);
            }
            CHECK(mp_remove(pool, handles[9]) && mp_remove(pool, handles[4]));
            CHECK(mp_pool_check(pool, handles[4]) == MP_STALE && !mp_remove(pool, handles[4]));
            CHECK(mp_pool_next_handle(pool).bits != 0);
            CHECK(mp_insert(pool, &handles[0]) != MP_NULL_);
            {
                static const unsigned next[6] = {4, 9, 4, 4, 9, 4};
                mp_handle at = mp_pool_handle_at(pool, next[order]);
                CHECK(at.bits == handles[0].bits);
            }
            CHECK(mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
            mp_pool_destroy(pool);
        }
    }
}

static mp_handle handle_of(uint32_t index, uint32_t generation) {
    mp_handle handle;
    handle.bits = MP_CAST_(uint64_t, index) << 32 | generation;
    return handle;
}

static void small_handles(void) {
    mp_options options = MP_OPTIONS(spark, 10);
    mp_pool *pool = MP_NULL_;
    small_sparks all;
    small_sparks_id id, bad;
    uint64_t bits;
    options.index_bits = 20;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    all = small_sparks_of(pool);
    CHECK(all.pool == pool && small_sparks_fits(pool) == MP_OK && sparks_of(pool).pool == MP_NULL_);
    CHECK(sparks_fits(pool) == MP_OTHER_HANDLES && sparks_fits(MP_NULL_) == MP_NULL_POINTER);
    CHECK(mp_pool_fits(pool, sizeof(spark) + 4, 4, 20) == MP_OTHER_VALUES);
    CHECK(small_sparks_insert(&all, &id) != MP_NULL_ && sizeof id == 4);
    CHECK(small_sparks_get(&all, id) != MP_NULL_ && small_sparks_contains(&all, id));
    CHECK(small_sparks_id_at(&all, 0).bits == id.bits && id.bits == 1);
    CHECK(mp_pool_check(pool, small_sparks_handle(id)) == MP_OK);
    CHECK(small_sparks_id_of(mp_pool_handle_at(pool, 0)).bits == id.bits);
    CHECK(small_sparks_insert(&all, &bad) != MP_NULL_ && bad.bits == (1u << 12 | 1));
    CHECK(small_sparks_remove(&all, bad) && small_sparks_live(&all) == 1);
    /* A generation that twelve bits do not hold. */
    CHECK(mp_pool_insert_at(pool, handle_of(2, 4096), MP_NULL_) == MP_BEYOND_LIFETIMES);
    CHECK(mp_pool_check(pool, handle_of(2, 4096)) == MP_NEVER_ISSUED);
    /* No other bits are a handle. */
    for (bits = 0; bits < UINT64_C(0x100000000); bits += 0x7f) {
        bad.bits = MP_CAST_(uint32_t, bits);
        CHECK(bad.bits == id.bits || small_sparks_get(&all, bad) == MP_NULL_);
    }
    CHECK(small_sparks_remove(&all, id) && small_sparks_get(&all, id) == MP_NULL_);
    for (bits = 0; bits < UINT64_C(0x100000000); bits += 0x7f) {
        bad.bits = MP_CAST_(uint32_t, bits);
        CHECK(!small_sparks_contains(&all, bad));
    }
    mp_pool_destroy(pool);
}

static int64_t by_frames(const void *value, mp_handle handle, void *user) {
    ++*MP_CAST_(int *, user);
    (void)handle;
    return MP_CAST_(const spark *, value)->frames_left;
}

static void eviction(void) {
    mp_options options = MP_OPTIONS(spark, 3);
    mp_pool *pool = MP_NULL_;
    mp_handle id, gone;
    mp_snapshot *ageless = MP_NULL_;
    spark old;
    int i, asked = 0;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    for (i = 0; i < 3; i++) {
        MP_CAST_(spark *, mp_insert(pool, &id))->frames_left = 10 - i;
    }
    CHECK(mp_pool_insert_or_evict(pool, by_frames, &asked, &id, &gone, &old) != MP_NULL_);
    CHECK(asked == 3 && old.frames_left == 8 && (gone.bits >> 32) == 2 && mp_get(pool, gone) == MP_NULL_);
    CHECK(mp_get(pool, id) != MP_NULL_ && mp_pool_stats(pool).evicted == 1);
    CHECK(mp_pool_insert_or_evict(pool, MP_NULL_, MP_NULL_, &id, &gone, MP_NULL_) == MP_NULL_ && id.bits == 0);
    CHECK(mp_pool_note_use(pool, id) == MP_NOT_KEPT);
    mp_pool_destroy(pool);

    options.full = MP_EVICT_OLDEST;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    for (i = 0; i < 5; i++) {
        MP_CAST_(spark *, mp_insert(pool, &id))->frames_left = i;
    }
    /* 0 and 1 are gone. 2 was used again, so that 3 goes next. */
    CHECK(mp_pool_note_use(pool, mp_pool_handle_at(pool, 2)) == MP_OK);
    CHECK(mp_pool_insert_or_evict(pool, MP_NULL_, MP_NULL_, &id, &gone, &old) != MP_NULL_);
    CHECK(old.frames_left == 3 && mp_pool_stats(pool).evicted == 3 && mp_live(pool) == 3);
    CHECK(mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);

    /* What came with a snapshot that has no ages goes as well, the lowest first. */
    options.full = MP_REFUSE;
    CHECK(mp_snapshot_create(&options, &ageless) == MP_OK && mp_pool_save(pool, ageless) == MP_OK);
    for (i = 0; i < 3; i++) {
        CHECK(mp_insert(pool, &id) != MP_NULL_);
    }
    CHECK(mp_pool_restore(pool, ageless) == MP_OK);
    for (i = 0; i < 7; i++) {
        CHECK(mp_insert(pool, &id) != MP_NULL_ && mp_live(pool) == 3);
    }
    CHECK(mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
    mp_snapshot_destroy(ageless);
    mp_pool_destroy(pool);
}

static void states_of_handles_alone(void) {
    mp_options options = MP_OPTIONS(spark, 9);
    mp_pool *pool = MP_NULL_;
    mp_handle id;
    unsigned char state[512];
    size_t bytes;
    options.value_bytes = options.value_align = 0;
    CHECK(mp_pool_create(&options, &pool) == MP_OK && mp_acquire(pool, &id) && mp_acquire(pool, &id));
    memset(state, 0, sizeof state);
    bytes = mp_pool_state_bytes(pool);
    CHECK(bytes < sizeof state && mp_pool_write_state(pool, state, bytes) == MP_OK);
    CHECK(mp_release(pool, id));
    /* Bytes that are nobody's. */
    CHECK(mp_pool_read_state(pool, state, bytes + 5) == MP_BAD_STATE && mp_live(pool) == 1);
    CHECK(mp_pool_read_state(pool, state, bytes) == MP_OK && mp_live(pool) == 2 && mp_contains(pool, id));
    mp_pool_destroy(pool);
}

static void refusals(void) {
    mp_options options = MP_OPTIONS(spark, 4);
    mp_pool *pool = MP_NULL_, *other = MP_NULL_;
    mp_handle id, far, from_other;
    char text[64];
    void *value = MP_NULL_;
    options.name = "a";
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    options.name = "b";
    CHECK(mp_pool_create(&options, &other) == MP_OK);
    CHECK(mp_insert(pool, &id) != MP_NULL_ && mp_insert(other, &from_other) != MP_NULL_);
    CHECK(mp_get(pool, from_other) == MP_NULL_ && mp_pool_check(pool, from_other) == MP_OTHER_POOL);
    far.bits = UINT64_C(77) << 32 | 1;
    CHECK(mp_pool_check(pool, far) == MP_OUT_OF_RANGE);
    CHECK(mp_pool_explain(pool, far, text, sizeof text) == strlen(text) && strstr(text, "out of range") == text);
    CHECK(mp_pool_explain(pool, far, text, 4) > 4 && strcmp(text, "out") == 0);
    CHECK(mp_pool_insert_at(pool, id, &value) == MP_OCCUPIED && value == MP_NULL_);
    CHECK(mp_remove(pool, id) && mp_pool_insert_at(pool, id, &value) == MP_STALE);
    id.bits += 5;
    CHECK(mp_pool_insert_at(pool, id, &value) == MP_OK && value == mp_get(pool, id));
    CHECK(strcmp(mp_status_text(MP_OK), "all is well") == 0 && mp_status_text(-9) != MP_NULL_);
    CHECK(mp_pool_check(MP_NULL_, id) == MP_NULL_POINTER && mp_last_words[0] == 0);
    mp_pool_destroy(pool);
    mp_pool_destroy(other);
}

typedef struct counted {
    size_t taken, given, calls, left;
} counted;

static void *count_take(size_t bytes, size_t align, void *user) {
    counted *all = MP_CAST_(counted *, user);
    if (all->left == 0) {
        return MP_NULL_;
    }
    all->left--;
    all->taken += bytes;
    all->calls++;
    return aligned_alloc(align, bytes);
}
static void count_give(void *block, size_t bytes, size_t align, void *user) {
    MP_CAST_(counted *, user)->given += bytes;
    (void)align;
    free(block);
}

static void memory(void) {
    mp_options options = MP_OPTIONS(spark, 1000);
    counted all = {0, 0, 0, 2};
    mp_pool *pool = MP_NULL_;
    mp_snapshot *snapshot = MP_NULL_;
    mp_handle id;
    size_t needed, i;
    unsigned char *buffer;
    options.take = count_take;
    options.give = count_give;
    options.user = &all;
    CHECK(mp_pool_create(&options, &pool) == MP_OK && all.calls == 1);
    CHECK(mp_snapshot_create(&options, &snapshot) == MP_OK && all.calls == 2);
    for (i = 0; i < 5000; i++) {
        CHECK(mp_insert(pool, &id) != MP_NULL_ && (i % 1000 == 999 ? (mp_pool_clear(pool), true) : true));
        CHECK(mp_pool_save(pool, snapshot) == MP_OK && mp_pool_restore(pool, snapshot) == MP_OK);
    }
    CHECK(all.calls == 2 && all.given == 0);
    mp_pool_destroy(pool);
    mp_snapshot_destroy(snapshot);
    CHECK(all.given == all.taken);
    CHECK(mp_pool_create(&options, &pool) == MP_OUT_OF_MEMORY && pool == MP_NULL_);

    options = MP_OPTIONS(spark, 1000);
    needed = mp_pool_bytes(&options);
    buffer = MP_CAST_(unsigned char *, malloc(needed + 1));
    CHECK(buffer != MP_NULL_ && needed > 16000 && needed < 25000);
    options.memory = buffer + 1;
    options.memory_bytes = needed;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    CHECK(MP_CAST_(unsigned char *, MP_CAST_(void *, pool)) >= buffer);
    CHECK(mp_insert(pool, &id) != MP_NULL_ && mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
    mp_pool_destroy(pool);
    options.memory_bytes = needed - 200;
    CHECK(mp_pool_create(&options, &pool) == MP_SMALL_MEMORY);
    free(buffer);
}

static void add_spark(const void *value, mp_sum *sum, void *user) {
    const spark *one = MP_CAST_(const spark *, value);
    (void)user;
    mp_sum_f32(sum, one->x);
    mp_sum_u64(sum, MP_CAST_(uint64_t, one->frames_left));
}

static void the_past(void) {
    uint32_t order;
    for (order = MP_LIFO; order <= MP_INTRUSIVE; order++) {
        mp_options options = MP_OPTIONS(spark, 300);
        mp_pool *pool = MP_NULL_, *other = MP_NULL_;
        mp_snapshot *past = MP_NULL_;
        mp_handle id, first, after;
        uint64_t sum;
        size_t bytes, i;
        unsigned char *state;
        options.order = order;
        CHECK(mp_pool_create(&options, &pool) == MP_OK && mp_pool_create(&options, &other) == MP_OK);
        CHECK(mp_snapshot_create(&options, &past) == MP_OK && mp_pool_restore(pool, past) == MP_BAD_STATE);
        for (i = 0; i < 200; i++) {
            spark *made = MP_CAST_(spark *, mp_insert(pool, &id));
            memset(made, 0, sizeof *made);
            made->x = 0.5f;
            made->frames_left = MP_CAST_(int, i);
            if (i % 7 == 3) {
                CHECK(mp_remove(pool, id));
            }
        }
        first = mp_pool_handle_at(pool, 2);
        sum = mp_pool_checksum(pool, add_spark, MP_NULL_);
        CHECK(mp_pool_save(pool, past) == MP_OK);
        bytes = mp_pool_state_bytes(pool);
        state = MP_CAST_(unsigned char *, malloc(bytes));
        CHECK(state != MP_NULL_ && mp_pool_write_state(pool, state, bytes - 1) == MP_SMALL_MEMORY);
        CHECK(mp_pool_write_state(pool, state, bytes) == MP_OK);
        after = mp_pool_next_handle(pool);
        CHECK(mp_remove(pool, first));
        memset(mp_insert(pool, &id), 0, sizeof(spark));
        CHECK(mp_pool_checksum(pool, add_spark, MP_NULL_) != sum);
        CHECK(mp_pool_restore(pool, past) == MP_OK && mp_pool_checksum(pool, add_spark, MP_NULL_) == sum);
        CHECK(mp_get(pool, first) != MP_NULL_ && mp_pool_next_handle(pool).bits == after.bits);
        CHECK(mp_pool_read_state(other, state, bytes) == MP_OK);
        CHECK(mp_pool_checksum(other, add_spark, MP_NULL_) == sum);
        CHECK(mp_pool_next_handle(other).bits == after.bits);
        CHECK(mp_pool_validate(other, MP_NULL_, 0) == MP_OK);
        /* Whatever a byte becomes: it is refused, or a sound state. Fields of values may differ. */
        for (i = 0; i < bytes; i += 1 + i / 64) {
            unsigned char was = state[i];
            mp_status status;
            state[i] = MP_CAST_(unsigned char, was ^ (1u << (i % 8)));
            status = mp_pool_read_state(other, state, bytes);
            CHECK(status == MP_OK || status == MP_BAD_STATE || status == MP_OTHER_SHAPE);
            CHECK(mp_pool_validate(other, MP_NULL_, 0) == MP_OK);
            CHECK(mp_insert(other, &id) != MP_NULL_ || mp_live(other) == 300);
            state[i] = was;
        }
        for (i = 0; i < bytes; i += 1 + i / 16) {
            CHECK(mp_pool_read_state(other, state, i) == MP_BAD_STATE);
        }
        free(state);
        mp_pool_destroy(other);
        options.salt = 9;
        CHECK(mp_pool_create(&options, &other) == MP_OK && mp_pool_restore(other, past) == MP_OTHER_SHAPE);
        mp_pool_destroy(other);
        mp_snapshot_destroy(past);
        mp_pool_destroy(pool);
    }
}

static void hostile_options(void) {
    mp_options good = MP_OPTIONS(spark, 10), bad;
    mp_pool *pool = MP_NULL_;
    struct {
        mp_options options;
        uint32_t later[4];
    } large;
    char name[200];
    CHECK(mp_pool_create(MP_NULL_, &pool) == MP_NULL_POINTER && mp_pool_create(&good, MP_NULL_) == MP_NULL_POINTER);
    CHECK(mp_pool_create_(&good, &pool, MP_LAYOUT_ + 1, sizeof(mp_pool)) == MP_OTHER_VERSION);
    CHECK(mp_pool_create_(&good, &pool, MP_LAYOUT_, sizeof(mp_pool) - 8) == MP_OTHER_VERSION);
#define REFUSED(change, status)                                                                    \
    bad = good;                                                                                    \
    change;                                                                                        \
    CHECK(mp_pool_create(&bad, &pool) == (status) && pool == MP_NULL_ && mp_pool_bytes(&bad) == 0)
    REFUSED(bad.size = 0, MP_BAD_OPTIONS);
    REFUSED(bad.size = 8, MP_BAD_OPTIONS);
    REFUSED(bad.size = 100000, MP_BAD_OPTIONS);
    REFUSED(bad.value_align = 3, MP_BAD_OPTIONS);
    REFUSED(bad.value_align = 32, MP_BAD_OPTIONS);
    REFUSED(bad.order = 6, MP_BAD_OPTIONS);
    REFUSED(bad.index_bits = 17, MP_BAD_OPTIONS);
    REFUSED(bad.full = 2, MP_BAD_OPTIONS);
    REFUSED(bad.flags = 8, MP_BAD_OPTIONS);
    REFUSED(bad.reserved = 1, MP_BAD_OPTIONS);
    REFUSED(bad.take = count_take, MP_BAD_OPTIONS);
    REFUSED(bad.memory_bytes = 1, MP_BAD_OPTIONS);
    REFUSED(bad.name = "\xff", MP_BAD_OPTIONS);
    REFUSED((bad.index_bits = 16, bad.slots = 70000), MP_TOO_MANY_SLOTS);
    REFUSED((bad.slots = UINT32_MAX - 1, bad.value_bytes = 1u << 31, bad.value_align = 1u << 30), MP_OUT_OF_MEMORY);
    memset(name, 'x', sizeof name);
    name[199] = 0;
    REFUSED(bad.name = name, MP_BAD_OPTIONS);
    memset(&large, 0, sizeof large);
    large.options = good;
    large.options.size = sizeof large;
    CHECK(mp_pool_create(&large.options, &pool) == MP_OK);
    mp_pool_destroy(pool);
    large.later[3] = 1;
    CHECK(mp_pool_create(&large.options, &pool) == MP_UNKNOWN_OPTIONS);
    /* A smaller struct, of an earlier version. */
    good.size = MP_CAST_(uint32_t, offsetof(mp_options, salt));
    CHECK(mp_pool_create(&good, &pool) == MP_OK);
    mp_pool_destroy(pool);
    good = MP_OPTIONS(spark, 0);
    CHECK(mp_pool_create(&good, &pool) == MP_OK);
    {
        mp_handle id;
        mp_run run = MP_RUN;
        CHECK(mp_insert(pool, &id) == MP_NULL_ && !mp_next_run(pool, &run));
    }
    mp_pool_destroy(pool);
}

static void flags(void) {
    mp_options options = MP_OPTIONS(spark, 2);
    mp_pool *pool = MP_NULL_;
    mp_handle id;
    unsigned char *value;
    static const unsigned char magic[4] = {0x0b, 0xdb, 0xea, 0x1d};
    int i;
    options.flags = MP_FILLED;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    value = MP_CAST_(unsigned char *, mp_insert(pool, &id));
    CHECK(memcmp(value, magic, 4) == 0 && memcmp(value + 12, magic, 4) == 0);
    memset(value, 7, sizeof(spark));
    CHECK(mp_remove(pool, id));
    value = MP_CAST_(unsigned char *, mp_insert(pool, &id));
    CHECK(memcmp(value, magic, 4) == 0 && memcmp(value + 12, magic, 4) == 0);
    mp_pool_destroy(pool);
    options.flags = MP_ZEROED;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    for (i = 0; i < 2; i++) {
        value = MP_CAST_(unsigned char *, mp_insert(pool, &id));
        CHECK(value[0] == 0 && memcmp(value, value + 1, sizeof(spark) - 1) == 0);
        memset(value, 7, sizeof(spark));
        CHECK(mp_remove(pool, id));
    }
    mp_pool_destroy(pool);
    options.flags = MP_WRAP;
    options.index_bits = 24;
    options.lifetimes = 2;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    for (i = 0; i < 9; i++) {
        CHECK(mp_insert(pool, &id) != MP_NULL_ && (id.bits & 0xff) == 1 + MP_CAST_(unsigned, i % 2) && mp_remove(pool, id));
    }
    mp_pool_destroy(pool);
    options.flags = 0;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    for (i = 0; i < 4; i++) {
        CHECK(mp_insert(pool, &id) != MP_NULL_ && mp_remove(pool, id));
    }
    CHECK(mp_insert(pool, &id) == MP_NULL_ && mp_pool_stats(pool).retired == 2);
    CHECK(mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
    mp_pool_destroy(pool);
    /* Slots that retire bring fresh ones forward, without a new peak. */
    options.index_bits = 0;
    options.lifetimes = 1;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    for (i = 0; i < 2; i++) {
        CHECK(mp_insert(pool, &id) != MP_NULL_ && mp_remove(pool, id));
    }
    CHECK(mp_pool_stats(pool).peak == 1 && mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
    mp_pool_destroy(pool);
}

static void visit(void *value, mp_handle handle, void *user) {
    *MP_CAST_(uint64_t *, user) += MP_CAST_(uint64_t, *MP_CAST_(int *, value)) + (handle.bits >> 32);
}

static void tables(void) {
    mp_options options = MP_OPTIONS(spark, 8);
    mp_pool *pool = MP_NULL_;
    mp_table *cargo = MP_NULL_, *none = MP_NULL_;
    mp_handle a, b, wild;
    bool is_new = false;
    int *value;
    uint64_t sum = 0;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    CHECK(mp_table_create(8, sizeof(int), sizeof(int), 0, &cargo) == MP_OK);
    CHECK(mp_insert(pool, &a) != MP_NULL_ && mp_table_get(cargo, a) == MP_NULL_);
    value = MP_CAST_(int *, mp_table_put(cargo, a, &is_new));
    CHECK(value != MP_NULL_ && is_new);
    *value = 40;
    CHECK(mp_table_put(cargo, a, &is_new) == value && !is_new && mp_table_count(cargo) == 1);
    CHECK(mp_remove(pool, a) && mp_insert(pool, &b) != MP_NULL_ && mp_table_get(cargo, b) == MP_NULL_);
    CHECK(mp_table_put(cargo, b, &is_new) == value && is_new && mp_table_put(cargo, a, &is_new) == MP_NULL_);
    wild.bits = UINT64_C(8) << 32 | 1;
    CHECK(mp_table_put(cargo, wild, MP_NULL_) == MP_NULL_);
    CHECK(mp_insert(pool, &a) != MP_NULL_);
    *MP_CAST_(int *, mp_table_put(cargo, a, MP_NULL_)) = 2;
    mp_table_each(cargo, visit, &sum);
    CHECK(sum == 40 + 2 + 1);
    CHECK(mp_table_remove(cargo, a) && !mp_table_remove(cargo, a));
    mp_table_clear(cargo);
    CHECK(mp_table_count(cargo) == 0);
    CHECK(mp_table_create(8, 4, 3, 0, &none) == MP_BAD_OPTIONS && none == MP_NULL_);
    mp_table_destroy(cargo);
    mp_pool_destroy(pool);
    /* Generations of eight bits go on at 1 after 255: what comes half a cycle later is the past. */
    CHECK(mp_table_create(70000, 4, 4, 16, &none) == MP_TOO_MANY_SLOTS && none == MP_NULL_);
    CHECK(mp_table_create(4, sizeof(int), sizeof(int), 24, &cargo) == MP_OK);
    CHECK(mp_table_put(cargo, handle_of(3, 256), MP_NULL_) == MP_NULL_);
    CHECK(mp_table_put(cargo, handle_of(3, 200), MP_NULL_) != MP_NULL_);
    CHECK(mp_table_put(cargo, handle_of(3, 199), MP_NULL_) == MP_NULL_);
    CHECK(mp_table_put(cargo, handle_of(3, 73), MP_NULL_) == MP_NULL_);
    CHECK(mp_table_put(cargo, handle_of(3, 72), MP_NULL_) != MP_NULL_);
    CHECK(mp_table_get(cargo, handle_of(3, 72)) != MP_NULL_ && mp_table_get(cargo, handle_of(3, 200)) == MP_NULL_);
    *MP_CAST_(int *, mp_table_get(cargo, handle_of(3, 72))) = 1;
    sum = 0;
    mp_table_each(cargo, visit, &sum);
    CHECK(sum == 1 + 3);
    CHECK(mp_table_remove(cargo, handle_of(3, 72)) && mp_table_count(cargo) == 0);
    mp_table_destroy(cargo);
}

static void classes(void) {
    static const mp_class some[2] = {{32, 100}, {64, 10}};
    mp_classes *all = MP_NULL_;
    unsigned char *held[40] = {MP_NULL_};
    size_t i;
    void *small, *large, *huge;
    CHECK(mp_classes_create(some, 2, MP_CLASSES_REFUSE, &all) == MP_OK);
    small = mp_classes_take(all, 24, 8);
    large = mp_classes_take(all, 40, 8);
    CHECK(small != MP_NULL_ && large != MP_NULL_ && mp_classes_take(all, 100, 8) == MP_NULL_);
    CHECK(mp_classes_take(all, 8, 3) == MP_NULL_ && mp_classes_stats_of(all).refused == 1);
    mp_classes_give(all, small, 24, 8);
    CHECK(mp_classes_take(all, 32, 8) == small);
    mp_classes_destroy(all);
    CHECK(mp_classes_create(MP_NULL_, 0, MP_CLASSES_GROW, &all) == MP_OK);
    huge = mp_classes_take(all, 100000, 64);
    CHECK(huge != MP_NULL_ && mp_classes_stats_of(all).fallen_back == 1);
    memset(huge, 1, 100000);
    mp_classes_give(all, huge, 100000, 64);
    /* Some of what is given back is kept for the next requests of its class, whatever their size and alignment. */
    for (i = 0; i < 2000; i++) {
        size_t at = (i * 7919) % 40, bytes = 17 + at % 8;
        if (held[at] != MP_NULL_) {
            CHECK(held[at][0] == at && held[at][bytes - 1] == at);
            mp_classes_give(all, held[at], bytes, 1);
        }
        held[at] = MP_CAST_(unsigned char *, mp_classes_take(all, bytes, 1));
        CHECK(held[at] != MP_NULL_);
        memset(held[at], MP_CAST_(int, at), bytes);
    }
    for (i = 0; i < 40; i++) {
        CHECK(held[i][0] == i && held[i][17 + i % 8 - 1] == i);
        mp_classes_give(all, held[i], 17 + i % 8, 1);
    }
    CHECK(mp_classes_take(all, 24, 8) == held[4]);
    mp_classes_give(all, held[4], 24, 8);
    CHECK(mp_classes_stats_of(all).blocks > 0 && mp_classes_shrink(all) > 0 && mp_classes_stats_of(all).blocks == 0);
    CHECK(mp_classes_take(all, 24, 8) != MP_NULL_);
    mp_classes_destroy(all);
    CHECK(mp_classes_create(some, 0, MP_CLASSES_REFUSE, &all) == MP_BAD_OPTIONS && all == MP_NULL_);
}

typedef struct tape {
    char text[4096];
    size_t length;
} tape;
static bool append(const char *text, size_t bytes, void *user) {
    tape *all = MP_CAST_(tape *, user);
    if (all->length + bytes >= sizeof all->text) {
        return false;
    }
    memcpy(all->text + all->length, text, bytes);
    all->length += bytes;
    return true;
}

static void recorders(void) {
    mp_options options = MP_OPTIONS(spark, 8);
    static tape all;
    mp_pool *pool = MP_NULL_, *other = MP_NULL_;
    mp_recorder *recorder = MP_NULL_;
    mp_handle a, b;
    options.name = "sparks";
    CHECK(mp_pool_create(&options, &pool) == MP_OK && mp_pool_create(&options, &other) == MP_OK);
    CHECK(mp_insert(pool, &a) != MP_NULL_);
    CHECK(mp_recorder_create(append, &all, &recorder) == MP_OK);
    CHECK(mp_pool_record(pool, recorder) == MP_OK && mp_pool_record(other, recorder) == MP_OK);
    CHECK(mp_insert(pool, &b) != MP_NULL_);
    mp_recorder_tick(recorder, 16);
    CHECK(mp_remove(pool, a) && mp_insert(other, &a) != MP_NULL_);
    mp_pool_destroy(other);
    CHECK(mp_recorder_destroy(recorder) == MP_OK);
    CHECK(mp_remove(pool, b));
    mp_pool_destroy(pool);
    CHECK(strcmp(all.text,
                 "tick,event,id,class,capacity,live,peak,retired,inserted,removed,refused,evicted,dropped,ms\n"
                 "0,alloc,0,sparks,0\n0,alloc,1,sparks,1\n"
                 "1,stats,0,sparks,8,2,2,0,2,0,0,0,0,16\n1,stats,1,sparks-2,8,0,0,0,0,0,0,0,0,16\n"
                 "1,free,0,sparks,0\n1,alloc,2,sparks-2,0\n1,free,2,sparks-2,0\n"
                 "1,stats,0,sparks,8,1,2,0,2,1,0,0,0,16\n1,end,5,recorder\n") == 0);
}

static void handle_allocators(void) {
    mp_options options = mp_options_(5, 0, 1);
    mp_pool *pool = MP_NULL_;
    mp_handle handle;
    int i;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    for (i = 0; i < 5; i++) {
        CHECK(mp_acquire(pool, &handle) && (handle.bits >> 32) == MP_CAST_(uint64_t, i));
    }
    CHECK(!mp_acquire(pool, &handle) && mp_release(pool, mp_pool_handle_at(pool, 3)) && mp_acquire(pool, &handle));
    mp_pool_destroy(pool);
}

int main(void) {
    pools();
    long_walks();
    orders_and_layouts();
    small_handles();
    eviction();
    refusals();
    memory();
    the_past();
    hostile_options();
    states_of_handles_alone();
    flags();
    tables();
    classes();
    recorders();
    handle_allocators();
    puts("all is well");
    return 0;
}
