// What the benchmarks are compiled with, a line each: only preprocessed, by `run --record`. The headers of plf have no version.
#include "other_peers.hpp"
#ifdef HAS_BOOST
#include <boost/version.hpp>
#endif

#ifdef __clang__
SAID compiler: clang __clang_version__
#else
SAID compiler: gcc __VERSION__
#endif
#ifdef HAS_BOOST
SAID peer: Boost BOOST_LIB_VERSION
#endif
#ifdef HAS_COLONY
SAID peer: plf::colony
#endif
#ifdef HAS_ENTT
SAID peer: EnTT ENTT_VERSION
#endif
#ifdef HAS_HIVE
SAID peer: plf::hive
#endif
