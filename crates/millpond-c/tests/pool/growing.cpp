#pragma once
#include "root.unity.h" // IWYU pragma: keep

namespace {

// Owns something, is moved from at most once before it ends, and knows where it is.
struct settler {
    static int alive, moves;
    std::unique_ptr<int> owned;
    const settler *self = this;
    explicit settler(int number) : owned(new int(number)) {
#if defined(__cpp_exceptions)
        if (number < 0) {
            throw number;
        }
#endif
        ++alive;
    }
    settler(settler &&other) noexcept : owned(std::move(other.owned)) {
        CHECK(owned != nullptr && other.self == &other);
        ++alive;
        ++moves;
    }
    settler &operator=(settler &&) = delete;
    ~settler() {
        CHECK(self == this);
        --alive;
    }
};
int settler::alive = 0, settler::moves = 0;

struct alignas(64) line {
    int number;
};
struct alignas(4096) page {
    std::unique_ptr<int> owned;
};

// Changes its pool as it is made, and as its object ends.
struct gardener;
struct garden {
    millpond::vec_pool<gardener> *pool = nullptr;
    std::uint64_t random = 88172645463325252u;
    int depth = 0;

    std::uint64_t next() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        return random;
    }
};
garden everywhere;

struct gardener {
    static int alive;
    bool is_moved = false;
    std::unique_ptr<int> owned{new int(7)};
    gardener() {
        ++alive;
        meddle();
    }
    gardener(gardener &&other) noexcept : owned(std::move(other.owned)) {
        other.is_moved = true;
        ++alive;
    }
    ~gardener() {
        --alive;
        if (!is_moved) {
            CHECK(*owned == 7 && !everywhere.pool->handle_of(*this));
            meddle();
        }
    }
    void meddle();
};
int gardener::alive = 0;

void gardener::meddle() {
    if (everywhere.depth > 3) {
        return;
    }
    ++everywhere.depth;
    millpond::vec_pool<gardener> &pool = *everywhere.pool;
    for (std::uint64_t steps = everywhere.next() % 4; steps > 0; --steps) {
        const std::uint64_t what = everywhere.next() % 32;
        const auto any = pool.capacity() == 0 ? millpond::handle<gardener>()
                                              : pool.handle_at(everywhere.next() % pool.capacity());
        if (what < 14) {
            pool.remove(any);
        } else if (what < 28) {
            pool.emplace();
        } else if (what < 29) {
            pool.emplace_or_evict([](const gardener &) { return everywhere.next() % 5; });
        } else if (what < 30) {
            CHECK(pool.reserve(everywhere.next() % 9) != MP_OUT_OF_MEMORY);
        } else if (what == 30) {
            pool.for_each([&](gardener &) { pool.remove(any); });
        } else {
            pool.clear();
        }
        for (gardener &each : pool) {
            CHECK(*each.owned == 7 && !each.is_moved);
        }
    }
    --everywhere.depth;
}

// Its move constructor changes the pool, which it must not.
struct busybody {
    static inline millpond::vec_pool<busybody> *pool = nullptr;
    static inline int moves = 0, refused = 0;
    int number;
    explicit busybody(int of) : number(of) {}
    busybody(busybody &&other) noexcept : number(other.number) {
        ++moves;
#if defined(NDEBUG)
        if (pool != nullptr) {
            const std::size_t before = pool->size();
            CHECK(!pool->emplace(1) && !pool->remove(pool->handle_at(0)) && pool->reserve(1000) == MP_BAD_OPTIONS);
            CHECK(!pool->emplace_or_evict([](const busybody &each) { return each.number; }, 1));
            pool->clear();
            CHECK(pool->size() == before);
            ++refused;
        }
#endif
    }
    ~busybody() {}
};

} // namespace

static void values_of_a_pool_that_grows_move_and_end_once_each() {
    {
        millpond::vec_pool<settler> all;
        std::vector<millpond::handle<settler>> handles;
        CHECK(all.status() == MP_OK && all.capacity() == 0 && all.empty() && all.begin() == all.end() && !all.handle_at(0));
        for (int i = 0; i < 500; ++i) {
            handles.push_back(all.emplace(i));
            CHECK(handles.back() && settler::alive == i + 1 && all.size() == static_cast<std::size_t>(i) + 1);
        }
        CHECK(all.capacity() == 512 && settler::moves == 500 + 508);
        for (int i = 0; i < 500; i += 3) {
            CHECK(all.remove(handles[static_cast<std::size_t>(i)]) && !all.remove(handles[static_cast<std::size_t>(i)]));
        }
        CHECK(settler::alive == 333 && all.reserve(1000) == MP_OK && all.capacity() == 1333 && settler::alive == 333);
        for (int i = 0; i < 500; ++i) {
            const settler *found = all.get(handles[static_cast<std::size_t>(i)]);
            CHECK((found == nullptr) == (i % 3 == 0) && (found == nullptr || *found->owned == i));
        }
        int visited = 0;
        for (auto [which, each] : all.each()) {
            CHECK(&all[which] == &each && which == handles[static_cast<std::size_t>(*each.owned)]);
            ++visited;
        }
        const auto &fixed = all;
        for (const auto [which, each] : fixed.each()) {
            CHECK(fixed.get(which) == &each);
            ++visited;
        }
        for (auto at = all.begin(); at != all.end(); ++at) {
            CHECK(at.handle() == handles[at.index()] && all.handle_of(*at) == at.handle());
            ++visited;
        }
        for (auto at = fixed.begin(); at != fixed.end(); ++at) {
            CHECK(at.handle() == handles[at.index()]);
        }
        for (auto run : all.runs()) {
            visited += static_cast<int>(run.size());
        }
        CHECK(visited == 4 * 333);
        // The pool of millpond.h moves values by their constructors, too.
        mp_handle made;
        for (int i = 0; i < 1000; ++i) {
            ::new (mp_insert(all.raw(), &made)) settler(i);
        }
        CHECK(settler::alive == 1333 && all.size() == 1333 && all.capacity() == 1333);
        ::new (mp_insert(all.raw(), &made)) settler(7);
        CHECK(all.capacity() == 2666 && *all.get(handles[499])->owned == 499);
        // A pool that is moved from has no slots, and gets none.
        millpond::vec_pool<settler> more(std::move(all));
        CHECK(more.size() == 1334 && all.empty() && !all.emplace(1) && all.reserve(1) == MP_NULL_POINTER);
        CHECK(all.capacity_max() == 0 && all.status() == MP_NULL_POINTER && settler::alive == 1334);
        all = millpond::vec_pool<settler>(3);
        CHECK(all.emplace(3) && settler::alive == 1335);
        more = std::move(all);
        CHECK(settler::alive == 1 && more.capacity() == 3);
        more.retain([](const settler &) { return false; });
        CHECK(settler::alive == 0 && more.emplace(4));
        more.clear();
        CHECK(settler::alive == 0 && more.emplace(4) && mp_pool_validate(more.raw(), nullptr, 0) == MP_OK);
    }
    CHECK(settler::alive == 0);
}

static void arguments_may_refer_to_values_of_a_pool_that_grows() {
    millpond::vec_pool<std::vector<int>> lists;
    const auto first = lists.emplace(std::vector<int>{1, 2, 3});
    millpond::vec_pool<long> numbers;
    const auto one = numbers.emplace(77);
    for (int i = 0; i < 300; ++i) {
        CHECK(lists[lists.emplace(lists[first])].size() == 3);
        CHECK(numbers[numbers.emplace(numbers[one])] == 77);
    }
}

static void what_is_inserted_while_a_pool_is_visited_ends_no_visit() {
    millpond::vec_pool<settler> all;
    for (int i = 0; i < 100; ++i) {
        all.emplace(i);
    }
    int visited = 0;
    all.for_each([&](millpond::handle<settler> which, settler &) {
        ++visited;
        all.emplace(1000);
        all.emplace(1000);
        if (visited % 2 == 0) {
            CHECK(all.remove(which));
        }
    });
    CHECK(visited >= 100 && visited <= 128 && all.size() == 100 + static_cast<std::size_t>(2 * visited - visited / 2));
    std::size_t kept = 0;
    all.retain([&](settler &each) {
        const bool is_old = *each.owned < 100;
        kept += is_old;
        return is_old;
    });
    CHECK(all.size() == kept && settler::alive == static_cast<int>(kept));
}

static void pools_that_grow_keep_alignments_and_limits() {
    millpond::vec_pool<line> lines(1);
    millpond::vec_pool<page> pages;
    for (int i = 0; i < 40; ++i) {
        const auto of_line = lines.emplace(i);
        const auto of_page = pages.emplace(page{std::make_unique<int>(i)});
        CHECK(reinterpret_cast<std::uintptr_t>(lines.get(of_line)) % 64 == 0 && lines[of_line].number == i);
        CHECK(reinterpret_cast<std::uintptr_t>(pages.get(of_page)) % 4096 == 0 && *pages[of_page].owned == i);
    }
    for (const page &each : pages) {
        CHECK(each.owned != nullptr);
    }
    millpond::options with;
    with.slots_max = 5;
    with.name = "few";
    millpond::vec_pool<settler> few(0, with);
    const auto number = [](const settler &each) { return *each.owned; };
    for (int i = 0; i < 5; ++i) {
        const auto [made, evicted] = few.emplace_or_evict(number, 10 - i);
        CHECK(made && !evicted);
    }
    CHECK(few.capacity_max() == 5 && few.capacity() == 5 && !few.emplace(1) && few.stats().refused == 1);
    CHECK(few.reserve(1) == MP_TOO_MANY_SLOTS && settler::alive == 5);
    const auto least = few.handle_at(4);
    const auto [made, evicted] = few.emplace_or_evict(number, *few[least].owned);
    CHECK(*few[made].owned == 6 && evicted == least && !few.contains(evicted) && settler::alive == 5);
    CHECK(few.stats().evicted == 1);
    // Capacities that no pool has.
    millpond::vec_pool<int> many(6, with), huge(SIZE_MAX);
    CHECK(many.status() == MP_BAD_OPTIONS && huge.status() == MP_BAD_OPTIONS && !many.emplace(1) && huge.empty());
    // Rollback of values that are copied as bytes, also into fewer slots and more.
    millpond::vec_pool<int> now, past;
    CHECK(past.copy_from(now) == MP_OK);
    std::vector<millpond::handle<int>> handles;
    for (int i = 0; i < 70; ++i) {
        handles.push_back(now.emplace(i));
        CHECK(i != 9 || past.copy_from(now) == MP_OK);
    }
    CHECK(past.capacity() == 16 && past.size() == 10 && past[handles[9]] == 9 && !past.contains(handles[10]));
    CHECK(now.copy_from(past) == MP_OK && now.capacity() == 16 && now[handles[9]] == 9 && !now.contains(handles[69]));
    CHECK(now.copy_from(many) == MP_NULL_POINTER && many.copy_from(now) == MP_NULL_POINTER && now.size() == 10);
}

static void constructors_and_destructors_may_use_a_pool_that_grows() {
    for (std::uint32_t order = MP_LIFO; order <= MP_ROSTER; ++order) {
        for (const std::uint32_t limit : {0u, 40u}) {
            millpond::options with;
            with.order = order;
            with.slots_max = limit;
            millpond::vec_pool<gardener> pool(0, with);
            everywhere.pool = &pool;
            for (int i = 0; i < 300; ++i) {
                if (i % 3 == 2 && pool.capacity() > 0) {
                    pool.remove(pool.handle_at(everywhere.next() % pool.capacity()));
                } else {
                    pool.emplace();
                }
                CHECK(pool.size() == static_cast<std::size_t>(gardener::alive));
                CHECK(mp_pool_validate(pool.raw(), nullptr, 0) == MP_OK);
                if (pool.size() > 3000) {
                    pool.clear();
                }
            }
            everywhere.depth = 9;
            pool.clear();
            everywhere.depth = 0;
            CHECK(gardener::alive == 0);
        }
    }
}

static void what_moves_changes_no_pool_that_grows() {
    millpond::vec_pool<busybody> all;
    busybody::pool = &all;
    for (int i = 0; i < 9; ++i) {
        CHECK(all.emplace(i));
    }
    CHECK(all.remove(all.handle_at(3)) && all.size() == 8 && all.reserve(100) == MP_OK);
#if defined(NDEBUG)
    const bool are_refused = true;
#else
    const bool are_refused = false; // an assertion would end the program
#endif
    CHECK(busybody::moves > 20 && busybody::refused == (are_refused ? busybody::moves : 0));
    int sum = 0;
    for (const busybody &each : all) {
        sum += each.number;
    }
    CHECK(sum == 36 - 3);
    busybody::pool = nullptr;
}

static void loops_give_handles_with_values() {
    millpond::pool<int> numbers(100);
    millpond::packed_pool<int> packed(100);
    for (int i = 0; i < 100; ++i) {
        numbers.emplace(i);
        packed.emplace(i);
    }
    numbers.remove(numbers.handle_at(50));
    packed.remove(packed.handle_at(50));
    int visited = 0;
    for (auto [which, number] : numbers.each()) {
        CHECK(numbers[which] == number);
        number += 1000;
        visited++;
        if (number % 3 == 0) {
            CHECK(numbers.remove(which));
        }
    }
    CHECK(visited == 99 && numbers.begin().handle() == numbers.handle_at(0) && *numbers.begin() == 1000);
    for (auto [which, number] : packed.each()) {
        CHECK(packed.handle_of(number) == which);
        number = -number;
        visited++;
    }
    const auto &fixed = packed;
    for (const auto &[which, number] : fixed.each()) {
        CHECK(fixed[which] == number && number <= 0);
        visited++;
    }
    CHECK(visited == 3 * 99);
    // A value that a removal moves into the gap has been visited, and one that is inserted is not.
    visited = 0;
    for (auto [which, number] : packed.each()) {
        visited++;
        const bool is_odd = number % 2 != 0;
        CHECK(packed[which] == number);
        if (is_odd) {
            CHECK(packed.remove(which) && packed.emplace(0) && packed.size() == 99);
        }
    }
    CHECK(visited == 99);
    // After others are removed, it goes on within what is left.
    visited = 0;
    for (auto [which, number] : packed.each()) {
        CHECK(packed.contains(which) && packed[which] == number);
        visited++;
        while (packed.size() > 10) {
            packed.remove(packed.handle_at(0));
        }
    }
    CHECK(visited == 11 && packed.size() == 10);
    for (auto [which, number] : packed.each()) {
        CHECK(number % 2 == 0);
        packed.clear();
        CHECK(!packed.contains(which));
        break;
    }
    for (auto [which, number] : millpond::packed_pool<int>().each()) {
        CHECK(!which && number == 0);
    }
    // What is removed at an iterator has no handle any more.
    auto at = numbers.begin();
    const auto first = at.handle();
    CHECK(numbers.remove(first) && !at.handle() && at.index() == 0);
    for (auto [which, number] : millpond::pool<int>().each()) {
        CHECK(!which && number == 0);
    }
}

#if defined(__cpp_exceptions)
static void a_value_that_throws_was_never_in_a_pool_that_grows() {
    for (std::uint32_t order = MP_LIFO; order <= MP_ROSTER; ++order) {
        millpond::options with;
        with.order = order;
        with.slots_max = 50;
        millpond::vec_pool<settler> all(0, with);
        int caught = 0;
        for (int i = 0; i < 200; ++i) {
            const std::size_t size = all.size();
            try {
                if (i % 3 == 0) {
                    all.emplace_or_evict([&](const settler &) -> int { return i % 2 == 0 ? throw 1 : 1; }, i % 9 == 0 ? -1 : i);
                } else {
                    all.emplace(i % 4 == 0 ? -1 : i);
                }
            } catch (int) {
                ++caught;
                CHECK(all.size() == size);
            }
            CHECK(all.size() == static_cast<std::size_t>(settler::alive));
            CHECK(mp_pool_validate(all.raw(), nullptr, 0) == MP_OK);
        }
        CHECK(caught > 50 && all.size() == 50);
    }
    CHECK(settler::alive == 0);
}
#endif
