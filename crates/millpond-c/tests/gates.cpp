// The operations of gates.c that `millpond::pool` has, with the same values: `tests/gates.rs` compares the instructions.
// Not among them: `packed_pool<T>::emplace`, which makes the value before its place is taken, and then moves it there.
#include "millpond.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct spark {
    float x[8];
    // Leaves the rest as it is, as the program in C does.
    explicit spark(float first) { x[0] = first; }
};

constexpr std::size_t sparks = 1000;

millpond::pool<spark> all(sparks);
millpond::handle<spark> ids[sparks];
millpond::packed_pool<spark> packed(sparks);
millpond::handle<spark> packed_ids[sparks];
std::size_t at;
// What is found must not be optimised away.
volatile float found;

std::size_t next() {
    at = at + 1 < sparks ? at + 1 : 0;
    return at;
}

void nothing() {
    next();
}

void get() {
    found = all.get(ids[next()])->x[0];
}

void remove_insert() {
    millpond::handle<spark> &id = ids[next()];
    all.remove(id);
    id = all.emplace(1.0f);
}

// Ten slots of a walk over all.
void walk_10() {
    if (next() % 100 == 0) {
        for (auto run : all.runs()) {
            for (spark &one : run) {
                one.x[0] += 1;
            }
        }
    }
}

void walk_10_one_by_one() {
    if (next() % 100 == 0) {
        for (spark &one : all) {
            one.x[0] += 1;
        }
    }
}

void get_packed() {
    found = packed.get(packed_ids[next()])->x[0];
}

void walk_10_packed() {
    if (next() % 100 == 0) {
        for (spark &one : packed) {
            one.x[0] += 1;
        }
    }
}

const struct {
    const char *name;
    void (*operation)();
} operations[] = {
    {"nothing", nothing}, {"get", get}, {"remove_insert", remove_insert}, {"walk_10", walk_10},
    {"walk_10_one_by_one", walk_10_one_by_one}, {"get_packed", get_packed},
    {"walk_10_packed", walk_10_packed},
};

} // namespace

int main(int count, char **arguments) {
    if (count < 3) {
        for (const auto &one : operations) {
            std::puts(one.name);
        }
        return 0;
    }
    for (millpond::handle<spark> &id : ids) {
        id = all.emplace(0.0f);
    }
    for (millpond::handle<spark> &id : packed_ids) {
        id = packed.emplace(0.0f);
    }
    for (const auto &one : operations) {
        if (std::strcmp(one.name, arguments[1]) == 0) {
            for (long rounds = std::atol(arguments[2]); rounds > 0; --rounds) {
                one.operation();
            }
            return 0;
        }
    }
    return 3;
}
