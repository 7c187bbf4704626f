//! Objects that are out of the pool for a while, and keep their slots.

use crate::handle::{HandleLayout, Word};
use crate::pools::slot_pool::{Growth, PoolPlace, SlotPool};
use crate::reports::errors::InsertAtError;
use crate::slots::reuse::ReuseOrder;

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>>
    SlotPool<T, G, R, H, P>
{
    /// Moves the handle's value out and keeps its slot for it, or returns `None` if the handle is refused. This is for an
    /// object whose code changes the pool that it is in: detach it, call its code with the pool, and
    /// [`reattach`](Self::reattach) it. O(1), plus O(detached objects). The pool lists its detached objects: the first call
    /// allocates the list, and a call with more objects out than ever before may let it grow. (Insertions and removals of a
    /// fixed pool allocate nothing.)
    ///
    /// Until then `handle` is refused as if stale, iteration skips the slot, [`len`](Self::len) does not count it, and no
    /// insertion takes it. The statistics count it as retired, the object as removed, and as inserted when it comes back; a
    /// recorder sees neither. If the object does not come back, for example because its code panics, call
    /// [`free_detached`](Self::free_detached): otherwise the slot is lost.
    ///
    /// [`clear`](Self::clear), `drain` and `retain` leave such slots alone. A snapshot has them, and going back to it makes
    /// them what they were. A pool with a detached object cannot be serialised.
    ///
    /// ```
    /// use millpond::{Handle, Pool};
    ///
    /// struct Ship {
    ///     on_update: fn(Handle<Ship>, &mut Ship, &mut Pool<Ship>),
    ///     boats: u32,
    /// }
    /// fn launch(_: Handle<Ship>, ship: &mut Ship, fleet: &mut Pool<Ship>) {
    ///     ship.boats -= 1;
    ///     fleet.insert(Ship { on_update: |_, _, _| (), boats: 0 }).unwrap();
    /// }
    /// let mut fleet = Pool::new(8);
    /// let flagship = fleet.insert(Ship { on_update: launch, boats: 3 }).unwrap();
    ///
    /// let mut ship = fleet.detach(flagship).unwrap();
    /// (ship.on_update)(flagship, &mut ship, &mut fleet);
    /// fleet.reattach(flagship, ship).map_err(|error| error.kind())?;
    /// assert_eq!((fleet.len(), fleet[flagship].boats), (2, 2));
    /// # Ok::<(), millpond::InsertAtErrorKind>(())
    /// ```
    #[doc(alias = "take_reserve")]
    #[must_use = "the value is dropped, and its slot is lost unless another one is reattached"]
    #[track_caller]
    pub fn detach(&mut self, handle: H) -> Option<T> {
        self.note_removal(handle);
        if !self.contains(handle) {
            return None;
        }
        let index = handle.index() as usize;
        let Self { storage, detached, .. } = self;
        detached.add(handle.index(), handle.generation());
        let value = storage.take(index, H::Word::RETIRED);
        storage.slots_mut().detach(index);
        value
    }

    /// Puts `value` into the slot of a [detached](Self::detach) object: that object, or another one in its place. The handle
    /// is valid again. O(1), plus O(detached objects).
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(1);
    /// let lamp = pool.insert("lamp").unwrap();
    /// let value = pool.detach(lamp).unwrap();
    /// assert!(!pool.contains(lamp) && pool.insert("chair").is_err()); // the slot is kept
    /// pool.reattach(lamp, value).unwrap();
    /// assert_eq!(pool[lamp], "lamp");
    /// assert_eq!(pool.reattach(lamp, "lamp").unwrap_err().kind(), InsertAtErrorKind::Occupied);
    /// ```
    ///
    /// # Errors
    ///
    /// If no object with this handle is detached: its slot is live or out of range, or the object was removed, has come back
    /// already, or was never in this pool. The error returns `value`.
    #[doc(alias = "put_back")]
    #[must_use = "a refused handle returns the value in the error, and ignoring it drops the value"]
    #[track_caller]
    pub fn reattach(&mut self, handle: H, value: T) -> Result<H, InsertAtError<T>> {
        let index = handle.index() as usize;
        let Self { storage, detached, .. } = self;
        if detached.has(handle.index(), handle.generation()) {
            storage.inspect(index);
        }
        match detached.reattach(handle, storage.words().get(index)) {
            Ok(()) => {
                storage.slots_mut().reattach(handle.erase());
                storage.put(index, handle.word(), value);
                Ok(handle)
            }
            Err(kind) => Err(self.error_at(handle, kind, value)),
        }
    }

    /// Frees the slot of a [detached](Self::detach) object, which will not come back: every copy of `handle` is stale for
    /// ever. Returns whether such an object was detached. O(1), plus O(detached objects).
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(1);
    /// let lamp = pool.insert("lamp").unwrap();
    /// drop(pool.detach(lamp).unwrap());
    /// assert!(pool.free_detached(lamp));
    /// assert!(!pool.free_detached(lamp));
    /// assert!(pool.insert("chair").is_ok() && !pool.contains(lamp));
    /// ```
    #[doc(alias = "forget_ticket")]
    pub fn free_detached(&mut self, handle: H) -> bool {
        let is_detached = self.detached.take(handle.index(), handle.generation());
        if is_detached {
            self.storage.slots_mut().end_detached(handle.erase());
        }
        is_detached
    }

    /// Returns the handles of the [detached](Self::detach) objects, in index order.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(2);
    /// let [lamp, chair] = ["lamp", "chair"].map(|thing| pool.insert(thing).unwrap());
    /// drop(pool.detach(chair));
    /// assert_eq!(pool.detached().collect::<Vec<_>>(), [chair]);
    /// ```
    pub fn detached(&self) -> impl ExactSizeIterator<Item = H> + '_ {
        self.detached.handles()
    }
}
