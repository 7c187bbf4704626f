//! Small worlds, completely: every sequence of operations on pools of 0 to 3 slots, up to a length,
//! against a plain model, in every reuse order, with slots that retire, wrap or do neither.
//!
//! After every operation of every sequence the pool checks its invariants, its statistics are those
//! of the model, and every handle of a small universe (each index and one beyond, each generation
//! and those beyond) is good exactly if the model says so. What must be refused, or must change
//! nothing (a hostile handle, a constructor or a key that panics), is tried at every point and
//! followed by the same checks.

mod common;

use std::cell::Cell;
use std::panic::resume_unwind;
use std::thread::{self, JoinHandle};

use common::{Vacant, in_every_order, panics, quiet_panic};
use millpond::reuse::ReuseOrder;
use millpond::{Handle, Handle32, HandleLayout, InsertAtErrorKind, Pool, Stats};

thread_local! {
    static ALIVE: Cell<i64> = const { Cell::new(0) };
    /// The value whose drop panics.
    static ARMED: Cell<Option<u32>> = const { Cell::new(None) };
}

#[derive(Debug)]
struct Value(u32);

impl Value {
    fn new(id: u32) -> Self {
        ALIVE.set(ALIVE.get() + 1);
        Self(id)
    }
}

impl Clone for Value {
    fn clone(&self) -> Self {
        Self::new(self.0)
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        ALIVE.set(ALIVE.get() - 1);
        if ARMED.get() == Some(self.0) {
            ARMED.set(None);
            quiet_panic();
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum End {
    Retires,
    Wraps,
}

/// How many lifetimes each slot has, and what comes after them.
#[derive(Clone, Copy)]
struct Rules {
    lifetimes: u32,
    end: End,
}

/// The largest generation in the universe; a slot without a limit does not come so far.
const GENERATION_MAX: u32 = 9;

#[derive(Clone, Copy, Default)]
struct Slot {
    live: Option<u32>,
    /// The generation of the live object, or the one that comes next.
    generation: u32,
    retired: bool,
}

#[derive(Clone)]
struct Model {
    rules: Rules,
    slots: Vec<Slot>,
    vacant: Vacant,
    stats: Stats,
    ids: u32,
}

impl Model {
    fn new(capacity: usize, order: &'static str, rules: Rules) -> Self {
        let mut stats = Stats::default();
        stats.capacity = capacity;
        Self {
            rules,
            slots: vec![Slot { live: None, generation: 1, retired: false }; capacity],
            vacant: Vacant::new(order, capacity),
            stats,
            ids: 0,
        }
    }

    fn live(&self) -> Vec<usize> {
        (0..self.slots.len()).filter(|&index| self.slots[index].live.is_some()).collect()
    }

    fn begin(&mut self, index: usize, generation: u32) -> u32 {
        self.ids += 1;
        self.slots[index].live = Some(self.ids);
        self.slots[index].generation = generation;
        self.stats.inserted += 1;
        self.stats.live += 1;
        self.stats.peak = self.stats.peak.max(self.stats.live);
        self.ids
    }

    fn insert(&mut self) -> Option<(usize, u32)> {
        let Some(index) = self.vacant.take() else {
            self.stats.refused += 1;
            return None;
        };
        let generation = self.slots[index].generation;
        self.begin(index, generation);
        Some((index, generation))
    }

    /// Why an insertion at this index and generation is refused, if it is.
    fn refuses(&self, index: usize, generation: u32) -> Option<InsertAtErrorKind> {
        let Some(slot) = self.slots.get(index) else { return Some(InsertAtErrorKind::OutOfRange) };
        if slot.retired {
            Some(InsertAtErrorKind::Retired)
        } else if slot.live.is_some() {
            Some(InsertAtErrorKind::Occupied)
        } else if generation > self.rules.lifetimes {
            Some(InsertAtErrorKind::BeyondLifetimes)
        } else if self.rules.end == End::Retires && generation < slot.generation {
            Some(InsertAtErrorKind::Stale)
        } else {
            None
        }
    }

    fn insert_at(&mut self, index: usize, generation: u32) {
        self.vacant.claim(index);
        self.begin(index, generation);
    }

    /// Whether a live slot can be used again after its object.
    fn has_another_lifetime(&self, index: usize) -> bool {
        self.rules.end == End::Wraps || self.slots[index].generation < self.rules.lifetimes
    }

    /// Ends a lifetime; whether the slot is vacant now.
    fn end(&mut self, index: usize) -> bool {
        let slot = &mut self.slots[index];
        slot.live = None;
        slot.generation += 1;
        self.stats.live -= 1;
        self.stats.removed += 1;
        if slot.generation > self.rules.lifetimes {
            slot.generation = 1;
            slot.retired = self.rules.end == End::Retires;
            self.stats.retired += usize::from(slot.retired);
        }
        !slot.retired
    }

    fn remove(&mut self, index: usize) {
        if self.end(index) {
            self.vacant.give_back(index);
        }
    }

    /// The order starts from the lowest again.
    fn reset(&mut self) {
        let vacant =
            |index: &usize| self.slots[*index].live.is_none() && !self.slots[*index].retired;
        self.vacant.reset((0..self.slots.len()).filter(vacant));
    }
}

/// One step that a sequence can take; slots are named by index.
#[derive(Clone, Copy, Debug)]
enum Step {
    Insert,
    InsertAt(usize, u32),
    Remove(usize),
    /// The slots of the mask stay.
    Retain(u32),
    /// The predicate removes those before this slot and panics at it.
    RetainPanics(usize),
    Extract(u32),
    DrainFront(usize),
    DrainBack(usize),
    Drain,
    Clear,
    /// The drop of this slot's value panics.
    ClearPanics(usize),
    RemovePanics(usize),
    EvictLowest,
    EvictHighest,
}

/// The steps that can be taken, each of which does something.
fn steps(model: &Model) -> Vec<Step> {
    let live = model.live();
    let masks = 0..1_u32 << model.slots.len();
    // Masks that differ in dead slots do the same.
    let all: u32 = live.iter().map(|index| 1 << index).sum();
    let masks = masks.filter(|mask| mask & !all == 0 && *mask != all);
    let mut steps = vec![Step::Insert, Step::Clear];
    steps.extend(live.iter().flat_map(|&index| {
        [Step::Remove(index), Step::RemovePanics(index), Step::ClearPanics(index)]
    }));
    steps.extend(live.iter().map(|&index| Step::RetainPanics(index)));
    steps.extend(masks.flat_map(|mask| [Step::Retain(mask), Step::Extract(mask)]));
    steps.extend(
        (1..=live.len()).flat_map(|taken| [Step::DrainFront(taken), Step::DrainBack(taken)]),
    );
    if !live.is_empty() {
        steps.push(Step::Drain);
    }
    for index in 0..model.slots.len() {
        let next = model.slots[index].generation;
        let generations = [1, next, next + 1];
        for (place, &generation) in generations.iter().enumerate() {
            let again = generations[..place].contains(&generation);
            if !again && model.refuses(index, generation).is_none() {
                steps.push(Step::InsertAt(index, generation));
            }
        }
    }
    if model.vacant.next().is_some() || live.iter().any(|&index| model.has_another_lifetime(index))
    {
        steps.extend([Step::EvictLowest, Step::EvictHighest]);
    }
    steps
}

fn handle<H: HandleLayout>(model: &Model, index: usize) -> H {
    H::from_parts(index as u32, model.slots[index].generation).unwrap()
}

/// Takes a step on both sides.
fn take<R: ReuseOrder, H: HandleLayout>(
    pool: &mut Pool<Value, R, H>,
    model: &mut Model,
    step: Step,
) {
    let live = model.live();
    match step {
        Step::Insert => {
            let inserted = pool.insert(Value::new(model.ids + 1));
            match model.insert() {
                Some((index, generation)) => {
                    assert_eq!(inserted.unwrap(), H::from_parts(index as u32, generation).unwrap());
                }
                None => assert_eq!(inserted.unwrap_err().into_inner().0, model.ids + 1),
            }
        }
        Step::InsertAt(index, generation) => {
            let handle = H::from_parts(index as u32, generation).unwrap();
            assert_eq!(pool.insert_at(handle, Value::new(model.ids + 1)).unwrap(), handle);
            model.insert_at(index, generation);
        }
        Step::Remove(index) => {
            let value = pool.remove(handle(model, index)).unwrap();
            assert_eq!(Some(value.0), model.slots[index].live);
            model.remove(index);
        }
        Step::RemovePanics(index) => {
            ARMED.set(model.slots[index].live);
            assert!(panics(|| drop(pool.remove(handle(model, index)))));
            model.remove(index);
        }
        Step::Retain(mask) => {
            pool.retain(|handle, _| mask >> handle.index() & 1 != 0);
            live.iter().filter(|&&index| mask >> index & 1 == 0).for_each(|&i| model.remove(i));
        }
        Step::RetainPanics(at) => {
            let retain = || {
                pool.retain(|handle, _| {
                    if handle.index() as usize == at {
                        quiet_panic();
                    }
                    false
                });
            };
            assert!(panics(retain));
            live.iter().filter(|&&index| index < at).for_each(|&index| model.remove(index));
        }
        Step::Extract(mask) => {
            let taken = pool.extract_if(|handle, _| mask >> handle.index() & 1 == 0).count();
            let gone = live.iter().filter(|&&index| mask >> index & 1 == 0);
            assert_eq!(taken, gone.clone().count());
            gone.for_each(|&index| model.remove(index));
        }
        Step::DrainFront(count) => {
            let mut drain = pool.drain();
            for &index in &live[..count] {
                let (taken, value) = drain.next().unwrap();
                assert_eq!((taken, Some(value.0)), (handle(model, index), model.slots[index].live));
                model.remove(index);
            }
            std::mem::forget(drain);
        }
        Step::DrainBack(count) => {
            let mut drain = pool.drain();
            for &index in live.iter().rev().take(count) {
                let (taken, value) = drain.next_back().unwrap();
                assert_eq!((taken, Some(value.0)), (handle(model, index), model.slots[index].live));
                model.remove(index);
            }
            std::mem::forget(drain);
        }
        Step::Drain => {
            drop(pool.drain());
            live.iter().for_each(|&index| model.remove(index));
        }
        Step::Clear => {
            pool.clear();
            live.iter().for_each(|&index| _ = model.end(index));
            model.reset();
        }
        Step::ClearPanics(at) => {
            ARMED.set(model.slots[at].live);
            assert!(panics(|| pool.clear()));
            live.iter().filter(|&&index| index <= at).for_each(|&index| _ = model.end(index));
            model.reset();
        }
        Step::EvictLowest => evict(pool, model, i64::from),
        Step::EvictHighest => evict(pool, model, |index| -i64::from(index)),
    }
}

fn evict<R: ReuseOrder, H: HandleLayout>(
    pool: &mut Pool<Value, R, H>,
    model: &mut Model,
    key: fn(u32) -> i64,
) {
    let (new, evicted) = pool.insert_or_evict(Value::new(model.ids + 1), |h, _| key(h.index()));
    let evicted = evicted.map(|(handle, value)| (handle, value.0));
    let mut expected = None;
    if model.vacant.next().is_none() {
        let live = model.live();
        let victim = live
            .into_iter()
            .filter(|&i| model.has_another_lifetime(i))
            .min_by_key(|index| key(*index as u32));
        let index = victim.unwrap();
        expected = Some((handle(model, index), model.slots[index].live.unwrap()));
        model.remove(index);
        model.stats.evicted += 1;
    }
    assert_eq!(evicted, expected);
    let (index, generation) = model.insert().unwrap();
    assert_eq!(new, H::from_parts(index as u32, generation).unwrap());
}

/// Tries everything that must be refused or must change nothing.
fn provoke<R: ReuseOrder, H: HandleLayout>(pool: &mut Pool<Value, R, H>, model: &mut Model) {
    for index in 0..=model.slots.len() {
        for generation in [1, 2, 3, GENERATION_MAX] {
            let Some(handle) = H::from_parts(index as u32, generation) else { continue };
            let slot = model.slots.get(index);
            if !slot.is_some_and(|slot| slot.live.is_some() && slot.generation == generation) {
                assert!(pool.remove(handle).is_none(), "{handle}");
                assert!(pool.get_mut(handle).is_none(), "{handle}");
                assert!(pool.get_disjoint_mut([handle]).is_err(), "{handle}");
            }
            if let Some(kind) = model.refuses(index, generation) {
                let error = pool.insert_at(handle, Value::new(77)).unwrap_err();
                assert_eq!((error.kind(), error.into_inner().0), (kind, 77), "{handle}");
            }
        }
    }
    if model.vacant.next().is_some() {
        assert!(panics(|| _ = pool.insert_with(|_| quiet_panic())));
        let _ = pool.vacant_entry();
    } else if model.live().iter().any(|&index| model.has_another_lifetime(index)) {
        let key = |_, _: &Value| -> u8 { quiet_panic() };
        let evict = || drop(pool.insert_or_evict(Value::new(77), key));
        assert!(panics(evict));
    }
}

/// Everything that can be asked of the pool, against the model.
fn check<R: ReuseOrder, H: HandleLayout>(pool: &mut Pool<Value, R, H>, model: &Model) {
    pool.validate().unwrap();
    assert_eq!(pool.stats(), model.stats);
    assert_eq!(pool.is_full(), model.vacant.is_empty());
    // Asking a full pool counts as a refusal.
    if let Some(next) = model.vacant.next() {
        assert_eq!(pool.vacant_entry().unwrap().handle(), handle::<H>(model, next));
    }
    for index in 0..=model.slots.len() + 1 {
        let slot = model.slots.get(index).copied().unwrap_or_default();
        assert_eq!(pool.get_at(index).map(|value| value.0), slot.live);
        for generation in (0..=4).chain([GENERATION_MAX, u32::MAX >> 1, u32::MAX]) {
            let Some(handle) = H::from_parts(index as u32, generation) else { continue };
            let expected = slot.live.filter(|_| slot.generation == generation);
            assert_eq!(pool.get(handle).map(|value| value.0), expected, "{handle}");
            assert_eq!(pool.contains(handle), expected.is_some());
        }
    }
    let live = model.live();
    let expected = live.iter().map(|&index| (handle(model, index), model.slots[index].live));
    assert!(pool.iter().map(|(handle, value)| (handle, Some(value.0))).eq(expected));
}

/// All sequences that go on from here; how many they are.
fn sequences<R: ReuseOrder, H: HandleLayout>(
    pool: &Pool<Value, R, H>,
    model: &Model,
    length: u32,
) -> u64 {
    let mut count = 1;
    if length == 0 {
        return count;
    }
    for step in steps(model) {
        let alive = ALIVE.get();
        let mut pool = pool.clone();
        let mut model = model.clone();
        take(&mut pool, &mut model, step);
        check(&mut pool, &model);
        provoke(&mut pool, &mut model);
        check(&mut pool, &model);
        assert_eq!(
            ALIVE.get() - alive,
            model.stats.live as i64,
            "{step:?} lost or doubled a value"
        );
        count += sequences(&pool, &model, length - 1);
        drop(pool);
        assert_eq!(ALIVE.get(), alive);
    }
    count
}

fn worlds<R: ReuseOrder>(capacity: usize, length: u32) -> u64 {
    fn world<R: ReuseOrder, H: HandleLayout>(capacity: usize, length: u32, rules: Rules) -> u64 {
        let builder = Pool::<Value>::builder().reuse(R::default()).handle::<H>();
        let builder = builder.capacity(capacity).lifetimes(rules.lifetimes);
        let pool = match rules.end {
            End::Retires => builder.retire().build(),
            End::Wraps => builder.wrap().build(),
        };
        sequences(&pool, &Model::new(capacity, R::NAME, rules), length)
    }
    let retires = |lifetimes| Rules { lifetimes, end: End::Retires };
    let wraps = Rules { lifetimes: 2, end: End::Wraps };
    world::<R, Handle<Value>>(capacity, length, retires(GENERATION_MAX))
        + world::<R, Handle<Value>>(capacity, length, retires(2))
        + world::<R, Handle<Value>>(capacity, length, retires(1))
        + world::<R, Handle<Value>>(capacity, length, wraps)
        + world::<R, Handle32<Value, 16>>(capacity, length, retires(2))
}

/// The worlds of each order, on a thread of its own.
fn all_worlds(lengths: [u32; 4]) -> u64 {
    fn begin<R: ReuseOrder>(lengths: [u32; 4], orders: &mut Vec<JoinHandle<u64>>) {
        let sizes = lengths.into_iter().enumerate();
        let all = move || sizes.map(|(capacity, length)| worlds::<R>(capacity, length)).sum();
        orders.push(thread::spawn(all));
    }
    let mut orders = Vec::new();
    in_every_order!(begin(lengths, &mut orders));
    orders.into_iter().map(|order| order.join().unwrap_or_else(|panic| resume_unwind(panic))).sum()
}

#[test]
fn every_short_sequence() {
    assert_eq!(all_worlds([4, 3, 3, 2]), 65_952);
}

/// `cargo test --release -p millpond --test exhaustive -- --ignored`
#[test]
#[ignore = "half a minute of one processor in a release build: `.ci/run long` runs it"]
fn every_sequence_that_fits_into_a_minute() {
    assert_eq!(all_worlds([6, 5, 5, 4]), 9_116_940);
}
