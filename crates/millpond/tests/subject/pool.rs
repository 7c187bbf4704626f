use std::marker::PhantomData;

use millpond::lots::Lots;
use millpond::reuse::ReuseOrder;
use millpond::{HandleLayout, Pool};

use super::{AnyHandle, Fate, Kind, Live, Plan, PoolUnderTest};

/// Few enough for several lots.
const SLOTS_IN_LOT: usize = 2;

/// [`Pool`] of a reuse order and a handle layout.
pub(crate) struct PoolKind<R, H>(PhantomData<(R, H)>);

impl<R: ReuseOrder + 'static, H: HandleLayout + AnyHandle> Kind for PoolKind<R, H> {
    type Handle = H;
    type Pool<T: 'static> = Pool<T, R, H>;

    const ORDER: Option<&'static str> = Some(R::NAME);
}

/// What the pools with names for all have in common.
macro_rules! like_a_pool {
    ($capacity:ident $(, $get_unchecked:ident, $get_unchecked_mut:ident)?) => {
        $crate::subject::past::past_of!();
        $crate::subject::says_all!(pool => *pool, $capacity);

        fn at(&self, index: usize) -> Option<Option<(H, &T)>> {
            let (handle, value) = (self.handle_at(index), self.get_at(index));
            assert_eq!(handle.is_some(), value.is_some());
            let found = handle.zip(value);
            let place = |(handle, value): (H, &T)| (handle, std::ptr::from_ref(value));
            assert_eq!(self.object_at(index).map(place), found.map(place));
            Some(found)
        }

        fn insert(&mut self, value: T) -> Result<H, T> {
            self.insert(value).map_err(|full| full.into_inner())
        }

        fn get(&self, handle: H) -> Option<&T> {
            let found = self.get(handle);
            $(if let Some(found) = found {
                // SAFETY: the pool contains the handle.
                assert!(std::ptr::eq(found, unsafe { self.$get_unchecked(handle) }));
            })?
            found
        }

        fn get_mut(&mut self, handle: H) -> Option<&mut T> {
            use $crate::subject::place;
            let index = AnyHandle::index(handle);
            let there = self.handle_at(index);
            let found = there.map(|there| (there, std::ptr::from_ref(self.get(there).unwrap())));
            assert_eq!(self.object_at_mut(index).map(|(of, value)| (of, place(value))), found);
            assert_eq!(self.get_at_mut(index).map(place), found.map(|(_, value)| value));
            $(if there == Some(handle) {
                // SAFETY: the pool contains the handle.
                let value = unsafe { self.$get_unchecked_mut(handle) };
                assert_eq!(Some((handle, place(value))), found);
            })?
            self.get_mut(handle)
        }

        fn contains(&self, handle: H) -> bool {
            self.contains(handle)
        }

        /// Every other time by the slot.
        fn remove(&mut self, handle: H) -> Option<T> {
            let index = AnyHandle::index(handle);
            if self.len() % 2 == 0 && self.handle_at(index) == Some(handle) {
                return self.remove_at(index);
            }
            self.remove(handle)
        }

        fn clear(&mut self) {
            self.clear();
        }

        fn iter(&self) -> impl Iterator<Item = (H, &T)>
        where {
            self.iter()
        }

        fn validate(&self) -> Result<(), String> {
            self.validate().map_err(|violation| violation.to_string())
        }

        fn insert_at(&mut self, handle: H, value: T) -> $crate::subject::Claimed<T> {
            $crate::subject::claimed(handle, self.insert_at(handle, value))
        }

        fn revive(&mut self, handle: H, value: T) -> $crate::subject::Claimed<T> {
            $crate::subject::claimed(handle, self.revive(handle, value))
        }

        fn check(&self, handle: H) -> Option<Result<(), millpond::Refusal>> {
            Some(self.check(handle))
        }

        /// Every other time by an entry.
        fn insert_with(&mut self, make: &mut dyn FnMut(H) -> T) -> Option<Result<H, ()>> {
            if self.len() % 2 == 0 {
                return Some(self.insert_with(make).map_err(|_| ()));
            }
            let entry = self.vacant_entry().ok_or(());
            Some(entry.map(|entry| {
                let value = make(entry.handle());
                entry.insert(value)
            }))
        }

        fn promised(&mut self) -> Option<Option<H>> {
            Some(self.vacant_entry().map(|entry| entry.handle()))
        }

        const EVICTS: bool = true;

        fn insert_or_evict<K: Ord>(
            &mut self,
            value: T,
            key: &mut dyn FnMut(&T) -> K,
        ) -> Option<(H, Option<(H, T)>)> {
            let key = |_: H, value: &T| key(value);
            match self.len() % 2 == 0 {
                true => Some(self.insert_or_evict(value, key)),
                false => self.try_insert_or_evict(value, key).ok(),
            }
        }

        fn insert_unless_least<K: Ord>(
            &mut self,
            value: T,
            key: &mut dyn FnMut(&T) -> K,
        ) -> Option<Result<(H, Option<(H, T)>), T>> {
            Some(self.insert_unless_least(value, key).map_err(|full| full.into_inner()))
        }

        fn retain(&mut self, keep: &mut dyn FnMut(H, &mut T) -> bool) -> bool {
            self.retain(keep);
            true
        }

        fn extract_if(
            &mut self,
            choose: impl FnMut(H, &mut T) -> bool,
        ) -> Option<impl Iterator<Item = (H, T)>> {
            Some(self.extract_if(choose))
        }

        fn drain(&mut self) -> Option<impl ExactSizeIterator<Item = (H, T)>> {
            Some(self.drain())
        }

        fn into_iter(self) -> Option<impl DoubleEndedIterator<Item = (H, T)> + ExactSizeIterator> {
            Some(IntoIterator::into_iter(self))
        }

        fn iter_both_ends(
            &self,
        ) -> Option<impl DoubleEndedIterator<Item = (H, &T)> + ExactSizeIterator + Clone>
        where {
            Some(self.iter())
        }

        fn iter_mut_both_ends(
            &mut self,
        ) -> Option<impl DoubleEndedIterator<Item = (H, &mut T)> + ExactSizeIterator>
        where {
            Some(self.iter_mut())
        }

        fn disjoint<const K: usize>(&mut self, handles: [H; K]) -> Option<Option<[&mut T; K]>> {
            let each = self.get_each_mut(handles);
            let each = each.map(|each| each.map(|value| value.map($crate::subject::place)));
            Some($crate::subject::lent_alike(each, self.get_disjoint_mut(handles)))
        }

        fn index_of(&self, value: &T) -> Option<Option<usize>> {
            let index = self.index_of(value);
            assert_eq!(self.handle_of(value).map(AnyHandle::index), index);
            Some(index)
        }

        fn lend_values(&mut self, lend: &mut dyn FnMut(&mut T)) -> bool {
            self.values_mut().for_each(lend);
            true
        }

        $crate::subject::records!(pool => *pool);

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
            self.clone_from(source);
            true
        }
    };
}
pub(super) use like_a_pool;

/// Pools that keep the slots of objects that are out, and take over the objects of others, every other time by a conversion.
macro_rules! detaches_and_migrates {
    () => {
        fn detach(&mut self, handle: H) -> Option<Option<T>> {
            let value = self.detach(handle);
            assert!(value.is_none() || self.detached().any(|detached| detached == handle));
            Some(value)
        }

        fn reattach(&mut self, handle: H, value: T) -> $crate::subject::Claimed<T> {
            $crate::subject::claimed(handle, self.reattach(handle, value))
        }

        fn free_detached(&mut self, handle: H) -> Option<bool> {
            let is_freed = self.free_detached(handle);
            assert!(!self.detached().any(|detached| detached == handle));
            Some(is_freed)
        }

        fn migrated(&self, plan: $crate::subject::Plan, own: Vec<T>) -> Option<Self>
        where
            T: Clone,
        {
            let mut pool = Self::build(plan);
            let is_plain = own.len() % 2 == 0;
            let handles: Vec<_> =
                own.into_iter().filter_map(|value| pool.insert(value).ok()).collect();
            // What is out of it and what it has freed are gone as well.
            match handles[..] {
                [first, second] => {
                    drop((pool.remove(first), pool.remove(second)));
                    $crate::subject::PoolUnderTest::<T>::shrink(&mut pool);
                }
                [_, _, last] => drop(pool.detach(last)),
                _ => {}
            }
            let migrated = match is_plain {
                true => pool.migrate_from(self.clone()),
                false => pool.migrate_with(self.clone(), |_, value| value),
            };
            migrated.unwrap();
            Some(pool)
        }
    };
}
pub(super) use detaches_and_migrates;

/// What pools that grow have beyond that.
macro_rules! growing {
    () => {
        fn there(&self) -> usize {
            self.capacity()
        }

        fn reserve(&mut self, additional: usize) -> Option<bool> {
            Some(self.reserve(additional).is_ok())
        }

        fn shrink(&mut self) -> bool {
            let before = self.capacity();
            assert_eq!(self.shrink_to_fit() == 0, self.capacity() == before);
            true
        }

        fn compact(&mut self, moved: &mut $crate::subject::Moved<'_, H, T>) -> bool {
            let before = self.capacity();
            assert_eq!(self.compact(moved), before - self.capacity());
            true
        }

        fn extend(&mut self, mut values: Vec<T>) -> bool {
            match values.pop() {
                Some(only) if values.is_empty() => _ = self.push(only),
                last => Extend::extend(self, values.into_iter().chain(last)),
            }
            true
        }
    };
}
pub(super) use growing;

/// Pools with runs lend these.
macro_rules! lends_runs {
    () => {
        fn lend_runs(&mut self, lend: &mut dyn FnMut(&mut T)) -> bool {
            self.runs_mut().for_each(|(_, run)| run.iter_mut().for_each(&mut *lend));
            true
        }
    };
}
pub(super) use lends_runs;

/// What pools whose values never move have beyond that.
macro_rules! in_index_order {
    () => {
        $crate::subject::pool::lends_runs!();

        fn drain_back(&mut self) -> Option<impl ExactSizeIterator<Item = (H, T)>> {
            Some(self.drain().rev())
        }

        fn runs(&self) -> Option<Vec<(usize, Vec<&T>)>> {
            Some(self.runs().map(|(first, run)| (first, run.iter().collect())).collect())
        }
    };
}
pub(super) use in_index_order;

impl<T: 'static, R: ReuseOrder, H: HandleLayout + AnyHandle> PoolUnderTest<T> for Pool<T, R, H> {
    type Handle = H;

    /// Every other one with memory that was not touched.
    fn build(plan: Plan) -> Self {
        let builder = Pool::<T>::builder().reuse(R::default()).handle::<H>();
        let builder = if plan.capacity % 2 == 0 { builder } else { builder.untouched() };
        super::planned!(builder, plan).build()
    }

    like_a_pool!(capacity, get_unchecked, get_unchecked_mut);
    in_index_order!();
    detaches_and_migrates!();

    fn update(&mut self, births: usize, live: &mut Live<'_, H, T>) -> Option<Vec<H>> {
        let mut born = Vec::new();
        let mut lots = Lots::new(SLOTS_IN_LOT, births);
        self.update(&mut lots, |value, lot| {
            let handle = lot.handle();
            let (fate, child) = live(handle, value);
            match fate {
                Fate::Stays => {}
                Fate::Dies => lot.die(),
                Fate::IsKilled => assert!(lot.kill(handle)),
            }
            born.extend(child.and_then(|child| lot.insert(child).ok()));
        });
        Some(born)
    }
}
