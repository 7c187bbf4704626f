//! The units that a change may serve, and the requests of the trace for each.

use std::collections::HashMap;

use super::OtherAllocator;
use super::arena::Together;
use super::at_hand::{AtHand, bin};
use super::pairs::{Nodes, Pairs};
use super::proposals::{Means, Proposal};
use super::{Advice, Headroom, Library, Rules, Statistics, is_worth_by_count, mostly_saved};
use crate::plan::prices::{COPYING_KIB, Calls, Price, Prices, SMALL_BYTES_MAX, TimeSaved};
use crate::plan::size_classes::{GRANULE, slot_sizes};
use crate::plan::{AllTime, BYTES_DEFAULT, BYTES_MAX_LARGEST};
use crate::trace::{Caller, Event, Places, Summary, Watch};

/// The maximum number of functions named for each proposal.
const CALLERS_MAX: usize = 20;

/// Size classes are proposed for a place that requests this many sizes, …
const SIZES_MANY: usize = 4;

/// … unless one size makes at least this share of its calls.
const SHARE_OF_ONE_SIZE: f64 = 0.8;

/// A growing buffer has at least this many sizes.
const SIZES_GROWING: usize = 3;

/// A place is a growing buffer if at least one in this many of its calls enlarges a block, …
const GROWTH_ONE_IN: u64 = 2;

/// … and growing is this many times as common as shrinking: texts of all lengths do both.
const GROWTH_OVER_SHRINKING: u64 = 3;

/// Classes of a bin share a pool if each of them saves at least one in this many of the calls that the busiest saves.
const TOGETHER_ONE_IN: u64 = 16;

/// The largest size for which common allocators have bins that sizes share.
const SHARED_BYTES_MAX: u64 = 1032;

/// Size classes for the whole program leave the largest sizes out as long as they serve this share of the calls.
const SERVED_SHARE: f64 = 0.97;

/// A container of pointers is replaced by a pool if the pool would be filled this many times.
const FILLS_MIN: u64 = 2;

/// Larger blocks do not count towards an arena.
const ARENA_BYTES_MAX: u64 = 64 << 10;

/// No number.
const NONE: u32 = u32::MAX;

/// What the allocations of a unit have in common.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    /// Objects of one class.
    Class(u32),
    /// Objects of the classes that share a bin.
    Bin(u64),
    /// All sizes that a function requests, by its name.
    Sizes(String),
    /// The allocations that a library makes for itself.
    Library(String),
    /// A buffer that a function resizes.
    Growing(String),
}

/// The requests for slots, counted while the trace is read.
#[derive(Debug, Clone, Copy, Default)]
struct Demand {
    calls: Calls,
    live: u32,
    peak_live: u32,
    /// Of slots of an allocator of size classes.
    slot_bytes: u64,
    peak_slot_bytes: u64,
}

/// What a block takes in an allocator of size classes.
fn slot_bytes(bytes: u64) -> u64 {
    bytes.div_ceil(GRANULE).saturating_mul(GRANULE)
}

impl Demand {
    #[inline]
    fn birth(&mut self, bytes: u64, was_at_hand: bool) {
        self.calls.births += 1;
        self.calls.at_hand += u64::from(was_at_hand);
        self.calls.large += u64::from(!was_at_hand && bytes > SMALL_BYTES_MAX);
        self.live += 1;
        self.peak_live = self.peak_live.max(self.live);
        self.slot_bytes = self.slot_bytes.saturating_add(slot_bytes(bytes));
        self.peak_slot_bytes = self.peak_slot_bytes.max(self.slot_bytes);
    }

    #[inline]
    fn death(&mut self, bytes: u64) {
        self.calls.deaths += 1;
        self.live = self.live.saturating_sub(1);
        self.slot_bytes = self.slot_bytes.saturating_sub(slot_bytes(bytes));
    }
}

/// What a kind of allocation counts towards.
#[derive(Debug, Clone, Copy)]
struct Route {
    unit: u32,
    /// The class of slots of an allocator for the whole program.
    slots: u32,
    /// The function that allocates.
    function: u32,
}

/// All units of a trace.
#[derive(Debug, Default)]
pub(crate) struct Units {
    keys: Vec<Key>,
    /// By kind of allocation.
    routes: Vec<Route>,
    /// By kind: class and births.
    kinds: Vec<(u32, u64)>,
    demands: Vec<Demand>,
    /// The sizes of slots of an allocator for the whole program, and the requests for each.
    slot_sizes: Vec<u64>,
    of_slots: Vec<Demand>,
    /// The functions that allocate, and what they build up.
    functions: Vec<String>,
    together: Vec<Together>,
    /// By class: its size, if the trace has it, and the size by which it counts.
    sizes: Vec<Option<u64>>,
    bytes: Vec<u64>,
    places: Places,
    at_hand: AtHand,
    has_order: bool,
    pairs: Pairs,
    /// By class, the requests of the program's own code.
    of_classes: Vec<Demand>,
    /// The number of events so far.
    events: u64,
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
        let sizes: Vec<Option<u64>> =
            statistics.classes.iter().map(|class| class.bytes_max).collect();
        let mut units = Self {
            bytes: sizes.iter().map(|size| size.unwrap_or(BYTES_DEFAULT)).collect(),
            at_hand: AtHand::new(rules.blocks_at_hand, &sizes),
            has_order: summary.has_times(),
            sizes,
            ..Self::default()
        };
        match &summary.allocations {
            None => units.of_classes(summary, statistics),
            Some(allocations) => {
                units.places = allocations.places(&rules.skip_callers);
                units.kinds = allocations.kinds().collect();
                units.of_places(statistics);
            }
        }
        units.of_classes = vec![Demand::default(); units.sizes.len()];
        units.demands = vec![Demand::default(); units.keys.len()];
        units.of_slots = vec![Demand::default(); units.slot_sizes.len()];
        units.together = vec![Together::default(); units.functions.len()];
        units
    }

    /// The units of a lifetime trace.
    fn of_classes(&mut self, summary: &Summary, statistics: &Statistics) {
        let classes = 0..statistics.classes.len() as u32;
        let births = |class: u32| statistics.classes[class as usize].lifetimes;
        self.keys = classes.clone().map(Key::Class).collect();
        self.routes = classes
            .clone()
            .map(|class| Route { unit: class, slots: NONE, function: class })
            .collect();
        self.kinds = classes.clone().map(|class| (class, births(class))).collect();
        self.functions = summary.classes.clone();
    }

    /// The units of a recording of a heap.
    fn of_places(&mut self, statistics: &Statistics) {
        let mut habits = vec![Habit::default(); self.places.places.len()];
        for (&(class, births), &place) in self.kinds.iter().zip(&self.places.of_kind) {
            let habit = &mut habits[place as usize];
            habit.births += births;
            *habit.births_of_class.entry(class).or_default() += births;
        }
        let mut keys: Vec<Key> = self
            .kinds
            .iter()
            .zip(&self.places.of_kind)
            .map(|(&(class, _), &place)| {
                habits[place as usize].key(&self.places, place, class, self.bytes_of(class))
            })
            .collect();
        self.share_bins(&mut keys, statistics);
        let peaks = statistics.classes.iter().zip(&self.bytes);
        self.slot_sizes =
            slot_sizes(peaks.map(|(class, &bytes)| (bytes, class.peak_live)), BYTES_MAX_LARGEST);
        let mut numbers: HashMap<Key, u32> = HashMap::new();
        let mut functions: HashMap<String, u32> = HashMap::new();
        for (kind, key) in keys.into_iter().enumerate() {
            let (class, place) = (self.kinds[kind].0, self.places.of_kind[kind] as usize);
            let place = &self.places.places[place];
            let mut route = Route { unit: NONE, slots: NONE, function: NONE };
            if place.inside.is_none() {
                let bytes = self.bytes_of(class);
                let slots = self.slot_sizes.partition_point(|slot| *slot < bytes);
                if bytes > 0 && slots < self.slot_sizes.len() {
                    route.slots = slots as u32;
                }
                // A whole program is no place to change.
                if bytes <= ARENA_BYTES_MAX && !place.is_unknown() {
                    let next = self.functions.len() as u32;
                    route.function = *functions.entry(place.function.clone()).or_insert(next);
                    if route.function == next {
                        self.functions.push(place.function.clone());
                    }
                }
            }
            let next = self.keys.len() as u32;
            route.unit = *numbers.entry(key.clone()).or_insert(next);
            if route.unit == next {
                self.keys.push(key);
            }
            self.routes.push(route);
        }
    }

    /// Puts classes together that share a bin.
    fn share_bins(&self, keys: &mut [Key], statistics: &Statistics) {
        let mut births: HashMap<u32, u64> = HashMap::new();
        for (key, (class, of_kind)) in keys.iter().zip(&self.kinds) {
            if *key == Key::Class(*class) && self.bytes_of(*class) <= SHARED_BYTES_MAX {
                *births.entry(*class).or_default() += of_kind;
            }
        }
        // A recording may name sizes that were never allocated.
        let peak = |class: u32| statistics.classes.get(class as usize).map_or(0, |of| of.peak_live);
        let saved = |class: u32, births: u64| births.saturating_sub(peak(class).into());
        let mut of_bin: HashMap<u64, (u64, usize)> = HashMap::new();
        for (&class, &births) in &births {
            let most = &mut of_bin.entry(bin(self.bytes_of(class))).or_default().0;
            *most = saved(class, births).max(*most);
        }
        let mut shares = births;
        shares.retain(|&class, births| {
            let (most, classes) = of_bin.entry(bin(self.bytes_of(class))).or_default();
            let is_busy = *most > 0 && saved(class, *births) * TOGETHER_ONE_IN >= *most;
            *classes += usize::from(is_busy);
            is_busy
        });
        for key in keys {
            if let Key::Class(class) = *key
                && shares.contains_key(&class)
                && of_bin.get(&bin(self.bytes_of(class))).is_some_and(|of_bin| of_bin.1 > 1)
            {
                *key = Key::Bin(bin(self.bytes_of(class)));
            }
        }
    }

    #[inline]
    fn bytes_of(&self, class: u32) -> u64 {
        self.bytes.get(class as usize).copied().unwrap_or(0)
    }

    /// What to do first, after the second pass.
    pub(crate) fn advice(
        mut self,
        rules: &Rules,
        names: &[String],
        time: Option<AllTime>,
    ) -> Advice {
        self.pairs.end_row();
        let all_calls: u64 = self.kinds.iter().map(|kind| kind.1).sum();
        let mut kinds_of: Vec<Vec<u32>> = vec![Vec::new(); self.keys.len()];
        for (kind, route) in (0..).zip(&self.routes) {
            kinds_of[route.unit as usize].push(kind);
        }
        let mut advice = Advice {
            wrappers: std::mem::take(&mut self.places.wrappers),
            nameless_share: self.places.nameless_share,
            bytes_of_kinds: self.bytes_of_kinds(),
            libraries: self.libraries(all_calls),
            time,
            ..Advice::default()
        };
        let build = Build { units: &self, rules, names, all_calls };
        let mut all = Vec::new();
        for (unit, kinds) in kinds_of.into_iter().enumerate() {
            all.extend(build.unit(unit, kinds));
        }
        all.extend(build.program_size_classes());
        all.extend(build.packed());
        all.extend(build.arenas());
        advice.allocators = build.allocators();
        advice.rank_allocators();
        advice.rank(all);
        advice
    }

    fn bytes_of_kinds(&self) -> Vec<Option<u64>> {
        self.kinds
            .iter()
            .map(|&(class, _)| self.sizes.get(class as usize).copied().flatten())
            .collect()
    }

    fn libraries(&self, all_calls: u64) -> Vec<Library> {
        let of_library = |(key, demand): (&Key, &Demand)| match key {
            Key::Library(name) => Some(Library {
                name: name.clone(),
                calls: demand.calls.births,
                share_of_calls: demand.calls.births as f64 / all_calls.max(1) as f64,
            }),
            _ => None,
        };
        let mut all: Vec<Library> =
            self.keys.iter().zip(&self.demands).filter_map(of_library).collect();
        all.retain(|library| library.calls > 0);
        all.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.name.cmp(&b.name)));
        all
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

/// Builds the proposals.
struct Build<'u> {
    units: &'u Units,
    rules: &'u Rules,
    names: &'u [String],
    all_calls: u64,
}

impl Build<'_> {
    fn headroom(&self) -> Headroom {
        self.rules.headroom
    }

    fn prices(&self) -> &Prices {
        &self.rules.prices
    }

    /// What the system's allocator takes for calls.
    fn cost(&self, calls: &Calls) -> Price {
        calls.cost(&self.prices().system, self.units.has_order)
    }

    /// What all means have in common.
    fn proposal(&self, means: Means, calls: &Calls, calls_saved: u64, after: Price) -> Proposal {
        Proposal {
            means,
            calls: calls.births,
            calls_saved,
            share_of_calls: calls_saved as f64 / self.all_calls.max(1) as f64,
            calls_at_hand: calls.at_hand,
            time_saved: TimeSaved::of_costs(calls.births, self.cost(calls), after),
            ..Proposal::default()
        }
    }

    /// The proposal for a unit, if there is a change for it.
    fn unit(&self, unit: usize, kinds: Vec<u32>) -> Option<Proposal> {
        let demand = self.units.demands[unit];
        let calls = demand.calls;
        let calls_saved = calls.births.saturating_sub(demand.peak_live.into());
        let range = self.units.range(&kinds);
        let label = |range: Option<(u64, u64)>| {
            let (least, most) = range.unwrap_or_default();
            format!("{least}-{most}")
        };
        let in_slots = calls.cost_of_slots(self.prices().pool);
        let in_classes = calls.cost_of_slots(self.prices().classes);
        let slots = self.headroom().capacity(demand.peak_live);
        let slot_bytes = range.map(|(_, most)| most.saturating_mul(u64::from(slots)));
        let mut proposal = match &self.units.keys[unit] {
            Key::Library(_) => return None,
            Key::Growing(_) => {
                let (replaced, bytes) = self.replaced(&kinds);
                let growths = replaced.min(calls.births);
                let share = growths as f64 / calls.births.max(1) as f64;
                let kib = bytes as f64 / 1024.0 * growths as f64 / replaced.max(1) as f64;
                let copies = COPYING_KIB.times(kib);
                let without = self.cost(&calls).times(1.0 - share).plus(copies.times(-1.0));
                let of_buffer = self.proposal(Means::Reserve, &calls, growths, without);
                return (growths > 0).then(|| Proposal {
                    class: label(range),
                    bytes_max: range.map(|range| range.1),
                    callers: self.units.callers(&kinds),
                    kinds,
                    ..of_buffer
                });
            }
            _ if !mostly_saved(calls.births, calls_saved) || calls_saved == 0 => return None,
            Key::Sizes(_) => Proposal {
                class: label(range),
                bytes: Some(self.headroom().bytes(demand.peak_slot_bytes)),
                ..self.proposal(Means::SizeClasses, &calls, calls_saved, in_classes)
            },
            Key::Class(class) => {
                let name = self.names.get(*class as usize).cloned().unwrap_or_default();
                Proposal {
                    classes: vec![name.clone()],
                    class: name,
                    bytes: slot_bytes,
                    is_worth_by_count: self.units.places.places.is_empty()
                        && is_worth_by_count(calls.births, calls_saved, self.all_calls),
                    ..self.proposal(Means::Pool, &calls, calls_saved, in_slots)
                }
            }
            Key::Bin(_) => {
                let mut classes: Vec<u32> =
                    kinds.iter().map(|&kind| self.units.kinds[kind as usize].0).collect();
                classes.sort_by_key(|&class| self.units.bytes_of(class));
                classes.dedup();
                Proposal {
                    class: label(range),
                    classes: classes.iter().map(|&of| self.names[of as usize].clone()).collect(),
                    bytes: slot_bytes,
                    ..self.proposal(Means::SharedPool, &calls, calls_saved, in_slots)
                }
            }
        };
        proposal.callers = self.units.callers(&kinds);
        proposal.peak_live = demand.peak_live;
        proposal.slots = slots;
        proposal.bytes_max = range.map(|range| range.1);
        proposal.kinds = kinds;
        Some(proposal)
    }

    /// The blocks that the places of these kinds replaced by larger ones, and their bytes. Each place has several
    /// kinds.
    fn replaced(&self, kinds: &[u32]) -> (u64, u64) {
        let mut places: Vec<u32> =
            kinds.iter().map(|&kind| self.units.places.of_kind[kind as usize]).collect();
        places.sort_unstable();
        places.dedup();
        let replaced = |&place: &u32| self.units.places.places[place as usize].replaced;
        places
            .iter()
            .map(replaced)
            .fold((0, 0), |all, of| (all.0 + of.0, all.1.saturating_add(of.1)))
    }

    /// Size classes for the whole program.
    fn program_size_classes(&self) -> Option<Proposal> {
        let births = |classes: &[Demand]| classes.iter().map(|of| of.calls.births).sum::<u64>();
        let served = births(&self.units.of_slots) as f64 * SERVED_SHARE;
        let all = 1..=self.units.of_slots.len();
        let used = all.into_iter().find(|&n| births(&self.units.of_slots[..n]) as f64 >= served)?;
        let classes = &self.units.of_slots[..used];
        let sizes = self.units.slot_sizes[..used].to_vec();
        let calls = classes.iter().fold(Calls::default(), |all, of| all.plus(of.calls));
        let peak: u64 = classes.iter().map(|of| u64::from(of.peak_live)).sum();
        let calls_saved = calls.births.saturating_sub(peak);
        if !mostly_saved(calls.births, calls_saved) || calls_saved == 0 {
            return None;
        }
        let kinds: Vec<u32> = (0..)
            .zip(&self.units.routes)
            .filter(|(_, route)| (route.slots as usize) < used)
            .map(|(kind, _)| kind)
            .collect();
        let slots: Vec<u32> =
            classes.iter().map(|of| self.headroom().capacity(of.peak_live)).collect();
        let bytes = sizes.iter().zip(&slots).map(|(size, &slots)| size * u64::from(slots));
        let bytes = bytes.fold(0, u64::saturating_add);
        let range = self.units.range(&kinds);
        let after = calls.cost_of_slots(self.prices().classes);
        Some(Proposal {
            class: range.map(|(least, most)| format!("{least}-{most}")).unwrap_or_default(),
            bytes: Some(bytes),
            bytes_max: sizes.last().copied(),
            slots: slots.iter().fold(0, |all, &slots| all.saturating_add(slots)),
            peak_live: u32::try_from(peak).unwrap_or(u32::MAX),
            kinds,
            ..self.proposal(Means::ProgramSizeClasses(sizes), &calls, calls_saved, after)
        })
    }

    /// Packed pools for what is born and freed together with a node of a container. One that is filled once takes pages that
    /// nobody has used, where the allocator may have blocks of others that went before.
    fn packed(&self) -> Vec<Proposal> {
        if !self.units.has_order || self.units.places.places.is_empty() {
            return Vec::new();
        }
        self.units.pairs.nodes().iter().filter_map(|nodes| self.packed_without(nodes)).collect()
    }

    fn packed_without(&self, nodes: &Nodes) -> Option<Proposal> {
        let demand = |class: u32| self.units.of_classes.get(class as usize).copied();
        let of_nodes = demand(nodes.node)?.calls;
        let values: Vec<Demand> = nodes.values.iter().filter_map(|&class| demand(class)).collect();
        let of_values = values.iter().fold(Calls::default(), |all, of| all.plus(of.calls));
        let peak = values.iter().map(|of| u64::from(of.peak_live)).sum::<u64>();
        if of_values.births < FILLS_MIN * peak {
            return None;
        }
        let calls = of_nodes.plus(of_values);
        let is_one = |class: u32| class == nodes.node || nodes.values.contains(&class);
        let kinds: Vec<u32> = (0..)
            .zip(&self.units.kinds)
            .filter(|&(kind, &(class, _))| {
                is_one(class) && self.units.routes[kind as usize].slots != NONE
            })
            .map(|(kind, _)| kind)
            .collect();
        let (least, most) = self.units.range(&kinds)?;
        let size = |&class: &u32| self.units.bytes_of(class);
        let mut sizes: Vec<u64> = nodes.values.iter().map(size).collect();
        sizes.sort_unstable();
        let slots = |of: &Demand| self.headroom().capacity(of.peak_live);
        let bytes =
            nodes.values.iter().zip(&values).map(|(class, of)| size(class) * u64::from(slots(of)));
        let means = Means::Packed { node: size(&nodes.node), values: sizes };
        let after = of_values.cost_of_slots(self.prices().pool);
        Some(Proposal {
            class: format!("{least}-{most}"),
            slots: values.iter().map(slots).fold(0, u32::saturating_add),
            peak_live: u32::try_from(peak).unwrap_or(u32::MAX),
            bytes: Some(bytes.fold(0, u64::saturating_add)),
            bytes_max: Some(most),
            callers: self.units.callers(&kinds),
            kinds,
            ..self.proposal(means, &calls, calls.births.saturating_sub(peak), after)
        })
    }

    /// Arenas: one for functions whose objects are built up once and go together, and one for each function that does so
    /// again and again.
    fn arenas(&self) -> Vec<Proposal> {
        if !self.units.has_order {
            return Vec::new();
        }
        let of = &self.units.together;
        let mut functions: Vec<u32> = (0..of.len() as u32).collect();
        functions.retain(|&function| of[function as usize].is_built_up());
        functions.sort_by_key(|&function| std::cmp::Reverse(of[function as usize].calls.births));
        let (once, again): (Vec<u32>, Vec<u32>) =
            functions.into_iter().partition(|&function| of[function as usize].is_once());
        let mut all: Vec<Proposal> =
            again.iter().map(|&one| self.arena(&of[one as usize], &[one])).collect();
        let sizes = self.sizes_of_functions();
        // By group: what they need together, the size of all of them, and the functions.
        let mut groups: Vec<(Together, Option<u64>, Vec<u32>)> = Vec::new();
        for function in once {
            let (one, size) = (of[function as usize], sizes[function as usize]);
            let joined = groups.iter_mut().find_map(|group| {
                let is_one_kind = size.is_some() && size == group.1;
                let both = group.0.with(one, is_one_kind)?;
                Some((group, both))
            });
            match joined {
                Some((group, both)) => {
                    group.0 = both;
                    group.1 = group.1.filter(|_| group.1 == size);
                    group.2.push(function);
                }
                None => groups.push((one, size, vec![function])),
            }
        }
        all.extend(groups.iter().map(|(together, _, members)| self.arena(together, members)));
        all
    }

    /// By function, the size of all blocks that it asks for, if that is one.
    fn sizes_of_functions(&self) -> Vec<Option<u64>> {
        let mut sizes: Vec<Option<Option<u64>>> = vec![None; self.units.functions.len()];
        for (kind, route) in (0..).zip(&self.units.routes) {
            let Some(known) = sizes.get_mut(route.function as usize) else { continue };
            let Some((size, _)) = self.units.range(&[kind]) else { continue };
            *known = Some(known.is_none_or(|other| other == Some(size)).then_some(size));
        }
        sizes.into_iter().map(Option::flatten).collect()
    }

    fn arena(&self, together: &Together, functions: &[u32]) -> Proposal {
        let mut members = vec![false; self.units.functions.len()];
        functions.iter().for_each(|&function| members[function as usize] = true);
        let is_member = |route: &Route| members.get(route.function as usize) == Some(&true);
        let kinds: Vec<u32> = (0..)
            .zip(&self.units.routes)
            .filter(|(_, route)| is_member(route))
            .map(|(kind, _)| kind)
            .collect();
        let (objects, bytes) = together.needs();
        let range = self.units.range(&kinds);
        let calls = &together.calls;
        let after = self.prices().arena.times(calls.births as f64);
        let class = match (range, functions) {
            (Some((least, most)), _) if least == most => least.to_string(),
            (Some((least, most)), _) => format!("{least}-{most}"),
            (None, functions) => self.units.functions[functions[0] as usize].clone(),
        };
        Proposal {
            class,
            slots: self.headroom().capacity(objects),
            peak_live: objects,
            bytes: range.map(|_| self.headroom().bytes(bytes)),
            bytes_max: range.map(|range| range.1),
            callers: self.units.callers(&kinds),
            kinds,
            ..self.proposal(Means::Arena, calls, calls.births, after)
        }
    }

    /// The other allocators whose prices are known.
    fn allocators(&self) -> Vec<OtherAllocator> {
        if self.units.places.places.is_empty() {
            return Vec::new();
        }
        let units = &self.units.demands;
        let calls = units.iter().fold(Calls::default(), |all, of| all.plus(of.calls));
        let before = calls.cost(&self.prices().system, self.units.has_order);
        let of_other = |(name, prices): &(String, _)| OtherAllocator {
            name: name.clone(),
            calls: calls.births,
            time_saved: TimeSaved::of_costs(
                calls.births,
                before,
                calls.cost(prices, self.units.has_order),
            ),
            ..OtherAllocator::default()
        };
        self.prices().others.iter().map(of_other).collect()
    }
}

impl Habit {
    /// The unit of the allocations of a class in a place.
    fn key(&self, places: &Places, place: u32, class: u32, bytes: u64) -> Key {
        let of = &places.places[place as usize];
        if let Some(library) = &of.inside {
            return Key::Library(library.clone());
        }
        // A whole program is no place to change.
        if of.is_unknown() {
            return Key::Class(class);
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
            return Key::Sizes(of.function.clone());
        }
        Key::Class(class)
    }
}

impl Watch for Units {
    #[inline]
    fn birth(&mut self, event: Event) {
        self.events += 1;
        let bytes = self.bytes_of(event.class);
        let was_at_hand = self.has_order && self.at_hand.take(event.class);
        // A file that changes while it is read may have new kinds; it is refused at the end.
        let Some(&route) = self.routes.get(event.kind as usize) else { return };
        self.demands[route.unit as usize].birth(bytes, was_at_hand);
        if let Some(demand) = self.of_slots.get_mut(route.slots as usize) {
            demand.birth(bytes, was_at_hand);
            self.of_classes[event.class as usize].birth(bytes, was_at_hand);
            self.pairs.event(event, true);
        } else {
            self.pairs.other(true);
        }
        if let Some(together) = self.together.get_mut(route.function as usize) {
            together.calls.births += 1;
            together.calls.at_hand += u64::from(was_at_hand);
            together.calls.large += u64::from(!was_at_hand && bytes > SMALL_BYTES_MAX);
            together.birth(bytes, self.events);
        }
    }

    #[inline]
    fn death(&mut self, event: Event) {
        self.events += 1;
        let bytes = self.bytes_of(event.class);
        self.at_hand.give_back(event.class);
        let Some(&route) = self.routes.get(event.kind as usize) else { return };
        self.demands[route.unit as usize].death(bytes);
        if let Some(demand) = self.of_slots.get_mut(route.slots as usize) {
            demand.death(bytes);
            self.of_classes[event.class as usize].death(bytes);
            self.pairs.event(event, false);
        } else {
            self.pairs.other(false);
        }
        if let Some(together) = self.together.get_mut(route.function as usize) {
            together.calls.deaths += 1;
            together.death(bytes, self.events);
        }
    }

    fn left(&mut self, _class: u32, _key: u32, _last_tick: u32) {}
}
