//! Insertions with `&mut self`: at a given handle, or in place of another object.

use core::sync::atomic::Ordering::Relaxed;

use super::exclusive::Gathered;
use super::{SyncPool, home};
use crate::handle::Handle;
use crate::overflow::evict::least_of;
use crate::reports::errors::{Full, InsertAtError, PoolName};
use crate::slots::{CheckWord, GenerationCycle};

/// The evicted object, with the handle that it had.
type Evicted<T> = Option<(Handle<T>, T)>;

/// Insertions with `&mut self`, like those of a [`Pool`](crate::Pool).
impl<T> SyncPool<T> {
    /// Inserts `value` at exactly this handle, for loading saved objects, like
    /// [`Pool::insert_at`](crate::Pool::insert_at).
    ///
    /// ```
    /// use millpond::SyncPool;
    ///
    /// let pool = SyncPool::new(8);
    /// let handle = pool.insert("saved").unwrap();
    /// let mut loaded = SyncPool::new(8);
    /// loaded.insert_at(handle, "saved").unwrap();
    /// assert_eq!(*loaded.get(handle).unwrap(), "saved");
    /// assert!(loaded.insert_at(handle, "again").is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// If the slot is out of range, taken or retired, has had this lifetime already, or can never
    /// have it. The error returns `value`.
    #[track_caller]
    pub fn insert_at(
        &mut self,
        handle: Handle<T>,
        value: T,
    ) -> Result<Handle<T>, InsertAtError<T>> {
        self.insert_by(GenerationCycle::check_begin, handle, value)
    }

    /// Inserts `value` at the handle of a removed object, which makes the handle valid again, like
    /// [`Pool::revive`](crate::Pool::revive).
    ///
    /// ```
    /// # use millpond::*; let mut pool = SyncPool::new(8);
    /// let handle = pool.insert("lamp").unwrap();
    /// let lamp = pool.take(handle).unwrap();
    /// pool.revive(handle, lamp).unwrap(); // undo
    /// assert_eq!(*pool.get(handle).unwrap(), "lamp");
    /// ```
    ///
    /// # Errors
    ///
    /// If the slot is live, retired or out of range, has been used since, or never had this lifetime. The error returns
    /// `value`.
    #[doc(alias = "reattach")]
    #[must_use = "a refused handle returns the value in the error, and ignoring it drops the value"]
    #[track_caller]
    pub fn revive(&mut self, handle: Handle<T>, value: T) -> Result<Handle<T>, InsertAtError<T>> {
        self.insert_by(GenerationCycle::check_revival, handle, value)
    }

    /// Inserts a value at a handle that its slot may have by `check`.
    #[track_caller]
    fn insert_by(
        &mut self,
        check: CheckWord<Handle<()>>,
        handle: Handle<T>,
        value: T,
    ) -> Result<Handle<T>, InsertAtError<T>> {
        match self.slots().claim_at(handle, check) {
            Ok(slot) => Ok(slot.put(value)),
            Err(kind) => {
                let lifetime = self.generations().lifetime(handle.generation());
                Err(InsertAtError::new(value, kind, self.name(), handle, lifetime))
            }
        }
    }

    /// Inserts `value`; if the pool is full, first removes the live object with the smallest key, like
    /// [`Pool::insert_or_evict`](crate::Pool::insert_or_evict). Objects with owned guards are skipped as well.
    /// `value` takes no part in the comparison; [`insert_unless_least`](Self::insert_unless_least) refuses it if it is the
    /// least.
    ///
    /// # Panics
    ///
    /// If no slot is free and no object can be evicted. [`try_insert_or_evict`](Self::try_insert_or_evict) returns an
    /// error instead.
    #[track_caller]
    pub fn insert_or_evict<K: Ord>(
        &mut self,
        value: T,
        key: impl FnMut(Handle<T>, &T) -> K,
    ) -> (Handle<T>, Evicted<T>) {
        let name = self.name();
        match self.try_insert_or_evict(value, key) {
            Ok(inserted) => inserted,
            Err(full) => panic!("{} has no object that can be evicted: {full}", PoolName(name)),
        }
    }

    /// Like [`insert_or_evict`](Self::insert_or_evict), for pools in which, at times, no object can be evicted.
    ///
    /// # Errors
    ///
    /// If no slot is free and no object can be evicted. The error returns `value`.
    #[must_use = "a full pool returns the value in the error, and ignoring it drops the value"]
    #[track_caller]
    pub fn try_insert_or_evict<K: Ord>(
        &mut self,
        value: T,
        key: impl FnMut(Handle<T>, &T) -> K,
    ) -> Result<(Handle<T>, Evicted<T>), Full<T>> {
        self.insert_evicting(value, |pool, _| pool.least(key, None))
    }

    /// Inserts `value`, unless the pool is full and `value` is what matters least, like
    /// [`Pool::insert_unless_least`](crate::Pool::insert_unless_least). Objects with owned guards are skipped.
    ///
    /// ```
    /// # use millpond::SyncPool; let mut voices = SyncPool::new(1);
    /// voices.insert(("explosion", 90)).unwrap();
    /// let crickets = voices.insert_unless_least(("crickets", 5), |voice| voice.1);
    /// assert_eq!(crickets.unwrap_err().into_inner(), ("crickets", 5));
    /// let (_, evicted) = voices.insert_unless_least(("siren", 95), |voice| voice.1).unwrap();
    /// assert_eq!(evicted.unwrap().1, ("explosion", 90));
    /// ```
    ///
    /// # Errors
    ///
    /// If no slot is free and no object that can be evicted has a key that is at most that of `value`. The error returns
    /// `value`.
    #[must_use = "a full pool returns the value in the error, and ignoring it drops the value"]
    #[track_caller]
    pub fn insert_unless_least<K: Ord>(
        &mut self,
        value: T,
        mut key: impl FnMut(&T) -> K,
    ) -> Result<(Handle<T>, Evicted<T>), Full<T>> {
        self.insert_evicting(value, |pool, value| {
            let newcomer = key(value);
            pool.least(|_, value| key(value), Some(newcomer))
        })
    }

    #[track_caller]
    fn insert_evicting(
        &mut self,
        value: T,
        victim: impl FnOnce(&mut Self, &T) -> Option<Handle<T>>,
    ) -> Result<(Handle<T>, Evicted<T>), Full<T>> {
        let home = home::of_this_thread();
        if let Some(slot) = self.slots().claim(home) {
            return Ok((slot.put(value), None));
        }
        let victim = victim(self, &value);
        let evicted = victim.and_then(|victim| Some((victim, self.take(victim).ok()?)));
        self.slots().evicted.fetch_add(u64::from(evicted.is_some()), Relaxed);
        match self.slots().claim(home) {
            Some(slot) => Ok((slot.put(value), evicted)),
            None => Err(Full { value, pool: self.slots().refuse(home) }),
        }
    }

    /// The object to evict, of those without guards and with keys up to `most`.
    fn least<K: Ord>(
        &mut self,
        mut key: impl FnMut(Handle<T>, &T) -> K,
        most: Option<K>,
    ) -> Option<Handle<T>> {
        let Gathered { slots, occupancy } = self.gather(true);
        let keys = occupancy.iter().filter_map(|index| {
            let handle = slots.handle_at(index)?;
            Some((key(handle, slots.live_value(index)?), handle))
        });
        let keys = keys.filter(|(key, _)| most.as_ref().is_none_or(|most| key <= most));
        least_of(keys, |handle: Handle<T>| slots.cycle.is_last(handle.generation()))
    }
}
