//! The classic pools fill their free slots, too.

use millpond_classic::{BytemapPool, PoolAllocator};

use crate::common::panic_of;

const DEAD: u32 = 0x1dea_db0b;

/// "A debug mode that fills a reclaimed slot with a magic value (0x1deadb0b), so that use of a dead object shows."
#[test]
fn bytemap_pool_fills_a_reclaimed_slot_and_sees_who_writes_to_it() {
    let mut pool = BytemapPool::new(3);
    let kept = pool.insert([7_u32; 5]).unwrap();
    pool.fill_dead_slots();
    for round in 0..3 {
        let handle = pool.insert([1; 5]).unwrap();
        let stale = (&raw mut *pool.get_mut(handle).unwrap()).cast::<u32>();
        pool.remove(handle);
        // SAFETY: the slot's memory is the pool's, which lives.
        assert_eq!(unsafe { stale.wrapping_add(4).read() }, DEAD);
        // SAFETY: as above; that nobody does this is what the pool looks for.
        unsafe { stale.wrapping_add(2).write(5) };
        let said = panic_of(|| while pool.insert([2; 5]).is_ok() {}).unwrap();
        let expected = format!(
            "the pool: slot {} was written to while it was dead: byte 8 of 20 is 0x05",
            handle >> 8
        );
        assert!(said.starts_with(&expected), "{said}");
        assert_eq!(pool.get(kept), Some(&[7; 5]));
        while pool.insert([3; 5]).is_ok() {}
        assert_eq!(pool.len(), 3, "the slot is as good as before");
        (1..3).for_each(|index| assert!(pool.remove_at(index).is_some()));
        if round == 1 {
            pool.flush();
            pool.initialise(3);
            pool.insert_at(kept, [7; 5]).unwrap();
        }
    }
}

/// The panic that names a written slot comes before anything of the pool has changed.
#[test]
fn bytemap_pool_is_as_it_was_after_it_has_named_a_written_slot() {
    let mut pool = BytemapPool::new(1);
    pool.fill_dead_slots();
    // The seed's last use: the next insertion restarts it.
    let handle = pool.insert_at(127, [0_u32; 2]).unwrap();
    let stale = (&raw mut *pool.get_mut(handle).unwrap()).cast::<u32>();
    pool.remove(handle);
    let before = (pool.cursor(), pool.seeds_restarted(), pool.bytes().to_vec());
    for inserts_at in [false, true] {
        // SAFETY: the slot's memory is the pool's, which lives; that nobody does this is what the pool looks for.
        unsafe { stale.write(9) };
        let said = panic_of(|| {
            _ = match inserts_at {
                true => pool.insert_at(handle, [1; 2]).is_ok(),
                false => pool.insert([1; 2]).is_ok(),
            };
        });
        assert!(said.unwrap().contains("slot 0 was written to while it was dead"));
        assert_eq!((pool.cursor(), pool.seeds_restarted(), pool.bytes().to_vec()), before);
    }
    assert_eq!(pool.insert([1; 2]), Ok(0));
    assert_eq!(pool.seeds_restarted(), before.1 + 1);
}

#[test]
fn pool_allocator_fills_a_reclaimed_slot_and_sees_who_writes_to_it() {
    let pool = PoolAllocator::with_chunk_slots(2);
    drop(pool.alloc([1_u32; 6]));
    pool.fill_dead_slots();
    for chunk in 0..3 {
        let mut guard = pool.alloc([1; 6]);
        let stale = (&raw mut *guard).cast::<u32>();
        drop(guard);
        // SAFETY: the slot's memory is the pool's, which lives.
        assert_eq!(unsafe { stale.wrapping_add(5).read() }, DEAD);
        // SAFETY: as above.
        unsafe { stale.write(9) };
        let said = panic_of(|| drop(pool.alloc([2; 6]))).unwrap();
        let expected = "a slot of a pool allocator was written to while it was dead: byte ";
        assert!(said.starts_with(expected) && said.contains("0x09"), "{said}");
        assert_eq!(*pool.alloc([3; 6]), [3; 6], "the slot is as good as before");
        // A new chunk, too: its slots are looked at when they are first used.
        let kept: Vec<_> = (0..=pool.capacity()).map(|_| pool.alloc([4; 6])).collect();
        assert_eq!((pool.chunks(), kept.len()), (chunk + 2, 3 + 2 * chunk));
    }
}
