/* Walks over several words of the bitmap, up to date or old. */
#include "sparks.h"

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
