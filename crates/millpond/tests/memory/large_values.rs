//! Values larger than a thread's stack: what makes, empties and drops a pool moves none of them by value, in
//! unoptimised builds either.

use std::any::Any;
use std::panic::Location;
use std::thread;

use millpond::reuse::{LowestFirst, Roster};
use millpond::{AnyPool, Handle, PackedPool, Pool, SideTable, VecPool};
use millpond_classic::{BytemapPool, PoolAllocator};

/// Ten times the stack of the thread that has it.
type Large = [u8; 10 << 20];
const STACK_BYTES: usize = 1 << 20;

/// The same with drop code, for which each slot is looked at when its pool goes.
struct LargeWithDrop(#[allow(dead_code, reason = "only its size counts")] Large);

impl Drop for LargeWithDrop {
    fn drop(&mut self) {
        unreachable!("there never was one");
    }
}

#[track_caller]
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    // A thread that overflows its stack ends the program, and says nothing of who started it.
    println!("{}", Location::caller());
    let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    thread.unwrap().join().unwrap();
}

fn make_and_drop<T: 'static>() {
    on_a_small_stack(|| {
        let mut pool = Pool::<T>::new(1);
        pool.clear();
        assert_eq!((pool.capacity(), pool.iter().count()), (1, 0));
    });
    on_a_small_stack(|| assert_eq!(Pool::<T, LowestFirst>::with_capacity(2).capacity(), 2));
    on_a_small_stack(|| assert_eq!(Pool::<T, Roster>::with_capacity(1).capacity(), 1));
    on_a_small_stack(|| {
        let mut pool = PackedPool::<T>::new(1);
        pool.clear();
        assert_eq!((pool.capacity(), pool.len()), (1, 0));
    });
    on_a_small_stack(|| {
        let mut pool = VecPool::<T>::builder().capacity_max(1).build();
        pool.reserve(1).unwrap();
        assert_eq!(pool.capacity(), 1);
        assert_eq!(pool.shrink_to_fit(), 1);
    });
    on_a_small_stack(|| assert_eq!(BytemapPool::<T>::new(1).capacity(), 1));
    on_a_small_stack(|| assert_eq!(PoolAllocator::<T>::with_chunk_slots(1).reserve(1), Ok(())));
    on_a_small_stack(|| {
        let mut table = SideTable::<Handle<()>, T>::with_capacity(1);
        table.clear();
        assert_eq!((table.capacity(), table.len()), (1, 0));
    });
}

#[test]
fn a_pool_of_large_values_is_made_on_a_small_stack() {
    make_and_drop::<Large>();
    on_a_small_stack(|| {
        let pool = AnyPool::<dyn Any, { 10 << 20 }>::new(1);
        assert_eq!(pool.capacity(), 1);
    });
}

#[test]
fn a_pool_of_large_values_with_drop_code_is_emptied_and_dropped_on_a_small_stack() {
    make_and_drop::<LargeWithDrop>();
}
