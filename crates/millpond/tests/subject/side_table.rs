use std::marker::PhantomData;

use millpond::reuse::{Lifo, ReuseOrder};
use millpond::side_table::Entry;
use millpond::snapshot::{SnapshotOf, ToChecksum};
use millpond::{HandleAllocator, HandleLayout, SideTable, Stats};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{AnyHandle, Claimed, Form, Kind, Plan, PoolUnderTest, hash};

/// [`SideTable`] of a handle layout, about the slots of a handle allocator. Handles are good if the
/// table says so: the allocator is not asked. One that grows begins without slots.
pub(crate) struct SideTableKind<H, const GROWS: bool>(PhantomData<H>);

impl<H: HandleLayout + AnyHandle, const GROWS: bool> Kind for SideTableKind<H, GROWS> {
    type Handle = H;
    type Pool<T: 'static> = Beside<T, H, GROWS>;

    const WRAPS_EARLY: bool = false;
    const CLEAR_STARTS_FROM_THE_LOWEST: bool = false;
    const ALLOCATES: bool = GROWS;
    const ORDER: Option<&'static str> = Some(Lifo::NAME);
}

#[derive(Clone)]
pub(crate) struct Beside<T, H: HandleLayout, const GROWS: bool> {
    table: SideTable<H, T>,
    slots: HandleAllocator<Lifo, H>,
    /// Which is ahead of the slots, and refuses their handles: only of a file that nobody has written so.
    is_ahead: bool,
}

impl<T, H: HandleLayout, const GROWS: bool> Beside<T, H, GROWS> {
    /// Whether the table has values of the live slots, and no others: of a file nothing is known.
    fn agree(&self) -> Result<(), String> {
        let handles = self.table.iter().map(|(handle, _)| handle);
        let is_as_large = self.table.capacity() == self.slots.capacity();
        match (GROWS || is_as_large) && handles.eq(self.slots.handles()) {
            true => Ok(()),
            false => Err("the table has values of dead slots, or none of live ones".into()),
        }
    }
}

impl<T: 'static, H: HandleLayout + AnyHandle, const GROWS: bool> PoolUnderTest<T>
    for Beside<T, H, GROWS>
{
    type Handle = H;
    type Past = (SnapshotOf<HandleAllocator<Lifo, H>>, SnapshotOf<SideTable<H, T>>);

    fn build(plan: Plan) -> Self {
        let slots = super::planned!(HandleAllocator::builder().handle::<H>(), plan).build();
        let table = match GROWS {
            true => SideTable::new(),
            false => SideTable::with_capacity(slots.capacity()),
        };
        Self { table, slots, is_ahead: false }
    }

    fn capacity(&self) -> usize {
        self.slots.capacity()
    }

    fn len(&self) -> usize {
        self.table.len()
    }

    fn stats(&self) -> Option<Stats> {
        Some(self.slots.stats())
    }

    fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    fn at(&self, index: usize) -> Option<Option<(H, &T)>> {
        let handle = self.slots.handle_at(index);
        assert_eq!(handle.is_some(), self.table.occupancy().is_live(index));
        Some(handle.map(|handle| (handle, self.table.get(handle).unwrap())))
    }

    fn is_full(&self) -> bool {
        self.slots.is_full() || self.is_ahead
    }

    fn insert(&mut self, value: T) -> Result<H, T> {
        let Some(handle) = self.slots.acquire() else { return Err(value) };
        match self.table.insert(handle, value) {
            Ok(before) => {
                assert!(before.is_none());
                Ok(handle)
            }
            Err(error) => {
                assert!(self.slots.release(handle));
                self.is_ahead = true;
                Err(error.into_inner())
            }
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

    fn migrated(&self, plan: Plan, own: Vec<T>) -> Option<Self>
    where
        T: Clone,
    {
        let mut pool = Self::build(plan);
        let is_plain = own.len() % 2 == 0;
        own.into_iter().for_each(|value| drop(pool.insert(value)));
        pool.slots.migrate_from(self.slots.clone()).unwrap();
        let migrated = match is_plain {
            true => pool.table.migrate_from(self.table.clone()),
            false => pool.table.migrate_with(self.table.clone(), |_, value| value),
        };
        migrated.unwrap();
        Some(pool)
    }

    fn validate(&self) -> Result<(), String> {
        self.agree()?;
        self.slots.validate().map_err(|violation| violation.to_string())?;
        self.table.validate().map_err(|violation| violation.to_string())
    }

    /// The table may take a handle for a stale one that is more than half a round ahead.
    fn insert_at(&mut self, handle: H, value: T) -> Claimed<T> {
        if let Err(error) = self.slots.acquire_at(handle) {
            return Some(Err((error.kind(), value)));
        }
        Some(match self.table.insert(handle, value) {
            Ok(before) => {
                assert!(before.is_none());
                Ok(())
            }
            Err(error) => {
                assert!(self.slots.release(handle));
                Err((error.kind(), error.into_inner()))
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

    fn lend_values(&mut self, lend: &mut dyn FnMut(&mut T)) -> bool {
        self.table.values_mut().for_each(lend);
        true
    }

    fn disjoint<const N: usize>(&mut self, handles: [H; N]) -> Option<Option<[&mut T; N]>> {
        let each = self.table.get_each_mut(handles);
        let each = each.map(|each| each.map(|value| value.map(super::place)));
        Some(super::lent_alike(each, self.table.get_disjoint_mut(handles)))
    }

    /// Room for all slots.
    fn reserve(&mut self, additional: usize) -> Option<bool> {
        let slots = self.slots.capacity();
        self.table.reserve(slots).unwrap();
        assert!(self.table.capacity() >= slots);
        Some(additional <= slots - self.slots.len() - self.slots.stats().retired)
    }

    /// By an entry.
    fn insert_with(&mut self, make: &mut dyn FnMut(H) -> T) -> Option<Result<H, ()>> {
        let Some(handle) = self.slots.next_handle() else {
            assert!(self.slots.acquire().is_none());
            return Some(Err(()));
        };
        let value = make(handle);
        assert_eq!(self.slots.acquire(), Some(handle));
        match self.table.entry(handle) {
            Ok(Entry::Vacant(entry)) => drop(entry.insert(value)),
            other => panic!("{:?} of a new handle", other.map(|_| ())),
        }
        Some(Ok(handle))
    }

    fn try_clone(&self) -> Option<Self>
    where
        T: Clone,
    {
        Some(self.clone())
    }

    fn clone_over(&mut self, source: &Self) -> bool
    where
        T: Clone,
    {
        self.table.clone_from(&source.table);
        self.slots.clone_from(&source.slots);
        self.is_ahead = source.is_ahead;
        true
    }

    fn take_snapshot(&self) -> Option<Self::Past>
    where
        T: Clone,
    {
        Some((self.slots.snapshot(), self.table.snapshot_cloned()))
    }

    fn take_snapshot_of_copies(&self) -> Option<Self::Past>
    where
        T: Copy,
    {
        Some((self.slots.snapshot(), self.table.snapshot()))
    }

    fn save_into(&self, (slots, table): &mut Self::Past)
    where
        T: Clone,
    {
        self.table.save_into(table).unwrap();
        self.slots.save_into(slots).unwrap();
    }

    fn restore(&mut self, (slots, table): &Self::Past)
    where
        T: Clone,
    {
        // A clone that panics leaves an empty table.
        self.slots.clear();
        self.table.restore(table).unwrap();
        self.slots.restore(slots).unwrap();
    }

    fn sum(&self) -> Option<u64>
    where
        T: ToChecksum,
    {
        Some(hash((self.slots.checksum(), self.table.checksum())))
    }

    fn sum_of((slots, table): &Self::Past) -> u64
    where
        T: ToChecksum,
    {
        hash((slots.checksum(), table.checksum()))
    }

    fn differences(left: &Self::Past, right: &Self::Past) -> usize
    where
        T: ToChecksum,
    {
        left.0.diff(&right.0).count() + left.1.diff(&right.1).count()
    }

    fn validate_past((slots, table): &Self::Past) -> Result<(), String> {
        slots.as_pool().validate().map_err(|violation| violation.to_string())?;
        table.as_pool().validate().map_err(|violation| violation.to_string())
    }

    fn read_past(form: Form, bytes: &[u8]) -> Option<Result<Self::Past, String>>
    where
        T: DeserializeOwned + Clone,
    {
        Some(form.read(bytes))
    }

    fn write(&self, form: Form) -> Option<Vec<u8>>
    where
        T: Serialize,
    {
        Some(form.write(&(&self.slots, &self.table)))
    }

    fn read(form: Form, bytes: &[u8]) -> Option<Result<Self, String>>
    where
        T: DeserializeOwned,
    {
        let read = form.read(bytes).map(|(slots, table)| Self { slots, table, is_ahead: false });
        Some(read.and_then(|read| read.agree().map(|()| read)))
    }
}
