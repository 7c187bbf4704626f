//! The code of the project's pages, compiled and run with the tests, which have all features.

#[doc = include_str!("../../../README.md")]
struct FrontPage;
#[doc = include_str!("../../../docs/rollback.md")]
struct RollbackGuide;
#[doc = include_str!("../../../docs/guide/README.md")]
struct Readme;
#[doc = include_str!("../../../docs/guide/why-pools.md")]
struct WhyPools;
#[doc = include_str!("../../../docs/guide/fragmentation.md")]
struct Fragmentation;
#[doc = include_str!("../../../docs/guide/choose.md")]
struct Choose;
#[doc = include_str!("../../../docs/guide/pattern.md")]
struct Pattern;
#[doc = include_str!("../../../docs/guide/handles.md")]
struct Handles;
#[doc = include_str!("../../../docs/guide/full.md")]
struct Full;
#[doc = include_str!("../../../docs/guide/iterate.md")]
struct Iterate;
#[doc = include_str!("../../../docs/guide/borrowing.md")]
struct Borrowing;
#[doc = include_str!("../../../docs/guide/rebuild-each-frame.md")]
struct RebuildEachFrame;
#[doc = include_str!("../../../docs/guide/threads.md")]
struct Threads;
#[doc = include_str!("../../../docs/guide/save-and-roll-back.md")]
struct SaveAndRollBack;
#[doc = include_str!("../../../docs/guide/network.md")]
struct Network;
#[doc = include_str!("../../../docs/guide/stale-handles.md")]
struct StaleHandles;
#[doc = include_str!("../../../docs/guide/record.md")]
struct Record;
#[doc = include_str!("../../../docs/guide/size-your-pools.md")]
struct SizeYourPools;
#[doc = include_str!("../../../docs/guide/browser.md")]
struct Browser;
#[doc = include_str!("../../../docs/guide/many-sessions.md")]
struct ManySessions;
#[doc = include_str!("../../../docs/guide/watch.md")]
struct Watch;
#[doc = include_str!("../../../docs/guide/c-and-cpp.md")]
struct CAndCpp;
#[doc = include_str!("../../../docs/guide/one-file.md")]
struct OneFile;
#[doc = include_str!("../../../docs/guide/coming-from.md")]
struct ComingFrom;
#[doc = include_str!("../../../docs/guide/engines.md")]
struct Engines;
