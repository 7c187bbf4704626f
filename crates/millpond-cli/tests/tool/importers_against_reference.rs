//! Plans of made-up traces against a reference that computes everything the obvious way.

use std::collections::BTreeMap;

use crate::common::{Directory, Random, plan_json};
use serde_json::Value;

/// One object: when and as what it lived.
#[derive(Debug, Clone)]
struct Life {
    class: String,
    born: u32,
    /// The position of its birth and of its death among all events.
    events: (usize, Option<usize>),
    died: Option<u32>,
}

/// A made-up program, and how it is written down.
#[derive(Debug, Default)]
struct MadeUp {
    lives: Vec<Life>,
    /// The event's tick, and the object that is born or dies.
    events: Vec<(u32, usize)>,
}

impl MadeUp {
    /// Objects of few classes that come and go, with pauses between.
    fn new(seed: u64, events: usize) -> Self {
        let mut random = Random(seed);
        let mut made_up = Self::default();
        let mut live: Vec<usize> = Vec::new();
        let classes = 1 + random.below(5);
        let mut tick = random.below(50) as u32;
        for event in 0..events {
            tick += [0, 0, 0, 1, 1, 2, 40][random.below(7) as usize];
            if live.is_empty() || random.below(100) < 53 {
                live.push(made_up.lives.len());
                made_up.events.push((tick, made_up.lives.len()));
                let class = (16 * (1 + random.below(classes))).to_string();
                let events = (event, None);
                made_up.lives.push(Life { class, born: tick, events, died: None });
            } else {
                let object = live.swap_remove(random.below(live.len() as u64) as usize);
                made_up.events.push((tick, object));
                made_up.lives[object].died = Some(tick);
                made_up.lives[object].events.1 = Some(event);
            }
        }
        made_up
    }

    fn is_birth(&self, event: usize) -> bool {
        self.lives[self.events[event].1].events.0 == event
    }

    fn as_lifetimes(&self) -> String {
        let mut text = "tick,event,id,class,x,y\n".to_owned();
        for (event, &(tick, object)) in self.events.iter().enumerate() {
            let verb = if self.is_birth(event) { "alloc" } else { "free" };
            // Ids in no order, to try the parts that expect them in order.
            let id = object ^ 5;
            text += &format!("{tick},{verb},{id},{},1.5,-2\n", self.lives[object].class);
        }
        text
    }

    /// As a heaptrack file, in which every class has two call stacks.
    fn as_heaptrack(&self) -> String {
        let mut text = "v 10400 3\nX made up\n".to_owned();
        let mut kinds: BTreeMap<(String, usize), usize> = BTreeMap::new();
        let mut clock = None;
        for (event, &(tick, object)) in self.events.iter().enumerate() {
            let class = &self.lives[object].class;
            if clock != Some(tick) {
                text += &format!("c {tick:x}\n");
                clock = Some(tick);
            }
            let size: u64 = class.parse().unwrap();
            let next = kinds.len();
            let kind = *kinds.entry((class.clone(), object % 2)).or_insert_with(|| {
                text += &format!("a {size:x} 0\n");
                next
            });
            let sign = if self.is_birth(event) { '+' } else { '-' };
            text += &format!("{sign} {kind:x}\n");
        }
        text
    }

    /// As a raw recording of heaptrack, in which every class has two call stacks; an address is used again.
    fn as_heaptrack_raw(&self) -> String {
        let mut text = "v 10400 3\nx 7 made up\nX made up\nm 1 -\nt 10 0\nt 20 0\n".to_owned();
        let (mut addresses, mut free) = (vec![0; self.lives.len()], Vec::new());
        let mut clock = None;
        for (event, &(tick, object)) in self.events.iter().enumerate() {
            if clock != Some(tick) {
                text += &format!("c {tick:x}\n");
                clock = Some(tick);
            }
            if self.is_birth(event) {
                let next = 0x1000 + 16 * object;
                addresses[object] = free.pop().unwrap_or(next);
                let size: u64 = self.lives[object].class.parse().unwrap();
                text += &format!("+ {size:x} {} {:x}\n", 1 + object % 2, addresses[object]);
            } else {
                free.push(addresses[object]);
                text += &format!("- {:x}\n", addresses[object]);
            }
        }
        text
    }

    /// What it would be if, of each kind that heaptrack tells from others, the newest died first, or the oldest.
    fn as_if(&self, newest_first: bool) -> Self {
        let mut other = Self { lives: self.lives.clone(), events: self.events.clone() };
        let deaths: Vec<usize> = (0..self.events.len()).filter(|&e| !self.is_birth(e)).collect();
        let kind_of = |life: &Life, object: usize| (life.class.clone(), object % 2);
        let mut dies: Vec<Option<usize>> = vec![None; self.lives.len()];
        for death in deaths {
            let (_, object) = self.events[death];
            let kind = kind_of(&self.lives[object], object);
            let mut alive = (0..self.lives.len())
                .filter(|&o| kind_of(&self.lives[o], o) == kind)
                .filter(|&o| self.lives[o].events.0 < death && dies[o].is_none());
            let dead = if newest_first { alive.max() } else { alive.next() }.unwrap();
            dies[dead] = Some(death);
        }
        for (object, death) in dies.into_iter().enumerate() {
            other.lives[object].died = death.map(|d| self.events[d].0);
            other.lives[object].events.1 = death;
            if let Some(death) = death {
                other.events[death].1 = object;
            }
        }
        other
    }

    /// The length that this share of the lives of a class do not exceed, as it is told, and whether it may be longer.
    fn length_of_life(&self, class: &str, share: f64) -> (u64, bool) {
        let lives: Vec<&Life> = self.lives.iter().filter(|life| life.class == class).collect();
        let age = |life: &&Life| u64::from(life.died.unwrap_or(self.last_tick()) - life.born);
        let ages: Vec<u64> = lives.iter().map(age).collect();
        let ages_or_more: Vec<u64> =
            lives.iter().map(|l| if l.died.is_some() { age(l) } else { u64::MAX }).collect();
        let (least, most) = (quantile(ages, share), quantile(ages_or_more, share));
        // Two lengths in one bin of the histogram count as one.
        let at_least = told(least, false) != told(most, false);
        (told(least, at_least), at_least)
    }

    fn first_tick(&self) -> u32 {
        self.events[0].0
    }

    fn last_tick(&self) -> u32 {
        self.events[self.events.len() - 1].0
    }

    /// How many of a class (or of all) are alive after each event.
    fn live_after_events(&self, class: Option<&str>) -> Vec<u64> {
        let mut live = 0_i64;
        let of_class = |object: usize| class.is_none_or(|c| self.lives[object].class == c);
        (0..self.events.len())
            .map(|event| {
                let step = if self.is_birth(event) { 1 } else { -1 };
                live += step * i64::from(of_class(self.events[event].1));
                live as u64
            })
            .collect()
    }

    /// For each tick the most of a class that were alive in it.
    fn most_in_ticks(&self, class: &str) -> Vec<u64> {
        let after = self.live_after_events(Some(class));
        let mut carried = 0;
        (self.first_tick()..=self.last_tick())
            .map(|tick| {
                let mut most = carried;
                for event in (0..self.events.len()).filter(|&e| self.events[e].0 == tick) {
                    most = most.max(after[event]);
                    carried = after[event];
                }
                most
            })
            .collect()
    }
}

/// The value at this share of a list.
fn quantile(mut values: Vec<u64>, share: f64) -> u64 {
    values.sort_unstable();
    let rank = ((values.len() as f64 * share).ceil() as usize).max(1);
    values[rank - 1]
}

/// The bin of eight significant bits or more that a length is in, as it is told.
fn told(length: u64, at_least: bool) -> u64 {
    if length < 256 || length == u64::MAX {
        return length;
    }
    let width = 1 << (length.ilog2() - 7);
    let first = length / width * width;
    if at_least { first } else { first + width - 1 }
}

/// A figure of the plan at both ends; where there is one, it is both.
#[track_caller]
fn figure(object: &Value, field: &str) -> [Value; 2] {
    let both = &object[&format!("{field}_between")];
    match object[field].is_null() {
        true => [both["least"].clone(), both["most"].clone()],
        false => {
            assert!(both.is_null(), "one figure or two: {object}");
            [object[field].clone(), object[field].clone()]
        }
    }
}

/// The least and the greatest of what each end says.
fn least_and_most(of_ends: impl Iterator<Item = u64>) -> [Value; 2] {
    let of_ends: Vec<u64> = of_ends.collect();
    [of_ends.iter().min(), of_ends.iter().max()].map(|figure| (*figure.unwrap()).into())
}

/// Checks a class of a program; what follows from who died is as the `ends` have it: the program itself, where the
/// recording says who died.
#[track_caller]
fn check_class(made_up: &MadeUp, ends: &[&MadeUp], class: &Value, context: &str) {
    let name = class["class"].as_str().unwrap();
    let lives: Vec<&Life> = made_up.lives.iter().filter(|life| life.class == name).collect();
    assert_eq!(class["lifetimes"], lives.len(), "{context}");
    let left = lives.iter().filter(|life| life.died.is_none()).count();
    assert_eq!(class["left_live"], left, "{context}");
    let peak = made_up.live_after_events(Some(name)).into_iter().max().unwrap();
    assert_eq!(class["peak_live"], peak, "{context}");
    let in_ticks = made_up.most_in_ticks(name);
    assert_eq!(class["p99_live"], quantile(in_ticks.clone(), 0.99), "{context}");

    let born_in = |tick: u32| lives.iter().filter(|life| life.born == tick).count();
    let worst = (made_up.first_tick()..=made_up.last_tick()).map(born_in).max().unwrap();
    assert_eq!(class["births_per_tick"]["worst"], worst, "{context}");
    let mean = lives.len() as f64 / in_ticks.len() as f64;
    assert!((class["births_per_tick"]["mean"].as_f64().unwrap() - mean).abs() < 1e-9, "{context}");

    for (field, share) in [("median", 0.5), ("p95", 0.95)] {
        let mut lengths: Vec<(u64, bool)> =
            ends.iter().map(|end| end.length_of_life(name, share)).collect();
        lengths.sort_unstable();
        let expected = [lengths[0], lengths[lengths.len() - 1]];
        let found = figure(&class["lifetime_ticks"], field);
        let found = found.map(|length| {
            (length["ticks"].as_u64().unwrap(), length["at_least"].as_bool().unwrap())
        });
        assert_eq!(found, expected, "{context}: {field}");
    }
    for smaller in class["smaller"].as_array().unwrap() {
        let capacity = smaller["capacity"].as_u64().unwrap() as usize;
        let of_ends = || ends.iter().map(|end| smaller_pool(end, name, capacity));
        // The ends enclose both of these, and the program itself.
        for (at, name_of) in ["refused", "evicted"].iter().enumerate() {
            let found = figure(smaller, name_of).map(|of| of.as_u64().unwrap());
            let of_program = smaller_pool(made_up, name, capacity);
            let pick = |both: (u64, u64)| if at == 0 { both.0 } else { both.1 };
            for one in of_ends().chain([of_program]).map(pick) {
                assert!((found[0]..=found[1]).contains(&one), "{context}: capacity {capacity}");
            }
            let is_exact = ends.len() == 2 || found == [pick(of_program); 2];
            assert!(is_exact, "{context}: capacity {capacity}");
        }
    }
    let capacity = class["capacity"].as_u64().unwrap() as usize;
    for (at, order) in ["lifo", "fifo"].iter().enumerate() {
        let of_ends = ends.iter().map(|end| busiest_slots(end, name, capacity)[at]);
        let found = figure(&class["busiest_slot_lifetimes"], order);
        assert_eq!(found, least_and_most(of_ends), "{context}: {order}");
    }
    assert_eq!(class["proof"]["holds"], true, "{context}");
    assert_eq!(class["proof"]["drops"], 2 * ends.len() * lives.len(), "{context}");
}

/// What a full pool of this capacity would have refused, and evicted.
fn smaller_pool(made_up: &MadeUp, class: &str, capacity: usize) -> (u64, u64) {
    let (mut refusing, mut evicting) = (Vec::new(), Vec::new());
    let (mut refused, mut evicted) = (0, 0);
    for (event, &(_, object)) in made_up.events.iter().enumerate() {
        if made_up.lives[object].class != class {
            continue;
        }
        if !made_up.is_birth(event) {
            refusing.retain(|&o| o != object);
            evicting.retain(|&o| o != object);
            continue;
        }
        if refusing.len() == capacity {
            refused += 1;
        } else {
            refusing.push(object);
        }
        if evicting.len() == capacity {
            evicted += 1;
            evicting.remove(0);
        }
        evicting.push(object);
    }
    (refused, evicted)
}

/// How often the busiest slot is used, newest first and oldest first.
fn busiest_slots(made_up: &MadeUp, class: &str, capacity: usize) -> [u64; 2] {
    [true, false].map(|newest_first| {
        // Dead slots, the next one to be used at the end.
        let mut dead: Vec<usize> = (0..capacity).rev().collect();
        let mut slots = BTreeMap::new();
        let mut uses = vec![0_u64; capacity];
        for (event, &(_, object)) in made_up.events.iter().enumerate() {
            if made_up.lives[object].class != class {
                continue;
            }
            if made_up.is_birth(event) {
                let slot = dead.pop().unwrap();
                uses[slot] += 1;
                slots.insert(object, slot);
            } else {
                let slot = slots.remove(&object).unwrap();
                dead.insert(if newest_first { dead.len() } else { 0 }, slot);
            }
        }
        uses.into_iter().max().unwrap()
    })
}

#[track_caller]
fn check_trace(made_up: &MadeUp, ends: &[&MadeUp], trace: &Value, context: &str) {
    assert_eq!(trace["events"], made_up.events.len(), "{context}");
    assert_eq!(trace["first_tick"], made_up.first_tick(), "{context}");
    assert_eq!(trace["ticks"], made_up.last_tick() - made_up.first_tick() + 1, "{context}");
    assert_eq!(trace["lifetimes"], made_up.lives.len(), "{context}");
    let after = made_up.live_after_events(None);
    assert_eq!(trace["peak_live"], *after.iter().max().unwrap(), "{context}");
    assert_eq!(trace["left_live"], *after.last().unwrap(), "{context}");
    let mut names: Vec<&str> = made_up.lives.iter().map(|life| life.class.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(trace["classes"].as_array().unwrap().len(), names.len(), "{context}");
    for class in trace["classes"].as_array().unwrap() {
        check_class(made_up, ends, class, &format!("{context}, class {}", class["class"]));
    }
}

#[test]
fn lifetime_traces() {
    let directory = Directory::new();
    for seed in 0..8 {
        let made_up = MadeUp::new(seed, 3 + 100 * seed as usize);
        let trace = directory.file("made-up.csv", made_up.as_lifetimes());
        let json = plan_json(&directory, &trace);
        check_trace(&made_up, &[&made_up], &json["traces"][0], &format!("seed {seed}"));
        assert_eq!(json["traces"][0]["lives"], "known");
    }
}

#[test]
fn heaptrack_files() {
    let directory = Directory::new();
    for seed in 0..8 {
        let made_up = MadeUp::new(seed, 3 + 100 * seed as usize);
        let trace = directory.file("made-up.heaptrack", made_up.as_heaptrack());
        let json = plan_json(&directory, &trace);
        let (newest_first, oldest_first) = (made_up.as_if(true), made_up.as_if(false));
        let ends = [&newest_first, &oldest_first];
        check_trace(&made_up, &ends, &json["traces"][0], &format!("seed {seed}"));
        assert_eq!(json["traces"][0]["lives"], "between");
        // What the raw recording of the same program says has one figure for each.
        let trace = directory.file("made-up.raw", made_up.as_heaptrack_raw());
        let raw = plan_json(&directory, &trace);
        check_trace(&made_up, &[&made_up], &raw["traces"][0], &format!("raw, seed {seed}"));
        assert_eq!(raw["traces"][0]["lives"], "known");
        let mut bytes = 0_i64;
        let mut peak_bytes = 0;
        for (event, &(_, object)) in made_up.events.iter().enumerate() {
            let size: i64 = made_up.lives[object].class.parse().unwrap();
            bytes += if made_up.is_birth(event) { size } else { -size };
            peak_bytes = peak_bytes.max(bytes);
        }
        assert_eq!(json["traces"][0]["peak_bytes"], peak_bytes, "seed {seed}");
    }
}
