use millpond::reuse::Lifo;
use millpond::{Handle, PackedPool, Pool};
use millpond_overflow::{Overflow, PolicyPool, Spill};

use super::past::{files_of, snapshots_of};
use super::{Kind, Plan, PoolUnderTest};

/// [`PolicyPool`] of a policy, which is one of the constants below. Where there is a second pool, or
/// growth, half of the slots are there.
pub(crate) struct PolicyKind<const POLICY: usize>;

pub(crate) const SPILL: usize = 0;
pub(crate) const GROW: usize = 1;
pub(crate) const EVICT_LEAST: usize = 2;
pub(crate) const EVICT_OLDEST: usize = 3;
const POLICIES: [Overflow; 4] =
    [Overflow::Spill, Overflow::Grow, Overflow::EvictLeast, Overflow::EvictOldest];

impl<const POLICY: usize> Kind for PolicyKind<POLICY> {
    type Handle = Handle<()>;
    type Pool<T: 'static> = ByPolicy<T, POLICY>;

    const ALLOCATES: bool = POLICY == GROW;
    /// A drop that panics in the first part leaves the second as it was.
    const PANICKING_CLEAR_DOES_TOO: bool = false;
    const WRITTEN_IN_PARTS: bool = true;
    /// The sum of those of both parts.
    const KNOWS_PEAK: bool = POLICY != SPILL && POLICY != GROW;
    /// The adapter refuses for a pool that would evict.
    const COUNTS_REFUSALS: bool = POLICY < EVICT_LEAST;
}

#[derive(Clone)]
pub(crate) struct ByPolicy<T: 'static, const POLICY: usize>(PolicyPool<T, Lifo, Handle<()>>);

/// What is the same of pools in two parts, which are in the first field.
macro_rules! in_two_parts {
    ($capacity:ident) => {
        super::says!(outer => outer.0, $capacity);

        fn len(&self) -> usize {
            self.0.len()
        }

        fn get(&self, handle: Handle<()>) -> Option<&T> {
            self.0.get(handle)
        }

        fn get_mut(&mut self, handle: Handle<()>) -> Option<&mut T> {
            self.0.get_mut(handle)
        }

        fn contains(&self, handle: Handle<()>) -> bool {
            self.0.contains(handle)
        }

        fn remove(&mut self, handle: Handle<()>) -> Option<T> {
            self.0.remove(handle)
        }

        fn clear(&mut self) {
            self.0.clear();
        }

        fn iter(&self) -> impl Iterator<Item = (Handle<()>, &T)> {
            self.0.iter()
        }

        fn retain(&mut self, keep: &mut dyn FnMut(Handle<()>, &mut T) -> bool) -> bool {
            self.0.retain(keep);
            true
        }

        fn lend_values(&mut self, lend: &mut dyn FnMut(&mut T)) -> bool {
            self.0.iter_mut().for_each(|(_, value)| lend(value));
            true
        }

        fn try_clone(&self) -> Option<Self>
        where
            T: Clone,
        {
            Some(Self(self.0.clone()))
        }

        fn clone_over(&mut self, source: &Self) -> bool
        where
            T: Clone,
        {
            self.0.clone_from(&source.0);
            true
        }
    };
}

impl<T: 'static, const POLICY: usize> PoolUnderTest<T> for ByPolicy<T, POLICY> {
    type Handle = Handle<()>;

    snapshots_of!(
        PolicyPool<T, Lifo, Handle<()>>, outer => outer.0,
        past => past.validate()
    );
    files_of!(PolicyPool<T, Lifo, Handle<()>>, outer => outer.0, read => Ok(Self(read)));

    fn build(plan: Plan) -> Self {
        let more = if POLICY >= EVICT_LEAST { 0 } else { plan.capacity.div_ceil(2) };
        let builder = Pool::<T>::builder().handle();
        let builder = super::planned!(builder, Plan { capacity: plan.capacity - more, ..plan });
        Self(PolicyPool::new(POLICIES[POLICY], builder, more))
    }

    fn name(&self) -> Option<Option<&'static str>> {
        Some(self.0.name())
    }

    fn insert(&mut self, value: T) -> Result<Handle<()>, T> {
        if POLICY >= EVICT_LEAST && self.0.is_full() {
            return Err(value);
        }
        let (handle, evicted) =
            self.0.insert_by(value, |_, _| 0).map_err(|full| full.into_inner())?;
        assert!(evicted.is_none(), "there was room");
        Ok(handle)
    }

    const EVICTS: bool = POLICY == EVICT_LEAST;

    fn insert_or_evict<K: Ord>(
        &mut self,
        value: T,
        key: &mut dyn FnMut(&T) -> K,
    ) -> Option<(Handle<()>, Option<(Handle<()>, T)>)> {
        if !Self::EVICTS {
            return None;
        }
        self.0.insert_by(value, |_, value| key(value)).ok()
    }

    fn insert_unless_least<K: Ord>(
        &mut self,
        value: T,
        key: &mut dyn FnMut(&T) -> K,
    ) -> Option<Result<(Handle<()>, Option<(Handle<()>, T)>), T>> {
        Some(self.0.insert_unless_least(value, key).map_err(|full| full.into_inner()))
    }

    fn validate(&self) -> Result<(), String> {
        self.0.validate().map_err(|violation| violation.to_string())
    }

    /// If all that was used fits into the first part. Without objects of its own: its other parts would count them.
    fn migrated(&self, plan: Plan, own: Vec<T>) -> Option<Self>
    where
        T: Clone,
    {
        drop(own);
        let mut pool = Self::build(plan);
        pool.0.migrate_from(self.0.clone()).ok()?;
        Some(pool)
    }

    in_two_parts!(capacity_max);

    fn there(&self) -> usize {
        self.0.capacity()
    }

    fn reserve(&mut self, additional: usize) -> Option<bool> {
        (POLICY == GROW).then(|| self.0.reserve(additional).is_ok())
    }

    fn shrink(&mut self) -> bool {
        self.0.shrink_to_fit();
        true
    }
}

/// [`Spill`] of a pool into a packed one.
pub(crate) struct SpillKind;

impl Kind for SpillKind {
    type Handle = Handle<()>;
    type Pool<T: 'static> = Spilling<T>;

    const PANICKING_CLEAR_DOES_TOO: bool = false;
    const WRITTEN_IN_PARTS: bool = true;
    /// The sum of those of both parts.
    const KNOWS_PEAK: bool = false;
}

type First<T> = Pool<T, Lifo, Handle<()>>;

#[derive(Clone)]
pub(crate) struct Spilling<T: 'static>(Spill<First<T>, PackedPool<T, Handle<()>>>);

impl<T: 'static> PoolUnderTest<T> for Spilling<T> {
    type Handle = Handle<()>;

    snapshots_of!(
        Spill<First<T>, PackedPool<T, Handle<()>>>, outer => outer.0,
        past => past.first().validate().and_then(|()| past.second().validate())
    );
    files_of!(
        Spill<First<T>, PackedPool<T, Handle<()>>>, outer => outer.0, read => Ok(Self(read))
    );

    fn build(plan: Plan) -> Self {
        let second = plan.capacity.div_ceil(2);
        let first = Plan { capacity: plan.capacity - second, ..plan };
        let second = Plan { capacity: second, ..plan };
        let first = super::planned!(Pool::<T>::builder().handle(), first).build();
        Self(Spill::new(
            first,
            super::planned!(PackedPool::<T>::builder().handle(), second).build(),
        ))
    }

    fn insert(&mut self, value: T) -> Result<Handle<()>, T> {
        self.0.insert(value).map_err(|full| full.into_inner())
    }

    /// If the first part is as large in such a pool.
    fn migrated(&self, plan: Plan, own: Vec<T>) -> Option<Self>
    where
        T: Clone,
    {
        let mut pool = Self::build(plan);
        if pool.0.first().capacity() != self.0.first().capacity() {
            return None;
        }
        own.into_iter().for_each(|value| drop(pool.insert(value)));
        pool.0.migrate_from(self.0.clone()).unwrap();
        Some(pool)
    }

    fn validate(&self) -> Result<(), String> {
        self.0.first().validate().map_err(|violation| violation.to_string())?;
        self.0.second().validate().map_err(|violation| violation.to_string())
    }

    in_two_parts!(capacity);
}
