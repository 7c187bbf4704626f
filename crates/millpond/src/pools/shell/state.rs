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
