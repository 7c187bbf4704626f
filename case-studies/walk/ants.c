/* Ants drop crumbs, and crumbs rot: a list that is walked in each tick. What does a pool save?
 *
 * -DPOOL       crumbs are in the slots of a pool, and still in a list
 * -DPAD=N      with N more bytes for each slot
 * -DNO_WALK    crumbs rot in an order that is known before, so that nothing is walked
 * -DOTHERS     a text of random length is replaced for each crumb
 * -DTICKS, -DBIRTHS (for each tick), -DLIFE (the longest, in ticks)
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct crumb {
    struct crumb *next;
    int life, x, y, ant;
    float strength, size;
    long kind;
};

static uint64_t seed = 1;

static unsigned number(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33);
}

#ifdef POOL
#ifndef PAD
#define PAD 0
#endif
#define SLOTS (BIRTHS * LIFE)
static struct {
    struct crumb crumb;
    char pad[PAD];
} slots[SLOTS];
static struct crumb *vacant;

static void prepare(void) {
    for (int i = SLOTS; i-- > 0;) {
        slots[i].crumb.next = vacant;
        vacant = &slots[i].crumb;
    }
}

__attribute__((noinline)) static struct crumb *crumb_new(void) {
    struct crumb *crumb = vacant;
    vacant = crumb->next;
    return crumb;
}

__attribute__((noinline)) static void crumb_free(struct crumb *crumb) {
    crumb->next = vacant;
    vacant = crumb;
}
#else
static void prepare(void) {}

__attribute__((noinline)) static struct crumb *crumb_new(void) {
    return malloc(sizeof(struct crumb));
}

__attribute__((noinline)) static void crumb_free(struct crumb *crumb) {
    free(crumb);
}
#endif

static void replace(char **text, unsigned bytes) {
    free(*text);
    *text = malloc(bytes);
    **text = 1;
}

int main(void) {
    static struct crumb *rots_at[LIFE + 1], *first;
    static char *notes[64], *others[8192];
    unsigned long births = 0, visits = 0;
    (void)rots_at;
    (void)first;
    (void)others;
    prepare();
    for (int tick = 0; tick < TICKS; tick++) {
        for (int i = 0; i < BIRTHS; i++) {
            struct crumb *crumb = crumb_new();
            births++;
            crumb->life = 1 + (int)(number() % LIFE);
            crumb->strength = 1.0f;
#ifdef NO_WALK
            struct crumb **list = &rots_at[(tick + crumb->life) % (LIFE + 1)];
#else
            struct crumb **list = &first;
#endif
            crumb->next = *list;
            *list = crumb;
#ifdef OTHERS
            replace(&others[number() % 8192], 8 + number() % 120);
#endif
            if (i % 32 == 0)
                replace(&notes[number() % 64], 16 + number() % 200);
        }
#ifdef NO_WALK
        struct crumb **list = &rots_at[(tick + 1) % (LIFE + 1)];
        while (*list) {
            struct crumb *crumb = *list;
            *list = crumb->next;
            crumb_free(crumb);
        }
#else
        for (struct crumb **at = &first; *at;) {
            struct crumb *crumb = *at;
            visits++;
            crumb->strength *= 0.99f;
            if (--crumb->life == 0) {
                *at = crumb->next;
                crumb_free(crumb);
            } else {
                at = &crumb->next;
            }
        }
#endif
    }
    printf("%lu births, %lu visits\n", births, visits);
    return 0;
}
