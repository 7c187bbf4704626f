//! A world: pools side by side, and what was done to them.

use millpond::reuse::{Fifo, Lifo, LowestFirst, Roster};
use millpond::{Handle32, Pool};
use millpond_overflow::Overflow;

use crate::json;
use crate::panels::{
    Bytemap, Happened, Object, Ordered, Overflowing, Panel, Particles, SwapDelete, name,
};
use crate::random::Random;
use crate::script::{Op, ScriptError, parse};

/// What a world shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One pool for each reuse order.
    Orders,
    /// The swap-delete pool.
    Roster,
    /// The byte-map pool.
    Bytemap,
    /// Particles with a free list through the dead.
    Particles,
    /// One pool for each policy for full pools.
    Full,
    /// Two pools with short generations: one whose slots retire, and one that wraps.
    Generations,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Orders, Self::Roster, Self::Bytemap, Self::Particles, Self::Full, Self::Generations];

    /// Its name in links.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Orders => "orders",
            Self::Roster => "roster",
            Self::Bytemap => "bytemap",
            Self::Particles => "particles",
            Self::Full => "full",
            Self::Generations => "generations",
        }
    }
}

/// The maximum number of slots of a pool.
const SLOTS_MAX: usize = 128;

/// A handle of 4 bytes with 3 bits of generation: a slot has 7 lifetimes.
type Short = Handle32<Object, 29>;

/// Pools side by side.
pub struct World {
    kind: Kind,
    slots: usize,
    panels: Vec<Box<dyn Panel>>,
    happened: Vec<Happened>,
    /// How many operations there were.
    steps: u64,
    /// The number of the next object.
    next_object: Object,
    /// The objects that are live in any panel, in the order of their insertion.
    live: Vec<Object>,
    random: Random,
    said: String,
    code: String,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "World({}, {} steps)", self.kind.name(), self.steps)
    }
}

impl World {
    /// A world of new pools.
    #[must_use]
    pub fn new(kind: Kind, slots: usize) -> Self {
        let slots = if kind == Kind::Particles {
            crate::panels::PARTICLES
        } else {
            slots.clamp(1, SLOTS_MAX)
        };
        let panels = panels(kind, slots);
        Self {
            kind,
            slots,
            happened: panels.iter().map(|_| Happened::default()).collect(),
            panels,
            steps: 0,
            next_object: 0,
            live: Vec::new(),
            random: Random::new(1),
            said: "New pools.".to_owned(),
            code: String::new(),
        }
    }

    /// The world of a link: `KIND/SLOTS/SCRIPT`.
    ///
    /// # Errors
    /// If the link is none.
    pub fn of_link(link: &str) -> Result<Self, ScriptError> {
        let mut parts = link.splitn(3, '/');
        let kind =
            parts.next().and_then(|name| Kind::ALL.into_iter().find(|kind| kind.name() == name));
        let kind = kind.ok_or_else(|| {
            ScriptError(format!("expected one of {}", Kind::ALL.map(Kind::name).join(", ")))
        })?;
        let slots = parts.next().unwrap_or("8");
        let slots = slots
            .parse()
            .ok()
            .filter(|slots| (1..=SLOTS_MAX).contains(slots))
            .ok_or_else(|| ScriptError(format!("expected 1 to {SLOTS_MAX} slots")))?;
        let ops = parse(parts.next().unwrap_or(""))?;
        let mut world = Self::new(kind, slots);
        for (times, op) in ops {
            (0..times).for_each(|_| world.apply(op));
        }
        Ok(world)
    }

    /// Carries out the operations of a script.
    ///
    /// # Errors
    /// If it is none; then nothing is done.
    pub fn run(&mut self, script: &str) -> Result<(), ScriptError> {
        for (times, op) in parse(script)? {
            (0..times).for_each(|_| self.apply(op));
        }
        Ok(())
    }

    /// Carries out an operation.
    pub fn apply(&mut self, op: Op) {
        self.steps += 1;
        match op {
            Op::Insert(number) => self.insert(number),
            Op::Remove(object) => {
                self.each(|panel| panel.remove(object));
                self.say(
                    format!("Remove {}.", name(object)),
                    format!("pool.remove({})", variable(object)),
                );
            }
            Op::Get(object) => {
                self.each(|panel| panel.get(object));
                self.say(
                    format!("Look up the handle of {}.", name(object)),
                    format!("pool.get({})", variable(object)),
                );
            }
            Op::Cycle(object) => self.cycle(object),
            Op::Tick => self.tick(),
            Op::Measure => {
                self.each(|panel| panel.measure());
                self.say("Measure the odds.".to_owned(), "millpond odds".to_owned());
            }
            Op::Random => self.random_step(),
        }
        let panels = &self.panels;
        self.live.retain(|object| panels.iter().any(|panel| panel.is_live(*object)));
    }

    fn each(&mut self, mut apply: impl FnMut(&mut dyn Panel) -> Happened) {
        for (panel, happened) in self.panels.iter_mut().zip(&mut self.happened) {
            *happened = apply(&mut **panel);
        }
    }

    fn say(&mut self, said: String, code: String) {
        (self.said, self.code) = (said, code);
    }

    fn insert(&mut self, number: Option<u32>) {
        let object = self.next_object;
        let number = number.unwrap_or_else(|| self.number_of(object));
        self.next_object += 1;
        self.live.push(object);
        self.each(|panel| panel.insert(object, number));
        let (named, variable) = (name(object), variable(object));
        match self.kind {
            Kind::Full => self.say(
                format!("Insert {named}, {number} dB."),
                format!("let {variable} = pool.insert({named})"),
            ),
            Kind::Particles => self.say(
                format!("Create {named}, for {number} frames."),
                format!("pool.create(…, {number})"),
            ),
            Kind::Roster => {
                self.say(format!("Allocate {named}."), format!("let {variable} = pool.allocate()"));
            }
            _ => self
                .say(format!("Insert {named}."), format!("let {variable} = pool.insert({named})")),
        }
    }

    /// How loud an object is, or how long it lives, if nobody says.
    fn number_of(&self, object: Object) -> u32 {
        match self.kind {
            Kind::Particles => 2 + (object * 5) % 7,
            _ => 10 + (object * 37) % 90,
        }
    }

    fn cycle(&mut self, of: Object) {
        let object = self.next_object;
        self.next_object += 1;
        self.live.push(object);
        self.each(|panel| {
            let current = panel.slot_of(of).and_then(|slot| panel.object_in(slot));
            if let Some(current) = current {
                panel.remove(current);
            }
            panel.insert(object, 0)
        });
        let named = name(object);
        self.say(
            format!("Remove what is in the slot of {}, and insert {named}.", name(of)),
            format!("pool.remove(…); let {} = pool.insert({named})", variable(object)),
        );
    }

    /// Inserts or removes, so that two thirds of the slots are live after a while; sometimes looks a handle up.
    fn random_step(&mut self) {
        if self.kind == Kind::Particles {
            let frames = 2 + self.random.below(9);
            return match self.random.below(2) {
                0 => self.insert(Some(frames)),
                _ => self.tick(),
            };
        }
        let goal = match self.kind {
            Kind::Full => self.slots as u32 * 3,
            _ => self.slots as u32 * 2 / 3,
        };
        let live = self.live.len() as u32;
        // From certain in an empty pool to certain not to at twice the goal.
        if live == 0 || self.random.below(2 * goal.max(1)) >= live {
            let loudness = 10 + self.random.below(90);
            return self.insert(Some(loudness));
        }
        let object = self.live[self.random.below(live) as usize];
        self.each(|panel| panel.remove(object));
        self.say(format!("Remove {}.", name(object)), format!("pool.remove({})", variable(object)));
    }

    fn tick(&mut self) {
        self.each(|panel| panel.tick());
        self.say("One frame.".to_owned(), "pool.animate()".to_owned());
    }

    /// Everything that is drawn, as JSON.
    #[must_use]
    pub fn state(&self) -> String {
        let panels = self
            .panels
            .iter()
            .zip(&self.happened)
            .map(|(panel, happened)| panel.draw().json(happened));
        // The handles that a player may look up: of the first objects, which examples come back to, and of the latest.
        let latest = self.next_object.saturating_sub(OFFERED_LATEST).max(OFFERED_FIRST);
        let first = 0..self.next_object.min(OFFERED_FIRST);
        let objects = first.chain(latest..self.next_object).map(|object| {
            let is_live = self.live.contains(&object);
            format!("[{object},{},{is_live}]", json::text(&name(object)))
        });
        format!(
            "{{\"kind\":\"{}\",\"slots\":{},\"steps\":{},\"said\":{},\"code\":{},\"objects\":{},\"panels\":{}}}",
            self.kind.name(),
            self.slots,
            self.steps,
            json::text(&self.said),
            json::text(&self.code),
            json::list(objects),
            json::list(panels),
        )
    }
}

/// As many handles are offered for a look-up: of the first objects, and of the latest.
const OFFERED_FIRST: u32 = 4;
const OFFERED_LATEST: u32 = 8;

/// The variable that holds an object's handle in code.
fn variable(object: Object) -> String {
    name(object).to_lowercase()
}

fn panels(kind: Kind, slots: usize) -> Vec<Box<dyn Panel>> {
    match kind {
        Kind::Orders => vec![
            Box::new(Ordered::new(
                "Lifo",
                "the slot freed last",
                Pool::<Object, Lifo>::with_capacity(slots),
            )),
            Box::new(Ordered::new(
                "Fifo",
                "the slot freed first",
                Pool::<Object, Fifo>::with_capacity(slots),
            )),
            Box::new(Ordered::new(
                "LowestFirst",
                "the lowest free slot",
                Pool::<Object, LowestFirst>::with_capacity(slots),
            )),
            Box::new(
                Ordered::new(
                    "Roster",
                    "the slot at the partition",
                    Pool::<Object, Roster>::with_capacity(slots),
                )
                .with_roster(|pool| {
                    Some(pool.live_slots().iter().map(|slot| *slot as usize).collect())
                }),
            ),
        ],
        Kind::Roster => vec![Box::new(SwapDelete::new(slots))],
        Kind::Bytemap => vec![Box::new(Bytemap::new(slots))],
        Kind::Particles => vec![Box::new(Particles::new())],
        Kind::Full => Overflow::ALL
            .iter()
            .map(|policy| Box::new(Overflowing::new(*policy, slots)) as Box<dyn Panel>)
            .collect(),
        Kind::Generations => {
            let builder = || Pool::<Object>::builder().capacity(slots).handle::<Short>();
            vec![
                Box::new(Ordered::new(
                    "Slots retire",
                    "after 7 lifetimes, a slot is gone",
                    builder().build(),
                )),
                Box::new(Ordered::new(
                    "Slots wrap",
                    "after 7 lifetimes, generation 1 again",
                    builder().wrap().build(),
                )),
            ]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_in_pieces_makes_the_world_of_the_whole() {
        for kind in Kind::ALL {
            let script = "3xi.20x~.g1.r2.i.c0.t.40x~";
            let whole = World::of_link(&format!("{}/6/{script}", kind.name())).unwrap();
            let mut pieces = World::new(kind, 6);
            for part in ["3xi", "20x~.g1", "r2.i.c0", "t", "15x~", "25x~"] {
                pieces.run(part).unwrap();
            }
            assert_eq!(whole.state(), pieces.state());
        }
    }

    #[test]
    fn no_script_panics() {
        let mut random = Random::new(3);
        for kind in Kind::ALL {
            for slots in [1, 2, 5, 64] {
                let mut world = World::new(kind, slots);
                for _ in 0..600 {
                    let object = random.below(world.next_object + 3);
                    world.apply(match random.below(9) {
                        0 | 1 => Op::Insert(None),
                        2 => Op::Insert(Some(random.below(3))),
                        3 => Op::Remove(object),
                        4 => Op::Get(object),
                        5 => Op::Cycle(object),
                        6 => Op::Tick,
                        _ => Op::Random,
                    });
                }
                world.apply(Op::Measure);
                assert!(world.state().contains(r#""steps":601"#));
            }
        }
    }

    #[test]
    fn what_is_drawn_as_next_is_what_comes_next() {
        for kind in [Kind::Orders, Kind::Roster, Kind::Bytemap, Kind::Particles, Kind::Generations]
        {
            let mut world = World::new(kind, 9);
            for _ in 0..500 {
                world.apply(Op::Random);
                let expected: Vec<_> =
                    world.panels.iter().map(|panel| panel.draw().next.first().copied()).collect();
                let object = world.next_object;
                world.apply(Op::Insert(Some(3)));
                for (panel, expected) in world.panels.iter().zip(expected) {
                    let slot = panel.slot_of(object).filter(|_| panel.is_live(object));
                    assert_eq!(slot, expected, "{kind:?}");
                }
            }
        }
    }

    #[test]
    fn links_that_are_none_are_refused() {
        for link in ["", "ponds/8/", "orders/0/", "orders/1000/", "orders/x/", "orders/8/zz"] {
            assert!(World::of_link(link).is_err(), "{link}");
        }
    }
}
