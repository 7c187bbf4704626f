// Prints what the headers of Tracy's client say of its protocol, as `crates/millpond-record/examples/protocols.rs` prints what
// the recorder knows of it.
#include "common/TracyQueue.hpp"
#include "common/TracyProtocol.hpp"
#include <cstdio>

using namespace tracy;

template <class Type> constexpr auto discard(int) -> decltype(Type::MemDiscard, true) { return true; }
template <class Type> constexpr bool discard(...) { return false; }
template <class Type> constexpr auto short_strings(int) -> decltype(Type::SingleStringData8, true) { return true; }
template <class Type> constexpr bool short_strings(...) { return false; }

int main()
{
    printf("protocol %u welcome %zu memory %d discard %d plot %d frame_size %d terminate %d crash %d frame_mark %d "
           "callstack_frame %d single %d short %d pool_name %d string %d sizes",
           (unsigned)ProtocolVersion, sizeof(WelcomeMessage), (int)QueueType::MemAlloc, discard<QueueType>(0),
           (int)QueueType::PlotDataInt, (int)QueueType::CallstackFrameSize, (int)QueueType::Terminate,
           (int)QueueType::CrashReport, (int)QueueType::FrameMarkMsg, (int)QueueType::CallstackFrame,
           (int)QueueType::SingleStringData, short_strings<QueueType>(0), (int)QueueType::MemNamePayload, (int)QueueType::StringData);
    for (unsigned event = 0; event < (unsigned)QueueType::NUM_TYPES; event++) printf(" %zu", QueueDataSize[event]);
    printf("\n");
}
