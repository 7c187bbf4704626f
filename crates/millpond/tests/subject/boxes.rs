//! Allocators of places for single values: the values, kept in an array of the user's own under handles
//! of a handle allocator.

use std::alloc::Layout;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::rc::Rc;

use millpond::reuse::{Lifo, ReuseOrder};
use millpond::{Handle, HandleAllocator, Stats};
use millpond_classic::{PoolAllocator, PoolBox};
use millpond_memory::SizeClasses;
use millpond_memory::size_classes::Overflow;

use super::{Kind, NoPast, Plan, PoolUnderTest};

/// An allocator, seen as one of places for values.
pub(crate) trait Places: 'static {
    /// A value in its place, which it gives back when it is dropped.
    type Place<T: 'static>: DerefMut<Target = T>;
    type Allocator<T: 'static>;

    fn allocator<T: 'static>() -> Self::Allocator<T>;
    fn place<T: 'static>(allocator: &Self::Allocator<T>, value: T) -> Self::Place<T>;
    fn into_inner<T: 'static>(place: Self::Place<T>) -> T;
    /// How many places are in use, by the allocator's own count.
    fn in_use<T: 'static>(allocator: &Self::Allocator<T>) -> usize;
}

/// The boxes of a [`PoolAllocator`].
pub(crate) struct PoolAllocatorPlaces;

impl Places for PoolAllocatorPlaces {
    type Place<T: 'static> = PoolBox<T>;
    type Allocator<T: 'static> = PoolAllocator<T>;

    fn allocator<T: 'static>() -> PoolAllocator<T> {
        // Small chunks, so that it grows in the middle of the tests.
        PoolAllocator::with_chunk_slots(3)
    }

    fn place<T: 'static>(allocator: &PoolAllocator<T>, value: T) -> PoolBox<T> {
        allocator.alloc(value)
    }

    fn into_inner<T: 'static>(place: PoolBox<T>) -> T {
        PoolBox::into_inner(place)
    }

    fn in_use<T: 'static>(allocator: &PoolAllocator<T>) -> usize {
        let in_use = allocator.len();
        assert_eq!(allocator.is_empty(), in_use == 0);
        in_use
    }
}

/// The memory of a [`SizeClasses`].
pub(crate) struct SizeClassesPlaces;

impl Places for SizeClassesPlaces {
    type Place<T: 'static> = Slot<T>;
    type Allocator<T: 'static> = Rc<SizeClasses>;

    fn allocator<T: 'static>() -> Rc<SizeClasses> {
        // Classes that are too small for some values, and of which each has few slots.
        let builder = SizeClasses::builder().classes([(8, 2), (24, 3), (64, 5)]).block_bytes(1024);
        Rc::new(builder.overflow(Overflow::FallBack).build())
    }

    fn place<T: 'static>(allocator: &Rc<SizeClasses>, value: T) -> Slot<T> {
        let place = allocator.allocate(Layout::new::<T>()).unwrap().cast::<T>();
        // SAFETY: the place was just taken for such a value.
        unsafe { place.write(value) };
        Slot { memory: Memory(allocator.clone(), place) }
    }

    fn into_inner<T: 'static>(place: Slot<T>) -> T {
        let place = std::mem::ManuallyDrop::new(place);
        // SAFETY: the slot is not used again, so its memory goes once.
        let memory = unsafe { std::ptr::read(&place.memory) };
        // SAFETY: and neither is its value dropped.
        unsafe { memory.1.read() }
    }

    fn in_use<T: 'static>(allocator: &Rc<SizeClasses>) -> usize {
        let in_classes: usize = allocator.class_stats().map(|class| class.live).sum();
        let without_size = if size_of::<T>() == 0 { Rc::strong_count(allocator) - 1 } else { 0 };
        in_classes + allocator.stats().fallen_back + without_size
    }
}

/// A value in the memory of a [`SizeClasses`].
pub(crate) struct Slot<T> {
    memory: Memory<T>,
}

/// Memory that is given back.
struct Memory<T>(Rc<SizeClasses>, NonNull<T>);

impl<T> Drop for Memory<T> {
    fn drop(&mut self) {
        // SAFETY: the memory was taken with this layout, and its value is gone.
        unsafe { self.0.deallocate(self.1.cast(), Layout::new::<T>()) };
    }
}

impl<T> Drop for Slot<T> {
    fn drop(&mut self) {
        // SAFETY: the value is there, and is not used again; the memory goes after it, panic or not.
        unsafe { self.memory.1.drop_in_place() };
    }
}

impl<T> Deref for Slot<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the value is there as long as the slot.
        unsafe { self.memory.1.as_ref() }
    }
}

impl<T> DerefMut for Slot<T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above, and the slot is borrowed alone.
        unsafe { self.memory.1.as_mut() }
    }
}

/// The places of an allocator, under handles.
pub(crate) struct PlacedKind<A>(PhantomData<A>);

impl<A: Places> Kind for PlacedKind<A> {
    type Handle = Handle<()>;
    type Pool<T: 'static> = Placed<T, A>;

    const ALLOCATES: bool = true;
    const ORDER: Option<&'static str> = Some(Lifo::NAME);
}

pub(crate) struct Placed<T: 'static, A: Places> {
    handles: HandleAllocator,
    values: Vec<Option<A::Place<T>>>,
    allocator: A::Allocator<T>,
}

impl<T: 'static, A: Places> PoolUnderTest<T> for Placed<T, A> {
    type Handle = Handle<()>;
    type Past = NoPast;

    fn build(plan: Plan) -> Self {
        let handles = super::planned!(HandleAllocator::builder(), plan).build();
        let values = (0..handles.capacity()).map(|_| None).collect();
        Self { handles, values, allocator: A::allocator() }
    }

    fn capacity(&self) -> usize {
        self.handles.capacity()
    }

    fn len(&self) -> usize {
        A::in_use(&self.allocator)
    }

    fn stats(&self) -> Option<Stats> {
        Some(self.handles.stats())
    }

    fn insert(&mut self, value: T) -> Result<Handle<()>, T> {
        let Some(handle) = self.handles.acquire() else { return Err(value) };
        self.values[handle.index() as usize] = Some(A::place(&self.allocator, value));
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
        is_live.then(|| self.values[handle.index() as usize].take().map(A::into_inner))?
    }

    /// A drop that panics in its place: the others go all the same.
    fn clear(&mut self) {
        let places: Vec<_> = self.values.iter_mut().map(Option::take).collect();
        self.handles.clear();
        drop(places);
    }

    fn iter(&self) -> impl Iterator<Item = (Handle<()>, &T)> {
        let value = |handle: Handle<()>| self.values[handle.index() as usize].as_deref().unwrap();
        self.handles.handles().map(move |handle| (handle, value(handle)))
    }

    fn validate(&self) -> Result<(), String> {
        if self.len() != self.handles.len() {
            return Err(format!("{} places are in use, of {}", self.len(), self.handles.len()));
        }
        let mut places: Vec<*const T> =
            self.iter().map(|(_, value)| std::ptr::from_ref(value)).collect();
        places.sort_unstable();
        places.dedup();
        if size_of::<T>() > 0 && places.len() != self.len() {
            return Err("two values are in the same place".into());
        }
        Ok(())
    }
}
