//! Replay: the births and deaths of a real program, one store for each class, as large as the class ever
//! was. The time is per event.

use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::LazyLock;
use std::time::Instant;

use super::{Case, Work};
use crate::contender::Contender;
use crate::measure::{Lap, Timed};
use crate::object::{Large, Medium, Object, Small, Value};
use crate::traces::{self, Trace};

/// A trace to replay.
pub(crate) trait Source: 'static {
    fn trace() -> &'static Trace;
}

/// Freedoom 2 MAP01, eight bots.
pub(crate) struct Bots;

impl Source for Bots {
    fn trace() -> &'static Trace {
        static TRACE: LazyLock<Trace> = LazyLock::new(traces::freedoom_bots);
        &TRACE
    }
}

/// Freedoom 2 MAP15, one player.
pub(crate) struct Solo;

impl Source for Solo {
    fn trace() -> &'static Trace {
        static TRACE: LazyLock<Trace> = LazyLock::new(traces::freedoom_solo);
        &TRACE
    }
}

/// OpenTTD, allocations of up to 256 bytes.
pub(crate) struct Heap;

impl Source for Heap {
    fn trace() -> &'static Trace {
        // Unoptimised, in the tests, all of them would take a quarter of a minute.
        const LIFETIMES: usize = if cfg!(test) { 20_000 } else { usize::MAX };
        static TRACE: LazyLock<Trace> =
            LazyLock::new(|| traces::openttd_small().beginning(LIFETIMES));
        &TRACE
    }
}

/// See the module: objects of one size, whatever the class.
pub(crate) struct Replay<S>(PhantomData<S>);

/// A lap has at least so many events.
const EVENTS: usize = 100_000;

impl<S: Source> Work for Replay<S> {
    fn prepare<C: Contender, const P: usize>(_case: Case) -> Option<Box<dyn Lap>> {
        (C::KEYS_LAST && C::REMOVES).then_some(())?;
        let stores = S::trace().peaks.iter().map(|&peak| C::new::<Object<P>>(peak));
        let stores = stores.collect::<Option<Vec<_>>>()?;
        let keys = vec![None; S::trace().lifetimes];
        Some(Box::new(Run::<C, P> { trace: S::trace(), stores, keys, sum: 0 }))
    }
}

struct Run<C: Contender, const P: usize> {
    trace: &'static Trace,
    stores: Vec<C::Store<Object<P>>>,
    /// By lifetime.
    keys: Vec<Option<C::Key<Object<P>>>>,
    sum: u64,
}

impl<C: Contender, const P: usize> Lap for Run<C, P> {
    fn lap(&mut self) -> Timed {
        let times = EVENTS.div_ceil(self.trace.events.len());
        let start = Instant::now();
        for _ in 0..times {
            for event in &self.trace.events {
                let store = &mut self.stores[usize::from(event.class)];
                let key = &mut self.keys[event.lifetime as usize];
                self.sum +=
                    step::<C, Object<P>>(store, key, event.birth, || Object::new(event.lifetime));
            }
        }
        black_box(self.sum);
        Timed::whole(start.elapsed(), times * self.trace.events.len())
    }

    fn checksum(&mut self) -> Option<u64> {
        Some(self.sum)
    }
}

/// Replays an allocator's trace with objects of its five sizes.
pub(crate) struct ReplayHeap;

impl Work for ReplayHeap {
    fn prepare<C: Contender, const P: usize>(_case: Case) -> Option<Box<dyn Lap>> {
        (C::KEYS_LAST && C::REMOVES).then_some(())?;
        let trace = Heap::trace();
        let sizes = Sizes::<C> {
            small: SizeClass::new(trace, 0)?,
            small_2: SizeClass::new(trace, 1)?,
            medium: SizeClass::new(trace, 2)?,
            medium_2: SizeClass::new(trace, 3)?,
            large: SizeClass::new(trace, 4)?,
        };
        Some(Box::new(RunHeap { sizes, sum: 0 }))
    }
}

/// A store for each of [`traces::HEAP_SIZES`].
struct Sizes<C: Contender> {
    small: SizeClass<C, Small>,
    small_2: SizeClass<C, Object<4>>,
    medium: SizeClass<C, Medium>,
    medium_2: SizeClass<C, Object<28>>,
    large: SizeClass<C, Large>,
}

struct SizeClass<C: Contender, T: Value> {
    store: C::Store<T>,
    keys: Vec<Option<C::Key<T>>>,
}

impl<C: Contender, T: Value> SizeClass<C, T> {
    fn new(trace: &Trace, class: usize) -> Option<Self> {
        Some(Self { store: C::new(trace.peaks[class])?, keys: vec![None; trace.lifetimes] })
    }
}

struct RunHeap<C: Contender> {
    sizes: Sizes<C>,
    sum: u64,
}

impl<C: Contender> Lap for RunHeap<C> {
    fn lap(&mut self) -> Timed {
        let trace = Heap::trace();
        let Sizes { small, small_2, medium, medium_2, large } = &mut self.sizes;
        let start = Instant::now();
        for event in &trace.events {
            let at = event.lifetime as usize;
            self.sum += match event.class {
                0 => step::<C, _>(&mut small.store, &mut small.keys[at], event.birth, || {
                    Object::new(at as u32)
                }),
                1 => step::<C, _>(&mut small_2.store, &mut small_2.keys[at], event.birth, || {
                    Object::new(at as u32)
                }),
                2 => step::<C, _>(&mut medium.store, &mut medium.keys[at], event.birth, || {
                    Object::new(at as u32)
                }),
                3 => step::<C, _>(&mut medium_2.store, &mut medium_2.keys[at], event.birth, || {
                    Object::new(at as u32)
                }),
                _ => step::<C, _>(&mut large.store, &mut large.keys[at], event.birth, || {
                    Object::new(at as u32)
                }),
            };
        }
        black_box(self.sum);
        Timed::whole(start.elapsed(), trace.events.len())
    }

    fn checksum(&mut self) -> Option<u64> {
        Some(self.sum)
    }
}

/// One event; returns what it adds to the checksum.
#[inline(always)]
fn step<C: Contender, T: Summed>(
    store: &mut C::Store<T>,
    key: &mut Option<C::Key<T>>,
    birth: bool,
    make: impl FnOnce() -> T,
) -> u64 {
    if birth {
        *key = Some(C::insert(store, make()));
        return 0;
    }
    let key = key.take().expect("born before");
    C::remove(store, key).part()
}

/// What a replayed object adds to the checksum.
trait Summed: Value {
    fn part(&self) -> u64;
}

impl<const P: usize> Summed for Object<P> {
    #[inline(always)]
    fn part(&self) -> u64 {
        u64::from(self.x())
    }
}
