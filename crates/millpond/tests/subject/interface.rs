//! What the tests ask of a pool, whatever it is. Nothing here names one: a program of tests with other pools takes this
//! file, and the others that do not, into a `subject` module of its own.

use millpond::snapshot::ToChecksum;
use millpond::{GetDisjointMutError, InsertAtErrorKind, Refusal, Stats};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Aids, AnyHandle, Form, Recorder};

/// What a pool is built with. A kind of pool that has no such choice goes its own way, and says so.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) capacity: usize,
    /// How many lifetimes each slot has, unless the handle layout has fewer.
    pub(crate) lifetimes: Option<u32>,
    /// Whether slots start again after the last.
    pub(crate) wraps: bool,
    pub(crate) name: Option<&'static str>,
    /// Of pools that have some.
    pub(crate) aids: Aids,
}

impl Plan {
    pub(crate) fn of(capacity: usize) -> Self {
        Self { capacity, ..Self::default() }
    }
}

/// A pool type with everything but the type of its values, and what is true of all its pools.
pub(crate) trait Kind: 'static {
    type Handle: AnyHandle;
    type Pool<T: 'static>: PoolUnderTest<T, Handle = Self::Handle>;

    /// Of pools that cannot be built with any other.
    const CAPACITY: Option<usize> = None;
    /// Whether the plan's lifetimes and wrapping are followed.
    const LIFETIMES_CHOSEN: bool = true;
    /// Whether slots can start again after fewer lifetimes than the handle layout has.
    const WRAPS_EARLY: bool = Self::LIFETIMES_CHOSEN;
    /// Whether the plan's name is followed, and a handle of another name refused: few generations cannot tell names apart.
    const NAMED: bool = Self::Handle::GENERATION_MAX > 1 << 20;
    /// Whether a stale handle is refused for ever, in a pool that does not wrap.
    const LASTING: bool = true;

    fn build<T: 'static>(plan: Plan) -> Self::Pool<T> {
        Self::Pool::build(plan)
    }

    /// How many lifetimes each slot has.
    fn lifetimes(plan: Plan) -> u32 {
        let chosen = plan.lifetimes.filter(|_| Self::LIFETIMES_CHOSEN).unwrap_or(u32::MAX);
        chosen.clamp(1, Self::Handle::GENERATION_MAX)
    }

    /// Whether slots start again after their last lifetime.
    fn wraps(plan: Plan) -> bool {
        plan.wraps && Self::LIFETIMES_CHOSEN
    }

    /// Whether a restore that a clone's panic ends leaves an empty pool.
    const PANICKING_RESTORE_EMPTIES: bool = true;

    /// How often each value is cloned for a copy of the pool.
    const CLONES_FOR_A_COPY: u64 = 1;
    /// Whether inserting a value takes memory: only where the test's own wrapping does.
    const ALLOCATES: bool = false;
    /// Whether the lowest slot comes next after a clear, and then the others in order.
    const CLEAR_STARTS_FROM_THE_LOWEST: bool = true;
    /// Whether that holds for the dead slots as well when a drop panics in the clear.
    const PANICKING_CLEAR_DOES_TOO: bool = true;
    /// Whether a file has each part as a pool of its own, whose slots count from 0.
    const WRITTEN_IN_PARTS: bool = false;

    /// The generation after the last, where slots start again.
    const WRAPS_TO: u32 = 1;

    /// Whether the plan's debug aids are followed.
    const AIDED: bool = true;

    /// Whether the peak is exactly the most that was ever live.
    const KNOWS_PEAK: bool = true;
    /// Whether each refused insertion is counted.
    const COUNTS_REFUSALS: bool = true;
    /// Whether a full pool counts it as one when it is asked for the handle that comes next.
    const ASKING_IS_REFUSED: bool = true;

    /// The [name](millpond::reuse::ReuseOrder::NAME) of the order in which slots come, where
    /// [`Vacant`](crate::common::Vacant) has all that the steps do with it.
    const ORDER: Option<&'static str> = None;
}

/// The ways in which [`came_back`](PoolUnderTest::came_back) comes to the same pool.
pub(crate) const WAYS_BACK: u8 = 5;

/// The ways in which [`sort`](PoolUnderTest::sort) sorts; one more swaps two values.
pub(crate) const WAYS_TO_SORT: u8 = 3;

/// What is told of each object that [`compact`](PoolUnderTest::compact) moves.
pub(crate) type Moved<'a, H, T> = dyn FnMut(H, H, &mut T) + 'a;

/// What becomes of each value in an [`update`](PoolUnderTest::update), and what it bears.
pub(crate) type Live<'a, H, T> = dyn FnMut(H, &mut T) -> (Fate, Option<T>) + 'a;

/// What becomes of a value in an [`update`](PoolUnderTest::update).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Stays,
    /// By its own slot.
    Dies,
    /// By its handle.
    IsKilled,
}

/// That of a clone.
pub(crate) const CLONED: u8 = 0;

/// Those of what is read of that which was written.
pub(crate) const WRITTEN: [u8; 2] = [2, 4];

/// What a test asks of a pool. Methods that return an option or a flag are those that not every pool
/// has: `None` and `false` say that this one has not.
pub(crate) trait PoolUnderTest<T: 'static>: Sized + 'static {
    type Handle: AnyHandle;
    /// What a snapshot of it is; [`NoPast`] of a pool that has none.
    type Past: 'static;

    fn build(plan: Plan) -> Self;
    fn capacity(&self) -> usize;
    fn len(&self) -> usize;
    /// The value comes back if the pool is full.
    fn insert(&mut self, value: T) -> Result<Self::Handle, T>;
    fn get(&self, handle: Self::Handle) -> Option<&T>;
    fn get_mut(&mut self, handle: Self::Handle) -> Option<&mut T>;
    fn remove(&mut self, handle: Self::Handle) -> Option<T>;
    fn clear(&mut self);
    /// All live objects with their handles, in the pool's own order.
    fn iter(&self) -> impl Iterator<Item = (Self::Handle, &T)>;
    fn validate(&self) -> Result<(), String>;

    fn contains(&self, handle: Self::Handle) -> bool {
        self.get(handle).is_some()
    }

    /// How many slots there are now, of a pool that grows up to its capacity.
    fn there(&self) -> usize {
        self.capacity()
    }

    fn retired(&self) -> usize {
        self.stats().expect("statistics").retired
    }

    fn is_full(&self) -> bool {
        self.len() + self.retired() == self.capacity()
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn name(&self) -> Option<Option<&'static str>> {
        None
    }

    fn stats(&self) -> Option<Stats> {
        None
    }

    /// What is in a slot.
    fn at(&self, _index: usize) -> Option<Option<(Self::Handle, &T)>> {
        None
    }

    fn insert_at(&mut self, _handle: Self::Handle, _value: T) -> Claimed<T> {
        None
    }

    fn revive(&mut self, _handle: Self::Handle, _value: T) -> Claimed<T> {
        None
    }

    /// Why a handle is refused, if it is.
    fn check(&self, _handle: Self::Handle) -> Option<Result<(), Refusal>> {
        None
    }

    fn insert_with(
        &mut self,
        _make: &mut dyn FnMut(Self::Handle) -> T,
    ) -> Option<Result<Self::Handle, ()>> {
        None
    }

    /// The handle that comes next, of an entry that is then dropped; `None` inside: full.
    fn promised(&mut self) -> Option<Option<Self::Handle>> {
        None
    }

    /// The value comes back if nothing can be evicted for it.
    #[expect(clippy::type_complexity, reason = "each part is said once")]
    fn insert_or_evict<K: Ord>(
        &mut self,
        value: T,
        _key: &mut dyn FnMut(&T) -> K,
    ) -> Option<(Self::Handle, Option<(Self::Handle, T)>)> {
        drop(value);
        None
    }

    /// The value comes back if it is the least; `None`: the pool has no such method.
    #[expect(clippy::type_complexity, reason = "each part is said once")]
    fn insert_unless_least<K: Ord>(
        &mut self,
        value: T,
        _key: &mut dyn FnMut(&T) -> K,
    ) -> Option<Result<(Self::Handle, Option<(Self::Handle, T)>), T>> {
        drop(value);
        None
    }

    /// Whether the pool has `insert_or_evict`.
    const EVICTS: bool = false;

    fn retain(&mut self, _keep: &mut dyn FnMut(Self::Handle, &mut T) -> bool) -> bool {
        false
    }

    fn extract_if(
        &mut self,
        _choose: impl FnMut(Self::Handle, &mut T) -> bool,
    ) -> Option<impl Iterator<Item = (Self::Handle, T)>> {
        None::<std::iter::Empty<_>>
    }

    fn drain(&mut self) -> Option<impl ExactSizeIterator<Item = (Self::Handle, T)>> {
        None::<std::iter::Empty<_>>
    }

    fn drain_back(&mut self) -> Option<impl ExactSizeIterator<Item = (Self::Handle, T)>> {
        None::<std::iter::Empty<_>>
    }

    fn into_iter(
        self,
    ) -> Option<impl DoubleEndedIterator<Item = (Self::Handle, T)> + ExactSizeIterator> {
        None::<std::iter::Empty<_>>
    }

    fn iter_both_ends(
        &self,
    ) -> Option<impl DoubleEndedIterator<Item = (Self::Handle, &T)> + ExactSizeIterator + Clone>
    {
        None::<std::iter::Empty<_>>
    }

    fn iter_mut_both_ends(
        &mut self,
    ) -> Option<impl DoubleEndedIterator<Item = (Self::Handle, &mut T)> + ExactSizeIterator> {
        None::<std::iter::Empty<_>>
    }

    /// The runs of live slots: the first index of each, and how many values.
    fn runs(&self) -> Option<Vec<(usize, Vec<&T>)>> {
        None
    }

    /// `None` inside: refused.
    fn disjoint<const N: usize>(
        &mut self,
        _handles: [Self::Handle; N],
    ) -> Option<Option<[&mut T; N]>> {
        None
    }

    fn index_of(&self, _value: &T) -> Option<Option<usize>> {
        None
    }

    /// Room for so many more values: whether it could be made.
    fn reserve(&mut self, _additional: usize) -> Option<bool> {
        None
    }

    /// Gives back slots that are not needed.
    fn shrink(&mut self) -> bool {
        false
    }

    /// Moves objects to the lowest slots: the old handle of each, the new one and its value.
    fn compact(&mut self, _moved: &mut Moved<'_, Self::Handle, T>) -> bool {
        false
    }

    /// All values in one call; there is room for them.
    fn extend(&mut self, _values: Vec<T>) -> bool {
        false
    }

    /// Every value, by a loop over values.
    fn lend_values(&mut self, _lend: &mut dyn FnMut(&mut T)) -> bool {
        false
    }

    /// Every value, by a loop over slices of them.
    fn lend_runs(&mut self, _lend: &mut dyn FnMut(&mut T)) -> bool {
        false
    }

    /// The values in the order of their ranks, by one of the [`WAYS_TO_SORT`]; or two of them swapped.
    fn sort(&mut self, _way: u8, _rank: &mut dyn FnMut(&T) -> u64) -> bool {
        false
    }

    /// Insertions and removals in lots of so many births each: what becomes of each value, and whether there is another
    /// that it bears. The handles of those, in the order in which they were born.
    fn update(
        &mut self,
        _births: usize,
        _live: &mut Live<'_, Self::Handle, T>,
    ) -> Option<Vec<Self::Handle>> {
        None
    }

    /// Attaches a recorder, or detaches it.
    fn record(&mut self, _recorder: Option<&Recorder>) -> bool {
        false
    }

    /// Becomes a clone of the other.
    fn clone_over(&mut self, _source: &Self) -> bool
    where
        T: Clone,
    {
        false
    }

    fn try_clone(&self) -> Option<Self>
    where
        T: Clone,
    {
        None
    }

    /// A snapshot, whose values are cloned.
    fn take_snapshot(&self) -> Option<Self::Past>
    where
        T: Clone,
    {
        None
    }

    /// A snapshot, whose values are copied all at once.
    fn take_snapshot_of_copies(&self) -> Option<Self::Past>
    where
        T: Copy,
    {
        None
    }

    fn save_into(&self, _past: &mut Self::Past)
    where
        T: Clone,
    {
        unreachable!("it has no past");
    }

    fn restore(&mut self, _past: &Self::Past)
    where
        T: Clone,
    {
        unreachable!("it has no past");
    }

    /// The sum that the pool of a snapshot had.
    fn sum_of(_past: &Self::Past) -> u64
    where
        T: ToChecksum,
    {
        unreachable!("it has no past");
    }

    /// How many slots and orders are not as in the other snapshot.
    fn differences(_left: &Self::Past, _right: &Self::Past) -> usize
    where
        T: ToChecksum,
    {
        unreachable!("it has no past");
    }

    fn validate_past(_past: &Self::Past) -> Result<(), String> {
        unreachable!("it has no past");
    }

    /// Reads what is written of a pool as a snapshot.
    fn read_past(_form: Form, _bytes: &[u8]) -> Option<Result<Self::Past, String>>
    where
        T: DeserializeOwned + Clone,
    {
        None
    }

    fn sum(&self) -> Option<u64>
    where
        T: ToChecksum,
    {
        None
    }

    /// What `serde` writes.
    fn write(&self, _form: Form) -> Option<Vec<u8>>
    where
        T: Serialize,
    {
        None
    }

    /// What `serde` reads, or why it does not.
    fn read(_form: Form, _bytes: &[u8]) -> Option<Result<Self, String>>
    where
        T: DeserializeOwned,
    {
        None
    }

    /// Takes the value out, and keeps its slot; `None` inside: refused.
    fn detach(&mut self, _handle: Self::Handle) -> Option<Option<T>> {
        None
    }

    /// Puts a value into the slot that was kept.
    fn reattach(&mut self, _handle: Self::Handle, _value: T) -> Claimed<T> {
        None
    }

    /// Frees the slot that was kept: whether it was.
    fn free_detached(&mut self, _handle: Self::Handle) -> Option<bool> {
        None
    }

    /// A pool of this plan, which has had these values of its own, with the objects of this one.
    fn migrated(&self, _plan: Plan, own: Vec<T>) -> Option<Self>
    where
        T: Clone,
    {
        drop(own);
        None
    }

    /// What is read of that which was written, once it was edited.
    fn read_edited(&self, edit: &dyn Fn(&str) -> String) -> Option<Result<Self, String>>
    where
        T: Clone + Serialize + DeserializeOwned,
    {
        let text = String::from_utf8(self.write(Form::Json)?).unwrap();
        Self::read(Form::Json, edit(&text).as_bytes())
    }

    /// The same pool once more, by this way of several: a clone; a copy that was changed and put back by a
    /// snapshot, or made anew from this one; and what is read of that which was written, in each form.
    fn came_back(&self, way: u8) -> Option<(&'static str, Self)>
    where
        T: Clone + Serialize + DeserializeOwned,
    {
        let read = |form| Some(Self::read(form, &self.write(form)?)?.unwrap());
        match way % WAYS_BACK {
            CLONED => Some(("clone", self.try_clone()?)),
            1 => {
                let (past, mut copy) = (self.take_snapshot()?, self.try_clone()?);
                copy.clear();
                if let Some((_, value)) = self.iter().next() {
                    while copy.insert(value.clone()).is_ok() {}
                }
                copy.restore(&past);
                Some(("snapshot", copy))
            }
            2 => Some(("JSON", read(Form::Json)?)),
            3 => {
                let mut copy = self.try_clone()?;
                copy.clear();
                copy.clone_over(self).then_some(("clone_from", copy))
            }
            _ => Some(("postcard", read(Form::Postcard)?)),
        }
    }
}

/// What a pool inside of an adapter says of itself, by methods of these names.
macro_rules! says {
    ($outer:ident => $place:expr $(, $capacity:ident)?) => {
        $(fn capacity(&self) -> usize {
            let $outer = self;
            $place.$capacity()
        })?

        fn stats(&self) -> Option<millpond::Stats> {
            let $outer = self;
            Some($place.stats())
        }

        fn is_full(&self) -> bool {
            let $outer = self;
            $place.is_full()
        }

        fn is_empty(&self) -> bool {
            let $outer = self;
            $place.is_empty()
        }
    };
}
pub(crate) use says;

/// The same of its name and of how many are live.
macro_rules! says_all {
    ($outer:ident => $place:expr $(, $capacity:ident)?) => {
        $crate::subject::says!($outer => $place $(, $capacity)?);

        fn len(&self) -> usize {
            let $outer = self;
            $place.len()
        }

        fn name(&self) -> Option<Option<&'static str>> {
            let $outer = self;
            Some($place.name())
        }
    };
}
pub(crate) use says_all;

/// What a claim of a handle came to: a refused value comes back, with the reason.
pub(crate) type Claimed<T> = Option<Result<(), (InsertAtErrorKind, T)>>;

/// That of a pool that says which handle it has issued.
pub(crate) fn claimed<T, H: AnyHandle>(
    handle: H,
    result: Result<H, millpond::InsertAtError<T>>,
) -> Claimed<T> {
    let result = result.map(|issued| assert_eq!(issued, handle));
    Some(result.map_err(|error| (error.kind(), error.into_inner())))
}

/// Where a value is that was lent.
pub(crate) fn place<T>(value: &mut T) -> *const T {
    value
}

/// What is lent of several handles with gaps for those that are refused is what is lent if none of them is.
pub(crate) fn lent_alike<T, const N: usize>(
    with_gaps: Result<[Option<*const T>; N], GetDisjointMutError>,
    lent: Result<[&mut T; N], GetDisjointMutError>,
) -> Option<[&mut T; N]> {
    match (&with_gaps, &lent) {
        (Ok(with_gaps), Ok(lent)) => {
            assert!(with_gaps.iter().zip(lent).all(|(a, b)| *a == Some(&raw const **b)));
        }
        (Ok(with_gaps), Err(GetDisjointMutError::Refused { position, .. })) => {
            assert!(with_gaps[*position].is_none());
        }
        (Err(error), Err(GetDisjointMutError::Overlapping { .. })) => {
            assert_eq!(Some(error), lent.as_ref().err());
        }
        (error, _) => assert!(matches!(error, Err(GetDisjointMutError::Overlapping { .. }))),
    }
    lent.ok()
}

/// A builder that has been told the plan.
macro_rules! planned {
    ($builder:expr, $plan:expr) => {{
        let mut builder = $crate::subject::aided!($builder, $plan).capacity($plan.capacity);
        if let Some(lifetimes) = $plan.lifetimes {
            builder = builder.lifetimes(lifetimes);
        }
        if let Some(name) = $plan.name {
            builder = builder.name(name);
        }
        if $plan.wraps { builder.wrap() } else { builder }
    }};
}
pub(crate) use planned;

/// Makes a test of each of the functions, which have a kind of pool as their only parameter, for each kind of pool.
macro_rules! for_every_pool {
    ($($tests:tt)+) => {
        use $crate::subject::tests_of;
        $crate::subject::every_kind! { tests_of! [$($tests)+] }
    };
}
pub(crate) use for_every_pool;

/// The same for one kind of each pool.
macro_rules! for_one_of_each {
    ($($tests:tt)+) => {
        mod one_of_each {
            use super::*;
            use $crate::subject::tests_of;
            $crate::subject::one_of_each! { [] tests_of! [$($tests)+] }
        }
    };
}
pub(crate) use for_one_of_each;

/// The same for one kind for each way to keep values: a test that asks nothing of the reuse order and the handle layout.
macro_rules! for_one_of_each_place {
    ($($tests:tt)+) => {
        mod one_of_each_place {
            use super::*;
            use $crate::subject::tests_of;
            $crate::subject::one_of_each_place! { [] tests_of! [$($tests)+] }
        }
    };
}
pub(crate) use for_one_of_each_place;

macro_rules! tests_of {
    ($how:tt $($name:ident: $kind:ty;)+) => {
        $( $crate::subject::tests_of! { @one $how $name: $kind } )+
    };
    (@one [$($test:ident),+ $(,)?] $name:ident: $kind:ty) => {
        mod $name {
            #[allow(unused_imports, reason = "each kind of pool uses its own part")]
            use {
                $crate::subject::*,
                millpond::reuse::*,
                millpond::{Handle, Handle32},
            };
            $(
                #[test]
                fn $test() {
                    super::$test(&Of::<$kind>::KIND);
                }
            )+
        }
    };
}
pub(crate) use tests_of;
