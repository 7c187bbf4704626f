/// `name` and `generations`, of what keeps the pool's books.
macro_rules! books_methods {
    (|$pool:ident| $books:expr) => {
        /// Returns the name set on the builder.
        #[must_use]
        pub fn name(&self) -> Option<&'static str> {
            let $pool = self;
            $books.name()
        }

        /// Returns the first generation of each slot, and the number of lifetimes per slot. O(1).
        #[must_use]
        pub fn generations(&self) -> crate::slots::generations::Generations {
            let $pool = self;
            crate::slots::generations::Generations::of(&$books.circle())
        }

        /// Describes `handle` in words: its slot, which lifetime of the slot it names, and whether
        /// it is valid. O(1).
        ///
        /// This is for messages and debuggers: in a pool with a name, the handle's own text does
        /// not show which lifetime it is.
        #[must_use]
        pub fn explain(&self, handle: H) -> crate::handle::Explanation {
            let lifetime = self.generations().lifetime(handle.generation());
            crate::handle::Explanation::new(handle, lifetime, self.check(handle))
        }
    };
}
pub(crate) use books_methods;

/// `len`, `is_empty`, `stats`, `occupancy` and the recorder's methods, of `storage` and `core`.
macro_rules! words_methods {
    (example $example:literal) => {
        /// Returns the number of live slots.
        ///
        /// ```
        #[doc = concat!("# use millpond::*; let mut pool = ", $example, ";")]
        /// pool.insert('a').unwrap();
        /// assert_eq!(pool.len(), 1);
        /// ```
        #[inline]
        #[must_use]
        pub fn len(&self) -> usize {
            self.storage.words().live()
        }

        /// Returns whether no slot is live.
        #[inline]
        #[must_use]
        pub fn is_empty(&self) -> bool {
            self.len() == 0
        }

        /// Returns the pool's counters: slots by state, the peak, insertions, refusals and
        /// evictions. O(1).
        #[must_use]
        pub fn stats(&self) -> crate::reports::stats::Stats {
            self.core.stats(self.storage.words())
        }

        /// Returns the bitmap of live slots.
        #[inline]
        #[must_use]
        pub fn occupancy(&self) -> crate::occupancy::Occupancy<'_> {
            self.storage.occupancy()
        }

        crate::pools::shell::books_methods!(|pool| pool.core);

        crate::reports::recorder_hook::record_methods!(
            |pool, track| pool.core.listen(track, &mut pool.storage),
            crate::reports::recorder::type_name::<T>()
        );
    };
}
pub(crate) use words_methods;
