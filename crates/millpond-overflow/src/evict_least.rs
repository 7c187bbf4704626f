use core::fmt;

use millpond::__parts::{insert_or_evict, insert_unless_least};
use millpond::Full;
use millpond::overflow::{Bounded, Inserted};

use crate::Policy;

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
/// use millpond::PackedPool;
/// use millpond_overflow::{EvictLeast, Policy};
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
        insert_or_evict(pool, value, &mut self.0)
    }
}

/// An overflow policy: a full pool evicts the live object with the smallest key, like [`EvictLeast`], but refuses the
/// new value if its own key is smaller than all others. Of equal keys, the new value has the slot.
///
/// The key function gets only the value, because the new one has no handle yet. It is called once for that one and once
/// per live object, when the pool is full. The pools' `insert_unless_least` does the same as this policy.
///
/// ```
/// use millpond::Pool;
/// use millpond_overflow::{EvictLesser, Policy};
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
