/* Everything in millpond.h once, in C and in C++: one program of all files in `basics`. Ends with 0, or says which line is
 * wrong. */
#include "basics/sparks.h"

#include "basics/classes.c"
#include "basics/eviction.c"
#include "basics/memory.c"
#include "basics/pools.c"
#include "basics/recorders.c"
#include "basics/refusals.c"
#include "basics/states.c"
#include "basics/tables.c"
#include "basics/walks.c"

#include "basics/packed.c"

int main(void) {
    pools();
    long_walks();
    orders_and_layouts();
    small_handles();
    eviction();
    refusals();
    memory();
    the_past();
    hostile_options();
    states_of_handles_alone();
    flags();
    tables();
    classes();
    recorders();
    handle_allocators();
    packed_pools();
    packed_pools_are_as_their_model();
    packed_handles_of_four_bytes();
    packed_flags_and_memory();
    packed_eviction();
    packed_states();
    the_order_of_packed_values_counts();
    packed_pools_that_are_broken();
    packed_pools_are_recorded();
    puts("all is well");
    return 0;
}
