/* The pool's memory: the caller's, its functions', the C library's. */
#include "sparks.h"

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
    free_aligned(block);
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
