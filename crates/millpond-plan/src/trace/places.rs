//! The places in a program that allocate memory, found in the call stacks of a recording.
//!
//! The innermost functions of a stack are `malloc` and its wrappers. A *place* is the line of code that remains when
//! those are skipped. Known wrappers are recognised by name, the program's own by their behaviour: nearly all calls
//! pass through them, with sizes that others choose.

mod search;

use std::collections::{HashMap, HashSet};

use super::allocations::{Allocations, KindCounts};
use super::wrappers::{
    demangled, is_library, qualified_name, sounds_like_an_allocator, system_library,
    works_for_library,
};
use crate::input::decoded;
use crate::pattern::Pattern;
use search::Search;

/// The maximum depth of a search in a stack.
const DEPTH_MAX: usize = 256;

/// The number of functions of a stack that are named.
const NAMED_MAX: usize = 3;

/// A function that more than this share of all calls pass through is a wrapper.
const WRAPPER_SHARE: f64 = 0.9;

/// A call site in code without names that requests this many sizes, …
const NAMELESS_SIZES_MIN: usize = 8;

/// … and that this many call sites lead to, is a wrapper's, such as one of `strdup` or `calloc`.
const NAMELESS_CALLERS_MIN: usize = 8;

/// The maximum number of nested wrappers.
const WRAPPER_LAYERS_MAX: usize = 16;

/// A function that allocates, and how often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The function's name.
    pub function: String,
    /// The function and those that called it, the innermost first: at most three.
    pub stack: Vec<String>,
    /// The number of its allocations.
    pub allocations: u64,
}

impl Caller {
    /// Whether anything is known of it, if only its program or library.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.function != NO_STACK
    }
}

/// A line of code that allocates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its function.
    pub function: String,
    /// The function and its most frequent callers, the innermost first: at most three.
    pub stack: Vec<String>,
    /// The library that allocates here for itself.
    pub inside: Option<String>,
    /// How often a block of this place replaced a smaller one of it.
    pub growths: u64,
    /// How often a block of this place replaced a larger one of it.
    pub shrinks: u64,
    /// How often a block of this place replaced a smaller one of any place, as a buffer does that another function
    /// allocates first; and the bytes of the smaller ones that are copied.
    pub replaced: (u64, u64),
    /// Whether the function has no name: it is told by the nearest of its callers that has one, or by its program or
    /// library.
    pub is_nameless: bool,
}

impl Place {
    /// Whether nothing is known of it but its program or library.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.is_nameless && self.stack.len() == 1
    }

    /// The function, and its caller if the function is the constructor of a type: `new<Bullet> in shoot`.
    #[must_use]
    pub fn call_site(&self) -> String {
        match self.stack.get(1) {
            Some(caller) if self.function.starts_with("new<") => {
                format!("{} in {caller}", self.function)
            }
            _ => self.function.clone(),
        }
    }
}

/// Larger blocks are not copied when they grow: the system moves their pages.
const COPIED_BYTES_MAX: u64 = 128 << 10;

/// A function that allocates for its callers.
#[derive(Debug, Clone, PartialEq)]
pub struct Wrapper {
    /// The function's name.
    pub function: String,
    /// The share of all calls that pass through it.
    pub share: f64,
}

/// All places of a recording.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Places {
    /// The place of each kind of allocation.
    pub of_kind: Vec<u32>,
    /// The places by their numbers.
    pub places: Vec<Place>,
    /// The program's own wrappers that were skipped, in the order in which they were found.
    pub wrappers: Vec<Wrapper>,
    /// The share of all calls that code without names makes.
    pub nameless_share: f64,
}

/// The code that made an allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    Nobody,
    /// The string that names a function.
    Function(u32),
    /// A function without a name, and the string that names the nearest of its callers that has one.
    CalledBy(u32),
    /// The string that names a program or library that has no symbols.
    Module(u32),
}

impl Owner {
    /// Whether the function that allocates has no name.
    fn is_nameless(self) -> bool {
        matches!(self, Self::CalledBy(_) | Self::Module(_))
    }
}

/// What stands for a function without a name, before the nearest of its callers that has one.
pub(crate) const NO_NAME: &str = "(no name)";

/// What stands for a function where there is no call stack.
const NO_STACK: &str = "(no call stack)";

/// A place in the code: module and address.
type Site = (u32, u64);

/// The result of a search in a stack.
#[derive(Debug, Clone)]
struct Found {
    owner: Owner,
    /// Module and address of the innermost frame that is not a wrapper's.
    site: Option<Site>,
    /// The same for the frame above it.
    called_from: Option<Site>,
    /// The owner's program or library.
    module: u32,
    /// The owner's callers, the innermost first.
    above: [Owner; NAMED_MAX - 1],
    /// The run-time library that allocates here for itself.
    inside: Option<&'static str>,
}

/// How a function uses the allocator.
#[derive(Default)]
struct Use {
    births: u64,
    /// Those of functions without names that it calls: only if it sounds like an allocator, they are parts of it.
    births_below: u64,
    /// Its callers.
    contexts: HashSet<[Owner; NAMED_MAX - 1]>,
    /// The births and the classes of each place in it.
    sites: HashMap<Option<Site>, (u64, HashSet<u32>)>,
}

impl Use {
    /// Whether most of its memory is requested in places with at least this many sizes: then others choose the size.
    fn mostly_asks_for(&self, sizes: usize) -> bool {
        let of_many = self.sites.values().filter(|site| site.1.len() >= sizes);
        of_many.map(|site| site.0).sum::<u64>() * 2 > self.births
    }

    /// Whether it is called from more than one place in the program.
    fn has_callers(&self) -> bool {
        let is_called = |above: &&[Owner; NAMED_MAX - 1]| above[0] != Owner::Nobody;
        self.contexts.iter().filter(is_called).count() >= 2
    }
}

/// How a call site in code without names uses the allocator.
#[derive(Default)]
struct NamelessUse {
    births: u64,
    classes: HashSet<u32>,
    called_from: HashSet<Site>,
}

impl NamelessUse {
    /// Whether it passes on sizes that others choose.
    fn is_wrapper(&self, all: u64) -> bool {
        let (sizes, callers) = (self.classes.len(), self.called_from.len());
        let is_everywhere = self.births as f64 > all as f64 * WRAPPER_SHARE;
        (is_everywhere && sizes >= 2 && callers >= 2)
            || (sizes >= NAMELESS_SIZES_MIN && callers >= NAMELESS_CALLERS_MIN)
    }
}

/// What is skipped on the way to the function that allocates.
struct Skipped {
    /// By string, whether it names something that allocates for its caller.
    strings: Vec<bool>,
    /// Call sites in code without names.
    sites: HashSet<Site>,
}

impl Skipped {
    /// Whether this string names something that is skipped.
    fn names(&self, string: u32) -> bool {
        string != 0 && self.strings[string as usize - 1]
    }
}

/// Whether this is where a program begins.
fn is_entry(function: &str) -> bool {
    let name = qualified_name(function);
    ["main", "_start", "WinMain", "wmain"].contains(&name.rsplit("::").next().unwrap_or(&name))
}

impl Allocations {
    /// The places that allocate. Functions that match one of the patterns are skipped as wrappers.
    #[must_use]
    pub fn places(&self, skip: &[Pattern]) -> Places {
        let text = |string| self.stacks.text_of(string);
        let strings = (1..=self.stacks.strings())
            .map(|string| is_library(text(string)) || is_named(text(string), skip))
            .collect();
        let mut skipped = Skipped { strings, sites: HashSet::new() };
        let mut wrappers = Vec::new();
        let mut found = self.found(&skipped);
        for _ in 0..WRAPPER_LAYERS_MAX {
            let (more, sites) = (self.wrappers(&found), self.nameless_wrappers(&found));
            if more.is_empty() && sites.is_empty() {
                break;
            }
            skipped.sites.extend(sites);
            for (function, share) in more {
                skipped.strings[function as usize - 1] = true;
                wrappers.push(Wrapper { function: self.name(Owner::Function(function)), share });
            }
            found = self.found(&skipped);
        }
        self.numbered(&found, wrappers)
    }

    fn found(&self, skipped: &Skipped) -> Vec<Found> {
        self.kinds.iter().map(|kind| self.owner(kind.stack, skipped)).collect()
    }

    /// The innermost function of a stack that is not a wrapper.
    ///
    /// A frame without a name (a `static` function in a stripped program) is told by the function that called it, as
    /// long as both are in the same program or library.
    fn owner(&self, stack: u32, skipped: &Skipped) -> Found {
        let mut search = Search::new(&self.stacks, skipped);
        let mut steps = self.stacks.steps(stack).take(DEPTH_MAX);
        let _ = steps.try_for_each(|step| search.step(&step));
        search.end()
    }

    /// Functions that make so many allocations of so many sizes that they must be wrappers.
    fn wrappers(&self, found: &[Found]) -> Vec<(u32, f64)> {
        let mut uses: HashMap<u32, Use> = HashMap::new();
        let mut all = 0;
        for (kind, found) in self.born(found) {
            all += kind.births;
            if let (Owner::Function(function) | Owner::CalledBy(function), None) =
                (found.owner, found.inside)
            {
                let of_function = uses.entry(function).or_default();
                of_function.births += kind.births;
                if found.owner.is_nameless() {
                    of_function.births_below += kind.births;
                }
                of_function.contexts.insert(found.above);
                let of_site = of_function.sites.entry(found.site).or_default();
                of_site.0 += kind.births;
                of_site.1.insert(kind.class);
            }
        }
        let mut wrappers: Vec<(u32, f64)> = Vec::new();
        for (function, of_function) in uses {
            let share = of_function.births as f64 / all.max(1) as f64;
            let name = self.name(Owner::Function(function));
            let own = (of_function.births - of_function.births_below) as f64;
            let is_everywhere = own > all as f64 * WRAPPER_SHARE && of_function.mostly_asks_for(2);
            let is_allocator = sounds_like_an_allocator(&name) && of_function.mostly_asks_for(3);
            if (is_everywhere || is_allocator) && of_function.has_callers() && !is_entry(&name) {
                wrappers.push((function, share));
            }
        }
        wrappers.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        wrappers
    }

    /// The call sites in code without names that pass on sizes chosen by others.
    fn nameless_wrappers(&self, found: &[Found]) -> Vec<Site> {
        let mut uses: HashMap<Site, NamelessUse> = HashMap::new();
        let mut all = 0;
        for (kind, found) in self.born(found) {
            all += kind.births;
            if let (true, Some(site)) = (found.owner.is_nameless(), found.site) {
                let of_site = uses.entry(site).or_default();
                of_site.births += kind.births;
                of_site.classes.insert(kind.class);
                of_site.called_from.extend(found.called_from);
            }
        }
        uses.retain(|_, of_site| of_site.is_wrapper(all));
        uses.into_keys().collect()
    }

    /// The kinds with allocations, each with the result for its stack.
    fn born<'f>(&self, found: &'f [Found]) -> impl Iterator<Item = (&KindCounts, &'f Found)> {
        self.kinds.iter().zip(found).filter(|(kind, _)| kind.births > 0)
    }

    /// The places by number, with what is known of each.
    fn numbered(&self, found: &[Found], wrappers: Vec<Wrapper>) -> Places {
        let libraries = self.minor_libraries(found);
        let mut numbers: HashMap<(Owner, Option<Site>, Option<&str>), u32> = HashMap::new();
        let mut places: Vec<Place> = Vec::new();
        let mut most: Vec<u64> = Vec::new();
        let mut of_kind = Vec::with_capacity(self.kinds.len());
        for (kind, found) in self.kinds.iter().zip(found) {
            let inside = found.inside.or_else(|| libraries.get(&found.module).map(String::as_str));
            let next = places.len() as u32;
            let number = *numbers.entry((found.owner, found.site, inside)).or_insert(next);
            if number == next {
                places.push(Place {
                    function: self.name(found.owner),
                    stack: Vec::new(),
                    inside: inside.map(str::to_owned),
                    growths: 0,
                    shrinks: 0,
                    replaced: (0, 0),
                    is_nameless: found.owner.is_nameless(),
                });
                most.push(0);
            }
            of_kind.push(number);
            if kind.births > most[number as usize] || places[number as usize].stack.is_empty() {
                most[number as usize] = kind.births;
                places[number as usize].stack = self.named(found);
            }
        }
        for &((born, died), times) in &self.neighbours {
            let (place, other) = (of_kind[born as usize], of_kind[died as usize]);
            let size = |kind: u32| self.sizes[self.kinds[kind as usize].class as usize];
            let owner = |kind: u32| found[kind as usize].owner;
            if size(born) > size(died) {
                let (blocks, bytes) = &mut places[place as usize].replaced;
                *blocks += times;
                if size(died) <= COPIED_BYTES_MAX {
                    *bytes = bytes.saturating_add(times.saturating_mul(size(died)));
                }
            }
            // A buffer may be allocated in one line of a function and grow in another.
            let is_function = matches!(owner(born), Owner::Function(_));
            if place == other || (is_function && owner(born) == owner(died)) {
                let place = &mut places[place as usize];
                let resizes =
                    if size(born) > size(died) { &mut place.growths } else { &mut place.shrinks };
                *resizes += times;
            }
        }
        let births = |of_nameless: bool| -> u64 {
            let kinds = self.born(found);
            let counted = kinds.filter(|(_, found)| {
                !of_nameless || found.owner.is_nameless() && found.inside.is_none()
            });
            counted.map(|(kind, _)| kind.births).sum()
        };
        let nameless_share = births(true) as f64 / births(false).max(1) as f64;
        Places { of_kind, places, wrappers, nameless_share }
    }

    /// The system's libraries that request less than half of the memory, so that they are not the subject of the
    /// recording.
    fn minor_libraries(&self, found: &[Found]) -> HashMap<u32, String> {
        let mut births: HashMap<u32, u64> = HashMap::new();
        let mut all = 0;
        for (kind, found) in self.born(found) {
            all += kind.births;
            *births.entry(found.module).or_default() += kind.births;
        }
        births.retain(|_, births| *births * 2 < all);
        let library = |module: u32| Some((module, system_library(self.stacks.text_of(module))?));
        births.into_keys().filter_map(library).collect()
    }

    fn named(&self, found: &Found) -> Vec<String> {
        let above = found.above.into_iter().filter(|owner| *owner != Owner::Nobody);
        let names = above.map(|owner| self.name(owner));
        match found.owner {
            Owner::CalledBy(function) => {
                let caller = self.name(Owner::Function(function));
                [NO_NAME.to_owned(), caller].into_iter().chain(names).take(NAMED_MAX).collect()
            }
            owner => std::iter::once(self.name(owner)).chain(names).collect(),
        }
    }

    fn name(&self, owner: Owner) -> String {
        match owner {
            Owner::Nobody => NO_STACK.to_owned(),
            Owner::Function(function) => demangled(&decoded(self.stacks.text_of(function))),
            Owner::CalledBy(function) => {
                format!("{NO_NAME} < {}", self.name(Owner::Function(function)))
            }
            Owner::Module(module) => {
                let path = decoded(self.stacks.text_of(module));
                let file = path.rsplit('/').next().unwrap_or(&path);
                format!("(no symbols) {file}")
            }
        }
    }
}

impl Places {
    /// The functions that request the kinds `of`, the busiest first. Each item is the number of a kind and of its
    /// requests.
    pub fn callers(&self, of: impl Iterator<Item = (usize, u64)>) -> Vec<Caller> {
        let mut callers: HashMap<String, (u64, &Place, u64)> = HashMap::new();
        for (kind, births) in of.filter(|of| of.1 > 0) {
            let place = &self.places[self.of_kind[kind] as usize];
            let caller = callers.entry(place.call_site()).or_insert((0, place, 0));
            caller.0 += births;
            if births > caller.2 {
                (caller.1, caller.2) = (place, births);
            }
        }
        let mut callers: Vec<Caller> = callers
            .into_iter()
            .map(|(function, (allocations, place, _))| Caller {
                function,
                stack: place.stack.clone(),
                allocations,
            })
            .collect();
        callers.sort_by(|a, b| {
            b.allocations.cmp(&a.allocations).then_with(|| a.function.cmp(&b.function))
        });
        callers
    }
}

/// Whether one of the patterns matches this function.
fn is_named(symbol: &[u8], patterns: &[Pattern]) -> bool {
    if patterns.is_empty() {
        return false;
    }
    let symbol = demangled(&decoded(symbol));
    let name = qualified_name(&symbol);
    patterns.iter().any(|pattern| pattern.matches(&symbol) || pattern.matches(&name))
}

#[cfg(test)]
mod tests;
