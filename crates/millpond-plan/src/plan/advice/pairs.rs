//! Sizes that are born and freed in pairs: an object, and the node of a container of pointers that holds it.
//!
//! `things.push_back(new Thing)` asks for an object, then for the node of a `std::list<Thing*>`; `delete` and `erase` give
//! both back. Two births in a row are a pair, and so are two deaths in a row; an event is part of one pair at most.
//! Sizes whose births and deaths are nearly all in pairs with a common one are values and their nodes.
//!
//! A list that is torn down as a whole frees all of its objects first, and then all of its nodes. So of many deaths without
//! a birth in between, each death of a value belongs to one of a node.

use std::collections::HashMap;

use crate::trace::Event;

/// Of each value's births, and of its deaths, this share is in such pairs.
const PAIRED_SHARE: f64 = 0.9;

/// Of a node's: some of its values may be of sizes that other objects have, too.
const NODE_SHARE: f64 = 0.75;

/// Fewer pairs are no reason for a change.
const PAIRS_MIN: u64 = 100;

/// Two sizes are born together if one in so many births of the rarer one is in such a pair.
const TOGETHER_ONE_IN: u64 = 2;

/// More pairs of sizes than this are not told apart: no program has as many.
const SIZES_MAX: usize = 1 << 16;

/// Two classes, the one of the lower number first.
type Classes = (u32, u32);

/// Pairs of two classes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count {
    births: u64,
    /// Of those, how often the class of the lower number came first.
    lower_first: u64,
    deaths: u64,
    /// The deaths without a birth in between: of each such row, those of the class that has fewer.
    torn_down: u64,
}

impl Count {
    fn plus(self, other: Self) -> Self {
        Self {
            births: self.births + other.births,
            lower_first: self.lower_first + other.lower_first,
            deaths: self.deaths + other.deaths,
            torn_down: self.torn_down + other.torn_down,
        }
    }

    /// Deaths of both together.
    fn deaths(self) -> u64 {
        self.deaths.max(self.torn_down)
    }
}

/// Deaths since the last birth.
#[derive(Debug, Default)]
struct Row {
    deaths: u64,
    /// Of each class.
    of: Vec<u64>,
    /// Those that have any.
    classes: Vec<u32>,
}

impl Row {
    #[inline]
    fn death(&mut self, class: u32) {
        let index = class as usize;
        if index >= self.of.len() {
            self.of.resize(index + 1, 0);
        }
        if self.of[index] == 0 {
            self.classes.push(class);
        }
        self.of[index] += 1;
        self.deaths += 1;
    }
}

/// Counts pairs while a recording is gone through.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    counts: HashMap<Classes, Count, foldhash::fast::RandomState>,
    /// The class of the event before, unless it is in a pair, and whether it was a birth.
    single: Option<(u32, bool)>,
    /// Births and deaths of each class.
    all: Vec<(u64, u64)>,
    row: Row,
}

/// Values that each have a node.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Nodes {
    /// The class of the nodes.
    pub(super) node: u32,
    /// The classes of the values, in ascending order.
    pub(super) values: Vec<u32>,
}

impl Pairs {
    #[inline]
    pub(super) fn event(&mut self, event: Event, is_birth: bool) {
        let class = event.class as usize;
        if class >= self.all.len() {
            self.all.resize(class + 1, (0, 0));
        }
        if is_birth {
            self.all[class].0 += 1;
            self.end_row();
        } else {
            self.all[class].1 += 1;
            self.row.death(event.class);
        }
        match self.single.take() {
            Some((before, was_birth))
                if was_birth == is_birth
                    && before != event.class
                    && (is_birth || self.are_born_together(before, event.class)) =>
            {
                self.count(before, event.class, is_birth);
            }
            _ => self.single = Some((event.class, is_birth)),
        }
    }

    /// An event that is in no pair and parts others.
    #[inline]
    pub(super) fn other(&mut self, is_birth: bool) {
        self.single = None;
        if is_birth {
            self.end_row();
        }
    }

    /// Ends a row of deaths: a birth follows, or the recording ends.
    #[inline]
    pub(super) fn end_row(&mut self) {
        if self.row.deaths > 0 {
            self.count_row();
        }
    }

    /// Counts the deaths without a birth in between that belong together, and begins anew.
    fn count_row(&mut self) {
        let Row { deaths, of, classes } = &mut self.row;
        // A short row is of pairs, or of nothing. Of more classes, there would be more pairs than deaths.
        let sides = classes.len() as u64;
        if *deaths >= PAIRS_MIN && sides * sides <= *deaths {
            for (at, &one) in classes.iter().enumerate() {
                for &other in &classes[at + 1..] {
                    if let Some(count) = self.counts.get_mut(&(one.min(other), one.max(other))) {
                        count.torn_down += of[one as usize].min(of[other as usize]);
                    }
                }
            }
        }
        classes.drain(..).for_each(|class| of[class as usize] = 0);
        *deaths = 0;
    }

    /// Whether a pair of these classes has been born often: otherwise, a death in front of many pairs would part all of
    /// them.
    fn are_born_together(&self, one: u32, other: u32) -> bool {
        let births = |class: u32| self.all[class as usize].0;
        let pairs = self.counts.get(&(one.min(other), one.max(other))).map_or(0, |of| of.births);
        pairs > 0 && pairs * TOGETHER_ONE_IN >= births(one).min(births(other))
    }

    fn count(&mut self, first: u32, second: u32, is_birth: bool) {
        let classes = (first.min(second), first.max(second));
        if self.counts.len() == SIZES_MAX && !self.counts.contains_key(&classes) {
            return;
        }
        let count = self.counts.entry(classes).or_default();
        if is_birth {
            count.births += 1;
            count.lower_first += u64::from(first < second);
        } else {
            count.deaths += 1;
        }
    }

    /// The nodes and their values, each class in one of them at most.
    pub(super) fn nodes(&self) -> Vec<Nodes> {
        let mut partners: HashMap<u32, Vec<(u32, Count)>> = HashMap::new();
        for (&(a, b), &count) in &self.counts {
            for (class, other) in [(a, b), (b, a)] {
                if self.is_most(other, count, PAIRED_SHARE) {
                    partners.entry(class).or_default().push((other, count));
                }
            }
        }
        let mut found: Vec<(u64, Nodes)> = Vec::new();
        for (node, values) in partners {
            let sum = values.iter().fold(Count::default(), |sum, (_, count)| sum.plus(*count));
            // A single value is as often with its node as the node with it: the node comes second.
            let is_node = values.len() > 1
                || values.iter().all(|&(value, count)| self.comes_second(node, value, count));
            if sum.births >= PAIRS_MIN && self.is_most(node, sum, NODE_SHARE) && is_node {
                let mut values: Vec<u32> = values.into_iter().map(|(value, _)| value).collect();
                values.sort_unstable();
                found.push((sum.births, Nodes { node, values }));
            }
        }
        found.sort_by_key(|(births, nodes)| (std::cmp::Reverse(*births), nodes.node));
        let mut taken: Vec<u32> = Vec::new();
        found.retain(|(_, nodes)| {
            let classes = || nodes.values.iter().chain([&nodes.node]);
            let is_free = !classes().any(|class| taken.contains(class));
            if is_free {
                taken.extend(classes());
            }
            is_free
        });
        found.into_iter().map(|(_, nodes)| nodes).collect()
    }

    /// Whether these pairs are this share of the births and deaths of a class.
    fn is_most(&self, class: u32, count: Count, share: f64) -> bool {
        let (births, deaths) = self.all[class as usize];
        let is_most = |pairs: u64, all: u64| pairs as f64 >= all as f64 * share;
        count.deaths() > 0 && is_most(count.births, births) && is_most(count.deaths(), deaths)
    }

    /// Whether the node comes after the value in most of their pairs, or, if both are as common, is the larger number.
    fn comes_second(&self, node: u32, value: u32, count: Count) -> bool {
        let node_second = match value < node {
            true => count.lower_first,
            false => count.births - count.lower_first,
        };
        let value_second = count.births - node_second;
        node_second > value_second || (node_second == value_second && node > value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(events: &[(u32, bool)], times: usize) -> Vec<Nodes> {
        let mut pairs = Pairs::default();
        for &(class, is_birth) in events.iter().cycle().take(events.len() * times) {
            pairs.event(Event { tick: 0, class, kind: class, key: 0, bytes: None }, is_birth);
        }
        pairs.end_row();
        pairs.nodes()
    }

    const NODE: u32 = 0;
    const THING: u32 = 1;
    const BIG: u32 = 2;

    #[test]
    fn a_node_belongs_to_values_of_several_sizes() {
        let born = [(THING, true), (NODE, true), (BIG, true), (NODE, true)];
        let freed = [(THING, false), (NODE, false), (BIG, false), (NODE, false)];
        let expected = [Nodes { node: NODE, values: vec![THING, BIG] }];
        assert_eq!(counted(&[born, freed].concat(), 100), expected);
        assert_eq!(counted(&[born, freed].concat(), 10), [], "too few");
    }

    #[test]
    fn of_two_sizes_the_node_comes_second() {
        let pairs =
            |first, second| [(first, true), (second, true), (second, false), (first, false)];
        for (value, node) in [(THING, NODE), (NODE, THING)] {
            let found = counted(&pairs(value, node), 200);
            assert_eq!(found, [Nodes { node, values: vec![value] }]);
        }
    }

    /// As `for (Thing *thing : list) delete thing;` does before the list goes.
    #[test]
    fn a_list_that_is_torn_down_as_a_whole_has_nodes() {
        const SHARED: u32 = 3;
        let born = |value| [(value, true), (NODE, true)];
        let mut events = [born(THING), born(BIG), born(THING)].concat().repeat(100);
        // One value in seven is of a size that others have.
        events.extend(born(SHARED).repeat(50));
        events.extend([(SHARED, true), (SHARED, false)].repeat(500));
        events.extend([(THING, false), (BIG, false), (THING, false)].repeat(100));
        events.extend([(SHARED, false)].repeat(50));
        events.extend([(NODE, false)].repeat(350));
        let expected = [Nodes { node: NODE, values: vec![THING, BIG] }];
        assert_eq!(counted(&events, 1), expected);
        assert_eq!(counted(&events, 3), expected, "again and again");
        // If the values go before the last of them is born, no list is torn down.
        let apart = events.iter().flat_map(|&event| match event {
            (THING | BIG, false) => vec![event, (SHARED, true), (SHARED, false)],
            event => vec![event],
        });
        assert_eq!(counted(&apart.collect::<Vec<_>>(), 1), []);
    }

    #[test]
    fn what_is_born_in_pairs_and_freed_apart_has_no_nodes() {
        let events =
            [(THING, true), (NODE, true), (NODE, false), (BIG, true), (THING, false), (BIG, false)];
        assert_eq!(counted(&events, 200), []);
        // Alone as often as in pairs.
        let events = [
            (THING, true),
            (NODE, true),
            (THING, false),
            (NODE, false),
            (NODE, true),
            (NODE, false),
        ];
        assert_eq!(counted(&events, 200), []);
        // Blocks of one size take turns.
        assert_eq!(
            counted(&[(THING, true), (THING, true), (THING, false), (THING, false)], 200),
            []
        );
    }
}
