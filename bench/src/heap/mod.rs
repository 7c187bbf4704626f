//! Every allocation of a real program, replayed through allocators: `SizeClasses` against those that
//! programs use as a whole. The time is per `malloc` or `free`; the peak is what the system had to give.

mod allocators;
mod peak;

use std::alloc::Layout;
use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Instant;

use crate::contender::Kind;
use crate::measure::{Candidate, Lap, Task, Timed};
use crate::traces::{self, HeapEvent};
use allocators::{Allocator, Visitor, visit_all};

pub(crate) use peak::{Peak, peaks, print_peak};

/// The name of the work.
pub(crate) const WORK: &str = "heap replay";
/// Whose bars these are.
pub(crate) const OWN: &str = "SizeClasses, up to 512 bytes";

/// What `malloc` is aligned to on 64-bit machines.
const ALIGN: usize = 16;

fn events() -> &'static [HeapEvent] {
    static EVENTS: LazyLock<Vec<HeapEvent>> = LazyLock::new(traces::openttd_all);
    &EVENTS
}

/// The replay, with all allocators for which `wanted` is true.
pub(crate) fn task(wanted: &dyn Fn(&str) -> bool) -> Task {
    struct Collector<'a>(Vec<Candidate>, &'a dyn Fn(&str) -> bool);
    impl Visitor for Collector<'_> {
        fn visit<A: Allocator>(&mut self) {
            if (self.1)(A::NAME) {
                let prepare = || Some(Box::new(Replay::<A>::new()) as Box<dyn Lap>);
                let candidate =
                    Candidate { name: A::NAME, kind: A::KIND, prepare: Box::new(prepare) };
                self.0.push(candidate);
            }
        }
    }
    let mut collector = Collector(Vec::new(), wanted);
    visit_all(&mut collector);
    Task { work: WORK.into(), object_bytes: 0, slots: 0, candidates: collector.0 }
}

/// The trace and an allocator, which goes on from lap to lap as a program does from level to level.
struct Replay<A> {
    allocator: A,
    /// By lifetime.
    memory: Vec<*mut u8>,
    sum: u64,
}

impl<A: Allocator> Replay<A> {
    fn new() -> Self {
        let lifetimes = events().iter().map(|event| event.lifetime as usize + 1).max();
        Self {
            allocator: A::new(),
            memory: vec![std::ptr::null_mut(); lifetimes.unwrap_or(0)],
            sum: 0,
        }
    }

    /// Replays all events; each allocation is used as the function says when it is born, and its first
    /// byte is read when it dies.
    #[inline(always)]
    fn replay(&mut self, use_memory: impl Fn(*mut u8, usize)) {
        let Self { allocator, memory, sum } = self;
        for event in events() {
            let bytes = event.bytes as usize;
            // SAFETY: the alignment is a power of two, and the sizes are those of a program that ran.
            let layout = unsafe { Layout::from_size_align_unchecked(bytes, ALIGN) };
            let place = &mut memory[event.lifetime as usize];
            if event.birth {
                *place = allocator.allocate(layout);
                assert!(!place.is_null(), "memory");
                // SAFETY: nothing has a size of 0 here.
                unsafe { place.write(event.lifetime as u8) };
                use_memory(*place, bytes);
            } else {
                // SAFETY: the memory was allocated at its birth, and its first byte written.
                *sum += u64::from(unsafe { place.read() });
                // SAFETY: it was allocated with this layout, and dies once.
                unsafe { allocator.deallocate(*place, layout) };
            }
        }
        self.allocator.end_lap();
    }
}

impl<A: Allocator> Lap for Replay<A> {
    fn lap(&mut self) -> Timed {
        let start = Instant::now();
        self.replay(|_, _| {});
        black_box(self.sum);
        Timed::whole(start.elapsed(), events().len())
    }

    fn checksum(&mut self) -> Option<u64> {
        Some(self.sum)
    }
}

/// Whether the verdict compares with an allocator of this kind.
pub(crate) fn is_general(kind: Kind) -> bool {
    kind == Kind::Allocator
}
