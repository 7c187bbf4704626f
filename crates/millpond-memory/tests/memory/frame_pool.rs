//! The pool that is reset as a whole, its links, which are good for a frame, and a tree that is updated in place by
//! handles, against one that is rebuilt. (Against a model: `frame_worlds.rs`.)

#[path = "../../../millpond-classic/examples/quadtree/in_place.rs"]
mod in_place;
#[path = "../../../millpond-classic/examples/quadtree/square.rs"]
pub(crate) mod square;

use std::cmp::Ordering;
use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use crate::allocations::{Allocations, during};
use crate::common::{Ledger, Random, panic_of};
use in_place::LastingTree;
use millpond::Handle;
use millpond_memory::{FrameLink, FramePool};
use square::{LEAF_ACTORS_MAX, Point, Square, are_near};

#[test]
fn a_link_that_is_stale_or_of_another_pool_is_named_in_the_panic() {
    let mut pool = FramePool::new(4);
    let stale = pool.insert(1).unwrap();
    let mut other = pool.clone();
    let of_the_other = [other.insert(2).unwrap(), other.insert(3).unwrap()][1];
    pool.reset();
    pool.insert(4).unwrap();
    let said = panic_of(|| drop(pool[stale].to_string())).unwrap();
    assert_eq!(
        said,
        "the frame pool refuses link #1, which is of an earlier frame; values in this frame: 1"
    );
    let said = panic_of(|| pool[of_the_other] = 1).unwrap();
    assert!(said.contains("refuses link #3, which is of another pool"), "{said}");
    let said = panic_of(|| drop(FramePool::<i32>::new(4)[stale].to_string())).unwrap();
    assert!(
        said.contains("refuses link #1, which is of another pool; values in this frame: 0"),
        "{said}"
    );
}

#[test]
fn links_are_ordered_by_insertion_and_hashed_by_what_they_name() {
    let mut pool = FramePool::new(2);
    let [one, two] = ["egg", "egg"].map(|value| pool.insert(value).unwrap());
    pool.reset();
    let three = pool.insert("egg").unwrap();
    for (lesser, greater) in [(one, two), (two, three), (one, three)] {
        assert!(lesser < greater);
        assert_eq!(lesser.partial_cmp(&greater), Some(Ordering::Less));
    }
    let hash = |link: FrameLink<_>| BuildHasherDefault::<DefaultHasher>::new().hash_one(link);
    let copy = one;
    assert_eq!(hash(one), hash(copy));
    let hashes: HashSet<u64> = [one, two, three].into_iter().map(hash).collect();
    assert_eq!(hashes.len(), 3);
}

#[test]
fn a_frame_tells_what_is_in_it() {
    let mut pool = FramePool::new(3);
    assert!(pool.is_empty() && format!("{pool:?}") == "{}");
    let link = pool.insert("egg").unwrap();
    assert!(!pool.is_empty());
    assert_eq!(format!("{pool:?}"), format!("{{{link:?}: \"egg\"}}"));
}

#[test]
fn links_are_as_small_as_references() {
    assert_eq!(size_of::<Option<FrameLink<String>>>(), 8);
}

#[test]
fn frames_take_no_memory_and_drop_each_value_once() {
    let ledger = Ledger::default();
    let (mut pool, start) = during(|| FramePool::new(100));
    assert_eq!(start.taken, 1);
    let ((), frames) = during(|| {
        for frame in 0..50 {
            pool.reset();
            for id in 0..frame * 2 {
                assert!(pool.insert(id).is_ok());
            }
        }
    });
    assert_eq!(frames, Allocations::default());
    let mut copy = pool.clone();
    let ((), of_the_copy) = during(|| while copy.insert(0).is_ok() {});
    assert_eq!((of_the_copy, copy.len()), (Allocations::default(), 100));
    let mut pool = FramePool::new(3);
    for id in 0..3 {
        assert!(pool.insert(ledger.value(id)).is_ok());
    }
    pool.reset();
    assert_eq!((ledger.alive(), pool.len()), (0, 0));
    assert!(pool.insert(ledger.value(3)).is_ok());
    drop(pool);
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn values_without_a_size_and_pools_without_room_work() {
    let mut pool = FramePool::new(3);
    let links = [(); 3].map(|unit| pool.insert(unit).unwrap());
    assert!(pool.insert(()).is_err() && links.iter().all(|&link| pool.contains(link)));
    assert!(FramePool::<u8>::new(0).insert(1).is_err());
    assert!(FramePool::<u64>::try_new(usize::MAX).is_err());
}

/// The leaf of an actor in a tree that is built anew of all of them: how many share it, and how deep it is.
fn leaf_by_force(actors: &[Point], at: Point, depth_max: u32) -> (usize, u32) {
    let (mut square, mut depth) = (Square::WHOLE, 0);
    let mut here: Vec<Point> = actors.to_vec();
    while here.len() > LEAF_ACTORS_MAX && depth < depth_max {
        let quarter = square.quarter_of(at);
        here.retain(|&other| square.quarter_of(other) == quarter);
        (square, depth) = (square.quarter(quarter), depth + 1);
    }
    (here.len(), depth)
}

/// How many squares a tree has that is built anew of these actors.
fn squares_by_force(actors: &[Point], square: Square, levels: u32) -> usize {
    if actors.len() <= LEAF_ACTORS_MAX || levels == 0 {
        return 1;
    }
    let below = (0..4).map(|quarter| {
        let here = actors.iter().copied().filter(|&at| square.quarter_of(at) == quarter);
        let here: Vec<Point> = here.collect();
        match here.is_empty() {
            true => 0,
            false => squares_by_force(&here, square.quarter(quarter), levels - 1),
        }
    });
    1 + below.sum::<usize>()
}

/// "Motivating use: a quadtree …"; for slow movers the tree is updated in place, and after every change it is the
/// tree that a rebuild gives.
#[test]
fn a_tree_updated_in_place_is_the_one_that_a_rebuild_gives() {
    const DEPTH_MAX: u32 = 9;
    let mut tree = LastingTree::new(800, 60, DEPTH_MAX).unwrap();
    let mut actors: Vec<(Handle<in_place::Actor>, Point)> = Vec::new();
    let mut random = Random(3);
    let mut crowded = 0;
    for step in 0..3_000 {
        // Crowds on one spot, neighbours, and strangers far away.
        let somewhere = |random: &mut Random| match random.below(4) {
            0 => (100, 100),
            1 => (random.below(200) as i32 - 100, random.below(200) as i32 - 100),
            2 => (random.below(60_000) as i32 - 30_000, random.below(60_000) as i32 - 30_000),
            _ => (random.below(4_000) as i32, random.below(4_000) as i32),
        };
        let lean = if step / 300 % 2 == 0 { 3 } else { 1 };
        match random.below(10) {
            choice if choice < lean => {
                if actors.len() < 60 {
                    let at = somewhere(&mut random);
                    actors.push((tree.insert(at).unwrap(), at));
                } else {
                    assert!(tree.nodes() > 1);
                }
            }
            choice if choice < 4 && !actors.is_empty() => {
                let (actor, _) = actors.swap_remove(random.below(actors.len()));
                tree.remove(actor);
            }
            choice if !actors.is_empty() => {
                let moving = random.below(actors.len());
                let (actor, at) = &mut actors[moving];
                let step = |random: &mut Random| random.below(41) as i32 - 20;
                *at = match choice {
                    9 => somewhere(&mut random),
                    _ => (at.0 + step(&mut random), at.1 + step(&mut random)),
                };
                tree.move_to(*actor, *at).unwrap();
            }
            _ => {}
        }
        let places: Vec<Point> = actors.iter().map(|(_, at)| *at).collect();
        for (actor, at) in &actors {
            let expected = leaf_by_force(&places, *at, DEPTH_MAX);
            assert_eq!(tree.leaf_of(*actor), expected, "step {step}, {at:?}");
            crowded += usize::from(expected.0 > LEAF_ACTORS_MAX);
        }
        if let Some((_, at)) = actors.first() {
            let expected = places.iter().filter(|other| are_near(**other, *at, 500)).count();
            assert_eq!(tree.count_near(*at, 500), expected);
        }
        let squares = squares_by_force(&places, Square::WHOLE, DEPTH_MAX);
        assert_eq!(tree.nodes(), squares, "step {step}: nothing is left of those that went");
    }
    assert!(crowded > 0, "there were crowds on one spot");
}
