/// `insert`, `insert_with`, `vacant_entry`, `insert_or_evict` and `try_insert_or_evict`.
///
/// Needs `insert_if_room(value) -> Result<H, (T, Cause)>`; `next_handle() -> Result<H, Cause>`; `insert_peeked(handle,
/// value)`, at the handle that `next_handle` returned; and `refuse(value, cause) -> Full`. `core` counts refusals.
macro_rules! insert_methods {
    (
        core $core:ident, example $example:literal, full $full:literal,
        cost $cost:literal, error $error:literal
    ) => {
        #[doc = concat!("Moves `value` into a free slot and returns its handle. ", $cost)]
        ///
        /// ```
        #[doc = concat!("# use millpond::*; let mut pool = ", $full, ";")]
        /// let handle = pool.insert("a").unwrap();
        /// let full = pool.insert("b").unwrap_err();
        /// assert_eq!(full.into_inner(), "b");
        /// ```
        ///
        /// # Errors
        ///
        #[doc = concat!($error, " The error returns `value`.")]
        #[doc(alias = "add")]
        #[doc(alias = "alloc")]
        #[doc(alias = "create")]
        #[doc(alias = "spawn")]
        #[must_use = "a full pool returns the value in the error, and ignoring it drops the value"]
        // Always inlined: as a call, the value would be written to the stack piece by piece and read back as a whole
        // before the pieces have arrived, a stall longer than all of the rest.
        #[inline(always)]
        #[track_caller]
        pub fn insert(&mut self, value: T) -> Result<H, crate::reports::errors::Full<T>> {
            self.insert_if_room(value).map_err(|(value, cause)| self.refuse(value, cause))
        }

        /// Inserts the value that `make` returns. `make` receives the value's future handle. If
        /// `make` panics, nothing is inserted (a pool that grows keeps the block that it took).
        ///
        /// ```
        /// # use millpond::*;
        /// struct Node {
        ///     me: Handle<Node>,
        /// }
        #[doc = concat!("let mut nodes = ", $example, ";")]
        /// let handle = nodes.insert_with(|me| Node { me }).unwrap();
        /// assert_eq!(nodes[handle].me, handle);
        /// ```
        ///
        /// # Errors
        ///
        #[doc = concat!($error, " `make` is not called then.")]
        #[doc(alias = "insert_with_key")]
        #[must_use = "a full pool does not call `make`"]
        #[inline]
        #[track_caller]
        pub fn insert_with(
            &mut self,
            make: impl FnOnce(H) -> T,
        ) -> Result<H, crate::reports::errors::Full<()>> {
            match self.next_handle() {
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
        /// fail. Dropping the entry inserts nothing (a pool that grows for it keeps the block).
        ///
        /// ```
        #[doc = concat!("# use millpond::*; let mut pool = ", $full, ";")]
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
        pub fn vacant_entry(&mut self) -> Option<crate::pools::faces::VacantEntry<'_, Self>> {
            match self.next_handle() {
                Ok(handle) => Some(crate::pools::faces::VacantEntry::new(self, handle)),
                Err(_) => {
                    self.$core.count_refusal();
                    None
                }
            }
        }

        crate::pools::shell::evicting_methods!(handle H, full $full, skipped "", |pool, value, key| {
            crate::policies::Policy::insert(&mut crate::policies::EvictLeast(key), pool, value)
        });
    };
}
pub(crate) use insert_methods;

/// `insert_or_evict`, and `try_insert_or_evict` with this body.
macro_rules! evicting_methods {
    (
        handle $handle:ty, full $full:literal, skipped $skipped:literal,
        |$pool:ident, $value:ident, $key:ident| $body:expr
    ) => {
        /// Inserts `value`; if the pool is full, first removes the live object with the smallest
        /// key. Returns the new handle, and the removed object with the handle that it had. Of
        /// objects with equal keys, the one that [`iter`](Self::iter) visits first is removed.
        ///
        /// This is for objects whose loss is noticed least: the quietest of 32 voices, the oldest
        /// bullet hole. `key` is called once per live object; if it panics, the pool is unchanged.
        /// Objects in the last lifetime of their slot are skipped, because that slot retires
        /// afterwards. Wrap floating-point keys in [`Total`](crate::overflow::Total).
        #[doc = $skipped]
        ///
        /// ```
        #[doc = concat!("# use millpond::*; let mut voices = ", $full, "; voices.insert((\"wind\", 5)).unwrap();")]
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
            value: T,
            key: impl FnMut($handle, &T) -> K,
        ) -> ($handle, Option<($handle, T)>) {
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
            value: T,
            key: impl FnMut($handle, &T) -> K,
        ) -> Result<($handle, Option<($handle, T)>), crate::reports::errors::Full<T>> {
            let ($pool, $value, $key) = (self, value, key);
            $body
        }
    };
}
pub(crate) use evicting_methods;

/// `insert_at`, `revive`, and `insert_peeked` for the pool itself. `beyond` makes sure that the handle's slot is there, if it is none of those that are, and near them for an `insert_at`.
/// Needs `storage` and `core`.
macro_rules! insert_at_method {
    (
        example $example:literal, cost $cost:literal, error $error:literal,
        beyond |$pool:ident, $handle:ident, $check:ident, $is_near:ident| $beyond:expr
    ) => {
        /// Inserts `value` at exactly this handle. This is for loading saved objects: handles
        /// inside the saved values stay valid.
        #[doc = $cost]
        ///
        /// The slot continues from the handle's generation. Handles of its earlier lifetimes stay
        /// refused. A generation later than the slot's next is accepted, even if it comes from
        /// another pool or a damaged file; the slot loses the lifetimes in between.
        ///
        /// ```
        #[doc = concat!("# use millpond::*; let mut pool = ", $example, ";")]
        /// let a = pool.insert("a").unwrap();
        /// let b = pool.insert("b").unwrap();
        /// let saved: Vec<_> = pool.iter().map(|(handle, value)| (handle, *value)).collect();
        ///
        #[doc = concat!("let mut loaded = ", $example, ";")]
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
        #[doc = concat!($error, "The error returns `value`.")]
        #[must_use = "a refused handle returns the value in the error, and ignoring it drops the value"]
        #[track_caller]
        pub fn insert_at(
            &mut self,
            handle: H,
            value: T,
        ) -> Result<H, crate::reports::errors::InsertAtError<T>> {
            self.insert_by(crate::slots::Circle::check_begin, true, handle, value)
        }

        crate::pools::shell::revive_method!(handle H, example $example, take "remove", |pool, handle, value| {
            pool.insert_by(crate::slots::Circle::check_revival, false, handle, value)
        });

        /// Inserts at the handle that comes next; the pool is unchanged since it was asked.
        #[inline]
        #[track_caller]
        fn insert_peeked(&mut self, handle: H, value: T) {
            self.core.take_peeked(handle, &mut self.storage);
            self.storage.put(handle.index() as usize, handle.word(), value);
            self.note_origin(handle.index() as usize);
        }

        /// Inserts a value at a handle whose slot may have it by `check`, and is near those that are there, if it must be.
        #[track_caller]
        fn insert_by(
            &mut self,
            check: crate::slots::CheckWord<H::Word>,
            is_near: bool,
            handle: H,
            value: T,
        ) -> Result<H, crate::reports::errors::InsertAtError<T>> {
            let reached = if (handle.index() as usize) < self.capacity() {
                Ok(())
            } else {
                let ($pool, $handle, $check, $is_near) = (&mut *self, handle, check, is_near);
                $beyond
            };
            if reached.is_ok() {
                self.storage.inspect(handle.index() as usize);
            }
            let Self { core, storage, .. } = self;
            match reached.and_then(|()| core.claim(handle, storage, check)) {
                Ok(index) => {
                    self.storage.put(index, handle.word(), value);
                    self.note_origin(index);
                    Ok(handle)
                }
                Err(kind) => Err(crate::reports::errors::InsertAtError { value, kind }),
            }
        }
    };
}
pub(crate) use insert_at_method;

/// `revive` with this body.
macro_rules! revive_method {
    (
        handle $type:ty, example $example:literal, take $take:literal,
        |$pool:ident, $handle:ident, $value:ident| $body:expr
    ) => {
        /// Inserts `value` at the handle of a removed object, which makes the handle valid again.
        /// O(1) amortised. This is for undo, where other objects still hold the handle.
        ///
        /// The slot must not have been used since, so the handle can never name another object. In a
        /// pool with a choice of reuse orders, prefer [`Fifo`](crate::reuse::Fifo), which reuses
        /// slots as late as possible.
        ///
        /// ```
        #[doc = concat!("# use millpond::*; let mut pool = ", $example, ";")]
        /// let handle = pool.insert("lamp").unwrap();
        #[doc = concat!("let lamp = pool.", $take, "(handle).unwrap();")]
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
        #[doc(alias = "reattach")]
        #[must_use = "a refused handle returns the value in the error, and ignoring it drops the value"]
        #[track_caller]
        pub fn revive(
            &mut self,
            $handle: $type,
            $value: T,
        ) -> Result<$type, crate::reports::errors::InsertAtError<T>> {
            let $pool = self;
            $body
        }
    };
}
pub(crate) use revive_method;
