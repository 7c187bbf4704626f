//! The pools of a world, one panel each: what an operation does to it, and how it is drawn.

mod bytemap;
mod orders;
mod overflow;
mod particles;
mod roster;

use std::collections::VecDeque;

pub(crate) use bytemap::Bytemap;
pub(crate) use orders::Ordered;
pub(crate) use overflow::Overflowing;
pub(crate) use particles::{Particles, SLOTS as PARTICLES};
pub(crate) use roster::SwapDelete;

use crate::json;

/// An object of a world: objects are numbered as they are inserted.
pub(crate) type Object = u32;

/// The name of an object: A to Z, then A1 to Z1.
pub(crate) fn name(object: Object) -> String {
    let letter = char::from(b'A' + (object % 26) as u8);
    match object / 26 {
        0 => letter.to_string(),
        lap => format!("{letter}{lap}"),
    }
}

/// What happened in a panel.
#[derive(Debug, Default)]
pub(crate) struct Happened {
    /// In a few words.
    pub(crate) words: String,
    /// The slot that it happened to.
    pub(crate) slot: Option<usize>,
    /// `in`, `out`, `hit`, `miss`, or `lie` for a handle that finds another object.
    pub(crate) how: &'static str,
}

impl Happened {
    pub(crate) fn new(how: &'static str, slot: impl Into<Option<usize>>, words: String) -> Self {
        Self { words, slot: slot.into(), how }
    }

    fn entered(object: Object, slot: usize, handle: &str) -> Self {
        Self::new("in", slot, format!("{} takes slot {slot}: {handle}", name(object)))
    }

    fn left(object: Object, slot: usize) -> Self {
        Self::new("out", slot, format!("{} leaves slot {slot}", name(object)))
    }

    fn found(object: Object, slot: usize, handle: &str) -> Self {
        Self::new("hit", slot, format!("{handle} finds {}", name(object)))
    }

    /// A handle that finds another object.
    fn lie(object: Object, found: Object, slot: usize, handle: &str) -> Self {
        let words =
            format!("{handle} is accepted, and finds {}: not {}", name(found), name(object));
        Self::new("lie", slot, words)
    }

    fn refused(handle: &str, slot: Option<usize>, why: &str) -> Self {
        Self::new("miss", slot, format!("{handle} is refused: {why}"))
    }

    fn full() -> Self {
        Self::new("miss", None, "full: the value is returned".to_owned())
    }

    fn unknown(object: Object) -> Self {
        Self::new("miss", None, format!("{} has no handle here", name(object)))
    }
}

/// A slot as it is drawn.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) state: State,
    /// The generation of the object, or of the last one.
    pub(crate) generation: u32,
    pub(crate) object: Option<Object>,
    /// What else is to be said, such as how loud the object is.
    pub(crate) note: String,
}

/// The state of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Unused,
    Live,
    Dead,
    Retired,
}

impl State {
    fn text(self) -> &'static str {
        match self {
            Self::Unused => "unused",
            Self::Live => "live",
            Self::Dead => "dead",
            Self::Retired => "retired",
        }
    }
}

impl Slot {
    pub(crate) fn live(generation: u32, object: Object) -> Self {
        Self { state: State::Live, generation, object: Some(object), note: String::new() }
    }

    /// A slot without an object, whose last lifetime was this one; unused if there was none.
    pub(crate) fn vacant(generation: u32) -> Self {
        let state = if generation == 0 { State::Unused } else { State::Dead };
        Self { state, generation, object: None, note: String::new() }
    }

    pub(crate) fn retired(generation: u32) -> Self {
        Self { state: State::Retired, generation, object: None, note: String::new() }
    }

    pub(crate) fn noted(self, note: String) -> Self {
        Self { note, ..self }
    }

    fn json(&self) -> String {
        let object = self.object.map_or_else(String::new, name);
        format!(
            "{{\"state\":\"{}\",\"generation\":{},\"object\":{},\"note\":{}}}",
            self.state.text(),
            self.generation,
            json::text(&object),
            json::text(&self.note)
        )
    }
}

/// A panel as it is drawn.
#[derive(Debug, Default)]
pub(crate) struct Drawing {
    pub(crate) name: String,
    /// What this pool does, in a few words.
    pub(crate) rule: &'static str,
    pub(crate) slots: Vec<Slot>,
    /// The free slots in the order in which they are used next.
    pub(crate) next: Vec<usize>,
    /// The roster and its partition.
    pub(crate) roster: Option<(Vec<usize>, usize)>,
    /// The slot after which a search begins.
    pub(crate) cursor: Option<i64>,
    /// Whether each free slot holds the number of the next one.
    pub(crate) has_links: bool,
    /// One word for each 64 slots.
    pub(crate) bitmap: Vec<u64>,
    /// The pool's counters or odds.
    pub(crate) stats: String,
}

impl Drawing {
    pub(crate) fn json(&self, happened: &Happened) -> String {
        let (roster, partition) = match &self.roster {
            Some((roster, partition)) => (json::list(roster), *partition as i64),
            None => ("null".to_owned(), -1),
        };
        let bits: String = (0..self.slots.len())
            .map(|slot| {
                let word = self.bitmap.get(slot / 64).copied().unwrap_or(0);
                if word >> (slot % 64) & 1 == 1 { '1' } else { '0' }
            })
            .collect();
        format!(
            "{{\"name\":{},\"rule\":{},\"did\":{},\"how\":\"{}\",\"at\":{},\"slots\":{},\"next\":{},\"roster\":{roster},\
             \"partition\":{partition},\"cursor\":{},\"links\":{},\"bits\":\"{}\",\"stats\":{}}}",
            json::text(&self.name),
            json::text(self.rule),
            json::text(&happened.words),
            happened.how,
            happened.slot.map_or(-1, |slot| slot as i64),
            json::list(self.slots.iter().map(Slot::json)),
            json::list(&self.next),
            self.cursor.map_or_else(|| "null".to_owned(), |cursor| cursor.to_string()),
            self.has_links,
            if self.bitmap.is_empty() { "" } else { &bits },
            json::text(&self.stats),
        )
    }
}

/// A pool of a world.
pub(crate) trait Panel {
    fn insert(&mut self, object: Object, number: u32) -> Happened;
    fn remove(&mut self, object: Object) -> Happened;
    fn get(&self, object: Object) -> Happened;
    /// The slot that the object was inserted into, whether or not it is still there.
    fn slot_of(&self, object: Object) -> Option<usize>;
    /// The object that is in a slot.
    fn object_in(&self, slot: usize) -> Option<Object>;
    fn draw(&self) -> Drawing;

    /// One frame.
    fn tick(&mut self) -> Happened {
        Happened::default()
    }

    /// How likely it is that a kept handle is issued again, measured.
    fn measure(&self) -> Happened {
        Happened::default()
    }

    fn is_live(&self, object: Object) -> bool {
        self.slot_of(object).is_some_and(|slot| self.object_in(slot) == Some(object))
    }
}

/// The handles that insertions returned, of the latest objects: those that a player may have kept.
#[derive(Debug)]
pub(crate) struct Kept<H> {
    /// The object of the first handle.
    first: Object,
    handles: VecDeque<Option<H>>,
}

/// As many handles are kept.
const KEPT_MAX: usize = 4096;

impl<H: Copy> Kept<H> {
    pub(crate) fn new() -> Self {
        Self { first: 0, handles: VecDeque::new() }
    }

    /// Keeps the handle of the next object; `None` if it was refused.
    pub(crate) fn keep(&mut self, handle: Option<H>) {
        if self.handles.len() == KEPT_MAX {
            self.handles.pop_front();
            self.first += 1;
        }
        self.handles.push_back(handle);
    }

    pub(crate) fn of(&self, object: Object) -> Option<H> {
        *self.handles.get(object.checked_sub(self.first)? as usize)?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_latest_handles_are_kept() {
        let mut kept = Kept::new();
        (0..5000).for_each(|n| kept.keep(Some(n)));
        assert_eq!(
            (kept.of(4999), kept.of(904), kept.of(903), kept.of(5000)),
            (Some(4999), Some(904), None, None)
        );
    }

    #[test]
    fn objects_have_short_names() {
        assert_eq!([0, 25, 26, 700].map(name), ["A", "Z", "A1", "Y26"]);
    }
}
