//! What `{:?}` tells of each public type: a pool tells its objects with their handles; an iterator that
//! can be cloned tells what it will give, another at least what it is.

use std::fmt::Debug;

use millpond::side_table::join;
use millpond::snapshot::History;
use millpond::{
    AnyPool, AnyValue, Handle, HandleAllocator, PackedPool, PackedVecPool, Pool, Recycler,
    SideTable, StaticPool, VecPool,
};
use millpond_classic::{BytemapPool, ParticlePool, PoolAllocator, RosterPool};
use millpond_memory::{FrameMemory, SizeClasses};
use millpond_overflow::{EvictLeast, EvictOldest, Spill};

trait Told: Debug {}
impl<T: Debug> Told for T {}
millpond::any_pool_trait!(dyn Told);

/// What is told has all of these in it, in this order.
#[track_caller]
pub(crate) fn tells(what: impl Debug, parts: &[&str]) {
    let told = format!("{what:?}");
    let mut rest = &*told;
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else {
            panic!("{told} does not tell {part}");
        };
        rest = after;
    }
}

/// A pool with "egg" at `0v1` and "hen" at `1v1`: it and all that it lends tell them.
macro_rules! pool_tells {
    ($test:ident: $pool:expr) => {
        #[test]
        fn $test() {
            let mut pool = $pool;
            pool.insert("egg").unwrap();
            pool.insert("hen").unwrap();
            let both = ["0v1", "egg", "1v1", "hen"];
            tells(&pool, &both);
            tells(pool.iter(), &both);
            tells(pool.iter_mut(), &["IterMut", "2"]);
            tells(pool.clone().into_iter(), &["egg", "hen"]);
            tells(pool.clone().drain(), &["Drain", "2"]);
            tells(pool.clone().extract_if(|_, _| true), &["ExtractIf"]);
            tells(pool.vacant_entry(), &["VacantEntry", "2v1"]);
        }
    };
}
pool_tells!(packed_pool: PackedPool::<&str>::new(4));
pool_tells!(packed_vec_pool: PackedVecPool::<&str>::new());

/// The same of one whose values stay in their slots, with what goes over these.
macro_rules! pool_of_slots_tells {
    ($($test:ident: $pool:expr;)*) => {
        $(pool_tells!($test: $pool);)*

        mod slots {
            use super::*;

            $(
                #[test]
                fn $test() {
                    let mut pool = $pool;
                    pool.insert("egg").unwrap();
                    pool.insert("hen").unwrap();
                    tells(pool.clone().into_iter(), &["IntoIter", "egg", "hen"]);
                    tells(pool.values(), &["egg", "hen"]);
                    tells(pool.values_mut(), &["ValuesMut"]);
                    tells(pool.handles(), &["0v1", "1v1"]);
                    tells(pool.runs(), &["0", "egg", "hen"]);
                    tells(pool.runs_mut(), &["ValueRunsMut"]);
                }
            )*
        }
    };
}
pool_of_slots_tells! {
    pool: Pool::<&str>::new(4);
    static_pool: StaticPool::<&str, 4>::new();
    vec_pool: VecPool::<&str>::new();
}

#[test]
fn what_goes_with_a_pool() {
    let mut pool = Pool::new(4);
    let egg = pool.insert("egg").unwrap();
    pool.insert("hen").unwrap();
    let mut ages = SideTable::with_capacity(4);
    ages.insert(egg, 21).unwrap();
    tells(&ages, &["0v1", "21"]);
    tells(ages.iter(), &["0v1", "21"]);
    tells(ages.iter_mut(), &["IterMut", "1"]);
    tells(join(&pool, &ages), &["Join"]);
    tells(ages.entry(egg).unwrap(), &["OccupiedEntry", "0v1", "21"]);
    let hen = pool.handle_at(1).unwrap();
    tells(ages.entry(hen).unwrap(), &["VacantEntry", "1v1"]);

    let before = pool.snapshot();
    tells(&before, &["SnapshotOf", "egg", "hen"]);
    let mut history = History::new(2, &before);
    history.save(7, &pool).unwrap();
    tells(&history, &["7"]);
    let numbers = Pool::<u64>::new(3).snapshot();
    tells(numbers.diff(&numbers), &["Diff", "3"]);
}

#[test]
fn any_pool() {
    let mut pool = AnyPool::<dyn Told, 16>::new(4);
    pool.insert(AnyValue::new("egg")).unwrap();
    pool.insert(AnyValue::new(21)).unwrap();
    tells(&pool, &["0v1", "egg", "1v1", "21"]);
}

#[test]
fn recycler_and_allocator() {
    let mut recycler = Recycler::<&str>::from_fn(4, |_| "egg");
    recycler.acquire().unwrap();
    tells(&recycler, &["0v1", "egg"]);
    tells(recycler.runs_mut(), &["ValueRunsMut"]);

    let mut slots = HandleAllocator::builder().capacity(4).name("textures").build();
    let slot: Option<Handle<()>> = slots.acquire();
    assert!(slot.is_some());
    tells(&slots, &["v", "()"]);
    tells(slots.handles(), &["0v1"]);
    tells(SizeClasses::builder().class(16, 4).name("strings").build(), &["SizeClasses", "strings"]);
}

#[test]
fn frames_and_what_is_in_them() {
    let mut memory = FrameMemory::new(64);
    memory.frame(|frame| {
        let place = frame.insert([0_u8; 60]).unwrap();
        tells(place, &["FrameRef(0x"]);
        tells(&*frame, &["Frame ", "free: 4"]);
        tells(frame.insert(7_u64).unwrap_err(), &["FrameFull", "free: 4"]);
    });
    tells(&memory, &["FrameMemory", "capacity: 64", "peak: 60", "refused: 1"]);
}

#[test]
fn classic_pools() {
    let mut roster = RosterPool::from_fn(2, |slot| slot + 40);
    roster.allocate().unwrap();
    tells(&roster, &["RosterPool", "partition: 1", "[1, 0]", "1v1: 41"]);

    let mut bytes = BytemapPool::new(2);
    let handle = bytes.insert("egg").unwrap();
    tells(&bytes, &[&handle.to_string(), "egg"]);

    let mut particles = ParticlePool::<4>::new();
    particles.create(1.0, 2.0, 3.0, 4.0, 5).unwrap();
    tells(&particles, &["0", "5"]);

    let nodes = PoolAllocator::with_chunk_slots(4);
    let node = nodes.alloc("egg");
    tells(&node, &["egg"]);
    assert_eq!(node.to_string(), "egg");
    tells(&nodes, &["PoolAllocator", "chunks: 1", "live: 1"]);
}

#[test]
fn overflow_and_errors() {
    tells(EvictLeast(|_: Handle<&str>, age: &&str| age.len()), &["EvictLeast"]);
    let mut pool = Pool::builder().capacity(1).name("eggs").build();
    let egg = pool.insert("egg").unwrap();
    tells(EvictOldest::beside(&pool), &["EvictOldest"]);
    tells(pool.insert("hen").unwrap_err(), &["Full", "eggs", "its only slot is live"]);
    tells(pool.insert_at(egg, "hen").unwrap_err(), &["InsertAtError", "Occupied"]);
    let spill = Spill::new(pool, Pool::<&str>::new(4));
    let before = spill.snapshot();
    tells(before.diff(&before), &["Diff", "capacity: 5"]);
    tells(spill, &["Spill", "egg"]);
}
