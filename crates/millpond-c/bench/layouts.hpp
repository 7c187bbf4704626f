// One and the same loop takes up to twice as long if its last jump lies across two lines of the cache, and any change of
// the program moves it. So `run` compiles each benchmark with `LAYOUT` 1 to 4, which moves all of its code by 16 bytes
// each, and of every figure the least in the four programs counts, for our pools as for their peers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <map>
#include <string>

#ifdef LAYOUT
#define LAYOUT_TEXT_(bytes) #bytes
#define LAYOUT_TEXT(bytes) LAYOUT_TEXT_(bytes)
__asm__(".text\n.skip 16 * " LAYOUT_TEXT(LAYOUT) "\n");
#endif

// The least figures so far, kept between the programs in a file of rows `work,slots,contender,ns`.
class layouts {
    std::string path;
    std::map<std::string, double> least; // by the row up to its last comma

  public:
    explicit layouts(const char *path) : path(path) {
        std::ifstream file(path);
        for (std::string row; std::getline(file, row);) {
            const std::size_t end = row.rfind(',');
            least[row.substr(0, end)] = std::stod(row.substr(end + 1));
        }
    }
    double least_of(const std::string &work, std::size_t slots, const std::string &contender, double ns) {
        const std::string of = '"' + work + "\"," + std::to_string(slots) + ",\"" + contender + '"';
        const auto at = least.try_emplace(of, ns).first;
        return at->second = std::min(at->second, ns);
    }
    ~layouts() {
        std::ofstream file(path);
        for (const auto &[of, ns] : least) {
            file << of << ',' << ns << '\n';
        }
    }
};
