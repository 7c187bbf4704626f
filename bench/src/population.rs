//! A store in a given state: full, or thinned out at random places.

use std::hint::black_box;
use std::mem::MaybeUninit;
use std::time::{Duration, Instant};

use crate::contender::Contender;
use crate::object::Object;
use crate::random::Random;

/// A contender's store with objects in it, and the program's keys of them, in random order.
pub(crate) struct Population<C: Contender, const P: usize> {
    pub(crate) store: C::Store<Object<P>>,
    pub(crate) keys: Vec<C::Key<Object<P>>>,
    pub(crate) random: Random,
    /// The number of the next object to be made.
    pub(crate) next: u32,
}

impl<C: Contender, const P: usize> Population<C, P> {
    /// Room for `slots` objects, and none in it. `None` if the contender's keys are too small for it.
    pub(crate) fn empty(slots: usize) -> Option<Self> {
        Some(Self::of(C::new(slots)?, slots))
    }

    /// As `empty`, but a store that can grow starts with little room.
    pub(crate) fn growing(slots: usize) -> Option<Self> {
        Some(Self::of(C::new_growing(slots)?, slots))
    }

    fn of(store: C::Store<Object<P>>, slots: usize) -> Self {
        let (keys, random) = (Vec::with_capacity(slots), Random::new(slots as u64));
        Self { store, keys, random, next: 0 }
    }

    /// Touches the keys' pages, which are the harness's, before a clock starts.
    pub(crate) fn touch_keys(&mut self) {
        self.keys.spare_capacity_mut().fill(MaybeUninit::zeroed());
    }

    /// Inserts an object; returns how long that took.
    pub(crate) fn insert_timed(&mut self) -> Duration {
        let start = Instant::now();
        self.insert();
        black_box(&mut self.store);
        start.elapsed()
    }

    /// All slots live.
    pub(crate) fn full(slots: usize) -> Option<Self> {
        let mut population = Self::empty(slots)?;
        for _ in 0..slots {
            population.insert();
        }
        let Self { random, keys, .. } = &mut population;
        random.shuffle(keys);
        Some(population)
    }

    /// Filled, and then emptied at random places until `percent` of the slots are live.
    pub(crate) fn thinned(slots: usize, percent: usize) -> Option<Self> {
        Self::thinned_to(slots * percent / 100, slots)
    }

    /// Filled, and then emptied at random places until `live` of the slots are live.
    pub(crate) fn thinned_to(live: usize, slots: usize) -> Option<Self> {
        let mut population = Self::full(slots)?;
        if C::KEYS_LAST && (C::REMOVES || live == slots) {
            for key in population.keys.drain(live..) {
                C::remove(&mut population.store, key);
            }
        } else if C::KEYS_LAST {
            return None;
        } else {
            population.keep_first(live, slots)?;
        }
        Some(population)
    }

    /// As `thinned`, for those whose keys do not survive removals: puts in only what stays.
    fn keep_first(&mut self, live: usize, slots: usize) -> Option<()> {
        let mut store = C::new(slots)?;
        let kept = self.keys[..live].iter().map(|&key| *C::get(&self.store, key));
        let keys = kept.map(|object| C::insert(&mut store, object)).collect();
        self.keys = keys;
        self.store = store;
        Some(())
    }

    /// One more object, its key kept.
    #[inline(always)]
    pub(crate) fn insert(&mut self) {
        let object = self.make();
        self.keys.push(C::insert(&mut self.store, object));
    }

    /// The next object.
    #[inline(always)]
    pub(crate) fn make(&mut self) -> Object<P> {
        let object = Object::new(self.next);
        self.next = self.next.wrapping_add(1);
        object
    }

    /// A sum over all live objects, by key.
    pub(crate) fn sum_by_key(&self) -> u64 {
        self.keys.iter().map(|&key| u64::from(C::get(&self.store, key).x())).sum()
    }

    /// A sum over all live objects, for when the keys are no longer known.
    pub(crate) fn sum_by_walk(&mut self) -> u64 {
        let mut sum = 0;
        C::walk_for(&mut self.store, &[], |object| sum += u64::from(object.x()));
        sum
    }
}

impl<C: Contender, const P: usize> Drop for Population<C, P> {
    fn drop(&mut self) {
        C::dispose(&mut self.store, &self.keys);
    }
}
