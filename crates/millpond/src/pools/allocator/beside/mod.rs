//! Handles for values that lie beside the slots' words, in the same block of memory, and whose type
//! only the caller knows. The C library stands on this; it is hidden, because nothing else needs
//! it.
//!
//! Invariant: the block was allocated or lent with the layout that the words and the caller's
//! values need together.

#[cfg(feature = "serde")]
mod saved_slots;

#[cfg(feature = "serde")]
pub use saved_slots::SavedSlots;

use core::alloc::Layout;
use core::cell::RefCell;
use core::mem::offset_of;
use core::ptr::NonNull;

use super::{HandleAllocator, HandleAllocatorBuilder};
use crate::handle::{Handle, HandleLayout, Refusal};
use crate::overflow::Lifetimes;
use crate::overflow::evict::least_of;
use crate::pools::iterators::Handles;
use crate::pools::settings::BuildError;
use crate::pools::slot_pool::Slotted;
use crate::pools::unused::OneBlock;
use crate::reports::errors::InsertAtErrorKind;
use crate::slots::reuse::{Lifo, LifoQueue, ReuseOrder};
use crate::slots::{Block, LedgerOf, OwnSlots, SlotWords};
use crate::snapshot::{Checksum, State};

impl<T, R: ReuseOrder, H: HandleLayout> HandleAllocatorBuilder<T, R, H> {
    /// Limits generations to 1 to `max` (at most 32,767), like those of a shorter handle layout.
    #[doc(hidden)]
    pub fn generations_up_to(mut self, max: u16) -> Self {
        self.settings.generations.generation_max = u32::from(max.clamp(1, u16::MAX >> 1));
        self
    }

    /// Returns the layout of a block with the words and, after them, one `value` per slot.
    ///
    /// # Errors
    ///
    /// Same as for [`PoolBuilder::memory_layout`](crate::PoolBuilder::memory_layout).
    #[doc(hidden)]
    pub fn memory_layout_beside(&self, value: Layout) -> Result<Layout, BuildError> {
        self.settings.layout::<R, H>(value)
    }

    /// Builds the allocator in memory that the caller lends. It never allocates. Where all bytes are 0 already (`is_zeroed`), it
    /// leaves the pages untouched, but for those of entries of the reuse order.
    ///
    /// # Errors
    ///
    /// Same as for [`memory_layout_beside`](Self::memory_layout_beside).
    ///
    /// # Safety
    ///
    /// `start` must be the aligned first byte of a block with the layout that
    /// [`memory_layout_beside`](Self::memory_layout_beside) returns, and `is_zeroed` must be true only if all of its bytes are 0.
    /// Nothing else may use the bytes behind the values until the allocator is dropped.
    #[doc(hidden)]
    #[inline(never)]
    pub unsafe fn build_beside(
        self,
        start: NonNull<u8>,
        value: Layout,
        is_zeroed: bool,
    ) -> Result<HandleAllocator<R, H>, BuildError> {
        let slots = self.settings.slots::<R, H::Erased>(value, |slots, value| {
            // SAFETY: as the caller promises.
            unsafe { Block::try_in(start, slots, value, is_zeroed) }
        })?;
        Ok(HandleAllocator::of_unused(slots))
    }
}

impl<R: ReuseOrder, H: HandleLayout> HandleAllocator<R, H> {
    /// Moves to more slots, in memory that the caller lends from now on; the former memory is the caller's again. The
    /// values stay there: moving them is up to the caller. It never allocates.
    ///
    /// # Errors
    ///
    /// If the words of that many slots have no layout. Nothing changes then.
    ///
    /// # Panics
    ///
    /// If there would be fewer slots.
    ///
    /// # Safety
    ///
    /// As for [`build_beside`](HandleAllocatorBuilder::build_beside), of a builder with this number of slots.
    #[doc(hidden)]
    pub unsafe fn grow_beside(
        &mut self,
        start: NonNull<u8>,
        slots: usize,
        value: Layout,
    ) -> Result<(), BuildError> {
        let out_of_memory = |_| BuildError::OutOfMemory { capacity: slots };
        let from = self.capacity();
        // SAFETY: as the caller promises.
        let block = unsafe { Block::try_in(start, slots, value, false) };
        self.storage.try_move_up(block.map_err(out_of_memory)?).map_err(out_of_memory)?;
        self.storage.slots_mut().tell_grown(from);
        Ok(())
    }

    /// Like [`check`](Self::check), of an allocator that may get so many slots.
    ///
    /// # Errors
    ///
    /// If the handle is refused.
    #[doc(hidden)]
    pub fn check_up_to(&self, slots_max: usize, handle: H) -> Result<(), Refusal> {
        let (words, index) = (self.storage.words(), handle.index() as usize);
        let unused = || (index < slots_max).then(|| words.unused_word());
        self.storage.slots().ledger().check_word(
            handle.erase(),
            words.get(index).or_else(unused),
            words.counters(),
        )
    }

    /// Checks that [`acquire_at`](Self::acquire_at) would accept the handle of a slot once the allocator gets it.
    ///
    /// # Errors
    ///
    /// Those of `acquire_at`.
    #[doc(hidden)]
    pub fn check_begin_beyond(&self, handle: H) -> Result<(), InsertAtErrorKind> {
        let cycle = self.storage.slots().ledger().cycle();
        cycle.check_begin(self.storage.words().unused_word(), handle.word())
    }

    /// Returns where the values begin, in an allocator that was [built
    /// beside](HandleAllocatorBuilder::build_beside) values.
    #[doc(hidden)]
    #[must_use]
    pub fn values_beside(&self) -> NonNull<u8> {
        self.storage.words().place().values_start()
    }

    /// Like [`Pool::checksum_with`](crate::Pool::checksum_with): `add_value` is called with the
    /// slot of each value.
    #[doc(hidden)]
    #[must_use]
    pub fn checksum_beside(&self, add_value: impl Fn(usize, &mut Checksum)) -> u64 {
        // The values are added in slot order.
        let live = RefCell::new(self.occupancy().iter());
        State::sum(self, &|(): &(), sum: &mut Checksum| {
            if let Some(slot) = live.borrow_mut().next() {
                add_value(slot, sum);
            }
        })
    }

    /// Returns the live handle to evict, as [`Pool::insert_or_evict`](crate::Pool::insert_or_evict) chooses it.
    #[doc(hidden)]
    pub fn least<K: Ord>(&self, mut key: impl FnMut(H) -> K) -> Option<H> {
        let keys = self.handles_beside().map(|handle| (key(handle), handle));
        least_of(keys, |handle| self.is_in_last_lifetime(handle))
    }

    /// Returns the first live handle in index order whose slot can be used again.
    #[doc(hidden)]
    pub fn first_evictable(&self) -> Option<H> {
        self.handles_beside().find(|handle| !self.is_in_last_lifetime(*handle))
    }

    /// The live handles, by a walk that writes nothing: a [walk](SlotWords::occupancy_to_walk) like that of
    /// [`handles`](Self::handles) may find out a prefix, which C does not forget when it inserts or removes.
    fn handles_beside(&self) -> Handles<'_, R, H> {
        Handles::new(self.storage.words().as_slice(), self.occupancy())
    }

    /// Like [`release`](Self::release), but counts as an eviction.
    #[doc(hidden)]
    pub fn evict(&mut self, victim: H) -> bool {
        let is_live = self.release(victim);
        if is_live {
            self.storage.slots_mut().count_eviction();
        }
        is_live
    }

    /// Makes room for so many objects to be out of the allocator, so that neither [`detach`](Self::detach) nor
    /// [`take_on`](Self::take_on) takes memory for as many.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    #[doc(hidden)]
    pub fn reserve_detached(&mut self, objects: usize) -> Result<(), BuildError> {
        let capacity = self.capacity();
        let reserved = self.detached.try_reserve_total(objects);
        reserved.map_err(|_| BuildError::OutOfMemory { capacity })
    }

    /// Takes on the state of `other`, without allocating if [there is room](Self::reserve_detached) for what is out of
    /// `other`. Returns `false`, and does nothing, if `other` has another shape: see [`restore`](Self::restore).
    #[doc(hidden)]
    #[must_use]
    pub fn take_on(&mut self, other: &Self) -> bool {
        let is_alike = self.shape() == other.shape();
        if is_alike {
            self.copy_state_from(other);
        }
        is_alike
    }

    /// Returns the number of slots that were ever used; slots from there on were not.
    #[doc(hidden)]
    #[must_use]
    pub fn used_slots(&self) -> usize {
        self.used()
    }

    /// Brings the bitmap of live slots up to date. What this learns about the prefix is forgotten,
    /// because C writes words and bits, but never the prefix.
    #[doc(hidden)]
    pub fn refresh_bitmap(&mut self) {
        self.storage.refresh_and_forget_prefix();
    }
}

/// The offsets in a [`HandleAllocator`] of the numbers that C reads and writes without a call:
/// those of the slots for any order and layout, those of the order for `Lifo` with eight-byte handles.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "each has the name of a field")]
pub struct SlotOffsets {
    pub values: usize,
    pub bits: usize,
    pub slots: usize,
    pub words: usize,
    pub entries: usize,
    pub entry_count: usize,
    pub age_lower: usize,
    pub age_upper: usize,
    pub inserted: usize,
    pub removed: usize,
    pub peak: usize,
    pub retired: usize,
    pub stack_top: usize,
    pub fresh_from: usize,
    pub fresh_until: usize,
    pub slow_from: usize,
    pub used: usize,
    pub start: usize,
}

impl SlotOffsets {
    pub const OF_LIFO: Self = {
        type Words = SlotWords<OneBlock<Lifo, Handle<()>>>;
        type Own = HandleAllocator<Lifo, Handle<()>>;
        type Both = OwnSlots<OneBlock<Lifo, Handle<()>>, LedgerOf<Lifo, Handle<()>>>;
        let slots_at = offset_of!(Own, storage)
            + Slotted::<(), Lifo, Handle<()>, OneBlock<Lifo, Handle<()>>>::SLOTS_OFFSET;
        let words_at = slots_at + Both::WORDS_OFFSET;
        let block = words_at + Words::PLACE_OFFSET;
        let state = block + OneBlock::<Lifo, Handle<()>>::BITMAP_STATE_OFFSET;
        let slow_from = words_at + Words::SLOW_FROM_OFFSET;
        let queue = slots_at + Both::LEDGER_OFFSET + LedgerOf::<Lifo, Handle<()>>::QUEUE_OFFSET;
        let [values, bits, slots, words, entries, entry_count] =
            OneBlock::<Lifo, Handle<()>>::ARRAY_OFFSETS;
        let [age_lower, age_upper] = crate::slots::BitmapState::OFFSETS;
        let [inserted, removed, peak, retired] = Words::COUNTER_OFFSETS;
        let [stack_top, fresh_from, fresh_until] = LifoQueue::OFFSETS;
        Self {
            values: block + values,
            bits: block + bits,
            slots: block + slots,
            words: block + words,
            entries: block + entries,
            entry_count: block + entry_count,
            age_lower: state + age_lower,
            age_upper: state + age_upper,
            inserted: words_at + inserted,
            removed: words_at + removed,
            peak: words_at + peak,
            retired: words_at + retired,
            stack_top: queue + stack_top,
            fresh_from: queue + fresh_from,
            fresh_until: queue + fresh_until,
            slow_from,
            used: words_at + Words::USED_OFFSET,
            start: words_at + Words::START_OFFSET,
        }
    };
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;
    use core::mem::MaybeUninit;

    use super::*;
    use crate::pools::pool::Pool;

    /// All numbers of a pool that an insertion and a removal read or write in turn take as many bytes as a cache line has; those
    /// of slots that were never used follow.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn what_insertions_and_removals_touch_is_adjacent() {
        let of = SlotOffsets::OF_LIFO;
        let arrays = [of.slots, of.values, of.words];
        let numbers = [of.inserted, of.removed, of.slow_from - 4, of.stack_top];
        let adjacent: Vec<usize> = arrays.into_iter().chain(numbers).collect();
        let steps: Vec<usize> = adjacent.windows(2).map(|two| two[1] - two[0]).collect();
        assert_eq!(steps, [8; 6], "one behind the other, 8 bytes each");
        assert_eq!([of.fresh_from, of.fresh_until], [8, 12].map(|bytes| of.stack_top + bytes));
        // The half that says whether the bitmap is synced.
        assert_eq!(of.stack_top + 8 - of.age_upper, 64);
    }

    #[test]
    fn is_a_pool_of_what_lies_beside_it() {
        let value = Layout::new::<[u32; 5]>();
        let builder = HandleAllocator::builder().capacity(100).name("beside").salt(3);
        let layout = HandleAllocator::builder().capacity(100).memory_layout_beside(value).unwrap();
        let pool_layout = Pool::<[u32; 5]>::builder().capacity(100).memory_layout().unwrap();
        assert_eq!(layout, pool_layout);
        let mut memory: Vec<MaybeUninit<u64>> = Vec::new();
        memory.resize(layout.size() / 8 + 1 + layout.align() / 8, MaybeUninit::uninit());
        let start = memory.as_mut_ptr().cast::<u8>();
        // SAFETY: there are as many bytes more as an alignment has.
        let start = unsafe { start.add(start.align_offset(layout.align())) };
        let start = NonNull::new(start).unwrap();
        // SAFETY: the memory is as the layout says, and lives longer than the allocator.
        let mut handles = unsafe { builder.build_beside(start, value, false) }.unwrap();
        let mut pool = Pool::<[u32; 5]>::builder().capacity(100).name("beside").salt(3).build();
        assert_eq!(handles.values_beside(), start);
        for step in 0..300_u32 {
            if step % 3 < 2 {
                let made = handles.acquire().map(|handle| (handle.index(), handle.generation()));
                let other = pool.insert([step; 5]).ok();
                assert_eq!(made, other.map(|handle| (handle.index(), handle.generation())));
            } else if let Some(handle) = handles.handle_at(step as usize / 4) {
                assert!(handles.release(handle));
                let same = pool.handle_at(step as usize / 4).unwrap();
                assert!(pool.remove(same).is_some());
            }
        }
        let sum = handles.checksum_beside(|slot, sum| sum.add(pool.get_at(slot).unwrap()));
        assert_eq!(sum, pool.checksum());
        let least = handles.least(|handle| core::cmp::Reverse(handle.index())).unwrap();
        assert_eq!(Some(least.index() as usize), pool.occupancy().iter().last());
        assert!(handles.evict(least) && !handles.evict(least));
        assert_eq!(handles.stats().evicted, 1);
        let mut other = HandleAllocator::builder().capacity(100).name("beside").salt(3).build();
        assert!(other.take_on(&handles));
        assert_eq!(other.checksum(), handles.checksum());
        assert_eq!(other.used_slots(), handles.used_slots());
        assert!(!HandleAllocator::new(100).take_on(&handles));
    }

    /// The same steps as in a `VecPool`, with each order: handles, occupancy and what is found broken.
    fn grows_like_a_vec_pool<R: ReuseOrder>() {
        use crate::VecPool;

        fn lent(layout: Layout, memory: &mut Vec<Vec<MaybeUninit<u64>>>) -> NonNull<u8> {
            let mut block = Vec::new();
            block.resize(layout.size() / 8 + 1 + layout.align() / 8, MaybeUninit::uninit());
            let start = block.as_mut_ptr().cast::<u8>();
            memory.push(block);
            // SAFETY: there are as many bytes more as an alignment has.
            NonNull::new(unsafe { start.add(start.align_offset(layout.align())) }).unwrap()
        }
        let value = Layout::new::<[u32; 5]>();
        let builder = |slots| {
            HandleAllocator::builder().capacity(slots).reuse(R::default()).name("grown").salt(7)
        };
        let mut memory = Vec::new();
        let layout = |slots| builder(slots).memory_layout_beside(value).unwrap();
        let start = lent(layout(0), &mut memory);
        // SAFETY: as above.
        let mut handles = unsafe { builder(0).build_beside(start, value, false) }.unwrap();
        let mut pool =
            VecPool::<[u32; 5]>::builder().reuse(R::default()).name("grown").salt(7).build();
        for step in 0..900_usize {
            if step % 5 < 3 {
                let expected = pool.push([0; 5]);
                if handles.is_full() {
                    let slots = pool.capacity();
                    let start = lent(layout(slots), &mut memory);
                    // SAFETY: as above.
                    unsafe { handles.grow_beside(start, slots, value) }.unwrap();
                    assert_eq!(handles.values_beside(), start);
                }
                let made = handles.acquire().unwrap();
                assert_eq!(made.to_bits(), expected.to_bits(), "{step}");
            } else if let Some(handle) = handles.handle_at(step * 7 % pool.capacity()) {
                assert!(handles.release(handle));
                pool.remove(Handle::from_bits(handle.to_bits()).unwrap()).unwrap();
            }
            if step % 97 == 0 {
                handles.storage.refresh();
            }
            assert_eq!(handles.capacity(), pool.capacity());
            #[cfg(feature = "validate")]
            handles.validate().unwrap();
        }
        assert!(handles.occupancy().iter().eq(pool.occupancy().iter()));
    }

    #[test]
    fn what_lies_beside_values_grows_like_a_vec_pool() {
        use crate::slots::reuse::{Fifo, LowestFirst, Roster};
        grows_like_a_vec_pool::<Lifo>();
        grows_like_a_vec_pool::<Fifo>();
        grows_like_a_vec_pool::<LowestFirst>();
        grows_like_a_vec_pool::<Roster>();
    }

    #[test]
    fn only_slots_that_were_used_are_counted_as_used() {
        let mut slots: HandleAllocator = HandleAllocator::new(9);
        assert_eq!(slots.used_slots(), 0);
        let handles = [0; 5].map(|_| slots.acquire().unwrap());
        handles.iter().for_each(|handle| assert!(slots.release(*handle)));
        assert_eq!(slots.used_slots(), 5, "dead or alive");
    }

    #[test]
    fn the_first_slot_that_can_be_used_again_is_evicted() {
        let mut slots: HandleAllocator =
            HandleAllocator::builder().capacity(3).lifetimes(2).build();
        assert_eq!(slots.first_evictable(), None);
        let first = slots.acquire().unwrap();
        assert_eq!(slots.first_evictable(), Some(first));
        slots.release(first);
        let again = slots.acquire().unwrap();
        assert_eq!((again.index(), slots.first_evictable()), (0, None), "its last lifetime");
        let second = slots.acquire().unwrap();
        slots.acquire().unwrap();
        assert_eq!(slots.first_evictable(), Some(second));
    }

    #[test]
    fn generations_are_limited_to_those_of_a_shorter_layout() {
        let lifetimes = |max| {
            let builder = HandleAllocator::builder().capacity(1).generations_up_to(max);
            let slots: HandleAllocator = builder.build();
            slots.generations().lifetimes_max()
        };
        let longest = (1 << 15) - 1;
        let expected = [1, 1, 5, longest - 1, longest, longest, longest];
        let asked = [0, 1, 5, 32_766, 32_767, 32_768, u16::MAX];
        assert_eq!(asked.map(lifetimes), expected);
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn what_an_insertion_and_a_removal_touch_in_a_pool_is_no_more_than_a_cache_line() {
        let offsets = SlotOffsets::OF_LIFO;
        // A pool has no watch between its words and its order.
        let top = offsets.stack_top - size_of::<Option<crate::reports::debug::Watch>>();
        let touched = offsets.age_upper..top + size_of::<isize>();
        let SlotOffsets { slots, values, words, inserted, removed, slow_from, .. } = offsets;
        assert!(
            [slots, values, words, inserted, removed, slow_from]
                .iter()
                .all(|at| touched.contains(at))
        );
        assert!(touched.len() <= 64, "{touched:?}");
    }

    /// C changes words and bits, but no prefix: what is known of it must be forgotten.
    #[test]
    fn a_fresh_bitmap_says_nothing_of_a_prefix() {
        let mut slots: HandleAllocator = HandleAllocator::new(100);
        (0..70).for_each(|_| _ = slots.acquire().unwrap());
        // The second one finds that nothing has changed.
        slots.storage.refresh();
        slots.storage.refresh();
        assert_eq!(slots.storage.slots_mut().broken().prefix(), Some(70));
        slots.refresh_bitmap();
        assert_eq!(slots.storage.slots_mut().broken().prefix(), None);
        assert_eq!(slots.occupancy().iter().count(), 70);
    }

    /// Nor does a search, which finds out as much as a walk over a shared pool.
    #[test]
    fn a_search_for_a_victim_says_nothing_of_a_prefix() {
        for is_fresh in [false, true] {
            let mut slots: HandleAllocator = HandleAllocator::new(100);
            let first = slots.acquire().unwrap();
            (1..70).for_each(|_| _ = slots.acquire().unwrap());
            if is_fresh {
                slots.refresh_bitmap();
            }
            for _ in 0..3 {
                assert_eq!(slots.least(|handle| handle.index()), Some(first));
                assert_eq!(slots.first_evictable(), Some(first));
                assert_eq!(slots.storage.slots_mut().broken().prefix(), None);
            }
        }
    }
}
