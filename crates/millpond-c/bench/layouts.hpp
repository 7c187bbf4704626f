// One and the same loop takes up to twice as long if its last jump lies across two lines of the cache, and any change of
// the program moves it. So `run` compiles each benchmark with `LAYOUT` 1 to 4, which moves all of its code by 16 bytes
// each, and of every figure the least in the four programs counts, for our pools as for their peers.
#pragma once

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>

#ifdef LAYOUT
#define LAYOUT_TEXT_(bytes) #bytes
#define LAYOUT_TEXT(bytes) LAYOUT_TEXT_(bytes)
__asm__(".text\n.skip 16 * " LAYOUT_TEXT(LAYOUT) "\n");
#endif

// The least figures so far, kept in a file between the programs.
class layouts {
    std::string path;
    std::map<std::string, double> least;

  public:
    explicit layouts(const char *path) : path(path) {
        std::ifstream file(path);
        double figure;
        for (std::string name; file >> figure && std::getline(file.ignore(), name);) {
            least[name] = figure;
        }
    }
    double least_of(const std::string &name, double figure) {
        auto at = least.try_emplace(name, figure).first;
        return at->second = std::min(at->second, figure);
    }
    ~layouts() {
        std::ofstream file(path);
        for (const auto &[name, figure] : least) {
            file << figure << ' ' << name << '\n';
        }
    }
};
