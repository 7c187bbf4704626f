/* Every function that takes memory, with each of its requests refused in turn: a status says so, nothing is lost, and the
 * program goes on. Linked with `--wrap=` of `aligned_alloc`, `calloc` and `free`. */
#include "millpond.h"
#include "check.h"

#include <string.h>

void *__real_aligned_alloc(size_t align, size_t bytes);
void *__wrap_aligned_alloc(size_t align, size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void __real_free(void *memory);
void __wrap_free(void *memory);

static size_t left = SIZE_MAX; /* how many requests are still granted */
static size_t held;            /* blocks */

static void *counted(void *memory) {
    left -= left != 0;
    held += memory != NULL;
    return memory;
}
void *__wrap_aligned_alloc(size_t align, size_t bytes) {
    return counted(left == 0 ? NULL : __real_aligned_alloc(align, bytes));
}
void *__wrap_calloc(size_t count, size_t bytes) {
    return counted(left == 0 ? NULL : __real_calloc(count, bytes));
}
void __wrap_free(void *memory) {
    held -= memory != NULL;
    __real_free(memory);
}

static bool write_nothing(const char *text, size_t bytes, void *user) {
    (void)text;
    (void)bytes;
    (void)user;
    return true;
}

/* Each does its work and undoes it; the status is that of the first thing that failed. */
static mp_status a_pool(uint32_t order, uint32_t full, uint32_t flags) {
    mp_options options = MP_OPTIONS(uint64_t, 100);
    mp_pool *pool = NULL;
    mp_handle handle;
    mp_status status;
    options.order = order;
    options.full = full;
    options.flags = flags;
    options.name = "sparks";
    status = mp_pool_create(&options, &pool);
    CHECK((status == MP_OK) == (pool != NULL));
    CHECK(status != MP_OK || mp_insert(pool, &handle) != NULL);
    mp_pool_destroy(pool);
    return status;
}

static mp_status a_packed_pool(uint32_t order, uint32_t flags) {
    mp_options options = MP_OPTIONS(uint64_t, 100);
    mp_packed *pool = NULL, *past = NULL;
    unsigned char state[4096];
    mp_handle handle;
    size_t granted, at;
    mp_status status;
    options.order = order;
    options.flags = flags;
    options.name = "sparks";
    status = mp_packed_create(&options, &pool);
    CHECK((status == MP_OK) == (pool != NULL));
    status = status == MP_OK ? mp_packed_create(&options, &past) : status;
    if (status == MP_OK) {
        /* Neither takes any. */
        granted = left;
        left = 0;
        for (at = 0; at < 500; at++) {
            memset(mp_packed_insert(pool, &handle), 1, 8);
            CHECK(at % 3 == 0 || mp_packed_remove(pool, mp_packed_handle_at(pool, at % mp_packed_count(pool))));
            CHECK(mp_packed_count(pool) < 100 || (mp_packed_clear(pool), true));
            CHECK(mp_packed_copy(past, pool) == MP_OK && mp_packed_copy(pool, past) == MP_OK);
        }
        left = SIZE_MAX;
        at = mp_packed_state_bytes(pool);
        CHECK(at <= sizeof state && mp_packed_write_state(pool, state, at) == MP_OK);
        left = granted;
    }
    mp_packed_destroy(past);
    mp_packed_destroy(pool);
    return status;
}

/* What is refused while the pool grows leaves it as it was. */
static mp_status a_growing_pool(uint32_t order, uint32_t full, uint32_t flags) {
    mp_options options = MP_OPTIONS(uint64_t, 0);
    mp_pool *pool = NULL, *past = NULL;
    mp_recorder *recorder = NULL;
    mp_handle handles[40], handle;
    size_t at;
    mp_status status;
    options.slots_max = 40;
    options.order = order;
    options.full = full;
    options.flags = flags;
    status = mp_pool_create(&options, &pool);
    CHECK((status == MP_OK) == (pool != NULL));
    status = status == MP_OK ? mp_pool_create(&options, &past) : status;
    status = status == MP_OK ? mp_recorder_create(write_nothing, NULL, &recorder) : status;
    status = status == MP_OK ? mp_pool_record(pool, recorder) : status;
    for (at = 0; status == MP_OK && at < 40; at++) {
        uint64_t *made = mp_insert(pool, &handles[at]);
        size_t before;
        if (made == NULL) {
            CHECK(mp_live(pool) == at && mp_capacity(pool) == at && mp_pool_stats(pool).refused == 1);
            status = MP_OUT_OF_MEMORY;
            break;
        }
        *made = at;
        for (before = 0; before <= at; before++) {
            CHECK(*(uint64_t *)mp_get(pool, handles[before]) == before);
        }
    }
    if (status == MP_OK) {
        status = mp_pool_copy(past, pool);
        CHECK(mp_live(past) == (status == MP_OK ? 40 : 0) && mp_capacity(past) == mp_live(past));
    }
    if (status == MP_OK) {
        mp_pool_clear(past);
        CHECK(mp_remove(pool, handles[7]) && mp_insert(pool, &handle) != NULL);
        /* Of as many slots: takes none. */
        at = left;
        left = 0;
        CHECK(mp_pool_copy(pool, past) == MP_OK && mp_live(pool) == 0);
        left = at;
    }
    mp_pool_destroy(past);
    mp_pool_destroy(pool);
    CHECK(recorder == NULL || mp_recorder_destroy(recorder) == MP_OK);
    return status;
}

/* What cannot be listed stays in the pool; what can be is saved without more memory. */
static mp_status what_is_out(void) {
    mp_options options = MP_OPTIONS(uint64_t, 9);
    mp_pool *pool = NULL;
    mp_snapshot *past = NULL;
    mp_handle handles[9];
    size_t granted = left, at;
    mp_status status = MP_OK;
    left = SIZE_MAX;
    CHECK(mp_pool_create(&options, &pool) == MP_OK && mp_snapshot_create(&options, &past) == MP_OK);
    for (at = 0; at < 9; at++) {
        *(uint64_t *)mp_insert(pool, &handles[at]) = at;
    }
    left = granted;
    for (at = 0; status == MP_OK && at < 9; at++) {
        status = mp_pool_detach(pool, handles[at], NULL);
        CHECK(mp_contains(pool, handles[at]) == (status != MP_OK));
    }
    if (status == MP_OK) {
        status = mp_pool_save(pool, past);
    }
    if (status == MP_OK) {
        granted = left;
        left = 0;
        CHECK(mp_pool_reattach(pool, handles[4], NULL) == MP_OK && mp_pool_free_detached(pool, handles[3]));
        CHECK(mp_pool_restore(pool, past) == MP_OK && mp_live(pool) == 0 && mp_pool_save(pool, past) == MP_OK);
        left = granted;
    }
    mp_snapshot_destroy(past);
    mp_pool_destroy(pool);
    return status;
}

static mp_status a_snapshot(void) {
    mp_options options = MP_OPTIONS(uint64_t, 100);
    mp_pool *pool = NULL;
    mp_snapshot *past = NULL;
    mp_handle handle;
    size_t granted = left;
    mp_status status;
    left = SIZE_MAX;
    CHECK(mp_pool_create(&options, &pool) == MP_OK && mp_insert(pool, &handle) != NULL);
    left = granted;
    status = mp_snapshot_create(&options, &past);
    CHECK((status == MP_OK) == (past != NULL));
    /* Saving and restoring take none. */
    granted = left;
    left = 0;
    CHECK(past == NULL || (mp_pool_save(pool, past) == MP_OK && mp_remove(pool, handle)));
    CHECK(past == NULL || (mp_pool_restore(pool, past) == MP_OK && mp_contains(pool, handle)));
    left = granted;
    mp_snapshot_destroy(past);
    mp_pool_destroy(pool);
    return status;
}

static mp_status a_table(void) {
    mp_table *table = NULL;
    mp_status status = mp_table_create(50, 8, 8, 0, &table);
    CHECK((status == MP_OK) == (table != NULL));
    mp_table_destroy(table);
    return status;
}

static mp_status some_classes(void) {
    static const mp_class reserved[2] = {{32, 10}, {64, 10}};
    mp_classes *all = NULL;
    mp_status status = mp_classes_create(reserved, 2, MP_CLASSES_GROW, &all);
    void *memory[200];
    size_t at, taken = 0;
    CHECK((status == MP_OK) == (all != NULL));
    for (at = 0; status == MP_OK && at < 200; at++) {
        memory[taken] = mp_classes_take(all, at % 2 == 0 ? 32 : 3000, 8);
        taken += memory[taken] != NULL;
        status = memory[taken == 0 ? 0 : taken - 1] != NULL && taken == at + 1 ? MP_OK : MP_OUT_OF_MEMORY;
    }
    for (at = 0; at < taken; at++) {
        mp_classes_give(all, memory[at], at % 2 == 0 ? 32 : 3000, 8);
    }
    mp_classes_destroy(all);
    return status;
}

static mp_status a_recorder(void) {
    mp_options options = MP_OPTIONS(uint64_t, 100);
    mp_pool *pool = NULL, *other = NULL;
    mp_recorder *recorder = NULL;
    mp_handle handle;
    size_t granted = left;
    uint64_t at;
    mp_status status;
    options.name = "sparks";
    left = SIZE_MAX;
    CHECK(mp_pool_create(&options, &pool) == MP_OK && mp_pool_create(&options, &other) == MP_OK);
    CHECK(mp_insert(pool, &handle) != NULL);
    left = granted;
    status = mp_recorder_create(write_nothing, NULL, &recorder);
    CHECK((status == MP_OK) == (recorder != NULL));
    status = status == MP_OK ? mp_pool_record(pool, recorder) : status;
    status = status == MP_OK ? mp_pool_record(other, recorder) : status;
    /* What is recorded takes no memory any more. */
    granted = left;
    left = 0;
    for (at = 0; at < 5000; at++) {
        CHECK(mp_insert(pool, &handle) != NULL && mp_remove(pool, handle));
        mp_recorder_tick(recorder, at * 60);
    }
    CHECK(recorder == NULL || mp_recorder_destroy(recorder) == MP_OK);
    left = granted;
    mp_pool_destroy(pool);
    mp_pool_destroy(other);
    return status;
}

static mp_status an_untouched_pool(void) {
    mp_options options = MP_OPTIONS(uint64_t, 100);
    mp_snapshot *past = NULL;
    mp_status status;
    options.flags = MP_UNTOUCHED;
    status = mp_snapshot_create(&options, &past);
    CHECK((status == MP_OK) == (past != NULL));
    mp_snapshot_destroy(past);
    return status != MP_OK ? status : a_pool(MP_LIFO, MP_EVICT_OLDEST, MP_UNTOUCHED);
}

static mp_status work(unsigned which) {
    switch (which) {
    case 0:
        return a_snapshot();
    case 1:
        return a_table();
    case 2:
        return some_classes();
    case 3:
        return a_recorder();
    case 4:
    case 5:
    case 6:
    case 7:
        return a_packed_pool(which % 4, which % 2 == 0 ? 0 : MP_ZEROED | MP_FILLED);
    case 8:
    case 9:
    case 10:
    case 11:
        return a_growing_pool(which - 8, which % 2, which % 3 == 0 ? 0 : MP_ZEROED | MP_FILLED);
    case 12:
        return an_untouched_pool();
    case 13:
        return what_is_out();
    default:
        which -= 14;
        return a_pool(which % 4, which / 4 % 2, which / 8 % 2 == 0 ? 0 : MP_ZEROED | MP_FILLED);
    }
}

int main(void) {
    unsigned which;
    size_t granted;
    for (which = 0; which < 14 + 16; which++) {
        for (granted = 0;; granted++) {
            mp_status status;
            CHECK(held == 0 && granted < 300);
            left = granted;
            status = work(which);
            CHECK(status == MP_OK || status == MP_OUT_OF_MEMORY);
            if (status == MP_OK) {
                break;
            }
        }
        CHECK(granted > 0 && held == 0);
    }
    puts("all is well");
    return 0;
}
