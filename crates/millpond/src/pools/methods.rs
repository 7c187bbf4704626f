//! The methods that slot pools and packed pools have in the same words.

/// Implements them for a pool of such values and handles. `example` is the name that examples have for it; `ledger` finds its
/// ledger, and `recorder` what a recorder is set in.
///
/// They call the pool's own: `make_next_handle`, `insert_peeked`, `insert_by` and `refuse` to insert; `check`, `handle_at`, `get_at`,
/// `get_mut` and `index_of` to find; `stats`, `capacity` and `watched`.
macro_rules! pool_methods {
    (
        [$($generics:tt)*] $pool:ty, $value:ty, $handle:ty,
        example: $example:literal,
        ledger: |$own:ident| $ledger:expr,
        recorder: |$recorded:ident| $recorder:expr $(,)?
    ) => {
        impl<$($generics)*> $pool {
            /// Returns the name set on the builder.
            #[must_use]
            pub fn name(&self) -> Option<&'static str> {
                let $own = self;
                $ledger.name()
            }

            /// Returns the first generation of each slot, and the number of lifetimes per slot. O(1).
            #[must_use]
            pub fn generations(&self) -> crate::slots::generations::Generations {
                let $own = self;
                crate::slots::generations::Generations::of(&$ledger.cycle())
            }

            /// Describes `handle` in words: its slot, which lifetime of the slot it names, and whether
            /// it is valid. O(1).
            ///
            /// This is for messages and debuggers: in a pool with a name, the handle's own text does
            /// not show which lifetime it is.
            #[must_use]
            pub fn explain(&self, handle: $handle) -> crate::handle::Explanation {
                let lifetime = self.generations().lifetime(handle.generation());
                crate::handle::Explanation::new(handle, lifetime, self.check(handle))
            }

            /// Inserts the value that `make` returns. `make` receives the value's future handle. If
            /// `make` panics, nothing is inserted (a pool that grows keeps the slots that it took).
            ///
            /// ```
            /// # use millpond::*;
            /// struct Node {
            ///     me: Handle<Node>,
            /// }
            #[doc = concat!("let mut nodes = ", $example, "::new(8);")]
            /// let handle = nodes.insert_with(|me| Node { me }).unwrap();
            /// assert_eq!(nodes[handle].me, handle);
            /// ```
            ///
            /// # Errors
            ///
            /// If the pool is full. `make` is not called then.
            #[doc(alias = "insert_with_key")]
            #[must_use = "a full pool does not call `make`"]
            #[inline]
            #[track_caller]
            pub fn insert_with(
                &mut self,
                make: impl FnOnce($handle) -> $value,
            ) -> Result<$handle, crate::reports::errors::Full<()>> {
                match self.make_next_handle() {
                    Ok(handle) => {
                        let value = make(handle);
                        self.insert_peeked(handle, value);
                        Ok(handle)
                    }
                    Err(cause) => Err(self.refuse((), cause)),
                }
            }

            /// Reserves the slot for the next value, or returns `None` if [`insert`](Self::insert)
            /// would fail. This is for values that contain their own handle and whose construction may
            /// fail. Dropping the entry inserts nothing (a pool that grows for it keeps the slots).
            ///
            /// ```
            #[doc = concat!("# use millpond::*; let mut pool = ", $example, "::new(1);")]
            /// let entry = pool.vacant_entry().unwrap();
            /// let promised = entry.handle();
            /// drop(entry); // nothing was inserted
            /// assert!(!pool.contains(promised));
            ///
            /// let entry = pool.vacant_entry().unwrap();
            /// assert_eq!(entry.handle(), promised);
            /// assert_eq!(entry.insert("value"), promised);
            /// assert!(pool.vacant_entry().is_none());
            /// ```
            #[inline]
            #[track_caller]
            pub fn vacant_entry(&mut self) -> Option<crate::pools::iterators::VacantEntry<'_, Self>> {
                match self.make_next_handle() {
                    Ok(handle) => Some(crate::pools::iterators::VacantEntry::new(self, handle)),
                    Err(cause) => {
                        let _ = self.refuse((), cause);
                        None
                    }
                }
            }

            /// Inserts `value`; if the pool is full, first removes the live object with the smallest
            /// key. Returns the new handle, and the removed object with the handle that it had. Of
            /// objects with equal keys, the one that [`iter`](Self::iter) visits first is removed.
            ///
            /// `value` takes no part in the comparison: it is inserted even if its own key is the smallest.
            /// [`insert_unless_least`](Self::insert_unless_least) refuses it then.
            ///
            /// This is for objects whose loss is noticed least: the quietest of 32 voices, the oldest
            /// bullet hole. `key` is called once per live object; if it panics, the pool is unchanged.
            /// Objects in the last lifetime of their slot are skipped, because that slot retires
            /// afterwards. Wrap floating-point keys in [`Total`](crate::overflow::Total).
            ///
            /// ```
            #[doc = concat!("# use millpond::*; let mut voices = ", $example, "::new(1); voices.insert((\"wind\", 5)).unwrap();")]
            /// let (new, evicted) = voices.insert_or_evict(("thunder", 70), |_, voice| voice.1);
            /// assert_eq!(evicted.unwrap().1, ("wind", 5));
            /// assert_eq!(voices.get(new).unwrap().0, "thunder");
            /// ```
            ///
            /// # Panics
            ///
            /// If no slot is free and no object can be evicted: the capacity is 0, or every live object
            /// is one of those that are skipped.
            /// [`try_insert_or_evict`](Self::try_insert_or_evict) returns an error instead.
            #[track_caller]
            pub fn insert_or_evict<K: Ord>(
                &mut self,
                value: $value,
                key: impl FnMut($handle, &$value) -> K,
            ) -> ($handle, Option<($handle, $value)>) {
                let name = self.name();
                match self.try_insert_or_evict(value, key) {
                    Ok(inserted) => inserted,
                    Err(full) => {
                        let pool = crate::reports::errors::PoolName(name);
                        panic!("{pool} has no object that can be evicted: {full}")
                    }
                }
            }

            /// Like [`insert_or_evict`](Self::insert_or_evict), for pools in which, at times, no
            /// object can be evicted.
            ///
            /// # Errors
            ///
            /// If no slot is free and no object can be evicted. The error returns `value`.
            #[must_use = "a full pool returns the value in the error, and ignoring it drops the value"]
            #[allow(clippy::type_complexity, reason = "the return type of `insert_or_evict`, in a result")]
            #[track_caller]
            pub fn try_insert_or_evict<K: Ord>(
                &mut self,
                value: $value,
                key: impl FnMut($handle, &$value) -> K,
            ) -> Result<($handle, Option<($handle, $value)>), crate::reports::errors::Full<$value>> {
                crate::overflow::evict::insert_or_evict(self, value, key)
            }

            /// Inserts `value`, unless the pool is full and `value` is what matters least. A full pool first removes the live
            /// object with the smallest key, like [`insert_or_evict`](Self::insert_or_evict), but refuses `value` if its own
            /// key is smaller than all others. Of equal keys, `value` has the slot.
            ///
            /// ```
            #[doc = concat!("# use millpond::*; let mut voices = ", $example, "::new(1);")]
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
            #[allow(clippy::type_complexity, reason = "the return type of `insert_or_evict`, in a result")]
            #[track_caller]
            pub fn insert_unless_least<K: Ord>(
                &mut self,
                value: $value,
                key: impl FnMut(&$value) -> K,
            ) -> Result<($handle, Option<($handle, $value)>), crate::reports::errors::Full<$value>> {
                crate::overflow::evict::insert_unless_least(self, value, key)
            }

            /// Inserts `value` at exactly this handle. This is for loading saved objects: handles
            /// inside the saved values stay valid. In a packed pool, the value becomes the last one: those that were saved in the order
            /// of [`iter`](Self::iter) and are loaded in that order keep it.
            ///
            /// O(1) amortised, in every [reuse order](crate::reuse). If the slot does not exist, a pool that grows does so up to
            /// it, unless that takes more than twice the present slots, and more than 4,096 slots: no handle from a damaged file
            /// makes it allocate out of proportion.
            ///
            /// The slot continues from the handle's generation. Handles of its earlier lifetimes stay
            /// refused. A generation later than the slot's next is accepted, even if it comes from
            /// another pool or a damaged file; the slot loses the lifetimes in between.
            ///
            /// ```
            #[doc = concat!("# use millpond::*; let mut pool = ", $example, "::new(8);")]
            /// let a = pool.insert("a").unwrap();
            /// let b = pool.insert("b").unwrap();
            /// let saved: Vec<_> = pool.iter().map(|(handle, value)| (handle, *value)).collect();
            ///
            #[doc = concat!("let mut loaded = ", $example, "::new(8);")]
            /// for (handle, value) in saved.into_iter().rev() {
            ///     loaded.insert_at(handle, value).unwrap();
            /// }
            /// assert_eq!((loaded[a], loaded[b]), ("a", "b"));
            /// ```
            ///
            /// # Errors
            ///
            /// If the slot is out of range, live or retired, has had this lifetime already (unless the pool wraps), or can
            /// never have it.
            /// A slot far beyond those of a pool that grows is [`TooFar`](crate::InsertAtErrorKind::TooFar). After an error, the
            /// pool is as before. The error returns `value`.
            #[must_use = "a refused handle returns the value in the error, and ignoring it drops the value"]
            #[track_caller]
            pub fn insert_at(
                &mut self,
                handle: $handle,
                value: $value,
            ) -> Result<$handle, crate::reports::errors::InsertAtError<$value>> {
                self.insert_by(crate::slots::GenerationCycle::check_begin, true, handle, value)
            }

            /// Inserts `value` at the handle of a removed object, which makes the handle valid again.
            /// O(1) amortised. This is for undo, where other objects still hold the handle.
            ///
            /// The slot must not have been used since, so the handle can never name another object ([`detach`](Self::detach) keeps it). In a
            /// pool with a choice of reuse orders, prefer [`Fifo`](crate::reuse::Fifo), which reuses
            /// slots as late as possible.
            ///
            /// ```
            #[doc = concat!("# use millpond::*; let mut pool = ", $example, "::new(8);")]
            /// let handle = pool.insert("lamp").unwrap();
            /// let lamp = pool.remove(handle).unwrap();
            /// pool.revive(handle, lamp).unwrap(); // undo
            /// assert_eq!(*pool.get(handle).unwrap(), "lamp");
            ///
            /// pool.remove(handle);
            /// pool.insert("chair").unwrap(); // takes the slot
            /// let error = pool.revive(handle, "lamp").unwrap_err();
            /// assert_eq!(error.kind(), InsertAtErrorKind::Occupied);
            /// ```
            ///
            /// # Errors
            ///
            /// If the slot is live, retired or out of range, has been used since, never had this lifetime, or has started
            /// its lifetimes again (in a pool that wraps). The error returns `value`.
            #[must_use = "a refused handle returns the value in the error, and ignoring it drops the value"]
            #[track_caller]
            pub fn revive(
                &mut self,
                handle: $handle,
                value: $value,
            ) -> Result<$handle, crate::reports::errors::InsertAtError<$value>> {
                self.insert_by(crate::slots::GenerationCycle::check_revival, false, handle, value)
            }

            /// The error of a handle whose slot cannot have this value.
            #[cold]
            pub(in crate::pools) fn error_at(
                &self,
                handle: $handle,
                kind: crate::reports::errors::InsertAtErrorKind,
                value: $value,
            ) -> crate::reports::errors::InsertAtError<$value> {
                let lifetime = self.generations().lifetime(handle.generation());
                crate::reports::errors::InsertAtError::new(value, kind, self.name(), handle, lifetime)
            }

            /// Returns the object in slot `index` with its handle, or `None` if the slot is not live.
            /// O(1). This is for indices that come without a generation.
            ///
            /// ```
            #[doc = concat!("# use millpond::*; let mut pool = ", $example, "::new(8);")]
            /// let handle = pool.insert("a").unwrap();
            /// assert_eq!(pool.object_at(0), Some((handle, &"a")));
            /// assert_eq!(pool.object_at(7), None);
            /// ```
            #[doc(alias = "get_by_slot")]
            #[doc(alias = "get_unknown_gen")]
            #[inline]
            #[must_use]
            pub fn object_at(&self, index: usize) -> Option<($handle, &$value)> {
                Some((self.handle_at(index)?, self.get_at(index)?))
            }

            /// Returns the object in slot `index`, mutable, with its handle, or `None` if the slot is
            /// not live. O(1).
            #[inline]
            #[must_use]
            pub fn object_at_mut(&mut self, index: usize) -> Option<($handle, &mut $value)> {
                let handle = self.handle_at(index)?;
                Some((handle, self.get_mut(handle)?))
            }

            /// Returns the handle of `value`, computed from its address. Costs what
            /// [`index_of`](Self::index_of) costs, and returns `None` where `index_of` does.
            ///
            /// ```
            #[doc = concat!("# use millpond::*; let mut pool = ", $example, "::new(8);")]
            /// let handle = pool.insert(5).unwrap();
            /// assert_eq!(pool.handle_of(&pool[handle]), Some(handle));
            /// ```
            #[inline]
            #[must_use]
            pub fn handle_of(&self, value: &$value) -> Option<$handle> {
                self.handle_at(self.index_of(value)?)
            }

            /// Whether this pool has as many slots as the other, and nobody would see that they become those of a clone.
            pub(crate) fn may_stay_for(&self, other: &Self) -> bool {
                let $own = self;
                let is_seen = [self, other].iter().any(|pool| pool.watched().is_some())
                    || $ledger.is_recorded();
                !is_seen && self.capacity() == other.capacity()
            }

            /// Returns the live objects, grouped by the source line that inserted them. O(capacity + live ×
            /// log live); allocates. Returns `None` unless the builder was set to [remember
            /// origins](crate::debug::DebugAids::remember_origins); see [`debug`](crate::debug).
            ///
            /// ```
            #[doc = concat!("use millpond::", $example, ";")]
            /// use millpond::debug::DebugAids;
            ///
            /// let aids = DebugAids::none().remember_origins();
            #[doc = concat!("let mut pool = ", $example, "::builder().capacity(8).debug_aids(aids).build();")]
            /// for value in 0..5 {
            ///     pool.insert(value).unwrap();
            /// }
            /// assert_eq!(pool.live_report().unwrap().origins()[0].count(), 5);
            /// ```
            #[cfg(feature = "debug-aids")]
            #[must_use]
            pub fn live_report(&self) -> Option<crate::reports::debug::LiveReport> {
                self.watched()?.report(self.handles().map(|handle| handle.index() as usize))
            }

            /// Returns the source line that removed the handle's object, the tick, and what lives in its slot now. O(1). Returns
            /// `None` if the object is live, if another one has been removed from the slot since, or unless the builder was set to
            /// [remember removals](crate::debug::DebugAids::remember_removals); see [`debug`](crate::debug).
            ///
            /// ```
            #[doc = concat!("use millpond::", $example, ";")]
            /// use millpond::debug::DebugAids;
            ///
            /// let aids = DebugAids::none().remember_removals();
            #[doc = concat!("let mut pool = ", $example, "::<u8>::builder().capacity(8).debug_aids(aids).build();")]
            /// let bullet = pool.insert(1).unwrap();
            /// assert!(pool.removal_of(bullet).is_none());
            /// pool.clear(); // this line
            /// let removal = pool.removal_of(bullet).unwrap();
            /// assert_eq!(removal.location().file(), file!());
            /// assert!(removal.to_string().ends_with("; nothing lives in slot 0 now"));
            /// ```
            #[cfg(feature = "debug-aids")]
            #[must_use]
            pub fn removal_of(&self, handle: $handle) -> Option<crate::reports::debug::Removal> {
                if self.contains(handle) {
                    return None;
                }
                self.watched()?.removal_of(handle, self.live_in(handle))
            }
        }

        #[cfg(feature = "recorder")]
        impl<$($generics)*> $pool {
            /// Records every birth and death in the recorder's trace from now on, under the pool's name, or else
            /// the name of its value type. Objects that are already live are recorded as if they were inserted now. Clones of the pool are
            /// not recorded.
            ///
            /// ```
            #[doc = concat!("use millpond::", $example, ";")]
            /// use millpond::recorder::Recorder;
            ///
            /// let recorder = Recorder::to_writer(std::io::sink())?;
            #[doc = concat!("let mut pool = ", $example, "::new(8);")]
            /// pool.record(&recorder);
            /// pool.insert('a').unwrap();
            /// pool.stop_recording();
            /// assert_eq!(recorder.finish()?.events, 2);
            /// # Ok::<(), std::io::Error>(())
            /// ```
            pub fn record(&mut self, recorder: &crate::reports::recorder::Recorder) {
                let name = self.name().unwrap_or(crate::reports::recorder::type_name::<$value>());
                let live = self.handles().map(|handle| handle.index() as usize);
                let track = recorder.track_pool(name, self.stats(), live, false);
                let $recorded = self;
                $recorder.set_recorder(Some(track));
            }

            /// Stops recording. In the trace, the lifetimes of the objects that are live now end here.
            pub fn stop_recording(&mut self) {
                let $recorded = self;
                $recorder.set_recorder(None);
            }
        }
    };
}
pub(crate) use pool_methods;
