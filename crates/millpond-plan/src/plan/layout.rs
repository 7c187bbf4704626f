//! The handle layout and the reuse order that follow from how busy a pool's slots are.

use millpond::{Handle, Handle32, HandleLayout};

use super::exhaustion::SlotPace;

/// The order in which a pool reuses its free slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// The slot that was freed last comes first: fastest, because it is still in the cache.
    Lifo,
    /// The slot that was freed first comes first: each slot rests as long as possible.
    Fifo,
}

impl Reuse {
    /// The order's name in the library.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lifo => "Lifo",
            Self::Fifo => "Fifo",
        }
    }
}

/// A handle layout with a suitable reuse order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// The handle type as written in code.
    pub handle: &'static str,
    /// The order.
    pub reuse: Reuse,
    /// Whether no slot retires within the session.
    pub lasts: bool,
}

/// A handle type of the library with its limits.
struct Candidate {
    handle: &'static str,
    slots_max: usize,
    lifetimes_max: u32,
}

impl Candidate {
    const fn of<H: HandleLayout>(handle: &'static str) -> Self {
        Self { handle, slots_max: H::CAPACITY_MAX, lifetimes_max: H::LIFETIMES_MAX }
    }
}

/// The 4-byte handles to try: the default first, then those with fewer slots and more generations.
const SMALL: [Candidate; 5] = [
    Candidate::of::<Handle32<()>>("Handle32<T>"),
    Candidate::of::<Handle32<(), 16>>("Handle32<T, 16>"),
    Candidate::of::<Handle32<(), 12>>("Handle32<T, 12>"),
    Candidate::of::<Handle32<(), 8>>("Handle32<T, 8>"),
    Candidate::of::<Handle32<(), 4>>("Handle32<T, 4>"),
];

/// The 8-byte handle.
const LARGE: [Candidate; 1] = [Candidate::of::<Handle<()>>("Handle<T>")];

/// Chooses the smallest handle whose busiest slot outlasts the session and, among handles of equal size, the faster
/// reuse order.
#[must_use]
pub fn layout(capacity: u32, pace: SlotPace, session_seconds: f64) -> Layout {
    for candidates in [&SMALL[..], &LARGE] {
        for (reuse, seconds) in [(Reuse::Lifo, pace.lifo), (Reuse::Fifo, pace.fifo)] {
            let lasts = |candidate: &&Candidate| {
                let lifetimes = f64::from(candidate.lifetimes_max);
                capacity as usize <= candidate.slots_max
                    && seconds.is_none_or(|seconds| seconds * lifetimes >= session_seconds)
            };
            if let Some(candidate) = candidates.iter().find(lasts) {
                return Layout { handle: candidate.handle, reuse, lasts: true };
            }
        }
    }
    Layout { handle: LARGE[0].handle, reuse: Reuse::Fifo, lasts: false }
}

#[cfg(test)]
mod tests {
    use super::super::exhaustion::BusiestSlot;
    use super::*;

    #[test]
    fn the_smallest_handle_that_lasts() {
        let day = 86_400.0;
        let chosen = |capacity, lifo, fifo| {
            let layout = layout(capacity, BusiestSlot { lifo, fifo }.pace(360.0), day);
            (layout.handle, layout.reuse, layout.lasts)
        };
        // 2 lifetimes in 6 minutes are 480 a day.
        assert_eq!(chosen(10, 2, 2), ("Handle32<T>", Reuse::Lifo, true));
        // 1,000 in 6 minutes are 240,000 a day: 18 bits, so 14 for the index.
        assert_eq!(chosen(10, 1000, 10), ("Handle32<T, 12>", Reuse::Lifo, true));
        assert_eq!(chosen(5000, 1000, 10), ("Handle32<T>", Reuse::Fifo, true));
        assert_eq!(chosen(5000, 1000, 1000), ("Handle<T>", Reuse::Lifo, true));
        assert_eq!(chosen(5000, 1 << 30, 1000), ("Handle<T>", Reuse::Fifo, true));
        assert_eq!(chosen(5000, 1 << 30, 1 << 30), ("Handle<T>", Reuse::Fifo, false));
    }
}
