/* A quadtree for collisions is torn down and rebuilt from the same timber in every frame, at 60 frames a second: after
 * the first frames no memory comes from the C library any more. The timber is in size classes, for objects of any
 * sizes; examples/cpp/quadtree.cpp does the same with the containers of std::pmr. As the third design has it, with a
 * pool of one type: examples/small/quadtree.c, and in C++ examples/cpp/growing_quadtree.cpp. */
#include <millpond.h>

#include <stdio.h>
#include <string.h>

#define BODIES 600
#define IN_LEAF 8

typedef struct body {
    float x, y, dx, dy;
} body;

typedef struct node {
    float x, y, half; /* a square */
    struct node *children[4];
    int count; /* -1 once it is split */
    int bodies[IN_LEAF];
} node;

static mp_classes *timber;
static body bodies[BODIES];

static node *new_node(float x, float y, float half) {
    node *made = mp_classes_take(timber, sizeof(node), sizeof(void *));
    if (made != NULL) {
        memset(made, 0, sizeof *made);
        made->x = x;
        made->y = y;
        made->half = half;
    }
    return made;
}

static void insert(node *into, int which);

static int quarter(const node *of, const body *one) {
    return (one->x >= of->x) + 2 * (one->y >= of->y);
}

static void split(node *leaf) {
    int at, moved[IN_LEAF], count = leaf->count;
    float half = leaf->half / 2;
    memcpy(moved, leaf->bodies, sizeof moved);
    leaf->count = -1;
    for (at = 0; at < 4; at++) {
        leaf->children[at] = new_node(leaf->x + (at % 2 ? half : -half), leaf->y + (at / 2 ? half : -half), half);
    }
    for (at = 0; at < count; at++) {
        insert(leaf, moved[at]);
    }
}

static void insert(node *into, int which) {
    while (into->count < 0) {
        into = into->children[quarter(into, &bodies[which])];
    }
    if (into->count == IN_LEAF && into->half > 0.01f) {
        split(into);
        insert(into, which);
    } else if (into->count < IN_LEAF) {
        into->bodies[into->count++] = which;
    }
}

static size_t give_back(node *tree) {
    size_t nodes = 1;
    int at;
    for (at = 0; at < 4; at++) {
        if (tree->children[at] != NULL) {
            nodes += give_back(tree->children[at]);
        }
    }
    mp_classes_give(timber, tree, sizeof(node), sizeof(void *));
    return nodes;
}

int main(void) {
    unsigned random = 1;
    uint64_t blocks_then = 0;
    size_t nodes = 0;
    int frame, at;
    if (mp_classes_create(NULL, 0, MP_CLASSES_GROW, &timber) != MP_OK) {
        return 1;
    }
    for (at = 0; at < BODIES; at++) {
        float *values = &bodies[at].x;
        int field;
        for (field = 0; field < 4; field++) {
            random = random * 1664525u + 1013904223u;
            values[field] = (float)(random >> 8) / (float)(1 << 23) - 1;
        }
    }
    for (frame = 0; frame < 600; frame++) {
        node *tree = new_node(0, 0, 1);
        for (at = 0; at < BODIES; at++) {
            body *one = &bodies[at];
            one->x += one->dx / 60;
            one->y += one->dy / 60;
            one->dx = one->x < -1 || one->x > 1 ? -one->dx : one->dx;
            one->dy = one->y < -1 || one->y > 1 ? -one->dy : one->dy;
            insert(tree, at);
        }
        nodes += give_back(tree);
        if (frame == 60) {
            blocks_then = mp_classes_stats_of(timber).blocks_peak;
        }
    }
    printf("%d frames, %s nodes, %s after the first second\n", frame, nodes > 60000 ? "more than 60,000" : "too few",
           mp_classes_stats_of(timber).blocks_peak <= blocks_then + 8 ? "no growth" : "growth");
    mp_classes_destroy(timber);
    return 0;
}
