//! The same objects in two pools, which differ in the slot that they use next.

use millpond::Pool;
use millpond::reuse::Fifo;

const CAPACITY: usize = 600;

/// Two pools that get and lose the same objects.
pub(crate) struct Twins {
    pub(crate) lifo: Pool<u32>,
    pub(crate) fifo: Pool<u32, Fifo>,
    random: u64,
}

impl Twins {
    pub(crate) fn new() -> Self {
        let lifo = Pool::builder().capacity(CAPACITY).name("Lifo: the slot freed last comes next");
        let fifo = Pool::builder().capacity(CAPACITY).name("Fifo: the slot freed first comes next");
        Self { lifo: lifo.build(), fifo: fifo.reuse(Fifo).build(), random: 3 }
    }

    /// Some objects end, and a few begin. Most live for a moment, some for long.
    pub(crate) fn tick(&mut self) {
        let goes_on = |ticks_left: &mut u32| {
            *ticks_left -= 1;
            *ticks_left > 0
        };
        self.lifo.retain(|_, ticks_left| goes_on(ticks_left));
        self.fifo.retain(|_, ticks_left| goes_on(ticks_left));
        for _ in 0..6 {
            let share = self.share();
            let ticks = 5 + (share.powi(16) * 1200.0) as u32;
            let (lifo, fifo) = (self.lifo.insert(ticks), self.fifo.insert(ticks));
            assert_eq!(lifo.is_ok(), fifo.is_ok(), "both have as many slots");
        }
    }

    /// A number from 0 to 1.
    fn share(&mut self) -> f32 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.random >> 40) as f32 / (1_u32 << 24) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifo_uses_as_few_slots_as_it_can_and_fifo_all_alike() {
        let mut twins = Twins::new();
        (0..1800).for_each(|_| twins.tick());
        let Twins { lifo, fifo, .. } = twins;
        assert_eq!((lifo.stats(), lifo.stats().refused), (fifo.stats(), 0));
        assert!(lifo.handles().all(|handle| (handle.index() as usize) < lifo.stats().peak));
        assert!(fifo.handles().any(|handle| handle.index() as usize > CAPACITY - 10));
        let (of_lifo, of_fifo) = (lifo.generations(), fifo.generations());
        let lifo = lifo.handles().map(|handle| of_lifo.lifetime(handle.generation())).max();
        let fifo = fifo.handles().map(|handle| of_fifo.lifetime(handle.generation())).max();
        assert!(lifo > fifo, "{lifo:?} lifetimes of a slot with Lifo, {fifo:?} with Fifo");
    }
}
