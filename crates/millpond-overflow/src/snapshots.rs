//! The methods by which a pool of several parts is saved and restored: those of [`Pool`](millpond::Pool).

/// Implements them for a pool of such values and with these bounds.
macro_rules! snapshots {
    ([$($generics:tt)*] $pool:ty, values $value:ty, where $($bounds:tt)*) => {
        /// Snapshots.
        impl<$($generics)*> $pool
        where
            $($bounds)*
        {
            /// Takes a snapshot of all parts, for values that are `Copy`; see [`Pool::snapshot`](millpond::Pool::snapshot).
            ///
            /// # Panics
            ///
            /// If there is not enough memory.
            #[must_use]
            pub fn snapshot(&self) -> millpond::snapshot::SnapshotOf<Self>
            where
                $value: Copy,
                Self: Clone,
            {
                millpond::snapshot::SnapshotOf::copied(self.clone())
            }

            /// Like [`snapshot`](Self::snapshot), for values that are only `Clone`. They are cloned one at a time, now and in
            /// each [`save_into`](Self::save_into) and [`restore`](Self::restore).
            ///
            /// # Panics
            ///
            /// If there is not enough memory, or a value's clone panics.
            #[must_use]
            pub fn snapshot_cloned(&self) -> millpond::snapshot::SnapshotOf<Self>
            where
                $value: Clone,
                Self: Clone,
            {
                millpond::snapshot::SnapshotOf::cloned(self.clone())
            }

            /// Overwrites `snapshot` with the current state. Does not allocate, except as
            /// [described](millpond::snapshot#what-it-costs).
            ///
            /// # Errors
            ///
            /// If `snapshot` is of a pool with another capacity, other generations or another policy.
            ///
            /// # Panics
            ///
            /// If a value's clone or drop panics, or a pool that grows finds no memory.
            pub fn save_into(
                &self,
                snapshot: &mut millpond::snapshot::SnapshotOf<Self>,
            ) -> Result<(), millpond::snapshot::SnapshotError> {
                snapshot.save_from(self)
            }

            /// Restores all parts to the state in which `snapshot` was taken; see [`Pool::restore`](millpond::Pool::restore).
            ///
            /// # Errors
            ///
            /// If `snapshot` is incomplete, or of a pool with another capacity, other generations or another policy.
            ///
            /// # Panics
            ///
            /// If a value's clone or drop panics, or a pool that grows finds no memory.
            pub fn restore(
                &mut self,
                snapshot: &millpond::snapshot::SnapshotOf<Self>,
            ) -> Result<(), millpond::snapshot::SnapshotError> {
                snapshot.restore_to(self)
            }

            /// Returns a checksum of everything that the future depends on, in all parts; see
            /// [`Pool::checksum`](millpond::Pool::checksum). O(used slots).
            #[must_use]
            pub fn checksum(&self) -> u64
            where
                $value: millpond::snapshot::ToChecksum,
            {
                millpond::__parts::checksum_of_values(self)
            }

            /// Like [`checksum`](Self::checksum), but `add_value` adds a value to a checksum: for values whose type is foreign,
            /// or of which only a part counts.
            #[must_use]
            pub fn checksum_with(
                &self,
                add_value: impl Fn(&$value, &mut millpond::snapshot::Checksum),
            ) -> u64 {
                millpond::__parts::State::sum(self, &add_value)
            }
        }
    };
}
pub(crate) use snapshots;
