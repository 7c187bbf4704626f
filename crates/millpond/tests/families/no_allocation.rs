//! Defect 15: a pool asks for memory, or gives some back, after its creation, whatever is done with it. (Of snapshots,
//! see `save_and_load`; of handles that nobody has issued, `hostile_handles`.)

use std::fmt::{self, Debug, Display, Write};
use std::hint::black_box;

use millpond::reuse::{Lifo, Roster};
use millpond::{Handle, HandleAllocator, Pool, Recycler};
use millpond_classic::{BytemapPool, RosterPool};

use crate::Pools;
use crate::allocations::during;
use crate::common::{Counted, Ledger};
use crate::subject::{Key, Plan, Rank, Subject, for_every_pool, own_blocks};

/// Some words of an occupancy.
const SLOTS: usize = 500;

/// Runs the work, in which the pools may not touch the allocator. What an adapter takes, it gives back.
#[track_caller]
fn without_memory<V>(work: impl FnOnce() -> V) -> V {
    let own_before = own_blocks();
    let (value, asked) = during(work);
    let own = own_blocks() - own_before;
    assert_eq!((asked.taken, asked.resized, asked.freed), (own, 0, own));
    value
}

/// A pool, and room for the handles of a full one.
struct Used {
    ledger: Ledger,
    pool: Box<dyn Subject<Counted>>,
    handles: Vec<Key>,
}

impl Used {
    fn new(kind: &Pools) -> Self {
        let pool: Box<dyn Subject<Counted>> =
            kind.make(Plan::of(kind.facts().capacity.unwrap_or(SLOTS)));
        Self { ledger: Ledger::with_room(1 << 16), handles: Vec::with_capacity(SLOTS), pool }
    }

    fn fill(&mut self) {
        while self.pool.insert(self.ledger.value(1)).is_ok() {}
        self.handles.clear();
        self.handles.extend(self.pool.iter().map(|(handle, _)| handle));
        assert!(self.pool.is_full() && self.handles.len() == self.pool.len());
    }

    /// Everything that only looks.
    fn look_at_all(&mut self) {
        let pool = &mut self.pool;
        for &handle in &self.handles {
            let value = pool.get(handle);
            black_box((value.and_then(|value| pool.index_of(value)), pool.at(handle.index())));
            black_box((pool.contains(handle), pool.get_mut(handle).is_some()));
        }
        if let [first, .., last] = self.handles[..] {
            black_box(pool.disjoint([first, last]).is_some());
        }
        black_box((pool.promised(), pool.stats(), pool.name(), pool.is_full(), pool.is_empty()));
        assert_eq!(pool.iter().count(), pool.len());
        let count = pool.iter_both_ends().map(|iter| iter.clone().rev().count());
        assert!(count.is_none_or(|count| count == pool.len()));
        let count = pool.iter_mut_both_ends().map(|iter| iter.rev().count());
        assert!(count.is_none_or(|count| count == pool.len()));
    }

    /// Claims in bulk (`Lifo` leaves stale entries in its stack, and sweeps them out), in each of these lifetimes: how many
    /// slots were claimed, in a pool that has claims.
    fn claim(
        &mut self,
        of: &Pools,
        generations: impl Iterator<Item = u32>,
        every: usize,
    ) -> Option<usize> {
        let mut claimed = 0;
        for generation in generations {
            for index in (0..self.pool.capacity()).rev().step_by(every) {
                let Some(handle) = of.facts().handle(index, generation) else { continue };
                if let Ok(()) = self.pool.insert_at(handle, self.ledger.value(2))? {
                    claimed += 1;
                    black_box(self.pool.insert_at(handle, self.ledger.value(2)).is_some());
                    assert!(self.pool.remove(handle).is_some());
                    black_box(self.pool.insert_at(handle, self.ledger.value(2)).is_some());
                    drop(self.pool.remove(handle));
                }
            }
        }
        Some(claimed)
    }
}

fn used(kind: &Pools) {
    if kind.facts().allocates {
        return;
    }
    let mut used = Used::new(kind);
    without_memory(|| {
        for round in 0..3 {
            used.fill();
            used.look_at_all();
            for &handle in used.handles.iter().skip(round).step_by(3) {
                assert!(used.pool.remove(handle).is_some() && used.pool.remove(handle).is_none());
            }
            used.look_at_all();
            while let Some(Ok(_)) = used.pool.insert_with(&mut |_| used.ledger.value(3)) {}
        }
        used.fill();
        if used.pool.capacity() > 0 {
            let value = used.ledger.value(4);
            drop(used.pool.insert_or_evict(value, &mut |value| Rank::of(value.id())));
        }
    });
    without_memory(|| {
        used.fill();
        used.pool.retain(&mut |handle, _| handle.index() % 2 == 0);
        let mut every_third = |handle: Key, _: &mut Counted| handle.index() % 3 == 0;
        used.pool.extract_if(&mut every_third).into_iter().flatten().for_each(drop);
        drop(used.pool.drain().map(|mut drain| drain.next()));
        used.fill();
        drop(used.pool.drain_back().map(|mut drain| drain.next()));
        used.fill();
        used.pool.clear();
    });
    without_memory(|| {
        let slots = used.pool.capacity();
        let last = (kind.facts().lifetimes)(Plan::of(SLOTS));
        let claimed = used.claim(kind, 50..60, 1);
        assert!(claimed.is_none_or(|claimed| claimed == if last < 60 { 0 } else { 10 * slots }));
        // And to the last one, after which a slot retires.
        used.claim(kind, last..=last, 2);
        let retires = claimed.is_some() && !(kind.facts().wraps)(Plan::of(SLOTS));
        assert!(!retires || used.pool.retired() >= slots.div_ceil(2));
        used.fill();
        used.look_at_all();
    });
    let Used { ledger, pool, .. } = used;
    let (values, asked) = during(|| {
        let mut values = pool.into_iter()?;
        values.by_ref().take(10).for_each(drop);
        Some(values)
    });
    // A box for the iterator. What no iterator needs may go at once.
    assert!(values.is_none() || (asked.taken, asked.resized) == (1, 0));
    drop(values);
    assert_eq!(ledger.alive(), 0);
}

for_every_pool! { used }

/// Where printed text goes: nowhere, without memory.
struct Nowhere;

impl Write for Nowhere {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        Ok(())
    }
}

fn print(what: impl Debug) {
    write!(Nowhere, "{what:?}").unwrap();
}

fn say(why: impl Display + Debug) {
    write!(Nowhere, "{why} {why:?}").unwrap();
}

/// And what only some pools have.
#[test]
fn what_is_said_of_pools_takes_no_memory() {
    let ledger = Ledger::with_room(1 << 12);
    let mut pool = Pool::<Counted, Lifo, Handle<()>>::with_capacity(SLOTS);
    let mut listed = Pool::<Counted, Roster, Handle<()>>::with_capacity(SLOTS);
    let mut recycler =
        Recycler::<Option<Counted>>::builder().handle::<Handle<()>>().capacity(SLOTS).build();
    let mut slots = HandleAllocator::new(SLOTS);
    without_memory(|| {
        let handle = pool.insert(ledger.value(1)).unwrap();
        say(pool.insert_at(handle, ledger.value(1)).unwrap_err());
        while pool.insert(ledger.value(1)).is_ok() {}
        say(pool.insert(ledger.value(1)).unwrap_err());
        pool.remove(handle);
        say(pool.check(handle).unwrap_err());
        say(pool.insert_at(handle, ledger.value(1)).unwrap_err());
        black_box((pool.occupancy().iter().count(), pool.handles().rev().count()));
        assert_eq!(pool.values().count() + pool.values_mut().count(), 2 * pool.len());
        assert_eq!(pool.runs().count() + pool.runs_mut().count(), 2);
        print((&pool, pool.iter(), pool.stats()));

        listed.insert(ledger.value(1)).unwrap();
        assert_eq!(listed.live_slots(), [0]);

        let (handle, _) = recycler.acquire().unwrap();
        black_box((recycler.runs_mut().count(), recycler.as_mut_slice().len()));
        print((&recycler, recycler.get(handle), recycler.stats()));
        black_box(slots.acquire());
        print((&slots, slots.handles(), slots.runs().count(), slots.stats()));
    });
}

#[test]
fn what_is_said_of_classic_pools_takes_no_memory() {
    let ledger = Ledger::with_room(1 << 12);
    let mut roster = RosterPool::<u64>::new(SLOTS);
    let mut bytes = BytemapPool::<Counted>::new(SLOTS);
    without_memory(|| {
        assert!(roster.allocate().is_some() && roster.next_slot().is_some());
        roster.as_mut_slice().fill(7);
        print((&roster, roster.roster(), roster.partition()));

        let handle = bytes.insert(ledger.value(1)).unwrap();
        say(bytes.insert_at(handle, ledger.value(1)).unwrap_err());
        black_box(bytes.handle_of(bytes.get(handle).unwrap()));
        print((&bytes, bytes.bytes(), bytes.cursor(), bytes.seeds_restarted()));
        assert!(bytes.remove_at((handle >> 8) as usize).is_some());
    });
}
