//! The pools of the library as subjects of a soak.

use millpond::reuse::ReuseOrder;
use millpond::{
    Handle, Handle32, HandleAllocator, HandleLayout, PackedPool, Pool, Recycler, StaticPool, Stats,
    VecPool,
};
use millpond_classic::{BytemapPool, RosterPool};

use super::memory::touched;
use super::payload::Payload;
use super::subject::{Subject, WrittenOver};

pub(super) fn sound<const WORDS: usize>(payload: &Payload<WORDS>) -> Result<u64, WrittenOver> {
    payload.number().ok_or(WrittenOver)
}

/// A pool of values.
macro_rules! pool_of_values {
    ([$($generics:tt)*] $pool:ty, $handle:ty, |$this:ident| $place:expr) => {
        impl<$($generics)*> Subject for $pool {
            type Handle = $handle;

            fn insert(&mut self, number: u64) -> Option<$handle> {
                let $this = self;
                $place.insert(Payload::new(number)).ok()
            }

            fn insert_at(&mut self, handle: $handle, number: u64) -> bool {
                let $this = self;
                $place.insert_at(handle, Payload::new(number)).is_ok()
            }

            fn remove(&mut self, handle: $handle) -> Option<Result<u64, WrittenOver>> {
                let $this = self;
                $place.remove(handle).map(|payload| sound(&payload))
            }

            fn number(&self, handle: $handle) -> Option<Result<u64, WrittenOver>> {
                let $this = self;
                $place.get(handle).map(sound)
            }

            fn retain(&mut self, mut keep: impl FnMut(u64) -> bool) {
                let $this = self;
                $place.retain(|_, payload| payload.number().is_none_or(&mut keep));
            }

            fn clear(&mut self) {
                let $this = self;
                $place.clear();
            }

            fn visit(&self, mut see: impl FnMut($handle, Option<u64>)) {
                let $this = self;
                $place.iter().for_each(|(handle, payload)| see(handle, payload.number()));
            }

            fn live(&self) -> usize {
                let $this = self;
                $place.len()
            }

            fn stats(&self) -> Option<Stats> {
                let $this = self;
                Some($place.stats())
            }

            fn validate(&self) -> Result<(), String> {
                let $this = self;
                $place.validate().map_err(|violation| violation.to_string())
            }
        }
    };
}

pool_of_values!(
    [R: ReuseOrder, H: HandleLayout, const WORDS: usize] Pool<Payload<WORDS>, R, H>, H,
    |pool| (*pool)
);
pool_of_values!(
    [H: HandleLayout, const WORDS: usize] PackedPool<Payload<WORDS>, H>, H,
    |pool| (*pool)
);
pool_of_values!(
    [R: ReuseOrder, H: HandleLayout, const WORDS: usize] VecPool<Payload<WORDS>, R, H>, H,
    |pool| (*pool)
);
pool_of_values!([H: HandleLayout, const WORDS: usize] Static<H, WORDS>, H, |pool| pool.0);

/// The number of slots of a [`Static`], whatever that of the other pools is.
pub(super) const STATIC_SLOTS: usize = 1000;

/// A pool without a heap; in a box, because it is too large for the stack.
pub(super) struct Static<H: HandleLayout, const WORDS: usize>(
    Box<StaticPool<Payload<WORDS>, STATIC_SLOTS, H>>,
);

impl<H: HandleLayout, const WORDS: usize> Static<H, WORDS> {
    pub(super) fn new() -> Self {
        Self(Box::new(StaticPool::with_handle()))
    }
}

impl<R: ReuseOrder, H: HandleLayout, const WORDS: usize> Subject
    for Recycler<Payload<WORDS>, R, H>
{
    type Handle = H;
    const RETAINS: bool = false;

    fn insert(&mut self, number: u64) -> Option<H> {
        let (handle, payload) = self.acquire()?;
        payload.set(number);
        Some(handle)
    }

    fn insert_at(&mut self, handle: H, number: u64) -> bool {
        self.acquire_at(handle).map(|payload| payload.set(number)).is_ok()
    }

    fn remove(&mut self, handle: H) -> Option<Result<u64, WrittenOver>> {
        let number = self.get(handle).map(sound)?;
        self.release(handle).then_some(number)
    }

    fn number(&self, handle: H) -> Option<Result<u64, WrittenOver>> {
        self.get(handle).map(sound)
    }

    fn clear(&mut self) {
        self.clear();
    }

    fn visit(&self, mut see: impl FnMut(H, Option<u64>)) {
        self.handles().for_each(|handle| see(handle, self.get(handle).and_then(Payload::number)));
    }

    fn live(&self) -> usize {
        self.len()
    }

    fn stats(&self) -> Option<Stats> {
        Some(self.stats())
    }

    fn validate(&self) -> Result<(), String> {
        self.validate().map_err(|violation| violation.to_string())
    }
}

/// Handles without storage, beside the program's own array.
pub(super) struct Beside<R: ReuseOrder, H: HandleLayout, const WORDS: usize> {
    handles: HandleAllocator<R, H>,
    payloads: Vec<Payload<WORDS>>,
}

impl<R: ReuseOrder, H: HandleLayout, const WORDS: usize> Beside<R, H, WORDS> {
    pub(super) fn new(handles: HandleAllocator<R, H>) -> Self {
        let payloads = (0..handles.capacity()).map(|_| Payload::default()).collect();
        Self { handles, payloads }
    }
}

impl<R: ReuseOrder, H: HandleLayout, const WORDS: usize> Subject for Beside<R, H, WORDS> {
    type Handle = H;
    const RETAINS: bool = false;

    fn insert(&mut self, number: u64) -> Option<H> {
        let handle = self.handles.acquire()?;
        self.payloads[handle.index() as usize].set(number);
        Some(handle)
    }

    fn insert_at(&mut self, handle: H, number: u64) -> bool {
        let taken = self.handles.acquire_at(handle).is_ok();
        if taken {
            self.payloads[handle.index() as usize].set(number);
        }
        taken
    }

    fn remove(&mut self, handle: H) -> Option<Result<u64, WrittenOver>> {
        self.handles.release(handle).then(|| sound(&self.payloads[handle.index() as usize]))
    }

    fn number(&self, handle: H) -> Option<Result<u64, WrittenOver>> {
        self.handles.contains(handle).then(|| sound(&self.payloads[handle.index() as usize]))
    }

    fn clear(&mut self) {
        self.handles.clear();
    }

    fn visit(&self, mut see: impl FnMut(H, Option<u64>)) {
        for handle in self.handles.handles() {
            see(handle, self.payloads[handle.index() as usize].number());
        }
    }

    fn live(&self) -> usize {
        self.handles.len()
    }

    fn stats(&self) -> Option<Stats> {
        Some(self.handles.stats())
    }

    fn validate(&self) -> Result<(), String> {
        self.handles.validate().map_err(|violation| violation.to_string())
    }
}

/// The swap-delete pool, beside the handles that it has issued, because it cannot list them.
pub(super) struct Issued<const WORDS: usize> {
    pool: RosterPool<Payload<WORDS>>,
    handles: Vec<Option<Handle<Payload<WORDS>>>>,
}

impl<const WORDS: usize> Issued<WORDS> {
    pub(super) fn new(pool: RosterPool<Payload<WORDS>>) -> Self {
        let handles = touched(pool.capacity(), None);
        Self { pool, handles }
    }
}

impl<const WORDS: usize> Subject for Issued<WORDS> {
    type Handle = Handle<Payload<WORDS>>;
    const RETAINS: bool = false;
    /// The design has no insertion at a known handle.
    const CLAIMS: bool = false;

    fn insert(&mut self, number: u64) -> Option<Self::Handle> {
        let handle = self.pool.allocate()?;
        self.pool.get_mut(handle)?.set(number);
        self.handles[handle.index() as usize] = Some(handle);
        Some(handle)
    }

    fn remove(&mut self, handle: Self::Handle) -> Option<Result<u64, WrittenOver>> {
        let number = self.pool.get(handle).map(sound)?;
        self.pool.free(handle).then_some(number)
    }

    fn number(&self, handle: Self::Handle) -> Option<Result<u64, WrittenOver>> {
        self.pool.get(handle).map(sound)
    }

    /// The design has no such operation: the live slots are freed one by one.
    fn clear(&mut self) {
        while let Some(last) = self.pool.partition().checked_sub(1) {
            let slot = self.pool.roster()[last] as usize;
            if !self.handles[slot].is_some_and(|handle| self.pool.free(handle)) {
                return;
            }
        }
    }

    fn visit(&self, mut see: impl FnMut(Self::Handle, Option<u64>)) {
        for &slot in &self.pool.roster()[..self.pool.partition()] {
            if let Some(handle) = self.handles[slot as usize] {
                see(handle, self.pool.get(handle).and_then(Payload::number));
            }
        }
    }

    fn live(&self) -> usize {
        self.pool.partition()
    }

    fn stats(&self) -> Option<Stats> {
        Some(self.pool.stats())
    }

    fn validate(&self) -> Result<(), String> {
        self.pool.validate().map_err(|violation| violation.to_string())
    }
}

/// The number in a handle's low byte is one less than the generation, which is never 0.
type ByteHandle = Handle32<(), 24>;

fn of_script(handle: i32) -> ByteHandle {
    let generation = (handle & 0x7f) as u32 + 1;
    ByteHandle::from_parts((handle >> 8) as u32, generation)
        .expect("at most 2^23 slots, 128 numbers")
}

/// `None` if the byte of a slot has no such number.
fn for_script(handle: ByteHandle) -> Option<i32> {
    let number = handle.generation() - 1;
    (number <= 0x7f).then(|| (handle.index() << 8 | number) as i32)
}

impl<const WORDS: usize> Subject for BytemapPool<Payload<WORDS>> {
    type Handle = ByteHandle;
    const RETAINS: bool = false;
    const CLEAR_FORGETS: bool = true;
    const EXHAUSTION_SHOWS: bool = false;

    fn insert(&mut self, number: u64) -> Option<ByteHandle> {
        self.insert(Payload::new(number)).ok().map(of_script)
    }

    fn insert_at(&mut self, handle: ByteHandle, number: u64) -> bool {
        for_script(handle)
            .is_some_and(|handle| self.insert_at(handle, Payload::new(number)).is_ok())
    }

    fn remove(&mut self, handle: ByteHandle) -> Option<Result<u64, WrittenOver>> {
        self.remove(for_script(handle)?).map(|payload| sound(&payload))
    }

    fn number(&self, handle: ByteHandle) -> Option<Result<u64, WrittenOver>> {
        self.get(for_script(handle)?).map(sound)
    }

    fn clear(&mut self) {
        self.clear();
    }

    fn visit(&self, mut see: impl FnMut(ByteHandle, Option<u64>)) {
        self.iter().for_each(|(handle, payload)| see(of_script(handle), payload.number()));
    }

    fn live(&self) -> usize {
        self.len()
    }

    fn retired(&self) -> usize {
        if self.is_full() { self.capacity() - self.len() } else { 0 }
    }

    fn validate(&self) -> Result<(), String> {
        self.validate().map_err(|violation| violation.to_string())
    }
}
