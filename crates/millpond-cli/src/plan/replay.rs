//! The second pass: the trace once more, now that it is known how large each pool is.

use super::pictures::{Axis, LiveOverTime, SlotMap, SlotsOverTime};
use super::smaller::{Place, Smaller, SmallerPools};
use crate::trace::{Event, Watch};

/// What the first pass has found out about a class and the second one builds on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClassPlan {
    pub(super) peak_live: u32,
    pub(super) p99_live: u32,
    pub(super) capacity: u32,
    /// Whether its pictures are wanted.
    pub(super) pictured: bool,
}

/// Replays a trace class by class.
#[derive(Debug)]
pub(super) struct Replay {
    classes: Vec<ClassReplay>,
    /// By key, of the objects that are alive.
    objects: Vec<Object>,
    places: Vec<Place>,
    all: LiveOverTime,
    all_live: u32,
}

#[derive(Debug)]
struct ClassReplay {
    smaller: SmallerPools,
    live: u32,
    pictures: Option<Box<Pictures>>,
}

#[derive(Debug)]
struct Pictures {
    live: LiveOverTime,
    slots: SlotsOverTime,
}

#[derive(Debug, Clone, Copy, Default)]
struct Object {
    born: u32,
}

/// What the second pass has found out about a class.
#[derive(Debug)]
pub(super) struct ClassOutcome {
    pub(super) smaller: Vec<Smaller>,
    pub(super) live_over_time: Option<Vec<(u32, u32)>>,
    pub(super) slots_over_time: Option<SlotMap>,
}

impl Replay {
    pub(super) fn new(axis: Axis, plans: &[ClassPlan]) -> Self {
        let classes = plans
            .iter()
            .map(|plan| ClassReplay::new(axis, plan))
            .collect();
        Self {
            classes,
            objects: Vec::new(),
            places: Vec::new(),
            all: LiveOverTime::new(axis),
            all_live: 0,
        }
    }

    /// What was found out: all classes together over time, and each class.
    pub(super) fn finish(self) -> (Vec<(u32, u32)>, Vec<ClassOutcome>) {
        (
            self.all.finish(),
            self.classes.into_iter().map(ClassReplay::finish).collect(),
        )
    }
}

impl ClassReplay {
    fn new(axis: Axis, plan: &ClassPlan) -> Self {
        let pictures = plan.pictured.then(|| {
            Box::new(Pictures {
                live: LiveOverTime::new(axis),
                slots: SlotsOverTime::new(axis, plan.capacity),
            })
        });
        Self {
            smaller: SmallerPools::new(plan.peak_live, plan.p99_live),
            live: 0,
            pictures,
        }
    }

    fn finish(self) -> ClassOutcome {
        let (live, slots) = self
            .pictures
            .map(|p| (p.live.finish(), p.slots.finish()))
            .unzip();
        ClassOutcome {
            smaller: self.smaller.outcomes(),
            live_over_time: live,
            slots_over_time: slots,
        }
    }
}

impl Watch for Replay {
    #[inline]
    fn birth(&mut self, event: Event) {
        // A file that changes between the two passes may hold classes that the plan does not
        // know. They are passed over here; the caller compares the two passes.
        let Some(class) = self.classes.get_mut(event.class as usize) else {
            return;
        };
        let key = event.key as usize;
        if key >= self.objects.len() {
            self.objects.resize(key + 1, Object::default());
            self.places.resize(key + 1, Place::default());
        }
        self.objects[key] = Object { born: event.tick };
        class.smaller.birth(event.key, &mut self.places);
        class.live += 1;
        self.all_live += 1;
        if let Some(pictures) = &mut class.pictures {
            pictures.live.change(event.tick, class.live);
        }
        self.all.change(event.tick, self.all_live);
    }

    #[inline]
    fn death(&mut self, event: Event) {
        let Some(class) = self.classes.get_mut(event.class as usize) else {
            return;
        };
        let object = self.objects[event.key as usize];
        class.smaller.death(event.key, &mut self.places);
        class.live -= 1;
        self.all_live -= 1;
        if let Some(pictures) = &mut class.pictures {
            pictures.live.change(event.tick, class.live);
        }
        self.all.change(event.tick, self.all_live);
        let _ = object;
    }

    fn left(&mut self, _class: u32, _key: u32, _last_tick: u32) {}
}
