//! Which line of the program removed an object, and what lives in its slot since.

use core::fmt;
use core::panic::Location;
use core::sync::atomic::{AtomicU32, Ordering, fence};

use super::origin::OriginCell;
use crate::handle::{Explanation, HandleLayout};

/// The source line that removed a handle's object, the tick, and what lives in the slot now; returned by
/// [`Pool::removal_of`](crate::Pool::removal_of).
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use millpond::Pool;
/// use millpond::debug::DebugAids;
///
/// static TICK: AtomicU64 = AtomicU64::new(0);
///
/// let aids = DebugAids::all().with_ticks(|| TICK.load(Ordering::Relaxed));
/// let mut ships = Pool::<&str>::builder().capacity(8).debug_aids(aids).build();
/// let cutter = ships.insert("cutter").unwrap();
/// TICK.store(7, Ordering::Relaxed);
/// let removed_in = line!() + 1;
/// ships.remove(cutter);
/// ships.insert("barge").unwrap(); // takes the slot
///
/// let removal = ships.removal_of(cutter).unwrap();
/// assert_eq!((removal.location().line(), removal.tick()), (removed_in, Some(7)));
/// assert_eq!((removal.lifetime_now(), removal.origin_now().unwrap().line()), (Some(2), removed_in + 1));
/// assert!(removal.to_string().starts_with("its object was removed by "));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Removal {
    location: &'static Location<'static>,
    tick: Option<u64>,
    slot: u32,
    /// The lifetime that the slot is in, and where its object was inserted.
    now: Option<(u32, Option<&'static Location<'static>>)>,
}

impl Removal {
    /// Returns the file, line and column of the call that removed the object.
    #[must_use]
    pub fn location(&self) -> &'static Location<'static> {
        self.location
    }

    /// Returns what the program's clock said then, if the builder was given [one](super::DebugAids::with_ticks).
    #[must_use]
    pub fn tick(&self) -> Option<u64> {
        self.tick
    }

    /// Returns which lifetime of the slot is going on now, counted from 1, or `None` if the slot is not live.
    #[must_use]
    pub fn lifetime_now(&self) -> Option<u32> {
        Some(self.now?.0)
    }

    /// Returns where the object was inserted that lives in the slot now, if there is one and the line is known.
    #[must_use]
    pub fn origin_now(&self) -> Option<&'static Location<'static>> {
        self.now?.1
    }

    /// With another number of the slot, for a pool that is part of a whole in which it has that one.
    #[doc(hidden)]
    #[must_use]
    pub fn in_slot(self, slot: u32) -> Self {
        Self { slot, ..self }
    }
}

impl fmt::Display for Removal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "its object was removed{}", By(self))
    }
}

/// What follows the words that an object was removed.
pub(super) struct By<'a>(pub(super) &'a Removal);

impl fmt::Display for By<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Removal { location, tick, slot, now } = self.0;
        write!(f, " by {location}")?;
        if let Some(tick) = tick {
            write!(f, " in tick {tick}")?;
        }
        match now {
            None => write!(f, "; nothing lives in slot {slot} now"),
            Some((lifetime, origin)) => {
                write!(f, "; slot {slot} is in lifetime {lifetime} now")?;
                origin.map_or(Ok(()), |line| write!(f, ", which began in {line}"))
            }
        }
    }
}

/// The latest removal from one slot, in a cell that threads may share.
#[derive(Debug, Default)]
pub(super) struct RemovalCell {
    /// The generation of the lifetime that ended; 0: none, or another one is being written.
    generation: AtomicU32,
    place: OriginCell,
    /// The halves of the tick, which have an atomic each for machines without larger ones.
    tick: [AtomicU32; 2],
}

impl RemovalCell {
    pub(super) fn set(&self, generation: u32, place: &'static Location<'static>, tick: u64) {
        self.generation.store(0, Ordering::Relaxed);
        fence(Ordering::Release);
        self.place.set(Some(place));
        self.tick[0].store(tick as u32, Ordering::Relaxed);
        self.tick[1].store((tick >> 32) as u32, Ordering::Relaxed);
        self.generation.store(generation, Ordering::Release);
    }

    /// Where this lifetime ended, and when, if it was the latest that did.
    fn get(&self, generation: u32) -> Option<(&'static Location<'static>, u64)> {
        let first = self.generation.load(Ordering::Acquire);
        let place = self.place.get();
        let [low, high] = [0, 1].map(|half: usize| self.tick[half].load(Ordering::Relaxed));
        fence(Ordering::Acquire);
        let is_whole = self.generation.load(Ordering::Relaxed) == first;
        let tick = u64::from(high) << 32 | u64::from(low);
        (is_whole && first == generation).then_some((place?, tick))
    }

    /// The removal that ended the handle's lifetime; `now` is the explanation of what is live in the slot, if anything
    /// is, and where that began.
    pub(super) fn removal_of<H: HandleLayout>(
        &self,
        handle: H,
        has_clock: bool,
        now: Option<(Explanation, Option<&'static Location<'static>>)>,
    ) -> Option<Removal> {
        let (location, tick) = self.get(handle.generation())?;
        let now = now.and_then(|(live, origin)| Some((live.lifetime()?, origin)));
        Some(Removal { location, tick: has_clock.then_some(tick), slot: handle.index(), now })
    }
}

impl Clone for RemovalCell {
    fn clone(&self) -> Self {
        let generation = self.generation.load(Ordering::Acquire);
        let copy = Self::default();
        if let Some((place, tick)) = self.get(generation).filter(|_| generation != 0) {
            copy.set(generation, place, tick);
        }
        copy
    }
}
