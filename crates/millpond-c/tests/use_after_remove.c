/* Reads an object after its end: a sanitizer must stop it, in a packed pool (`-DPACKED`) and in one that has grown (`-DGROWN`),
 * too; and one that is out of its pool (`-DOUT`). */
#include "millpond.h"

#ifdef PACKED
#define mp_pool mp_packed
#define mp_pool_create mp_packed_create
MP_PACKED(numbers, int)
#else
MP_POOL(numbers, int)
#endif

/* Elsewhere, where no compiler knows that the place was written to a moment ago, and is not checked once more. */
__attribute__((noinline)) static int read_later(const int *number) {
    return *number;
}

int main(void) {
    mp_options options = MP_OPTIONS(int, 100);
    mp_pool *pool;
    numbers all;
    numbers_id id;
    int *number;
#ifdef GROWN
    options.slots = 0;
    options.slots_max = 100;
#endif
    if (mp_pool_create(&options, &pool) != MP_OK) {
        return 0;
    }
    all = numbers_of(pool);
    (void)numbers_insert(&all, &id);
    (void)numbers_insert(&all, &id);
    number = numbers_insert(&all, &id);
    *number = 5;
#ifdef OUT
    (void)numbers_detach(&all, id, MP_NULL_);
#else
    (void)numbers_remove(&all, id);
#endif
    return read_later(number) == 77;
}
