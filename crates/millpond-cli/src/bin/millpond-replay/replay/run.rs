//! The replay itself.

use std::hint::black_box;
use std::time::Instant;

use super::contender::{Contender, Way};
use super::object::{Object, Value};
use super::script::{Script, Step};

/// The number of events that are timed together: long compared with the clock, short compared with the machine's
/// disturbances.
pub(super) const STRETCH: usize = 1 << 14;

/// One lap.
pub(super) struct Lap {
    /// The nanoseconds of each stretch.
    pub(super) stretches: Vec<u64>,
    /// The sum of the numbers of all removed and all visited objects.
    pub(super) sum: u64,
}

/// The store of one class, and the keys that the program keeps.
struct Class<C: Contender, T: Value> {
    store: C::Store<T>,
    keys: Vec<Option<C::Key<T>>>,
}

impl<C: Contender, T: Value> Class<C, T> {
    fn new(capacity: usize) -> Self {
        Self { store: C::new(capacity), keys: (0..capacity).map(|_| None).collect() }
    }

    /// Carries out a birth, or a death, whose object's number it returns.
    #[inline(always)]
    fn step(&mut self, step: Step, number: u64) -> u64 {
        let key = &mut self.keys[step.place as usize];
        if step.is_birth {
            *key = C::insert(&mut self.store, number);
            return 0;
        }
        key.take().and_then(|key| C::remove(&mut self.store, key)).unwrap_or(0)
    }

    /// Visits all objects and returns the sum of their numbers.
    fn walk(&mut self, way: Way) -> u64 {
        C::walk(&mut self.store, &mut self.keys, way)
    }
}

/// The stores of all classes, by the size of their objects: a field for each of
/// [`SIZES`](super::object::SIZES).
macro_rules! stores {
    ($($size:literal: $field:ident = $words:literal),*) => {
        struct Stores<C: Contender> {
            $($field: Vec<Class<C, Object<$words>>>,)*
        }

        impl<C: Contender> Stores<C> {
            fn new(script: &Script) -> Self {
                Self { $($field: classes(script, $size),)* }
            }

            #[inline(always)]
            fn step(&mut self, step: Step, number: u64, way: Way) -> u64 {
                let store = usize::from(step.store);
                match step.size {
                    $($size => self.$field[store].step(step, number),)*
                    _ => self.walk(way),
                }
            }

            /// The sum of the numbers of all objects of all stores.
            #[inline(never)]
            fn walk(&mut self, way: Way) -> u64 {
                let mut sum = 0_u64;
                $(for class in &mut self.$field {
                    sum = sum.wrapping_add(class.walk(way));
                })*
                sum
            }
        }
    };
}
stores! {
    0: of_16 = 2, 1: of_32 = 4, 2: of_64 = 8, 3: of_128 = 16, 4: of_256 = 32, 5: of_512 = 64,
    6: of_1024 = 128, 7: of_2048 = 256, 8: of_4096 = 512
}

fn classes<C: Contender, T: Value>(script: &Script, size: usize) -> Vec<Class<C, T>> {
    script.capacities(size).iter().map(|&capacity| Class::new(capacity)).collect()
}

/// Replays the script this many times in new stores, and times it stretch by stretch.
pub(super) fn lap<C: Contender>(script: &Script, passes: usize, way: Way) -> Lap {
    let mut stores = Stores::<C>::new(script);
    let mut sum = 0_u64;
    let mut stretches = Vec::with_capacity(passes * script.steps().len().div_ceil(STRETCH));
    for _ in 0..passes {
        let mut number = 0;
        for stretch in script.steps().chunks(STRETCH) {
            let begun = Instant::now();
            for &step in stretch {
                number += u64::from(step.is_birth);
                sum = sum.wrapping_add(stores.step(step, number, way));
            }
            black_box(sum);
            stretches.push(u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX));
        }
    }
    Lap { stretches, sum }
}

/// Replays the script once in new stores, and times each event, but not the walks. Lowers the nanoseconds of each event
/// to its time if that is less, and returns the longest time.
pub(super) fn timed<C: Contender>(script: &Script, nanoseconds: &mut [u32], way: Way) -> u32 {
    let mut stores = Stores::<C>::new(script);
    let (mut sum, mut number, mut worst) = (0_u64, 0, 0);
    let mut nanoseconds = nanoseconds.iter_mut();
    for &step in script.steps() {
        if step.is_walk() {
            sum = sum.wrapping_add(stores.walk(way));
            continue;
        }
        let Some(least) = nanoseconds.next() else { break };
        number += u64::from(step.is_birth);
        let begun = Instant::now();
        sum = sum.wrapping_add(black_box(stores.step(step, number, way)));
        let took = u32::try_from(begun.elapsed().as_nanos()).unwrap_or(u32::MAX);
        *least = took.min(*least);
        worst = took.max(worst);
    }
    black_box(sum);
    worst
}
