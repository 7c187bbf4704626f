//! A model of cache lines: it counts the accesses to atomics that must fetch a line from another processor, if each
//! thread has its own processor.
//!
//! The model has neither time nor cache sizes: one processor may write a line, or several may read it (MESI). An access
//! that must fetch the line, or invalidate it for others, is a *transfer*. Threads take turns, one operation each, so a
//! line that two threads use has to travel. Races within an operation are left out. So the counts are not those of a
//! real machine, and are the same on every machine.
//!
//! Where a thread searches for free slots, it shows only after each has replaced its objects a few times: those tests
//! take 5,000 turns of each of 16 threads, and more of fewer. `MILLPOND_MODEL_FACTOR=40` makes it 200,000.

use std::cell::RefCell;
use std::vec::Vec;

use super::watched::Access;

/// The bytes of a line.
const LINE_BYTES: usize = 64;

/// Which processors have a line.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Line {
    /// One processor, which may write it.
    Own(u32),
    /// Those whose bits are set.
    Shared(u128),
}

#[derive(Debug, Default)]
struct Model {
    thread: u32,
    lines: Lines,
    transfers: u64,
    accesses: Accesses,
}

/// The state of each line that was accessed, in places that follow from its number: a `HashMap` takes most of the time of
/// the tests, which are not optimised.
#[derive(Debug, Default)]
struct Lines {
    /// Twice as many as lines, or more; a power of two.
    places: Vec<Option<(usize, Line)>>,
    used: usize,
}

impl Lines {
    /// The state of a line; `new` if it was never accessed.
    fn state(&mut self, line: usize, new: Line) -> &mut Line {
        if self.places.len() <= 2 * self.used {
            let old = core::mem::take(&mut self.places);
            self.places = std::vec![None; (2 * old.len()).max(1 << 10)];
            for (line, state) in old.into_iter().flatten() {
                let at = self.place(line);
                self.places[at] = Some((line, state));
            }
        }
        let at = self.place(line);
        if self.places[at].is_none() {
            self.used += 1;
        }
        &mut self.places[at].get_or_insert((line, new)).1
    }

    fn place(&self, line: usize) -> usize {
        let mut at = line % self.places.len();
        while self.places[at].is_some_and(|(other, _)| other != line) {
            at = (at + 1) % self.places.len();
        }
        at
    }
}

/// How often atomics were accessed, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Accesses {
    loads: u64,
    stores: u64,
    /// Those that read and write at once, each of which takes as long as some twenty others.
    exchanges: u64,
}

std::thread_local! {
    static MODEL: RefCell<Option<Model>> = const { RefCell::new(None) };
}

pub(super) fn access(address: usize, access: Access) {
    MODEL.with_borrow_mut(|model| {
        let Some(Model { thread, lines, transfers, accesses }) = model else { return };
        match access {
            Access::Load => accesses.loads += 1,
            Access::Store => accesses.stores += 1,
            Access::Exchange => accesses.exchanges += 1,
        }
        let writes = !matches!(access, Access::Load);
        let me = 1_u128 << *thread;
        let line = lines.state(address / LINE_BYTES, Line::Own(*thread));
        let (is_here, then) = match (*line, writes) {
            (Line::Own(owner), _) if owner == *thread => (true, *line),
            (Line::Own(owner), false) => (false, Line::Shared(me | 1 << owner)),
            (Line::Shared(readers), false) => (readers & me != 0, Line::Shared(readers | me)),
            (Line::Shared(readers), true) => (readers == me, Line::Own(*thread)),
            (Line::Own(_), true) => (false, Line::Own(*thread)),
        };
        *line = then;
        *transfers += u64::from(!is_here);
    });
}

/// How often one thread accesses atomics in `operation`.
pub(super) fn accesses(operation: impl FnOnce()) -> Accesses {
    MODEL.set(Some(Model::default()));
    operation();
    MODEL.take().expect("set above").accesses
}

/// Transfers per operation, after each of the threads, at most 128, has done it a few times.
pub(super) fn transfers(threads: u32, operation: impl FnMut(usize)) -> f64 {
    transfers_in(16, threads, operation)
}

/// Transfers per operation in the second half of so many turns of each of the threads, at most 128.
pub(super) fn transfers_in(turns: u32, threads: u32, mut operation: impl FnMut(usize)) -> f64 {
    MODEL.set(Some(Model::default()));
    let counted = turns / 2;
    for turn in 0..turns {
        if turn == turns - counted {
            MODEL.with_borrow_mut(|model| model.as_mut().expect("set above").transfers = 0);
        }
        for thread in 0..threads {
            MODEL.with_borrow_mut(|model| model.as_mut().expect("set above").thread = thread);
            operation(thread as usize);
        }
    }
    let model = MODEL.take().expect("set above");
    model.transfers as f64 / (f64::from(counted) * f64::from(threads))
}

mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use super::super::watched::AtomicU64;
    use super::*;
    use crate::SyncPool;

    const COUNTS: [u32; 3] = [2, 8, 64];

    fn at_each_count(work: impl Fn(u32) -> f64) -> [f64; 3] {
        COUNTS.map(work)
    }

    fn pool(homes: usize) -> SyncPool<[u64; 2]> {
        SyncPool::builder().capacity(1 << 14).homes(homes).build()
    }

    #[test]
    fn the_model_counts_what_has_to_travel() {
        let one = [const { AtomicU64::new(0) }; 64];
        assert_eq!(
            at_each_count(|threads| transfers(threads, |_| _ = one[0].load(Relaxed))),
            [0.0; 3]
        );
        let counted =
            at_each_count(|threads| transfers(threads, |_| _ = one[0].fetch_add(1, Relaxed)));
        assert_eq!(counted, [1.0; 3]);
        // Beside each other, two words share a line unless a line ends between them: then only some travel.
        let beside = transfers(64, |thread| one[thread].store(1, Relaxed));
        assert!((0.5..=1.0).contains(&beside), "{beside}");
        // Of two that read and one that writes, each reader fetches, and the writer takes the line back.
        let one_writes = transfers(3, |thread| match thread {
            0 => one[0].store(1, Relaxed),
            _ => _ = one[0].load(Relaxed),
        });
        assert_eq!(one_writes, 1.0);
    }

    #[test]
    fn each_operation_takes_as_few_atomics_as_are_promised() {
        let pool = pool(8);
        let mut handle = None;
        let insert = accesses(|| handle = pool.home(3).insert([7; 2]).ok());
        let handle = handle.unwrap();
        let get = accesses(|| drop(pool.get(handle)));
        let remove = accesses(|| _ = pool.remove(handle));
        assert_eq!((insert.exchanges, get.exchanges, remove.exchanges), (1, 2, 2));
        // Values of 64 slots whose bits share a word, as one home hands them out one after the other.
        let fill = || -> Vec<_> { (0..64).map(|_| pool.home(2).insert([7; 2]).unwrap()).collect() };
        let handles = fill();
        let one_by_one = accesses(|| assert!(handles.iter().all(|handle| pool.remove(*handle))));
        let handles = fill();
        let together = accesses(|| assert_eq!(pool.remove_many(handles), 64));
        // Each value is refused by a write of its own; the slots are given back by one.
        assert_eq!((one_by_one.exchanges, together.exchanges), (128, 64 + 1));
    }

    #[test]
    fn exclusive_removals_take_one_atomic_for_64_slots() {
        let mut pool = pool(8);
        let fill = |pool: &SyncPool<_>| {
            (0..64).for_each(|_| _ = pool.home(2).insert([7_u64; 2]).unwrap());
        };
        fill(&pool);
        assert_eq!(accesses(|| pool.clear()).exchanges, 1);
        assert!(pool.is_empty());
        fill(&pool);
        assert_eq!(accesses(|| pool.retain(|_, _| false)).exchanges, 1);
        fill(&pool);
        // Half of them stay.
        let mut even = false;
        let thinned = accesses(|| {
            pool.retain(|_, _| {
                even = !even;
                even
            });
        });
        assert_eq!((thinned.exchanges, pool.len()), (1, 32));
        let written = accesses(|| _ = pool.runs_mut().map(|(_, run)| run.fill([1; 2])).count());
        assert_eq!((written.exchanges, written.stores), (0, 0));
    }

    #[test]
    fn an_insertion_into_a_full_pool_looks_at_each_word_once() {
        for (capacity, homes) in [(64, 1), (1000, 3), (1 << 14, 8)] {
            let pool = SyncPool::builder().capacity(capacity).homes(homes).build();
            while pool.insert([0_u64; 2]).is_ok() {}
            let words = capacity.div_ceil(64) as u64;
            let refused = accesses(|| assert!(pool.insert([0; 2]).is_err()));
            // Beside the words: where the home looks first, and how many slots are retired, for the error.
            assert_eq!(refused.loads, words + 2);
            // The counter of refusals, and the peak.
            assert_eq!((refused.exchanges, refused.stores), (2, 0));
        }
    }

    /// Beside what each insertion loads: its home, its word of free bits and its slot's word.
    #[test]
    fn a_part_that_is_full_is_not_searched_for_each_insertion() {
        let pool = SyncPool::builder().capacity(1 << 16).homes(16).build();
        let insert_some = |count| (0..count).for_each(|_| _ = pool.home(0).insert([0_u64; 2]));
        insert_some(1 << 12);
        let beyond = accesses(|| insert_some(1 << 12));
        assert!(beyond.loads <= (3 << 12) + 400, "{beyond:?}");
        // Elsewhere, too, there is only one free slot in each word.
        insert_some((1 << 16) - (2 << 12));
        assert!(pool.is_full());
        let freed = (0..1 << 10).map(|word| pool.handle_at(64 * word).unwrap());
        assert_eq!(pool.remove_many(freed), 1 << 10);
        let refilled = accesses(|| insert_some(1 << 10));
        assert!(pool.is_full());
        assert!(refilled.loads <= 8 << 10, "{refilled:?}");
    }

    #[test]
    fn no_two_homes_share_a_line_however_few_words_each_has() {
        for words in [3, 7, 15, 16, 33] {
            for homes in [2, words / 2, words / 2 + 1, words] {
                let pool = SyncPool::builder().capacity(words * 64).homes(homes).build();
                assert_eq!(pool.homes(), homes);
                let pairs = transfers(homes as u32, |thread| {
                    let handle = pool.home(thread).insert([0_u64; 2]).unwrap();
                    assert!(pool.remove(handle));
                });
                assert_eq!(pairs, 0.0, "{words} words, {homes} homes");
            }
        }
    }

    #[test]
    fn what_threads_share_travels_as_often_as_it_is_used() {
        let one_for_all = at_each_count(|threads| {
            let pool = pool(8);
            let handle = pool.insert([7; 2]).unwrap();
            transfers(threads, |_| assert_eq!(pool.get(handle).unwrap()[0], 7))
        });
        // Fetched by the first look, and again to be written.
        assert_eq!(one_for_all, [2.0; 3], "get and drop, one object for all");
        let neighbours = at_each_count(|threads| {
            let pool = pool(1);
            let own: Vec<_> = (0..threads).map(|_| pool.insert([7; 2]).unwrap()).collect();
            transfers(threads, |thread| assert_eq!(pool.get(own[thread]).unwrap()[0], 7))
        });
        assert_eq!(neighbours, [2.0; 3], "get and drop, own objects that are neighbours");
        // Each thread removes what the one before it has inserted: the line of free bits and that
        // of the slot's word travel to it and back. An insertion reads both before it writes them.
        let remote = at_each_count(|threads| {
            let threads = threads as usize;
            let pool = pool(threads);
            let insert = |thread: usize| pool.home(thread).insert([0; 2]).unwrap();
            let mut boxes: Vec<Vec<_>> = (0..threads)
                .map(|thread| [insert((thread + threads - 1) % threads)].into())
                .collect();
            transfers(threads as u32, |thread| {
                boxes[(thread + 1) % threads].push(insert(thread));
                assert!(pool.remove(boxes[thread].remove(0)));
            })
        });
        assert_eq!(remote, [6.0; 3], "insert, and remove on another thread");
        // The same by batches of 64: as each line has eight words of slots, it travels once in eight operations.
        let batches = at_each_count(|threads| {
            let threads = threads as usize;
            let pool = pool(threads);
            let insert = |thread: usize| -> Vec<_> {
                (0..64).map(|_| pool.home(thread).insert([0; 2]).unwrap()).collect()
            };
            let mut boxes: Vec<Vec<_>> =
                (0..threads).map(|thread| insert((thread + threads - 1) % threads)).collect();
            let each = transfers(threads as u32, |thread| {
                let inserted = insert(thread);
                let others = core::mem::take(&mut boxes[thread]);
                assert_eq!(pool.remove_many(others), 64);
                boxes[(thread + 1) % threads] = inserted;
            });
            each / 64.0
        });
        assert!(batches.iter().all(|transfers| *transfers < 0.5), "{batches:?}");
        // Fewer homes than threads: those that share one fetch the free bits and the slot from each other.
        let eight = pool(8);
        let crowded = transfers(64, |thread| {
            let handle = eight.home(thread).insert([0; 2]).unwrap();
            assert!(eight.remove(handle));
        });
        assert_eq!(crowded, 4.0, "insert and remove, 64 threads in 8 homes");
    }
}

/// Each thread works on objects of its own, from a home of its own, for many turns.
mod long_runs {
    use std::collections::VecDeque;
    use std::format;
    use std::string::String;
    use std::vec::Vec;

    use super::super::watched::Access;
    use super::*;
    use crate::sync::Acquired;
    use crate::{Handle, SyncPool, SyncRecycler};

    type Value = [u64; 2];

    /// What an operation on one's own objects may fetch from other threads.
    const OWN: f64 = 0.05;
    const OBJECTS: usize = 1000;
    const HOMES: [usize; 2] = [16, 64];
    const THREADS: [usize; 4] = [2, 4, 8, 16];

    fn turns(turns: u32) -> u32 {
        let factor = std::env::var("MILLPOND_MODEL_FACTOR");
        turns * factor.map_or(1, |factor| factor.parse().unwrap())
    }

    /// Asserts that on each number of threads and homes, an operation fetches at most so many lines.
    fn at_most(bound: f64, threads: &[usize], homes: &[usize], work: impl Fn(usize, usize) -> f64) {
        let each = homes.iter().flat_map(|homes| threads.iter().map(|threads| (*threads, *homes)));
        let fetched: Vec<_> =
            each.map(|(threads, homes)| (threads, homes, work(threads, homes))).collect();
        let lines: Vec<String> = fetched
            .iter()
            .map(|(threads, homes, lines)| format!("{threads} threads, {homes} homes: {lines:.3}"))
            .collect();
        let lines = lines.join("\n");
        std::println!("{lines}");
        assert!(fetched.iter().all(|(_, _, fetched)| *fetched <= bound), "above {bound}:\n{lines}");
    }

    /// A pool whose values are in the model, too: an insertion writes one.
    struct Pool(SyncPool<Value>);

    impl Pool {
        fn new(capacity: usize, homes: usize) -> Self {
            Self(SyncPool::builder().capacity(capacity).homes(homes).build())
        }

        fn insert(&self, thread: usize) -> Handle<Value> {
            let handle = self.0.home(thread).insert([7; 2]).unwrap();
            let value = &self.0.slots().values[handle.index() as usize];
            access(core::ptr::from_ref(value).addr(), Access::Store);
            handle
        }

        fn remove(&self, handle: Handle<Value>) {
            assert!(self.0.remove(handle));
        }

        /// Each of the threads replaces one of its objects in each turn, each time another one.
        fn replace_in_turn(&self, all_turns: u32, threads: usize) -> f64 {
            let mut own: Vec<Vec<_>> = (0..threads)
                .map(|thread| (0..OBJECTS).map(|_| self.insert(thread)).collect())
                .collect();
            let mut random = (0..threads as u32).collect::<Vec<_>>();
            transfers_in(turns(all_turns / threads as u32), threads as u32, |thread| {
                let next = random[thread].wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                random[thread] = next;
                let object = &mut own[thread][(next >> 8) as usize % OBJECTS];
                self.remove(*object);
                *object = self.insert(thread);
            })
        }

        /// Fills this thread's part of the pool with objects that stay.
        fn fill_part(&self, thread: usize) {
            let first = self.insert(thread).index() as usize;
            for slot in first + 1..first + self.0.capacity() / self.0.homes() {
                assert_eq!(self.insert(thread).index() as usize, slot);
            }
        }
    }

    #[test]
    fn replacing_one_of_ones_own() {
        at_most(OWN, &THREADS, &HOMES, |threads, homes| {
            Pool::new((1 << 14).max(2048 * threads), homes).replace_in_turn(80_000, threads)
        });
    }

    /// 97.7 % of the slots are taken.
    #[test]
    fn replacing_one_of_ones_own_in_a_pool_that_is_nearly_full() {
        at_most(OWN, &[16], &HOMES, |threads, homes| {
            Pool::new(1024 * threads, homes).replace_in_turn(80_000, threads)
        });
    }

    #[test]
    fn pairs() {
        at_most(OWN, &THREADS, &HOMES, |threads, homes| {
            let pool = Pool::new(1 << 14, homes);
            transfers_in(turns(1_000), threads as u32, |thread| pool.remove(pool.insert(thread)))
        });
    }

    #[test]
    fn bursts() {
        at_most(OWN, &THREADS, &HOMES, |threads, homes| {
            let pool = Pool::new(1 << 14, homes);
            let burst = |thread| {
                let handles: Vec<_> = (0..64).map(|_| pool.insert(thread)).collect();
                handles.into_iter().for_each(|handle| pool.remove(handle));
            };
            transfers_in(turns(20), threads as u32, burst) / 64.0
        });
    }

    /// Where a home is left for each, the threads go there.
    #[test]
    fn replacing_where_the_own_part_is_full() {
        let work = |threads, homes| {
            let pool = Pool::new(1 << 16, homes);
            (0..threads).for_each(|thread| pool.fill_part(thread));
            pool.replace_in_turn(40_000, threads)
        };
        at_most(OWN, &[2, 4, 8], &[16], work);
        at_most(OWN, &THREADS, &[64], work);
    }

    /// All homes are taken, so it has to work in the part of another thread: both fetch from each other, and the other 14
    /// do not.
    #[test]
    fn replacing_where_the_part_of_one_thread_of_16_is_full() {
        at_most(1.0, &[16], &[16], |threads, homes| {
            let pool = Pool::new(1 << 16, homes);
            pool.fill_part(0);
            pool.replace_in_turn(80_000, threads)
        });
    }

    /// Each thread removes what the one before it inserted 64 turns ago. The slot returns to the part of the thread that
    /// inserted, so the line of its bit and that of its word travel to and fro.
    #[test]
    fn removing_on_another_thread() {
        at_most(5.0, &THREADS, &HOMES, |threads, homes| {
            let pool = Pool::new(1 << 14, homes);
            let before = |thread: usize| (thread + threads - 1) % threads;
            let mut boxes: Vec<VecDeque<_>> = (0..threads)
                .map(|thread| (0..64).map(|_| pool.insert(before(thread))).collect())
                .collect();
            transfers_in(turns(1_000), threads as u32, |thread| {
                boxes[(thread + 1) % threads].push_back(pool.insert(thread));
                pool.remove(boxes[thread].pop_front().unwrap());
            })
        });
    }

    /// Each thread has 200 objects, and returns one before it acquires another.
    #[test]
    fn acquiring_and_releasing() {
        at_most(OWN, &THREADS, &HOMES, |threads, homes| {
            let builder = SyncRecycler::builder().capacity(1 << 13).homes(homes);
            let recycler = builder.build_with(|_| [0_u64; 2]);
            let acquire = |thread| {
                let mut object = recycler.acquire_at_home(thread).unwrap();
                access(core::ptr::from_ref(&*object).addr(), Access::Store);
                object[0] += 1;
                object
            };
            let mut own: Vec<Vec<Option<Acquired<'_, _>>>> = (0..threads)
                .map(|thread| (0..200).map(|_| Some(acquire(thread))).collect())
                .collect();
            let mut random = 1_u32;
            transfers_in(turns(40_000 / threads as u32), threads as u32, |thread| {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let object = &mut own[thread][(random >> 8) as usize % 200];
                *object = None;
                *object = Some(acquire(thread));
            })
        });
    }
}
