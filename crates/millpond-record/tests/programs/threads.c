/* Four threads that allocate, and free each other's blocks; with every function that is recorded. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MILLPOND_RECORD_IMPLEMENTATION
#include "millpond_record.h"

#define THREADS 4
#define ROUNDS 20000

static void *volatile handed[THREADS];

static void *work(void *argument)
{
    size_t me = (size_t)argument;
    int round;
    for (round = 0; round < ROUNDS; round++) {
        void *mine = malloc(24 + 8 * me);
        /* The next thread frees it, or the one after. */
        void *theirs = __atomic_exchange_n(&handed[(me + (size_t)round) % THREADS], mine, __ATOMIC_ACQ_REL);
        free(theirs);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    size_t n;
    int pass;
    for (pass = 0; pass < 50; pass++) {
        /* Threads that come and go: their buffers are used again. */
        for (n = 0; n < THREADS; n++) pthread_create(&threads[n], NULL, work, (void *)n);
        for (n = 0; n < THREADS; n++) pthread_join(threads[n], NULL);
        millpond_record_frame();
        if (pass == 1) break;
    }
    for (n = 0; n < THREADS; n++) free(handed[n]);
    {
        char *text = strdup("eleven b.");
        char *grown = realloc(malloc(100), 200);
        void *aligned = NULL, *more = NULL;
#ifndef _WIN32 /* whose C library has neither */
        aligned = aligned_alloc(64, 128);
        if (posix_memalign(&more, 32, 96) || !aligned) return 1;
#endif
        if (!grown || !text) return 1;
        free(calloc(7, 9));
        free(text), free(grown), free(aligned), free(more), free(NULL);
    }
    puts("done");
    return 0;
}
