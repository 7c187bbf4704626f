//! The second pass: the trace once more, with the capacities that are now known.

use std::cell::Cell;

use millpond::Handle;
use millpond::reuse::{Fifo, Lifo};

use super::exhaustion::BusiestSlot;
use super::pictures::{Axis, LiveOverTime, SlotMap, SlotsOverTime};
use super::proof::{Known, Proof, ProvingPool};
use super::smaller::{Place, Smaller, SmallerPools};
use crate::trace::{Event, Watch};

/// The results of the first pass for a class, which the second one needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClassPlan {
    pub(super) peak_live: u32,
    pub(super) p99_live: u32,
    pub(super) capacity: u32,
    /// Whether it gets pictures.
    pub(super) pictured: bool,
}

/// Replays the events of classes, each of which may come before or after another.
#[derive(Debug)]
pub(super) struct Replay<'d> {
    classes: Vec<ClassReplay<'d>>,
    /// The live objects by key.
    objects: Vec<Object>,
    places: Vec<Place>,
    births: u64,
}

/// All live objects over time.
#[derive(Debug)]
pub(super) struct AllLive {
    over_time: LiveOverTime,
    live: u32,
}

impl AllLive {
    pub(super) fn new(axis: Axis) -> Self {
        Self { over_time: LiveOverTime::new(axis), live: 0 }
    }

    pub(super) fn finish(self) -> Vec<(u32, u32)> {
        self.over_time.finish()
    }
}

impl Watch for AllLive {
    #[inline]
    fn birth(&mut self, event: Event) {
        self.live += 1;
        self.over_time.change(event.tick, self.live);
    }

    #[inline]
    fn death(&mut self, event: Event) {
        self.live -= 1;
        self.over_time.change(event.tick, self.live);
    }

    fn left(&mut self, _class: u32, _key: u32, _last_tick: u32) {}
}

#[derive(Debug)]
struct ClassReplay<'d> {
    lifo: ProvingPool<'d, Lifo>,
    fifo: ProvingPool<'d, Fifo>,
    /// The number of values that both pools have dropped.
    drops: &'d Cell<u64>,
    smaller: SmallerPools,
    live: u32,
    pictures: Option<Box<Pictures>>,
}

#[derive(Debug)]
struct Pictures {
    live: LiveOverTime,
    slots: SlotsOverTime,
}

/// A live object, and its handle in each pool unless the pool refused it.
#[derive(Debug, Clone, Copy, Default)]
struct Object {
    /// Unique in the trace.
    number: u64,
    lifo: Option<Handle<()>>,
    fifo: Option<Handle<()>>,
    born: u32,
}

impl Object {
    fn known(&self, handle: Handle<()>) -> Known {
        Known { number: self.number, handle }
    }
}

/// The results of the second pass for a class.
#[derive(Debug)]
pub(super) struct ClassOutcome {
    pub(super) smaller: Vec<Smaller>,
    pub(super) busiest_slot: BusiestSlot,
    pub(super) proof: Proof,
    pub(super) live_over_time: Option<Vec<(u32, u32)>>,
    pub(super) slots_over_time: Option<SlotMap>,
}

impl<'d> Replay<'d> {
    /// Pools for all classes, with one counter of drops for each, and room for all objects that are alive at once; the
    /// reason if there is no memory for them.
    pub(super) fn new(
        axis: Axis,
        plans: &[ClassPlan],
        peak_live: u32,
        drops: &'d [Cell<u64>],
    ) -> Result<Self, String> {
        let classes = plans
            .iter()
            .zip(drops)
            .map(|(plan, drops)| ClassReplay::new(axis, plan, drops))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            classes,
            objects: vec![Object::default(); peak_live as usize],
            places: vec![Place::default(); peak_live as usize],
            births: 0,
        })
    }

    /// The results for each class.
    pub(super) fn finish(self) -> Vec<ClassOutcome> {
        self.classes.into_iter().map(ClassReplay::finish).collect()
    }
}

impl<'d> ClassReplay<'d> {
    fn new(axis: Axis, plan: &ClassPlan, drops: &'d Cell<u64>) -> Result<Self, String> {
        let pictures = plan.pictured.then(|| {
            Box::new(Pictures {
                live: LiveOverTime::new(axis),
                slots: SlotsOverTime::new(axis, plan.capacity),
            })
        });
        Ok(Self {
            lifo: ProvingPool::new(plan.capacity, Lifo, drops)?,
            fifo: ProvingPool::new(plan.capacity, Fifo, drops)?,
            drops,
            smaller: SmallerPools::new(plan.peak_live, plan.p99_live),
            live: 0,
            pictures,
        })
    }

    /// Draws an object's lifetime in its slot.
    #[inline]
    fn draw_lifetime(&mut self, object: &Object, last_tick: u32) {
        if let (Some(pictures), Some(handle)) = (&mut self.pictures, object.lifo) {
            pictures.slots.lifetime(handle.index(), object.born, last_tick);
        }
    }

    #[inline]
    fn draw_live(&mut self, tick: u32) {
        if let Some(pictures) = &mut self.pictures {
            pictures.live.change(tick, self.live);
        }
    }

    fn finish(self) -> ClassOutcome {
        let busiest_slot =
            BusiestSlot { lifo: self.lifo.busiest_slot(), fifo: self.fifo.busiest_slot() };
        let mut proof = self.lifo.finish().and(self.fifo.finish());
        // The pools are gone, so all their values have been dropped.
        proof.drops = self.drops.get();
        let (live, slots) = self.pictures.map(|p| (p.live.finish(), p.slots.finish())).unzip();
        ClassOutcome {
            smaller: self.smaller.outcomes(),
            busiest_slot,
            proof,
            live_over_time: live,
            slots_over_time: slots,
        }
    }
}

impl Watch for Replay<'_> {
    #[inline]
    fn birth(&mut self, event: Event) {
        // A file that changes between the two passes may have classes that are not in the plan, and more live objects.
        // They are skipped here; the caller compares the passes.
        let Some(class) = self.classes.get_mut(event.class as usize) else {
            return;
        };
        let Some(object) = self.objects.get_mut(event.key as usize) else { return };
        self.births += 1;
        let lifo = class.lifo.birth(self.births);
        let fifo = class.fifo.birth(self.births);
        *object = Object { number: self.births, lifo, fifo, born: event.tick };
        class.smaller.birth(event.key, &mut self.places);
        class.live += 1;
        class.draw_live(event.tick);
    }

    #[inline]
    fn death(&mut self, event: Event) {
        let Some(class) = self.classes.get_mut(event.class as usize) else {
            return;
        };
        let Some(&object) = self.objects.get(event.key as usize) else { return };
        class.draw_lifetime(&object, event.tick);
        if let Some(handle) = object.lifo {
            class.lifo.death(object.known(handle));
        }
        if let Some(handle) = object.fifo {
            class.fifo.death(object.known(handle));
        }
        class.smaller.death(event.key, &mut self.places);
        class.live -= 1;
        class.draw_live(event.tick);
    }

    fn left(&mut self, class: u32, key: u32, last_tick: u32) {
        let Some(class) = self.classes.get_mut(class as usize) else {
            return;
        };
        let Some(&object) = self.objects.get(key as usize) else { return };
        class.draw_lifetime(&object, last_tick);
        if let Some(handle) = object.lifo {
            class.lifo.check_live(object.known(handle));
        }
        if let Some(handle) = object.fifo {
            class.fifo.check_live(object.known(handle));
        }
    }
}
