// Everything in millpond.hpp, with and without exceptions, in C++17 and later. Ends with 0, or says which line is wrong.
#include "pool/root.unity.h"

int main() {
    plain_values();
    constructors_and_destructors_run_once_each();
    nothing_goes_where_that_makes_no_room();
    what_a_visit_removes_is_not_visited();
    destructors_may_use_the_pool();
    a_value_is_not_found_before_it_is_constructed();
    a_constructor_may_clear_the_pool();
    a_constructor_may_restore_the_pool();
    over_aligned_and_immovable_values();
    handles_are_keys();
    the_past_comes_back();
    iterators_are_those_of_the_standard();
    walks_of_every_density_visit_what_lives();
    capacities_that_no_pool_has_are_refused();
    an_untouched_pool_is_one_like_others();
    values_of_every_kind();
    each_key_is_asked_for_once();
    pools_are_moved_and_assigned_with_what_lives_in_them();
    destructors_change_a_pool_of_any_order();
    packed_values_are_an_array();
    packed_values_move_and_end_once_each();
    destructors_may_use_the_packed_pool();
    a_constructor_may_fill_the_packed_pool();
    what_has_the_smallest_key_goes_from_a_packed_pool();
    what_is_evicted_from_a_packed_pool_ends_last();
    the_past_of_a_packed_pool_comes_back();
    values_of_a_pool_that_grows_move_and_end_once_each();
    arguments_may_refer_to_values_of_a_pool_that_grows();
    what_is_inserted_while_a_pool_is_visited_ends_no_visit();
    pools_that_grow_keep_alignments_and_limits();
    constructors_and_destructors_may_use_a_pool_that_grows();
    what_moves_changes_no_pool_that_grows();
    loops_give_handles_with_values();
    values_leave_and_come_back();
    values_that_leave_end_once_each();
    a_pool_without_slots_lets_nothing_out();
#if defined(NDEBUG)
    what_moves_does_not_change_its_packed_pool();
#endif
#if defined(__cpp_exceptions)
    a_value_that_throws_was_never_in_a_pool_that_grows();
    a_packed_value_that_throws_was_never_there();
    what_throws_leaves_a_sound_pool_of_any_order();
    a_constructor_that_throws_leaves_nothing();
#endif
#if defined(__cpp_lib_memory_resource)
    containers_live_in_size_classes();
#endif
    std::puts("all is well");
    return 0;
}
