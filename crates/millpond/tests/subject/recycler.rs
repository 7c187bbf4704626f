use std::marker::PhantomData;

use millpond::reuse::ReuseOrder;
use millpond::{HandleLayout, Recycler, Refusal};

use super::past::past_of;
use super::walk::own_vec;
use super::{AnyHandle, Claimed, Kind, Plan, PoolUnderTest};

/// [`Recycler`] of a reuse order and a handle layout.
pub(crate) struct RecyclerKind<R, H>(PhantomData<(R, H)>);

impl<R: ReuseOrder + 'static, H: HandleLayout + AnyHandle> Kind for RecyclerKind<R, H> {
    type Handle = H;
    type Pool<T: 'static> = OptionRecycler<T, R, H>;

    const ORDER: Option<&'static str> = Some(R::NAME);

    /// It leaves the objects of dead slots, which are empty places in all other cases.
    const PANICKING_RESTORE_EMPTIES: bool = false;
}

/// A recycler whose objects are places for a value: `Some` exactly while they are live.
#[derive(Clone)]
pub(crate) struct OptionRecycler<T, R: ReuseOrder, H: HandleLayout>(Recycler<Option<T>, R, H>);

impl<T, R: ReuseOrder, H: HandleLayout> OptionRecycler<T, R, H> {
    /// Whether the objects are there that are live, and no others: of a file nothing is known.
    fn agree(&self) -> Result<(), String> {
        let mut objects = self.0.as_slice().iter().enumerate();
        match objects.find(|(index, object)| object.is_some() != self.0.is_live(*index)) {
            Some((index, _)) => {
                Err(format!("object {index} is there while its slot is dead, or not"))
            }
            None => Ok(()),
        }
    }
}

impl<T: 'static, R: ReuseOrder, H: HandleLayout + AnyHandle> PoolUnderTest<T>
    for OptionRecycler<T, R, H>
{
    type Handle = H;

    fn build(plan: Plan) -> Self {
        let builder = Recycler::<Option<T>>::builder().reuse(R::default()).handle::<H>();
        Self(super::planned!(builder, plan).build_with(|_| None))
    }

    past_of!(Recycler<Option<T>, R, H>, outer => outer.0, read => {
        let read = Self(read);
        read.agree().map(|()| read)
    });

    super::says_all!(outer => outer.0, capacity);
    super::records!(outer => outer.0);

    fn at(&self, index: usize) -> Option<Option<(H, &T)>> {
        let handle = self.0.handle_at(index);
        assert_eq!(handle.is_some(), self.0.is_live(index));
        Some(handle.map(|handle| (handle, self.0.as_slice()[index].as_ref().unwrap())))
    }

    fn insert(&mut self, value: T) -> Result<H, T> {
        match self.0.acquire() {
            Some((handle, object)) => {
                assert!(object.replace(value).is_none());
                Ok(handle)
            }
            None => Err(value),
        }
    }

    fn get(&self, handle: H) -> Option<&T> {
        self.0.get(handle)?.as_ref()
    }

    fn get_mut(&mut self, handle: H) -> Option<&mut T> {
        self.0.get_mut(handle)?.as_mut()
    }

    fn contains(&self, handle: H) -> bool {
        self.0.contains(handle)
    }

    fn remove(&mut self, handle: H) -> Option<T> {
        let value = self.0.get_mut(handle).map(Option::take);
        assert_eq!(self.0.release(handle), value.is_some());
        value?
    }

    fn clear(&mut self) {
        let mut values = own_vec(self.0.len());
        values.extend(self.0.iter_mut().map(|(_, object)| object.take()));
        self.0.clear();
        drop(values);
    }

    fn iter(&self) -> impl Iterator<Item = (H, &T)> {
        self.0.iter().filter_map(|(handle, object)| Some((handle, object.as_ref()?)))
    }

    fn validate(&self) -> Result<(), String> {
        self.agree()?;
        self.0.validate().map_err(|violation| violation.to_string())
    }

    fn insert_at(&mut self, handle: H, value: T) -> Claimed<T> {
        Some(match self.0.acquire_at(handle) {
            Ok(object) => {
                assert!(object.replace(value).is_none());
                Ok(())
            }
            Err(error) => Err((error.kind(), value)),
        })
    }

    fn check(&self, handle: H) -> Option<Result<(), Refusal>> {
        Some(self.0.check(handle))
    }

    const EVICTS: bool = true;

    fn insert_or_evict<K: Ord>(
        &mut self,
        value: T,
        key: &mut dyn FnMut(&T) -> K,
    ) -> Option<(H, Option<(H, T)>)> {
        let key = |_: H, object: &Option<T>| object.as_ref().map(&mut *key);
        let (handle, object, evicted) = self.0.acquire_or_evict(key)?;
        Some((handle, evicted.zip(object.replace(value))))
    }

    fn insert_unless_least<K: Ord>(
        &mut self,
        value: T,
        key: &mut dyn FnMut(&T) -> K,
    ) -> Option<Result<(H, Option<(H, T)>), T>> {
        let newcomer = Some(key(&value));
        let key = |_: H, object: &Option<T>| object.as_ref().map(&mut *key);
        Some(match self.0.acquire_unless_least(newcomer, key) {
            Some((handle, object, evicted)) => Ok((handle, evicted.zip(object.replace(value)))),
            None => Err(value),
        })
    }

    fn retain(&mut self, keep: &mut dyn FnMut(H, &mut T) -> bool) -> bool {
        let mut gone = own_vec(self.0.len());
        self.0.retain(|handle, object| {
            let is_kept = object.as_mut().is_some_and(|value| keep(handle, value));
            if !is_kept {
                gone.push(object.take());
            }
            is_kept
        });
        true
    }

    fn lend_values(&mut self, lend: &mut dyn FnMut(&mut T)) -> bool {
        self.0.values_mut().flatten().for_each(lend);
        true
    }

    /// Every other time all objects, of which those of dead slots are empty.
    fn lend_runs(&mut self, lend: &mut dyn FnMut(&mut T)) -> bool {
        if self.0.len() % 2 == 0 {
            self.0.as_mut_slice().iter_mut().flatten().for_each(lend);
        } else {
            self.0.runs_mut().flat_map(|(_, run)| run).flatten().for_each(lend);
        }
        true
    }

    fn runs(&self) -> Option<Vec<(usize, Vec<&T>)>> {
        Some(self.0.runs().map(|(first, run)| (first, run.iter().flatten().collect())).collect())
    }

    /// Without objects of its own: they would stay in its dead slots.
    fn migrated(&self, plan: Plan, own: Vec<T>) -> Option<Self>
    where
        T: Clone,
    {
        let mut pool = Self::build(plan);
        let migrated = match own.len() % 2 == 0 {
            true => pool.0.migrate_from(self.0.clone()),
            false => pool.0.migrate_with(self.0.clone(), |_, object| object),
        };
        migrated.unwrap();
        Some(pool)
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

    fn iter_both_ends(
        &self,
    ) -> Option<impl DoubleEndedIterator<Item = (H, &T)> + ExactSizeIterator + Clone> {
        Some(self.0.iter().map(|(handle, object)| (handle, object.as_ref().unwrap())))
    }
}
