/* Size classes. */
#include "sparks.h"

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
