use std::any::Any;
use std::marker::PhantomData;

use millpond::reuse::ReuseOrder;
use millpond::{AnyPool, HandleLayout};

use super::{AnyHandle, Kind, NoPast, Plan, PoolUnderTest};

/// [`AnyPool`] of a reuse order and a handle layout.
pub(crate) struct AnyKind<R, H>(PhantomData<(R, H)>);

impl<R: ReuseOrder + 'static, H: HandleLayout + AnyHandle> Kind for AnyKind<R, H> {
    type Handle = H;
    type Pool<T: 'static> = AnyBoxes<T, R, H>;

    const ALLOCATES: bool = true;
    const PANICKING_CLEAR_DOES_TOO: bool = false;
}

/// The values are in boxes: in these tests there are some that no slot of a sensible size would hold.
pub(crate) struct AnyBoxes<T: 'static, R: ReuseOrder, H: HandleLayout> {
    pool: AnyPool<dyn Any, 16, R, H>,
    values: PhantomData<T>,
}

fn value<T: 'static>(any: &dyn Any) -> &T {
    any.downcast_ref::<Box<T>>().unwrap()
}

fn value_mut<T: 'static>(any: &mut dyn Any) -> &mut T {
    any.downcast_mut::<Box<T>>().unwrap()
}

impl<T: 'static, R: ReuseOrder, H: HandleLayout + AnyHandle> PoolUnderTest<T>
    for AnyBoxes<T, R, H>
{
    type Handle = H;
    type Past = NoPast;

    fn build(plan: Plan) -> Self {
        let builder = AnyPool::<dyn Any, 16>::builder().reuse(R::default()).handle::<H>();
        Self { pool: super::planned!(builder, plan).build(), values: PhantomData }
    }

    super::says_all!(outer => outer.pool, capacity);

    fn at(&self, index: usize) -> Option<Option<(H, &T)>> {
        let (handle, any) = (self.pool.handle_at(index), self.pool.get_at(index));
        assert_eq!(handle.is_some(), any.is_some());
        Some(handle.zip(any.map(value)))
    }

    fn insert(&mut self, value: T) -> Result<H, T> {
        self.pool.insert(Box::new(value)).map_err(|full| *full.into_inner())
    }

    fn get(&self, handle: H) -> Option<&T> {
        let any = self.pool.get(handle).map(value);
        assert_eq!(any.is_some(), self.pool.get_as::<Box<T>>(handle).is_some());
        assert!(self.pool.get_as::<T>(handle).is_none(), "of another type");
        any
    }

    fn get_mut(&mut self, handle: H) -> Option<&mut T> {
        self.pool.get_mut(handle).map(value_mut)
    }

    fn contains(&self, handle: H) -> bool {
        self.pool.contains(handle)
    }

    fn remove(&mut self, handle: H) -> Option<T> {
        assert!(self.pool.remove_as::<T>(handle).is_none(), "of another type");
        self.pool.remove_as::<Box<T>>(handle).map(|value| *value)
    }

    fn clear(&mut self) {
        self.pool.clear();
    }

    fn iter(&self) -> impl Iterator<Item = (H, &T)> {
        self.pool.iter().map(|(handle, any)| (handle, value(any)))
    }

    fn validate(&self) -> Result<(), String> {
        self.pool.validate().map_err(|violation| violation.to_string())
    }

    fn insert_at(&mut self, handle: H, value: T) -> Option<Result<(), T>> {
        let claimed = super::claimed(handle, self.pool.insert_at(handle, Box::new(value)));
        claimed.map(|claimed| claimed.map_err(|value| *value))
    }

    fn insert_with(&mut self, make: &mut dyn FnMut(H) -> T) -> Option<Result<H, ()>> {
        Some(self.pool.insert_with(|handle| Box::new(make(handle))).map_err(|_| ()))
    }

    fn promised(&mut self) -> Option<Option<H>> {
        Some(self.pool.vacant_entry().map(|entry| entry.handle()))
    }

    fn retain(&mut self, keep: &mut dyn FnMut(H, &mut T) -> bool) -> bool {
        self.pool.retain(|handle, any| keep(handle, value_mut(any)));
        true
    }

    fn iter_both_ends(
        &self,
    ) -> Option<impl DoubleEndedIterator<Item = (H, &T)> + ExactSizeIterator + Clone> {
        Some(self.pool.iter().map(|(handle, any)| (handle, value(any))))
    }

    fn iter_mut_both_ends(
        &mut self,
    ) -> Option<impl DoubleEndedIterator<Item = (H, &mut T)> + ExactSizeIterator> {
        Some(self.pool.iter_mut().map(|(handle, any)| (handle, value_mut(any))))
    }

    fn disjoint<const N: usize>(&mut self, handles: [H; N]) -> Option<Option<[&mut T; N]>> {
        Some(self.pool.get_disjoint_mut(handles).ok().map(|values| values.map(value_mut)))
    }
}
