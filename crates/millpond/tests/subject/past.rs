/// The past of a pool that has no snapshots: there is none.
pub(crate) enum NoPast {}

/// The snapshots of an adapter, which are those of one pool in it: its type, the place of it in the adapter, and
/// what is wrong with such a pool.
macro_rules! snapshots_of {
    ($inside:ty, $outer:ident => $place:expr, $past:ident => $violation:expr) => {
        type Past = millpond::snapshot::SnapshotOf<$inside>;

        fn take_snapshot(&self) -> Option<Self::Past>
        where
            T: Clone,
        {
            let $outer = self;
            Some($place.snapshot_cloned())
        }

        fn take_snapshot_of_copies(&self) -> Option<Self::Past>
        where
            T: Copy,
        {
            let $outer = self;
            Some($place.snapshot())
        }

        fn save_into(&self, past: &mut Self::Past)
        where
            T: Clone,
        {
            let $outer = self;
            $place.save_into(past).unwrap();
        }

        fn restore(&mut self, past: &Self::Past)
        where
            T: Clone,
        {
            let $outer = self;
            $place.restore(past).unwrap();
        }

        fn sum_of(past: &Self::Past) -> u64
        where
            T: millpond::snapshot::ToChecksum,
        {
            past.checksum()
        }

        fn differences(left: &Self::Past, right: &Self::Past) -> usize
        where
            T: millpond::snapshot::ToChecksum,
        {
            left.diff(right).count()
        }

        fn validate_past(past: &Self::Past) -> Result<(), String> {
            let $past = past.as_pool();
            $violation.map_err(|violation| violation.to_string())
        }

        fn sum(&self) -> Option<u64>
        where
            T: millpond::snapshot::ToChecksum,
        {
            let $outer = self;
            Some($place.checksum())
        }
    };
}
pub(super) use snapshots_of;

/// The snapshots and the written form of an adapter, which are those of one pool in it: its type, the place
/// of it in the adapter, and the adapter that is made of a pool that was read, or the reason why
/// none can be.
macro_rules! past_of {
    ($inside:ty, $outer:ident => $place:expr, $read:ident => $made:expr) => {
        $crate::subject::past::snapshots_of!($inside, $outer => $place, past => past.validate());
        $crate::subject::past::files_of!($inside, $outer => $place, $read => $made);
    };
    () => {
        $crate::subject::past::past_of!(Self, pool => *pool, pool => Ok(pool));
    };
}
pub(super) use past_of;

/// The written form alone.
macro_rules! files_of {
    ($inside:ty, $outer:ident => $place:expr, $read:ident => $made:expr) => {
        fn read_past(
            form: $crate::subject::Form,
            bytes: &[u8],
        ) -> Option<Result<Self::Past, String>>
        where
            T: serde::de::DeserializeOwned + Clone,
        {
            Some(form.read(bytes))
        }

        fn write(&self, form: $crate::subject::Form) -> Option<Vec<u8>>
        where
            T: serde::Serialize,
        {
            let $outer = self;
            Some(form.write(&$place))
        }

        fn read(form: $crate::subject::Form, bytes: &[u8]) -> Option<Result<Self, String>>
        where
            T: serde::de::DeserializeOwned,
        {
            Some(form.read::<$inside>(bytes).and_then(|$read| $made))
        }
    };
}
pub(super) use files_of;
