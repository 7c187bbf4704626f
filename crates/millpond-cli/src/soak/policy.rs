//! A pool with an overflow policy chosen at run time, as a subject of a soak: one that spills into a second pool.

use millpond::overflow::{Overflow, PolicyPool};
use millpond::{Handle, Pool, Stats};

use super::payload::Payload;
use super::pools::sound;
use super::subject::{Subject, WrittenOver};

/// A pool of this many slots, half of which are those that it spills into.
pub(super) fn spilling<const WORDS: usize>(capacity: usize) -> PolicyPool<Payload<WORDS>> {
    let first = capacity / 2;
    PolicyPool::new(Overflow::Spill, Pool::builder().capacity(first), capacity - first)
}

impl<const WORDS: usize> Subject for PolicyPool<Payload<WORDS>> {
    type Handle = Handle<Payload<WORDS>>;

    fn slot(handle: Self::Handle) -> usize {
        handle.index() as usize
    }

    /// Combined pools have no insertion at a known handle.
    fn next_lifetime(_handle: Self::Handle) -> Option<Self::Handle> {
        None
    }

    fn insert(&mut self, number: u64) -> Option<Self::Handle> {
        // This policy evicts nothing, so the key is never used.
        self.insert_by(Payload::new(number), |_, _| 0).ok().map(|(handle, _)| handle)
    }

    fn insert_at(&mut self, _handle: Self::Handle, _number: u64) -> bool {
        false
    }

    fn remove(&mut self, handle: Self::Handle) -> Option<Result<u64, WrittenOver>> {
        PolicyPool::remove(self, handle).map(|payload| sound(&payload))
    }

    fn number(&self, handle: Self::Handle) -> Option<Result<u64, WrittenOver>> {
        self.get(handle).map(sound)
    }

    fn retain(&mut self, mut keep: impl FnMut(u64) -> bool) {
        PolicyPool::retain(self, |_, payload| payload.number().is_none_or(&mut keep));
    }

    fn clear(&mut self) {
        PolicyPool::clear(self);
    }

    fn visit(&self, mut see: impl FnMut(Self::Handle, Option<u64>)) {
        self.iter().for_each(|(handle, payload)| see(handle, payload.number()));
    }

    fn live(&self) -> usize {
        self.len()
    }

    fn retired(&self) -> usize {
        PolicyPool::stats(self).retired
    }

    fn stats(&self) -> Option<Stats> {
        Some(PolicyPool::stats(self))
    }

    fn validate(&self) -> Result<(), String> {
        self.first().validate().map_err(|violation| violation.to_string())?;
        self.second().validate().map_err(|violation| violation.to_string())
    }
}
