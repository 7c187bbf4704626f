/* Pools: insertion, removal, every order and every length of handles, flags. */
#include "sparks.h"

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

/* What an insertion takes is tested by its word: a fresh slot, and an entry of the stack, that have a value are passed over,
 * whatever the order says. The members are the header's own; only here does anybody else write them. */
static void a_slot_that_has_a_value_is_not_issued_again(void) {
    mp_options options = MP_OPTIONS(spark, 8);
    mp_pool *pool = MP_NULL_;
    mp_handle handles[3], next;
    uint32_t *words;
    unsigned i;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    if (pool->slow_ != 0) {
        /* Under a sanitizer the library inserts, which has tests of its own. */
        mp_pool_destroy(pool);
        return;
    }
    for (i = 0; i < 3; i++) {
        CHECK(mp_insert(pool, &handles[i]) == mp_get(pool, handles[i]));
    }
    /* Slot 1 is live, and the order says that it was never used. */
    pool->fresh_from_ = 1;
    CHECK(mp_insert(pool, &next) != MP_NULL_ && next.bits >> 32 == 3);
    /* Slot 2 is live, and on top of the stack. */
    words = MP_CAST_(uint32_t *, pool->words_);
    words[--pool->stack_top_] = 2;
    CHECK(mp_insert(pool, &next) != MP_NULL_ && next.bits >> 32 == 4);
    for (i = 0; i < 3; i++) {
        CHECK(mp_contains(pool, handles[i]) && mp_pool_handle_at(pool, i).bits == handles[i].bits);
    }
    CHECK(mp_live(pool) == 5 && mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
    mp_pool_destroy(pool);
}

/* Every order with every handle layout: as many as there are slots, and a removal in between. */
static void orders_and_layouts(void) {
    static const uint32_t bits[4] = {0, 16, 20, 24};
    uint32_t order, layout;
    for (order = MP_LIFO; order <= MP_ROSTER; order++) {
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
                static const unsigned next[5] = {4, 9, 4, 4, 9};
                mp_handle at = mp_pool_handle_at(pool, next[order]);
                CHECK(at.bits == handles[0].bits);
            }
            CHECK(mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
            mp_pool_destroy(pool);
        }
    }
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
    /* A slot that was never used. */
    CHECK(small_sparks_id_at(&all, 1).bits == 0);
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
