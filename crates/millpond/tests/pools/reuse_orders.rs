//! The exact order in which each reuse order hands out slots, against a model that is too plain to be wrong.

use std::collections::BTreeSet;

use crate::common::{Random, Vacant};
use millpond::reuse::{Fifo, Lifo, LowestFirst, ReuseOrder, Roster};
use millpond::{
    Handle, Handle32, HandleAllocator, HandleLayout, PackedPool, Pool, StaticPool, VecPool,
};

/// What the test asks of a pool and of an allocator alike.
trait Subject<H> {
    fn next(&mut self) -> Option<H>;
    fn acquire(&mut self) -> Option<H>;
    fn acquire_at(&mut self, handle: H) -> bool;
    fn release(&mut self, handle: H) -> bool;
    fn release_all(&mut self);
}

macro_rules! subjects {
    ($($pool:ident of $value:ty)+) => {$(
        impl<R: ReuseOrder, H: HandleLayout> Subject<H> for $pool<$value, R, H> {
            fn next(&mut self) -> Option<H> {
                self.vacant_entry().map(|entry| entry.handle())
            }
            fn acquire(&mut self) -> Option<H> {
                self.insert(<$value>::default()).ok()
            }
            fn acquire_at(&mut self, handle: H) -> bool {
                self.insert_at(handle, <$value>::default()).is_ok()
            }
            fn release(&mut self, handle: H) -> bool {
                self.remove(handle).is_some()
            }
            fn release_all(&mut self) {
                self.clear();
            }
        }
    )+};
}

subjects!(Pool of u64 Pool of [u8; 9] VecPool of u64);

impl<R: ReuseOrder, H: HandleLayout> Subject<H> for HandleAllocator<R, H> {
    fn next(&mut self) -> Option<H> {
        self.next_handle()
    }
    fn acquire(&mut self) -> Option<H> {
        self.acquire()
    }
    fn acquire_at(&mut self, handle: H) -> bool {
        self.acquire_at(handle).is_ok()
    }
    fn release(&mut self, handle: H) -> bool {
        self.release(handle)
    }
    fn release_all(&mut self) {
        self.clear();
    }
}

/// A pool beside the list: every slot that the one hands out is the one that the other says.
struct Checked<S, H> {
    vacant: Vacant,
    subject: S,
    /// How many lifetimes each slot has.
    lifetimes: u32,
    live: Vec<H>,
    /// The generation that each slot has next.
    generations: Vec<u32>,
}

impl<S: Subject<H>, H: HandleLayout> Checked<S, H> {
    fn new(order: &'static str, subject: S, slots: usize, lifetimes: u32) -> Self {
        let vacant = Vacant::new(order, slots);
        Self { vacant, subject, lifetimes, live: Vec::new(), generations: vec![1; slots] }
    }

    fn began(&mut self, handle: H) {
        self.generations[handle.index() as usize] = handle.generation() + 1;
        self.live.push(handle);
    }

    fn acquire(&mut self) -> bool {
        let promised = self.subject.next();
        assert_eq!(self.subject.next(), promised, "asked again, it answers the same");
        let handle = self.subject.acquire();
        assert_eq!(handle, promised);
        assert_eq!(handle.map(|handle| handle.index() as usize), self.vacant.take());
        let Some(handle) = handle else { return false };
        assert_eq!(handle.generation(), self.generations[handle.index() as usize]);
        self.began(handle);
        true
    }

    /// Claims this slot, or the nearest vacant one after it.
    fn claim(&mut self, slot: usize, skipped_lifetimes: u32) {
        let Some(slot) = self.vacant.first_from(slot) else { return };
        let generation = (self.generations[slot] + skipped_lifetimes).min(self.lifetimes);
        let handle = H::from_parts(slot as u32, generation).unwrap();
        assert!(self.subject.acquire_at(handle), "{handle}");
        self.vacant.claim(slot);
        self.began(handle);
    }

    fn release(&mut self, at: usize) {
        let handle = self.live.swap_remove(at);
        assert!(self.subject.release(handle));
        if handle.generation() < self.lifetimes {
            self.vacant.give_back(handle.index() as usize);
        }
    }

    fn clear(&mut self) {
        self.subject.release_all();
        self.live.clear();
        let (generations, lifetimes) = (&self.generations, self.lifetimes);
        self.vacant.reset((0..generations.len()).filter(|slot| generations[*slot] <= lifetimes));
    }

    fn step(&mut self, random: &mut Random) {
        match random.below(100) {
            0..45 => {
                self.acquire();
            }
            45..80 => {
                if !self.live.is_empty() {
                    self.release(random.below(self.live.len()));
                }
            }
            80..99 => {
                let slot = match random.below(5) {
                    0 => self.vacant.next().unwrap_or(0),
                    1 => 0,
                    2 => self.generations.len().saturating_sub(1),
                    _ => random.below(self.generations.len().max(1)),
                };
                self.claim(slot, random.below(20) as u32 / 18);
            }
            _ => {
                if random.below(5) == 0 {
                    self.clear();
                }
            }
        }
    }
}

/// Random operations, then all that is left in order; and the same again after a clear.
fn run<S: Subject<H>, H: HandleLayout>(
    order: &'static str,
    subject: S,
    slots: usize,
    lifetimes: u32,
    steps: usize,
) {
    let mut checked = Checked::new(order, subject, slots, lifetimes);
    let mut random = Random(slots as u64 * 31 + u64::from(lifetimes));
    for _ in 0..2 {
        for _ in 0..steps {
            checked.step(&mut random);
        }
        while checked.acquire() {}
        checked.clear();
        for _ in 0..steps.min(slots) {
            checked.acquire();
        }
    }
}

fn pool_of<T, R: ReuseOrder, H: HandleLayout>(slots: usize, lifetimes: u32) -> Pool<T, R, H> {
    let builder = Pool::<T>::builder().reuse(R::default()).handle::<H>();
    builder.capacity(slots).lifetimes(lifetimes).build()
}

const NEVER_USED_UP: u32 = 1 << 20;

fn follows_model<R: ReuseOrder>() {
    for slots in [0_usize, 1, 2, 3, 63, 64, 65, 130] {
        for (lifetimes, steps) in [(NEVER_USED_UP, 2_000), (5, 1_000), (1, 300)] {
            // Of the growing pool, all slots are there at once.
            let vec = VecPool::<u64>::builder().reuse(R::default()).capacity(slots);
            let vec = vec.capacity_max(slots).lifetimes(lifetimes).build();
            run(R::NAME, vec, slots, lifetimes, steps);
            let allocator = HandleAllocator::builder().reuse(R::default()).capacity(slots);
            run(R::NAME, allocator.lifetimes(lifetimes).build(), slots, lifetimes, steps);
            let lifetimes = lifetimes.min(Handle32::<(), 16>::LIFETIMES_MAX);
            let short_handles: Pool<[u8; 9], R, Handle32<(), 16>> = pool_of(slots, lifetimes);
            run(R::NAME, short_handles, slots, lifetimes, steps);
        }
    }
    // Two levels of bitmap and a little more.
    let two_levels: Pool<u64, R> = pool_of(4097, 3);
    run(R::NAME, two_levels, 4097, 3, 3_000);
}

/// Too many slots to search through often: the first and the last of the order, and the borders of a
/// third level of bitmap.
fn follows_model_in_a_big_pool<R: ReuseOrder>() {
    const SLOTS: usize = 300_000;
    let pool: Pool<u64, R> = pool_of(SLOTS, 2);
    let mut checked = Checked::new(R::NAME, pool, SLOTS, 2);
    for slot in [0, 1, 63, 64, 4095, 4096, 262_143, 262_144, SLOTS - 1] {
        checked.claim(slot, slot as u32 % 2);
    }
    for _ in 0..70 {
        checked.acquire();
    }
    for at in [8, 8, 40, 30, 20, 10, 6, 4, 2, 1, 0] {
        checked.release(at);
        checked.acquire();
        checked.release(at);
    }
    for _ in 0..20 {
        checked.acquire();
    }
}

/// A test of each order, by the name of its rule.
macro_rules! follow_the_model {
    ($($test:ident: $order:ty;)*) => {$(
        #[test]
        fn $test() {
            follows_model::<$order>();
            follows_model_in_a_big_pool::<$order>();
        }
    )*};
}

follow_the_model! {
    lifo_hands_out_the_slot_freed_last_and_forgets_claimed_ones: Lifo;
    fifo_hands_out_the_slot_freed_first: Fifo;
    lowest_first_hands_out_the_lowest_vacant_slot: LowestFirst;
    roster_hands_out_the_entry_at_the_partition: Roster;
}

#[test]
fn live_slots_of_a_roster_are_the_live_slots_in_the_order_of_the_roster() {
    let mut pool: Pool<u64, Roster> = pool_of(50, 3);
    let mut random = Random(5);
    // The part of the roster below the partition, as published.
    let mut live: Vec<u32> = Vec::new();
    for _ in 0..5_000 {
        if random.below(2) == 0 {
            if let Ok(handle) = pool.insert(0) {
                live.push(handle.index());
            }
        } else if !live.is_empty() {
            let at = random.below(live.len());
            let slot = live.swap_remove(at);
            pool.remove(pool.handle_at(slot as usize).unwrap());
        }
        assert_eq!(pool.live_slots(), live);
    }
    assert_eq!(pool.stats().retired, 50, "long enough to see slots retire");
}

/// The slots that this pool of eight hands out after some were freed and others have retired in between.
macro_rules! slots_after_retirements {
    ($pool:expr) => {{
        let mut pool = $pool;
        let first: Vec<_> = (0..8).map(|value| pool.insert(value).unwrap()).collect();
        // Slots 0 and 5 are in their last lifetimes now.
        let last = [5, 0].map(|slot| {
            pool.remove(first[slot]).unwrap();
            pool.insert(9).unwrap()
        });
        for handle in [first[3], first[1], last[1], first[6], last[0], first[2]] {
            pool.remove(handle).unwrap();
        }
        assert_eq!(pool.stats().retired, 2);
        let mut slots: Vec<_> = (0..2).map(|_| pool.insert(9).unwrap().index()).collect();
        assert_eq!(slots, [2, 6]);
        // Freed among the retired ones, and claimed.
        pool.remove(first[7]).unwrap();
        let claimed = Handle::from_parts(1, 2).unwrap();
        pool.insert_at(claimed, 9).unwrap();
        pool.remove(claimed).unwrap();
        assert_eq!(pool.stats().retired, 3);
        while let Ok(handle) = pool.insert(9) {
            slots.push(handle.index());
        }
        slots
    }};
}

#[test]
fn the_slot_freed_last_comes_next_after_retirements_too() {
    fn of<R: ReuseOrder>(order: R) -> Vec<u32> {
        slots_after_retirements!(
            Pool::<u64>::builder().capacity(8).reuse(order).lifetimes(2).build()
        )
    }
    let expected = [2, 6, 7, 3];
    assert_eq!(of(Lifo), expected);
    assert_eq!(of(Roster), expected);
    let packed = PackedPool::<u64>::builder().capacity(8).lifetimes(2).build();
    assert_eq!(slots_after_retirements!(packed), expected);
    let fixed: StaticPool<u64, 8> = StaticPool::builder().lifetimes(2).build();
    assert_eq!(slots_after_retirements!(fixed), expected);
}

/// A slot that is claimed far below the top of the stack and given back leaves an entry each time, until these are swept
/// out. The marks that this takes lie where a walk has noted which slots were live.
#[test]
fn a_pool_of_many_claims_loses_no_slot() {
    let mut pool: Pool<u64> = Pool::new(300);
    let handles: Vec<_> = (0..100).map(|i| pool.insert(i).unwrap()).collect();
    assert_eq!(pool.iter_mut().count(), 100);
    handles.iter().for_each(|handle| assert!(pool.remove(*handle).is_some()));
    for claim in 0..500 {
        let handle = Handle::from_parts(claim % 2, 2 + claim / 2).unwrap();
        assert_eq!(pool.insert_at(handle, 7).unwrap(), handle);
        pool.remove(handle);
    }
    pool.validate().unwrap();
    let slots: BTreeSet<_> = (0..300).map(|i| pool.insert(i).unwrap().index()).collect();
    assert_eq!(slots.len(), 300);
}
