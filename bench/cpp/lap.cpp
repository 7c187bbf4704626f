// How the Rust side drives a Lap.
#include "works.hpp"

extern "C" {
Timed bench_lap(Lap* lap) { return lap->lap(); }
std::uint64_t bench_checksum(Lap* lap) { return lap->checksum(); }
void bench_free(Lap* lap) { delete lap; }
}
