//! The odds in closed form.

/// The numbers of free and of busy slots while handles are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mix {
    /// Slots that are taken and released again and again.
    pub(crate) free: u64,
    /// Slots whose object stays.
    pub(crate) busy: u64,
}

impl Mix {
    /// One slot of a full pool is released and taken again and again.
    pub(super) fn worst(slots: u64) -> Self {
        Self { free: 1, busy: slots - 1 }
    }

    /// Half of the slots, rounded up, are free.
    pub(super) fn half(slots: u64) -> Self {
        Self { free: slots.div_ceil(2), busy: slots / 2 }
    }

    /// An empty pool is filled.
    pub(super) fn best(slots: u64) -> Self {
        Self { free: slots, busy: 0 }
    }

    /// The number of different handles in play: a free slot may come back under any of its
    /// generations, a busy one has the handle that it has.
    pub(super) fn handles(self, lifetimes_per_slot: u64) -> u64 {
        self.free * lifetimes_per_slot + self.busy
    }

    /// The odds that a kept handle, equally likely any of those in play, is the one issued now.
    pub(super) fn odds(self, lifetimes_per_slot: u64) -> f64 {
        1.0 / self.handles(lifetimes_per_slot) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lifetimes of a slot in the byte-map pool: its seed has seven bits.
    const BYTE_MAP: u64 = 128;

    #[test]
    fn the_byte_map_pool_has_the_published_worst_and_best_case() {
        for n in [1, 2, 110, 140, 2500] {
            assert_eq!(Mix::worst(n).odds(BYTE_MAP), 1.0 / (128.0 + (n as f64 - 1.0)));
            assert_eq!(Mix::best(n).odds(BYTE_MAP), 1.0 / (n as f64 * 128.0));
        }
    }

    #[test]
    fn in_between_each_free_slot_counts_128_times_and_each_busy_one_once() {
        let mix = Mix { free: 30, busy: 70 };
        assert_eq!(mix.odds(BYTE_MAP), 1.0 / (30.0 * 128.0 + 70.0));
        assert_eq!(Mix::half(7), Mix { free: 4, busy: 3 });
    }
}
