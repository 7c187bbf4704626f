/* Pools that threads share: what one thread sees, and four at once. C99; with -DRACES, a write that the sanitizer of threads
 * must find. */
#include "millpond.h"

#include <pthread.h>
#include <string.h>

#include "check.h"

typedef struct {
    uint64_t number, again;
    char text[24];
} job;

static int ended; /* changed under the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void end(void *value, void *user) {
    job *gone = (job *)value;
    CHECK(gone->number == gone->again && user == &ended);
    gone->number = gone->again = 0;
    pthread_mutex_lock(&lock);
    ended++;
    pthread_mutex_unlock(&lock);
}

static void make(void *place, void *user) {
    job *made = (job *)place;
    made->number = made->again = *(const uint64_t *)user;
    memset(made->text, 'x', sizeof made->text);
}

static void one_thread(void) {
    mp_options options = MP_OPTIONS(job, 3);
    mp_sync *pool = NULL, *none = NULL;
    mp_shared held, again;
    mp_handle first, second, third, full;
    job value = {7, 7, "seven"};
    uint64_t number = 8;
    CHECK(mp_sync_create(NULL, NULL, NULL, &pool) == MP_NULL_POINTER && pool == NULL);
    CHECK(mp_sync_create(&options, NULL, NULL, NULL) == MP_NULL_POINTER);
    options.flags = MP_ZEROED;
    CHECK(mp_sync_create(&options, NULL, NULL, &pool) == MP_BAD_OPTIONS && pool == NULL);
    options.flags = 0;
    options.value_bytes = 0;
    CHECK(mp_sync_create(&options, NULL, NULL, &pool) == MP_BAD_OPTIONS);
    options = MP_OPTIONS(job, 3);
    CHECK(mp_sync_create(&options, end, &ended, &pool) == MP_OK);
    CHECK(mp_sync_insert(pool, &value, &first) && mp_sync_insert_with(pool, make, &number, &second));
    CHECK(mp_sync_insert(pool, &value, &third) && !mp_sync_insert(pool, &value, &full) && full.bits == 0);
    CHECK(!mp_sync_insert(pool, NULL, &full) && !mp_sync_insert_with(pool, NULL, NULL, NULL));
    CHECK(strcmp(((const job *)mp_sync_get(pool, first, &held))->text, "seven") == 0);
    CHECK(((const job *)mp_sync_get(pool, second, &again))->number == 8);
    mp_sync_drop(&again);
    mp_sync_drop(&again);
    /* It is refused at once, and ends when nobody holds it. */
    CHECK(mp_sync_get(pool, first, &again) == held.value && mp_sync_remove(pool, first) && !mp_sync_remove(pool, first));
    CHECK(!mp_sync_contains(pool, first) && ended == 0 && ((const job *)held.value)->number == 7);
    mp_sync_drop(&held);
    CHECK(ended == 0 && again.value != NULL);
    mp_sync_drop(&again);
    CHECK(ended == 1 && mp_sync_get(pool, first, &held) == NULL && held.value == NULL);
    CHECK(mp_sync_insert(pool, &value, &full) && full.bits != first.bits && full.bits >> 32 == first.bits >> 32);
    CHECK(mp_sync_handle_at(pool, second.bits >> 32).bits == second.bits && mp_sync_handle_at(pool, 3).bits == 0);
    CHECK(mp_sync_stats(pool).live == 3 && mp_sync_stats(pool).capacity == 3 && mp_sync_stats(pool).removed == 1);
    full.bits = ~(uint64_t)0;
    CHECK(!mp_sync_contains(pool, full) && !mp_sync_remove(pool, full) && mp_sync_get(pool, full, &held) == NULL);
    mp_sync_destroy(pool);
    CHECK(ended == 4);
    /* Null pools are pools without slots. */
    mp_sync_destroy(none);
    mp_sync_drop(NULL);
    CHECK(!mp_sync_insert(none, &value, &full) && !mp_sync_remove(none, first) && !mp_sync_contains(none, first));
    CHECK(mp_sync_get(none, first, &held) == NULL && mp_sync_get(none, first, NULL) == NULL);
    CHECK(mp_sync_stats(none).capacity == 0 && mp_sync_handle_at(none, 0).bits == 0);
    /* Pools of different names refuse each other's handles. */
    options.name = "jobs";
    CHECK(mp_sync_create(&options, NULL, NULL, &pool) == MP_OK);
    CHECK(mp_sync_insert(pool, &value, &full) && (uint32_t)full.bits != 1 && !mp_sync_contains(pool, first));
    mp_sync_destroy(pool);
}

#define THREADS 4
#define STEPS 3000

static mp_sync *jobs;
static mp_recycler *buffers;
static uint64_t board[32]; /* handles that threads tell each other, under the lock */

static void *work(void *of) {
    uint64_t random = *(const uint64_t *)of;
    int step;
    for (step = 0; step < STEPS; step++) {
        mp_handle handle;
        mp_shared held;
        mp_lent lent;
        size_t at;
        random = random * 6364136223846793005u + 1442695040888963407u;
        at = (size_t)(random >> 33) % 32;
        if (mp_sync_insert_with(jobs, make, &random, &handle)) {
            uint64_t old;
            pthread_mutex_lock(&lock);
            old = board[at];
            board[at] = handle.bits;
            pthread_mutex_unlock(&lock);
            handle.bits = old;
            mp_sync_remove(jobs, handle);
        }
        pthread_mutex_lock(&lock);
        handle.bits = board[(at + 5) % 32];
        pthread_mutex_unlock(&lock);
        if (mp_sync_get(jobs, handle, &held) != NULL) {
            const job *found = (const job *)held.value;
            if (step % 3 == 0) {
                mp_sync_remove(jobs, handle);
            }
            CHECK(found->number == found->again && found->text[23] == 'x');
            mp_sync_drop(&held);
        }
        if (mp_recycler_acquire(buffers, &lent) != NULL) {
            uint64_t *buffer = (uint64_t *)lent.object;
            CHECK(buffer[0] == buffer[1] && lent.index < 2);
            buffer[0] = buffer[1] = random;
            mp_recycler_release(&lent);
        }
    }
    return NULL;
}

static void make_buffer(void *place, size_t index, void *user) {
    ((uint64_t *)place)[0] = ((uint64_t *)place)[1] = index;
    (*(int *)user)++;
}
static void end_buffer(void *object, void *user) {
    CHECK(((uint64_t *)object)[0] == ((uint64_t *)object)[1]);
    (*(int *)user)--;
}

static void four_threads(void) {
    mp_options of_jobs = MP_OPTIONS(job, 40), of_buffers = MP_OPTIONS(uint64_t[2], 2);
    pthread_t threads[THREADS];
    uint64_t seeds[THREADS];
    mp_lent first, second, none;
    int at, buffers_there = 0;
    mp_stats stats;
    ended = 0;
    CHECK(mp_sync_create(&of_jobs, end, &ended, &jobs) == MP_OK);
    CHECK(mp_recycler_create(&of_buffers, make_buffer, end_buffer, &buffers_there, &buffers) == MP_OK);
    CHECK(buffers_there == 2 && mp_recycler_capacity(buffers) == 2 && mp_recycler_available(buffers) == 2);
    CHECK(mp_recycler_acquire(buffers, &first) != NULL && mp_recycler_acquire(buffers, &second) != NULL);
    CHECK(first.index != second.index && mp_recycler_acquire(buffers, &none) == NULL && none.object == NULL);
    CHECK(mp_recycler_available(buffers) == 0 && mp_recycler_acquire(NULL, &none) == NULL && mp_recycler_capacity(NULL) == 0);
    mp_recycler_release(&first);
    mp_recycler_release(&first);
    mp_recycler_release(&second);
    mp_recycler_release(NULL);
    for (at = 0; at < THREADS; at++) {
        seeds[at] = (uint64_t)at + 1;
        CHECK(pthread_create(&threads[at], NULL, work, &seeds[at]) == 0);
    }
    for (at = 0; at < THREADS; at++) {
        CHECK(pthread_join(threads[at], NULL) == 0);
    }
    stats = mp_sync_stats(jobs);
    CHECK(stats.inserted - stats.removed == stats.live && (uint64_t)ended == stats.removed);
    mp_sync_destroy(jobs);
    CHECK((uint64_t)ended == stats.inserted);
    mp_recycler_destroy(buffers);
    CHECK(buffers_there == 0);
}

#ifdef RACES
static mp_handle one_for_all;
static int holders;

/* Writes to what another thread holds and writes to. */
static void *race(void *unused) {
    mp_shared held;
    job *found = (job *)mp_sync_get(jobs, one_for_all, &held);
    int step;
    /* Both hold it; a relaxed atomic orders nothing. */
    __atomic_fetch_add(&holders, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&holders, __ATOMIC_RELAXED) < 2) {
    }
    for (step = 0; step < 1000; step++) {
        ((volatile char *)found->text)[3] = (char)step;
    }
    mp_sync_drop(&held);
    return unused;
}

static void two_threads(void) {
    mp_options options = MP_OPTIONS(job, 1);
    pthread_t threads[2];
    uint64_t number = 1;
    int at;
    CHECK(mp_sync_create(&options, NULL, NULL, &jobs) == MP_OK && mp_sync_insert_with(jobs, make, &number, &one_for_all));
    for (at = 0; at < 2; at++) {
        CHECK(pthread_create(&threads[at], NULL, race, NULL) == 0);
    }
    for (at = 0; at < 2; at++) {
        CHECK(pthread_join(threads[at], NULL) == 0);
    }
    mp_sync_destroy(jobs);
}
#endif

int main(void) {
#ifdef RACES
    two_threads();
#endif
    one_thread();
    four_threads();
    printf("all is well\n");
    return 0;
}
