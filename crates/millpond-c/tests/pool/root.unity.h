// What the sources of these tests share; each of them includes this first. See tools/bake/ninja-and-clangd.md.
#pragma once

#include "millpond.hpp"     // IWYU pragma: keep
#include "millpond_pmr.hpp" // IWYU pragma: keep

#include <algorithm> // IWYU pragma: keep
#include <cstdint> // IWYU pragma: keep
#include <cstdio> // IWYU pragma: keep
#include <cstdlib> // IWYU pragma: keep
#include <memory> // IWYU pragma: keep
#include <unordered_set> // IWYU pragma: keep
#include <utility> // IWYU pragma: keep
#include <vector> // IWYU pragma: keep

#if defined(__has_include)
#if __has_include(<ranges>) && __cplusplus >= 202002L
#include <ranges>
#endif
#endif

#define CHECK(condition)                                                                            \
    do {                                                                                            \
        if (!(condition)) {                                                                         \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                              \
            std::exit(1);                                                                           \
        }                                                                                           \
    } while (0)

// values.cpp
static void plain_values();
static void over_aligned_and_immovable_values();
static void handles_are_keys();
static void the_past_comes_back();
static void iterators_are_those_of_the_standard();
static void walks_of_every_density_visit_what_lives();
static void capacities_that_no_pool_has_are_refused();

// lifetimes.cpp
static void constructors_and_destructors_run_once_each();
static void nothing_goes_where_that_makes_no_room();
static void what_a_visit_removes_is_not_visited();
static void destructors_may_use_the_pool();
static void a_value_is_not_found_before_it_is_constructed();
static void a_constructor_may_clear_the_pool();
static void a_constructor_may_restore_the_pool();
#if defined(__cpp_exceptions)
static void a_constructor_that_throws_leaves_nothing();
#endif

// hostile.cpp
static void values_of_every_kind();
static void each_key_is_asked_for_once();
static void pools_are_moved_and_assigned_with_what_lives_in_them();
static void destructors_change_a_pool_of_any_order();
#if defined(__cpp_exceptions)
static void what_throws_leaves_a_sound_pool_of_any_order();
#endif

// packed.cpp
static void packed_values_are_an_array();
static void packed_values_move_and_end_once_each();
static void destructors_may_use_the_packed_pool();
static void a_constructor_may_fill_the_packed_pool();
static void what_has_the_smallest_key_goes_from_a_packed_pool();
static void what_is_evicted_from_a_packed_pool_ends_last();
static void the_past_of_a_packed_pool_comes_back();
#if defined(__cpp_exceptions)
static void a_packed_value_that_throws_was_never_there();
#endif
#if defined(NDEBUG)
static void what_moves_does_not_change_its_packed_pool();
#endif

// growing.cpp
static void values_of_a_pool_that_grows_move_and_end_once_each();
static void arguments_may_refer_to_values_of_a_pool_that_grows();
static void what_is_inserted_while_a_pool_is_visited_ends_no_visit();
static void pools_that_grow_keep_alignments_and_limits();
static void constructors_and_destructors_may_use_a_pool_that_grows();
static void what_moves_changes_no_pool_that_grows();
static void loops_give_handles_with_values();
#if defined(__cpp_exceptions)
static void a_value_that_throws_was_never_in_a_pool_that_grows();
#endif

// detached.cpp
static void values_leave_and_come_back();
static void values_that_leave_end_once_each();
static void a_pool_without_slots_lets_nothing_out();

// containers.cpp
#if defined(__cpp_lib_memory_resource)
static void containers_live_in_size_classes();
#endif

#include "containers.cpp" // IWYU pragma: keep
#include "detached.cpp" // IWYU pragma: keep
#include "growing.cpp" // IWYU pragma: keep
#include "hostile.cpp" // IWYU pragma: keep
#include "lifetimes.cpp" // IWYU pragma: keep
#include "packed.cpp" // IWYU pragma: keep
#include "values.cpp" // IWYU pragma: keep
