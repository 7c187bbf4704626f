//! Snapshots of a recycler.

use core::ops::Range;

use super::Recycler;
use crate::base::guard::half_way;
use crate::handle::HandleLayout;
use crate::pools::allocator::HandleAllocator;
use crate::reports::stats::Stats;
use crate::slots::reuse::{OrderOf, ReuseOrder};
use crate::snapshot::State;
use crate::snapshot::state::Shape;

impl<T, R: ReuseOrder, H: HandleLayout> State for Recycler<T, R, H> {
    type Value = T;
    type Handle = H;
    const DEAD_HAVE_VALUES: bool = true;
    const ORDER_OF: OrderOf = <HandleAllocator<R, H> as State>::ORDER_OF;

    fn shape(&self) -> Shape {
        State::shape(&self.handles)
    }

    fn into_past(mut self) -> Self {
        self.handles.storage.watch(None);
        self
    }

    fn used(&self) -> usize {
        State::used(&self.handles)
    }

    #[inline]
    fn word(&self, index: usize) -> H::Word {
        State::word(&self.handles, index)
    }

    #[inline]
    fn value(&self, index: usize) -> Option<&T> {
        self.objects.get(index)
    }

    fn counted(&self) -> Stats {
        self.stats()
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        State::order(&self.handles)
    }

    /// Of values that are `Copy`, one `memcpy`.
    fn clone_state_from(&mut self, other: &Self)
    where
        T: Clone,
    {
        self.expect_slots_of(other);
        self.objects.clone_from_slice(&other.objects);
        half_way();
        self.handles.copy_state_from(&other.handles);
    }

    /// Releases all objects; they stay as they are.
    fn empty(&mut self) {
        State::empty(&mut self.handles);
    }
}

#[cfg(feature = "serde")]
mod saved {
    use alloc::vec::Vec;

    use super::*;
    use crate::slots::saved::Checked;
    use crate::snapshot::format::{NewPool, Refused, migrate, serde_of_pool, units};
    use crate::snapshot::{MigrateError, OldPool};

    impl<T, R: ReuseOrder, H: HandleLayout> Recycler<T, R, H> {
        /// Takes over all live objects of an old pool, with the generations of its slots; see
        /// [`Pool::migrate_from`](crate::Pool::migrate_from). Its own live objects are released and, where the old pool has
        /// live ones, dropped. The dead objects are its own.
        ///
        /// ```
        /// use millpond::Recycler;
        ///
        /// let mut old = Recycler::from_fn(1, |_| "old");
        /// let voice = old.acquire().unwrap().0;
        /// let mut voices = Recycler::from_fn(2, |_| "new");
        /// voices.migrate_from(old)?;
        /// assert!(voices.contains(voice));
        /// assert_eq!(voices.as_slice(), ["old", "new"]);
        /// # Ok::<(), millpond::snapshot::MigrateError>(())
        /// ```
        ///
        /// # Errors
        ///
        /// If the recycler cannot keep all generations; the [error](MigrateError) says what to change.
        ///
        /// # Panics
        ///
        /// If the hook for released objects or the drop of an object panics.
        pub fn migrate_from(&mut self, old: impl Into<OldPool<T>>) -> Result<(), MigrateError> {
            self.migrate_with(old, |_, object| object)
        }

        /// Like [`migrate_from`](Self::migrate_from), for objects of a type that has changed: see
        /// [`Pool::migrate_with`](crate::Pool::migrate_with).
        ///
        /// ```
        /// use millpond::Recycler;
        ///
        /// let mut old = Recycler::from_fn(1, |_| 1.5_f32);
        /// let voice = old.acquire().unwrap().0;
        /// let mut voices = Recycler::from_fn(2, |_| 0.0_f64);
        /// voices.migrate_with(old, |_, loudness| f64::from(loudness))?;
        /// assert_eq!(voices.as_slice(), [1.5, 0.0]);
        /// # Ok::<(), millpond::snapshot::MigrateError>(())
        /// ```
        ///
        /// # Errors
        ///
        /// If `migrate_from` would fail. `convert` is not called then.
        ///
        /// # Panics
        ///
        /// If `convert` panics, and the recycler is unchanged then; or if `migrate_from` does.
        pub fn migrate_with<Old>(
            &mut self,
            old: impl Into<OldPool<Old>>,
            convert: impl FnMut(H, Old) -> T,
        ) -> Result<(), MigrateError> {
            migrate(self, old.into(), convert)
        }
    }

    impl<T, R: ReuseOrder, H: HandleLayout> From<Recycler<T, R, H>> for OldPool<T> {
        fn from(pool: Recycler<T, R, H>) -> Self {
            Self::of(&pool).with(pool.objects.into_vec().into_iter().enumerate())
        }
    }

    impl<T, R: ReuseOrder, H: HandleLayout> NewPool for Recycler<T, R, H> {
        const KIND: &'static str = "Recycler";
        const REUSE: &'static str = R::NAME;

        fn unused(state: &Checked<H::Word>) -> Result<Self, Refused> {
            let (handles, objects) = (NewPool::unused(state)?, [].into());
            Ok(Self { handles, objects, on_release: Default::default() })
        }

        fn take_over(
            &mut self,
            state: &Checked<H::Word>,
            values: Vec<(usize, T)>,
        ) -> Result<(), MigrateError> {
            self.clear();
            if self.objects.is_empty() {
                self.objects = values.into_iter().map(|(_, object)| object).collect();
            } else {
                for (index, object) in values {
                    self.objects[index] = object;
                    half_way();
                }
            }
            NewPool::take_over(&mut self.handles, state, units(state))
        }
    }

    serde_of_pool!(Recycler<T, R, H>, [T, R: ReuseOrder, H: HandleLayout], values T);
}
