use std::marker::PhantomData;

use millpond::reuse::ReuseOrder;
use millpond::{HandleAllocator, HandleLayout};

use super::{AnyHandle, Kind, Plan, PoolUnderTest};

/// [`HandleAllocator`] of a reuse order and a handle layout.
pub(crate) struct AllocatorKind<R, H>(PhantomData<(R, H)>);

impl<R: ReuseOrder + 'static, H: HandleLayout + AnyHandle> Kind for AllocatorKind<R, H> {
    type Handle = H;
    type Pool<T: 'static> = Arrays<T, R, H>;

    const NAMED: bool = H::GENERATION_MAX > 1 << 20;
}

/// What a handle allocator is for: handles, and an array of the user's own.
#[derive(Clone)]
pub(crate) struct Arrays<T, R: ReuseOrder, H: HandleLayout> {
    handles: HandleAllocator<R, H>,
    values: Vec<Option<T>>,
}

impl<T, R: ReuseOrder, H: HandleLayout + AnyHandle> Arrays<T, R, H> {
    fn at(handle: H) -> usize {
        AnyHandle::index(handle)
    }
}

impl<T: 'static, R: ReuseOrder, H: HandleLayout + AnyHandle> PoolUnderTest<T> for Arrays<T, R, H> {
    type Handle = H;

    fn build(plan: Plan) -> Self {
        let builder = HandleAllocator::builder().reuse(R::default()).handle::<H>();
        let handles = super::planned!(builder, plan).build();
        Self { values: (0..handles.capacity()).map(|_| None).collect(), handles }
    }

    fn capacity(&self) -> usize {
        self.handles.capacity()
    }

    fn len(&self) -> usize {
        self.handles.len()
    }

    fn retired(&self) -> usize {
        self.handles.stats().retired
    }

    fn is_full(&self) -> bool {
        self.handles.is_full()
    }

    fn is_empty(&self) -> bool {
        self.handles.is_empty()
    }

    fn name(&self) -> Option<Option<&'static str>> {
        Some(self.handles.name())
    }

    fn at(&self, index: usize) -> Option<Option<(H, &T)>> {
        let handle = self.handles.handle_at(index);
        assert_eq!(handle.is_some(), self.handles.occupancy().is_live(index));
        Some(handle.map(|handle| (handle, self.values[index].as_ref().unwrap())))
    }

    fn insert(&mut self, value: T) -> Result<H, T> {
        match self.handles.acquire() {
            Some(handle) => {
                assert!(self.values[Self::at(handle)].replace(value).is_none());
                Ok(handle)
            }
            None => Err(value),
        }
    }

    fn get(&self, handle: H) -> Option<&T> {
        self.handles.contains(handle).then(|| self.values[Self::at(handle)].as_ref())?
    }

    fn get_mut(&mut self, handle: H) -> Option<&mut T> {
        self.handles.contains(handle).then(|| self.values[Self::at(handle)].as_mut())?
    }

    fn contains(&self, handle: H) -> bool {
        self.handles.contains(handle)
    }

    fn remove(&mut self, handle: H) -> Option<T> {
        self.handles.release(handle).then(|| self.values[Self::at(handle)].take())?
    }

    fn clear(&mut self) {
        let values: Vec<Option<T>> = self.values.iter_mut().map(Option::take).collect();
        self.handles.clear();
        drop(values);
    }

    fn iter(&self) -> impl Iterator<Item = (H, &T)> {
        self.handles
            .handles()
            .map(|handle| (handle, self.values[Self::at(handle)].as_ref().unwrap()))
    }

    fn validate(&self) -> Result<(), String> {
        for (index, value) in self.values.iter().enumerate() {
            if value.is_some() != self.handles.handle_at(index).is_some() {
                return Err(format!("value {index} is there while its slot is dead, or not"));
            }
        }
        self.handles.validate().map_err(|violation| violation.to_string())
    }

    fn insert_at(&mut self, handle: H, value: T) -> Option<Result<(), T>> {
        Some(match self.handles.acquire_at(handle) {
            Ok(()) => {
                assert!(self.values[Self::at(handle)].replace(value).is_none());
                Ok(())
            }
            Err(_) => Err(value),
        })
    }

    fn promised(&mut self) -> Option<Option<H>> {
        Some(self.handles.next_handle())
    }

    fn try_clone(&self) -> Option<Self>
    where
        T: Clone,
    {
        Some(self.clone())
    }
}
