/* What takes a `const mp_pool *` or a `const mp_packed *` writes nothing: the pool lies in memory that may only be read, its bitmap is old, and
 * several threads read it at once. Ends with 0, or says which line is wrong, or the system ends it. */
#define _GNU_SOURCE 1
#include "millpond.h"
#include "check.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

typedef struct spark {
    uint64_t x, y;
} spark;

MP_POOL(sparks, spark)
MP_PACKED(packed_sparks, spark)

#define SLOTS 3000
#define THREADS 4

static uint32_t order;
static mp_pool *pool;
static mp_packed *packed;
static mp_handle live, gone;
static size_t live_count;
static uint64_t sum, packed_sum;

static void add(const void *value, mp_sum *to, void *user) {
    (void)user;
    mp_sum_u64(to, ((const spark *)value)->x);
}

/* A packed pool of the same objects. */
static void read_packed(void) {
    const mp_packed *of = packed;
    packed_sparks all = packed_sparks_of(packed);
    spark *values = packed_sparks_values(&all);
    mp_options options = MP_OPTIONS(spark, SLOTS);
    mp_packed *past = NULL;
    char text[200];
    size_t at, bytes = mp_packed_state_bytes(of);
    void *state = malloc(bytes);
    options.order = order;
    CHECK(state != NULL && mp_packed_create(&options, &past) == MP_OK && packed_sparks_count(&all) == live_count);
    for (at = 0; at < live_count; at++) {
        mp_handle handle = mp_packed_handle_at(of, at);
        CHECK(mp_packed_get(of, handle) == values + at && values[at].x == 1);
    }
    CHECK(packed_sparks_contains(&all, packed_sparks_id_of(live)) && mp_packed_get(of, gone) == NULL);
    CHECK(mp_pool_check(mp_packed_slots(of), gone) == MP_STALE && packed_sparks_fits(of) == MP_OK);
    CHECK(mp_packed_validate(of, text, sizeof text) == MP_OK && mp_packed_checksum(of, add, NULL) == packed_sum);
    CHECK(mp_packed_write_state(of, state, bytes) == MP_OK && mp_packed_copy(past, of) == MP_OK);
    mp_packed_destroy(past);
    free(state);
}

static void *read_all(void *unused) {
    const mp_pool *of = pool;
    sparks all = sparks_of(pool);
    mp_run run = MP_RUN;
    mp_walk walk = MP_WALK;
    char text[200];
    size_t in_runs = 0, one_by_one = 0, in_bits = 0, word, bytes = mp_pool_state_bytes(of);
    uint64_t bits;
    void *state = malloc(bytes);
    mp_snapshot *past = NULL;
    mp_options options = MP_OPTIONS(spark, SLOTS);
    (void)unused;
    options.order = order;
    CHECK(state != NULL && mp_snapshot_create(&options, &past) == MP_OK);
    CHECK(mp_contains(of, live) && !mp_contains(of, gone) && mp_get(of, gone) == NULL);
    CHECK(sparks_get(&all, sparks_id_of(live))->x == 1 && sparks_id_at(&all, live.bits >> 32).bits == live.bits);
    while (sparks_next_run(&all, &run) != NULL) {
        in_runs += run.count;
    }
    while (sparks_next(&all, &walk) != NULL) {
        one_by_one++;
    }
    for (word = 0; word * 64 < mp_capacity(of); word++) {
        for (bits = mp_live_bits(of, word); bits != 0; bits &= bits - 1) {
            in_bits++;
        }
    }
    CHECK(in_runs == live_count && one_by_one == live_count && in_bits == live_count && mp_live(of) == live_count);
    CHECK(mp_pool_check(of, live) == MP_OK && mp_pool_check(of, gone) == MP_STALE);
    CHECK(mp_pool_explain(of, gone, text, sizeof text) > 0 && mp_pool_stats(of).live == live_count);
    CHECK(mp_pool_index_of(of, mp_get(of, live)) == live.bits >> 32);
    CHECK(mp_pool_handle_at(of, live.bits >> 32).bits == live.bits && !mp_is_last_(of, live.bits));
    CHECK(mp_pool_validate(of, text, sizeof text) == MP_OK && mp_pool_checksum(of, add, NULL) == sum);
    CHECK(mp_pool_write_state(of, state, bytes) == MP_OK);
    CHECK(mp_pool_save(of, past) == MP_OK);
    CHECK(sparks_fits(of) == MP_OK);
    mp_snapshot_destroy(past);
    free(state);
    read_packed();
    return NULL;
}

static void *memory_of(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    return memory;
}

int main(void) {
    for (order = MP_LIFO; order <= MP_ROSTER; order++) {
        mp_options options = MP_OPTIONS(spark, SLOTS);
        mp_handle ids[SLOTS];
        pthread_t threads[THREADS];
        size_t at, bytes, packed_bytes;
        void *memory, *packed_memory;
        options.order = order;
        bytes = options.memory_bytes = mp_pool_bytes(&options);
        memory = options.memory = memory_of(bytes);
        CHECK(mp_pool_create(&options, &pool) == MP_OK);
        packed_bytes = options.memory_bytes = mp_packed_bytes(&options);
        packed_memory = options.memory = memory_of(packed_bytes);
        CHECK(mp_packed_create(&options, &packed) == MP_OK);
        for (at = 0; at < SLOTS; at++) {
            spark *made = (spark *)mp_insert(pool, &ids[at]);
            void *packed_made;
            CHECK(made != NULL);
            made->x = 1;
            made->y = at;
            CHECK(mp_packed_insert_at(packed, ids[at], &packed_made) == MP_OK);
            *(spark *)packed_made = *made;
        }
        mp_pool_refresh(pool);
        for (at = 0; at < SLOTS; at++) {
            CHECK(at % 3 == 0 || (mp_remove(pool, ids[at]) && mp_packed_remove(packed, ids[at])));
        }
        live = ids[0];
        gone = ids[1];
        live_count = SLOTS / 3;
        sum = mp_pool_checksum(pool, add, NULL);
        packed_sum = mp_packed_checksum(packed, add, NULL);
        CHECK(mprotect(memory, bytes, PROT_READ) == 0 && mprotect(packed_memory, packed_bytes, PROT_READ) == 0);
        for (at = 0; at < THREADS; at++) {
            CHECK(pthread_create(&threads[at], NULL, read_all, NULL) == 0);
        }
        for (at = 0; at < THREADS; at++) {
            CHECK(pthread_join(threads[at], NULL) == 0);
        }
        CHECK(mprotect(memory, bytes, PROT_READ | PROT_WRITE) == 0);
        CHECK(mprotect(packed_memory, packed_bytes, PROT_READ | PROT_WRITE) == 0);
        mp_pool_destroy(pool);
        mp_packed_destroy(packed);
        CHECK(munmap(memory, bytes) == 0 && munmap(packed_memory, packed_bytes) == 0);
    }
    puts("all is well");
    return 0;
}
