// The pools that the benchmarks compare, behind one interface: `insert`, `remove`, `get`, and `each`, which visits every
// value. What is not installed is left out. `T` is a plain value.
#pragma once

#include <millpond.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#if __has_include(<boost/pool/object_pool.hpp>)
#include <boost/pool/pool.hpp>
#define HAS_BOOST 1
#endif
#if __has_include(<plf_colony.h>)
#include <plf_colony.h>
#define HAS_COLONY 1
#endif
#if __has_include(<entt/entt.hpp>)
#include <entt/entt.hpp>
#define HAS_ENTT 1
#endif

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

// No pool: an array of values without holes, whose last value moves into the place of one that is removed. An id leads to a
// place, and nothing finds out that it is old. What is walked over is as little as can be.
template <typename T>
class bare_array {
    std::vector<T> values;
    std::vector<std::uint32_t> ids, places, free_ids; // the id of each value, the place of each id
    std::uint32_t issued = 0;

  public:
    using id = std::uint32_t;
    explicit bare_array(std::uint32_t count) : places(count) {
        values.reserve(count);
        ids.reserve(count);
        free_ids.reserve(count);
    }
    id insert(const T &value) {
        id made = free_ids.empty() ? issued++ : free_ids.back();
        if (!free_ids.empty()) {
            free_ids.pop_back();
        }
        places[made] = static_cast<std::uint32_t>(values.size());
        values.push_back(value);
        ids.push_back(made);
        return made;
    }
    T *get(id which) { return &values[places[which]]; }
    void remove(id which) {
        std::uint32_t place = places[which];
        values[place] = values.back();
        ids[place] = ids.back();
        places[ids[place]] = place;
        values.pop_back();
        ids.pop_back();
        free_ids.push_back(which);
    }
    template <typename F>
    void each(F &&f) {
        for (T &one : values) {
            f(one);
        }
    }
};

// A pool after sokol's scheme: a free list of slot numbers, a generation in the upper bits of a 32-bit id, slot 0 unused.
template <typename T>
class sokol {
    struct slot {
        alignas(T) unsigned char bytes[sizeof(T)];
    };
    std::vector<slot> slots;
    std::vector<std::uint32_t> generations, ids, queue;
    std::size_t top = 0;

    T *at(std::uint32_t number) { return reinterpret_cast<T *>(&slots[number]); }

  public:
    using id = std::uint32_t;
    explicit sokol(std::uint32_t count) : slots(count + 1), generations(count + 1), ids(count + 1) {
        for (std::uint32_t number = count; number >= 1; --number) {
            queue.push_back(number);
        }
        top = queue.size();
    }
    id insert(const T &value) {
        if (top == 0) {
            return 0;
        }
        std::uint32_t number = queue[--top];
        new (at(number)) T(value);
        return ids[number] = ++generations[number] << 17 | number;
    }
    T *get(id which) {
        std::uint32_t number = which & 0x1ffff;
        return number != 0 && number < slots.size() && ids[number] == which ? at(number) : nullptr;
    }
    bool remove(id which) {
        if (get(which) == nullptr) {
            return false;
        }
        std::uint32_t number = which & 0x1ffff;
        ids[number] = 0;
        queue[top++] = number;
        return true;
    }
    template <typename F>
    void each(F &&f) {
        for (std::uint32_t number = 1; number < slots.size(); ++number) {
            if (ids[number] != 0) {
                f(*at(number));
            }
        }
    }
};

#ifdef HAS_BOOST
// Neither handles nor walks.
template <typename T>
class boost_pool {
    boost::pool<> all{sizeof(T)};

  public:
    using id = T *;
    explicit boost_pool(std::uint32_t count) { all.set_next_size(count); }
    id insert(const T &value) { return new (all.malloc()) T(value); }
    void remove(id which) { all.free(which); }
    T *get(id which) { return which; }
    template <typename F>
    void each(F &&) {}
};
#endif

#ifdef HAS_COLONY
// No handles: an iterator of a value that is gone is undefined behaviour.
template <typename T>
class colony {
    plf::colony<T> all;

  public:
    using id = typename plf::colony<T>::iterator;
    explicit colony(std::uint32_t count) { all.reserve(count); }
    id insert(const T &value) { return all.insert(value); }
    void remove(id which) { all.erase(which); }
    T *get(id which) { return &*which; }
    template <typename F>
    void each(F &&f) {
        for (T &one : all) {
            f(one);
        }
    }
};
#endif

#ifdef HAS_ENTT
template <typename T>
class entt_registry {
    entt::registry all;

  public:
    using id = entt::entity;
    explicit entt_registry(std::uint32_t) {}
    id insert(const T &value) {
        id made = all.create();
        all.emplace<T>(made, value);
        return made;
    }
    void remove(id which) { all.destroy(which); }
    T *get(id which) { return all.valid(which) ? &all.get<T>(which) : nullptr; }
    template <typename F>
    void each(F &&f) {
        for (auto [entity, one] : all.view<T>().each()) {
            f(one);
        }
    }
};

// EnTT's storages without a registry, which would look for an entity in the storages of all types when it dies. The
// values are adjacent, so a removal moves one; with `T::in_place_delete` they stay where they are.
template <typename T>
class entt_storage {
    entt::storage<entt::entity> entities;
    entt::storage<T> values;

  public:
    using id = entt::entity;
    explicit entt_storage(std::uint32_t count) {
        entities.reserve(count);
        values.reserve(count);
    }
    id insert(const T &value) {
        id made = entities.generate();
        values.emplace(made, value);
        return made;
    }
    void remove(id which) {
        values.erase(which);
        entities.erase(which);
    }
    T *get(id which) { return values.contains(which) ? &values.get(which) : nullptr; }
    template <typename F>
    void each(F &&f) {
        if constexpr (entt::component_traits<T>::in_place_delete) {
            for (auto [entity, one] : entt::basic_view{values}.each()) {
                f(one);
            }
        } else {
            for (T &one : values) {
                f(one);
            }
        }
    }
};
#endif
