/* A crowd of unknown size: a pool that grows, an array beside it, and a loop that removes.
 *
 *     cc growing.c -I../../include libmillpond.a -o growing && ./growing
 */
#include <millpond.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct walker {
    int steps_left;
} walker;
MP_POOL(walkers, walker)

int main(void) {
    mp_options options = MP_OPTIONS(walker, 0);
    mp_pool *pool;
    walkers all;
    walkers_id first = {0};
    float *heights = NULL; /* by slot */
    size_t heights_count = 0;
    float sum = 0;
    int frame, born;
    options.slots_max = MP_NO_LIMIT;
    options.name = "walkers";
    if (mp_pool_create(&options, &pool) != MP_OK) {
        return 1;
    }
    all = walkers_of(pool);
    for (frame = 0; frame < 100; frame++) {
        for (born = 0; born < frame; born++) {
            walkers_id id;
            walker *made = walkers_insert(&all, &id); /* may move the others: keep ids, not pointers */
            if (made == NULL) {
                return 1;
            }
            made->steps_left = 1 + born;
            if (heights_count < mp_capacity(pool)) {
                float *more = realloc(heights, mp_capacity(pool) * sizeof *heights);
                if (more == NULL) {
                    return 1;
                }
                heights = more;
                heights_count = mp_capacity(pool);
            }
            heights[walkers_index(id)] = 1.5f + 0.25f * (float)(born % 2);
            first = first.bits == 0 ? id : first;
        }
        MP_EACH(walkers, each, &all) {
            if (--each.value->steps_left == 0) {
                walkers_remove(&all, each.id);
            }
        }
    }
    MP_EACH(walkers, each, &all) {
        sum += heights[walkers_index(each.id)];
    }
    printf("%zu walkers, %.2f high on average; the first one is %s\n", walkers_live(&all),
           (double)(sum / (float)walkers_live(&all)), walkers_get(&all, first) == NULL ? "gone" : "there");
    free(heights);
    mp_pool_destroy(pool);
    return 0;
}
