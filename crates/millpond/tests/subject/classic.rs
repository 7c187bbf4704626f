use millpond::{Handle, InsertAtErrorKind, Stats};
use millpond_classic::{BytemapError, BytemapPool, RosterPool};

use super::walk::own_vec;
use super::{AnyHandle, Claimed, Kind, NoPast, Plan, PoolUnderTest, Seeded};

/// [`RosterPool`]: its slots have 2^31 lifetimes, and no handle can be claimed.
pub(crate) struct RosterPoolKind;

impl Kind for RosterPoolKind {
    type Handle = Handle<()>;
    type Pool<T: 'static> = OptionRoster<T>;

    const LIFETIMES_CHOSEN: bool = false;
    const AIDED: bool = false;
    const NAMED: bool = false;
    const CLEAR_STARTS_FROM_THE_LOWEST: bool = false;
}

/// A roster pool whose objects are places for a handle and a value: `Some` exactly while they are live.
pub(crate) struct OptionRoster<T>(RosterPool<Option<(Handle<()>, T)>>);

impl<T: 'static> PoolUnderTest<T> for OptionRoster<T> {
    type Handle = Handle<()>;
    type Past = NoPast;

    fn build(plan: Plan) -> Self {
        Self(RosterPool::from_fn(plan.capacity, |_| None))
    }

    fn capacity(&self) -> usize {
        self.0.capacity()
    }

    fn len(&self) -> usize {
        self.0.partition()
    }

    fn stats(&self) -> Option<Stats> {
        Some(self.0.stats())
    }

    fn insert(&mut self, value: T) -> Result<Handle<()>, T> {
        let Some(handle) = self.0.allocate() else { return Err(value) };
        let object = self.0.get_mut(handle).unwrap();
        assert!(object.replace((handle.relabel(), value)).is_none());
        Ok(handle.relabel())
    }

    fn get(&self, handle: Handle<()>) -> Option<&T> {
        self.0.get(handle.relabel())?.as_ref().map(|(_, value)| value)
    }

    fn get_mut(&mut self, handle: Handle<()>) -> Option<&mut T> {
        self.0.get_mut(handle.relabel())?.as_mut().map(|(_, value)| value)
    }

    fn remove(&mut self, handle: Handle<()>) -> Option<T> {
        let value = self.0.get_mut(handle.relabel()).map(Option::take);
        // Every other time by the slot.
        let is_freed = match value.is_some() && self.0.partition() % 2 == 0 {
            true => self.0.free_at(handle.index() as usize),
            false => self.0.free(handle.relabel()),
        };
        assert_eq!(is_freed, value.is_some());
        value?.map(|(_, value)| value)
    }

    fn clear(&mut self) {
        let (mut handles, mut values) = (own_vec(self.len()), own_vec(self.len()));
        handles.extend(self.iter().map(|(handle, _)| handle));
        values.extend(handles.into_iter().map(|handle| self.remove(handle)));
    }

    fn iter(&self) -> impl Iterator<Item = (Handle<()>, &T)> {
        let live = &self.0.roster()[..self.0.partition()];
        live.iter().map(|&index| {
            let (handle, value) = self.0.as_slice()[index as usize].as_ref().unwrap();
            (*handle, value)
        })
    }

    fn validate(&self) -> Result<(), String> {
        self.0.validate().map_err(|violation| violation.to_string())
    }

    fn retain(&mut self, keep: &mut dyn FnMut(Handle<()>, &mut T) -> bool) -> bool {
        let mut gone = own_vec(self.0.partition());
        self.0.retain(|_, object| {
            let (handle, value) = object.as_mut().expect("the object of a live slot");
            let is_kept = keep(*handle, value);
            if !is_kept {
                gone.push(object.take());
            }
            is_kept
        });
        true
    }

    fn lend_values(&mut self, lend: &mut dyn FnMut(&mut T)) -> bool {
        self.0
            .iter_mut()
            .filter_map(|(_, object)| object.as_mut())
            .for_each(|(_, value)| lend(value));
        true
    }

    /// All objects, of which those of dead slots are empty.
    fn lend_runs(&mut self, lend: &mut dyn FnMut(&mut T)) -> bool {
        self.0.as_mut_slice().iter_mut().flatten().for_each(|(_, value)| lend(value));
        true
    }
}

/// [`BytemapPool`], which gives slots up after their last seed or begins with the first again.
pub(crate) struct BytemapKind<const RETIRES: bool>;

impl<const RETIRES: bool> Kind for BytemapKind<RETIRES> {
    type Handle = Seeded;
    type Pool<T: 'static> = Bytemap<T, RETIRES>;

    const LIFETIMES_CHOSEN: bool = false;
    const CLEAR_STARTS_FROM_THE_LOWEST: bool = false;
    const AIDED: bool = false;
    const LASTING: bool = RETIRES;
    const WRAPS_TO: u32 = 0;

    fn wraps(_: Plan) -> bool {
        !RETIRES
    }
}

/// The byte of a free slot after its last seed.
const USED_UP: u8 = 0x80 | 127;

pub(crate) struct Bytemap<T, const RETIRES: bool>(BytemapPool<T>);

impl<T: 'static, const RETIRES: bool> PoolUnderTest<T> for Bytemap<T, RETIRES> {
    type Handle = Seeded;
    type Past = NoPast;

    fn build(plan: Plan) -> Self {
        let build = if RETIRES { BytemapPool::retiring } else { BytemapPool::new };
        Self(build(plan.capacity))
    }

    fn capacity(&self) -> usize {
        self.0.capacity()
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn retired(&self) -> usize {
        self.0.bytes().iter().filter(|byte| RETIRES && **byte == USED_UP).count()
    }

    fn is_full(&self) -> bool {
        self.0.is_full()
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn at(&self, index: usize) -> Option<Option<(Seeded, &T)>> {
        let (handle, value) = (self.0.handle_at(index), self.0.get_at(index));
        assert_eq!(handle.is_some(), value.is_some());
        Some(handle.map(Seeded).zip(value))
    }

    fn insert(&mut self, value: T) -> Result<Seeded, T> {
        self.0.insert(value).map(Seeded)
    }

    fn get(&self, handle: Seeded) -> Option<&T> {
        self.0.get(handle.0)
    }

    fn get_mut(&mut self, handle: Seeded) -> Option<&mut T> {
        let found = self.0.get_mut(handle.0).map(super::place);
        if found.is_some() {
            assert_eq!(self.0.get_at_mut(handle.index()).map(super::place), found);
        }
        self.0.get_mut(handle.0)
    }

    /// Every other time by the slot.
    fn remove(&mut self, handle: Seeded) -> Option<T> {
        let index = handle.index();
        match self.0.len() % 2 == 0 && self.0.handle_at(index) == Some(handle.0) {
            true => self.0.remove_at(index),
            false => self.0.remove(handle.0),
        }
    }

    fn lend_values(&mut self, lend: &mut dyn FnMut(&mut T)) -> bool {
        self.0.iter_mut().for_each(|(_, value)| lend(value));
        true
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn iter(&self) -> impl Iterator<Item = (Seeded, &T)> {
        self.0.iter().map(|(handle, value)| (Seeded(handle), value))
    }

    fn validate(&self) -> Result<(), String> {
        self.0.validate().map_err(|violation| violation.to_string())
    }

    fn insert_at(&mut self, handle: Seeded, value: T) -> Claimed<T> {
        let result = self.0.insert_at(handle.0, value);
        Some(result.map(|issued| assert_eq!(issued, handle.0)).map_err(|error| {
            let kind = match error {
                BytemapError::NoSuchHandle(_) => InsertAtErrorKind::OutOfRange,
                BytemapError::Live(_) => InsertAtErrorKind::Occupied,
                BytemapError::Stale(_) if self.0.bytes()[handle.index()] == USED_UP => {
                    InsertAtErrorKind::Retired
                }
                BytemapError::Stale(_) => InsertAtErrorKind::Stale,
            };
            (kind, error.into_inner())
        }))
    }

    fn index_of(&self, value: &T) -> Option<Option<usize>> {
        let index = self.0.index_of(value);
        assert_eq!(self.0.handle_of(value).map(|handle| Seeded(handle).index()), index);
        Some(index)
    }
}
