#pragma once
#include "root.unity.h" // IWYU pragma: keep

namespace {

int alive = 0;

struct counted {
    int number;
    std::unique_ptr<int> owned;
    explicit counted(int of) : number(of), owned(new int(of)) { ++alive; }
    counted(const counted &) = delete;
    counted &operator=(const counted &) = delete;
    ~counted() { --alive; }
};

struct node;
millpond::pool<node> *nodes = nullptr;
int node_ends = 0;

// Ends its children, itself, or begins another, as its object ends.
struct node {
    millpond::handle<node> self, child;
    bool begins = false;
    ~node() {
        ++node_ends;
        CHECK(!nodes->contains(self) && nodes->get(self) == nullptr && !nodes->remove(self));
        CHECK(!nodes->handle_of(*this));
        nodes->remove(child);
        if (begins) {
            millpond::handle<node> made = nodes->emplace();
            CHECK(!made || made.index() != self.index());
        }
    }
};

} // namespace

static void constructors_and_destructors_run_once_each() {
    {
        millpond::pool<counted> all(10);
        std::vector<millpond::handle<counted>> handles;
        for (int i = 0; i < 12; ++i) {
            handles.push_back(all.emplace(i));
        }
        CHECK(alive == 10 && !handles[10]);
        CHECK(all.remove(handles[4]) && alive == 9 && all.emplace(44) && alive == 10);
        const auto [made, gone] = all.emplace_or_evict([](const counted &c) { return -c.number; }, 7);
        CHECK(made && gone && !all.contains(gone) && alive == 10 && all[made].number == 7);
        CHECK(all.stats().evicted == 1 && all.stats().removed == 2);
        all.clear();
        CHECK(alive == 0 && all.empty());
        CHECK(all.emplace(1));
    }
    CHECK(alive == 0);
}

static void nothing_goes_where_that_makes_no_room() {
    millpond::options with;
    with.lifetimes = 2;
    millpond::pool<counted> all(2, with);
    const auto number = [](const counted &c) { return c.number; };
    millpond::handle<counted> first = all.emplace(1);
    CHECK(all.remove(first) && (first = all.emplace(1)) && all.emplace(5));
    // The first has the smallest number, and its slot's last lifetime.
    const auto [made, gone] = all.emplace_or_evict(number, 2);
    CHECK(made && gone && all.contains(first) && alive == 2);
    const auto none = all.emplace_or_evict(number, 3);
    CHECK(!none && !none.made && !none.evicted && alive == 2 && all.contains(made));
    CHECK(all.stats().evicted == 1 && all.stats().refused == 1 && all.stats().retired == 0);
}

static void what_a_visit_removes_is_not_visited() {
    millpond::pool<counted> all(200);
    for (int i = 0; i < 200; ++i) {
        all.emplace(i);
    }
    int visits = 0;
    all.for_each([&](millpond::handle<counted> which, counted &each) {
        CHECK(each.number % 2 == 0 && *each.owned == each.number);
        CHECK(all.remove(all.handle_at(which.index() + 1)));
        ++visits;
    });
    CHECK(visits == 100 && alive == 100);
    all.retain([&](counted &each) {
        CHECK(each.number % 4 == 0);
        return all.remove(all.handle_at(static_cast<std::size_t>(each.number) + 2));
    });
    CHECK(all.size() == 50 && alive == 50);
}

static void destructors_may_use_the_pool() {
    millpond::pool<node> all(4);
    nodes = &all;
    millpond::handle<node> last;
    for (int i = 0; i < 3; ++i) {
        millpond::handle<node> made = all.emplace();
        all[made].self = made;
        all[made].child = last;
        last = made;
    }
    CHECK(all.size() == 3 && all.remove(last) && all.empty() && node_ends == 3);
    node_ends = 0;
    for (int i = 0; i < 4; ++i) {
        millpond::handle<node> made = all.emplace();
        all[made].self = made;
        all[made].begins = i == 1;
    }
    // The slot of the one that ends is not handed out yet: there is no other, so it begins none.
    CHECK(all.remove(all.handle_at(1)) && all.size() == 3 && node_ends == 1);
    // Now there is one.
    millpond::handle<node> again = all.emplace();
    all[again].self = again;
    all[again].begins = true;
    CHECK(all.remove(all.handle_at(0)) && all.remove(again) && all.size() == 3);
    CHECK(mp_pool_validate(all.raw(), nullptr, 0) == MP_OK);
    all.clear();
    CHECK(all.empty() && mp_pool_validate(all.raw(), nullptr, 0) == MP_OK);
}

namespace {

// Whose constructor looks at all others, which have been constructed.
struct curious {
    static inline millpond::pool<curious> *pool = nullptr;
    static inline int alive = 0;
    static constexpr int sound = 0x5eed;
    int seal = sound;
    std::unique_ptr<int> owned{new int(1)};

    explicit curious(bool makes_another, bool throws_at_the_end = false) {
        CHECK(!pool->handle_of(*this) && pool->size() == static_cast<std::size_t>(alive));
        std::size_t seen = 0;
        pool->for_each([&](millpond::handle<curious> which, curious &other) {
            CHECK(other.seal == sound && *other.owned == 1 && &other != this && pool->contains(which));
            ++seen;
        });
        CHECK(seen == pool->size());
        for (std::size_t slot = 0; slot < pool->capacity(); ++slot) {
            millpond::handle<curious> at = pool->handle_at(slot);
            CHECK(!at || pool->get(at)->seal == sound);
        }
        const std::size_t before = pool->size();
        if (makes_another) {
            CHECK(pool->emplace(false) && pool->size() == before + 1);
            // The one that is being constructed is not there to be evicted: another goes, or none.
            pool->emplace_or_evict([](const curious &other) { return *other.owned; }, false);
            pool->retain([](const curious &other) { return other.seal == sound; });
        }
#if defined(__cpp_exceptions)
        if (throws_at_the_end) {
            throw 5;
        }
#endif
        static_cast<void>(throws_at_the_end);
        ++alive;
    }
    curious(const curious &) = delete;
    curious &operator=(const curious &) = delete;
    ~curious() {
        CHECK(seal == sound);
        seal = 0;
        --alive;
    }
};

} // namespace

static void a_value_is_not_found_before_it_is_constructed() {
    for (auto order : {MP_LIFO, MP_FIFO, MP_LOWEST_FIRST, MP_ROSTER}) {
        millpond::options with;
        with.order = static_cast<std::uint32_t>(order);
        millpond::pool<curious> all(5, with);
        curious::pool = &all;
        CHECK(all.emplace(false) && all.emplace(true));
        CHECK(all.size() >= 3 && all.stats().live == all.size());
        while (all.size() < 5) {
            CHECK(all.emplace(false));
        }
        CHECK(!all.emplace(true));
#if defined(__cpp_exceptions)
        CHECK(all.remove(all.handle_at(0)));
        bool caught = false;
        try {
            all.emplace(false, true);
        } catch (int) {
            caught = true;
        }
        CHECK(caught && all.size() == 4 && mp_pool_validate(all.raw(), nullptr, 0) == MP_OK);
#endif
        std::size_t visited = 0;
        for (curious &one : all) {
            CHECK(one.seal == curious::sound);
            ++visited;
        }
        CHECK(visited == all.size() && mp_pool_validate(all.raw(), nullptr, 0) == MP_OK);
        all.clear();
        CHECK(curious::alive == 0 && all.empty());
    }
}

namespace {

// Trivially destructible, so that `clear` ends no value one by one.
struct greedy {
    int number;
    greedy(millpond::pool<greedy> &pool, int of) : number(-1) {
        pool.clear();
        CHECK(pool.empty());
        if (of > 0) {
            CHECK(pool.emplace(pool, of - 1));
        }
        number = of;
    }
};

struct greedy_owner {
    std::unique_ptr<int> owned;
    explicit greedy_owner(millpond::pool<greedy_owner> &pool) : owned(new int(7)) { pool.clear(); }
};

} // namespace

static void a_constructor_may_clear_the_pool() {
    millpond::pool<greedy> all(4);
    millpond::handle<greedy> last = all.emplace(all, 3);
    // The innermost one came last; none cleared another that was being constructed.
    CHECK(last && all.size() == 4 && all[last].number == 3);
    all.clear();
    CHECK(all.empty() && all.emplace(all, 0) && all.size() == 1);
    CHECK(mp_pool_validate(all.raw(), nullptr, 0) == MP_OK);
    millpond::pool<greedy_owner> owners(4);
    for (int i = 0; i < 9; ++i) {
        millpond::handle<greedy_owner> owner = owners.emplace(owners);
        CHECK(owner && owners.size() == 1 && *owners[owner].owned == 7);
    }
}

namespace {

// Trivially copyable: made before it gets a slot.
struct saver {
    int number;
    explicit saver(int of) : number(of) {}
    saver(millpond::pool<saver> &pool, millpond::snapshot<saver> &past) : number(0) {
        CHECK(past.restore(pool) == MP_OK && pool.size() == 1);
        number = 5;
    }
};

} // namespace

static void a_constructor_may_restore_the_pool() {
    millpond::pool<saver> all(3);
    millpond::snapshot<saver> past(3);
    millpond::handle<saver> first = all.emplace(1);
    CHECK(past.save(all) == MP_OK && all.emplace(2));
    millpond::handle<saver> second = all.emplace(all, past);
    CHECK(all[second].number == 5 && all.size() == 2 && all[first].number == 1);
    CHECK(mp_pool_validate(all.raw(), nullptr, 0) == MP_OK);
}

#if defined(__cpp_exceptions)
namespace {

struct throws {
    explicit throws(bool does) {
        if (does) {
            throw 5;
        }
    }
};

} // namespace

static void a_constructor_that_throws_leaves_nothing() {
    millpond::pool<throws> all(2);
    millpond::handle<throws> before = all.emplace(false);
    bool caught = false;
    try {
        all.emplace(true);
    } catch (int) {
        caught = true;
    }
    CHECK(caught && all.size() == 1 && all.contains(before));
    millpond::handle<throws> after = all.emplace(false);
    CHECK(after.index() == 1 && after.generation() == 1);
}
#endif
