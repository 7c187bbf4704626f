use core::ops::{Deref, Index, IndexMut};

use super::{EvictLeast, EvictOldest, Inserted, Overflow, Policy, Refuse, Spill};
use crate::errors::Full;
use crate::handle::{Handle, HandleLayout};
use crate::reuse::{Lifo, ReuseOrder};
use crate::{BuildError, Pool};

/// Two pools, of which the second may have no slots.
type Pools<T, R, H> = Spill<Pool<T, R, H>, Pool<T, R, H>>;

/// A pool whose overflow policy is chosen at run time, by a table such as a
/// [`Budget`](crate::Budget).
///
/// Looks like a [`Spill`] of two pools, the second of which has no slots unless the policy is to spill.
///
/// ```
/// use millpond::overflow::{Overflow, PolicyPool};
/// use millpond::Pool;
///
/// let policy: Overflow = "evict-least".parse()?;
/// let mut voices = PolicyPool::new(policy, Pool::new(2), Pool::new(0));
/// for (sound, loudness) in [("crickets", 10), ("explosion", 90), ("thunder", 70)] {
///     let (handle, evicted) = voices.insert_by((sound, loudness), |_, voice| voice.1).unwrap();
///     assert_eq!(voices[handle].0, sound);
///     assert_eq!(evicted.is_some(), sound == "thunder");
/// }
/// # Ok::<(), millpond::overflow::UnknownOverflow>(())
/// ```
#[derive(Clone, Debug)]
pub struct PolicyPool<T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    policy: Overflow,
    pools: Pools<T, R, H>,
    /// There if the policy asks for it.
    ages: Option<EvictOldest<H>>,
}

impl<T, R: ReuseOrder, H: HandleLayout> PolicyPool<T, R, H> {
    /// Two empty pools; a second one with slots is for [`Overflow::Spill`].
    ///
    /// # Panics
    ///
    /// Where [`try_new`](Self::try_new) returns an error, and as [`Spill::new`] does.
    #[must_use]
    #[track_caller]
    pub fn new(policy: Overflow, first: Pool<T, R, H>, second: Pool<T, R, H>) -> Self {
        Self::try_new(policy, first, second).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Two empty pools; a second one with slots is for [`Overflow::Spill`].
    ///
    /// # Errors
    ///
    /// If there is no memory for the list that [`EvictOldest`] needs.
    ///
    /// # Panics
    ///
    /// As [`Spill::new`].
    #[track_caller]
    pub fn try_new(
        policy: Overflow,
        first: Pool<T, R, H>,
        second: Pool<T, R, H>,
    ) -> Result<Self, BuildError> {
        let pools = Spill::new(first, second);
        let ages = match policy {
            Overflow::EvictOldest => Some(EvictOldest::try_new(pools.capacity())?),
            _ => None,
        };
        Ok(Self { policy, pools, ages })
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> Overflow {
        self.policy
    }

    /// Inserts; if the pool is full, does what the policy says. The key tells which object's loss is
    /// noticed least, if the policy asks: the one with the smallest.
    ///
    /// # Errors
    ///
    /// If there is no room, and none could be made. The error gives the value back.
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn insert_by<K: Ord>(
        &mut self,
        value: T,
        key: impl FnMut(H, &T) -> K,
    ) -> Result<Inserted<Pools<T, R, H>>, Full<T>> {
        match (self.policy, &mut self.ages) {
            (Overflow::EvictLeast, _) => EvictLeast(key).insert(&mut self.pools, value),
            (_, Some(ages)) => ages.insert(&mut self.pools, value),
            _ => Refuse.insert(&mut self.pools, value),
        }
    }

    /// Moves the value out, unless the handle is refused.
    #[inline]
    pub fn remove(&mut self, handle: H) -> Option<T> {
        self.pools.remove(handle)
    }

    /// The value, to change, unless the handle is refused.
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, handle: H) -> Option<&mut T> {
        self.pools.get_mut(handle)
    }

    /// All handles and values, to change.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (H, &mut T)> {
        self.pools.iter_mut()
    }

    /// Removes the values of which the function says `false`.
    pub fn retain(&mut self, keep: impl FnMut(H, &mut T) -> bool) {
        self.pools.retain(keep);
    }

    /// Removes and drops all values.
    pub fn clear(&mut self) {
        self.pools.clear();
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Deref for PolicyPool<T, R, H> {
    type Target = Pools<T, R, H>;

    fn deref(&self) -> &Self::Target {
        &self.pools
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Index<H> for PolicyPool<T, R, H> {
    type Output = T;

    #[track_caller]
    fn index(&self, handle: H) -> &T {
        &self.pools[handle]
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> IndexMut<H> for PolicyPool<T, R, H> {
    #[track_caller]
    fn index_mut(&mut self, handle: H) -> &mut T {
        &mut self.pools[handle]
    }
}
