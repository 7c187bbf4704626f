//! The byte-map pool.

use millpond_classic::BytemapPool;

use super::{Drawing, Happened, Kept, Object, Panel, Slot, State};
use crate::random::Random;

pub(crate) struct Bytemap {
    pool: BytemapPool<Object>,
    kept: Kept<i32>,
}

/// Seeds of a slot.
const SEEDS: usize = 128;

/// Comparisons of a measurement.
const ROUNDS: u32 = 200_000;

/// A handle as the text writes it.
fn shown(handle: i32) -> String {
    format!("{handle:#06x}")
}

fn index(handle: i32) -> usize {
    (handle >> 8) as usize
}

impl Bytemap {
    pub(crate) fn new(slots: usize) -> Self {
        Self { pool: BytemapPool::new(slots), kept: Kept::new() }
    }

    /// The free slots as the cursor comes to them.
    fn upcoming(&self) -> Vec<usize> {
        let count = self.pool.capacity();
        let from = usize::try_from(self.pool.cursor() + 1).unwrap_or(0);
        let round = (from..count).chain(0..from.min(count));
        round.filter(|slot| self.pool.handle_at(*slot).is_none()).collect()
    }

    /// The handles in play: each free slot may come back under any seed, each busy one has its own.
    fn handles_in_play(&self) -> usize {
        (self.pool.capacity() - self.pool.len()) * SEEDS + self.pool.len()
    }
}

impl Panel for Bytemap {
    fn insert(&mut self, object: Object, _number: u32) -> Happened {
        let inserted = self.pool.insert(object).ok();
        self.kept.keep(inserted);
        match inserted {
            Some(handle) => Happened::entered(object, index(handle), &shown(handle)),
            None => Happened::new("miss", None, "full: New() returns null".to_owned()),
        }
    }

    fn remove(&mut self, object: Object) -> Happened {
        let Some(handle) = self.kept.of(object) else { return Happened::unknown(object) };
        match self.pool.remove(handle) {
            Some(removed) => Happened::left(removed, index(handle)),
            None => Happened::refused(&shown(handle), Some(index(handle)), "the byte is another"),
        }
    }

    fn get(&self, object: Object) -> Happened {
        let Some(handle) = self.kept.of(object) else { return Happened::unknown(object) };
        match self.pool.get(handle) {
            Some(found) if *found != object => {
                Happened::lie(object, *found, index(handle), &shown(handle))
            }
            Some(found) => Happened::found(*found, index(handle), &shown(handle)),
            None => Happened::refused(&shown(handle), Some(index(handle)), "the byte is another"),
        }
    }

    fn slot_of(&self, object: Object) -> Option<usize> {
        self.kept.of(object).map(index)
    }

    fn object_in(&self, slot: usize) -> Option<Object> {
        self.pool.get_at(slot).copied()
    }

    /// As `millpond odds` does: the free slots are taken and released in laps, until every handle has come up. Then one
    /// of those is drawn for each handle that the pool issues, and the two are compared.
    fn measure(&self) -> Happened {
        let (free, busy) = (self.pool.capacity() - self.pool.len(), self.pool.len());
        if free == 0 {
            return Happened::new("miss", None, "full: no handle is issued".to_owned());
        }
        let mut pool = BytemapPool::new(free + busy);
        let mut handles: Vec<i32> = (0..free + busy).filter_map(|_| pool.insert(0).ok()).collect();
        let mut lap = handles[..free].to_vec();
        let mut turn = 0;
        let mut issue = |lap: &mut Vec<i32>| {
            // The whole lap is released at once: the mix of free and busy slots is that of the panel.
            if turn == 0 {
                for handle in lap.drain(..) {
                    let _ = pool.remove(handle);
                }
            }
            turn = (turn + 1) % free;
            let handle = pool.insert(0).unwrap_or_default();
            lap.push(handle);
            handle
        };
        for _ in 0..(SEEDS - 1) * free {
            let handle = issue(&mut lap);
            handles.push(handle);
        }
        let mut random = Random::new(1);
        let mut matches = 0_u32;
        for _ in 0..ROUNDS {
            let kept = handles[random.below(handles.len() as u32) as usize];
            matches += u32::from(issue(&mut lap) == kept);
        }
        let expected = f64::from(ROUNDS) / self.handles_in_play() as f64;
        let words = format!(
            "{},000 kept handles: {matches} issued again; the formula says {expected:.0}",
            ROUNDS / 1000
        );
        Happened::new("hit", None, words)
    }

    fn draw(&self) -> Drawing {
        let slot = |(slot, byte): (usize, &u8)| {
            let seed = u32::from(byte & 0x7f);
            let drawn = match self.pool.get_at(slot) {
                Some(object) => Slot::live(seed, *object),
                // A seed of 0 in a pool that was used is one that has come round.
                None if *byte == 0x80 => Slot { state: State::Unused, ..Slot::vacant(0) },
                None => Slot { state: State::Dead, ..Slot::vacant(seed) },
            };
            drawn.noted(format!("{byte:#04x}"))
        };
        let (live, in_play) = (self.pool.len(), self.handles_in_play());
        let stats = match self.pool.capacity() - live {
            0 => format!(
                "full: if one slot is released and taken again and again, the odds of a kept handle are 1 in {}",
                SEEDS + live - 1
            ),
            free => format!(
                "{free} free × 128 + {live} busy: the odds that a kept handle is issued next are 1 in {in_play}"
            ),
        };
        Drawing {
            name: "Byte map and cursor".to_owned(),
            rule: "one byte a slot: bit 7 is set if it is free, the other seven count its uses",
            slots: self.pool.bytes().iter().enumerate().map(slot).collect(),
            next: self.upcoming(),
            cursor: Some(self.pool.cursor().into()),
            stats,
            ..Drawing::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_comes_to_the_slots_as_they_are_drawn() {
        let mut random = Random::new(7);
        let mut panel = Bytemap::new(11);
        for object in 0..2000 {
            let expected = panel.upcoming().first().copied();
            panel.insert(object, 0);
            assert_eq!(panel.slot_of(object), expected);
            for _ in 0..random.below(3) {
                panel.remove(random.below(object + 1));
            }
        }
    }

    #[test]
    fn the_measurement_agrees_with_the_formula() {
        for live in 0..4 {
            let mut panel = Bytemap::new(4);
            (0..live).for_each(|object| drop(panel.insert(object, 0)));
            let expected = f64::from(ROUNDS) / panel.handles_in_play() as f64;
            let words = panel.measure().words;
            let matches = words.split(": ").nth(1).and_then(|rest| rest.split(' ').next());
            let matches: f64 = matches.unwrap().parse().unwrap();
            assert!((matches - expected).abs() < 5.0 * expected.sqrt(), "{live}: {words}");
        }
    }
}
