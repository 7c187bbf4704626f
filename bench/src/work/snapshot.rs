//! Saving and restoring a whole pool, beside a plain copy of the same bytes, and beside what people do
//! who have no snapshots: clone a map, or write it with serde.
//!
//! A lap saves (or restores) the pool as often as it takes for the clock. 1 % of the objects change in
//! between, outside of the time, as in a game that saves every frame.

use std::hint::black_box;
use std::time::{Duration, Instant};

use millpond::reuse::Lifo;
use millpond::{Pool, Snapshot};
use serde::{Deserialize, Serialize};

use crate::contender::Kind;
use crate::measure::{Candidate, Lap, Task, Timed};
use crate::random::Random;

pub(crate) const SAVE: &str = "Pool, save_into";
pub(crate) const RESTORE: &str = "Pool, restore";
pub(crate) const CLONED: &str = "Pool, save_into, values only Clone";
pub(crate) const COMPARE: &str = "comparing with the last frame";
pub(crate) const CHANGED: &str = "copying what is known to have changed";
pub(crate) const MEMCPY: &str = "limit: memcpy of the same bytes";
pub(crate) const SLOTMAP_CLONE: &str = "slotmap, clone";

/// How each work is called: its objects, then how many slots are live.
pub(crate) const PREFIX: &str = "snapshot";

/// A physics body of a game: `4 * WORDS` bytes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Body<const WORDS: usize>
where
    [u32; WORDS]: Serialize + for<'a> Deserialize<'a>,
{
    words: [u32; WORDS],
}

/// The same without `Copy`.
#[derive(Clone)]
struct OnlyClone<const WORDS: usize> {
    words: [u32; WORDS],
}

/// How many laps' worth of work there is to one reading of the clock.
fn repetitions(slots: usize) -> usize {
    let enough = if cfg!(test) { 2_000 } else { 2_000_000 };
    (enough / slots).max(1)
}

/// Something that is done to a state again and again.
struct Repeated<S, C, F> {
    state: S,
    change: C,
    work: F,
    slots: usize,
}

impl<S, C: FnMut(&mut S), F: FnMut(&mut S)> Lap for Repeated<S, C, F> {
    fn lap(&mut self) -> Timed {
        let mut elapsed = Duration::ZERO;
        let repetitions = repetitions(self.slots);
        // The clock is read for some of them at once: it costs as much as a small save.
        let (outer, inner) = (repetitions.div_ceil(16), repetitions.min(16));
        for _ in 0..outer {
            (self.change)(&mut self.state);
            let begin = Instant::now();
            for _ in 0..inner {
                (self.work)(&mut self.state);
                black_box(&mut self.state);
            }
            elapsed += begin.elapsed();
        }
        Timed::whole(elapsed, outer * inner * self.slots)
    }

    fn checksum(&mut self) -> Option<u64> {
        None
    }
}

fn candidate<S: 'static>(
    name: &'static str,
    kind: Kind,
    slots: usize,
    make: impl Fn() -> S + 'static,
    change: impl FnMut(&mut S) + Clone + 'static,
    work: impl FnMut(&mut S) + Clone + 'static,
) -> Candidate {
    let prepare = move || -> Option<Box<dyn Lap>> {
        Some(Box::new(Repeated {
            state: make(),
            change: change.clone(),
            work: work.clone(),
            slots,
        }))
    };
    Candidate { name, kind, prepare: Box::new(prepare) }
}

/// A pool of `slots`, of which so many percent are live, with holes all over.
fn filled<T: Clone>(slots: usize, percent: usize, object: impl Fn(u32) -> T) -> Pool<T, Lifo> {
    let mut pool = Pool::new(slots);
    let handles: Vec<_> = (0..slots).filter_map(|i| pool.insert(object(i as u32)).ok()).collect();
    let mut random = Random::new(7);
    handles.iter().filter(|_| random.below(100) >= percent).for_each(|h| drop(pool.remove(*h)));
    pool
}

/// Changes every hundredth object.
fn touch<T>(pool: &mut Pool<T>, touch: impl Fn(&mut T)) {
    pool.values_mut().step_by(100).for_each(touch);
}

/// A pool, and what it is saved to.
struct Saved<T> {
    pool: Pool<T>,
    snapshot: Snapshot<T>,
}

/// Plain arrays of as many bytes as a save copies: values, words, bitmap, the stack of dead slots.
struct Plain {
    from: [Vec<u64>; 4],
    to: [Vec<u64>; 4],
}

impl Plain {
    fn new(slots: usize, live: usize, object_bytes: usize) -> Self {
        let bytes = [slots * object_bytes, slots * 4, slots / 8, (slots - live) * 4];
        let from = bytes.map(|bytes| vec![1_u64; bytes.div_ceil(8)]);
        Self { to: from.clone(), from }
    }

    fn copy(&mut self) {
        for (to, from) in self.to.iter_mut().zip(&self.from) {
            to.copy_from_slice(black_box(from));
        }
    }
}

/// All ways to save `slots` objects of `4 * WORDS` bytes.
pub(crate) fn task<const WORDS: usize>(slots: usize, percent: usize) -> Task
where
    [u32; WORDS]: Serialize + for<'a> Deserialize<'a>,
{
    let object = |number: u32| Body::<WORDS> { words: [number; WORDS] };
    let only_clone = |number: u32| OnlyClone { words: [number; WORDS] };
    let change = |body: &mut Body<WORDS>| body.words[0] = body.words[0].wrapping_add(1);
    let make = move || {
        let pool = filled(slots, percent, object);
        let snapshot = pool.snapshot();
        Saved { pool, snapshot }
    };
    let change_saved = move |saved: &mut Saved<Body<WORDS>>| touch(&mut saved.pool, change);
    let mut candidates = vec![
        candidate(SAVE, Kind::Millpond, slots, make, change_saved, |saved| {
            let _ = saved.pool.save_into(&mut saved.snapshot);
        }),
        candidate(RESTORE, Kind::Millpond, slots, make, change_saved, |saved| {
            let _ = saved.pool.restore(&saved.snapshot);
        }),
        candidate(
            MEMCPY,
            Kind::Limit,
            slots,
            move || Plain::new(slots, filled(slots, percent, object).len(), WORDS * 4),
            |plain| plain.from[0].iter_mut().step_by(100).for_each(|word| *word += 1),
            Plain::copy,
        ),
        candidate(
            CLONED,
            Kind::Millpond,
            slots,
            move || {
                let pool = filled(slots, percent, only_clone);
                let snapshot = pool.snapshot_cloned();
                Saved { pool, snapshot }
            },
            |saved| touch(&mut saved.pool, |body| body.words[0] ^= 1),
            |saved| _ = saved.pool.save_into(&mut saved.snapshot),
        ),
        candidate("Pool, clone", Kind::Millpond, slots, make, change_saved, |saved| {
            drop(black_box(saved.pool.clone()));
        }),
    ];
    candidates.extend(peers::<WORDS>(slots, percent));
    candidates.extend(deltas::<WORDS>(slots, percent));
    let work = format!("{PREFIX} {percent}%");
    Task { work, object_bytes: WORDS * 4, slots, candidates }
}

/// What people do without snapshots.
fn peers<const WORDS: usize>(slots: usize, percent: usize) -> Vec<Candidate>
where
    [u32; WORDS]: Serialize + for<'a> Deserialize<'a>,
{
    let object = |number: u32| Body::<WORDS> { words: [number; WORDS] };
    let make = move || {
        let pool = filled(slots, percent, object);
        let mut map = slotmap::SlotMap::new();
        let keys: Vec<_> = (0..slots).map(|i| map.insert(object(i as u32))).collect();
        for (index, key) in keys.into_iter().enumerate() {
            if pool.get_at(index).is_none() {
                map.remove(key);
            }
        }
        (map.clone(), map)
    };
    type Map<B> = slotmap::SlotMap<slotmap::DefaultKey, B>;
    let change = |(map, _): &mut (Map<Body<WORDS>>, Map<Body<WORDS>>)| {
        map.values_mut().step_by(100).for_each(|body| body.words[0] += 1);
    };
    let serde_of_pool = candidate(
        "Pool, serde to postcard",
        Kind::Millpond,
        slots,
        move || (filled(slots, percent, object), vec![0; slots * (WORDS * 5 + 16) + 1000]),
        |(pool, _)| touch(pool, |body| body.words[0] += 1),
        |(pool, bytes)| {
            let written = postcard::to_slice(pool, bytes).map(|written| written.len());
            black_box(written.unwrap_or(0));
        },
    );
    vec![
        candidate(SLOTMAP_CLONE, Kind::Generational, slots, make, change, |(map, _)| {
            drop(black_box(map.clone()));
        }),
        candidate("slotmap, clone_from", Kind::Generational, slots, make, change, |(map, copy)| {
            copy.clone_from(map);
        }),
        serde_of_pool,
    ]
}

/// What a save of the changes alone would have to do.
fn deltas<const WORDS: usize>(slots: usize, percent: usize) -> Vec<Candidate> {
    let bytes = WORDS * 4;
    let compare = candidate(
        COMPARE,
        Kind::Limit,
        slots,
        move || Plain::new(slots, slots * percent / 100, bytes),
        |_| {},
        move |plain| {
            // In blocks, as one who looks for what has changed has to.
            let words = (bytes / 8).max(1);
            let pairs = plain.from[0].chunks(words).zip(plain.to[0].chunks(words));
            black_box(pairs.filter(|(now, before)| now != before).count());
        },
    );
    let known = candidate(
        CHANGED,
        Kind::Limit,
        slots,
        move || {
            let changed: Vec<usize> = (0..slots / 100).map(|at| at * 100 + at % 97).collect();
            (Plain::new(slots, slots * percent / 100, bytes), changed)
        },
        |_| {},
        move |(plain, changed)| {
            let words = bytes / 8;
            for &slot in changed.iter() {
                let at = slot * words..(slot + 1) * words;
                plain.to[0][at.clone()].copy_from_slice(&plain.from[0][at]);
            }
            for (to, from) in plain.to.iter_mut().zip(&plain.from).skip(1) {
                to.copy_from_slice(from);
            }
        },
    );
    vec![compare, known]
}
