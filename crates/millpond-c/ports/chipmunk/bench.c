/* Chipmunk2D's own benchmark scenes without a window: a sum of all body states, how often memory was allocated (by the
 * pools in all frames, by everything in all frames, and by everything in the second half), and the time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <time.h>

#include "chipmunk/chipmunk_private.h"
#include "ChipmunkDemo.h"

void ChipmunkDemoDefaultDrawImpl(cpSpace *space) { (void)space; }

static void remove_shape(cpSpace *space, void *shape, void *unused) {
    (void)unused;
    cpSpaceRemoveShape(space, shape);
    cpShapeFree(shape);
}
static void remove_body(cpSpace *space, void *body, void *unused) {
    (void)unused;
    cpSpaceRemoveBody(space, body);
    cpBodyFree(body);
}
static void shape_later(cpShape *shape, void *space) { cpSpaceAddPostStepCallback(space, remove_shape, shape, NULL); }
static void body_later(cpBody *body, void *space) { cpSpaceAddPostStepCallback(space, remove_body, body, NULL); }
void ChipmunkDemoFreeSpaceChildren(cpSpace *space) {
    cpSpaceEachShape(space, shape_later, space);
    cpSpaceEachBody(space, body_later, space);
}

static size_t allocations, of_pools;
#define WRAP(name, parameters, arguments, is_of_pool) \
    void *__real_##name parameters;                \
    void *__wrap_##name parameters;                \
    void *__wrap_##name parameters {               \
        allocations++;                             \
        of_pools += is_of_pool;                    \
        return __real_##name arguments;            \
    }
WRAP(malloc, (size_t a), (a), 0)
/* Chipmunk's pools take as many bytes at once, and nothing else does. */
WRAP(calloc, (size_t a, size_t b), (a, b), a == 1 && b == CP_BUFFER_BYTES)
WRAP(realloc, (void *a, size_t b), (a, b), 0)
/* Only millpond takes memory this way. */
WRAP(aligned_alloc, (size_t a, size_t b), (a, b), 1)

static uint64_t sum;
static void add(cpBody *body, void *unused) {
    cpFloat state[6] = {body->p.x, body->p.y, body->v.x, body->v.y, body->a, body->w};
    unsigned char bytes[sizeof state];
    size_t at;
    (void)unused;
    memcpy(bytes, state, sizeof state);
    for (at = 0; at < sizeof bytes; at++) {
        sum = (sum ^ bytes[at]) * UINT64_C(0x100000001b3);
    }
}

extern ChipmunkDemo bench_list[];
extern int bench_count;

int main(int count, char **arguments) {
    int from = 0, to = bench_count, at, frame, frames = count > 1 ? atoi(arguments[1]) : 600;
    if (count > 2) {
        from = atoi(arguments[2]);
        to = from + 1;
    }
    for (at = from; at < to; at++) {
        struct timespec begun, over;
        size_t warm = 0, pools_ready, ready;
        cpSpace *space;
        srand(45073);
        sum = UINT64_C(0xcbf29ce484222325);
        space = bench_list[at].initFunc();
        pools_ready = of_pools;
        ready = allocations;
        clock_gettime(CLOCK_MONOTONIC, &begun);
        for (frame = 0; frame < frames; frame++) {
            if (frame == frames / 2) {
                warm = allocations;
            }
            bench_list[at].updateFunc(space, 1.0 / 60);
            if (frame % 60 == 59) {
                cpSpaceEachBody(space, add, NULL);
            }
        }
        clock_gettime(CLOCK_MONOTONIC, &over);
        printf("%-40s %016llx %zu %zu %zu %.2f\n", bench_list[at].name, (unsigned long long)sum, of_pools - pools_ready,
               allocations - ready, allocations - warm, (double)(over.tv_sec - begun.tv_sec) * 1e3 + (double)(over.tv_nsec - begun.tv_nsec) / 1e6);
        bench_list[at].destroyFunc(space);
    }
    return 0;
}
