// Looks handles up by `pool[handle]` that the pool refuses: the program must end and say which. The argument says which
// of them; `good` looks up what is live.
#include "millpond.hpp"

#include <cstdio>
#include <cstring>

int main(int count, char **arguments) {
    const char *const which = count > 1 ? arguments[1] : "";
    millpond::options with;
    with.lifetimes = 100;
    millpond::pool<int> numbers(8, with);
    with.name = "bullets";
    millpond::packed_pool<int> packed(8, with);
    millpond::vec_pool<int> growing(0, with);
    const auto stale = numbers.emplace(1);
    numbers.remove(stale);
    const auto good = numbers.emplace(2);
    const auto gone = packed.emplace(1);
    packed.remove(gone);
    const auto of_growing = growing.emplace(3);
    growing.remove(of_growing);
    int found = 0;
    if (std::strcmp(which, "good") == 0) {
        found = numbers[good];
    } else if (std::strcmp(which, "stale") == 0) {
        found = numbers[stale];
    } else if (std::strcmp(which, "const") == 0) {
        const auto &fixed = numbers;
        found = fixed[stale];
    } else if (std::strcmp(which, "free") == 0) {
        numbers.remove(good);
        found = numbers[good];
    } else if (std::strcmp(which, "none") == 0) {
        found = numbers[millpond::handle<int>()];
    } else if (std::strcmp(which, "far") == 0) {
        found = numbers[millpond::handle<int>::from_bits(UINT64_C(77) << 32 | 1)];
    } else if (std::strcmp(which, "packed") == 0) {
        found = packed[gone];
    } else if (std::strcmp(which, "growing") == 0) {
        found = growing[of_growing];
    } else if (std::strcmp(which, "no pool") == 0) {
        found = millpond::pool<int>()[good];
    }
    std::printf("found %d\n", found);
    std::printf("%u %u\n", gone.generation(), of_growing.generation());
    return 0;
}
