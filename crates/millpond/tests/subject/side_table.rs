use std::marker::PhantomData;

use millpond::reuse::Lifo;
use millpond::{HandleAllocator, HandleLayout, SideTable};

use super::{AnyHandle, Kind, Plan, PoolUnderTest};

/// [`SideTable`] of a handle layout, about the slots of a handle allocator. Handles are good if the
/// table says so: the allocator is not asked.
pub(crate) struct SideTableKind<H>(PhantomData<H>);

impl<H: HandleLayout + AnyHandle> Kind for SideTableKind<H> {
    type Handle = H;
    type Pool<T: 'static> = Beside<T, H>;

    const NAMED: bool = H::GENERATION_MAX > 1 << 20;
    const WRAPS_EARLY: bool = false;
    const CLEAR_STARTS_FROM_THE_LOWEST: bool = false;
}

#[derive(Clone)]
pub(crate) struct Beside<T, H: HandleLayout> {
    slots: HandleAllocator<Lifo, H>,
    table: SideTable<H, T>,
}

impl<T: 'static, H: HandleLayout + AnyHandle> PoolUnderTest<T> for Beside<T, H> {
    type Handle = H;

    fn build(plan: Plan) -> Self {
        let slots = super::planned!(HandleAllocator::builder().handle::<H>(), plan).build();
        Self { table: SideTable::new(slots.capacity()), slots }
    }

    fn capacity(&self) -> usize {
        self.table.capacity()
    }

    fn len(&self) -> usize {
        self.table.len()
    }

    fn retired(&self) -> usize {
        self.slots.stats().retired
    }

    fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    fn at(&self, index: usize) -> Option<Option<(H, &T)>> {
        let handle = self.slots.handle_at(index);
        assert_eq!(handle.is_some(), self.table.occupancy().is_live(index));
        Some(handle.map(|handle| (handle, self.table.get(handle).unwrap())))
    }

    fn insert(&mut self, value: T) -> Result<H, T> {
        match self.slots.acquire() {
            Some(handle) => {
                assert!(matches!(self.table.insert(handle, value), Ok(None)));
                Ok(handle)
            }
            None => Err(value),
        }
    }

    fn get(&self, handle: H) -> Option<&T> {
        self.table.get(handle)
    }

    fn get_mut(&mut self, handle: H) -> Option<&mut T> {
        self.table.get_mut(handle)
    }

    fn contains(&self, handle: H) -> bool {
        self.table.contains(handle)
    }

    fn remove(&mut self, handle: H) -> Option<T> {
        let value = self.table.remove(handle)?;
        assert!(self.slots.release(handle));
        Some(value)
    }

    fn clear(&mut self) {
        self.retain(&mut |_, _| false);
    }

    fn iter(&self) -> impl Iterator<Item = (H, &T)> {
        self.table.iter()
    }

    fn validate(&self) -> Result<(), String> {
        if !self.table.iter().map(|(handle, _)| handle).eq(self.slots.handles()) {
            return Err("the table has values of dead slots, or none of live ones".into());
        }
        self.slots.validate().map_err(|violation| violation.to_string())?;
        self.table.validate().map_err(|violation| violation.to_string())
    }

    /// The table may take a handle for a stale one that is more than half a round ahead.
    fn insert_at(&mut self, handle: H, value: T) -> Option<Result<(), T>> {
        if self.slots.acquire_at(handle).is_err() {
            return Some(Err(value));
        }
        Some(match self.table.insert(handle, value) {
            Ok(before) => {
                assert!(before.is_none());
                Ok(())
            }
            Err(error) => {
                assert!(self.slots.release(handle));
                Err(error.into_inner())
            }
        })
    }

    fn retain(&mut self, keep: &mut dyn FnMut(H, &mut T) -> bool) -> bool {
        let slots = &mut self.slots;
        self.table.retain(|handle, value| {
            let is_kept = keep(handle, value);
            assert!(is_kept || slots.release(handle));
            is_kept
        });
        true
    }

    fn iter_both_ends(
        &self,
    ) -> Option<impl DoubleEndedIterator<Item = (H, &T)> + ExactSizeIterator + Clone> {
        Some(self.table.iter())
    }

    fn iter_mut_both_ends(
        &mut self,
    ) -> Option<impl DoubleEndedIterator<Item = (H, &mut T)> + ExactSizeIterator> {
        Some(self.table.iter_mut())
    }

    fn try_clone(&self) -> Option<Self>
    where
        T: Clone,
    {
        Some(self.clone())
    }
}
