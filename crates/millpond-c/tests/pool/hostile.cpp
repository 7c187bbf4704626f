#pragma once
#include "root.unity.h" // IWYU pragma: keep

namespace {

struct aggregate {
    int number;
    float x = 1.5f, y = 2.5f;
};

// Its address is not what `&` says.
struct shy {
    int number;
    shy *operator&() { return nullptr; }
    const shy *operator&() const { return nullptr; }
};

struct nothing {};

// Neither copied, nor compared but by `<`, nor made of nothing.
struct only_less {
    std::unique_ptr<int> of;
    explicit only_less(int number) : of(new int(number)) {}
    friend bool operator<(const only_less &a, const only_less &b) { return *a.of < *b.of; }
};

struct restless;
struct crowd {
    millpond::pool<restless> *pool = nullptr;
    std::uint64_t random = 88172645463325252u;
    int alive = 0, depth = 0;

    std::uint64_t next() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        return random;
    }
};
crowd everyone;

// As its object ends, it removes others or itself, inserts, or clears.
struct restless {
    restless() { ++everyone.alive; }
    restless(const restless &) = delete;
    restless &operator=(const restless &) = delete;
    ~restless();
};

millpond::handle<restless> any() {
    return everyone.pool->handle_at(everyone.next() % everyone.pool->capacity());
}

restless::~restless() {
    --everyone.alive;
    CHECK(!everyone.pool->handle_of(*this));
    if (everyone.depth > 3) {
        return;
    }
    ++everyone.depth;
    for (std::uint64_t steps = everyone.next() % 4; steps > 0; --steps) {
        const std::uint64_t what = everyone.next() % 32;
        if (what < 14) {
            everyone.pool->remove(any());
        } else if (what < 28) {
            everyone.pool->emplace();
        } else if (what < 30) {
            everyone.pool->emplace_or_evict([](const restless &) { return everyone.next() % 5; });
        } else if (what == 30) {
            everyone.pool->for_each([](restless &) { everyone.pool->remove(any()); });
        } else {
            everyone.pool->clear();
        }
        CHECK(everyone.pool->size() == static_cast<std::size_t>(everyone.alive));
    }
    --everyone.depth;
}

} // namespace

static void values_of_every_kind() {
    millpond::pool<aggregate> aggregates(3);
    CHECK(aggregates[aggregates.emplace(4)].x == 1.5f);
    const auto made = aggregates.emplace(5, 2.0f, 3.0f);
    CHECK(aggregates[made].y == 3.0f && aggregates[aggregates.emplace()].number == 0);
    millpond::pool<shy> hidden(2);
    const auto one = hidden.emplace(shy{7}), two = hidden.emplace();
    CHECK(hidden.handle_of(hidden[two]) == two && hidden.handle_of(hidden[one]) == one && hidden[one].number == 7);
    millpond::pool<nothing> empty(70);
    while (empty.emplace()) {
    }
    CHECK(empty.size() == 70);
    std::size_t count = 0;
    for (const nothing &each : empty) {
        static_cast<void>(each);
        ++count;
    }
    CHECK(count == 70);
}

static void each_key_is_asked_for_once() {
    millpond::pool<int> numbers(70);
    for (int i = 0; i < 70; ++i) {
        numbers.emplace((i * 31) % 70 + 10);
    }
    int asked = 0;
    const auto key = [&](int number) {
        ++asked;
        return only_less(number);
    };
    const auto [made, gone] = numbers.emplace_or_evict(key, 5);
    CHECK(asked == 70 && gone.index() == 0 && numbers[made] == 5 && numbers.size() == 70);
}

static void pools_are_moved_and_assigned_with_what_lives_in_them() {
    millpond::pool<std::unique_ptr<int>> all(4), more(2), none;
    const auto seven = all.emplace(new int(7));
    more.emplace(new int(8));
    auto &same = all;
    all = std::move(same);
    CHECK(*all[seven] == 7 && all.size() == 1);
    // The values of the pool that is replaced are destroyed.
    more = std::move(all);
    CHECK(*more[seven] == 7 && more.capacity() == 4 && all.raw() == nullptr && all.status() == MP_NULL_POINTER);
    CHECK(!all.remove(seven) && all.get(seven) == nullptr && all.begin() == all.end() && !all.handle_at(0));
    CHECK(all.stats().capacity == 0 && !all.emplace_or_evict([](const auto &) { return 1; }, nullptr));
    all.clear();
    none.swap(more);
    CHECK(*none[seven] == 7 && more.empty());
    more = std::move(all);
    CHECK(more.capacity() == 0);
    millpond::snapshot<int> past(4), other(std::move(past));
    millpond::pool<int> numbers(4), gone;
    CHECK(past.save(numbers) == MP_NULL_POINTER && other.save(gone) == MP_NULL_POINTER);
    CHECK(other.save(numbers) == MP_OK && other.restore(gone) == MP_NULL_POINTER);
    millpond::pool<int> too_large(UINT32_MAX, [] {
        millpond::options refusing;
        refusing.take = [](std::size_t, std::size_t, void *) -> void * { return nullptr; };
        refusing.give = [](void *, std::size_t, std::size_t, void *) {};
        return refusing;
    }());
    CHECK(too_large.status() == MP_OUT_OF_MEMORY && !too_large.emplace(1));
}

static void destructors_change_a_pool_of_any_order() {
    for (std::uint32_t order = MP_LIFO; order <= MP_ROSTER; ++order) {
        for (std::uint32_t flags : {0u, MP_FILLED, MP_WRAP}) {
            millpond::options with;
            with.order = order;
            with.flags = flags;
            with.lifetimes = flags == MP_FILLED ? 40 : 0;
            millpond::pool<restless> all(70, with);
            everyone.pool = &all;
            for (int i = 0; i < 4000; ++i) {
                if (everyone.next() % 5 < 3) {
                    all.emplace();
                } else {
                    all.remove(any());
                }
                if (i % 16 == 0) {
                    CHECK(mp_pool_validate(all.raw(), nullptr, 0) == MP_OK);
                }
                std::size_t seen = 0;
                for (const restless &each : all) {
                    CHECK(all.handle_of(each));
                    ++seen;
                }
                CHECK(seen == all.size() && seen == static_cast<std::size_t>(everyone.alive));
            }
            everyone.depth = 9;
            all.clear();
            everyone.depth = 0;
            CHECK(everyone.alive == 0 && mp_pool_validate(all.raw(), nullptr, 0) == MP_OK);
        }
    }
}

#if defined(__cpp_exceptions)
namespace {

struct fragile {
    static inline int alive = 0;
    explicit fragile(int number) {
        if (number < 0) {
            throw number;
        }
        ++alive;
    }
    fragile(const fragile &) = delete;
    fragile &operator=(const fragile &) = delete;
    ~fragile() { --alive; }
};

} // namespace

static void what_throws_leaves_a_sound_pool_of_any_order() {
    for (std::uint32_t order = MP_LIFO; order <= MP_ROSTER; ++order) {
        millpond::options with;
        with.order = order;
        millpond::pool<fragile> all(9, with);
        int caught = 0;
        for (int i = 0; i < 200; ++i) {
            try {
                if (i % 3 == 0) {
                    all.emplace_or_evict([&](const fragile &) -> int { return i % 2 == 0 ? throw 1 : 1; }, i);
                } else {
                    all.emplace(i % 5 == 0 ? -1 : i);
                }
            } catch (int) {
                ++caught;
            }
            CHECK(all.size() == static_cast<std::size_t>(fragile::alive));
            CHECK(mp_pool_validate(all.raw(), nullptr, 0) == MP_OK);
            if (i % 4 == 0) {
                all.remove(all.handle_at(static_cast<std::size_t>(i) % 9));
            }
        }
        try {
            all.retain([](const fragile &) -> bool { throw 1; });
        } catch (int) {
            ++caught;
        }
        CHECK(caught > 20 && all.size() == static_cast<std::size_t>(fragile::alive));
    }
    CHECK(fragile::alive == 0);
}
#endif
