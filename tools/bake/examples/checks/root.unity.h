// Everything that the files of these checks share: the system's headers, all declarations, and at the bottom the
// files themselves. Each of them includes this first, so that an editor sees in it what the compiler sees.
#pragma once

#include <cstddef>
#include <cstdio>   // IWYU pragma: keep
#include <fstream>  // IWYU pragma: keep
#include <iterator> // IWYU pragma: keep
#include <string>
#include <vector>

#ifdef CHECKS_SEPARATE
#define SHARED extern
#else
#define SHARED static
#endif

// root.cpp
SHARED std::string baked_path(const std::string &name);

// bytes.cpp
using Bytes = std::vector<unsigned char>;
SHARED Bytes read_baked(const std::string &name);
SHARED unsigned u16_at(const Bytes &bytes, std::size_t at);

// report.cpp
SHARED void check(bool holds, const char *what);
SHARED int failures();

// palettes.cpp, sprites.cpp, levels.cpp
SHARED void check_palettes();
SHARED void check_sprites();
SHARED void check_levels();

#ifndef CHECKS_SEPARATE
#include "bytes.cpp" // IWYU pragma: keep
#include "levels.cpp" // IWYU pragma: keep
#include "palettes.cpp" // IWYU pragma: keep
#include "report.cpp" // IWYU pragma: keep
#include "sprites.cpp" // IWYU pragma: keep
#endif
