//! A model of cache lines: it counts the accesses to atomics that must fetch a line from another processor, if each
//! thread has its own processor.
//!
//! The model has neither time nor cache sizes: one processor may write a line, or several may read it (MESI). An access
//! that must fetch the line, or invalidate it for others, is a *transfer*. Threads take turns, one operation each, so a
//! line that two threads use has to travel. Races within an operation, and values, are left out. So the counts are not
//! those of a real machine, and are the same on every machine.

use std::cell::RefCell;
use std::collections::HashMap;

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
    lines: HashMap<usize, Line>,
    transfers: u64,
    accesses: Accesses,
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
        let line = lines.entry(address / LINE_BYTES).or_insert(Line::Own(*thread));
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
pub(super) fn transfers(threads: u32, mut operation: impl FnMut(usize)) -> f64 {
    const ROUNDS: u32 = 8;
    MODEL.set(Some(Model::default()));
    for round in 0..2 * ROUNDS {
        if round == ROUNDS {
            MODEL.with_borrow_mut(|model| model.as_mut().expect("set above").transfers = 0);
        }
        for thread in 0..threads {
            MODEL.with_borrow_mut(|model| model.as_mut().expect("set above").thread = thread);
            operation(thread as usize);
        }
    }
    let model = MODEL.take().expect("set above");
    model.transfers as f64 / f64::from(ROUNDS * threads)
}

mod tests {
    use std::sync::atomic::Ordering::Relaxed;
    use std::vec::Vec;

    use super::super::watched::AtomicU64;
    use super::*;
    use crate::{Handle, SyncPool, SyncRecycler};

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

    #[test]
    fn local_operations_fetch_no_line_on_any_number_of_threads() {
        let pairs = at_each_count(|threads| {
            let pool = pool(threads as usize);
            transfers(threads, |thread| {
                let handle = pool.home(thread).insert([0; 2]).unwrap();
                assert!(pool.remove(handle));
            })
        });
        assert_eq!(pairs, [0.0; 3], "insert and remove");
        let replace = at_each_count(|threads| {
            let pool = pool(threads as usize);
            let insert = |thread: usize| pool.home(thread).insert([0; 2]).unwrap();
            let mut own: Vec<Vec<Handle<_>>> = (0..threads as usize)
                .map(|thread| (0..100).map(|_| insert(thread)).collect())
                .collect();
            let mut next = 0;
            transfers(threads, |thread| {
                next = (next * 5 + 1) % 100;
                assert!(pool.remove(own[thread][next]));
                own[thread][next] = insert(thread);
            })
        });
        assert_eq!(replace, [0.0; 3], "replace one of one's own");
        let get = at_each_count(|threads| {
            let pool = pool(threads as usize);
            let own: Vec<_> =
                (0..threads as usize).map(|home| pool.home(home).insert([7; 2]).unwrap()).collect();
            transfers(threads, |thread| assert_eq!(pool.get(own[thread]).unwrap()[0], 7))
        });
        assert_eq!(get, [0.0; 3], "get and drop, own object");
        let lend = at_each_count(|threads| {
            let builder = SyncRecycler::builder().capacity(1 << 12).homes(threads as usize);
            let recycler = builder.build_with(|_| [0_u64; 2]);
            transfers(threads, |thread| recycler.acquire_at_home(thread).unwrap()[0] += 1)
        });
        assert_eq!(lend, [0.0; 3], "acquire and release");
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
