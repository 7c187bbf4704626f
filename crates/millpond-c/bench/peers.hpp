// Our pools behind the interface of other_peers.hpp.
#pragma once

#include "other_peers.hpp"
#include <millpond.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

// How a pool is walked over.
enum class form { runs, one_by_one, for_each };

// Makes the class `name`: a pool of millpond.h whose values are `type`, with the functions that `MP_POOL(of, type)` made.
#define POOL_IN_C(name, of, type)                                                                                      \
    template <form Form>                                                                                               \
    class name {                                                                                                       \
        mp_pool *raw = nullptr;                                                                                        \
        of all{};                                                                                                      \
                                                                                                                       \
      public:                                                                                                          \
        using id = of##_id;                                                                                            \
        explicit name(std::uint32_t count) {                                                                           \
            mp_options options = MP_OPTIONS(type, count);                                                              \
            mp_pool_create(&options, &raw);                                                                            \
            all = of##_of(raw);                                                                                        \
        }                                                                                                              \
        name(name &&other) noexcept : raw(std::exchange(other.raw, nullptr)), all(other.all) {}                        \
        ~name() { mp_pool_destroy(raw); }                                                                              \
        id insert(const type &made_of) {                                                                               \
            id made;                                                                                                   \
            if (type *place = of##_insert(&all, &made)) {                                                              \
                *place = made_of;                                                                                      \
            }                                                                                                          \
            return made;                                                                                               \
        }                                                                                                              \
        void remove(id which) { of##_remove(&all, which); }                                                            \
        type *get(id which) { return of##_get(&all, which); }                                                          \
        template <typename F>                                                                                          \
        void each(F &&f) {                                                                                             \
            mp_pool_refresh(raw);                                                                                      \
            if constexpr (Form == form::runs) {                                                                        \
                mp_run run = MP_RUN;                                                                                   \
                while (type *first = of##_next_run(&all, &run)) {                                                      \
                    for (std::size_t at = 0; at < run.count; ++at) {                                                   \
                        f(first[at]);                                                                                  \
                    }                                                                                                  \
                }                                                                                                      \
            } else {                                                                                                   \
                mp_walk walk = MP_WALK;                                                                                \
                while (type *one = of##_next(&all, &walk)) {                                                           \
                    f(*one);                                                                                           \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

// The same with the functions of `MP_PACKED(of, type)`: the walk is over an array.
#define PACKED_IN_C(name, of, type)                                                                                    \
    class name {                                                                                                       \
        mp_packed *raw = nullptr;                                                                                      \
        of all{};                                                                                                      \
                                                                                                                       \
      public:                                                                                                          \
        using id = of##_id;                                                                                            \
        explicit name(std::uint32_t count) {                                                                           \
            mp_options options = MP_OPTIONS(type, count);                                                              \
            mp_packed_create(&options, &raw);                                                                          \
            all = of##_of(raw);                                                                                        \
        }                                                                                                              \
        name(name &&other) noexcept : raw(std::exchange(other.raw, nullptr)), all(other.all) {}                        \
        ~name() { mp_packed_destroy(raw); }                                                                            \
        id insert(const type &made_of) {                                                                               \
            id made;                                                                                                   \
            if (type *place = of##_insert(&all, &made)) {                                                              \
                *place = made_of;                                                                                      \
            }                                                                                                          \
            return made;                                                                                               \
        }                                                                                                              \
        void remove(id which) { of##_remove(&all, which); }                                                            \
        type *get(id which) { return of##_get(&all, which); }                                                          \
        template <typename F>                                                                                          \
        void each(F &&f) {                                                                                             \
            type *values = of##_values(&all);                                                                          \
            for (std::size_t at = 0, count = of##_count(&all); at < count; ++at) {                                     \
                f(values[at]);                                                                                         \
            }                                                                                                          \
        }                                                                                                              \
    }

template <typename T>
class packed_in_cpp {
    millpond::packed_pool<T> all;

  public:
    using id = millpond::handle<T>;
    explicit packed_in_cpp(std::uint32_t count) : all(count) {}
    id insert(const T &value) { return all.emplace(value); }
    void remove(id which) { all.remove(which); }
    T *get(id which) { return all.get(which); }
    template <typename F>
    void each(F &&f) {
        for (T &one : all) {
            f(one);
        }
    }
};

template <typename T, form Form>
class pool_in_cpp {
    millpond::pool<T> all;

  public:
    using id = millpond::handle<T>;
    explicit pool_in_cpp(std::uint32_t count) : all(count) {}
    id insert(const T &value) { return all.emplace(value); }
    void remove(id which) { all.remove(which); }
    T *get(id which) { return all.get(which); }
    template <typename F>
    void each(F &&f) {
        if constexpr (Form == form::runs) {
            for (auto run : all.runs()) {
                for (T &one : run) {
                    f(one);
                }
            }
        } else if constexpr (Form == form::one_by_one) {
            for (T &one : all) {
                f(one);
            }
        } else {
            all.for_each(f);
        }
    }
};
