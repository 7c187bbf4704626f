//! The methods by which every pool and table is saved and restored.

/// Implements them for a pool of such values; `noun` is what it is called. Two parts of the docs can be said more
/// precisely: `like`, how a snapshot is allocated, and `also`, what else the checksum includes.
#[doc(hidden)]
#[macro_export]
macro_rules! __snapshots {
    (
        [$($generics:tt)*] $pool:ty, values $value:ty, $noun:literal, $nouns:literal
        $(, like $like:literal)? $(, also $also:literal)? $(,)?
    ) => {
        /// Snapshots.
        impl<$($generics)*> $pool {
            #[doc = concat!("Takes a snapshot of everything that the ", $noun, "'s future depends on, for values that")]
            /// are `Copy`; see [`snapshot`](millpond::snapshot). The snapshot is as large as a clone of the
            #[doc = concat!($noun, ", and allocated like one", $($like,)? ".")]
            /// [`save_into`](Self::save_into) overwrites an earlier snapshot.
            ///
            /// # Panics
            ///
            /// If there is not enough memory.
            #[must_use]
            pub fn snapshot(&self) -> $crate::snapshot::SnapshotOf<Self>
            where
                $value: Copy,
                Self: Clone,
            {
                $crate::snapshot::SnapshotOf::copied(self.clone())
            }

            /// Like [`snapshot`](Self::snapshot), for values that are only `Clone`. They are cloned
            /// one at a time, now and in each [`save_into`](Self::save_into) and
            /// [`restore`](Self::restore).
            ///
            /// # Panics
            ///
            /// If there is not enough memory, or a value's clone panics.
            #[must_use]
            pub fn snapshot_cloned(&self) -> $crate::snapshot::SnapshotOf<Self>
            where
                $value: Clone,
                Self: Clone,
            {
                $crate::snapshot::SnapshotOf::cloned(self.clone())
            }

            /// Overwrites `snapshot` with the current state. Does not allocate, except as
            /// [described](millpond::snapshot#what-it-costs).
            ///
            /// # Errors
            ///
            #[doc = concat!("If `snapshot` is of a ", $noun, " with another capacity, other generations or another policy.")]
            ///
            /// # Panics
            ///
            /// If a value's clone or drop panics, or a pool that grows finds no memory.
            pub fn save_into(
                &self,
                snapshot: &mut $crate::snapshot::SnapshotOf<Self>,
            ) -> Result<(), $crate::snapshot::SnapshotError> {
                snapshot.save_from(self)
            }

            #[doc = concat!("Restores the ", $noun, " to the state in which `snapshot` was taken. Does not allocate, except")]
            /// as [described](millpond::snapshot#what-it-costs).
            ///
            /// Handles of objects that were live then are valid again; handles issued since are
            /// refused, until the same inputs issue them again. See [`snapshot`](millpond::snapshot) for
            /// details.
            ///
            /// # Errors
            ///
            #[doc = concat!("If `snapshot` is incomplete, or of a ", $noun, " with another capacity, other generations or")]
            /// another policy.
            ///
            /// # Panics
            ///
            /// If a value's clone or drop panics, or a pool that grows finds no memory.
            pub fn restore(
                &mut self,
                snapshot: &$crate::snapshot::SnapshotOf<Self>,
            ) -> Result<(), $crate::snapshot::SnapshotError> {
                snapshot.restore_to(self)
            }

            /// Returns a checksum of everything that the future depends on: the values, the generations,
            #[doc = concat!("which slots are live and which come next", $($also,)? " (but not the statistics).")]
            #[doc = concat!($nouns, " in the same state have the same checksum, on every machine. So two machines")]
            /// that compare checksums detect when they diverge, and
            /// [`diff`](millpond::snapshot::SnapshotOf::diff) shows where. O(used slots).
            #[must_use]
            pub fn checksum(&self) -> u64
            where
                $value: $crate::snapshot::ToChecksum,
            {
                self.checksum_with($crate::snapshot::ToChecksum::add_to)
            }

            /// Like [`checksum`](Self::checksum), but `add_value` adds a value to a checksum: for
            /// values whose type is foreign, or of which only a part counts.
            #[must_use]
            pub fn checksum_with(
                &self,
                add_value: impl Fn(&$value, &mut $crate::snapshot::Checksum),
            ) -> u64 {
                $crate::snapshot::State::sum(self, &add_value)
            }
        }
    };
}
pub(crate) use __snapshots as snapshots;
