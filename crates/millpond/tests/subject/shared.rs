use std::cell::UnsafeCell;

use millpond::snapshot::ToChecksum;
use millpond::sync::SyncSnapshot;
use millpond::{Handle, Refusal, SyncPool};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Claimed, Form, Kind, Plan, PoolUnderTest, aided};

/// [`SyncPool`], used by one thread, and by `&mut` wherever that has a method.
pub(crate) struct SharedKind;

impl Kind for SharedKind {
    type Handle = Handle<()>;
    type Pool<T: 'static> = Shared<T>;

    /// A pool of threads always retires its slots.
    const WRAPS_EARLY: bool = false;
    /// Which slot comes next is up to the home.
    const CLEAR_STARTS_FROM_THE_LOWEST: bool = false;
    const PANICKING_CLEAR_DOES_TOO: bool = false;
    /// A snapshot that was being written keeps what it has, and refuses to be restored: see `tests/threads/hostile.rs`.
    const PANICKING_RESTORE_EMPTIES: bool = false;
    /// It sees what is live only when it is asked.
    const KNOWS_PEAK: bool = false;

    /// For the snapshot, and for the twin that takes it over.
    const CLONES_FOR_A_COPY: u64 = 2;

    fn wraps(_plan: Plan) -> bool {
        false
    }
}

/// The pool, which lends references without a guard: nothing is removed while they are borrowed. What needs `&mut` of a
/// `SyncPool`, and only looks at it, needs only `&self` here.
pub(crate) struct Shared<T> {
    pool: UnsafeCell<SyncPool<T>>,
    /// What it was built with, unless it was read.
    plan: Option<Plan>,
}

impl<T> Shared<T> {
    fn pool(&self) -> &SyncPool<T> {
        // SAFETY: whoever has an exclusive reference by `alone` does not call this meanwhile.
        unsafe { &*self.pool.get() }
    }

    /// Calls the function with the pool, which it only looks at.
    fn alone<R>(&self, look: impl FnOnce(&mut SyncPool<T>) -> R) -> R {
        // SAFETY: `look` does not know this adapter. References that were lent lead to values, which nobody writes.
        look(unsafe { &mut *self.pool.get() })
    }

    fn lent(&self, handle: Handle<T>) -> Option<&T> {
        let value: *const T = &raw const *self.pool().get(handle)?;
        // SAFETY: the value is live, and everything in this adapter that removes or writes one needs `&mut self`.
        Some(unsafe { &*value })
    }
}

impl<T: 'static> PoolUnderTest<T> for Shared<T> {
    type Handle = Handle<()>;
    type Past = SyncSnapshot<T>;

    fn build(plan: Plan) -> Self {
        let mut builder = aided!(SyncPool::builder(), plan).capacity(plan.capacity).homes(2);
        if let Some(lifetimes) = plan.lifetimes {
            builder = builder.lifetimes(lifetimes);
        }
        if let Some(name) = plan.name {
            builder = builder.name(name);
        }
        Self { pool: UnsafeCell::new(builder.build()), plan: Some(plan) }
    }

    fn len(&self) -> usize {
        assert_eq!(self.pool().len(), self.pool().stats().live);
        self.pool().len()
    }

    fn name(&self) -> Option<Option<&'static str>> {
        Some(self.pool().name())
    }

    super::says!(outer => outer.pool(), capacity);

    fn at(&self, index: usize) -> Option<Option<(Handle<()>, &T)>> {
        let handle = self.pool().handle_at(index);
        Some(handle.and_then(|handle| Some((handle.relabel(), self.lent(handle)?))))
    }

    fn runs(&self) -> Option<Vec<(usize, Vec<&T>)>> {
        let run = |run: &[T]| run.iter().map(|value| &raw const *value).collect::<Vec<_>>();
        let runs: Vec<_> = self.alone(|pool| {
            pool.frozen().runs().map(|(first, values)| (first, run(values))).collect()
        });
        let lend = |values: Vec<*const T>| {
            // SAFETY: as in `lent`.
            values.into_iter().map(|value| unsafe { &*value }).collect()
        };
        Some(runs.into_iter().map(|(first, values)| (first, lend(values))).collect())
    }

    fn insert(&mut self, value: T) -> Result<Handle<()>, T> {
        self.pool.get_mut().insert(value).map(Handle::relabel).map_err(|full| full.into_inner())
    }

    fn get(&self, handle: Handle<()>) -> Option<&T> {
        self.lent(handle.relabel())
    }

    fn get_mut(&mut self, handle: Handle<()>) -> Option<&mut T> {
        self.pool.get_mut().get_mut(handle.relabel()).ok()
    }

    fn contains(&self, handle: Handle<()>) -> bool {
        self.pool().contains(handle.relabel())
    }

    fn remove(&mut self, handle: Handle<()>) -> Option<T> {
        self.pool.get_mut().take(handle.relabel()).ok()
    }

    fn clear(&mut self) {
        self.pool.get_mut().clear();
    }

    fn iter(&self) -> impl Iterator<Item = (Handle<()>, &T)> {
        self.pool()
            .iter()
            .filter_map(|(handle, _guard)| Some((handle.relabel(), self.lent(handle)?)))
    }

    fn validate(&self) -> Result<(), String> {
        self.pool().validate().map_err(|violation| violation.to_string())
    }

    fn insert_at(&mut self, handle: Handle<()>, value: T) -> Claimed<T> {
        let result = self.pool.get_mut().insert_at(handle.relabel(), value);
        super::claimed(handle, result.map(Handle::relabel))
    }

    fn revive(&mut self, handle: Handle<()>, value: T) -> Claimed<T> {
        let result = self.pool.get_mut().revive(handle.relabel(), value);
        super::claimed(handle, result.map(Handle::relabel))
    }

    fn check(&self, handle: Handle<()>) -> Option<Result<(), Refusal>> {
        Some(self.pool().check(handle.relabel()))
    }

    fn insert_with(
        &mut self,
        make: &mut dyn FnMut(Handle<()>) -> T,
    ) -> Option<Result<Handle<()>, ()>> {
        let inserted = self.pool.get_mut().insert_with(|handle| make(handle.relabel()));
        Some(inserted.map(Handle::relabel).map_err(|_| ()))
    }

    const EVICTS: bool = true;

    fn insert_or_evict<K: Ord>(
        &mut self,
        value: T,
        key: &mut dyn FnMut(&T) -> K,
    ) -> Option<(Handle<()>, Option<(Handle<()>, T)>)> {
        let pool = self.pool.get_mut();
        let key = |_, value: &T| key(value);
        let (handle, evicted) = match pool.len() % 2 == 0 {
            true => pool.insert_or_evict(value, key),
            false => pool.try_insert_or_evict(value, key).ok()?,
        };
        Some((handle.relabel(), evicted.map(|(handle, value)| (handle.relabel(), value))))
    }

    fn migrated(&self, plan: Plan, own: Vec<T>) -> Option<Self>
    where
        T: Clone,
    {
        let mut shared = Self::build(plan);
        let is_plain = own.len() % 2 == 0;
        own.into_iter().for_each(|value| drop(shared.insert(value)));
        let past = self.alone(|pool| pool.snapshot());
        let pool = shared.pool.get_mut();
        let migrated = match is_plain {
            true => pool.migrate_from(past),
            false => pool.migrate_with(past, |_, value| value),
        };
        migrated.unwrap();
        Some(shared)
    }

    fn insert_unless_least<K: Ord>(
        &mut self,
        value: T,
        key: &mut dyn FnMut(&T) -> K,
    ) -> Option<Result<(Handle<()>, Option<(Handle<()>, T)>), T>> {
        let inserted = self.pool.get_mut().insert_unless_least(value, key);
        let relabel = |(handle, value): (Handle<T>, T)| (handle.relabel(), value);
        let inserted = inserted.map(|(handle, evicted)| (handle.relabel(), evicted.map(relabel)));
        Some(inserted.map_err(|full| full.into_inner()))
    }

    fn lend_values(&mut self, lend: &mut dyn FnMut(&mut T)) -> bool {
        let pool = self.pool.get_mut();
        match pool.len() % 2 == 0 {
            true => pool.values_mut().for_each(lend),
            false => pool.iter_mut().for_each(|(_, value)| lend(value)),
        }
        true
    }

    fn lend_runs(&mut self, lend: &mut dyn FnMut(&mut T)) -> bool {
        self.pool.get_mut().runs_mut().flat_map(|(_, run)| run).for_each(lend);
        true
    }

    super::records!(outer => outer.pool.get_mut());

    fn retain(&mut self, keep: &mut dyn FnMut(Handle<()>, &mut T) -> bool) -> bool {
        self.pool.get_mut().retain(|handle, value| keep(handle.relabel(), value));
        true
    }

    /// A twin that takes over a snapshot.
    fn try_clone(&self) -> Option<Self>
    where
        T: Clone,
    {
        let mut twin = Self::build(self.plan?);
        twin.restore(&self.take_snapshot()?);
        Some(twin)
    }

    fn take_snapshot(&self) -> Option<SyncSnapshot<T>>
    where
        T: Clone,
    {
        Some(self.alone(SyncPool::snapshot))
    }

    fn take_snapshot_of_copies(&self) -> Option<SyncSnapshot<T>>
    where
        T: Copy,
    {
        self.take_snapshot()
    }

    fn save_into(&self, past: &mut SyncSnapshot<T>)
    where
        T: Clone,
    {
        self.alone(|pool| pool.save_into(past)).unwrap();
    }

    fn restore(&mut self, past: &SyncSnapshot<T>)
    where
        T: Clone,
    {
        self.pool.get_mut().restore(past).unwrap();
    }

    fn sum_of(past: &SyncSnapshot<T>) -> u64
    where
        T: ToChecksum,
    {
        past.checksum()
    }

    fn differences(left: &SyncSnapshot<T>, right: &SyncSnapshot<T>) -> usize
    where
        T: ToChecksum,
    {
        left.diff(right).count()
    }

    /// It has no rules of its own: a pool that takes it over is validated.
    fn validate_past(_past: &SyncSnapshot<T>) -> Result<(), String> {
        Ok(())
    }

    fn read_past(form: Form, bytes: &[u8]) -> Option<Result<SyncSnapshot<T>, String>>
    where
        T: DeserializeOwned + Clone,
    {
        Some(form.read(bytes))
    }

    fn sum(&self) -> Option<u64>
    where
        T: ToChecksum,
    {
        Some(self.alone(SyncPool::checksum))
    }

    fn write(&self, form: Form) -> Option<Vec<u8>>
    where
        T: Serialize,
    {
        Some(self.alone(|pool| form.write(&pool.frozen())))
    }

    fn read(form: Form, bytes: &[u8]) -> Option<Result<Self, String>>
    where
        T: DeserializeOwned,
    {
        let pool = form.read::<SyncPool<T>>(bytes);
        Some(pool.map(|pool| Self { pool: UnsafeCell::new(pool), plan: None }))
    }
}
