use millpond::classic::{PoolAllocator, PoolBox};
use millpond::{Handle, HandleAllocator};

use super::{Kind, Plan, PoolUnderTest};

/// [`PoolAllocator`]: its boxes, kept in an array of the user's own under handles of a handle allocator.
pub(crate) struct PoolAllocatorKind;

impl Kind for PoolAllocatorKind {
    type Handle = Handle<()>;
    type Pool<T: 'static> = Boxes<T>;

    const ALLOCATES: bool = true;
}

pub(crate) struct Boxes<T> {
    handles: HandleAllocator,
    values: Vec<Option<PoolBox<T>>>,
    allocator: PoolAllocator<T>,
}

impl<T: 'static> PoolUnderTest<T> for Boxes<T> {
    type Handle = Handle<()>;

    fn build(plan: Plan) -> Self {
        let handles = super::planned!(HandleAllocator::builder(), plan).build();
        let values = (0..handles.capacity()).map(|_| None).collect();
        // Small chunks, so that it grows in the middle of the tests.
        Self { handles, values, allocator: PoolAllocator::with_chunk_slots(3) }
    }

    fn capacity(&self) -> usize {
        self.handles.capacity()
    }

    fn len(&self) -> usize {
        self.allocator.len()
    }

    fn retired(&self) -> usize {
        self.handles.stats().retired
    }

    fn is_empty(&self) -> bool {
        self.allocator.is_empty()
    }

    fn insert(&mut self, value: T) -> Result<Handle<()>, T> {
        let Some(handle) = self.handles.acquire() else { return Err(value) };
        self.values[handle.index() as usize] = Some(self.allocator.alloc(value));
        Ok(handle)
    }

    fn get(&self, handle: Handle<()>) -> Option<&T> {
        self.handles.contains(handle).then(|| self.values[handle.index() as usize].as_deref())?
    }

    fn get_mut(&mut self, handle: Handle<()>) -> Option<&mut T> {
        self.handles
            .contains(handle)
            .then(|| self.values[handle.index() as usize].as_deref_mut())?
    }

    fn contains(&self, handle: Handle<()>) -> bool {
        self.handles.contains(handle)
    }

    fn remove(&mut self, handle: Handle<()>) -> Option<T> {
        let is_live = self.handles.release(handle);
        is_live.then(|| self.values[handle.index() as usize].take().map(PoolBox::into_inner))?
    }

    /// A drop that panics in a box: the others go all the same.
    fn clear(&mut self) {
        let boxes: Vec<_> = self.values.iter_mut().map(Option::take).collect();
        self.handles.clear();
        drop(boxes);
    }

    fn iter(&self) -> impl Iterator<Item = (Handle<()>, &T)> {
        let value = |handle: Handle<()>| self.values[handle.index() as usize].as_deref().unwrap();
        self.handles.handles().map(move |handle| (handle, value(handle)))
    }

    fn validate(&self) -> Result<(), String> {
        let stats = self.allocator.stats();
        if stats.live != self.handles.len() || stats.live > stats.capacity {
            return Err(format!("{stats:?} of {} boxes", self.handles.len()));
        }
        let mut places: Vec<*const T> =
            self.iter().map(|(_, value)| std::ptr::from_ref(value)).collect();
        places.sort_unstable();
        places.dedup();
        if size_of::<T>() > 0 && places.len() != stats.live {
            return Err("two boxes are in the same place".into());
        }
        Ok(())
    }
}
