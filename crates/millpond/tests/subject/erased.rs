//! The adapters as trait objects, so that a test is compiled once, and not once for each kind of pool.
//!
//! Each kind is compiled for the types of values that a test program names in its bounds on [`Makes`]: as [`Basic`] for
//! small, huge and over-aligned values, as [`Saved`] for values that are saved as well, and as [`Subject`] with
//! every operation.

use std::any::Any;
use std::cmp::Ordering;
use std::iter::FromFn;
use std::marker::PhantomData;

use millpond::snapshot::ToChecksum;
use millpond::{Refusal, Stats};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::key::{Layout, layout};
use super::walk::{ExactWalk, Walk, WalkFromBothEnds, WalkToClone, own_box};
use super::{Claimed, Form, Key, Kind, Live, Moved, Plan, PoolUnderTest, Recorder};

/// What is true of all pools of a kind: see [`Kind`].
pub(crate) struct Facts {
    pub(crate) capacity: Option<usize>,
    pub(crate) lifetimes_chosen: bool,
    pub(crate) wraps_early: bool,
    pub(crate) named: bool,
    pub(crate) lasting: bool,
    pub(crate) panicking_restore_empties: bool,
    pub(crate) clones_for_a_copy: u64,
    pub(crate) allocates: bool,
    pub(crate) clear_starts_from_the_lowest: bool,
    pub(crate) panicking_clear_does_too: bool,
    pub(crate) written_in_parts: bool,
    pub(crate) wraps_to: u32,
    pub(crate) aided: bool,
    pub(crate) knows_peak: bool,
    pub(crate) counts_refusals: bool,
    pub(crate) asking_is_refused: bool,
    pub(crate) order: Option<&'static str>,
    pub(crate) evicts: bool,
    pub(crate) layout: &'static Layout,
    pub(crate) lifetimes: fn(Plan) -> u32,
    pub(crate) wraps: fn(Plan) -> bool,
}

impl Facts {
    const fn of<K: Kind>() -> Self {
        Self {
            capacity: K::CAPACITY,
            lifetimes_chosen: K::LIFETIMES_CHOSEN,
            wraps_early: K::WRAPS_EARLY,
            named: K::NAMED,
            lasting: K::LASTING,
            panicking_restore_empties: K::PANICKING_RESTORE_EMPTIES,
            clones_for_a_copy: K::CLONES_FOR_A_COPY,
            allocates: K::ALLOCATES,
            clear_starts_from_the_lowest: K::CLEAR_STARTS_FROM_THE_LOWEST,
            panicking_clear_does_too: K::PANICKING_CLEAR_DOES_TOO,
            written_in_parts: K::WRITTEN_IN_PARTS,
            wraps_to: K::WRAPS_TO,
            aided: K::AIDED,
            knows_peak: K::KNOWS_PEAK,
            counts_refusals: K::COUNTS_REFUSALS,
            asking_is_refused: K::ASKING_IS_REFUSED,
            order: K::ORDER,
            evicts: <K::Pool<()> as PoolUnderTest<()>>::EVICTS,
            layout: layout::<K::Handle>(),
            lifetimes: K::lifetimes,
            wraps: K::wraps,
        }
    }

    /// Those of the capacities that the kind can be built with; its own if it has only one.
    pub(crate) fn capacities(&self, wanted: &[usize]) -> Vec<usize> {
        match self.capacity {
            Some(only) => vec![only],
            None => wanted.to_vec(),
        }
    }

    /// A handle of this slot in this lifetime, if the layout has one.
    pub(crate) fn handle(&self, index: usize, generation: u32) -> Option<Key> {
        self.layout.key_of_parts(index, generation)
    }
}

/// A kind of pool.
pub(crate) trait KindOfPool: Sync {
    fn facts(&self) -> &'static Facts;
}

/// A kind of pool that can be built: as [`Basic`], [`Saved`] or [`Subject`] of a type of values.
pub(crate) trait Makes<S: ?Sized>: KindOfPool {
    fn make(&self, plan: Plan) -> Box<S>;
}

/// A kind of pool that can be read from a file.
pub(crate) trait Reads<T>: KindOfPool {
    /// What `serde` reads, or why it does not; `None`: the pool has no saved form.
    fn read(&self, form: Form, bytes: &[u8]) -> Option<Result<Box<dyn Saved<T>>, String>>;
    /// Reads what is written of a pool as a snapshot.
    fn read_past(&self, form: Form, bytes: &[u8]) -> Option<Result<Box<dyn Past>, String>>;
}

/// A kind of pool that can be built, saved and read from a file.
pub(crate) trait Saves<T>: Makes<dyn Saved<T>> + Reads<T> {}

impl<K: Kind, T: Plain> Saves<T> for Of<K> {}

/// The [`KindOfPool`] of a [`Kind`].
pub(crate) struct Of<K>(PhantomData<fn() -> K>);

impl<K: Kind> Of<K> {
    pub(crate) const KIND: Self = Self(PhantomData);
    const FACTS: &'static Facts = &Facts::of::<K>();
}

impl<K: Kind> KindOfPool for Of<K> {
    fn facts(&self) -> &'static Facts {
        Self::FACTS
    }
}

macro_rules! makes {
    ($($pool:ident: [$($bound:tt)+])+) => {$(
        impl<K: Kind, T: $($bound)+> Makes<dyn $pool<T>> for Of<K> {
            fn make(&self, plan: Plan) -> Box<dyn $pool<T>> {
                Box::new(K::build::<T>(plan))
            }
        }
    )+};
}
makes! { Basic: ['static] Saved: [Plain] Subject: [Plain] Copied: [Plain + Copy] }

impl<K: Kind, T: Plain> Reads<T> for Of<K> {
    fn read(&self, form: Form, bytes: &[u8]) -> Option<Result<Box<dyn Saved<T>>, String>> {
        let read = <K::Pool<T>>::read(form, bytes)?;
        Some(read.map(|pool| Box::new(pool) as Box<dyn Saved<T>>))
    }

    fn read_past(&self, form: Form, bytes: &[u8]) -> Option<Result<Box<dyn Past>, String>> {
        let read = <K::Pool<T>>::read_past(form, bytes)?;
        Some(read.map(|past| past_of::<T, K::Pool<T>>(past)))
    }
}

/// A value that can be copied, written, read and summed up.
pub(crate) trait Plain: Clone + ToChecksum + Serialize + DeserializeOwned + 'static {}

impl<T: Clone + ToChecksum + Serialize + DeserializeOwned + 'static> Plain for T {}

/// All objects of a pool, one by one. (A boxed iterator would be compiled with more of its methods, for each kind of pool.)
pub(crate) type Each<'a, T> = FromFn<Box<dyn FnMut() -> Option<(Key, &'a T)> + 'a>>;

/// What the tests ask of pools of any values: see [`PoolUnderTest`].
pub(crate) trait Basic<T: 'static> {
    fn layout(&self) -> &'static Layout;
    fn capacity(&self) -> usize;
    fn there(&self) -> usize;
    fn len(&self) -> usize;
    fn retired(&self) -> usize;
    fn is_full(&self) -> bool;
    fn is_empty(&self) -> bool;
    fn stats(&self) -> Option<Stats>;
    fn insert(&mut self, value: T) -> Result<Key, T>;
    fn insert_with(&mut self, make: &mut dyn FnMut(Key) -> T) -> Option<Result<Key, ()>>;
    fn insert_at(&mut self, handle: Key, value: T) -> Claimed<T>;
    fn promised(&mut self) -> Option<Option<Key>>;
    fn get(&self, handle: Key) -> Option<&T>;
    fn get_mut(&mut self, handle: Key) -> Option<&mut T>;
    fn contains(&self, handle: Key) -> bool;
    fn remove(&mut self, handle: Key) -> Option<T>;
    fn retain(&mut self, keep: &mut dyn FnMut(Key, &mut T) -> bool) -> bool;
    fn clear(&mut self);
    fn iter(&self) -> Each<'_, T>;
    fn validate(&self) -> Result<(), String>;
}

/// Methods that are those of the adapter.
macro_rules! as_it_says {
    ($($name:ident(&$this:ident $(, $argument:ident: $type:ty)?) -> $answer:ty;)+) => {$(
        fn $name(&$this $(, $argument: $type)?) -> $answer {
            PoolUnderTest::$name($this $(, $argument)?)
        }
    )+};
}

impl<T: 'static, P: PoolUnderTest<T>> Basic<T> for P {
    as_it_says! {
        capacity(&self) -> usize;
        there(&self) -> usize;
        len(&self) -> usize;
        retired(&self) -> usize;
        is_full(&self) -> bool;
        is_empty(&self) -> bool;
        stats(&self) -> Option<Stats>;
        validate(&self) -> Result<(), String>;
    }

    fn clear(&mut self) {
        PoolUnderTest::clear(self);
    }

    fn layout(&self) -> &'static Layout {
        layout::<P::Handle>()
    }

    fn insert(&mut self, value: T) -> Result<Key, T> {
        PoolUnderTest::insert(self, value).map(Key::of)
    }

    fn insert_with(&mut self, make: &mut dyn FnMut(Key) -> T) -> Option<Result<Key, ()>> {
        let result = PoolUnderTest::insert_with(self, &mut |handle| make(Key::of(handle)))?;
        Some(result.map(Key::of))
    }

    fn insert_at(&mut self, handle: Key, value: T) -> Claimed<T> {
        PoolUnderTest::insert_at(self, handle.handle(), value)
    }

    fn promised(&mut self) -> Option<Option<Key>> {
        PoolUnderTest::promised(self).map(|promised| promised.map(Key::of))
    }

    fn get(&self, handle: Key) -> Option<&T> {
        PoolUnderTest::get(self, handle.handle())
    }

    fn get_mut(&mut self, handle: Key) -> Option<&mut T> {
        PoolUnderTest::get_mut(self, handle.handle())
    }

    fn contains(&self, handle: Key) -> bool {
        PoolUnderTest::contains(self, handle.handle())
    }

    fn remove(&mut self, handle: Key) -> Option<T> {
        PoolUnderTest::remove(self, handle.handle())
    }

    fn retain(&mut self, keep: &mut dyn FnMut(Key, &mut T) -> bool) -> bool {
        PoolUnderTest::retain(self, &mut |handle, value| keep(Key::of(handle), value))
    }

    fn iter(&self) -> Each<'_, T> {
        let mut iter = PoolUnderTest::iter(self);
        std::iter::from_fn(own_box(move || {
            iter.next().map(|(handle, value)| (Key::of(handle), value))
        }))
    }
}

/// A snapshot of any pool. It can be restored to pools of the same type only.
pub(crate) trait Past {
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    /// The sum that the pool of the snapshot had.
    fn sum(&self) -> u64;
    /// How many slots and orders are not as in the other snapshot.
    fn differences(&self, other: &dyn Past) -> usize;
    fn validate(&self) -> Result<(), String>;
}

/// A snapshot of one pool type.
struct PastOf<T, P: PoolUnderTest<T>>(P::Past)
where
    T: 'static;

fn past_of<T: Plain, P: PoolUnderTest<T>>(past: P::Past) -> Box<dyn Past> {
    Box::new(PastOf::<T, P>(past))
}

const OWN: &str = "a past of the same type of pool";

impl<T: Plain, P: PoolUnderTest<T>> Past for PastOf<T, P> {
    fn as_any(&self) -> &dyn Any {
        &self.0
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        &mut self.0
    }

    fn sum(&self) -> u64 {
        P::sum_of(&self.0)
    }

    fn differences(&self, other: &dyn Past) -> usize {
        P::differences(&self.0, other.as_any().downcast_ref().expect(OWN))
    }

    fn validate(&self) -> Result<(), String> {
        P::validate_past(&self.0)
    }
}

/// What the tests ask of pools whose values can be saved.
pub(crate) trait Saved<T: 'static>: Basic<T> {
    fn try_clone(&self) -> Option<Box<dyn Saved<T>>>;
    fn take_snapshot(&self) -> Option<Box<dyn Past>>;
    fn save_into(&self, past: &mut dyn Past);
    fn restore(&mut self, past: &dyn Past);
    fn sum(&self) -> Option<u64>;
    fn write(&self, form: Form) -> Option<Vec<u8>>;
}

impl<T: Plain, P: PoolUnderTest<T>> Saved<T> for P {
    as_it_says! {
        sum(&self) -> Option<u64>;
        write(&self, form: Form) -> Option<Vec<u8>>;
    }

    fn try_clone(&self) -> Option<Box<dyn Saved<T>>> {
        Some(Box::new(PoolUnderTest::try_clone(self)?))
    }

    fn take_snapshot(&self) -> Option<Box<dyn Past>> {
        PoolUnderTest::take_snapshot(self).map(past_of::<T, P>)
    }

    fn save_into(&self, past: &mut dyn Past) {
        PoolUnderTest::save_into(self, past.as_any_mut().downcast_mut().expect(OWN));
    }

    fn restore(&mut self, past: &dyn Past) {
        PoolUnderTest::restore(self, past.as_any().downcast_ref().expect(OWN));
    }
}

/// What the tests ask of pools whose values can be copied all at once.
pub(crate) trait Copied<T: 'static>: Saved<T> {
    fn take_snapshot_of_copies(&self) -> Option<Box<dyn Past>>;
}

impl<T: Plain + Copy, P: PoolUnderTest<T>> Copied<T> for P {
    fn take_snapshot_of_copies(&self) -> Option<Box<dyn Past>> {
        PoolUnderTest::take_snapshot_of_copies(self).map(past_of::<T, P>)
    }
}

/// A key for an eviction: a number that compares with others as the function says.
pub(crate) struct Rank(pub(crate) u64, pub(crate) fn(u64, u64) -> Ordering);

impl Rank {
    /// Numbers in their usual order.
    pub(crate) fn of(number: u64) -> Self {
        Self(number, |a, b| a.cmp(&b))
    }
}

impl PartialEq for Rank {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Rank {}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.1)(self.0, other.0)
    }
}

/// A new object's handle, and the object that was evicted for it.
pub(crate) type Evicted<T> = (Key, Option<(Key, T)>);

/// The most that are borrowed at once.
const SEVERAL: usize = 3;

/// Everything that the tests ask of a pool.
pub(crate) trait Subject<T: 'static>: Saved<T> {
    fn name(&self) -> Option<Option<&'static str>>;
    fn at(&self, index: usize) -> Option<Option<(Key, &T)>>;
    fn insert_or_evict(&mut self, value: T, key: &mut dyn FnMut(&T) -> Rank) -> Option<Evicted<T>>;
    fn insert_unless_least(
        &mut self,
        value: T,
        key: &mut dyn FnMut(&T) -> Rank,
    ) -> Option<Result<Evicted<T>, T>>;
    fn extract_if<'a>(
        &'a mut self,
        choose: &'a mut dyn FnMut(Key, &mut T) -> bool,
    ) -> Option<Walk<'a, T>>;
    fn drain(&mut self) -> Option<ExactWalk<'_, T>>;
    fn drain_back(&mut self) -> Option<ExactWalk<'_, T>>;
    fn into_iter(self: Box<Self>) -> Option<WalkFromBothEnds<'static, T>>;
    fn iter_both_ends(&self) -> Option<WalkToClone<'_, &T>>;
    fn iter_mut_both_ends(&mut self) -> Option<WalkFromBothEnds<'_, &mut T>>;
    fn runs(&self) -> Option<Vec<(usize, Vec<&T>)>>;
    /// As many as there are handles; `None` inside: refused.
    fn several(&mut self, handles: &[Key]) -> Option<Option<[Option<&mut T>; SEVERAL]>>;
    fn index_of(&self, value: &T) -> Option<Option<usize>>;
    fn reserve(&mut self, additional: usize) -> Option<bool>;
    fn shrink(&mut self) -> bool;
    fn compact(&mut self, moved: &mut Moved<'_, Key, T>) -> bool;
    fn extend(&mut self, values: Vec<T>) -> bool;
    fn lend_values(&mut self, lend: &mut dyn FnMut(&mut T)) -> bool;
    fn lend_runs(&mut self, lend: &mut dyn FnMut(&mut T)) -> bool;
    fn sort(&mut self, way: u8, rank: &mut dyn FnMut(&T) -> u64) -> bool;
    fn update(&mut self, births: usize, live: &mut Live<'_, Key, T>) -> Option<Vec<Key>>;
    fn record(&mut self, recorder: Option<&Recorder>) -> bool;
    fn revive(&mut self, handle: Key, value: T) -> Claimed<T>;
    fn check(&self, handle: Key) -> Option<Result<(), Refusal>>;
    fn detach(&mut self, handle: Key) -> Option<Option<T>>;
    fn reattach(&mut self, handle: Key, value: T) -> Claimed<T>;
    fn free_detached(&mut self, handle: Key) -> Option<bool>;
    /// A pool of this plan with the objects of this one: see [`PoolUnderTest::migrated`].
    fn migrated(&self, plan: Plan, own: Vec<T>) -> Option<Box<dyn Subject<T>>>;
    /// What is read of that which was written, once it was edited.
    fn read_edited(
        &self,
        edit: &dyn Fn(&str) -> String,
    ) -> Option<Result<Box<dyn Subject<T>>, String>>;
    /// The same pool once more, by this way of several: see [`PoolUnderTest::came_back`].
    fn came_back(&self, way: u8) -> Option<(&'static str, Box<dyn Subject<T>>)>;
}

/// Borrows as many values as there are handles, all at once.
fn several<const N: usize, T: 'static, P: PoolUnderTest<T>>(
    pool: &mut P,
    handles: [Key; N],
) -> Option<Option<[Option<&mut T>; SEVERAL]>> {
    let values = PoolUnderTest::disjoint(pool, handles.map(Key::handle))?;
    Some(values.map(|values| {
        let mut values = values.into_iter();
        std::array::from_fn(|_| values.next())
    }))
}

impl<T: Plain, P: PoolUnderTest<T>> Subject<T> for P {
    as_it_says! {
        name(&self) -> Option<Option<&'static str>>;
        runs(&self) -> Option<Vec<(usize, Vec<&T>)>>;
        index_of(&self, value: &T) -> Option<Option<usize>>;
    }

    fn reserve(&mut self, additional: usize) -> Option<bool> {
        PoolUnderTest::reserve(self, additional)
    }

    fn shrink(&mut self) -> bool {
        PoolUnderTest::shrink(self)
    }

    fn compact(&mut self, moved: &mut Moved<'_, Key, T>) -> bool {
        PoolUnderTest::compact(self, &mut |old, new, value| {
            moved(Key::of(old), Key::of(new), value)
        })
    }

    fn extend(&mut self, values: Vec<T>) -> bool {
        PoolUnderTest::extend(self, values)
    }

    fn lend_values(&mut self, lend: &mut dyn FnMut(&mut T)) -> bool {
        PoolUnderTest::lend_values(self, lend)
    }

    fn lend_runs(&mut self, lend: &mut dyn FnMut(&mut T)) -> bool {
        PoolUnderTest::lend_runs(self, lend)
    }

    fn sort(&mut self, way: u8, rank: &mut dyn FnMut(&T) -> u64) -> bool {
        PoolUnderTest::sort(self, way, rank)
    }

    fn update(&mut self, births: usize, live: &mut Live<'_, Key, T>) -> Option<Vec<Key>> {
        let born =
            PoolUnderTest::update(self, births, &mut |handle, value| live(Key::of(handle), value))?;
        Some(born.into_iter().map(Key::of).collect())
    }

    fn record(&mut self, recorder: Option<&Recorder>) -> bool {
        PoolUnderTest::record(self, recorder)
    }

    fn revive(&mut self, handle: Key, value: T) -> Claimed<T> {
        PoolUnderTest::revive(self, handle.handle(), value)
    }

    fn check(&self, handle: Key) -> Option<Result<(), Refusal>> {
        PoolUnderTest::check(self, handle.handle())
    }

    fn at(&self, index: usize) -> Option<Option<(Key, &T)>> {
        let there = PoolUnderTest::at(self, index)?;
        Some(there.map(|(handle, value)| (Key::of(handle), value)))
    }

    fn insert_or_evict(&mut self, value: T, key: &mut dyn FnMut(&T) -> Rank) -> Option<Evicted<T>> {
        let (handle, evicted) = PoolUnderTest::insert_or_evict(self, value, key)?;
        Some((Key::of(handle), evicted.map(|(old, value)| (Key::of(old), value))))
    }

    fn insert_unless_least(
        &mut self,
        value: T,
        key: &mut dyn FnMut(&T) -> Rank,
    ) -> Option<Result<Evicted<T>, T>> {
        let inserted = PoolUnderTest::insert_unless_least(self, value, key)?;
        Some(inserted.map(|(handle, evicted)| {
            (Key::of(handle), evicted.map(|(old, value)| (Key::of(old), value)))
        }))
    }

    fn extract_if<'a>(
        &'a mut self,
        choose: &'a mut dyn FnMut(Key, &mut T) -> bool,
    ) -> Option<Walk<'a, T>> {
        let choose = |handle, value: &mut T| choose(Key::of::<P::Handle>(handle), value);
        PoolUnderTest::extract_if(self, choose).map(Walk::new)
    }

    fn drain(&mut self) -> Option<ExactWalk<'_, T>> {
        PoolUnderTest::drain(self).map(ExactWalk::new)
    }

    fn drain_back(&mut self) -> Option<ExactWalk<'_, T>> {
        PoolUnderTest::drain_back(self).map(ExactWalk::new)
    }

    fn into_iter(self: Box<Self>) -> Option<WalkFromBothEnds<'static, T>> {
        PoolUnderTest::into_iter(*self).map(WalkFromBothEnds::new)
    }

    fn iter_both_ends(&self) -> Option<WalkToClone<'_, &T>> {
        PoolUnderTest::iter_both_ends(self).map(WalkToClone::new)
    }

    fn iter_mut_both_ends(&mut self) -> Option<WalkFromBothEnds<'_, &mut T>> {
        PoolUnderTest::iter_mut_both_ends(self).map(WalkFromBothEnds::new)
    }

    fn several(&mut self, handles: &[Key]) -> Option<Option<[Option<&mut T>; SEVERAL]>> {
        match *handles {
            [] => several(self, []),
            [a] => several(self, [a]),
            [a, b] => several(self, [a, b]),
            [a, b, c] => several(self, [a, b, c]),
            _ => unreachable!("more than {SEVERAL}"),
        }
    }

    fn detach(&mut self, handle: Key) -> Option<Option<T>> {
        PoolUnderTest::detach(self, handle.handle())
    }

    fn reattach(&mut self, handle: Key, value: T) -> Claimed<T> {
        PoolUnderTest::reattach(self, handle.handle(), value)
    }

    fn free_detached(&mut self, handle: Key) -> Option<bool> {
        PoolUnderTest::free_detached(self, handle.handle())
    }

    fn migrated(&self, plan: Plan, own: Vec<T>) -> Option<Box<dyn Subject<T>>> {
        Some(Box::new(PoolUnderTest::migrated(self, plan, own)?))
    }

    fn read_edited(
        &self,
        edit: &dyn Fn(&str) -> String,
    ) -> Option<Result<Box<dyn Subject<T>>, String>> {
        let read = PoolUnderTest::read_edited(self, edit)?;
        Some(read.map(|pool| Box::new(pool) as Box<dyn Subject<T>>))
    }

    fn came_back(&self, way: u8) -> Option<(&'static str, Box<dyn Subject<T>>)> {
        let (how, pool) = PoolUnderTest::came_back(self, way)?;
        Some((how, Box::new(pool)))
    }
}

impl<T: 'static> dyn Subject<T> {
    /// The values of as many handles; `None` inside: refused.
    pub(crate) fn disjoint<const N: usize>(
        &mut self,
        handles: [Key; N],
    ) -> Option<Option<[&mut T; N]>> {
        let values = self.several(&handles)?;
        Some(values.map(|values| {
            let mut values = values.into_iter().flatten();
            std::array::from_fn(|_| values.next().expect("a value for each handle"))
        }))
    }
}
