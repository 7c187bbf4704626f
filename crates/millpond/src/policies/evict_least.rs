use core::fmt;

use super::{Bounded, Inserted, Policy, replace};
use crate::base::cold;
use crate::handle::HandleLayout;
use crate::reports::errors::Full;

/// An overflow policy: a full pool evicts the live object with the smallest key. Of objects with
/// equal keys, the one that iteration visits first is evicted.
///
/// The key function is called once per live object, at the speed of iteration, and only when the
/// pool is full; if it panics, the pool is unchanged. Objects in the last lifetime of their slot
/// are skipped, because that slot retires afterwards.
///
/// The new value takes no part in the comparison: it always gets a slot, even if its own key is the smallest.
/// [`EvictLesser`] refuses it then. The pools' `insert_or_evict` does the same as this policy.
///
/// ```
/// use millpond::overflow::{EvictLeast, Policy};
/// use millpond::PackedPool;
///
/// let mut voices = PackedPool::new(2);
/// let mut quietest = EvictLeast(|_, voice: &(&str, u8)| voice.1);
/// quietest.insert(&mut voices, ("explosion", 90)).unwrap();
/// let (quiet, _) = quietest.insert(&mut voices, ("crickets", 10)).unwrap();
///
/// let (_, evicted) = quietest.insert(&mut voices, ("thunder", 70)).unwrap();
/// assert_eq!(evicted, Some((quiet, ("crickets", 10))));
/// ```
#[derive(Clone, Copy)]
pub struct EvictLeast<F>(
    /// Returns an object's key, from its handle and value.
    pub F,
);

impl<F> fmt::Debug for EvictLeast<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EvictLeast").finish_non_exhaustive()
    }
}

impl<P: Bounded, K: Ord, F: FnMut(P::Handle, &P::Value) -> K> Policy<P> for EvictLeast<F> {
    #[inline]
    #[track_caller]
    fn insert(&mut self, pool: &mut P, value: P::Value) -> Result<Inserted<P>, Full<P::Value>> {
        let value = match pool.insert_if_room(value) {
            Ok(handle) => return Ok((handle, None)),
            Err(value) => value,
        };
        match least(pool, &mut self.0) {
            Some(victim) => {
                // Syncs the bitmap, so that the search for the next victim reads bits instead of words.
                drop(pool.iter_mut());
                replace(pool, victim, value)
            }
            None => Err(pool.refuse(value)),
        }
    }
}

/// An overflow policy: a full pool evicts the live object with the smallest key, like [`EvictLeast`], but refuses the new
/// value if its own key is smaller than all others. Of equal keys, the new value has the slot.
///
/// The key function gets only the value, because the new one has no handle yet. The pools' `insert_unless_least` does the
/// same as this policy.
///
/// ```
/// use millpond::overflow::{EvictLesser, Policy};
/// use millpond::Pool;
///
/// let mut voices = Pool::new(1);
/// let mut quieter = EvictLesser(|voice: &(&str, u8)| voice.1);
/// quieter.insert(&mut voices, ("explosion", 90)).unwrap();
/// let crickets = quieter.insert(&mut voices, ("crickets", 5)).unwrap_err();
/// assert_eq!(crickets.into_inner(), ("crickets", 5));
/// let (_, evicted) = quieter.insert(&mut voices, ("siren", 95)).unwrap();
/// assert_eq!(evicted.unwrap().1, ("explosion", 90));
/// ```
#[derive(Clone, Copy)]
pub struct EvictLesser<F>(
    /// Returns a value's key.
    pub F,
);

impl<F> fmt::Debug for EvictLesser<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EvictLesser").finish_non_exhaustive()
    }
}

impl<P: Bounded, K: Ord, F: FnMut(&P::Value) -> K> Policy<P> for EvictLesser<F> {
    #[inline]
    #[track_caller]
    fn insert(&mut self, pool: &mut P, value: P::Value) -> Result<Inserted<P>, Full<P::Value>> {
        insert_unless_least(pool, value, &mut self.0)
    }
}

/// Inserts a value; into a full pool only if an object has a key that is not above the value's: the smallest goes.
#[track_caller]
pub(crate) fn insert_unless_least<P: Bounded, K: Ord>(
    pool: &mut P,
    value: P::Value,
    mut key: impl FnMut(&P::Value) -> K,
) -> Result<Inserted<P>, Full<P::Value>> {
    let value = match pool.insert_if_room(value) {
        Ok(handle) => return Ok((handle, None)),
        Err(value) => value,
    };
    let newcomer = key(&value);
    let keys = pool.iter().map(|(handle, value)| (key(value), handle));
    let keys = keys.filter(|(key, _)| *key <= newcomer);
    match least_of(keys, |handle| pool.is_in_last_lifetime(handle)) {
        Some(victim) => replace(pool, victim, value),
        None => Err(pool.refuse(value)),
    }
}

/// The live object with the smallest key, of those whose slots can be used again. Not inline: the search is fast in a
/// function of its own, whatever surrounds it.
#[inline(never)]
fn least<P: Bounded, K: Ord>(
    pool: &P,
    mut key: impl FnMut(P::Handle, &P::Value) -> K,
) -> Option<P::Handle> {
    let keys = pool.iter().map(|(handle, value)| (key(handle, value), handle));
    least_of(keys, |handle| pool.is_in_last_lifetime(handle))
}

/// The first of a pool's handles whose slot can be used again.
pub(crate) fn first_evictable<P: super::Lifetimes>(
    pool: &P,
    mut handles: impl Iterator<Item = P::Handle>,
) -> Option<P::Handle> {
    handles.find(|handle| !pool.is_in_last_lifetime(*handle))
}

/// The handle with the smallest key, of those whose slots can be used again.
#[inline]
pub(crate) fn least_of<H: HandleLayout, K: Ord>(
    keys: impl Iterator<Item = (K, H)>,
    is_in_last_lifetime: impl Fn(H) -> bool,
) -> Option<H> {
    let mut least: Option<(K, H)> = None;
    keys.for_each(|(key, handle)| {
        let is_less = least.as_ref().is_none_or(|(least, _)| key.cmp(least).is_lt());
        if is_less {
            // Seldom, so that the loop over the others is a comparison each.
            cold();
            if !is_in_last_lifetime(handle) {
                least = Some((key, handle));
            }
        }
    });
    least.map(|(_, handle)| handle)
}
