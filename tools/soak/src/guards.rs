//! Objects owned through guards: a box that returns itself to its pool or, for comparison, a box of the system's
//! allocator.

use std::ops::Deref;

use millpond::Handle;
use millpond_classic::{PoolAllocator, PoolBox};

use super::payload::Payload;
use super::subject::{Subject, WrittenOver};

/// The source of guards.
pub(super) trait Allocator<const WORDS: usize> {
    type Guard: Deref<Target = Payload<WORDS>>;
    /// Allocates all of its memory now, if possible.
    fn of_capacity(capacity: usize) -> Self;
    fn guard(&self, payload: Payload<WORDS>) -> Self::Guard;
    /// The number of guards, if known.
    fn guards(&self) -> Option<usize>;
}

/// The system's allocator.
pub(super) struct Malloc;

impl<const WORDS: usize> Allocator<WORDS> for Malloc {
    type Guard = Box<Payload<WORDS>>;

    fn of_capacity(_capacity: usize) -> Self {
        Self
    }
    fn guard(&self, payload: Payload<WORDS>) -> Box<Payload<WORDS>> {
        Box::new(payload)
    }
    fn guards(&self) -> Option<usize> {
        None
    }
}

impl<const WORDS: usize> Allocator<WORDS> for PoolAllocator<Payload<WORDS>> {
    type Guard = PoolBox<Payload<WORDS>>;

    fn of_capacity(capacity: usize) -> Self {
        let pool = Self::new();
        pool.reserve(capacity).expect("memory for the pool");
        pool
    }
    fn guard(&self, payload: Payload<WORDS>) -> PoolBox<Payload<WORDS>> {
        self.alloc(payload)
    }
    fn guards(&self) -> Option<usize> {
        Some(self.len())
    }
}

/// Guards, found by index and generation.
pub(super) struct Guards<A: Allocator<WORDS>, const WORDS: usize> {
    allocator: A,
    slots: Vec<(u32, Option<A::Guard>)>,
    free: Vec<u32>,
}

impl<A: Allocator<WORDS>, const WORDS: usize> Guards<A, WORDS> {
    pub(super) fn new(capacity: usize) -> Self {
        let slots = (0..capacity).map(|_| (1, None)).collect();
        let free = (0..capacity as u32).rev().collect();
        Self { allocator: A::of_capacity(capacity), slots, free }
    }
}

impl<A: Allocator<WORDS>, const WORDS: usize> Subject for Guards<A, WORDS> {
    type Handle = Handle<()>;
    /// A slot in the middle of the stack of free ones cannot be claimed.
    const CLAIMS: bool = false;

    fn insert(&mut self, number: u64) -> Option<Self::Handle> {
        let index = self.free.pop()?;
        let (generation, place) = &mut self.slots[index as usize];
        *place = Some(self.allocator.guard(Payload::new(number)));
        Handle::from_parts(index, *generation)
    }

    fn remove(&mut self, handle: Handle<()>) -> Option<Result<u64, WrittenOver>> {
        let (now, place) = &mut self.slots[handle.index() as usize];
        let payload = place.take_if(|_| *now == handle.generation())?;
        *now += 1;
        self.free.push(handle.index());
        Some(payload.number().ok_or(WrittenOver))
    }

    fn number(&self, handle: Handle<()>) -> Option<Result<u64, WrittenOver>> {
        let (now, place) = &self.slots[handle.index() as usize];
        let payload = place.as_ref().filter(|_| *now == handle.generation())?;
        Some(payload.number().ok_or(WrittenOver))
    }

    fn retain(&mut self, mut keep: impl FnMut(u64) -> bool) {
        for index in 0..self.slots.len() {
            let (generation, place) = &self.slots[index];
            let number = place.as_ref().and_then(|payload| payload.number());
            if number.is_some_and(|number| !keep(number))
                && let Some(handle) = Handle::from_parts(index as u32, *generation)
            {
                let _ = self.remove(handle);
            }
        }
    }

    fn clear(&mut self) {
        self.retain(|_| false);
    }

    fn visit(&self, mut see: impl FnMut(Self::Handle, Option<u64>)) {
        for (index, (generation, place)) in self.slots.iter().enumerate() {
            let handle = Handle::from_parts(index as u32, *generation);
            if let (Some(handle), Some(payload)) = (handle, place) {
                see(handle, payload.number());
            }
        }
    }

    fn live(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    fn validate(&self) -> Result<(), String> {
        match self.allocator.guards() {
            Some(guards) if guards != self.live() => {
                Err(format!("the pool counts {guards} guards, there are {}", self.live()))
            }
            _ => Ok(()),
        }
    }
}
