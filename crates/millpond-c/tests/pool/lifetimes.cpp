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
        millpond::handle<counted> gone;
        millpond::handle<counted> made = all.emplace_or_evict([](const counted &c) { return -c.number; }, &gone, 7);
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
    millpond::handle<counted> first = all.emplace(1), gone;
    CHECK(all.remove(first) && (first = all.emplace(1)) && all.emplace(5));
    // The first has the smallest number, and its slot's last lifetime.
    millpond::handle<counted> made = all.emplace_or_evict(number, &gone, 2);
    CHECK(made && gone && all.contains(first) && alive == 2);
    CHECK(!all.emplace_or_evict(number, &gone, 3) && !gone && alive == 2 && all.contains(made));
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
    CHECK(after.index() == 1 && after.generation() == 2);
}
#endif
