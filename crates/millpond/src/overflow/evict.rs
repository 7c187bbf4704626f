//! Which object of a full pool makes room for another.

use super::{Bounded, Inserted};
use crate::base::cold;
use crate::handle::HandleLayout;
use crate::reports::errors::Full;

/// Inserts a value; into a full pool in place of the live object with the smallest key.
#[inline]
#[track_caller]
pub fn insert_or_evict<P: Bounded, K: Ord>(
    pool: &mut P,
    value: P::Value,
    key: impl FnMut(P::Handle, &P::Value) -> K,
) -> Result<Inserted<P>, Full<P::Value>> {
    insert_or_replace(pool, value, |pool, _| {
        let victim = least(pool, key)?;
        // Syncs the bitmap, so that the search for the next victim reads bits instead of words.
        drop(pool.iter_mut());
        Some(victim)
    })
}

/// Inserts a value; into a full pool only if an object has a key that is not above the value's: the smallest goes.
#[track_caller]
pub fn insert_unless_least<P: Bounded, K: Ord>(
    pool: &mut P,
    value: P::Value,
    mut key: impl FnMut(&P::Value) -> K,
) -> Result<Inserted<P>, Full<P::Value>> {
    insert_or_replace(pool, value, |pool, value| {
        let newcomer = key(value);
        let keys = pool.iter().map(|(handle, value)| (key(value), handle));
        let keys = keys.filter(|(key, _)| *key <= newcomer);
        least_of(keys, |handle| pool.is_in_last_lifetime(handle))
    })
}

/// Inserts a value; into a full pool in place of the object that is found, if there is one.
#[inline(always)]
#[track_caller]
fn insert_or_replace<P: Bounded>(
    pool: &mut P,
    value: P::Value,
    find: impl FnOnce(&mut P, &P::Value) -> Option<P::Handle>,
) -> Result<Inserted<P>, Full<P::Value>> {
    match pool.insert_if_room(value) {
        Ok(handle) => Ok((handle, None)),
        Err(value) => match find(pool, &value) {
            Some(victim) => replace(pool, victim, value),
            None => Err(pool.refuse(value)),
        },
    }
}

/// Removes one object from a full pool and inserts another.
#[inline]
#[track_caller]
pub fn replace<P: Bounded>(
    pool: &mut P,
    victim: P::Handle,
    value: P::Value,
) -> Result<Inserted<P>, Full<P::Value>> {
    let evicted = pool.evict(victim).map(|evicted| (victim, evicted));
    let handle = pool.insert_if_room(value).map_err(|value| pool.refuse(value))?;
    Ok((handle, evicted))
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
