//! The same steps on a packed pool of the C header and on Rust's `PackedPool`: the same handles, refusals, counters, and
//! values in the same order.
//!
//! With `MP_ROSTER`, which is the order of Rust's roster, also where handles are claimed. With `MP_LIFO` as long as none
//! is: a claim takes a slot out of the middle of those that come next, and the two close that gap in different ways. The
//! sums differ, because they count the order of the values in different ways.
#![cfg(all(target_os = "linux", target_pointer_width = "64"))]

#[path = "../../millpond/tests/common/mod.rs"]
mod common;
mod subject;
mod support;

use millpond::{Handle, Handle32};
use subject::{Kind, Makes, Of, PackedCKind, PackedKind, Plan, Rank, Subject, hash, seen};

use crate::common::Random;

/// Which steps there are: to claim a handle, and to evict a value, which needs slots that do not retire.
#[derive(Clone, Copy)]
struct Steps {
    claim: bool,
    evict: bool,
}

/// What the pool answers to a step, which random bits choose.
fn step(pool: &mut dyn Subject<u32>, bits: u64, known: &mut Vec<subject::Key>, may: Steps) -> u64 {
    let nth = known.get((bits >> 16) as usize % known.len().max(1)).copied();
    match bits % 32 {
        0..14 => {
            let inserted = pool.insert(bits as u32);
            known.extend(inserted.as_ref().ok());
            hash(inserted)
        }
        14..26 => hash(nth.and_then(|handle| pool.remove(handle))),
        26 => hash(nth.and_then(|handle| pool.get_mut(handle)).map(|value| *value += 1)),
        27 if may.evict => {
            hash(pool.insert_or_evict(bits as u32, &mut |value| Rank::of(u64::from(*value % 7))))
        }
        28 => hash(nth.map(|handle| pool.contains(handle))),
        29 if bits >> 59 == 0 => hash(pool.retain(&mut |_, value| *value % 3 != 0)),
        30 if bits >> 58 == 0 => {
            pool.clear();
            0
        }
        31 if may.claim => {
            let slot = (bits >> 8) as usize % (pool.capacity() + 1);
            let handle = pool.layout().key_of_parts(slot, 1 + (bits >> 40) as u32 % 6);
            hash(handle.map(|handle| {
                let claimed = pool.insert_at(handle, bits as u32);
                known.extend(pool.contains(handle).then_some(handle));
                claimed
            }))
        }
        _ => hash(pool.insert_with(&mut |handle| handle.index() as u32)),
    }
}

fn compare<C: Kind, R: Kind>(plan: Plan, may: Steps) {
    let mut in_c: Box<dyn Subject<u32>> = Of::<C>::KIND.make(plan);
    let mut in_rust: Box<dyn Subject<u32>> = Of::<R>::KIND.make(plan);
    let (mut random, mut known, mut known_too) = (Random(7), Vec::new(), Vec::new());
    for at in 0..4000 {
        let bits = random.next();
        let answers = (
            step(&mut *in_c, bits, &mut known, may),
            step(&mut *in_rust, bits, &mut known_too, may),
        );
        assert_eq!(answers.0, answers.1, "{plan:?}, step {at}: {bits:#x}");
        assert_eq!(known, known_too, "{plan:?}, step {at}");
        assert_eq!(seen(&*in_c), seen(&*in_rust), "{plan:?}, step {at}: {bits:#x}");
        if known.len() > 2 * plan.capacity + 9 {
            (known, known_too) =
                (known.split_off(plan.capacity), known_too.split_off(plan.capacity));
        }
    }
    if may.evict && plan.capacity < 50 {
        assert!(in_c.stats().unwrap().evicted > 9, "{plan:?}: too few were evicted to say so");
    }
}

#[test]
fn a_packed_pool_in_c_is_a_packed_pool_in_rust() {
    let several = Plan::of(40);
    for plan in [
        Plan::of(0),
        Plan::of(1),
        several,
        Plan { lifetimes: Some(3), ..several },
        Plan { lifetimes: Some(4), wraps: true, ..several },
        Plan::of(200),
    ] {
        let lasts = plan.lifetimes.is_none() && plan.capacity > 0;
        let plain = Steps { claim: false, evict: lasts };
        // These handles have 255 lifetimes.
        let few = Steps { evict: false, ..plain };
        compare::<PackedCKind<0, 0, Handle<()>>, PackedKind<Handle<()>>>(plan, plain);
        compare::<PackedCKind<3, 0, Handle<()>>, PackedKind<Handle<()>>>(
            plan,
            Steps { claim: true, ..plain },
        );
        compare::<PackedCKind<0, 16, Handle32<(), 16>>, PackedKind<Handle32<(), 16>>>(plan, plain);
        compare::<PackedCKind<0, 20, Handle32<(), 20>>, PackedKind<Handle32<(), 20>>>(plan, plain);
        compare::<PackedCKind<0, 24, Handle32<(), 24>>, PackedKind<Handle32<(), 24>>>(plan, few);
    }
    let plain = Steps { claim: false, evict: true };
    let named = Plan { name: Some("sparks"), ..several };
    compare::<PackedCKind<0, 0, Handle<()>>, PackedKind<Handle<()>>>(named, plain);
}
