//! What a pool takes over of an old one that had other slots, another order, other handles or was of another kind.
//!
//! The slots keep the generations that they had, whatever the new pool is: the first generation of all slots is the old
//! pool's. How many follow, and whether they then start again, is the new pool's. Of the handles that the old pool has
//! issued for a slot, each precedes the slot's next one on the old cycle, and so on the new one, which begins at the same
//! generation; a slot whose next generation is not on the new cycle retires. So none is issued again.

mod error;

pub use error::MigrateError;

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::new_pool::{CheckedFor, NewPool};
use super::state::within_limit;
use crate::handle::{self, HandleLayout, Word};
use crate::reports::stats::Stats;
use crate::slots::AnyCycle;
use crate::slots::saved::{Checked, OrderOf};
use crate::snapshot::State;
use crate::snapshot::ranges::joined;
use crate::snapshot::state::Shape;

/// What a pool leaves to another one that [takes it over](crate::Pool::migrate_from): its objects, and the generations and the
/// order of its slots. The methods make it of a pool that was read from a file, or one from which a larger one goes on.
///
/// Needs the feature `serde`. `Pool`, `VecPool`, `StaticPool`, `PackedPool`, `PackedVecPool`, `Recycler`, `HandleAllocator`,
/// `SyncSnapshot` and the `PolicyPool` of `millpond-overflow` can be taken over by each other.
#[derive(Debug)]
pub struct OldPool<T> {
    shape: Shape,
    /// Of the slots that were used.
    words: Vec<u32>,
    order_of: OrderOf,
    order: Vec<Range<usize>>,
    stats: Stats,
    detached: Option<u32>,
    /// Whether all slots that were used begin at the same generation.
    #[doc(hidden)]
    pub begins_alike: bool,
    /// The objects in the order of their ages, the oldest first, each by its slot and generation, of a pool that keeps it.
    #[doc(hidden)]
    pub ages: Vec<(u32, u32)>,
    /// In the order of the slots.
    values: Vec<(usize, T)>,
}

impl<T> OldPool<T> {
    /// Without the values.
    #[doc(hidden)]
    pub fn of<P: State>(pool: &P) -> Self {
        let words = (0..used(pool)).map(|index| pool.word(index));
        Self {
            shape: pool.shape(),
            words: words.map(word_in).collect(),
            order_of: P::ORDER_OF,
            order: joined(pool.order()).collect(),
            stats: pool.counted(),
            detached: pool.detached().first().map(|(slot, _)| *slot),
            begins_alike: true,
            ages: Vec::new(),
            values: Vec::new(),
        }
    }

    /// With these values, each with its slot.
    #[doc(hidden)]
    #[must_use]
    pub fn with(self, values: impl IntoIterator<Item = (usize, T)>) -> Self {
        let mut values: Vec<_> = values.into_iter().collect();
        values.sort_unstable_by_key(|(slot, _)| *slot);
        Self { values, ..self }
    }

    /// The slots from here on are as if never used.
    #[doc(hidden)]
    #[must_use]
    pub fn used(&self) -> usize {
        self.words.len()
    }
}

/// Implements taking over, for a pool of such values and handles; `example` is the name that examples have for it.
macro_rules! migrations {
    ([$($generics:tt)*] $pool:ty, $value:ty, $handle:ty, example: $example:literal) => {
        impl<$($generics)*> $pool {
            /// Takes over all objects of an old pool, of any kind, with the generations of its slots: a saved game goes on in a
            /// pool that is larger now, or has another name, reuse order or handle layout. Every handle that the old pool accepted
            /// is valid, and no other that it has issued is ever issued again. See [saved games that outlive a
            /// change](crate::snapshot#saved-games-that-outlive-a-change). A pool that grows does so first, if it has fewer slots than
            /// the old pool has used; the values of a packed pool keep their order in another one.
            ///
            /// The pool keeps its name, recorder and debug aids. Its own objects are dropped, and as with
            /// [`restore`](Self::restore), handles of theirs must not be used any more. O(slots used in either), and O(capacity) with
            /// a reuse order that keeps a list. Of a pool that is [untouched](crate::PoolBuilder::untouched), slots that were used in
            /// neither stay so.
            ///
            /// ```
            #[doc = concat!("use millpond::", $example, ";")]
            ///
            #[doc = concat!("let mut crew = ", $example, "::new(2);")]
            /// let cook = crew.insert("cook").unwrap();
            /// let thief = crew.insert("thief").unwrap();
            /// crew.remove(thief);
            /// let file = serde_json::to_string(&crew).unwrap();
            ///
            /// // A year later, the crew has a name, and there is room for more.
            #[doc = concat!("let old: ", $example, "<&str> = serde_json::from_str(&file).unwrap();")]
            #[doc = concat!("let mut crew = ", $example, "::builder().capacity(4).name(\"crew\").build();")]
            /// crew.migrate_from(old)?;
            /// assert_eq!(crew[cook], "cook");
            /// for _ in 0..3 {
            ///     assert_ne!(crew.insert("sailor").unwrap(), thief);
            /// }
            /// # Ok::<(), millpond::snapshot::MigrateError>(())
            /// ```
            ///
            /// # Errors
            ///
            /// If the pool cannot keep all generations; the [error](crate::snapshot::MigrateError) says what to change.
            ///
            /// # Panics
            ///
            /// If the drop of one of the pool's own values panics. Those not yet dropped stay, except in a packed pool, and the old
            /// pool's are dropped.
            pub fn migrate_from(
                &mut self,
                old: impl Into<crate::snapshot::OldPool<$value>>,
            ) -> Result<(), crate::snapshot::MigrateError> {
                self.migrate_with(old, |_, value| value)
            }

            /// Like [`migrate_from`](Self::migrate_from), for values of a type that has changed: `convert` makes each value from its
            /// handle in this pool and the old value.
            ///
            /// ```
            #[doc = concat!("use millpond::{Handle, Handle32, ", $example, "};")]
            ///
            /// struct OldShip {
            ///     leader: Option<Handle<OldShip>>,
            /// }
            /// struct Ship {
            ///     leader: Option<Handle32<Ship>>, // four bytes each
            /// }
            #[doc = concat!("let mut old = ", $example, "::new(8);")]
            /// let tug = old.insert(OldShip { leader: None }).unwrap();
            /// old.insert(OldShip { leader: Some(tug) }).unwrap();
            ///
            /// let narrow = |old: Handle<OldShip>| Handle32::from_parts(old.index(), old.generation());
            #[doc = concat!("let mut ships = ", $example, "::builder().capacity(8).handle::<Handle32<Ship>>().build();")]
            /// ships.migrate_with(old, |_, ship| Ship { leader: ship.leader.and_then(narrow) })?;
            /// let tug = narrow(tug).unwrap();
            /// assert!(ships[tug].leader.is_none());
            /// assert_eq!(ships.get_at(1).unwrap().leader, Some(tug));
            /// # Ok::<(), millpond::snapshot::MigrateError>(())
            /// ```
            ///
            /// # Errors
            ///
            /// If `migrate_from` would fail. `convert` is not called then, unless memory runs out.
            ///
            /// # Panics
            ///
            /// If `convert` panics, and the pool is unchanged then; or if `migrate_from` does.
            pub fn migrate_with<Old>(
                &mut self,
                old: impl Into<crate::snapshot::OldPool<Old>>,
                convert: impl FnMut($handle, Old) -> $value,
            ) -> Result<(), crate::snapshot::MigrateError> {
                crate::snapshot::format::migrate(self, old.into(), convert)
            }
        }
    };
}
pub(crate) use migrations;

type WordOf<P> = <<P as State>::Handle as HandleLayout>::Word;

/// Takes over the objects of an old pool; `convert` makes each value from its handle in this pool and the old value.
pub(crate) fn migrate<P: NewPool, T>(
    pool: &mut P,
    old: OldPool<T>,
    convert: impl FnMut(P::Handle, T) -> P::Value,
) -> Result<(), MigrateError> {
    let state = check(pool, &old)?;
    take_over(pool, &state, old, convert)
}

/// The same, once it is checked.
pub fn take_over<P: NewPool, T>(
    pool: &mut P,
    state: &CheckedFor<P>,
    old: OldPool<T>,
    mut convert: impl FnMut(P::Handle, T) -> P::Value,
) -> Result<(), MigrateError> {
    // Slots from there on were never used.
    let values = old.values.into_iter().take_while(|(index, _)| *index < state.words.len());
    // Of a recycler, the dead ones have objects, too.
    let live = values.filter(|(index, _)| !state.words[*index].is_dead());
    let converted = live.map(|(index, value)| {
        let handle = handle::kept::<P::Handle>(index, state.words[index]);
        (index, convert(handle, value))
    });
    let converted = converted.collect();
    pool.take_over(state, converted)
}

/// The state that the pool gets.
pub fn check<P: NewPool, T>(pool: &P, old: &OldPool<T>) -> Result<CheckedFor<P>, MigrateError> {
    if let Some(slot) = old.detached {
        return Err(MigrateError::Detached { slot: slot as usize });
    }
    if !old.begins_alike {
        return Err(MigrateError::SeveralFirstGenerations);
    }
    let used = old.used();
    let (theirs, own) = (old.shape, pool.shape());
    let slots_max = own.capacity_max;
    if used > slots_max {
        return Err(MigrateError::TooFewSlots { needed: used, capacity_max: slots_max });
    }
    let cycle = cycle(&theirs.cycle, own.cycle, used)?;
    if !P::ADAPTS_FIRST && cycle.start() != own.cycle.start() {
        return Err(MigrateError::OtherFirstGeneration);
    }
    let word = |(index, word): (usize, &u32)| kept_word(&cycle, index, *word).map(word_in);
    let words = old.words.iter().enumerate().map(word);
    let mut words: Vec<WordOf<P>> = words.collect::<Result<_, _>>()?;
    let slots = pool.counted().capacity.max(used);
    // Those of several parts may be more together than a file may say of each.
    let stats = within_limit(old.stats);
    let live = words.iter().filter(|word| !word.is_dead()).count();
    let inserted = stats.inserted.max(live as u64);
    // What a file says of it may be more than the slots that were used.
    let peak =
        stats.peak.min(slots_max).min(usize::try_from(inserted).unwrap_or(usize::MAX)).max(live);
    let with_words = if P::FRESH_COST_NOTHING { used.max(peak.min(slots)) } else { slots };
    words.resize(with_words, WordOf::<P>::from_generation(cycle.start()).as_dead());
    Ok(Checked {
        reuse: P::REUSE,
        cycle,
        slots,
        order: order_for(P::ORDER_OF, old, &words),
        words,
        former: Vec::new(),
        slots_max,
        inserted,
        refused: stats.refused,
        evicted: stats.evicted.min(inserted - live as u64),
        peak,
    })
}

/// The slots of an old pool from here on are as if never used.
pub fn used(old: &impl State) -> usize {
    let start = Word::from_generation(old.shape().cycle.start());
    let is_unused = |index: &usize| old.word(*index) == Word::as_dead(start);
    (0..old.used()).rev().find(|index| !is_unused(index)).map_or(0, |last| last + 1)
}

/// The cycle from the old pool's first generation on, as long as the new pool's. If no slot was used, it is the new pool's.
fn cycle(old: &AnyCycle, own: AnyCycle, used: usize) -> Result<AnyCycle, MigrateError> {
    if used == 0 {
        return Ok(own);
    }
    if old.wraps() != own.wraps() {
        return Err(MigrateError::OtherWrapping { old_wraps: old.wraps() });
    }
    // A slot that never had an object cannot begin there, either.
    if old.start() > own.largest() {
        return Err(MigrateError::BeyondLifetimes { slot: 0, generation: old.start() });
    }
    Ok(AnyCycle::of(old.start(), own.count(), own.largest(), own.wraps()))
}

/// The state of a slot on its new cycle: its live generation, or the next one, marked dead.
fn kept_word(cycle: &AnyCycle, slot: usize, word: u32) -> Result<u32, MigrateError> {
    let generation = word.generation();
    let is_on_cycle = cycle.contains(generation);
    match (word.is_dead(), is_on_cycle) {
        _ if word == u32::RETIRED => Ok(u32::RETIRED),
        (true, true) => Ok(generation.as_dead()),
        (false, true) => Ok(generation),
        (true, false) if cycle.wraps() => Ok(cycle.start().as_dead()),
        (true, false) => Ok(u32::RETIRED),
        (false, false) => Err(MigrateError::BeyondLifetimes { slot, generation }),
    }
}

/// The same state in the words of another layout, which has its generation.
fn word_in<V: Word, W: Word>(word: V) -> W {
    let generation = W::from_generation(word.generation());
    if word.is_dead() { generation.as_dead() } else { generation }
}

/// What a reuse order lists of slots with these words. The vacant slots come as they came in the old pool, and new ones
/// after them.
fn order_for<W: Word, T>(order: OrderOf, old: &OldPool<T>, words: &[W]) -> Vec<u32> {
    let slots = words.len();
    let listed = |kind: fn(OrderOf) -> bool| {
        let listed = kind(old.order_of).then_some(&old.order);
        listed.into_iter().flatten().flat_map(move |range| range.start..range.end.min(slots))
    };
    // Each slot once: first those that the old order lists, then the others.
    let in_order = |kind: fn(OrderOf) -> bool, is_in: fn(W) -> bool| {
        let mut seen = vec![false; slots];
        let all = listed(kind).chain(0..slots);
        let new = all.filter(|&index| !core::mem::replace(&mut seen[index], true));
        new.filter(|&index| is_in(words[index])).map(|index| index as u32).collect::<Vec<_>>()
    };
    let all_listed = |of| of == OrderOf::All;
    let vacant = || in_order(|of| matches!(of, OrderOf::Vacant | OrderOf::All), Word::is_vacant);
    match order {
        OrderOf::Nothing | OrderOf::Homes => Vec::new(),
        OrderOf::Vacant => vacant(),
        OrderOf::All => {
            let mut all = in_order(all_listed, |word| !word.is_dead());
            all.extend(vacant());
            all.extend(in_order(all_listed, |word| word == W::RETIRED));
            all
        }
    }
}
