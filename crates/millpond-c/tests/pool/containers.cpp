#pragma once
#include "root.unity.h" // IWYU pragma: keep

#if defined(__cpp_lib_memory_resource)
static void containers_live_in_size_classes() {
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
