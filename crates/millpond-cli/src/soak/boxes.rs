//! The same work with a block of the system's allocator for each object, to compare with.

use super::payload::Payload;
use super::subject::{Subject, WrittenOver};

/// Objects in boxes, found by index and generation.
pub(super) struct Boxes<const WORDS: usize> {
    slots: Vec<(u64, Option<Box<Payload<WORDS>>>)>,
    free: Vec<u32>,
}

impl<const WORDS: usize> Boxes<WORDS> {
    pub(super) fn new(capacity: usize) -> Self {
        let slots = (0..capacity).map(|_| (1, None)).collect();
        Self { slots, free: (0..capacity as u32).rev().collect() }
    }
}

impl<const WORDS: usize> Subject for Boxes<WORDS> {
    type Handle = (u32, u64);

    fn slot(handle: Self::Handle) -> usize {
        handle.0 as usize
    }

    /// A slot anywhere in the stack of free ones cannot be claimed.
    fn next_lifetime(_handle: Self::Handle) -> Option<Self::Handle> {
        None
    }

    fn insert(&mut self, number: u64) -> Option<Self::Handle> {
        let index = self.free.pop()?;
        let (generation, place) = &mut self.slots[index as usize];
        *place = Some(Box::new(Payload::new(number)));
        Some((index, *generation))
    }

    fn insert_at(&mut self, _handle: Self::Handle, _number: u64) -> bool {
        false
    }

    fn remove(&mut self, (index, generation): Self::Handle) -> Option<Result<u64, WrittenOver>> {
        let (now, place) = &mut self.slots[index as usize];
        let payload = place.take_if(|_| *now == generation)?;
        *now += 1;
        self.free.push(index);
        Some(payload.number().ok_or(WrittenOver))
    }

    fn number(&self, (index, generation): Self::Handle) -> Option<Result<u64, WrittenOver>> {
        let (now, place) = &self.slots[index as usize];
        let payload = place.as_ref().filter(|_| *now == generation)?;
        Some(payload.number().ok_or(WrittenOver))
    }

    fn retain(&mut self, mut keep: impl FnMut(u64) -> bool) {
        for index in 0..self.slots.len() {
            let (generation, place) = &self.slots[index];
            let number = place.as_ref().and_then(|payload| payload.number());
            if number.is_some_and(|number| !keep(number)) {
                let handle = (index as u32, *generation);
                let _ = self.remove(handle);
            }
        }
    }

    fn clear(&mut self) {
        self.retain(|_| false);
    }

    fn visit(&self, mut see: impl FnMut(Self::Handle, Option<u64>)) {
        for (index, (generation, place)) in self.slots.iter().enumerate() {
            if let Some(payload) = place {
                see((index as u32, *generation), payload.number());
            }
        }
    }

    fn live(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    fn retired(&self) -> usize {
        0
    }

    fn validate(&self) -> Result<(), String> {
        Ok(())
    }
}
