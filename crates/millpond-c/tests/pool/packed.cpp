#pragma once
#include "root.unity.h" // IWYU pragma: keep

namespace {

// Knows how many of it there are, and is moved from at most once.
struct mover {
    static int alive;
    std::unique_ptr<int> owned;
    explicit mover(int number) : owned(new int(number)) { ++alive; }
    mover(mover &&other) noexcept : owned(std::move(other.owned)) {
        CHECK(owned != nullptr);
        ++alive;
    }
    mover &operator=(mover &&) = delete;
    ~mover() { --alive; }
};
int mover::alive = 0;

struct twig;
millpond::packed_pool<twig> *twigs = nullptr;

// Changes its pool as its object ends; a value that was moved from does nothing.
struct twig {
    int number;
    millpond::handle<twig> self, child;
    bool is_moved = false, begins = false, clears = false;
    static int ends;
    explicit twig(int of) : number(of) {}
    twig(twig &&other) noexcept
        : number(other.number), self(other.self), child(other.child), begins(other.begins), clears(other.clears) {
        other.is_moved = true;
    }
    ~twig() {
        if (!is_moved && self) {
            ++ends;
            CHECK(!twigs->contains(self) && !twigs->remove(self) && !twigs->handle_of(*this));
            CHECK(mp_packed_validate(twigs->raw(), nullptr, 0) == MP_OK);
            twigs->remove(child);
            if (begins) {
                CHECK(twigs->emplace(number + 100));
            }
            if (clears) {
                twigs->clear();
            }
            for (twig &each : *twigs) {
                CHECK(each.number >= 0 && !each.is_moved);
            }
        }
    }
};
int twig::ends = 0;

struct alignas(256) wide_mover {
    std::unique_ptr<int> owned;
};

struct pair_of {
    int first;
    double second;
};

struct heir;
millpond::packed_pool<heir> *heirs = nullptr;

// Looks for a place for another as it ends.
struct heir {
    int number;
    bool is_moved = false;
    static int refused;
    explicit heir(int of) : number(of) {}
    heir(heir &&other) noexcept : number(other.number) { other.is_moved = true; }
    ~heir() {
        if (!is_moved && heirs != nullptr && !heirs->emplace(100)) {
            ++refused;
        }
    }
};
int heir::refused = 0;

#if defined(NDEBUG)
struct meddler;
millpond::packed_pool<meddler> *meddlers = nullptr;

// Changes its pool when it must not: as it moves, and in the destructor of what was moved from.
struct meddler {
    int number;
    static int moves;
    explicit meddler(int of) : number(of) {}
    meddler(meddler &&other) noexcept : number(other.number) {
        ++moves;
        meddle();
    }
    ~meddler() {
        if (moves > 0) {
            meddle();
        }
    }
    static void meddle() {
        const auto key = [](const meddler &each) { return each.number; };
        const std::size_t size = meddlers->size();
        if (moves % 2 == 1) {
            ++moves;
            CHECK(!meddlers->emplace(7) && !meddlers->emplace_or_evict(key, 7));
            CHECK(!meddlers->remove(meddlers->handle_at(0)));
            meddlers->clear();
            CHECK(meddlers->size() == size);
        }
    }
};
int meddler::moves = 0;
#endif

} // namespace

static void packed_values_are_an_array() {
    millpond::packed_pool<int> all(100);
    CHECK(all.status() == MP_OK && all.capacity() == 100 && all.empty() && all.begin() == all.end());
    std::vector<millpond::handle<int>> handles;
    for (int i = 0; i < 100; ++i) {
        handles.push_back(all.emplace(i));
        CHECK(handles.back() && all[handles.back()] == i);
        CHECK(all.handle_at(static_cast<std::size_t>(i)) == handles.back());
    }
    CHECK(!all.emplace(5) && all.stats().refused == 1 && all.size() == 100);
    CHECK(all.remove(handles[0]) && !all.remove(handles[0]));
    CHECK(all.get(handles[0]) == nullptr && !all.contains(handles[0]));
    CHECK(all.data()[0] == 99 && all.get(handles[99]) == all.data() && all.handle_of(*all.begin()) == handles[99]);
    int expected = 98, visits = 0;
    all.for_each([&](millpond::handle<int> which, int &each) {
        // From the last to the first, where the value that was last is now.
        CHECK(&all[which] == &each && each == (expected == 0 ? 99 : expected));
        --expected;
        if (each % 2 == 0) {
            CHECK(all.remove(which));
        }
    });
    CHECK(expected == -1 && all.size() == 50 && all.end() - all.begin() == 50);
    // Each one comes, though others go and come meanwhile.
    std::vector<int> met;
    all.for_each([&](int &each) {
        met.push_back(each);
        if (++visits == 10) {
            CHECK(all.remove(all.handle_at(3)) && all.remove(all.handle_at(all.size() - 1)) && all.emplace(101));
        }
    });
    CHECK(met.size() >= 49 && all.size() == 49);
    for (int each : all) {
        CHECK(each == 101 || std::find(met.begin(), met.end(), each) != met.end());
    }
    all.clear();
    for (int i = 0; i < 100; ++i) {
        CHECK(all.emplace(i));
    }
    all.retain([](int each) { return each % 2 == 1; });
    CHECK(all.size() == 50 && all.end() - all.begin() == 50);
    const millpond::packed_pool<int> &shared = all;
    int sum = 0;
    for (const int &each : shared) {
        CHECK(each % 2 == 1 && *shared.get(shared.handle_of(each)) == each && shared[shared.handle_of(each)] == each);
        sum += each;
    }
    CHECK(sum == 2500 && shared.cend() - shared.cbegin() == 50 && shared.data() == &*shared.begin());
    CHECK(!all.handle_at(50) && !all.handle_at(SIZE_MAX) && !all.handle_of(sum) && !all.handle_of(*all.end()));
    CHECK(!all.contains(millpond::handle<int>()) && all.get(millpond::handle<int>::from_bits(~0ull)) == nullptr);
    millpond::packed_pool<int> moved(std::move(all));
    CHECK(moved.size() == 50 && all.capacity() == 0 && all.raw() == nullptr && !all.emplace(1) && all.empty());
    CHECK(all.begin() == all.end() && !all.handle_at(0) && all.stats().capacity == 0);
    all.clear();
    all = std::move(moved);
    CHECK(all.size() == 50 && all.emplace(7) && mp_packed_validate(all.raw(), nullptr, 0) == MP_OK);
    millpond::packed_pool<char> huge(std::size_t{1} << 32), none(0);
    CHECK(huge.status() == MP_BAD_OPTIONS && huge.raw() == nullptr && !huge.emplace('x'));
    CHECK(none.status() == MP_OK && !none.emplace('x') && none.stats().refused == 1);
#if defined(__cpp_lib_ranges)
    static_assert(std::ranges::contiguous_range<millpond::packed_pool<int>>);
    static_assert(std::ranges::sized_range<const millpond::packed_pool<int>>);
#endif
    millpond::packed_pool<pair_of> aggregates(1);
    CHECK(aggregates[aggregates.emplace(1, 2.0)].second == 2.0 && !aggregates.emplace(1, 2.0));
}

static void packed_values_move_and_end_once_each() {
    {
        millpond::packed_pool<mover> all(50);
        std::vector<millpond::handle<mover>> handles;
        std::vector<int> numbers;
        std::uint64_t random = 3;
        for (int step = 0; step < 2000; ++step) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const std::size_t at = handles.empty() ? 0 : (random >> 33) % handles.size();
            if (handles.empty() || (random >> 60) % 2 == 0) {
                millpond::handle<mover> made = all.emplace(step);
                CHECK(static_cast<bool>(made) == (handles.size() < 50));
                if (made) {
                    handles.push_back(made);
                    numbers.push_back(step);
                }
            } else {
                CHECK(all.remove(handles[at]) && all.get(handles[at]) == nullptr);
                handles.erase(handles.begin() + static_cast<std::ptrdiff_t>(at));
                numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(at));
            }
            CHECK(all.size() == handles.size() && mover::alive == static_cast<int>(handles.size()));
            for (std::size_t each = 0; each < handles.size(); ++each) {
                CHECK(*all[handles[each]].owned == numbers[each]);
            }
        }
        CHECK(mp_packed_validate(all.raw(), nullptr, 0) == MP_OK && all.emplace(1));
        all.clear();
        CHECK(mover::alive == 0 && all.empty() && all.emplace(1) && all.emplace(2));
        millpond::packed_pool<mover> other(1);
        CHECK(other.emplace(3));
        other = std::move(all);
        CHECK(mover::alive == 2 && other.size() == 2);
    }
    CHECK(mover::alive == 0);
    millpond::packed_pool<wide_mover> wide(9);
    for (int i = 0; i < 9; ++i) {
        CHECK(wide.emplace(std::unique_ptr<int>(new int(i))));
    }
    CHECK(reinterpret_cast<std::uintptr_t>(wide.data()) % 256 == 0 && wide.remove(wide.handle_at(3)));
    CHECK(*wide.data()[3].owned == 8 && wide.size() == 8);
}

static void destructors_may_use_the_packed_pool() {
    millpond::packed_pool<twig> all(20);
    twigs = &all;
    millpond::handle<twig> last;
    for (int i = 0; i < 8; ++i) {
        millpond::handle<twig> made = all.emplace(i);
        all[made].self = made;
        all[made].child = last;
        last = made;
    }
    CHECK(all.remove(last) && all.empty() && twig::ends == 8);
    for (int i = 0; i < 8; ++i) {
        millpond::handle<twig> made = all.emplace(i);
        all[made].self = made;
        all[made].child = i == 2 ? all.handle_at(0) : millpond::handle<twig>();
        all[made].begins = i == 4;
        all[made].clears = i == 7;
    }
    // The first goes with the third, whichever is met first.
    twig::ends = 0;
    all.retain([](const twig &each) { return each.number != 2; });
    CHECK(twig::ends == 2 && all.size() == 6);
    for (std::size_t at = all.size(); at-- > 0;) {
        if (at < all.size() && all.data()[at].number == 4) {
            CHECK(all.remove(all.handle_at(at)));
        }
    }
    CHECK(twig::ends == 3 && all.size() == 6 && all.data()[5].number == 104);
    // Nothing is asked of values that the destructor has removed.
    all.retain([&](const twig &each) {
        CHECK(!all.empty());
        return each.number != 7;
    });
    CHECK(all.empty() && twig::ends == 8 && mp_packed_validate(all.raw(), nullptr, 0) == MP_OK);
}

#if defined(__cpp_exceptions)
static void a_packed_value_that_throws_was_never_there() {
    struct throws {
        std::unique_ptr<int> owned;
        explicit throws(millpond::packed_pool<throws> &in, bool does) {
            // Its value is not in the pool yet.
            CHECK(in.size() < 2);
            if (does) {
                throw 5;
            }
        }
    };
    millpond::packed_pool<throws> all(2);
    millpond::handle<throws> before = all.emplace(all, false);
    bool caught = false;
    try {
        all.emplace(all, true);
    } catch (int) {
        caught = true;
    }
    CHECK(caught && all.size() == 1 && all.contains(before) && all.stats().inserted == 1);
    CHECK(all.emplace(all, false).to_bits() == (std::uint64_t{1} << 32 | 1) && !all.emplace(all, true));
    // Nothing goes for a value that is never there.
    struct strict {
        std::unique_ptr<int> owned;
        explicit strict(int number) {
            if (number < 0) {
                throw 5;
            }
        }
    };
    millpond::packed_pool<strict> full(1);
    millpond::handle<strict> only = full.emplace(1);
    caught = false;
    try {
        full.emplace_or_evict([](const strict &) { return 1; }, -1);
    } catch (int) {
        caught = true;
    }
    CHECK(caught && full.contains(only) && full.stats().evicted == 0);
}
#endif

static void a_constructor_may_fill_the_packed_pool() {
    struct greedy {
        std::unique_ptr<int> owned;
        explicit greedy(millpond::packed_pool<greedy> *in) {
            while (in != nullptr && in->emplace(nullptr)) {
            }
        }
    };
    millpond::packed_pool<greedy> all(3);
    CHECK(!all.emplace(&all) && all.size() == 3 && mp_packed_validate(all.raw(), nullptr, 0) == MP_OK);
}

static void what_has_the_smallest_key_goes_from_a_packed_pool() {
    millpond::options with;
    with.lifetimes = 2;
    millpond::packed_pool<mover> all(2, with);
    const auto number = [](const mover &each) { return *each.owned; };
    const auto begun = all.emplace_or_evict(number, 1);
    millpond::handle<mover> first = begun;
    CHECK(!begun.evicted && all.remove(first) && (first = all.emplace(1)) && all.emplace(5));
    // The first has the smallest number, and its slot's last lifetime.
    const auto [made, gone] = all.emplace_or_evict(number, 2);
    CHECK(made && gone && all.contains(first) && mover::alive == 2 && *all[made].owned == 2);
    const auto none = all.emplace_or_evict(number, 3);
    CHECK(!none && !none.evicted && mover::alive == 2 && all.contains(made));
    CHECK(all.stats().evicted == 1 && all.stats().refused == 1 && all.stats().removed == 2);
    millpond::packed_pool<int> plain(3);
    for (int each : {4, 2, 2, 7}) {
        CHECK(plain.emplace_or_evict([](int value) { return value; }, each));
    }
    CHECK(plain.size() == 3 && plain.data()[1] == 2 && plain.handle_at(1).index() == 2 && plain.data()[2] == 7);
}

static void what_is_evicted_from_a_packed_pool_ends_last() {
    // The new value has the place before the destructor of the other looks for one.
    millpond::packed_pool<heir> all(2);
    millpond::handle<heir> first = all.emplace(1), second = all.emplace(2);
    heirs = &all;
    const auto [made, gone] = all.emplace_or_evict([](const heir &each) { return each.number; }, 3);
    heirs = nullptr;
    CHECK(made && gone == first && all[made].number == 3 && all.contains(second) && heir::refused == 1);
    // So the arguments may refer to a value that moves, or to the one that goes.
    for (const std::uint32_t flags : {0u, MP_ZEROED, MP_FILLED}) {
        for (std::size_t at = 0; at < 2; ++at) {
            millpond::options with;
            with.flags = flags;
            millpond::packed_pool<int> numbers(2, with);
            CHECK(numbers.emplace(1) && numbers.emplace(2));
            const int number = numbers.data()[at];
            CHECK(numbers[numbers.emplace_or_evict([](int each) { return each; }, numbers.data()[at])] == number);
        }
    }
    // A constructor may remove the value that would have gone, and another takes the place.
    struct rival {
        int number;
        rival(millpond::packed_pool<rival> &in, millpond::handle<rival> removed, int inserted) : number(5) {
            in.remove(removed);
            while (inserted-- > 0) {
                in.emplace(in, millpond::handle<rival>(), 0);
            }
        }
    };
    const auto key = [](const rival &each) { return each.number; };
    millpond::packed_pool<rival> rivals(1);
    millpond::handle<rival> only = rivals.emplace(rivals, millpond::handle<rival>(), 0);
    const auto [kept, old] = rivals.emplace_or_evict(key, rivals, only, 0);
    only = kept;
    CHECK(only && !old && rivals.size() == 1 && rivals.stats().evicted == 0);
    const auto none = rivals.emplace_or_evict(key, rivals, only, 1);
    CHECK(!none && !none.evicted && rivals.size() == 1);
    CHECK(mp_packed_validate(rivals.raw(), nullptr, 0) == MP_OK);
}

#if defined(NDEBUG)
static void what_moves_does_not_change_its_packed_pool() {
    millpond::packed_pool<meddler> all(4);
    meddlers = &all;
    for (int i = 0; i < 3; ++i) {
        CHECK(all.emplace(i));
    }
    CHECK(all.size() == 3 && all.remove(all.handle_at(0)) && all.size() == 2);
    CHECK(all.data()[0].number == 2 && all.data()[1].number == 1 && meddler::moves > 4);
    CHECK(mp_packed_validate(all.raw(), nullptr, 0) == MP_OK);
}
#endif

static void the_past_of_a_packed_pool_comes_back() {
    millpond::packed_pool<int> all(50), past(50), other(51);
    millpond::handle<int> seven = all.emplace(7), eight = all.emplace(8);
    CHECK(past.copy_from(all) == MP_OK && other.copy_from(all) == MP_OTHER_SHAPE);
    all[seven] = 9;
    CHECK(all.remove(seven) && all.data()[0] == 8 && all.emplace(10) && all.copy_from(past) == MP_OK);
    CHECK(all.size() == 2 && all[seven] == 7 && all.data()[1] == 8 && all.handle_at(1) == eight);
    millpond::packed_pool<int> none;
    CHECK(all.copy_from(none) == MP_NULL_POINTER && none.copy_from(all) == MP_NULL_POINTER);
}
