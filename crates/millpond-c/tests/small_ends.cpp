// What must end a program that uses millpond_small.hpp: its argument says which.
#include "millpond_small.hpp"

#include <cstdint>
#include <string>

struct plain {
    std::uint64_t number;
    float more[3];
};

int main(int, char **arguments) {
    const std::string how = arguments[1];
    mps::pool<plain> all(4, {how == "named" ? "bullets" : nullptr, how == "written"});
    const auto first = all.emplace(plain{1, {}});
    plain *const kept = all.get(first);
    all.remove(first);
    if (how == "written") {
        kept->more[1] = 3;
        all.emplace(plain{2, {}});
    } else if (how == "named" || how == "stale") {
        return static_cast<int>(all[first].number);
    } else if (how == "never") {
        return static_cast<int>(all[mps::handle<plain>::from_bits(77)].number);
    } else if (how == "packed") {
        const mps::packed_pool<plain> packed(3);
        return static_cast<int>(packed[mps::handle<plain>::from_bits(std::uint64_t(9) << 32 | 1)].number);
    } else if (how == "use after removal") {
        return static_cast<int>(*static_cast<volatile std::uint64_t *>(&kept->number)); // for the address sanitizer
    }
    return 0;
}
