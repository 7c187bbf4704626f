//! Which places of a population are taken.

use millpond::overflow::Bounded;
use millpond::pool::Handles;
use millpond::recorder::Recorder;
use millpond::reuse::Lifo;
use millpond::{Handle, HandleAllocator, Stats};

/// The places, and those among them that one member has left and another may have at once: the allocator counts these as
/// taken until it is asked for anything else.
///
/// So a life that begins where another has just ended writes nothing to the allocator. Lives end in any order, and what the
/// allocator has of a place is seldom in a cache then.
pub(super) struct Places<M> {
    all: HandleAllocator<Lifo, Handle<M>>,
    /// No place is in it twice, and each is taken, and has no member. It never grows.
    passed_on: Vec<u32>,
    /// How many lives have begun in such a place.
    taken_over: u64,
}

/// As many as end in a frame before others begin.
const PASSED_ON_MAX: usize = 1024;

impl<M: 'static> Places<M> {
    /// If the order of the places, or their generations, mean something, none `is_passed_on`.
    pub(super) fn new(all: HandleAllocator<Lifo, Handle<M>>, is_passed_on: bool) -> Self {
        let limit = if is_passed_on { all.capacity().min(PASSED_ON_MAX) } else { 0 };
        Self { all, passed_on: Vec::with_capacity(limit), taken_over: 0 }
    }

    #[inline]
    pub(super) fn capacity(&self) -> usize {
        self.all.capacity()
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.all.len() - self.passed_on.len()
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.passed_on.is_empty() && self.all.is_full()
    }

    #[inline]
    pub(super) fn stats(&self) -> Stats {
        let mut stats = self.all.stats();
        stats.live = self.len();
        stats.inserted += self.taken_over;
        stats.removed += self.taken_over + self.passed_on.len() as u64;
        stats
    }

    /// A recorder hears of each life: no place is passed on any more.
    pub(super) fn record(&mut self, recorder: &Recorder) {
        self.all().record(recorder);
        self.passed_on = Vec::new();
    }

    /// Whether the place that this handle was given for is still taken for it.
    #[inline]
    pub(super) fn contains(&mut self, handle: Handle<M>) -> bool {
        self.all().contains(handle)
    }

    #[inline]
    pub(super) fn handle_at(&self, place: usize) -> Option<Handle<M>> {
        self.all.handle_at(place)
    }

    /// Iterates over the places that are taken, and those that may have been passed on.
    pub(super) fn handles(&self) -> Handles<'_, Lifo, Handle<M>> {
        self.all.handles()
    }

    /// Takes a place if there is one.
    #[inline]
    pub(super) fn take_any(&mut self) -> Option<u32> {
        match self.take_over() {
            None => Bounded::insert_if_room(&mut self.all, ()).ok().map(|handle| handle.index()),
            place => place,
        }
    }

    /// The same; if there is none, that is counted.
    pub(super) fn acquire(&mut self) -> Option<Handle<M>> {
        match self.take_over() {
            Some(place) => self.all.handle_at(place as usize),
            None => self.all.acquire(),
        }
    }

    /// Takes a place that was passed on.
    #[inline]
    fn take_over(&mut self) -> Option<u32> {
        let place = self.passed_on.pop()?;
        self.taken_over += 1;
        Some(place)
    }

    /// Makes a place vacant that its member has left, for the next one.
    #[inline]
    pub(super) fn pass_on(&mut self, place: usize) {
        if self.passed_on.len() < self.passed_on.capacity() {
            self.passed_on.push(place as u32);
        } else {
            self.all.remove_at(place);
        }
    }

    /// Makes a place vacant, if it is taken and was not passed on.
    #[inline]
    pub(super) fn remove_at(&mut self, place: usize) {
        self.all.remove_at(place);
    }

    /// Makes the places vacant in the allocator that were passed on.
    pub(super) fn settle(&mut self) {
        for place in self.passed_on.drain(..) {
            self.all.remove_at(place as usize);
        }
    }

    /// The allocator, which knows all that is vacant.
    #[inline]
    pub(super) fn all(&mut self) -> &mut HandleAllocator<Lifo, Handle<M>> {
        if !self.passed_on.is_empty() {
            self.settle();
        }
        &mut self.all
    }
}
