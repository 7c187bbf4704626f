// What a loop over a pool of millpond.hpp must not do, by the argument: an assertion ends the program. Without one, nothing.
#include "millpond.hpp"

#include <cstring>

int main(int count, char **arguments) {
    const char *const which = count > 1 ? arguments[1] : "";
    millpond::packed_pool<int> packed(9);
    millpond::vec_pool<int> growing(4);
    for (int i = 0; i < 4; ++i) {
        packed.emplace(i);
        growing.emplace(i);
    }
    if (std::strcmp(which, "packed removes") == 0) {
        for (int &one : packed) {
            packed.remove(packed.handle_of(one));
        }
    } else if (std::strcmp(which, "packed inserts") == 0) {
        for (int &one : packed) {
            packed.emplace(one);
        }
    } else if (std::strcmp(which, "growing inserts") == 0) {
        for (int &one : growing) {
            growing.emplace(int(one));
        }
    }
    // What a loop may do.
    for (auto [which_one, one] : packed.each()) {
        if (one % 2 == 0) {
            packed.remove(which_one);
        }
    }
    return packed.size() == 2 ? 0 : 1;
}
