/* Everything in millpond.h once, in C and in C++: one program of all files in `basics`. Ends with 0, or says which line is
 * wrong. */
#include "basics/sparks.h"

#include "basics/classes.c"
#include "basics/eviction.c"
#include "basics/growing.c"
#include "basics/memory.c"
#include "basics/pools.c"
#include "basics/recorders.c"
#include "basics/refusals.c"
#include "basics/states.c"
#include "basics/tables.c"
#include "basics/untouched.c"
#include "basics/walks.c"

#include "basics/detached.c"
#include "basics/migration.c"

#include "basics/packed.c"

int main(void) {
    pools();
    a_slot_that_has_a_value_is_not_issued_again();
    long_walks();
    orders_and_layouts();
    small_handles();
    eviction();
    refusals();
    explanations();
    memory();
    untouched_pools_take_memory_as_they_fill();
    untouched_pools_do_what_others_do();
    what_would_be_touched_is_refused();
    the_past();
    hostile_options();
    states_of_handles_alone();
    states_that_list_all_slots();
    states_list_what_was_used();
    states_go_into_pools_of_another_used_part();
    states_that_claim_other_numbers_of_slots();
    flags();
    tables();
    classes();
    recorders();
    handle_allocators();
    pools_grow();
    pools_grow_up_to_their_limit();
    growing_pools_evict_at_their_limit();
    saved_handles_are_claimed_in_pools_that_grow();
    the_past_of_pools_that_grow();
    growth_takes_memory_and_gives_it_back();
    loops_end_though_the_pool_grows();
    each_live_object_is_visited();
    growing_pools_are_recorded();
    packed_pools();
    packed_pools_are_as_their_model();
    packed_handles_of_four_bytes();
    packed_flags_and_memory();
    packed_eviction();
    packed_states();
    the_order_of_packed_values_counts();
    packed_pools_that_are_broken();
    packed_pools_are_recorded();
    objects_leave_and_come_back();
    another_pools_handle_takes_nothing_out();
    what_is_out_is_in_snapshots_and_in_no_file();
    what_comes_back_is_newest_and_not_recorded();
    packed_objects_leave_and_come_back();
    states_go_into_pools_with_other_options();
    states_that_a_pool_cannot_keep_are_refused();
    packed_states_migrate_both_ways();
    puts("all is well");
    return 0;
}
