/* Full pools that make room. */
#include "sparks.h"

static int64_t by_frames(const void *value, mp_handle handle, void *user) {
    ++*MP_CAST_(int *, user);
    (void)handle;
    return MP_CAST_(const spark *, value)->frames_left;
}

static void eviction(void) {
    mp_options options = MP_OPTIONS(spark, 3);
    mp_pool *pool = MP_NULL_, *refusing = MP_NULL_;
    mp_handle id, gone, after;
    mp_snapshot *ageless = MP_NULL_;
    unsigned char state[1024];
    size_t bytes;
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

    /* A pool that keeps no ages has no state for one that does, nor the other way round. */
    options.full = MP_REFUSE;
    CHECK(mp_snapshot_create(&options, &ageless) == MP_OK && mp_pool_save(pool, ageless) == MP_OTHER_SHAPE);
    CHECK(mp_pool_create(&options, &refusing) == MP_OK && mp_insert(refusing, &id) != MP_NULL_);
    CHECK(mp_pool_save(refusing, ageless) == MP_OK && mp_pool_restore(pool, ageless) == MP_OTHER_SHAPE);
    bytes = mp_pool_state_bytes(refusing);
    CHECK(bytes <= sizeof(state) && mp_pool_write_state(refusing, state, bytes) == MP_OK);
    CHECK(mp_pool_read_state(pool, state, bytes) == MP_OTHER_SHAPE && mp_live(pool) == 3);
    bytes = mp_pool_state_bytes(pool);
    CHECK(bytes <= sizeof(state) && mp_pool_write_state(pool, state, bytes) == MP_OK);
    CHECK(mp_pool_read_state(refusing, state, bytes) == MP_OTHER_SHAPE && mp_live(refusing) == 1);
    mp_snapshot_destroy(ageless);
    mp_pool_destroy(refusing);

    /* With the same options, the ages come with a snapshot; of a state as bytes, the lowest slot is the oldest. */
    options.full = MP_EVICT_OLDEST;
    CHECK(mp_snapshot_create(&options, &ageless) == MP_OK && mp_pool_save(pool, ageless) == MP_OK);
    CHECK(mp_pool_insert_or_evict(pool, MP_NULL_, MP_NULL_, &id, &gone, &old) != MP_NULL_);
    CHECK(mp_pool_restore(pool, ageless) == MP_OK);
    CHECK(mp_pool_insert_or_evict(pool, MP_NULL_, MP_NULL_, &id, &after, &old) != MP_NULL_);
    CHECK(after.bits == gone.bits && mp_pool_read_state(pool, state, bytes) == MP_OK);
    gone = mp_pool_handle_at(pool, 0);
    CHECK(mp_pool_insert_or_evict(pool, MP_NULL_, MP_NULL_, &id, &after, &old) != MP_NULL_);
    CHECK(after.bits == gone.bits && mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
    mp_snapshot_destroy(ageless);
    mp_pool_destroy(pool);
}
