/* The recorder: what it writes. */
#include "sparks.h"

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
