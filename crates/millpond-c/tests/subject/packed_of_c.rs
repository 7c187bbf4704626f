//! A packed pool of the C header as a subject: values are moved into it and out of it, as a C++ program would.
//!
//! # Invariant
//!
//! `raw` is a packed pool of values of the size and alignment of `T`, which only this adapter uses, and each place below
//! its count has a value of type `T`. That of a [`PackedPastOfC`] has bytes that are nobody's.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr;

use millpond::snapshot::ToChecksum;
use millpond::{Refusal, Stats};

use super::pool_of_c::{
    checked, claim_refused, differences_of, evicting, options, ranks_of, stats_of, validated,
    written,
};
use super::shim::{Pool, shim};
use super::{AnyHandle, Claimed, Kind, Plan, PoolUnderTest};

const OK: i32 = 0;

/// A packed pool of a reuse order, and of handles with so many bits of index (0: of eight bytes).
pub(crate) struct PackedCKind<const ORDER: u32, const INDEX_BITS: u32, H>(PhantomData<H>);

impl<const ORDER: u32, const INDEX_BITS: u32, H: AnyHandle> Kind
    for PackedCKind<ORDER, INDEX_BITS, H>
{
    type Handle = H;
    type Pool<T: 'static> = PackedCPool<T, H, ORDER, INDEX_BITS>;

    /// The clones come first.
    const PANICKING_RESTORE_EMPTIES: bool = false;
    /// The adapter's lists of clones. That the header's functions take none, `out_of_memory.c` says.
    const ALLOCATES: bool = true;
    const ASKING_IS_REFUSED: bool = false;
}

pub(crate) struct PackedCPool<T, H, const ORDER: u32, const INDEX_BITS: u32> {
    raw: Pool,
    plan: Plan,
    types: PhantomData<(T, H)>,
}

/// A second packed pool, which has the slots and dead copies of the bytes; and clones of the values.
pub(crate) struct PackedPastOfC<T> {
    raw: Pool,
    values: Vec<T>,
    handles: Vec<u64>,
    sum: u64,
}

impl<T> Drop for PackedPastOfC<T> {
    fn drop(&mut self) {
        // SAFETY: the pool is there, and its bytes are nobody's values.
        unsafe { (shim().packed_destroy)(self.raw) };
    }
}

fn created<T>(plan: Plan, order: u32, index_bits: u32) -> Pool {
    let (options, name) = options::<T>(plan, order, index_bits);
    let mut raw = ptr::null_mut();
    // SAFETY: the options are as the header says, and the name is there until they have been read.
    let status = unsafe { (shim().packed_create)(&options, &mut raw) };
    assert_eq!(status, OK, "{plan:?}");
    drop(name);
    raw
}

/// Copies slots and bytes.
fn copy(to: Pool, from: Pool) {
    // SAFETY: both are there, and no value in `to` is needed.
    let status = unsafe { (shim().packed_copy)(to, from) };
    assert_eq!(status, OK);
}

impl<T: 'static, H: AnyHandle, const ORDER: u32, const INDEX_BITS: u32>
    PackedCPool<T, H, ORDER, INDEX_BITS>
{
    /// The pool of places, for what only reads.
    fn slots(&self) -> Pool {
        // SAFETY: the pool is there (the invariant).
        unsafe { (shim().packed_slots)(self.raw) }
    }

    fn handle(bits: u64) -> Option<H> {
        (bits != 0).then(|| H::from_bits(bits).expect("a handle of the pool's layout"))
    }

    fn found(&self, handle: H) -> *mut T {
        // SAFETY: the pool is there, and any bits may be asked for.
        unsafe { (shim().packed_get)(self.raw, INDEX_BITS, handle.bits()) }.cast()
    }

    /// The handle of the value at a place.
    fn handle_of(&self, place: usize) -> Option<H> {
        // SAFETY: the pool is there, and any place may be asked for.
        Self::handle(unsafe { (shim().packed_handle_at)(self.raw, INDEX_BITS, place) })
    }

    fn values(&self) -> &[T] {
        // SAFETY: the pool is there.
        let first = unsafe { (shim().packed_values)(self.raw) }.cast::<T>();
        // SAFETY: so many values lie there (the invariant).
        unsafe { std::slice::from_raw_parts(first, PoolUnderTest::len(self)) }
    }

    /// Moves all values out of the pool, which must be emptied or filled next.
    fn take_all(&mut self) -> Vec<T> {
        let values = self.values().iter().map(ptr::from_ref);
        // SAFETY: each is a value, which is not used again there.
        values.map(|value| unsafe { value.read() }).collect()
    }

    fn write(&mut self, made: *mut c_void, value: T) {
        assert!(!made.is_null() && made.addr() % align_of::<T>() == 0);
        // SAFETY: the place of a new value, whose bytes nobody needs.
        unsafe { made.cast::<T>().write(value) };
    }

    /// Writes a value to each place after a copy.
    fn fill(&mut self, values: Vec<T>) {
        assert_eq!(values.len(), PoolUnderTest::len(self));
        for (place, value) in values.into_iter().enumerate() {
            let handle = self.handle_of(place).expect("a value is there");
            self.write(self.found(handle).cast(), value);
        }
    }

    fn sum_of_slots(&self) -> u64 {
        // SAFETY: the pool is there.
        unsafe { (shim().packed_checksum)(self.raw) }
    }
}

impl<T, H, const ORDER: u32, const INDEX_BITS: u32> Drop for PackedCPool<T, H, ORDER, INDEX_BITS> {
    fn drop(&mut self) {
        /// Goes after the values, also when one of them panics.
        struct Destroyed(Pool);

        impl Drop for Destroyed {
            fn drop(&mut self) {
                // SAFETY: the pool is there, and nobody uses it any more.
                unsafe { (shim().packed_destroy)(self.0) };
            }
        }

        let raw = Destroyed(self.raw);
        // SAFETY: the pool is there.
        let first = unsafe { (shim().packed_values)(raw.0) }.cast::<T>();
        // SAFETY: as above.
        let count = unsafe { (shim().packed_count)(raw.0) };
        // SAFETY: each is a value (the invariant), which is not used again there.
        let read = |at| unsafe { first.wrapping_add(at).read() };
        let values: Vec<T> = (0..count).map(read).collect();
        drop(values);
    }
}

impl<T: 'static, H: AnyHandle, const ORDER: u32, const INDEX_BITS: u32> PoolUnderTest<T>
    for PackedCPool<T, H, ORDER, INDEX_BITS>
{
    type Handle = H;
    type Past = PackedPastOfC<T>;

    fn build(plan: Plan) -> Self {
        Self { raw: created::<T>(plan, ORDER, INDEX_BITS), plan, types: PhantomData }
    }

    fn capacity(&self) -> usize {
        // SAFETY: the pool is there.
        unsafe { (shim().capacity)(self.slots()) }
    }

    fn len(&self) -> usize {
        // SAFETY: the pool is there.
        unsafe { (shim().packed_count)(self.raw) }
    }

    fn retired(&self) -> usize {
        self.stats().unwrap().retired
    }

    fn stats(&self) -> Option<Stats> {
        Some(stats_of(self.slots()))
    }

    fn at(&self, index: usize) -> Option<Option<(H, &T)>> {
        // SAFETY: the pool is there, and any slot may be asked for.
        let bits = unsafe { (shim().handle_at)(self.slots(), INDEX_BITS, index) };
        Some(Self::handle(bits).map(|handle| (handle, self.get(handle).expect("it is live"))))
    }

    fn insert(&mut self, value: T) -> Result<H, T> {
        let mut bits = 1;
        // SAFETY: the pool is there, and the bits may be written.
        let made = unsafe { (shim().packed_insert)(self.raw, INDEX_BITS, &mut bits) };
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
        let Some(value) = promised.map(make) else {
            let mut bits = 0;
            // SAFETY: the pool is there, and the bits may be written.
            let made = unsafe { (shim().packed_insert)(self.raw, INDEX_BITS, &mut bits) };
            assert!(made.is_null() && bits == 0);
            return Some(Err(()));
        };
        let inserted = PoolUnderTest::insert(self, value).ok();
        assert_eq!(inserted, promised);
        Some(inserted.ok_or(()))
    }

    fn insert_at(&mut self, handle: H, value: T) -> Claimed<T> {
        let mut made = ptr::null_mut();
        // SAFETY: the pool is there, and the pointer may be written.
        let status =
            unsafe { (shim().packed_insert_at)(self.raw, INDEX_BITS, handle.bits(), &mut made) };
        Some(match status {
            OK => {
                self.write(made, value);
                Ok(())
            }
            _ => Err((claim_refused(status), value)),
        })
    }

    fn check(&self, handle: H) -> Option<Result<(), Refusal>> {
        Some(checked(self.slots(), INDEX_BITS, handle.bits()))
    }

    fn promised(&mut self) -> Option<Option<H>> {
        // SAFETY: the pool is there.
        Some(Self::handle(unsafe { (shim().packed_next_handle)(self.raw, INDEX_BITS) }))
    }

    fn get(&self, handle: H) -> Option<&T> {
        // SAFETY: null, or a value (the invariant).
        unsafe { self.found(handle).as_ref() }
    }

    fn get_mut(&mut self, handle: H) -> Option<&mut T> {
        // SAFETY: null, or a value (the invariant).
        unsafe { self.found(handle).as_mut() }
    }

    fn contains(&self, handle: H) -> bool {
        // SAFETY: the pool is there, and any bits may be asked for.
        unsafe { (shim().contains)(self.slots(), INDEX_BITS, handle.bits()) }
    }

    fn remove(&mut self, handle: H) -> Option<T> {
        let found = self.found(handle);
        // SAFETY: a value, which the removal below takes out of the pool.
        let value = (!found.is_null()).then(|| unsafe { found.read() });
        // SAFETY: the pool is there, and any bits may be removed.
        let removed = unsafe { (shim().packed_remove)(self.raw, INDEX_BITS, handle.bits()) };
        assert_eq!(removed, value.is_some());
        value
    }

    fn clear(&mut self) {
        let values = self.take_all();
        // SAFETY: the pool is there, and no place has a value any more.
        unsafe { (shim().packed_clear)(self.raw) };
        drop(values);
    }

    fn iter(&self) -> impl Iterator<Item = (H, &T)> {
        let handle = |place| self.handle_of(place).expect("a value is there");
        self.values().iter().enumerate().map(move |(place, value)| (handle(place), value))
    }

    fn validate(&self) -> Result<(), String> {
        validated(shim().packed_validate, self.raw)
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
            unsafe { evicting(shim().packed_insert_or_evict, self.raw, INDEX_BITS, &mut ranks) };
        let handle = Self::handle(bits).expect("nothing can be evicted");
        self.write(made, value);
        Some((handle, Self::handle(gone.0).zip(gone.1)))
    }

    /// Forwards, as Rust's `PackedPool`.
    fn retain(&mut self, keep: &mut dyn FnMut(H, &mut T) -> bool) -> bool {
        let mut place = 0;
        while let Some(handle) = self.handle_of(place) {
            if keep(handle, PoolUnderTest::get_mut(self, handle).expect("it is live")) {
                place += 1;
            } else {
                drop(PoolUnderTest::remove(self, handle));
            }
        }
        true
    }

    fn detach(&mut self, handle: H) -> Option<Option<T>> {
        let place = self.found(handle);
        // SAFETY: a value, which leaves the pool below.
        let value = (!place.is_null()).then(|| unsafe { place.read() });
        // SAFETY: the pool is there, and any bits may be passed.
        let status = unsafe { (shim().packed_detach)(self.raw, INDEX_BITS, handle.bits()) };
        assert_eq!(status == OK, value.is_some());
        Some(value)
    }

    fn reattach(&mut self, handle: H, value: T) -> Claimed<T> {
        let mut made = ptr::null_mut();
        // SAFETY: the pool is there, and the pointer may be written.
        let status =
            unsafe { (shim().packed_reattach)(self.raw, INDEX_BITS, handle.bits(), &mut made) };
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
        Some(unsafe { (shim().packed_free_detached)(self.raw, INDEX_BITS, handle.bits()) })
    }

    /// Through the bytes of a state, without the values, which are clones.
    fn migrated(&self, plan: Plan, own: Vec<T>) -> Option<Self>
    where
        T: Clone,
    {
        let clones = self.values().to_vec();
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
        let state = written((shim().packed_state_bytes, shim().packed_write_state), self.raw);
        let bytes = state.len();
        // SAFETY: the pool is there, and the bytes are.
        let status = unsafe { (shim().packed_migrate)(pool.raw, state.as_ptr().cast(), bytes) };
        assert_eq!(status, OK);
        pool.fill(clones);
        drop(own);
        Some(pool)
    }

    fn try_clone(&self) -> Option<Self>
    where
        T: Clone,
    {
        let values = self.values().to_vec();
        let mut clone = Self::build(self.plan);
        copy(clone.raw, self.raw);
        clone.fill(values);
        Some(clone)
    }

    fn take_snapshot(&self) -> Option<PackedPastOfC<T>>
    where
        T: Clone,
    {
        let raw = created::<T>(self.plan, ORDER, INDEX_BITS);
        let mut past = PackedPastOfC { raw, values: Vec::new(), handles: Vec::new(), sum: 0 };
        self.save_into(&mut past);
        Some(past)
    }

    fn take_snapshot_of_copies(&self) -> Option<PackedPastOfC<T>>
    where
        T: Copy,
    {
        self.take_snapshot()
    }

    fn save_into(&self, past: &mut PackedPastOfC<T>)
    where
        T: Clone,
    {
        let values = self.values().to_vec();
        copy(past.raw, self.raw);
        past.handles = PoolUnderTest::iter(self).map(|(handle, _)| handle.bits()).collect();
        past.sum = self.sum_of_slots();
        past.values = values;
    }

    fn restore(&mut self, past: &PackedPastOfC<T>)
    where
        T: Clone,
    {
        let clones = past.values.clone();
        let old = self.take_all();
        copy(self.raw, past.raw);
        self.fill(clones);
        drop(old);
    }

    fn sum_of(past: &PackedPastOfC<T>) -> u64
    where
        T: ToChecksum,
    {
        past.sum
    }

    fn differences(left: &PackedPastOfC<T>, right: &PackedPastOfC<T>) -> usize
    where
        T: ToChecksum,
    {
        differences_of(
            (&left.handles, left.values.iter()),
            (&right.handles, right.values.iter()),
            left.sum != right.sum,
        )
    }

    fn validate_past(past: &PackedPastOfC<T>) -> Result<(), String> {
        validated(shim().packed_validate, past.raw)
    }

    /// Of the slots and the order of the values.
    fn sum(&self) -> Option<u64>
    where
        T: ToChecksum,
    {
        Some(self.sum_of_slots())
    }
}
