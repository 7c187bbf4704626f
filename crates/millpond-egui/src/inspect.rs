use millpond::handle::HandleLayout;
use millpond::reuse::ReuseOrder;
use millpond::{BlockPool, HandleAllocator, PackedPool, Pool, Recycler, Stats};

/// What an [`Inspector`](crate::Inspector) looks at: all pools with slots and handles have it.
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
///         Stats { capacity: 40, live, peak: live, ..Stats::default() }
///     }
///     fn generation_at(&self, index: usize) -> Option<u32> {
///         self.0[index].then_some(1)
///     }
/// }
/// ```
pub trait Inspect {
    /// The pool's name.
    fn name(&self) -> Option<&str>;

    /// How the pool stands.
    fn stats(&self) -> Stats;

    /// The generation of a slot that is live, or `None` for any other. O(1).
    fn generation_at(&self, index: usize) -> Option<u32>;
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
        }
    };
}

inspect!(Pool<T, R, H>, [T, R: ReuseOrder, H: HandleLayout]);
inspect!(Recycler<T, R, H>, [T, R: ReuseOrder, H: HandleLayout]);
inspect!(BlockPool<T, R, H>, [T, R: ReuseOrder, H: HandleLayout]);
inspect!(PackedPool<T, H>, [T, H: HandleLayout]);
inspect!(HandleAllocator<R, H>, [R: ReuseOrder, H: HandleLayout]);
