//! A pool of the C header as a subject: values are moved into its slots and out of them, as a C++ program would.
//!
//! # Invariant
//!
//! `raw` is a pool of values of the size and alignment of `T`, which only this adapter uses, and each live slot has a
//! value of type `T`.

use std::ffi::{CString, c_void};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr;

use millpond::reuse::{Fifo, Lifo, LowestFirst, ReuseOrder, Roster};
use millpond::snapshot::{Checksum, ToChecksum};
use millpond::{InsertAtErrorKind, Refusal, Stats};

use super::shim::{InsertOrEvict, Options, Pool, StateBytes, Validate, WriteState, shim};
use super::{AnyHandle, Claimed, Kind, Plan, PoolUnderTest};

const OK: i32 = 0;
const WRAP: u32 = 1;
const OUT_OF_RANGE: i32 = 9;
const STALE: i32 = 10;
const NEVER_ISSUED: i32 = 11;
const OCCUPIED: i32 = 13;
const RETIRED: i32 = 14;
const BEYOND_LIFETIMES: i32 = 15;
const TOO_FAR: i32 = 23;

/// By their numbers in the header.
const ORDERS: [&str; 4] = [Lifo::NAME, Fifo::NAME, LowestFirst::NAME, Roster::NAME];

/// In the number of an order: the pool has no slots at first, and grows to the plan's capacity.
pub(crate) const GROWING: u32 = 16;

/// A pool of a reuse order, which may be [`GROWING`], and of handles with so many bits of index (0: of eight bytes).
pub(crate) struct CKind<const ORDER: u32, const INDEX_BITS: u32, H>(PhantomData<H>);

impl<const ORDER: u32, const INDEX_BITS: u32, H: AnyHandle> Kind for CKind<ORDER, INDEX_BITS, H> {
    type Handle = H;
    type Pool<T: 'static> = CPool<T, H, ORDER, INDEX_BITS>;

    /// The clones come first.
    const PANICKING_RESTORE_EMPTIES: bool = false;
    /// The adapter's lists of clones. That the header's functions take none, `out_of_memory.c` says.
    const ALLOCATES: bool = true;
    const ASKING_IS_REFUSED: bool = false;
    const ORDER: Option<&'static str> = Some(ORDERS[(ORDER % GROWING) as usize]);
}

pub(crate) struct CPool<T, H, const ORDER: u32, const INDEX_BITS: u32> {
    raw: Pool,
    plan: Plan,
    types: PhantomData<(T, H)>,
}

/// What the options say of this plan; the name is the second part's.
pub(super) fn options<T>(plan: Plan, order: u32, index_bits: u32) -> (Options, Option<CString>) {
    let name = plan.name.map(|name| CString::new(name).unwrap());
    let slots = plan.capacity.try_into().unwrap();
    let mut options = Options::of(slots, size_of::<T>() as u32, align_of::<T>() as u32);
    options.order = order % GROWING;
    if order >= GROWING {
        options.slots_max = options.slots;
        options.slots = 0;
    }
    options.index_bits = index_bits;
    // 0 is as many as there can be.
    options.lifetimes = plan.lifetimes.map_or(0, |lifetimes| lifetimes.max(1));
    options.flags = if plan.wraps { WRAP } else { 0 };
    options.name = name.as_deref().map_or(ptr::null(), |name| name.as_ptr());
    (options, name)
}

/// A snapshot of the header, which has the slots and dead copies of the bytes; and clones of the values.
pub(crate) struct PastOfC<T> {
    raw: *mut c_void,
    /// With the slots.
    values: Vec<(usize, T)>,
    handles: Vec<u64>,
    sum: u64,
    plan: Plan,
    order: u32,
    index_bits: u32,
}

impl<T> Drop for PastOfC<T> {
    fn drop(&mut self) {
        // SAFETY: it is a snapshot, which only this one knows.
        unsafe { (shim().snapshot_destroy)(self.raw) };
    }
}

impl<T: 'static, H: AnyHandle, const ORDER: u32, const INDEX_BITS: u32>
    CPool<T, H, ORDER, INDEX_BITS>
{
    fn place(&self, handle: H) -> *mut T {
        // SAFETY: the pool is there (the invariant), and any bits may be asked for.
        unsafe { (shim().get)(self.raw, INDEX_BITS, handle.bits()) }.cast()
    }

    fn handle(bits: u64) -> Option<H> {
        (bits != 0).then(|| H::from_bits(bits).expect("a handle of the pool's layout"))
    }

    /// The runs of live slots, as the header's walk finds them.
    fn spans(&self) -> Vec<[usize; 2]> {
        let mut runs = vec![[0; 2]; self.plan.capacity.div_ceil(2)];
        // SAFETY: the pool is there, and no more runs are in so many slots.
        let count = unsafe { (shim().runs)(self.raw, runs.as_mut_ptr()) };
        runs.truncate(count);
        runs
    }

    fn handle_in(&self, slot: usize) -> Option<H> {
        // SAFETY: the pool is there, and any slot may be asked for.
        Self::handle(unsafe { (shim().handle_at)(self.raw, INDEX_BITS, slot) })
    }

    /// The handles of all live objects, in the order of their slots.
    fn handles(&self) -> Vec<H> {
        let slots = self.spans().into_iter().flat_map(|[first, count]| first..first + count);
        slots.map(|slot| self.handle_in(slot).expect("a live slot")).collect()
    }

    fn value(&self, handle: H) -> Option<&T> {
        // SAFETY: null, or the place of a value (the invariant).
        unsafe { self.place(handle).as_ref() }
    }

    /// Moves all values out of their slots, which must be emptied or filled next.
    fn take_all(&mut self) -> Vec<T> {
        let places: Vec<*mut T> = self.handles().into_iter().map(|h| self.place(h)).collect();
        // SAFETY: each is the place of a value, which is not used again there.
        places.into_iter().map(|place| unsafe { place.read() }).collect()
    }

    fn write(&mut self, made: *mut c_void, value: T) {
        assert!(!made.is_null() && made.addr() % align_of::<T>() == 0);
        // SAFETY: the place of the slot of a new object, whose bytes nobody needs.
        unsafe { made.cast::<T>().write(value) };
    }

    /// Writes a value into each slot that is live since a restore.
    fn fill(&mut self, values: Vec<(usize, T)>) {
        assert_eq!(values.len(), PoolUnderTest::len(self));
        for (slot, value) in values {
            let place = self.handle_in(slot).map(|handle| self.place(handle));
            self.write(place.expect("a live slot").cast(), value);
        }
    }

    fn clones(&self) -> Vec<(usize, T)>
    where
        T: Clone,
    {
        self.iter().map(|(handle, value)| (handle.index(), value.clone())).collect()
    }

    fn sum_of_slots(&self) -> u64 {
        // SAFETY: the pool is there.
        unsafe { (shim().pool_checksum)(self.raw) }
    }
}

/// For each slot of a full pool, the rank of its value's key among the keys: a key may panic, which a callback of the header
/// may not.
pub(super) fn ranks_of<T: 'static, P: PoolUnderTest<T>, K: Ord>(
    pool: &mut P,
    key: &mut dyn FnMut(&T) -> K,
) -> Vec<i64> {
    let mut ranks = vec![0; pool.capacity()];
    if pool.promised().flatten().is_none() {
        let keys: Vec<(usize, K)> =
            pool.iter().map(|(handle, value)| (handle.index(), key(value))).collect();
        for (slot, of) in &keys {
            ranks[*slot] = keys.iter().filter(|(_, other)| other < of).count() as i64;
        }
    }
    ranks
}

/// The place and the bits of a new object; the bits of the one that was evicted for it, and its value.
type Evicted<T> = ((*mut c_void, u64), (u64, Option<T>));

/// Inserts with `mp_pool_insert_or_evict` or `mp_packed_insert_or_evict`.
///
/// # Safety
///
/// The pool is there, of values of type `T`, and a rank for each of its slots.
pub(super) unsafe fn evicting<T>(
    insert: InsertOrEvict,
    raw: Pool,
    index_bits: u32,
    ranks: &mut [i64],
) -> Evicted<T> {
    let (mut bits, mut gone) = (0, 0);
    let mut last = MaybeUninit::<T>::uninit();
    let (ranks, to) = (ranks.as_mut_ptr(), last.as_mut_ptr().cast());
    // SAFETY: as the caller promises; there is room for a value.
    let made = unsafe { insert(raw, index_bits, ranks, &mut bits, &mut gone, to) };
    // SAFETY: the value of the evicted object was moved there.
    ((made, bits), (gone, (gone != 0).then(|| unsafe { last.assume_init() })))
}

/// What `mp_pool_validate`, or `mp_packed_validate`, says of a pool, which must be there.
pub(super) fn validated(validate: Validate, raw: Pool) -> Result<(), String> {
    let mut text = [0_u8; 300];
    // SAFETY: the pool is there, and the text has so many bytes.
    let status = unsafe { validate(raw, text.as_mut_ptr().cast(), text.len()) };
    let end = text.iter().position(|byte| *byte == 0).unwrap();
    match status {
        OK => Ok(()),
        _ => Err(String::from_utf8_lossy(&text[..end]).into_owned()),
    }
}

/// Why a handle could not be claimed.
pub(super) fn claim_refused(status: i32) -> InsertAtErrorKind {
    match status {
        OUT_OF_RANGE => InsertAtErrorKind::OutOfRange,
        STALE => InsertAtErrorKind::Stale,
        OCCUPIED => InsertAtErrorKind::Occupied,
        RETIRED => InsertAtErrorKind::Retired,
        BEYOND_LIFETIMES => InsertAtErrorKind::BeyondLifetimes,
        TOO_FAR => InsertAtErrorKind::TooFar,
        _ => panic!("status {status}"),
    }
}

/// What `mp_pool_write_state`, or `mp_packed_write_state`, writes of a pool, which must be there: bytes of values that stay
/// its own.
pub(super) fn written((bytes, write): (StateBytes, WriteState), raw: Pool) -> Vec<u8> {
    // SAFETY: the pool is there.
    let mut state = vec![0; unsafe { bytes(raw) }];
    // SAFETY: as above, and the buffer has so many bytes.
    let status = unsafe { write(raw, state.as_mut_ptr().cast(), state.len()) };
    assert_eq!(status, OK);
    state
}

/// What `mp_pool_check` says of a handle, or its bits, of a pool that must be there.
pub(super) fn checked(raw: Pool, index_bits: u32, bits: u64) -> Result<(), Refusal> {
    // SAFETY: the pool is there, and any bits may be asked for.
    match unsafe { (shim().check)(raw, index_bits, bits) } {
        OK => Ok(()),
        OUT_OF_RANGE => Err(Refusal::OutOfRange),
        STALE => Err(Refusal::Stale),
        NEVER_ISSUED => Err(Refusal::NeverIssued),
        status => panic!("status {status}"),
    }
}

/// The counters of a pool, which must be there.
pub(super) fn stats_of(raw: Pool) -> Stats {
    // SAFETY: the pool is there.
    let of = unsafe { (shim().pool_stats)(raw) };
    let mut stats = Stats::default();
    stats.capacity = of.capacity as usize;
    stats.live = of.live as usize;
    stats.peak = of.peak as usize;
    stats.retired = of.retired as usize;
    stats.inserted = of.inserted;
    stats.removed = of.removed;
    stats.refused = of.refused;
    stats.evicted = of.evicted;
    stats
}

/// How many handles of two snapshots, or their values, are not those of the other, and one more if so is the rest.
pub(super) fn differences_of<'v, T: ToChecksum + 'v>(
    left: (&[u64], impl Iterator<Item = &'v T>),
    right: (&[u64], impl Iterator<Item = &'v T>),
    others_differ: bool,
) -> usize {
    fn listed<'v, T: ToChecksum + 'v>(
        (handles, values): (&[u64], impl Iterator<Item = &'v T>),
    ) -> Vec<(u64, u64)> {
        let sum = |value: &T| {
            let mut sum = Checksum::new();
            sum.add(value);
            sum.finish()
        };
        handles.iter().copied().zip(values.map(sum)).collect()
    }
    let (left, right) = (listed(left), listed(right));
    let only = |of: &[(u64, u64)], other: &[(u64, u64)]| {
        of.iter().filter(|slot| !other.contains(slot)).count()
    };
    only(&left, &right).max(only(&right, &left)) + usize::from(others_differ)
}

impl<T, H, const ORDER: u32, const INDEX_BITS: u32> Drop for CPool<T, H, ORDER, INDEX_BITS> {
    fn drop(&mut self) {
        /// Goes after the values, also when one of them panics.
        struct Destroyed(Pool);

        impl Drop for Destroyed {
            fn drop(&mut self) {
                // SAFETY: the pool is there, and nobody uses it any more.
                unsafe { (shim().pool_destroy)(self.0) };
            }
        }

        let raw = Destroyed(self.raw);
        let values: Vec<T> = (0..self.plan.capacity)
            .filter_map(|slot| {
                // SAFETY: the pool is there.
                let bits = unsafe { (shim().handle_at)(raw.0, INDEX_BITS, slot) };
                // SAFETY: as above.
                let place = unsafe { (shim().get)(raw.0, INDEX_BITS, bits) }.cast::<T>();
                // SAFETY: null, or the place of a value, which is not used again there.
                (!place.is_null()).then(|| unsafe { place.read() })
            })
            .collect();
        drop(values);
    }
}

impl<T: 'static, H: AnyHandle, const ORDER: u32, const INDEX_BITS: u32> PoolUnderTest<T>
    for CPool<T, H, ORDER, INDEX_BITS>
{
    type Handle = H;
    type Past = PastOfC<T>;

    fn build(plan: Plan) -> Self {
        let (options, name) = options::<T>(plan, ORDER, INDEX_BITS);
        let mut raw = ptr::null_mut();
        // SAFETY: the options are as the header says, and the name is there until they have been read.
        let status = unsafe { (shim().create)(&options, &mut raw) };
        assert_eq!(status, OK, "{plan:?}");
        drop(name);
        Self { raw, plan, types: PhantomData }
    }

    fn capacity(&self) -> usize {
        // SAFETY: the pool is there.
        unsafe { (shim().capacity_max)(self.raw) }
    }

    fn there(&self) -> usize {
        // SAFETY: the pool is there.
        unsafe { (shim().capacity)(self.raw) }
    }

    fn len(&self) -> usize {
        // SAFETY: the pool is there.
        unsafe { (shim().live)(self.raw) }
    }

    fn retired(&self) -> usize {
        self.stats().unwrap().retired
    }

    fn stats(&self) -> Option<Stats> {
        Some(stats_of(self.raw))
    }

    fn at(&self, index: usize) -> Option<Option<(H, &T)>> {
        Some(self.handle_in(index).map(|handle| (handle, self.value(handle).expect("it is live"))))
    }

    fn insert(&mut self, value: T) -> Result<H, T> {
        let mut bits = 1;
        // SAFETY: the pool is there, and the bits may be written.
        let made = unsafe { (shim().insert)(self.raw, INDEX_BITS, &mut bits) };
        match Self::handle(bits) {
            Some(handle) => {
                self.write(made, value);
                Ok(handle)
            }
            None => {
                assert!(made.is_null());
                Err(value)
            }
        }
    }

    fn insert_with(&mut self, make: &mut dyn FnMut(H) -> T) -> Option<Result<H, ()>> {
        let promised = self.promised().flatten();
        // A full pool counts a refusal.
        let mut value = promised.map(make);
        let mut bits = 0;
        // SAFETY: the pool is there, and the bits may be written.
        let made = unsafe { (shim().insert)(self.raw, INDEX_BITS, &mut bits) };
        assert_eq!(Self::handle(bits), promised);
        Some(match (promised, value.take()) {
            (Some(handle), Some(value)) => {
                self.write(made, value);
                Ok(handle)
            }
            _ => Err(()),
        })
    }

    fn insert_at(&mut self, handle: H, value: T) -> Claimed<T> {
        let mut made = ptr::null_mut();
        // SAFETY: the pool is there, and the pointer may be written.
        let status = unsafe { (shim().insert_at)(self.raw, INDEX_BITS, handle.bits(), &mut made) };
        Some(match status {
            OK => {
                self.write(made, value);
                Ok(())
            }
            _ => Err((claim_refused(status), value)),
        })
    }

    fn check(&self, handle: H) -> Option<Result<(), Refusal>> {
        Some(checked(self.raw, INDEX_BITS, handle.bits()))
    }

    fn promised(&mut self) -> Option<Option<H>> {
        // SAFETY: the pool is there.
        Some(Self::handle(unsafe { (shim().next_handle)(self.raw, INDEX_BITS) }))
    }

    fn get(&self, handle: H) -> Option<&T> {
        self.value(handle)
    }

    fn get_mut(&mut self, handle: H) -> Option<&mut T> {
        // SAFETY: null, or the place of a value (the invariant).
        unsafe { self.place(handle).as_mut() }
    }

    fn contains(&self, handle: H) -> bool {
        // SAFETY: the pool is there, and any bits may be asked for.
        unsafe { (shim().contains)(self.raw, INDEX_BITS, handle.bits()) }
    }

    fn remove(&mut self, handle: H) -> Option<T> {
        let place = self.place(handle);
        // SAFETY: the place of a value; the removal below is where it leaves the slot.
        let value = (!place.is_null()).then(|| unsafe { place.read() });
        // SAFETY: the pool is there, and any bits may be removed.
        let removed = unsafe { (shim().remove)(self.raw, INDEX_BITS, handle.bits()) };
        assert_eq!(removed, value.is_some());
        value
    }

    fn clear(&mut self) {
        let values = self.take_all();
        // SAFETY: the pool is there, and no slot has a value any more.
        unsafe { (shim().pool_clear)(self.raw) };
        drop(values);
    }

    fn iter(&self) -> impl Iterator<Item = (H, &T)> {
        let handles = self.handles();
        handles.into_iter().map(|handle| (handle, self.value(handle).expect("it is live")))
    }

    fn validate(&self) -> Result<(), String> {
        validated(shim().pool_validate, self.raw)
    }

    const EVICTS: bool = true;

    fn insert_or_evict<K: Ord>(
        &mut self,
        value: T,
        key: &mut dyn FnMut(&T) -> K,
    ) -> Option<(H, Option<(H, T)>)> {
        let mut ranks = ranks_of(self, key);
        // SAFETY: the pool is there, and a rank for each slot.
        let ((made, bits), gone) =
            unsafe { evicting(shim().insert_or_evict, self.raw, INDEX_BITS, &mut ranks) };
        let handle = Self::handle(bits).expect("nothing can be evicted");
        self.write(made, value);
        Some((handle, Self::handle(gone.0).zip(gone.1)))
    }

    fn retain(&mut self, keep: &mut dyn FnMut(H, &mut T) -> bool) -> bool {
        // SAFETY: the pool is there.
        unsafe { (shim().pool_refresh)(self.raw) };
        for handle in self.handles() {
            if !keep(handle, PoolUnderTest::get_mut(self, handle).expect("it is live")) {
                drop(PoolUnderTest::remove(self, handle));
            }
        }
        true
    }

    fn detach(&mut self, handle: H) -> Option<Option<T>> {
        let place = self.place(handle);
        // SAFETY: a value, which leaves the pool below.
        let value = (!place.is_null()).then(|| unsafe { place.read() });
        // SAFETY: the pool is there, and any bits may be passed.
        let status = unsafe { (shim().detach)(self.raw, INDEX_BITS, handle.bits()) };
        assert_eq!(status == OK, value.is_some());
        Some(value)
    }

    fn reattach(&mut self, handle: H, value: T) -> Claimed<T> {
        let mut made = ptr::null_mut();
        // SAFETY: the pool is there, and the pointer may be written.
        let status = unsafe { (shim().reattach)(self.raw, INDEX_BITS, handle.bits(), &mut made) };
        Some(match status {
            OK => {
                self.write(made, value);
                Ok(())
            }
            _ => Err((claim_refused(status), value)),
        })
    }

    fn free_detached(&mut self, handle: H) -> Option<bool> {
        // SAFETY: the pool is there, and any bits may be passed.
        Some(unsafe { (shim().free_detached)(self.raw, INDEX_BITS, handle.bits()) })
    }

    /// Through the bytes of a state, without the values, which are clones.
    fn migrated(&self, plan: Plan, own: Vec<T>) -> Option<Self>
    where
        T: Clone,
    {
        let clones = self.clones();
        let mut pool = Self::build(plan);
        let handles: Vec<H> = own.into_iter().filter_map(|value| pool.insert(value).ok()).collect();
        match handles[..] {
            [first, second] => drop((
                PoolUnderTest::remove(&mut pool, first),
                PoolUnderTest::remove(&mut pool, second),
            )),
            [_, _, last] => drop(PoolUnderTest::detach(&mut pool, last)),
            _ => {}
        }
        let own = pool.take_all();
        let state = written((shim().pool_state_bytes, shim().pool_write_state), self.raw);
        let bytes = state.len();
        // SAFETY: the pool is there, and the bytes are.
        let status = unsafe { (shim().pool_migrate)(pool.raw, state.as_ptr().cast(), bytes) };
        assert_eq!(status, OK);
        pool.fill(clones);
        drop(own);
        Some(pool)
    }

    fn runs(&self) -> Option<Vec<(usize, Vec<&T>)>> {
        let run = |[first, count]: [usize; 2]| {
            let values = (first..first + count).map(|slot| self.at(slot).flatten().unwrap().1);
            (first, values.collect())
        };
        Some(self.spans().into_iter().map(run).collect())
    }

    fn index_of(&self, value: &T) -> Option<Option<usize>> {
        if size_of::<T>() == 0 {
            return None;
        }
        // SAFETY: the pool is there, and any address may be asked for.
        let slot = unsafe { (shim().pool_index_of)(self.raw, ptr::from_ref(value).cast()) };
        Some((slot != usize::MAX).then_some(slot))
    }

    fn try_clone(&self) -> Option<Self>
    where
        T: Clone,
    {
        let past = self.take_snapshot()?;
        let mut clone = Self::build(self.plan);
        clone.restore_from(past.raw);
        let mut past = past;
        clone.fill(std::mem::take(&mut past.values));
        Some(clone)
    }

    fn take_snapshot(&self) -> Option<PastOfC<T>>
    where
        T: Clone,
    {
        let (options, name) = options::<T>(self.plan, ORDER, INDEX_BITS);
        let mut raw = ptr::null_mut();
        // SAFETY: the options are as the header says, and the name is there until they have been read.
        let status = unsafe { (shim().snapshot_create)(&options, &mut raw) };
        assert_eq!(status, OK);
        drop(name);
        let (values, handles) = (Vec::new(), Vec::new());
        let mut past = PastOfC {
            raw,
            values,
            handles,
            sum: 0,
            plan: self.plan,
            order: ORDER,
            index_bits: INDEX_BITS,
        };
        self.save_into(&mut past);
        Some(past)
    }

    fn take_snapshot_of_copies(&self) -> Option<PastOfC<T>>
    where
        T: Copy,
    {
        self.take_snapshot()
    }

    fn save_into(&self, past: &mut PastOfC<T>)
    where
        T: Clone,
    {
        let values = self.clones();
        // SAFETY: the pool and the snapshot are there.
        let status = unsafe { (shim().pool_save)(self.raw, past.raw) };
        assert_eq!(status, OK);
        past.handles = self.handles().into_iter().map(H::bits).collect();
        past.sum = self.sum_of_slots();
        past.values = values;
    }

    fn restore(&mut self, past: &PastOfC<T>)
    where
        T: Clone,
    {
        let clones = past.values.clone();
        let old = self.take_all();
        self.restore_from(past.raw);
        self.fill(clones);
        drop(old);
    }

    fn sum_of(past: &PastOfC<T>) -> u64
    where
        T: ToChecksum,
    {
        past.sum
    }

    fn differences(left: &PastOfC<T>, right: &PastOfC<T>) -> usize
    where
        T: ToChecksum,
    {
        differences_of(
            (&left.handles, left.values.iter().map(|(_, value)| value)),
            (&right.handles, right.values.iter().map(|(_, value)| value)),
            left.sum != right.sum,
        )
    }

    /// By a pool that goes back to it.
    fn validate_past(past: &PastOfC<T>) -> Result<(), String> {
        let (options, name) = options::<T>(past.plan, past.order, past.index_bits);
        let mut raw = ptr::null_mut();
        // SAFETY: as in `build`.
        let status = unsafe { (shim().create)(&options, &mut raw) };
        assert_eq!(status, OK);
        drop(name);
        // SAFETY: both are there, of one shape.
        let status = unsafe { (shim().pool_restore)(raw, past.raw) };
        assert_eq!(status, OK);
        let found = validated(shim().pool_validate, raw);
        // SAFETY: the pool is there; the bytes in its slots are nobody's values.
        unsafe { (shim().pool_destroy)(raw) };
        found
    }

    /// Of the slots: what a callback adds of the values, `tests/differential.rs` compares with Rust's sum.
    fn sum(&self) -> Option<u64>
    where
        T: ToChecksum,
    {
        Some(self.sum_of_slots())
    }
}

impl<T: 'static, H: AnyHandle, const ORDER: u32, const INDEX_BITS: u32>
    CPool<T, H, ORDER, INDEX_BITS>
{
    /// Goes back to a snapshot; then the live slots have no values yet.
    fn restore_from(&mut self, past: *mut c_void) {
        // SAFETY: the pool and the snapshot are there, and no slot has a value that is needed.
        let status = unsafe { (shim().pool_restore)(self.raw, past) };
        assert_eq!(status, OK);
    }
}
