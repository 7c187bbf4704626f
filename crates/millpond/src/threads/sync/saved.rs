//! `serde`: a shared pool is written as a [`SyncSnapshot`] or as a [`Frozen`] view, while it cannot
//! change, and read as a pool or as a snapshot.

use alloc::vec::Vec;

use ::serde::de::{Deserialize, Deserializer};
use ::serde::ser::{Error, Serialize, Serializer};

use super::snapshot::Busy;
use super::{Frozen, SyncPool, SyncSnapshot};
use crate::handle::{Handle, Word};
use crate::reports::stats::Stats;
use crate::slots::AnyCycle;
use crate::slots::saved::Checked;
use crate::snapshot::format::{
    Form, NewPool, ObjectsOf, Refused, migrate, read, serialize_parts, write,
};
use crate::snapshot::state::Shape;
use crate::snapshot::{MigrateError, OldPool, SnapshotError};

impl<T> SyncSnapshot<T> {
    /// That of a pool of this shape, without its slots.
    fn of_shape(shape: Shape) -> Self {
        Self {
            shape,
            words: [].into(),
            values: [].into(),
            homes: [].into(),
            stats: Stats { capacity: shape.capacity, ..Stats::default() },
            unshown: 0,
            is_complete: true,
        }
    }
}

impl<T> NewPool for SyncSnapshot<T> {
    const KIND: &'static str = "SyncPool";
    /// The homes determine which slot comes next.
    const REUSE: &'static str = "homes";
    const ADAPTS_FIRST: bool = false;

    fn unused(state: &Checked<u32>) -> Result<Self, Refused> {
        match state.cycle.wraps() {
            true => Err(Refused::other("kind (its slots wrap)", "one whose slots retire")),
            false => Ok(Self::of_shape(Shape::new(state.slots, &state.cycle))),
        }
    }

    fn take_over(
        &mut self,
        state: &Checked<u32>,
        objects: Vec<(usize, T)>,
    ) -> Result<(), MigrateError> {
        let Checked { cycle, words, order, inserted, refused, evicted, peak, .. } = state;
        let capacity = words.len();
        let mut values = Vec::new();
        let reserved = values.try_reserve_exact(capacity);
        reserved.map_err(|_| MigrateError::OutOfMemory { slots: capacity })?;
        values.resize_with(capacity, || None);
        let live = objects.len();
        for (index, value) in objects {
            values[index] = Some(value);
        }
        let retired = words.iter().filter(|word| **word == u32::RETIRED).count();
        let begun = words.iter().map(|word| lifetimes_begun(cycle, *word)).sum::<u64>();
        *self = Self {
            shape: Shape::new(capacity, cycle),
            words: words.as_slice().into(),
            values: values.into_boxed_slice(),
            homes: order.as_slice().into(),
            stats: Stats {
                capacity,
                live,
                peak: *peak,
                retired,
                inserted: *inserted,
                removed: inserted - live as u64,
                refused: *refused,
                evicted: *evicted,
            },
            // No more than 2^62, and than 2^32 slots of 2^31 lifetimes each.
            unshown: (*inserted as i64).wrapping_sub(begun as i64),
            is_complete: true,
        };
        Ok(())
    }
}

impl<T> SyncPool<T> {
    /// Takes over all objects of an old pool, of any kind, with the generations of its slots; see
    /// [`Pool::migrate_from`](crate::Pool::migrate_from). To take over those of a `SyncPool`, pass a [`SyncSnapshot`].
    ///
    /// ```
    /// use millpond::SyncPool;
    /// use millpond::sync::SyncSnapshot;
    ///
    /// let mut jobs = SyncPool::new(100);
    /// let job = jobs.insert("build").unwrap();
    /// let file = serde_json::to_string(&jobs.frozen()).unwrap();
    ///
    /// let old: SyncSnapshot<&str> = serde_json::from_str(&file).unwrap();
    /// let mut jobs = SyncPool::new(1000);
    /// jobs.migrate_from(old)?;
    /// assert_eq!(*jobs.get(job).unwrap(), "build");
    /// # Ok::<(), millpond::snapshot::MigrateError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the pool cannot keep all generations; the [error](MigrateError) says what to change. Unlike other pools, this one
    /// keeps its own first generation: the old pool must have had the same name and salt. Or if a value has an owned guard:
    /// the pool is then unchanged, except that it has [settled](Self::settle).
    ///
    /// # Panics
    ///
    /// If a value's drop panics. The pool is then empty.
    pub fn migrate_from(&mut self, old: impl Into<OldPool<T>>) -> Result<(), MigrateError> {
        self.migrate_with(old, |_, value| value)
    }

    /// Like [`migrate_from`](Self::migrate_from), for values of a type that has changed: see
    /// [`Pool::migrate_with`](crate::Pool::migrate_with).
    ///
    /// ```
    /// use millpond::{Pool, SyncPool};
    ///
    /// let mut old = Pool::new(8);
    /// let heat = old.insert(1.5_f32).unwrap();
    /// let mut heats = SyncPool::<f64>::new(8);
    /// heats.migrate_with(old, |_, heat| f64::from(heat))?;
    /// assert_eq!(heats.iter().map(|(_, heat)| *heat).collect::<Vec<_>>(), [1.5]);
    /// # Ok::<(), millpond::snapshot::MigrateError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If `migrate_from` would fail. `convert` is not called then, unless a value has an owned guard.
    ///
    /// # Panics
    ///
    /// If `convert` panics, and the pool is unchanged then; or if `migrate_from` does.
    pub fn migrate_with<Old>(
        &mut self,
        old: impl Into<OldPool<Old>>,
        convert: impl FnMut(Handle<T>, Old) -> T,
    ) -> Result<(), MigrateError> {
        let mut taken = SyncSnapshot::of_shape(self.slots().shape());
        migrate(&mut taken, old.into(), convert)?;
        taken.homes = self.slots().free.home_words().collect();
        let values = core::mem::take(&mut taken.values);
        let begun = self.begin_again(|slots| taken.begin(slots, values.into_iter()));
        begun.map_err(|Busy| MigrateError::Busy)
    }
}

impl<T> From<SyncSnapshot<T>> for OldPool<T> {
    fn from(pool: SyncSnapshot<T>) -> Self {
        let with_slot = |(index, value): (usize, Option<T>)| Some((index, value?));
        Self::of(&pool).with(pool.values.into_iter().enumerate().filter_map(with_slot))
    }
}

/// How many lifetimes a slot with this word has begun, including those that claims have skipped,
/// each counted once.
fn lifetimes_begun(cycle: &AnyCycle, word: u32) -> u64 {
    match word {
        word if word == u32::RETIRED => u64::from(cycle.count()),
        word => u64::from(cycle.age(word.as_live())) + u64::from(!word.is_dead()),
    }
}

/// Serialises everything that the pool's future depends on, and its statistics; see
/// [`snapshot`](crate::snapshot#saving-to-a-file). Fails if a clone panicked while the snapshot was
/// written.
impl<T: Serialize> Serialize for SyncSnapshot<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.is_complete {
            true => write(self, false, serializer),
            false => Err(S::Error::custom(SnapshotError::Incomplete)),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for SyncSnapshot<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer)
    }
}

/// Serialises the pool like its [snapshot](SyncSnapshot), without the memory for one. Values need
/// not be `Clone`.
///
/// ```
/// use millpond::SyncPool;
///
/// let mut pool = SyncPool::new(100);
/// let handle = pool.insert(5).unwrap();
/// let saved = serde_json::to_string(&pool.frozen()).unwrap();
/// let loaded: SyncPool<i32> = serde_json::from_str(&saved).unwrap();
/// assert_eq!(*loaded.get(handle).unwrap(), 5);
/// ```
impl<T: Serialize> Serialize for Frozen<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let slots = self.slots();
        let capacity = slots.capacity();
        let named = (SyncSnapshot::<T>::KIND, SyncSnapshot::<T>::REUSE);
        let generations = (0..capacity).map(|index| slots.shown(index).0.generation());
        let parts = (slots.shape(), slots.stats());
        let state = Form::of_slots(named, parts, generations, slots.order());
        let objects = ObjectsOf::<Handle<T>, _>::new(capacity, false, |index| slots.shown(index));
        serialize_parts((&state, None), &objects, serializer)
    }
}

/// Deserialises a pool without a name that drops values at once; see
/// [`snapshot`](crate::snapshot#saving-to-a-file). To keep a builder's settings, read a
/// [`SyncSnapshot`], and [restore](SyncPool::restore) it.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for SyncPool<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut read = SyncSnapshot::<T>::deserialize(deserializer)?;
        let capacity = read.words.len();
        let pool = SyncPool::builder()
            .homes(read.homes.len())
            .build_with(capacity, read.shape.cycle)
            .map_err(|_| ::serde::de::Error::custom(Refused::out_of_memory(capacity)))?;
        let slots = pool.slots();
        let values = core::mem::take(&mut read.values);
        read.begin(slots, values.into_iter());
        debug_assert_eq!(slots.unshown(), read.unshown);
        Ok(pool)
    }
}
