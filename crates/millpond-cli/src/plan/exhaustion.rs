//! How long the busiest slot of a pool lasts before its generations are used up.

/// The widths of a generation, in bits, that a plan tells about.
pub const GENERATION_BITS: [u32; 3] = [12, 24, 32];

/// How often the busiest slot was used over the whole trace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BusiestSlot {
    /// Lifetimes of the busiest slot when the slot freed last is used next.
    pub lifo: u64,
    /// Lifetimes of the busiest slot when the slot freed first is used next.
    pub fifo: u64,
}

/// Seconds until a slot has had this many lifetimes, if the trace goes on as it is.
///
/// `None` if no slot was used twice in the trace: then nothing says that one ever will be.
#[must_use]
pub fn seconds_until(lifetimes: u64, busiest_slot: u64, trace_seconds: f64) -> Option<f64> {
    (busiest_slot > 1).then(|| lifetimes as f64 * trace_seconds / busiest_slot as f64)
}

/// How many lifetimes a generation of this width can tell apart: 0 is no generation.
#[must_use]
pub fn lifetimes_of(generation_bits: u32) -> u64 {
    (1 << generation_bits) - 1
}

/// In which order a pool's dead slots are used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// The slot freed last is used next: the fastest, because it is still in the cache.
    Lifo,
    /// The slot freed first is used next: every slot rests as long as possible.
    Fifo,
}

impl Reuse {
    /// The name of the order in the library.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lifo => "Lifo",
            Self::Fifo => "Fifo",
        }
    }
}

/// A handle layout and a reuse order that go together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The handle type as it is written in a program.
    pub handle: String,
    /// The order.
    pub reuse: Reuse,
    /// Whether no slot retires within the session.
    pub lasts: bool,
}

/// The index bits of the 4-byte handles that are tried: the default first, then fewer slots for
/// more generations.
const INDEX_BITS: [u32; 5] = [20, 16, 12, 8, 4];

/// The index bits of `Handle32<T>`.
const INDEX_BITS_DEFAULT: u32 = 20;

/// Chooses the smallest handle whose busiest slot outlasts the session, and among those of a
/// size the reuse order that is faster.
#[must_use]
pub(super) fn layout(
    capacity: u32,
    busiest: BusiestSlot,
    trace_seconds: f64,
    session_seconds: f64,
) -> Layout {
    let lasts = |lifetimes: u64, busiest_slot: u64| {
        seconds_until(lifetimes, busiest_slot, trace_seconds).is_none_or(|s| s >= session_seconds)
    };
    let orders = [(Reuse::Lifo, busiest.lifo), (Reuse::Fifo, busiest.fifo)];
    for (reuse, busiest_slot) in orders {
        for bits in INDEX_BITS {
            if capacity <= 1 << bits && lasts(lifetimes_of_handle32(bits), busiest_slot) {
                let handle = match bits {
                    INDEX_BITS_DEFAULT => "Handle32<T>".to_owned(),
                    _ => format!("Handle32<T, {bits}>"),
                };
                return Layout { handle, reuse, lasts: true };
            }
        }
    }
    let wide = |reuse, lasts| Layout { handle: "Handle<T>".to_owned(), reuse, lasts };
    for (reuse, busiest_slot) in orders {
        if lasts(LIFETIMES_OF_HANDLE, busiest_slot) {
            return wide(reuse, true);
        }
    }
    wide(Reuse::Fifo, false)
}

/// A `Handle` keeps one of its 32 upper bits to tell live from dead.
const LIFETIMES_OF_HANDLE: u64 = (1 << 31) - 1;

fn lifetimes_of_handle32(index_bits: u32) -> u64 {
    match 32 - index_bits {
        // Here, too, one bit serves as the mark of a dead slot.
        16 => lifetimes_of(15),
        generation_bits => lifetimes_of(generation_bits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_follow_from_the_rate() {
        // 100 lifetimes in 10 s: 4,095 lifetimes take 409.5 s.
        assert_eq!(seconds_until(lifetimes_of(12), 100, 10.0), Some(409.5));
        assert_eq!(seconds_until(lifetimes_of(12), 1, 10.0), None);
        assert_eq!(seconds_until(lifetimes_of(12), 0, 10.0), None);
    }

    #[test]
    fn the_smallest_handle_that_lasts() {
        let day = 86_400.0;
        let chosen = |capacity, lifo, fifo| {
            let layout = layout(capacity, BusiestSlot { lifo, fifo }, 360.0, day);
            (layout.handle, layout.reuse, layout.lasts)
        };
        let of = |handle: &str, reuse, lasts| (handle.to_owned(), reuse, lasts);
        // 2 lifetimes in 6 minutes are 480 a day.
        assert_eq!(chosen(10, 2, 2), of("Handle32<T>", Reuse::Lifo, true));
        // 1,000 in 6 minutes are 240,000 a day: 18 bits, so 14 for the index.
        assert_eq!(chosen(10, 1000, 10), of("Handle32<T, 12>", Reuse::Lifo, true));
        assert_eq!(chosen(5000, 1000, 10), of("Handle32<T>", Reuse::Fifo, true));
        assert_eq!(chosen(5000, 1000, 1000), of("Handle<T>", Reuse::Lifo, true));
        assert_eq!(chosen(5000, 1 << 30, 1000), of("Handle<T>", Reuse::Fifo, true));
        assert_eq!(chosen(5000, 1 << 30, 1 << 30), of("Handle<T>", Reuse::Fifo, false));
    }
}
