//! The methods that every pool has for its past.

/// Implements `snapshot`, `snapshot_cloned`, `save_into`, `restore`, `checksum` and `checksum_with`. Needed are `State`,
/// and `Clone` if the values are.
///
/// `impl [generics] Type, values T`, and `parts Clone` if the type is made of pools that must be `Clone` as well.
macro_rules! snapshot_methods {
    ($pool:ty, [$($generics:tt)*], values $value:ty $(, parts $parts:ident)?) => {
        /// Snapshots.
        impl<$($generics)*> $pool {
            /// A snapshot of everything that the pool's future depends on, of values that are
            /// `Copy`; see [`snapshot`](crate::snapshot). Allocates as much memory as a second
            /// pool; [`save_into`](Self::save_into) writes over an earlier snapshot and takes none.
            ///
            /// # Panics
            ///
            /// If there is no memory for it.
            #[must_use]
            pub fn snapshot(&self) -> crate::snapshot::SnapshotOf<Self>
            where
                $value: Copy,
                $(Self: $parts,)?
            {
                crate::snapshot::SnapshotOf::copied(self.clone())
            }

            /// A snapshot like that of [`snapshot`](Self::snapshot), of values that are only `Clone`: it clones them
            /// one at a time, now and in each [`save_into`](Self::save_into) and [`restore`](Self::restore).
            ///
            /// # Panics
            ///
            /// If there is no memory for it.
            #[must_use]
            pub fn snapshot_cloned(&self) -> crate::snapshot::SnapshotOf<Self>
            where
                $value: Clone,
                $(Self: $parts,)?
            {
                crate::snapshot::SnapshotOf::cloned(self.clone())
            }
        }

        /// The past.
        impl<$($generics)*> $pool {
            crate::snapshot::snapshot_methods!(@common);

            /// A sum over everything that the future depends on: the values, the generations, which slots
            /// are live and which come next (but not the statistics). Pools in the same state have the same
            /// sum, on every machine; so two machines that compare sums find out when they part, and
            /// [`diff`](crate::snapshot::SnapshotOf::diff) says where. O(used slots).
            #[must_use]
            pub fn checksum(&self) -> u64
            where
                $value: crate::snapshot::ToChecksum,
            {
                crate::snapshot::state::checksum_of_values(self)
            }

            /// Like [`checksum`](Self::checksum), with a function that adds a value to a sum: for values of
            /// other crates, or of which only a part counts.
            #[must_use]
            pub fn checksum_with(
                &self,
                add_value: impl Fn(&$value, &mut crate::snapshot::Checksum),
            ) -> u64 {
                crate::snapshot::state::sealed::State::sum(self, &add_value)
            }
        }
    };
    (@common) => {
        /// Writes the state as it is now over that of the snapshot. Takes no memory.
        ///
        /// # Errors
        ///
        /// If the snapshot is of a pool of another capacity, or whose generations run differently.
        pub fn save_into(
            &self,
            snapshot: &mut crate::snapshot::SnapshotOf<Self>,
        ) -> Result<(), crate::snapshot::SnapshotError> {
            snapshot.save(self)
        }

        /// Makes the state what it was when the snapshot was taken. Takes no memory.
        ///
        /// Handles of objects that lived then are good again; what was issued since is refused, until the
        /// same inputs issue it again. More of that in [`snapshot`](crate::snapshot).
        ///
        /// # Errors
        ///
        /// If the snapshot is of a pool of another capacity, or whose generations run differently.
        pub fn restore(
            &mut self,
            snapshot: &crate::snapshot::SnapshotOf<Self>,
        ) -> Result<(), crate::snapshot::SnapshotError> {
            snapshot.restore_to(self)
        }
    };
}
pub(crate) use snapshot_methods;
