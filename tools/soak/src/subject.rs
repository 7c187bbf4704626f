//! The operations of a soak on any pool.

use millpond::{HandleLayout, Stats};

/// A pool of numbered objects under test, or its substitute.
pub(super) trait Subject {
    type Handle: HandleLayout;

    /// Whether [`insert_at`](Self::insert_at) does anything.
    const CLAIMS: bool = true;
    /// Whether [`retain`](Self::retain) does anything.
    const RETAINS: bool = true;
    /// Whether the pool reports that a slot has no next lifetime.
    const EXHAUSTION_SHOWS: bool = true;
    /// Whether handles from before a [`clear`](Self::clear) may be issued again, by design.
    const CLEAR_FORGETS: bool = false;

    /// Inserts an object with this number; `None` if no slot is left.
    fn insert(&mut self, number: u64) -> Option<Self::Handle>;
    /// Inserts with exactly this handle; `false` if that is refused.
    fn insert_at(&mut self, _handle: Self::Handle, _number: u64) -> bool {
        false
    }
    /// Removes an object and returns its number; `Err` if the object was overwritten.
    fn remove(&mut self, handle: Self::Handle) -> Option<Result<u64, WrittenOver>>;
    /// The number of an object; `Err` if the object was overwritten.
    fn number(&self, handle: Self::Handle) -> Option<Result<u64, WrittenOver>>;
    /// Removes all objects except those whose number passes.
    fn retain(&mut self, _keep: impl FnMut(u64) -> bool) {}
    /// Removes all objects.
    fn clear(&mut self);
    /// Passes every live object to `see`, with its number unless it was overwritten.
    fn visit(&self, see: impl FnMut(Self::Handle, Option<u64>));

    fn live(&self) -> usize;
    fn retired(&self) -> usize {
        Subject::stats(self).map_or(0, |stats| stats.retired)
    }
    /// The pool's own counters.
    fn stats(&self) -> Option<Stats> {
        None
    }
    /// Checks the pool's invariants.
    fn validate(&self) -> Result<(), String>;
}

/// An object is not as it was inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WrittenOver;

/// A handle of any subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bits(u64);

impl Bits {
    fn of<H: HandleLayout>(handle: H) -> Self {
        Self(handle.to_bits())
    }

    fn handle<H: HandleLayout>(self) -> H {
        H::from_bits(self.0).expect("the bits are those of a handle of this layout")
    }
}

/// Any subject, so that what works on it is compiled once.
pub(super) trait AnySubject {
    fn retains(&self) -> bool;
    fn exhaustion_shows(&self) -> bool;
    fn clear_forgets(&self) -> bool;
    /// Whether the pool can insert at a given handle.
    fn claims(&self) -> bool;

    fn insert(&mut self, number: u64) -> Option<Bits>;
    fn insert_at(&mut self, handle: Bits, number: u64) -> bool;
    fn remove(&mut self, handle: Bits) -> Option<Result<u64, WrittenOver>>;
    fn number(&self, handle: Bits) -> Option<Result<u64, WrittenOver>>;
    fn retain(&mut self, keep: &mut dyn FnMut(u64) -> bool);
    fn clear(&mut self);
    fn visit(&self, see: &mut dyn FnMut(Bits, Option<u64>));

    /// The slot that a handle names.
    fn slot(&self, handle: Bits) -> usize;
    /// The handle's generation.
    fn generation(&self, handle: Bits) -> u32;
    /// The handle of a slot and a generation, if the layout has one.
    fn handle(&self, slot: u32, generation: u32) -> Option<Bits>;
    /// The handle of the slot's next lifetime, if its layout has one and the pool can insert with it.
    fn next_lifetime(&self, handle: Bits) -> Option<Bits>;
    /// A handle as it is printed.
    fn tell(&self, handle: Bits) -> String;

    fn live(&self) -> usize;
    fn retired(&self) -> usize;
    fn stats(&self) -> Option<Stats>;
    fn validate(&self) -> Result<(), String>;
}

pub(super) fn any(subject: impl Subject + 'static) -> Box<dyn AnySubject> {
    Box::new(subject)
}

impl<S: Subject> AnySubject for S {
    fn retains(&self) -> bool {
        S::RETAINS
    }
    fn exhaustion_shows(&self) -> bool {
        S::EXHAUSTION_SHOWS
    }
    fn clear_forgets(&self) -> bool {
        S::CLEAR_FORGETS
    }
    fn claims(&self) -> bool {
        S::CLAIMS
    }

    fn insert(&mut self, number: u64) -> Option<Bits> {
        Subject::insert(self, number).map(Bits::of)
    }
    fn insert_at(&mut self, handle: Bits, number: u64) -> bool {
        Subject::insert_at(self, handle.handle(), number)
    }
    fn remove(&mut self, handle: Bits) -> Option<Result<u64, WrittenOver>> {
        Subject::remove(self, handle.handle())
    }
    fn number(&self, handle: Bits) -> Option<Result<u64, WrittenOver>> {
        Subject::number(self, handle.handle())
    }
    fn retain(&mut self, keep: &mut dyn FnMut(u64) -> bool) {
        Subject::retain(self, keep);
    }
    fn clear(&mut self) {
        Subject::clear(self);
    }
    fn visit(&self, see: &mut dyn FnMut(Bits, Option<u64>)) {
        Subject::visit(self, |handle, number| see(Bits::of(handle), number));
    }

    fn slot(&self, handle: Bits) -> usize {
        handle.handle::<S::Handle>().index() as usize
    }
    fn generation(&self, handle: Bits) -> u32 {
        handle.handle::<S::Handle>().generation()
    }
    fn handle(&self, slot: u32, generation: u32) -> Option<Bits> {
        S::Handle::from_parts(slot, generation).map(Bits::of)
    }
    fn next_lifetime(&self, handle: Bits) -> Option<Bits> {
        let handle: S::Handle = handle.handle();
        let next = S::Handle::from_parts(handle.index(), handle.generation() + 1);
        next.filter(|_| S::CLAIMS).map(Bits::of)
    }
    fn tell(&self, handle: Bits) -> String {
        format!("{:?}", handle.handle::<S::Handle>())
    }

    fn live(&self) -> usize {
        Subject::live(self)
    }
    fn retired(&self) -> usize {
        Subject::retired(self)
    }
    fn stats(&self) -> Option<Stats> {
        Subject::stats(self)
    }
    fn validate(&self) -> Result<(), String> {
        Subject::validate(self)
    }
}
