//! The objects in the pools of a soak, which detect that they were overwritten.

use std::cell::Cell;

thread_local! {
    static MADE: Cell<u64> = const { Cell::new(0) };
    static DROPPED: Cell<u64> = const { Cell::new(0) };
}

/// The numbers of objects that this thread has made and dropped.
pub(super) fn made_and_dropped() -> (u64, u64) {
    (MADE.get(), DROPPED.get())
}

/// An object that contains its number many times.
#[derive(Debug)]
pub(super) struct Payload<const WORDS: usize> {
    number: u64,
    echoes: [u64; WORDS],
}

impl<const WORDS: usize> Payload<WORDS> {
    pub(super) fn new(number: u64) -> Self {
        MADE.set(MADE.get() + 1);
        Self { number, echoes: Self::echoes(number) }
    }

    /// The number, unless the object was overwritten.
    pub(super) fn number(&self) -> Option<u64> {
        (self.echoes == Self::echoes(self.number)).then_some(self.number)
    }

    pub(super) fn set(&mut self, number: u64) {
        self.number = number;
        self.echoes = Self::echoes(number);
    }

    fn echoes(number: u64) -> [u64; WORDS] {
        std::array::from_fn(|place| !number.rotate_left(place as u32))
    }
}

impl<const WORDS: usize> Default for Payload<WORDS> {
    fn default() -> Self {
        Self::new(0)
    }
}

impl<const WORDS: usize> Drop for Payload<WORDS> {
    fn drop(&mut self) {
        DROPPED.set(DROPPED.get() + 1);
    }
}
