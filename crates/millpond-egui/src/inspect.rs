use millpond::handle::HandleLayout;
use millpond::reuse::ReuseOrder;
use millpond::{PackedPool, Pool, Recycler, Stats, VecPool};
use millpond_overflow::PolicyPool;

/// What an [`Inspector`](crate::Inspector) needs from a pool. All pools with slots and handles
/// implement it.
///
/// For a pool of your own:
///
/// ```
/// use millpond::Stats;
/// use millpond_egui::Inspect;
///
/// struct Seats([bool; 40]);
///
/// impl Inspect for Seats {
///     fn name(&self) -> Option<&str> {
///         Some("seats")
///     }
///     fn stats(&self) -> Stats {
///         let live = self.0.iter().filter(|&&taken| taken).count();
///         let mut stats = Stats::default();
///         (stats.capacity, stats.live, stats.peak) = (40, live, live);
///         stats
///     }
///     fn generation_at(&self, index: usize) -> Option<u32> {
///         self.0[index].then_some(1)
///     }
/// }
/// ```
pub trait Inspect {
    /// Returns the pool's name.
    fn name(&self) -> Option<&str>;

    /// Returns the pool's counters.
    fn stats(&self) -> Stats;

    /// Returns the generation of slot `index`, or `None` if the slot is not live. O(1).
    fn generation_at(&self, index: usize) -> Option<u32>;

    /// Returns which lifetime of its slot `generation` is, counted from 1. The default returns
    /// `generation` itself, for pools whose generations begin at 1.
    fn lifetime(&self, generation: u32) -> u32 {
        generation
    }

    /// Returns the number of lifetimes per slot, if that is limited.
    fn lifetimes_max(&self) -> Option<u32> {
        None
    }
}

/// What all pools call the same.
macro_rules! inspect {
    ($pool:ty, [$($generics:tt)*]) => {
        impl<$($generics)*> Inspect for $pool {
            fn name(&self) -> Option<&str> {
                self.name()
            }

            fn stats(&self) -> Stats {
                self.stats()
            }

            fn generation_at(&self, index: usize) -> Option<u32> {
                self.handle_at(index).map(|handle| handle.generation())
            }

            fn lifetime(&self, generation: u32) -> u32 {
                self.generations().lifetime(generation)
            }

            fn lifetimes_max(&self) -> Option<u32> {
                Some(self.generations().lifetimes_max())
            }
        }
    };
}

inspect!(Pool<T, R, H>, [T, R: ReuseOrder, H: HandleLayout]);
inspect!(Recycler<T, R, H>, [T, R: ReuseOrder, H: HandleLayout]);
inspect!(PackedPool<T, H>, [T, H: HandleLayout]);
inspect!(VecPool<T, R, H>, [T, R: ReuseOrder, H: HandleLayout]);
inspect!(PolicyPool<T, R, H>, [T, R: ReuseOrder, H: HandleLayout]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_live_slot_is_looked_at_after_slots_have_gone() {
        let mut pool = VecPool::new();
        let handles: Vec<_> = (0..12).map(|n| pool.insert(n).unwrap()).collect();
        for handle in [&handles[..4], &handles[8..]].concat() {
            pool.remove(handle);
        }
        pool.shrink_to_fit();
        assert_eq!(Inspect::stats(&pool).capacity, 8);
        let live = (0..8).filter(|&index| pool.generation_at(index).is_some());
        assert_eq!(live.collect::<Vec<_>>(), [4, 5, 6, 7]);
    }
}
