// The pools of others that the benchmarks compare ours with, behind one interface: `insert`, `remove`, `get`, and `each`,
// which visits every value. What is not installed is left out. `T` is a plain value.
#pragma once

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
#if __has_include(<plf_hive.h>)
#define plf plf_of_hive // both headers define the same helpers
#include <plf_hive.h>
#undef plf
#define HAS_HIVE 1
#endif

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

// What programs write that want handles and no library: a vector of slots, each with its generation, which is odd while the
// slot is live, and a stack of free slots.
template <typename T>
class slot_map {
    struct slot {
        T value;
        std::uint32_t generation;
    };
    std::vector<slot> slots;
    std::vector<std::uint32_t> free_slots;

  public:
    struct id {
        std::uint32_t index, generation;
    };
    explicit slot_map(std::uint32_t count) {
        slots.reserve(count);
        free_slots.reserve(count);
    }
    id insert(const T &value) {
        if (free_slots.empty()) {
            slots.push_back({value, 1});
            return {static_cast<std::uint32_t>(slots.size() - 1), 1};
        }
        const std::uint32_t index = free_slots.back();
        free_slots.pop_back();
        slots[index].value = value;
        return {index, ++slots[index].generation};
    }
    T *get(id which) {
        return which.index < slots.size() && slots[which.index].generation == which.generation ? &slots[which.index].value
                                                                                               : nullptr;
    }
    bool remove(id which) {
        if (get(which) == nullptr) {
            return false;
        }
        ++slots[which.index].generation;
        free_slots.push_back(which.index);
        return true;
    }
    template <typename F>
    void each(F &&f) {
        for (slot &one : slots) {
            if ((one.generation & 1) != 0) {
                f(one.value);
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

#ifdef HAS_HIVE
// No handles either.
template <typename T>
class hive {
    plf_of_hive::hive<T> all;

  public:
    using id = typename plf_of_hive::hive<T>::iterator;
    explicit hive(std::uint32_t count) { all.reserve(count); }
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
