#pragma once
#include "root.unity.h" // IWYU pragma: keep

static int failed;

SHARED void check(bool holds, const char *what) {
    std::printf("%s: %s\n", holds ? "ok" : "FAILED", what);
    failed += !holds;
}

SHARED int failures() { return failed; }
