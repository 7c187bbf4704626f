//! The worked examples of the four published designs, step by step, for readers of the texts: what each text says is
//! printed and checked. `docs/guide/coming-from.md` has the names side by side.
//!
//! Run it: `cargo run -p millpond-classic --example designs`. The designs' larger programs are the examples `quadtree`
//! and `particles`.

use std::cell::Cell;

use millpond::Pool;
use millpond_classic::{BytemapPool, ParticlePool, PoolAllocator, RosterPool};

/// Visible to the test that runs it.
pub(crate) fn main() {
    swap_delete();
    byte_map();
    pool_allocator();
    particles();
    fragmentation();
}

/// "A Dynamic Component Architecture", "Constant Time Memory Allocation From Object Pools": six slots, five of them
/// allocated, and slot 4 freed.
fn swap_delete() {
    println!("swap-delete pool");
    let show = |pool: &RosterPool<u32>, step: &str| {
        println!("  {step:<16} roster {:?}, partition {}", pool.roster(), pool.partition());
    };
    let mut pool = RosterPool::<u32>::new(6);
    show(&pool, "new");
    let handles = [(); 5].map(|()| pool.allocate().expect("there are six slots"));
    show(&pool, "5 allocated");
    assert_eq!((pool.roster(), pool.next_slot()), (&[5, 4, 3, 2, 1, 0][..], Some(0)));

    let slot_4 = handles[1];
    assert_eq!(slot_4.index(), 4);
    pool.free(slot_4);
    show(&pool, "slot 4 freed");
    assert_eq!((pool.roster(), pool.partition()), (&[5, 1, 3, 2, 4, 0][..], 4));
    let again = pool.allocate().expect("slot 4 is free");
    assert_eq!((again.index(), pool.get(slot_4)), (4, None));
    show(&pool, "allocated again");
}

/// GTAMods, `CPool`: handles are `index << 8 | byte`, and a saved game is loaded with `New(handle)`.
fn byte_map() {
    println!("byte-map pool");
    let mut cars = BytemapPool::new(110);
    let taxi = cars.insert("taxi").expect("there are 110 slots");
    let bus = cars.insert("bus").expect("there are 110 slots");
    assert_eq!((taxi, bus), (0x0001, 0x0101));
    assert_eq!(cars.remove(taxi), Some("taxi"));
    assert_eq!((cars.bytes()[0], cars.cursor()), (0x81, 0)); // the free bit, and the seed stays
    println!("  bus {bus:#06x}; byte of slot 0 after Delete {:#04x}", cars.bytes()[0]);

    let mut loaded = BytemapPool::new(110);
    loaded.insert_at(bus, "bus").expect("slot 1 is free");
    assert_eq!((loaded.get(bus), loaded.cursor()), (Some(&"bus"), 0));
    println!("  loaded: the saved handle {bus:#06x} finds {:?}", loaded.get(bus));

    // The worst case of the handles' uniqueness: one slot, used again and again.
    let mut slot = BytemapPool::new(1);
    let first = slot.insert(0).expect("there is one slot");
    let uses = (1..).find(|&use_number| {
        slot.remove_at(0);
        slot.insert(use_number).expect("there is one slot") == first
    });
    assert_eq!(uses, Some(128));
    println!("  a handle of the only slot comes again after {} uses", uses.unwrap_or(0));
}

/// "Memory Management: Pool Allocator": a stack of freed objects, constructors and destructors once each.
fn pool_allocator() {
    println!("pool allocator");
    struct Node<'a> {
        destroyed: &'a Cell<u32>,
    }
    impl Drop for Node<'_> {
        fn drop(&mut self) {
            self.destroyed.set(self.destroyed.get() + 1);
        }
    }
    let destroyed = Cell::new(0);
    let pool = PoolAllocator::new();
    pool.reserve(1000).unwrap();
    for _frame in 0..60 {
        let tree: Vec<_> = (0..1000).map(|_| pool.alloc(Node { destroyed: &destroyed })).collect();
        assert_eq!((tree.len(), pool.len()), (1000, 1000));
    }
    assert_eq!((destroyed.get(), pool.capacity(), pool.chunks()), (60_000, 1000, 1));
    println!("  60 trees of 1,000 nodes from {} piece of memory", pool.chunks());
}

/// "Game Programming Patterns, Object Pool": particles that go back to the pool in the pass that animates them.
fn particles() {
    println!("particles");
    let mut pool = ParticlePool::<3>::new();
    for frames in [1, 2, 3] {
        pool.create(0.0, 0.0, 1.0, 0.5, frames).expect("there are three particles");
    }
    assert!(pool.create(0.0, 0.0, 1.0, 0.5, 9).is_err()); // full: do not create
    for frame in 1..=3 {
        pool.animate();
        assert_eq!(pool.len(), 3 - frame);
        println!("  frame {frame}: {} in use, free list {:?}", pool.len(), list(&pool));
    }
    assert_eq!(list(&pool), [2, 1, 0]); // the one that was freed last comes first
}

fn list(pool: &ParticlePool<3>) -> Vec<usize> {
    pool.available().collect()
}

/// The same book on fragmentation: 14 bytes are free, in two pieces of 7, and 12 are refused.
fn fragmentation() {
    println!("fragmentation");
    let mut heap = [false; 28];
    let blocks = [(); 4].map(|()| take(&mut heap, 7).expect("28 bytes are four blocks of 7"));
    for block in [blocks[0], blocks[2]] {
        heap[block..block + 7].fill(false);
    }
    let free = heap.iter().filter(|in_use| !**in_use).count();
    assert_eq!((free, take(&mut heap, 12)), (14, None));
    println!("  heap: {free} bytes are free, 12 are refused");

    let mut pool = Pool::new(4);
    let blocks = [(); 4].map(|()| pool.insert([0_u8; 7]).expect("there are four slots"));
    for block in [blocks[0], blocks[2]] {
        pool.remove(block);
    }
    assert!(pool.insert([1; 7]).is_ok() && pool.insert([1; 7]).is_ok());
    println!("  pool: two slots are free, not adjacent, and two objects fit");
}

/// The first place in a heap where so many bytes in a row are free; they are taken.
fn take(heap: &mut [bool], bytes: usize) -> Option<usize> {
    let place = heap.windows(bytes).position(|bytes| bytes.iter().all(|in_use| !in_use))?;
    heap[place..place + bytes].fill(true);
    Some(place)
}
