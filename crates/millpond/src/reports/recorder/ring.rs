//! A queue of events with a fixed number of places, from any number of threads to one.
//!
//! Adding an event never waits: neither for a lock nor for the reader. If there is no free place, the event is dropped.
//! A place holds two words beside its turn:
//!
//! ```text
//! place p of n turn == lap * n + p empty, to be filled in that lap turn == lap * n + p + 1 filled, to be read in that
//! lap
//! ```
//!
//! (After Dmitry Vyukov's bounded queue, with one reader.)

use alloc::boxed::Box;
use core::sync::atomic::{AtomicU64, Ordering};

use super::event::Event;

#[derive(Debug)]
struct Place {
    turn: AtomicU64,
    words: [AtomicU64; 2],
}

#[derive(Debug)]
pub(super) struct Ring {
    places: Box<[Place]>,
    /// The number of events added, which is the turn of the next one.
    added: AtomicU64,
}

impl Ring {
    /// A ring with at least this many places, rounded up to a power of two.
    pub(super) fn new(places: usize) -> Self {
        let places = places.next_power_of_two().max(2) as u64;
        let place =
            |turn| Place { turn: AtomicU64::new(turn), words: [const { AtomicU64::new(0) }; 2] };
        Self { places: (0..places).map(place).collect(), added: AtomicU64::new(0) }
    }

    fn place(&self, turn: u64) -> &Place {
        &self.places[turn as usize & (self.places.len() - 1)]
    }

    /// Adds an event; `false` if there is no place for it.
    pub(super) fn add(&self, event: Event) -> bool {
        let mut turn = self.added.load(Ordering::Relaxed);
        loop {
            let place = self.place(turn);
            let found = place.turn.load(Ordering::Acquire);
            if found == turn {
                let next = turn + 1;
                let order = Ordering::Relaxed;
                match self.added.compare_exchange_weak(turn, next, order, order) {
                    Ok(_) => {
                        for (to, word) in place.words.iter().zip(event.to_words()) {
                            to.store(word, Ordering::Relaxed);
                        }
                        place.turn.store(next, Ordering::Release);
                        return true;
                    }
                    // Another thread has taken the turn, so some thread always makes progress.
                    Err(now) => turn = now,
                }
            } else if found < turn {
                return false;
            } else {
                turn = self.added.load(Ordering::Relaxed);
            }
        }
    }

    /// The event of the next turn, if it has been added; only the one reader has the turn.
    pub(super) fn take(&self, turn: &mut u64) -> Option<Event> {
        let place = self.place(*turn);
        if place.turn.load(Ordering::Acquire) != *turn + 1 {
            return None;
        }
        let event = Event::from_words([0, 1].map(|word| place.words[word].load(Ordering::Relaxed)));
        place.turn.store(*turn + self.places.len() as u64, Ordering::Release);
        *turn += 1;
        Some(event)
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::EventKind;
    use super::*;

    fn event(index: u32) -> Event {
        Event { kind: EventKind::Birth, pool: 7, index, tick: !index }
    }

    #[test]
    fn what_goes_in_comes_out_in_order_and_a_full_ring_refuses() {
        let ring = Ring::new(3);
        let mut turn = 0;
        for lap in 0..5 {
            for i in 0..4 {
                assert!(ring.add(event(lap * 4 + i)), "rounded up to 4");
            }
            assert!(!ring.add(event(99)));
            for i in 0..4 {
                assert_eq!(ring.take(&mut turn), Some(event(lap * 4 + i)));
            }
            assert_eq!(ring.take(&mut turn), None);
        }
    }

    #[test]
    fn of_many_threads_nothing_is_lost_twice_or_out_of_order() {
        const EACH: u32 = if cfg!(miri) { 50 } else { 20_000 };
        let ring = Ring::new(64);
        let (mut turn, mut seen) = (0, [0; 3]);
        let taken = std::thread::scope(|scope| {
            let writers = [0, 1, 2].map(|pool| {
                let ring = &ring;
                scope.spawn(move || {
                    let added = |index: &u32| ring.add(Event { pool, ..event(*index) });
                    (1..=EACH).filter(added).count()
                })
            });
            let mut taken = 0;
            let mut done = false;
            loop {
                while let Some(Event { pool, index, tick, .. }) = ring.take(&mut turn) {
                    assert!(index > seen[pool as usize] && tick == !index);
                    seen[pool as usize] = index;
                    taken += 1;
                }
                if done {
                    break;
                }
                done = writers.iter().all(std::thread::ScopedJoinHandle::is_finished);
            }
            let added: usize = writers.into_iter().map(|writer| writer.join().unwrap()).sum();
            assert_eq!(added, taken);
            taken
        });
        assert!(taken > 0);
    }
}
