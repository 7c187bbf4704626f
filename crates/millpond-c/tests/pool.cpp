// Everything in millpond.hpp, with and without exceptions, in C++17 and later. Ends with 0, or says which line is wrong.
#include "millpond.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <unordered_set>
#include <vector>

#define CHECK(condition)                                                                            \
    do {                                                                                            \
        if (!(condition)) {                                                                         \
            std::printf("line %d: %s\n", __LINE__, #condition);                                     \
            std::exit(1);                                                                           \
        }                                                                                           \
    } while (0)

namespace {

struct bullet {
    float x, y;
    bullet(float to_x, float to_y) : x(to_x), y(to_y) {}
};

void plain_values() {
    millpond::pool<bullet> bullets(100);
    CHECK(bullets.status() == MP_OK && bullets.capacity() == 100 && bullets.empty());
    millpond::handle<bullet> first = bullets.emplace(1.0f, 2.0f);
    CHECK(first && bullets.contains(first) && bullets[first].y == 2.0f && bullets.get(first)->x == 1.0f);
    CHECK(!bullets.contains(millpond::handle<bullet>()) && !millpond::handle<bullet>());
    CHECK(bullets.handle_of(bullets[first]) == first && bullets.handle_at(0) == first);
    CHECK(bullets.remove(first) && !bullets.remove(first) && bullets.get(first) == nullptr);
    for (int i = 0; i < 100; ++i) {
        CHECK(bullets.emplace(static_cast<float>(i), 0.0f));
    }
    CHECK(!bullets.emplace(0.0f, 0.0f) && bullets.stats().refused == 1);
    bullets.retain([](const bullet &each) { return static_cast<int>(each.x) % 3 != 0; });
    CHECK(bullets.size() == 66);
    std::size_t by_iterator = 0, by_run = 0, by_each = 0;
    for (bullet &each : bullets) {
        each.y += 1.0f;
        ++by_iterator;
    }
    const millpond::pool<bullet> &shared = bullets;
    for (const bullet &each : shared) {
        CHECK(each.y == 1.0f);
    }
    for (auto run : bullets.runs()) {
        CHECK(run.size() <= 2 && !run.empty());
        by_run += run.size();
    }
    for (auto run : shared.runs()) {
        CHECK(run[0].y == 1.0f);
    }
    bullets.for_each([&](millpond::handle<bullet> which, bullet &each) {
        CHECK(&bullets[which] == &each);
        ++by_each;
    });
    CHECK(by_iterator == 66 && by_run == 66 && by_each == 66);
    // While iterating, what the iterator stands at may go.
    for (auto at = bullets.begin(); at != bullets.end(); ++at) {
        CHECK(bullets.remove(bullets.handle_of(*at)));
    }
    CHECK(bullets.empty());
    millpond::pool<bullet> moved(std::move(bullets));
    CHECK(moved.capacity() == 100 && bullets.capacity() == 0 && !bullets.emplace(1.0f, 1.0f) && bullets.empty());
    bullets = std::move(moved);
    CHECK(bullets.emplace(1.0f, 1.0f));
    bullets.clear();
    CHECK(bullets.empty());
}

int alive = 0;

struct counted {
    int number;
    std::unique_ptr<int> owned;
    explicit counted(int of) : number(of), owned(new int(of)) { ++alive; }
    counted(const counted &) = delete;
    counted &operator=(const counted &) = delete;
    ~counted() { --alive; }
};

void constructors_and_destructors_run_once_each() {
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
        all.clear();
        CHECK(alive == 0 && all.empty());
        CHECK(all.emplace(1));
    }
    CHECK(alive == 0);
}

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

void destructors_may_use_the_pool() {
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

struct alignas(256) wide {
    char bytes[256];
};

void over_aligned_and_immovable_values() {
    millpond::pool<wide> all(9);
    for (int i = 0; i < 9; ++i) {
        auto made = all.emplace();
        CHECK(made && reinterpret_cast<std::uintptr_t>(all.get(made)) % 256 == 0);
    }
}

void handles_are_keys() {
    millpond::pool<int> all(100);
    std::unordered_set<millpond::handle<int>> set;
    for (int i = 0; i < 100; ++i) {
        set.insert(all.emplace(i));
    }
    CHECK(set.size() == 100 && set.count(all.handle_at(7)) == 1);
    millpond::handle<int> copy = millpond::handle<int>::from_bits(all.handle_at(3).to_bits());
    CHECK(all[copy] == 3 && copy.index() == 3 && copy.generation() == 1 && copy != all.handle_at(4));
}

#if defined(__cpp_exceptions)
struct throws {
    explicit throws(bool does) {
        if (does) {
            throw 5;
        }
    }
};
void a_constructor_that_throws_leaves_nothing() {
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

#if defined(__cpp_lib_memory_resource)
void containers_live_in_size_classes() {
    millpond::size_classes memory;
    CHECK(memory.status() == MP_OK);
    {
        std::pmr::vector<int> numbers(&memory);
        for (int i = 0; i < 10000; ++i) {
            numbers.push_back(i);
        }
        CHECK(numbers[9999] == 9999 && memory.stats().fallen_back == 1);
    }
    CHECK(memory.stats().fallen_back == 0);
    void *over = static_cast<std::pmr::memory_resource &>(memory).allocate(40, 64);
    CHECK(reinterpret_cast<std::uintptr_t>(over) % 64 == 0);
    static_cast<std::pmr::memory_resource &>(memory).deallocate(over, 40, 64);
}
#endif

} // namespace

int main() {
    plain_values();
    constructors_and_destructors_run_once_each();
    destructors_may_use_the_pool();
    over_aligned_and_immovable_values();
    handles_are_keys();
#if defined(__cpp_exceptions)
    a_constructor_that_throws_leaves_nothing();
#endif
#if defined(__cpp_lib_memory_resource)
    containers_live_in_size_classes();
#endif
    std::puts("all is well");
    return 0;
}
