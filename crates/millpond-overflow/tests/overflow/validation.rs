//! Validation asks every part.

use millpond::Pool;
use millpond_overflow::{Overflow, PolicyPool};

/// How often the last part was used.
const TIMES: u64 = 7_777;

/// A pool of two slots, one in each of two parts, the second of which has had so many objects; or the first, if there is no
/// object in it.
fn used(policy: Overflow, fills_first: bool) -> PolicyPool<u8> {
    let mut pool = PolicyPool::new(policy, Pool::builder().capacity(1), 1);
    if fills_first {
        pool.insert_by(1, |_, _| 0).unwrap();
    }
    for _ in 0..TIMES {
        let (handle, _) = pool.insert_by(2, |_, _| 0).unwrap();
        assert_eq!(pool.is_spilled(handle), fills_first);
        pool.remove(handle);
    }
    pool
}

/// The place of a number in the pool itself.
fn number(pool: &mut PolicyPool<u8>, at: usize) -> *mut u64 {
    assert!(
        align_of_val(pool) >= align_of::<u64>() && (at + 1) * size_of::<u64>() <= size_of_val(pool)
    );
    std::ptr::from_mut(pool).cast::<u64>().wrapping_add(at)
}

#[test]
fn a_miscount_is_found_in_every_part() {
    for (policy, fills_first) in
        [(Overflow::Spill, false), (Overflow::Spill, true), (Overflow::Grow, true)]
    {
        let mut pool = used(policy, fills_first);
        let mut counts = 0;
        for at in 0..size_of_val(&pool) / size_of::<u64>() {
            let place = number(&mut pool, at);
            // SAFETY: the place is in the pool, and aligned. What the compiler has left free there may have any value, which is
            // only compared.
            if unsafe { place.read_volatile() } != TIMES {
                continue;
            }
            // SAFETY: no reference to the pool is used while the number is another one. Validation only reads it.
            unsafe { place.write_volatile(TIMES + 1) };
            let found = pool.validate();
            let place = number(&mut pool, at);
            // SAFETY: as above.
            unsafe { place.write_volatile(TIMES) };
            pool.validate().unwrap();
            // Other parts of a pool may have the same number, such as what a report counts.
            counts += usize::from(found.is_err());
        }
        assert!(counts >= 2, "{policy}, {fills_first}: births and deaths, but {counts} are found");
    }
}
