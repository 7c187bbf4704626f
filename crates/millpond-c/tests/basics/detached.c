/* Objects that are out of their pool for a while: nobody takes their slots, and nothing finds them there. */
#include "sparks.h"

MP_PACKED(packed_away, spark)

static void objects_leave_and_come_back(void) {
    uint32_t kind;
    for (kind = 0; kind < 8; kind++) {
        mp_options options = MP_OPTIONS(spark, 3);
        mp_pool *pool = MP_NULL_;
        sparks all;
        sparks_id ids[3], none = {0}, other;
        spark gone = {0, 0, 0, 0}, *back;
        mp_walk walk = MP_WALK;
        size_t at;
        options.order = kind % 4;
        options.slots_max = kind / 4 * 3;
        CHECK(mp_pool_create(&options, &pool) == MP_OK);
        all = sparks_of(pool);
        for (at = 0; at < 3; at++) {
            sparks_insert(&all, &ids[at])->frames_left = MP_CAST_(int, at);
        }
        CHECK(sparks_detach(&all, ids[1], &gone) && gone.frames_left == 1);
        CHECK(sparks_live(&all) == 2 && !sparks_contains(&all, ids[1]) && sparks_get(&all, ids[1]) == MP_NULL_);
        CHECK(mp_pool_check(pool, sparks_handle(ids[1])) == MP_STALE && mp_pool_stats(pool).retired == 1);
        /* Twice, never, and what is no handle. */
        CHECK(!sparks_detach(&all, ids[1], &gone) && mp_pool_detach(pool, sparks_handle(ids[1]), MP_NULL_) == MP_STALE);
        CHECK(!sparks_detach(&all, none, MP_NULL_) && sparks_reattach(&all, none) == MP_NULL_ && !sparks_free_detached(&all, none));
        CHECK(mp_pool_detach(pool, handle_of(9, 1), MP_NULL_) == MP_OUT_OF_RANGE);
        CHECK(mp_pool_reattach(pool, handle_of(9, 1), MP_NULL_) == MP_OUT_OF_RANGE);
        CHECK(mp_pool_reattach(pool, handle_of(1, 0), MP_NULL_) == MP_NEVER_ISSUED);
        CHECK(mp_pool_reattach(pool, handle_of(1, 2), MP_NULL_) == MP_STALE);
        CHECK(mp_pool_reattach(pool, sparks_handle(ids[0]), MP_NULL_) == MP_OCCUPIED);
        CHECK(!sparks_remove(&all, ids[1]) && sparks_insert(&all, &other) == MP_NULL_);
        CHECK(mp_pool_insert_at(pool, sparks_handle(ids[1]), MP_NULL_) == MP_OCCUPIED);
        mp_pool_refresh(pool);
        for (at = 0; mp_next_live(pool, &walk); at++) {
            CHECK(walk.index != 1);
        }
        CHECK(at == 2 && mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
        /* What empties the pool leaves it alone. */
        mp_pool_clear(pool);
        CHECK(sparks_insert(&all, &ids[0]) != MP_NULL_ && sparks_insert(&all, &ids[2]) != MP_NULL_);
        CHECK(sparks_insert(&all, &other) == MP_NULL_);
        back = sparks_reattach(&all, ids[1]);
        CHECK(back != MP_NULL_ && back == sparks_get(&all, ids[1]) && sparks_reattach(&all, ids[1]) == MP_NULL_);
        *back = gone;
        CHECK(sparks_live(&all) == 3 && mp_pool_stats(pool).retired == 0 && mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
        /* One that does not come back: its handle is stale for ever. */
        CHECK(!sparks_free_detached(&all, ids[1]) && sparks_detach(&all, ids[1], MP_NULL_));
        CHECK(sparks_free_detached(&all, ids[1]) && !sparks_free_detached(&all, ids[1]));
        CHECK(sparks_reattach(&all, ids[1]) == MP_NULL_ && sparks_insert(&all, &other) != MP_NULL_);
        CHECK(sparks_index(other) == 1 && other.bits != ids[1].bits && !sparks_contains(&all, ids[1]));
        CHECK(mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
        mp_pool_destroy(pool);
    }
    CHECK(mp_pool_detach(MP_NULL_, handle_of(0, 1), MP_NULL_) == MP_NULL_POINTER);
    CHECK(mp_pool_reattach(MP_NULL_, handle_of(0, 1), MP_NULL_) == MP_NULL_POINTER);
    CHECK(!mp_pool_free_detached(MP_NULL_, handle_of(0, 1)));
}

/* A handle of another pool takes nothing out, and brings nothing back. */
static void another_pools_handle_takes_nothing_out(void) {
    mp_options options = MP_OPTIONS(spark, 4);
    mp_pool *pool = MP_NULL_, *other = MP_NULL_;
    mp_handle own, others;
    options.name = "sparks";
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    options.name = "embers";
    CHECK(mp_pool_create(&options, &other) == MP_OK);
    CHECK(mp_insert(pool, &own) != MP_NULL_ && mp_insert(other, &others) != MP_NULL_);
    CHECK(mp_pool_detach(pool, others, MP_NULL_) != MP_OK && mp_pool_detach(pool, own, MP_NULL_) == MP_OK);
    CHECK(mp_pool_reattach(pool, others, MP_NULL_) == MP_STALE && !mp_pool_free_detached(pool, others));
    CHECK(mp_pool_reattach(other, own, MP_NULL_) == MP_OCCUPIED && mp_contains(other, others));
    CHECK(mp_pool_reattach(pool, own, MP_NULL_) == MP_OK && mp_contains(pool, own));
    mp_pool_destroy(other);
    mp_pool_destroy(pool);
}

static void what_is_out_is_in_snapshots_and_in_no_file(void) {
    mp_options options = MP_OPTIONS(spark, 4);
    mp_pool *pool = MP_NULL_;
    mp_snapshot *before = MP_NULL_, *during = MP_NULL_;
    mp_handle id;
    unsigned char state[256];
    uint64_t sum;
    CHECK(mp_pool_create(&options, &pool) == MP_OK && mp_insert(pool, &id) != MP_NULL_);
    CHECK(mp_snapshot_create(&options, &before) == MP_OK && mp_snapshot_create(&options, &during) == MP_OK);
    CHECK(mp_pool_save(pool, before) == MP_OK && mp_pool_detach(pool, id, MP_NULL_) == MP_OK);
    CHECK(mp_pool_save(pool, during) == MP_OK);
    sum = mp_pool_checksum(pool, MP_NULL_, MP_NULL_);
    CHECK(mp_pool_state_bytes(pool) == 0 && mp_pool_write_state(pool, state, sizeof state) == MP_DETACHED);
    CHECK(mp_pool_restore(pool, before) == MP_OK && mp_contains(pool, id));
    CHECK(mp_pool_reattach(pool, id, MP_NULL_) == MP_OCCUPIED && mp_pool_checksum(pool, MP_NULL_, MP_NULL_) != sum);
    CHECK(mp_pool_state_bytes(pool) <= sizeof state && mp_pool_write_state(pool, state, sizeof state) == MP_OK);
    CHECK(mp_pool_restore(pool, during) == MP_OK && !mp_contains(pool, id));
    CHECK(mp_pool_checksum(pool, MP_NULL_, MP_NULL_) == sum && mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
    CHECK(mp_pool_reattach(pool, id, MP_NULL_) == MP_OK && mp_contains(pool, id));
    /* A state that is read has nothing out. */
    CHECK(mp_pool_detach(pool, id, MP_NULL_) == MP_OK);
    CHECK(mp_pool_read_state(pool, state, mp_pool_state_bytes(pool)) == MP_BAD_STATE);
    CHECK(mp_pool_restore(pool, before) == MP_OK && mp_pool_detach(pool, id, MP_NULL_) == MP_OK);
    mp_snapshot_destroy(during);
    mp_snapshot_destroy(before);
    mp_pool_destroy(pool);
}

/* Of the fields that a pool keeps beside: filled bytes, ages, and a recorder that sees nothing of it. */
static void what_comes_back_is_newest_and_not_recorded(void) {
    mp_options options = MP_OPTIONS(spark, 2);
    static tape all;
    mp_pool *pool = MP_NULL_;
    mp_recorder *recorder = MP_NULL_;
    mp_handle first, second, third, gone;
    void *place;
    options.full = MP_EVICT_OLDEST;
    options.flags = MP_FILLED;
    options.name = "sparks";
    CHECK(mp_pool_create(&options, &pool) == MP_OK && mp_recorder_create(append, &all, &recorder) == MP_OK);
    CHECK(mp_pool_record(pool, recorder) == MP_OK);
    memset(mp_insert(pool, &first), 1, sizeof(spark));
    memset(mp_insert(pool, &second), 2, sizeof(spark));
    CHECK(mp_pool_detach(pool, first, MP_NULL_) == MP_OK && mp_pool_reattach(pool, first, &place) == MP_OK);
    memset(place, 1, sizeof(spark));
    CHECK(mp_pool_insert_or_evict(pool, MP_NULL_, MP_NULL_, &third, &gone, MP_NULL_) != MP_NULL_);
    CHECK(gone.bits == second.bits && mp_contains(pool, first));
    CHECK(mp_pool_detach(pool, first, MP_NULL_) == MP_OK && mp_pool_free_detached(pool, first));
    CHECK(mp_recorder_destroy(recorder) == MP_OK);
    mp_pool_destroy(pool);
    CHECK(strstr(all.text, "\n0,alloc,0,sparks,0\n0,alloc,1,sparks,1\n0,free,1,sparks,1\n0,alloc,2,sparks,1\n0,free,0,sparks,0\n") !=
          MP_NULL_);
}

static void packed_objects_leave_and_come_back(void) {
    uint32_t order;
    for (order = MP_LIFO; order <= MP_ROSTER; order++) {
        mp_options options = MP_OPTIONS(spark, 4);
        mp_packed *pool = MP_NULL_;
        packed_away all;
        packed_away_id ids[4], other;
        spark gone = {0, 0, 0, 0}, *back;
        unsigned char state[512];
        size_t at;
        options.order = order;
        options.flags = order == MP_FIFO ? MP_FILLED : 0;
        CHECK(mp_packed_create(&options, &pool) == MP_OK);
        all = packed_away_of(pool);
        for (at = 0; at < 4; at++) {
            packed_away_insert(&all, &ids[at])->frames_left = MP_CAST_(int, at);
        }
        CHECK(packed_away_detach(&all, ids[1], &gone) && gone.frames_left == 1 && packed_away_count(&all) == 3);
        CHECK(!packed_away_detach(&all, ids[1], &gone) && !packed_away_remove(&all, ids[1]));
        CHECK(packed_away_values(&all)[1].frames_left == 3 && packed_away_get(&all, ids[3]) == packed_away_values(&all) + 1);
        CHECK(packed_away_insert(&all, &other) == MP_NULL_ && mp_packed_validate(pool, MP_NULL_, 0) == MP_OK);
        CHECK(mp_packed_state_bytes(pool) == 0 && mp_packed_write_state(pool, state, sizeof state) == MP_DETACHED);
        back = packed_away_reattach(&all, ids[1]);
        CHECK(back == packed_away_values(&all) + 3 && packed_away_reattach(&all, ids[1]) == MP_NULL_);
        *back = gone;
        CHECK(packed_away_get(&all, ids[1])->frames_left == 1 && mp_packed_validate(pool, MP_NULL_, 0) == MP_OK);
        /* The last one, which leaves no gap. */
        CHECK(packed_away_detach(&all, ids[1], MP_NULL_) && packed_away_free_detached(&all, ids[1]));
        CHECK(packed_away_count(&all) == 3 && packed_away_insert(&all, &other) != MP_NULL_ && other.bits != ids[1].bits);
        CHECK(mp_packed_detach(pool, handle_of(0, 0), MP_NULL_) == MP_NEVER_ISSUED);
        CHECK(mp_packed_validate(pool, MP_NULL_, 0) == MP_OK);
        mp_packed_destroy(pool);
    }
    CHECK(mp_packed_detach(MP_NULL_, handle_of(0, 1), MP_NULL_) == MP_NULL_POINTER);
    CHECK(mp_packed_reattach(MP_NULL_, handle_of(0, 1), MP_NULL_) == MP_NULL_POINTER);
    CHECK(!mp_packed_free_detached(MP_NULL_, handle_of(0, 1)));
}
