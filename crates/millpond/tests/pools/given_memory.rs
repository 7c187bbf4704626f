//! Pools in memory that the program hands over.

use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::rc::Rc;

use millpond::reuse::{Fifo, LowestFirst, ReuseOrder, Roster};
use millpond::{BuildError, Handle, Handle32, Pool};

/// Memory for ever, of this many bytes.
fn leaked(bytes: usize) -> &'static mut [MaybeUninit<u8>] {
    Box::leak(Box::new_uninit_slice(bytes))
}

/// The same steps in two pools of the same shape, one on the heap and one in memory of the test's own.
fn behaves_as_on_the_heap<R: ReuseOrder>(order: R) {
    let builder = || Pool::<String>::builder().capacity(130).reuse(order).name("given");
    let layout = builder().memory_layout().unwrap();
    let mut given = builder().build_in(leaked(layout.size() + layout.align() - 1)).unwrap();
    let mut heap = builder().build();
    let mut handles: Vec<Handle<String>> = Vec::new();
    for step in 0..1000_usize {
        if step % 3 == 2 && !handles.is_empty() {
            let handle = handles.swap_remove(step * 7 % handles.len());
            let value = given.remove(handle);
            assert!(value.is_some());
            assert_eq!(value, heap.remove(handle));
        } else {
            let value = given.insert(step.to_string());
            assert_eq!(value.as_ref().ok(), heap.insert(step.to_string()).as_ref().ok());
            handles.extend(value.ok());
        }
        given.validate().unwrap();
    }
    assert!(given.is_full());
    assert!(given.iter().eq(heap.iter()));
    assert_eq!(given.stats(), heap.stats());
    given.clear();
    assert!(handles.iter().all(|handle| !given.contains(*handle)));
}

#[test]
fn a_pool_behaves_as_on_the_heap_in_every_order() {
    behaves_as_on_the_heap(millpond::reuse::Lifo);
    behaves_as_on_the_heap(Fifo);
    behaves_as_on_the_heap(LowestFirst);
    behaves_as_on_the_heap(Roster);
}

#[test]
fn all_values_lie_in_the_memory_wherever_it_begins() {
    #[repr(align(64))]
    struct Wide(#[expect(dead_code, reason = "room")] [u8; 64]);

    let builder = || Pool::<Wide>::builder().capacity(10).handle::<Handle32<Wide, 16>>();
    let layout = builder().memory_layout().unwrap();
    assert_eq!(layout.align(), 64);
    for skipped in 0..64 {
        let memory = &mut leaked(layout.size() + 200)[skipped..];
        let bounds = memory.as_ptr_range();
        let mut pool = builder().build_in(memory).unwrap();
        let handles: Vec<_> = (0..10).map(|_| pool.insert(Wide([7; 64])).ok().unwrap()).collect();
        for handle in handles {
            let value = (&raw const pool[handle]).cast();
            assert!(bounds.start <= value && value < bounds.end);
            assert_eq!(value.addr() % 64, 0);
        }
        assert!(pool.insert(Wide([8; 64])).is_err());
    }
}

#[test]
fn memory_that_is_too_small_is_refused_with_what_is_needed() {
    let builder = || Pool::<u64>::builder().capacity(100);
    let layout = builder().memory_layout().unwrap();
    let memory = leaked(layout.size() + layout.align());
    let first = memory.as_ptr().align_offset(layout.align());
    let (needed, start) = (layout.size() + first, NonNull::from(&mut memory[0]).cast());
    for bytes in [0, 1, needed - 1] {
        // SAFETY: so many bytes are there.
        let error = unsafe { builder().build_at(start, bytes) }.unwrap_err();
        assert_eq!(error, BuildError::MemoryTooSmall { needed, bytes });
        assert!(error.to_string().contains(&format!("needs {needed}")));
    }
    // SAFETY: so many bytes are there.
    assert!(unsafe { builder().build_at(start, needed) }.is_ok());
    assert_eq!(Pool::<u64>::builder().memory_layout(), Err(BuildError::NoCapacity));
    let error = builder().capacity(usize::MAX).memory_layout().unwrap_err();
    assert!(matches!(error, BuildError::CapacityTooLarge { .. }));
}

#[test]
fn a_pool_of_no_slots_needs_what_its_order_keeps() {
    // `Lifo` has one entry more than slots.
    let error = Pool::<u64>::builder().capacity(0).build_in(&mut []).unwrap_err();
    assert!(matches!(error, BuildError::MemoryTooSmall { bytes: 0, .. }));
    let empty = Pool::<u64>::builder().capacity(0).reuse(Fifo).build_in(&mut []).unwrap();
    assert!(empty.is_full());
}

/// Values are dropped, the memory is not: it serves the next pool.
#[test]
fn the_memory_serves_one_pool_after_the_other() {
    let builder = || Pool::<Rc<()>>::builder().capacity(3);
    let layout = builder().memory_layout().unwrap();
    let mut memory = vec![MaybeUninit::<u8>::uninit(); layout.size() + layout.align()];
    let value = Rc::new(());
    for _ in 0..3 {
        let start = NonNull::from(&mut memory[0]).cast();
        // SAFETY: the vector has so many bytes, and nobody uses them while the pool is there.
        let mut pool = unsafe { builder().build_at(start, memory.len()) }.unwrap();
        let kept = pool.insert(value.clone()).unwrap();
        let gone = pool.insert(value.clone()).unwrap();
        pool.remove(gone);
        let clone = pool.clone();
        assert_eq!(Rc::strong_count(&value), 3);
        drop(pool);
        assert_eq!(Rc::strong_count(&value), 2);
        assert!(clone.contains(kept) && !clone.contains(gone));
    }
    assert_eq!(Rc::strong_count(&value), 1);
}
