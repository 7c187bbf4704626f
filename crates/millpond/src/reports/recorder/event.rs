//! The events that a pool sends to the writer.

/// One event in the life of one pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) kind: EventKind,
    /// The number of the pool.
    pub(super) pool: u32,
    /// The slot; 0 if the event has none.
    pub(super) index: u32,
    pub(super) tick: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum EventKind {
    /// A lifetime of the slot has begun.
    Birth,
    /// The lifetime of the slot has ended.
    Death,
    /// The pool's whole state was replaced. The live slots follow.
    Restart,
    /// The slot is live after a restart.
    Live,
    /// All live slots after a restart are known: other lifetimes have ended.
    Settled,
}

impl Event {
    /// The index in 32 bits and the kind in the others; the pool and the tick.
    pub(super) fn to_words(self) -> [u64; 2] {
        let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        [pair(self.kind as u32, self.index), pair(self.pool, self.tick)]
    }

    /// The inverse of [`to_words`](Self::to_words).
    pub(super) fn from_words([first, second]: [u64; 2]) -> Self {
        let kinds = [
            EventKind::Birth,
            EventKind::Death,
            EventKind::Restart,
            EventKind::Live,
            EventKind::Settled,
        ];
        let kind = kinds[(first >> 32) as usize];
        Self { kind, pool: (second >> 32) as u32, index: first as u32, tick: second as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_words_hold_all_of_it() {
        for kind in [
            EventKind::Birth,
            EventKind::Death,
            EventKind::Restart,
            EventKind::Live,
            EventKind::Settled,
        ] {
            for (pool, index, tick) in
                [(0, 0, 0), (1, 2, 3), (u32::MAX, u32::MAX - 1, u32::MAX - 2)]
            {
                let event = Event { kind, pool, index, tick };
                assert_eq!(Event::from_words(event.to_words()), event);
            }
        }
    }
}
