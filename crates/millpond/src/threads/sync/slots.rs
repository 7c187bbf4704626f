//! The slots of a shared pool: the unsafe code of [`SyncPool`](super::SyncPool) and its guards.
//!
//! # Invariants
//!
//! 1. A slot's free bit is set only while its word is dead and it has no value. The thread that clears the bit
//!    owns the slot until it stores a live word or sets the bit.
//! 2. While the word is not dead, or is orphaned, the slot has a value, which is not written or moved while the word
//!    counts a guard or can get one: any thread can add a guard to a live word, only existing guards can add one to
//!    other words.
//! 3. Exactly one thread brings a word to "doomed, no guards": that of a removal without guards, or that of the last
//!    guard. It owns the slot from then on, and a guard that was not the last no longer accesses the slots. If the pool
//!    defers drops, no thread owns the slot until `settle`, or the pool's end. A pool that closes makes the words of
//!    values with guards *orphaned*: the last guard owns the slot, deferred or not.
//! 4. `shares` counts the slots that are still reachable, and the pool. When the pool closes, it gives up its own share
//!    and those of unreachable slots; before that, it sets the free bits of the others. So if a thread frees a slot and
//!    finds its bit already set, the pool is closed, and the thread gives up the slot's share. The last share frees the
//!    memory.
//! 5. Exclusive access (`&mut` to the pool) means: no other thread claims, gets or removes. Owned guards may still be
//!    cloned, dropped and read through.

use alloc::boxed::Box;
use core::mem::MaybeUninit;
use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::Ordering::Relaxed;

use super::atomics::{AtomicU32, AtomicU64, AtomicUsize, Cell, fence};
use super::free::{FreeSlots, WORD_SLOTS, update};
use super::word::{GUARDS_MAX, Word};
use super::{TakeError, order};
use crate::base::lines::Lines;
use crate::base::memory::OutOfMemory;
use crate::handle::{self, Explanation, Handle, Refusal};
use crate::pools::settings::Settings;
use crate::reports::debug::Watch;
use crate::reports::errors::{FullPool, PoolName};
use crate::reports::recorder::{SharedTrack, Track};
use crate::reports::recorder_hook::report;
use crate::reports::stats::Stats;
use crate::slots::AnyCycle;
use crate::slots::generations::Generations;

/// What a pool and its guards share.
pub(super) struct SharedSlots<T> {
    pub(super) free: FreeSlots,
    /// They and the values begin on lines of their own. So the slots whose bits share a word share
    /// no line with others: of words they have eight lines, of values one for each byte of a value.
    pub(super) words: Lines<AtomicU64>,
    pub(super) values: Lines<Cell<MaybeUninit<T>>>,
    pub(super) cycle: AnyCycle,
    pub(super) name: Option<&'static str>,
    /// Removed values stay until `settle`.
    pub(super) defers: bool,
    /// The number of doomed slots.
    pub(super) doomed: Apart<AtomicU32>,
    pub(super) retired: AtomicU32,
    /// The largest number of live slots that any call has seen.
    pub(super) peak: AtomicU32,
    /// The number of insertions minus what the words show, an `i64`: one more for each revival, one
    /// fewer for each lifetime that a claim of a later one has skipped.
    unshown: AtomicU64,
    /// The number of evicted objects.
    pub(super) evicted: AtomicU64,
    /// Invariant 4.
    shares: AtomicUsize,
    pub(super) recorder: SharedTrack,
    pub(super) watch: Option<Watch>,
}

/// What threads write occasionally, away from what all of them read.
#[repr(align(128))]
pub(super) struct Apart<V>(pub(super) V);

// SAFETY: through a shared reference, values are moved in, read through guards and dropped, on any
// thread, which needs `Send` and `Sync`. The invariants say which thread may do so when.
unsafe impl<T: Send + Sync> Sync for SharedSlots<T> {}
// SAFETY: only values may belong to the thread that created it.
unsafe impl<T: Send> Send for SharedSlots<T> {}

/// The result of dooming an object.
pub(super) enum Doom {
    /// Its handle is refused.
    Refused,
    /// It is doomed, and its value stays for its guards, or for `settle`.
    Stays,
    /// It is doomed, and this thread owns the slot with this index and the value in it (invariant 3).
    Owned(usize),
}

impl<T> SharedSlots<T> {
    /// This many slots that are all free, in the first lifetime of this cycle, and otherwise as the builder says.
    pub(super) fn try_new(
        settings: &Settings,
        homes: usize,
        defers: bool,
        capacity: usize,
        cycle: AnyCycle,
    ) -> Result<Self, OutOfMemory> {
        let name = settings.generations.name;
        let vacant = Word::dead(cycle.start() | 1 << 31).to_bits();
        let slots = Self {
            free: FreeSlots::try_new(capacity, homes)?,
            words: Lines::from_fn(capacity, |_| AtomicU64::new(vacant))?,
            values: uninitialised(capacity)?,
            cycle,
            name,
            defers,
            doomed: Apart(AtomicU32::new(0)),
            retired: AtomicU32::new(0),
            peak: AtomicU32::new(0),
            unshown: AtomicU64::new(0),
            evicted: AtomicU64::new(0),
            // No more than 2^32 slots, so the sum is no more than a `usize` has room for.
            shares: AtomicUsize::new(capacity + 1),
            recorder: SharedTrack::new(),
            watch: Watch::try_new(name, settings.debug_aids, capacity)?,
        };
        if slots.watch.is_some() {
            (0..capacity).for_each(|index| slots.mark_dead(index));
        }
        Ok(slots)
    }

    /// Reports an event, if the pool is recorded.
    #[inline(always)]
    pub(super) fn report(&self, event: impl FnOnce(&Track)) {
        report(self.recorder.get(), event);
    }

    pub(super) fn capacity(&self) -> usize {
        self.words.len()
    }

    /// The current word, for reading only.
    #[inline]
    pub(super) fn word(&self, index: usize) -> Option<Word> {
        self.words.get(index).map(|word| Word::from_bits(word.load(Relaxed)))
    }

    /// Retires a slot whose bit this thread has cleared, because it has no generation left: its bit
    /// stays cleared.
    #[cold]
    pub(super) fn retire(&self, index: usize) {
        self.words[index].store(Word::RETIRED.to_bits(), Relaxed);
        self.retired.fetch_add(1, Relaxed);
        self.report(Track::retired);
    }

    /// Counts another guard, if the handle is valid.
    #[inline]
    pub(super) fn add_guard(&self, handle: Handle<T>) -> bool {
        let Some(at) = self.words.get(handle.index() as usize) else { return false };
        let guarded = |seen| {
            let word = Word::from_bits(seen);
            word.is_live_in(handle.generation()).then(|| self.with_guard(handle.index(), word))
        };
        update(at, order::add_guard(), guarded).is_ok()
    }

    /// Counts another guard of the value in this slot.
    ///
    /// # Safety
    ///
    /// The caller has a guard of it.
    pub(super) unsafe fn add_another_guard(&self, index: usize) {
        // The existing guard keeps the value; nothing is handed over.
        let _ = update(&self.words[index], Relaxed, |seen| {
            debug_assert!(Word::from_bits(seen).guards() > 0);
            Some(self.with_guard(index as u32, Word::from_bits(seen)))
        });
    }

    #[inline]
    fn with_guard(&self, index: u32, word: Word) -> u64 {
        if word.guards() == GUARDS_MAX {
            self.too_many_guards(handle::kept(index as usize, word.generation()));
        }
        word.with_guard().to_bits()
    }

    #[cold]
    #[inline(never)]
    fn too_many_guards(&self, handle: Handle<T>) -> ! {
        panic!("{}: {handle} has {GUARDS_MAX} guards, and no room for another", PoolName(self.name))
    }

    /// The value of a slot.
    ///
    /// # Safety
    ///
    /// Until the reference is last used, the word counts a guard of the caller's, or the caller has exclusive
    /// access and the word is live.
    #[inline]
    pub(super) unsafe fn value(&self, index: usize) -> &T {
        self.values[index].with(|value| {
            // SAFETY: there is a value, and it is not written (invariant 2).
            unsafe { &*value.cast::<T>() }
        })
    }

    /// A pointer to the value of a slot.
    #[cfg(all(test, loom))]
    pub(super) fn pointer(&self, index: usize) -> *mut T {
        self.values[index].with_mut(|value| value.cast())
    }

    /// A pointer to the values of all slots, an array.
    pub(super) fn first_value(&self) -> NonNull<T> {
        // A `Cell` has the layout of what is in it, and lets it be written. (One of loom has not: no model uses this.)
        NonNull::from(&*self.values).cast()
    }

    /// Removes the object, or dooms it and leaves the removal to the last guard. Returns `false` if
    /// the handle is refused.
    #[inline]
    pub(super) fn remove(&self, handle: Handle<T>) -> bool {
        match self.doom(handle) {
            Doom::Refused => false,
            Doom::Stays => true,
            Doom::Owned(index) => {
                // This thread has doomed a value without guards (invariant 3).
                Owned { slots: NonNull::from(self), index }.end();
                true
            }
        }
    }

    /// Dooms the object.
    #[inline]
    pub(super) fn doom(&self, handle: Handle<T>) -> Doom {
        let index = handle.index() as usize;
        let Some(at) = self.words.get(index) else { return Doom::Refused };
        // A guess that is correct unless the value has guards or the handle is stale: reading first
        // would fetch the line for reading, and the exchange would fetch it again for writing.
        let mut seen = Word::live(handle.generation()).to_bits();
        loop {
            let word = Word::from_bits(seen);
            if !word.is_live_in(handle.generation()) {
                return Doom::Refused;
            }
            let stays = word.guards() > 0 || self.defers;
            if stays {
                // Before any thread can see it doomed and decrement the count.
                self.doomed.0.fetch_add(1, Relaxed);
            }
            let doomed = word.doomed().to_bits();
            match at.compare_exchange_weak(seen, doomed, order::doom(), Relaxed) {
                Ok(_) if stays => return Doom::Stays,
                Ok(_) => return Doom::Owned(index),
                Err(now) => {
                    seen = now;
                    if stays {
                        self.doomed.0.fetch_sub(1, Relaxed);
                    }
                }
            }
        }
    }

    /// Moves the value out, unless the handle is stale or the value has guards.
    #[inline]
    pub(super) fn take(&self, handle: Handle<T>) -> Result<T, TakeError> {
        let index = handle.index() as usize;
        let at = self.words.get(index).ok_or(TakeError::Stale)?;
        let is_live = |seen| Word::from_bits(seen).is_live_in(handle.generation());
        let doomed = |seen| {
            let word = Word::from_bits(seen);
            (is_live(seen) && word.guards() == 0).then(|| word.doomed().to_bits())
        };
        if let Err(seen) = update(at, order::doom(), doomed) {
            return Err(if is_live(seen) { TakeError::Busy } else { TakeError::Stale });
        }
        let value = self.values[index].with_mut(|value| {
            // SAFETY: this thread has doomed a value without guards, so it owns the slot (invariant
            // 3), and there is a value (2), which is no longer accessed.
            unsafe { value.cast::<T>().read() }
        });
        drop(Owned { slots: NonNull::from(self), index });
        Ok(value)
    }

    /// Counts one guard less. The last guard of a doomed value ends it, and may free the memory.
    ///
    /// # Safety
    ///
    /// The caller has a guard of this slot, and no longer uses it; `slots` is not used after this
    /// unless the pool or another guard exists.
    #[inline]
    pub(super) unsafe fn drop_guard(slots: NonNull<Self>, index: usize) {
        // SAFETY: the guard keeps the slots (invariant 4), up to the `fetch_sub`. The reference is not used after it.
        let this = unsafe { slots.as_ref() };
        let (at, defers) = (&this.words[index], this.defers);
        let word = Word::from_bits(at.fetch_sub(Word::ONE_GUARD, order::drop_guard()));
        debug_assert!(word.guards() > 0);
        // From here on, the slots may be gone unless this thread owns this slot.
        if word.guards() == 1 && (word.is_orphaned() || (word.is_doomed() && !defers)) {
            // This was the last guard of a doomed value (invariant 3).
            Owned { slots, index }.end_after_guards();
        }
    }

    /// Makes the word of a slot that this thread owns that of a free slot; returns where its bit
    /// is.
    #[inline]
    pub(super) fn prepare_free(&self, index: usize) -> NonNull<AtomicU64> {
        let at = &self.words[index];
        let generation = Word::from_bits(at.load(Relaxed)).generation();
        self.report(move |track| track.death(index as u32));
        self.mark_dead(index);
        at.store(Word::dead(self.cycle.word_after(generation)).to_bits(), Relaxed);
        NonNull::from(self.free.word_of(index))
    }

    /// Gives up shares of the memory, and frees it with the last.
    ///
    /// # Safety
    ///
    /// The shares belong to the caller; `slots` is not used after this.
    pub(super) unsafe fn leave(slots: NonNull<Self>, shares: usize) {
        // SAFETY: the caller's shares keep the memory.
        let left = unsafe { slots.as_ref() }.shares.fetch_sub(shares, order::leave());
        if left == shares {
            // To loom, a write: after all that was ever done to a value.
            #[cfg(all(test, loom))]
            // SAFETY: this was the last share.
            unsafe { slots.as_ref() }.values.iter().for_each(|value| value.with_mut(|_| ()));
            // SAFETY: the slots were put into a box by `SyncPool`, and this was the last share.
            drop(unsafe { Box::from_raw(slots.as_ptr()) });
        }
    }
}

/// A slot that this thread owns since its value was doomed and had no guards (invariant 3), with the slot's share of the
/// memory. Dropping it frees the slot; its value is moved out or dropped before. The slots are not used after this unless
/// the pool or a guard of another slot exists.
struct Owned<T> {
    slots: NonNull<SharedSlots<T>>,
    index: usize,
}

impl<T> Owned<T> {
    /// Drops the value. If that panics, the slot is freed all the same.
    #[inline]
    fn end(self) {
        // SAFETY: there is a value (invariant 2), and this thread owns the slot.
        unsafe { self.drop_value(self.index) };
    }

    /// The same, after this thread has dropped the last guard of the value.
    #[cold]
    #[inline(never)]
    fn end_after_guards(self) {
        // ThreadSanitizer knows no fences: for it, a load that sees the same.
        match cfg!(millpond_tsan) {
            true => _ = self.words[self.index].load(order::last_guard()),
            false => fence(order::last_guard()),
        }
        self.doomed.0.fetch_sub(1, Relaxed);
        self.end();
    }
}

impl<T> Deref for Owned<T> {
    type Target = SharedSlots<T>;

    #[inline]
    fn deref(&self) -> &SharedSlots<T> {
        // SAFETY: the slot's share is not given up yet (invariant 4).
        unsafe { self.slots.as_ref() }
    }
}

impl<T> Drop for Owned<T> {
    #[inline]
    fn drop(&mut self) {
        let bits = self.prepare_free(self.index);
        let bit = 1 << (self.index % WORD_SLOTS);
        // SAFETY: the slot's share is not given up yet (invariant 4); from here on the pool may be gone with its memory.
        let old = unsafe { bits.as_ref() }.fetch_or(bit, order::give_back());
        if old & bit != 0 {
            // SAFETY: the pool is gone and left the slot's share to this thread (invariant 4).
            unsafe { SharedSlots::leave(self.slots, 1) };
        }
    }
}

/// Queries that are possible at any time.
impl<T> SharedSlots<T> {
    /// The number of live values; exact while no thread changes it.
    pub(super) fn len(&self) -> usize {
        let gone = self.free.count() + self.retired() + self.doomed.0.load(Relaxed) as usize;
        let len = self.capacity().saturating_sub(gone);
        self.peak.fetch_max(len as u32, Relaxed);
        len
    }

    pub(super) fn retired(&self) -> usize {
        self.retired.load(Relaxed) as usize
    }

    /// The number of insertions minus what the words show.
    pub(super) fn unshown(&self) -> i64 {
        self.unshown.load(Relaxed) as i64
    }

    /// Adds to the number of insertions minus what the words show.
    pub(super) fn add_unshown(&self, insertions: i64) {
        // Wraps around, as the sum of two's complements does.
        self.unshown.fetch_add(insertions as u64, Relaxed);
    }

    /// The handle of the first object from `next` on, which then is the slot after it.
    pub(super) fn next_live(&self, next: &mut usize) -> Option<Handle<T>> {
        while *next < self.capacity() {
            *next += 1;
            if let Some(handle) = self.handle_at(*next - 1) {
                return Some(handle);
            }
        }
        None
    }

    /// The handle of the object in this slot, if it is live.
    #[inline]
    pub(super) fn handle_at(&self, index: usize) -> Option<Handle<T>> {
        let word = self.word(index).filter(|word| word.is_live())?;
        Some(handle::kept(index, word.generation()))
    }

    /// Whether an insertion would fail: each slot is seen taken, or has no generation left.
    pub(super) fn is_full(&self) -> bool {
        (0..self.free.words()).all(|word| {
            let mut free = self.free.word(word).load(Relaxed);
            while free != 0 {
                let index = word * WORD_SLOTS + free.trailing_zeros() as usize;
                if self.word(index) != Some(Word::SPENT) {
                    return false;
                }
                free &= free - 1;
            }
            true
        })
    }

    /// The counters, most of them computed from the words: a generation shows how many lifetimes a
    /// slot has had.
    pub(super) fn stats(&self) -> Stats {
        let (mut live, mut retired, mut inserted) = (0, 0, 0);
        let mut begun = 0;
        for index in 0..self.capacity() {
            let word = self.word(index).unwrap_or(Word::RETIRED);
            live += usize::from(word.is_live());
            begun += u64::from(word.has_value());
            inserted += match word.generation() {
                0 => {
                    retired += 1;
                    u64::from(self.cycle.count())
                }
                generation => u64::from(self.cycle.age(generation)),
            };
        }
        let inserted = (inserted + begun).saturating_add_signed(self.unshown());
        let peak = self.peak.fetch_max(live as u32, Relaxed).max(live as u32);
        Stats {
            capacity: self.capacity(),
            live,
            peak: peak as usize,
            retired,
            inserted,
            removed: inserted.saturating_sub(live as u64),
            refused: self.free.refused(),
            evicted: self.evicted.load(Relaxed),
        }
    }

    /// The error of a full pool, which has just refused a value.
    #[cold]
    #[inline(never)]
    pub(super) fn refuse(&self, home: usize) -> FullPool {
        self.free.count_refusal(home);
        self.report(Track::refused);
        let (capacity, retired) = (self.capacity(), self.retired());
        let full = (capacity - retired) as u32;
        let peak = self.peak.fetch_max(full, Relaxed).max(full) as usize;
        FullPool { name: self.name, capacity, peak, retired, out_of_memory: false }
    }

    /// The handle in words.
    pub(super) fn explain(&self, handle: Handle<T>) -> Explanation {
        let lifetime = Generations::of(&self.cycle).lifetime(handle.generation());
        Explanation::new(handle, lifetime, self.check(handle))
    }

    /// `Ok` if the handle is valid, and otherwise why it is refused.
    pub(super) fn check(&self, handle: Handle<T>) -> Result<(), Refusal> {
        let word = self.word(handle.index() as usize);
        if word.is_some_and(|word| word.is_live_in(handle.generation())) {
            return Ok(());
        }
        let plain = word.map(|word| match word.is_doomed() {
            // As stale as if the slot were already free.
            true => self.cycle.word_after(word.generation()),
            false => word.plain(),
        });
        let issued = || self.stats().inserted.saturating_add_signed(self.unshown().wrapping_neg());
        Err(self.cycle.refusal(plain, handle.generation(), issued))
    }
}

/// Places for this many values, every page touched.
pub(super) fn uninitialised<T>(slots: usize) -> Result<Lines<Cell<MaybeUninit<T>>>, OutOfMemory> {
    #[cfg(all(test, loom))]
    return Lines::from_fn(slots, |_| Cell::new(MaybeUninit::uninit()));
    #[cfg(not(all(test, loom)))]
    {
        let values = Lines::<MaybeUninit<Cell<MaybeUninit<T>>>>::uninit_and_touched(slots)?;
        // SAFETY: such a cell may hold any bytes.
        Ok(unsafe { values.assume_init() })
    }
}
