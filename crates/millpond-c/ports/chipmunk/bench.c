/* Chipmunk2D's own benchmark scenes without a window: a sum of all body states, the time, and what was allocated after
 * the first second. */
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

static size_t allocations;
#define WRAP(name, parameters, arguments)          \
    void *__real_##name parameters;                \
    void *__wrap_##name parameters;                \
    void *__wrap_##name parameters {               \
        allocations++;                             \
        return __real_##name arguments;            \
    }
WRAP(malloc, (size_t a), (a))
WRAP(calloc, (size_t a, size_t b), (a, b))
WRAP(realloc, (void *a, size_t b), (a, b))
WRAP(aligned_alloc, (size_t a, size_t b), (a, b))

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
        size_t warm = 0;
        cpSpace *space;
        srand(45073);
        sum = UINT64_C(0xcbf29ce484222325);
        space = bench_list[at].initFunc();
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
        printf("%-40s %016llx  %4zu allocations  %8.2f ms\n", bench_list[at].name, (unsigned long long)sum,
               allocations - warm, (double)(over.tv_sec - begun.tv_sec) * 1e3 + (double)(over.tv_nsec - begun.tv_nsec) / 1e6);
        bench_list[at].destroyFunc(space);
    }
    return 0;
}
