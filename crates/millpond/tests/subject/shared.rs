use std::marker::PhantomData;

use millpond::{Handle, Stats, SyncPool};

use super::{Kind, NoPast, Plan, PoolUnderTest};

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

    fn wraps(_plan: Plan) -> bool {
        false
    }
}

/// The pool, which lends references without a guard: nothing is removed while they are borrowed.
pub(crate) struct Shared<T> {
    pool: SyncPool<T>,
    values: PhantomData<T>,
}

impl<T> Shared<T> {
    fn lent(&self, handle: Handle<T>) -> Option<&T> {
        let value: *const T = &raw const *self.pool.get(handle)?;
        // SAFETY: the value is live, and everything in this adapter that removes or writes one needs `&mut self`.
        Some(unsafe { &*value })
    }
}

impl<T: 'static> PoolUnderTest<T> for Shared<T> {
    type Handle = Handle<()>;
    type Past = NoPast;

    fn build(plan: Plan) -> Self {
        let mut builder = SyncPool::builder().capacity(plan.capacity).homes(2);
        if let Some(lifetimes) = plan.lifetimes {
            builder = builder.lifetimes(lifetimes);
        }
        if let Some(name) = plan.name {
            builder = builder.name(name);
        }
        Self { pool: builder.build(), values: PhantomData }
    }

    fn capacity(&self) -> usize {
        self.pool.capacity()
    }

    fn len(&self) -> usize {
        assert_eq!(self.pool.len(), self.pool.stats().live);
        self.pool.len()
    }

    fn retired(&self) -> usize {
        self.pool.stats().retired
    }

    fn stats(&self) -> Option<Stats> {
        Some(self.pool.stats())
    }

    fn name(&self) -> Option<Option<&'static str>> {
        Some(self.pool.name())
    }

    fn insert(&mut self, value: T) -> Result<Handle<()>, T> {
        self.pool.insert(value).map(Handle::relabel).map_err(|full| full.into_inner())
    }

    fn get(&self, handle: Handle<()>) -> Option<&T> {
        self.lent(handle.relabel())
    }

    fn get_mut(&mut self, handle: Handle<()>) -> Option<&mut T> {
        self.pool.get_mut(handle.relabel()).ok()
    }

    fn contains(&self, handle: Handle<()>) -> bool {
        let contains = self.pool.contains(handle.relabel());
        assert_eq!(self.pool.check(handle.relabel()).is_ok(), contains);
        contains
    }

    fn remove(&mut self, handle: Handle<()>) -> Option<T> {
        self.pool.take(handle.relabel()).ok()
    }

    fn clear(&mut self) {
        self.pool.clear();
    }

    fn iter(&self) -> impl Iterator<Item = (Handle<()>, &T)> {
        self.pool.iter().filter_map(|(handle, _guard)| Some((handle.relabel(), self.lent(handle)?)))
    }

    fn validate(&self) -> Result<(), String> {
        self.pool.validate().map_err(|violation| violation.to_string())
    }

    fn insert_at(&mut self, handle: Handle<()>, value: T) -> Option<Result<(), T>> {
        Some(match self.pool.insert_at(handle.relabel(), value) {
            Ok(_) => Ok(()),
            Err(error) => Err(error.into_inner()),
        })
    }

    fn insert_with(
        &mut self,
        make: &mut dyn FnMut(Handle<()>) -> T,
    ) -> Option<Result<Handle<()>, ()>> {
        let inserted = self.pool.insert_with(|handle| make(handle.relabel()));
        Some(inserted.map(Handle::relabel).map_err(|_| ()))
    }

    fn retain(&mut self, keep: &mut dyn FnMut(Handle<()>, &mut T) -> bool) -> bool {
        self.pool.retain(|handle, value| keep(handle.relabel(), value));
        true
    }

    fn extract_if(
        &mut self,
        mut choose: impl FnMut(Handle<()>, &mut T) -> bool,
    ) -> Option<impl Iterator<Item = (Handle<()>, T)>> {
        let extracted = self.pool.extract_if(move |handle, value| choose(handle.relabel(), value));
        Some(extracted.map(|(handle, value)| (handle.relabel(), value)))
    }

    fn disjoint<const N: usize>(
        &mut self,
        handles: [Handle<()>; N],
    ) -> Option<Option<[&mut T; N]>> {
        Some(self.pool.get_disjoint_mut(handles.map(Handle::relabel)).ok())
    }
}
