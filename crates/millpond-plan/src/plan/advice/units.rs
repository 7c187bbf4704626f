//! The units that may be pooled together, and the requests of the trace for each.

use std::collections::HashMap;

use super::at_hand::AtHand;
use super::{
    Advice, CALLERS_MAX, Caller, Growing, Headroom, Kind, Means, Proposal, Rules, SHARE_MIN,
    Statistics, find_company, is_worth_it,
};
use crate::plan::BYTES_MAX_LARGEST;
use crate::trace::{Event, Places, Summary, Watch};

/// Size classes are proposed for a place that requests this many sizes, …
const SIZES_MANY: usize = 4;

/// … unless one size makes at least this share of its calls.
const SHARE_OF_ONE_SIZE: f64 = 0.8;

/// A growing buffer has at least this many sizes.
const SIZES_GROWING: usize = 3;

/// A place is a growing buffer if at least one in this many of its calls enlarges a block, …
const GROWTH_ONE_IN: u64 = 4;

/// … and growing is this many times as common as shrinking: texts of all lengths do both.
const GROWTH_OVER_SHRINKING: u64 = 3;

/// What the allocations of a unit have in common.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    /// Objects of one class.
    Class(u32),
    /// All sizes that a function requests, by its name.
    Sizes(String),
    /// All sizes that a place requests whose function has no name.
    SizesOfNameless(u32),
    /// The allocations of one class that a library makes for itself.
    Library(String, u32),
    /// A buffer that a function resizes.
    Growing(String),
}

/// A unit's requests to a pool, counted while the trace is read.
#[derive(Debug, Clone, Copy, Default)]
struct Demand {
    births: u64,
    at_hand: u64,
    live: u32,
    peak_live: u32,
    bytes: u64,
    peak_bytes: u64,
}

/// All units of a trace.
#[derive(Debug, Default)]
pub(crate) struct Units {
    keys: Vec<Key>,
    /// By kind of allocation, its unit.
    of_kind: Vec<u32>,
    /// By kind: class and births.
    kinds: Vec<(u32, u64)>,
    demands: Vec<Demand>,
    /// By class: its size, if the trace has it.
    sizes: Vec<Option<u64>>,
    places: Places,
    /// The allocator's cache; `None` for a recording without times.
    at_hand: Option<AtHand>,
}

/// The allocations of a place.
#[derive(Debug, Clone, Default)]
struct Habit {
    births: u64,
    births_of_class: HashMap<u32, u64>,
}

impl Units {
    /// The units of a trace after the first pass.
    pub(crate) fn new(summary: &Summary, statistics: &Statistics, rules: &Rules) -> Self {
        let sizes = statistics.classes.iter().map(|class| class.bytes_max).collect();
        let Some(allocations) = &summary.allocations else {
            let classes = 0..statistics.classes.len() as u32;
            let births = |class: u32| statistics.classes[class as usize].lifetimes;
            return Self {
                keys: classes.clone().map(Key::Class).collect(),
                of_kind: classes.clone().collect(),
                kinds: classes.clone().map(|class| (class, births(class))).collect(),
                demands: vec![Demand::default(); classes.len()],
                sizes,
                places: Places::default(),
                at_hand: None,
            };
        };
        let places = allocations.places(&rules.skip_callers);
        let kinds: Vec<(u32, u64)> = allocations.kinds().collect();
        let mut habits = vec![Habit::default(); places.places.len()];
        for (&(class, births), &place) in kinds.iter().zip(&places.of_kind) {
            let habit = &mut habits[place as usize];
            habit.births += births;
            *habit.births_of_class.entry(class).or_default() += births;
        }
        let at_hand = summary.has_times().then(|| AtHand::new(rules.blocks_at_hand));
        let mut units = Self { kinds, sizes, at_hand, ..Self::default() };
        let mut numbers: HashMap<Key, u32> = HashMap::new();
        for (&(class, _), &place) in units.kinds.iter().zip(&places.of_kind) {
            let key = habits[place as usize].key(&places, place, class, units.bytes_of(class));
            let next = units.keys.len() as u32;
            let number = *numbers.entry(key.clone()).or_insert(next);
            if number == next {
                units.keys.push(key);
            }
            units.of_kind.push(number);
        }
        units.demands = vec![Demand::default(); units.keys.len()];
        units.places = places;
        units
    }

    /// The demand that a kind of allocation counts towards. A file that changes while it is read may have new kinds; it
    /// is refused at the end.
    #[inline]
    fn demand_of(&mut self, kind: u32) -> Option<&mut Demand> {
        let unit = *self.of_kind.get(kind as usize)?;
        self.demands.get_mut(unit as usize)
    }

    #[inline]
    fn bytes_of(&self, class: u32) -> u64 {
        self.sizes.get(class as usize).copied().flatten().unwrap_or(0)
    }

    /// What to pool first, after the second pass.
    pub(crate) fn advice(mut self, headroom: Headroom, names: &[String]) -> Advice {
        let all_calls: u64 = self.kinds.iter().map(|kind| kind.1).sum();
        let mut kinds_of: Vec<Vec<u32>> = vec![Vec::new(); self.keys.len()];
        for (kind, &unit) in (0..).zip(&self.of_kind) {
            kinds_of[unit as usize].push(kind);
        }
        let mut advice = Advice {
            worth_a_pool: vec![false; self.sizes.len()],
            wrappers: std::mem::take(&mut self.places.wrappers),
            nameless_share: self.places.nameless_share,
            kinds: self.kinds_of_units(),
            ..Advice::default()
        };
        for (unit, key) in self.keys.iter().enumerate() {
            let demand = self.demands[unit];
            let share = |calls: u64| calls as f64 / all_calls.max(1) as f64;
            if let Key::Growing(_) = key {
                if share(demand.births) >= SHARE_MIN {
                    advice.growing.extend(self.growing(&kinds_of[unit], share(demand.births)));
                }
                continue;
            }
            let calls_saved = demand.births.saturating_sub(demand.peak_live.into());
            if is_worth_it(demand.births, calls_saved, all_calls) {
                let proposal = self.proposal(unit, &kinds_of[unit], all_calls, headroom, names);
                if proposal.can_be_followed() && proposal.is_mostly_at_hand() {
                    advice.at_hand.push(proposal);
                    continue;
                }
                if let Key::Class(class) = key {
                    advice.worth_a_pool[*class as usize] = true;
                }
                advice.proposals.push(proposal);
            }
        }
        advice.proposals.sort_by(Proposal::by_rank);
        advice.at_hand.sort_by(Proposal::by_rank);
        if advice.proposals.first().is_none_or(|first| !first.can_be_followed()) {
            advice.proposals.clear();
        }
        find_company(&mut advice.proposals);
        advice.growing.sort_by(|a, b| {
            b.caller
                .allocations
                .cmp(&a.caller.allocations)
                .then_with(|| a.caller.function.cmp(&b.caller.function))
        });
        advice
    }

    fn kinds_of_units(&self) -> Vec<Kind> {
        let bytes = |class: u32| self.sizes.get(class as usize).copied().flatten();
        let kinds = self.kinds.iter().zip(&self.of_kind);
        kinds.map(|(&(class, _), &unit)| Kind { unit, bytes: bytes(class) }).collect()
    }

    fn proposal(
        &self,
        unit: usize,
        kinds: &[u32],
        all_calls: u64,
        headroom: Headroom,
        names: &[String],
    ) -> Proposal {
        let demand = self.demands[unit];
        let calls_saved = demand.births.saturating_sub(demand.peak_live.into());
        let slots = headroom.capacity(demand.peak_live);
        let range = self.range(kinds);
        let callers = self.callers(kinds);
        let (least, most) = range.unwrap_or_default();
        let (means, class) = match &self.keys[unit] {
            Key::Class(class) => (Means::Pool, names[*class as usize].clone()),
            Key::Library(library, class) => {
                (Means::Library(library.clone()), names[*class as usize].clone())
            }
            Key::Sizes(_) | Key::SizesOfNameless(_) | Key::Growing(_) => {
                (Means::SizeClasses, format!("{least}-{most}"))
            }
        };
        let bytes = match means {
            Means::SizeClasses => headroom.bytes(demand.peak_bytes),
            Means::Pool | Means::Library(_) => most.saturating_mul(u64::from(slots)),
        };
        Proposal {
            class,
            means,
            calls: demand.births,
            calls_saved,
            share_of_calls: calls_saved as f64 / all_calls.max(1) as f64,
            calls_at_hand: demand.at_hand,
            peak_live: demand.peak_live,
            slots,
            bytes: range.map(|_| bytes),
            bytes_max: range.map(|range| range.1),
            callers,
            together_with: Vec::new(),
            unit: unit as u32,
            time_saved: None,
        }
    }

    fn growing(&self, kinds: &[u32], share_of_calls: f64) -> Option<Growing> {
        let caller = self.callers(kinds).into_iter().next()?;
        Some(Growing { caller, sizes: self.range(kinds)?, share_of_calls })
    }

    /// The smallest and the largest size, if the trace has sizes.
    fn range(&self, kinds: &[u32]) -> Option<(u64, u64)> {
        let born = kinds.iter().filter(|&&kind| self.kinds[kind as usize].1 > 0);
        let sizes = born.filter_map(|&kind| self.sizes[self.kinds[kind as usize].0 as usize]);
        sizes.fold(None, |range, size| {
            let (least, most) = range.unwrap_or((size, size));
            Some((least.min(size), most.max(size)))
        })
    }

    fn callers(&self, kinds: &[u32]) -> Vec<Caller> {
        if self.places.places.is_empty() {
            return Vec::new();
        }
        let births = kinds.iter().map(|&kind| (kind as usize, self.kinds[kind as usize].1));
        let mut callers = self.places.callers(births);
        callers.truncate(CALLERS_MAX);
        callers
    }

    /// By class number, the functions that allocate it, the busiest first; empty if the trace has no call stacks.
    pub(crate) fn callers_by_class(&self) -> Vec<Vec<Caller>> {
        let mut kinds_of: Vec<Vec<u32>> = vec![Vec::new(); self.sizes.len()];
        for (kind, &(class, births)) in (0..).zip(&self.kinds) {
            // A recording may name sizes that were never allocated.
            if births > 0 {
                kinds_of[class as usize].push(kind);
            }
        }
        kinds_of.iter().map(|kinds| self.callers(kinds)).collect()
    }
}

impl Habit {
    /// The unit of the allocations of a class in a place.
    fn key(&self, places: &Places, place: u32, class: u32, bytes: u64) -> Key {
        let of = &places.places[place as usize];
        if let Some(library) = &of.inside {
            return Key::Library(library.clone(), class);
        }
        let sizes = self.births_of_class.values().filter(|births| **births > 0).count();
        let grows = sizes >= SIZES_GROWING
            && of.growths * GROWTH_ONE_IN >= self.births
            && of.growths > of.shrinks * GROWTH_OVER_SHRINKING;
        if grows {
            return Key::Growing(of.function.clone());
        }
        let busiest = self.births_of_class.values().max().copied().unwrap_or(0);
        let has_many =
            sizes >= SIZES_MANY && (busiest as f64) < self.births as f64 * SHARE_OF_ONE_SIZE;
        // Larger blocks are rare, and no allocator of size classes serves them.
        if has_many && bytes <= BYTES_MAX_LARGEST {
            return match of.is_nameless {
                true => Key::SizesOfNameless(place),
                false => Key::Sizes(of.function.clone()),
            };
        }
        Key::Class(class)
    }
}

impl Watch for Units {
    #[inline]
    fn birth(&mut self, event: Event) {
        let bytes = self.bytes_of(event.class);
        let was_at_hand = self.at_hand.as_mut().is_some_and(|at_hand| at_hand.take(bytes));
        let Some(demand) = self.demand_of(event.kind) else { return };
        demand.births += 1;
        demand.at_hand += u64::from(was_at_hand);
        demand.live += 1;
        demand.peak_live = demand.peak_live.max(demand.live);
        demand.bytes = demand.bytes.saturating_add(bytes);
        demand.peak_bytes = demand.peak_bytes.max(demand.bytes);
    }

    #[inline]
    fn death(&mut self, event: Event) {
        let bytes = self.bytes_of(event.class);
        if let Some(at_hand) = &mut self.at_hand {
            at_hand.give_back(bytes);
        }
        let Some(demand) = self.demand_of(event.kind) else { return };
        demand.live = demand.live.saturating_sub(1);
        demand.bytes = demand.bytes.saturating_sub(bytes);
    }

    fn left(&mut self, _class: u32, _key: u32, _last_tick: u32) {}
}
