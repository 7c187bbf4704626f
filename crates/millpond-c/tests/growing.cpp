// The growing pool of millpond_growing.hpp: constructors and destructors once each, whatever throws or frees what.
#include "millpond_growing.hpp"

#include "check.h"

#include <random>
#include <vector>

namespace {

int alive = 0, made = 0, destroyed = 0;
[[maybe_unused]] int throw_at = -1;

struct Counted {
    int number;
    Counted *child = nullptr;
    millpond::growing_pool<Counted> *pool = nullptr;

    explicit Counted(int of) : number(of) {
#if defined(__cpp_exceptions)
        if (made == throw_at) {
            throw of;
        }
#endif
        alive++;
        made++;
    }
    Counted(const Counted &) = delete;
    ~Counted() {
        alive--;
        destroyed++;
        CHECK(pool == nullptr || !pool->free(this)); // it is being destroyed already
        if (child != nullptr) {
            pool->free(child); // unless the pool's destructor came first
        }
    }
};

void basics() {
    millpond::growing_pool<Counted> pool;
    CHECK(pool.empty() && pool.capacity() == 0 && !pool.contains(nullptr) && !pool.free(nullptr));
    CHECK(pool.reserve(100) && pool.reserve(100) && pool.chunks() == 1 && pool.capacity() == 100);
    std::vector<Counted *> objects;
    for (int i = 0; i < 1000; i++) {
        objects.push_back(pool.alloc(i));
        CHECK(pool.contains(objects.back()) && alive == i + 1);
    }
    CHECK(pool.size() == 1000 && pool.chunks() == 5 && pool.capacity() == 1600);
    for (int i = 0; i < 1000; i++) {
        CHECK(objects[std::size_t(i)]->number == i); // nothing has moved
    }
    Counted *freed = objects[500];
    CHECK(pool.free(freed) && !pool.free(freed) && !pool.contains(freed) && alive == 999 && pool.size() == 999);
    CHECK(pool.alloc(7) == freed && freed->number == 7);

    // Addresses that are none of its objects.
    Counted outside(0);
    auto *bytes = reinterpret_cast<char *>(freed);
    CHECK(!pool.free(&outside) && !pool.free(reinterpret_cast<Counted *>(bytes + 1)));
    CHECK(!pool.free(reinterpret_cast<Counted *>(bytes + 8)) && !pool.free(reinterpret_cast<Counted *>(&pool)));
    CHECK(!pool.free(reinterpret_cast<Counted *>(UINTPTR_MAX)) && !pool.free(reinterpret_cast<Counted *>(8)));
    CHECK(!pool.reserve(SIZE_MAX) && pool.size() == 1000);
    {
        auto owned = pool.make(8);
        CHECK(owned->number == 8 && pool.size() == 1001);
        millpond::growing_pool<Counted>::owner other = std::move(owned);
        CHECK(!owned && other->number == 8);
    }
    CHECK(pool.size() == 1000);
    // Destructors that free others, some of which the pool's would have come to first, or later.
    for (std::size_t i = 0; i < 1000; i++) {
        objects[i]->pool = &pool;
    }
    for (std::size_t i = 0; i + 1 < 100; i++) {
        objects[i]->child = objects[i + 1];
    }
    CHECK(pool.free(objects[0]) && pool.size() == 900); // a chain of a hundred
    CHECK(alive == 901); // and `outside`
    objects[300]->child = objects[200];
    objects[400]->child = objects[401];
}

#if defined(__cpp_exceptions)
void constructors_that_throw() {
    millpond::growing_pool<Counted> pool;
    Counted *first = pool.alloc(1);
    throw_at = made;
    for (int i = 0; i < 200; i++) {
        try {
            pool.alloc(i);
            CHECK(false);
        } catch (int thrown) {
            CHECK(thrown == i && pool.size() == 1 && pool.capacity() == 64);
        }
    }
    throw_at = -1;
    CHECK(pool.alloc(2) == first + 1 && pool.size() == 2);
}
#endif

// Constructors that use the pool.
struct Nested {
    Nested *inner;
    explicit Nested(millpond::growing_pool<Nested> &pool, int depth)
        : inner(depth > 0 ? pool.alloc(pool, depth - 1) : nullptr) {}
};

struct alignas(64) Wide {
    char byte;
};

struct Aggregate {
    int x, y;
};

void kinds_of_types() {
    millpond::growing_pool<Nested> nested;
    Nested *outer = nested.alloc(nested, 300);
    CHECK(nested.size() == 301 && outer->inner->inner != nullptr);
    millpond::growing_pool<char> chars;
    millpond::growing_pool<Wide> wide;
    millpond::growing_pool<Aggregate> aggregates;
    for (int i = 0; i < 300; i++) {
        char *one = chars.alloc(char(i));
        CHECK(*one == char(i) && reinterpret_cast<std::uintptr_t>(wide.alloc()) % 64 == 0);
        CHECK(aggregates.alloc(i, 2)->x == i);
        CHECK(i % 3 != 0 || (chars.free(one) && !chars.free(one)));
    }
    CHECK(chars.size() == 200 && wide.size() == 300);
}

// A million steps against a model.
void steps() {
    millpond::growing_pool<std::uint64_t> pool;
    std::vector<std::pair<std::uint64_t *, std::uint64_t>> objects;
    std::vector<std::uint64_t *> freed;
    std::mt19937_64 random(20);
    for (std::uint64_t step = 0; step < 1'000'000; step++) {
        if (objects.empty() || random() % 100 < (step / 2000 % 2 == 0 ? 60 : 40)) {
            std::uint64_t *one = pool.alloc(step);
            CHECK(freed.empty() || one == freed.back()); // the one freed last comes next
            if (!freed.empty()) {
                freed.pop_back();
            }
            objects.emplace_back(one, step);
        } else {
            std::swap(objects[static_cast<std::size_t>(random()) % objects.size()], objects.back());
            auto [one, number] = objects.back();
            objects.pop_back();
            CHECK(*one == number && pool.free(one) && !pool.free(one));
            freed.push_back(one);
        }
        CHECK(pool.size() == objects.size());
    }
}

} // namespace

int main() {
    basics();
    CHECK(alive == 0 && made == destroyed);
#if defined(__cpp_exceptions)
    constructors_that_throw();
    CHECK(alive == 0 && made == destroyed);
#endif
    kinds_of_types();
    steps();
    std::printf("all is well\n");
    return 0;
}
