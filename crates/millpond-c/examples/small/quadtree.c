/* The growing stack of one file: a quadtree for collisions, torn down and built again from the same nodes in each of
 * 600 frames. The heap is asked in the first frames only. */
#define MILLPOND_SMALL_IMPLEMENTATION
#include "millpond_small.h"

#include <stdio.h>
#include <stdlib.h>

#define POINTS 500

typedef struct node {
    float x, y, half; /* the middle of a square, and half its side */
    int point;        /* -1: none, or the children's */
    struct node *children[4];
} node;

static float xs[POINTS], ys[POINTS];
static int requests;

static void *more(size_t bytes, void *user) {
    (void)user;
    requests++;
    return malloc(bytes);
}

static node *new_node(mps_stack *nodes, float x, float y, float half) {
    node *made = mps_stack_alloc(nodes);
    if (made != NULL) {
        const node empty = {x, y, half, -1, {NULL, NULL, NULL, NULL}};
        *made = empty;
    }
    return made;
}

static void add(mps_stack *nodes, node *at, int point) {
    int divided = at->children[0] != NULL, old = at->point;
    while (at->half > 1e-3f && (divided || old >= 0)) {
        int quarter = (xs[point] >= at->x) + 2 * (ys[point] >= at->y);
        if (!divided) {
            int i;
            for (i = 0; i < 4; i++) {
                float half = at->half / 2;
                at->children[i] = new_node(nodes, at->x + (i % 2 ? half : -half), at->y + (i / 2 ? half : -half), half);
            }
            at->point = -1;
            add(nodes, at->children[(xs[old] >= at->x) + 2 * (ys[old] >= at->y)], old);
        }
        at = at->children[quarter];
        divided = at->children[0] != NULL;
        old = at->point;
    }
    at->point = point;
}

static void tear_down(mps_stack *nodes, node *at) {
    int i;
    for (i = 0; i < 4 && at->children[i] != NULL; i++) {
        tear_down(nodes, at->children[i]);
    }
    mps_stack_free(nodes, at);
}

int main(void) {
    mps_stack nodes;
    unsigned seed = 20;
    int frame, point, requests_at_first = 0;
    void *memory;
    size_t most = 0;
    mps_stack_init(&nodes, sizeof(node), more, NULL);
    if (!mps_stack_reserve(&nodes, 4000)) { /* growth does not happen in play */
        return 1;
    }
    for (frame = 0; frame < 600; frame++) {
        node *root = new_node(&nodes, 0, 0, 1);
        for (point = 0; point < POINTS; point++) {
            seed = seed * 1664525u + 1013904223u;
            xs[point] = (float)(seed >> 16) / 32768.0f - 1;
            seed = seed * 1664525u + 1013904223u;
            ys[point] = (float)(seed >> 16) / 32768.0f - 1;
            add(&nodes, root, point);
        }
        most = nodes.live > most ? nodes.live : most;
        tear_down(&nodes, root);
        requests_at_first = frame == 0 ? requests : requests_at_first;
    }
    printf("600 frames, %s, %d request%s for memory, %d after the first frame, %u nodes left\n",
           most > 1000 ? "more than 1,000 nodes at once" : "too few nodes", requests, requests == 1 ? "" : "s",
           requests - requests_at_first, (unsigned)nodes.live);
    while ((memory = mps_stack_take_chunk(&nodes)) != NULL) {
        free(memory);
    }
    return 0;
}
