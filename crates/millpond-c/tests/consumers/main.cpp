#include <millpond.hpp>

#include <cstdio>

int main() {
    millpond::pool<int> numbers(10);
    millpond::handle<int> seven = numbers.emplace(7);
    std::printf("%d\n", numbers[seven]);
}
