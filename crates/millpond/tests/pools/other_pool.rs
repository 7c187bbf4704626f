//! Handles of one pool given to another: refused once the pools can be told apart, with the reason
//! told, and the same on every machine. (With every kind of pool: `tests/families/other_pool.rs`.)

use crate::common::panic_and_place_of;
use millpond::reuse::Lifo;
use millpond::{Handle, Handle32, HandleAllocator, Pool, Recycler, Refusal, VecPool};

/// Names as people give them, and some that are hard to tell apart, with commas between them.
const NAMES: &str = concat!(
    ",a,b,c,aa,ab,ba,bb,A,B,bullet,bullets,Bullets,rocket,rockets,enemy,enemies,enemies , enemies,",
    "particles,particle,sparks,smoke,fire,voices,sounds,sound effects,textures,texture,meshes,mesh,",
    "nodes,node,edges,pool 1,pool 2,pool 10,pool 11,pool 100,1,2,10,11,entities,entity,players,",
    "player,cars,peds,objects,object,trees,häuser,дома,家,\0",
);

/// What each pool of a table may be given: no name and no salt is a case of its own.
fn identities() -> Vec<(Option<&'static str>, Option<u64>)> {
    let named = NAMES.split(',').map(|name| (Some(name), None));
    let salts = [0, 1, 2, 3, 1 << 32, u64::MAX, u64::MAX - 1];
    let salted = salts.into_iter().map(|salt| (None, Some(salt)));
    let both = salts.into_iter().map(|salt| (Some("bullets"), Some(salt)));
    // A salt of 0 beside a name, and no salt, are the same; so are a name of "" and none.
    let all = named.chain(salted).chain(both.skip(1)).filter(|id| *id != (None, Some(0)));
    std::iter::once((None, None)).chain(all).collect()
}

fn pool_of((name, salt): (Option<&'static str>, Option<u64>), slots: usize) -> Pool<u64> {
    let mut builder = Pool::<u64>::builder().capacity(slots);
    if let Some(name) = name {
        builder = builder.name(name);
    }
    if let Some(salt) = salt {
        builder = builder.salt(salt);
    }
    builder.build()
}

/// So each refuses the others' handles, by whatever else.
#[test]
fn the_first_lifetimes_of_pools_of_different_names_and_salts_are_far_apart() {
    let identities = identities();
    assert!(identities.len() >= 50);
    let start = |identity| (pool_of(identity, 1).insert(0).unwrap().generation(), identity);
    let mut starts: Vec<_> = identities.into_iter().map(start).collect();
    starts.sort_unstable();
    for pair in starts.windows(2) {
        assert!(pair[0].0 + 100 < pair[1].0, "{pair:?}");
    }
}

/// With few generation bits the starts cannot all differ; but as many pairs do as chance has it.
#[test]
fn narrow_handles_of_other_pools_are_refused_as_often_as_their_bits_allow() {
    fn refused<const BITS: u32>() -> f64
    where
        Handle32<u64, BITS>: millpond::HandleLayout,
    {
        let pools: Vec<_> = identities()
            .into_iter()
            .map(|(name, salt)| {
                let builder = Pool::<u64>::builder().handle::<Handle32<u64, BITS>>().capacity(1);
                let mut pool = builder.name(name.unwrap_or("")).salt(salt.unwrap_or(0)).build();
                let handle = pool.insert(1).unwrap();
                (pool, handle)
            })
            .collect();
        let pairs = pools.len() * (pools.len() - 1);
        let refused = pools.iter().enumerate().flat_map(|(of, (pool, _))| {
            let others = pools.iter().enumerate().filter(move |(from, _)| *from != of);
            others.filter(|(_, (_, handle))| !pool.contains(*handle))
        });
        refused.count() as f64 / pairs as f64
    }
    // One pair in 4,095 is expected to agree with 12 generation bits, and one in 255 with 8.
    assert!(refused::<20>() > 0.995, "{}", refused::<20>());
    assert!(refused::<24>() > 0.98, "{}", refused::<24>());
}

/// Recorded, and computed independently: if one of these changes, so does every handle that a game has saved.
#[test]
fn handle_bits_of_named_pools_are_the_same_on_every_machine() {
    let bits = |name, salt| {
        let mut pool = pool_of((name, salt), 2);
        pool.insert(1).unwrap();
        pool.insert(1).unwrap().to_bits()
    };
    assert_eq!(bits(None, None), 1 << 32 | 1);
    assert_eq!(bits(Some("bullets"), Some(7)), 1 << 32 | BULLETS_7);
    assert_eq!(bits(Some("bullets"), None), 1 << 32 | BULLETS);
    assert_eq!(bits(Some("rockets"), None), 1 << 32 | ROCKETS);
    assert_eq!(bits(Some(""), None), 1 << 32 | EMPTY);
    assert_eq!(bits(None, Some(0)), 1 << 32 | SALT_0);
    assert_eq!(bits(None, Some(1)), 1 << 32 | SALT_1);
    let mut narrow = Pool::<u64>::builder().handle::<Handle32<u64, 24>>();
    narrow = narrow.name("bullets").capacity(2);
    assert_eq!(narrow.build().insert(1).unwrap().to_bits(), BULLETS_OF_8_BITS);
}

const BULLETS: u64 = 2_133_709_781;
const BULLETS_7: u64 = 432_073_660;
const ROCKETS: u64 = 232_402_267;
const EMPTY: u64 = 465_297_348;
const SALT_0: u64 = 283_938_060;
const SALT_1: u64 = 235_387_384;
const BULLETS_OF_8_BITS: u64 = 5;

/// A pool of 4 slots by this name, in which slot 0 was removed, slot 1 is live, and the others are
/// fresh; and its two handles.
fn used_pool(name: Option<&'static str>) -> (Pool<u64>, Handle<u64>, Handle<u64>) {
    let mut pool = pool_of((name, None), 4);
    let stale = pool.insert(1).unwrap();
    let live = pool.insert(2).unwrap();
    pool.remove(stale);
    (pool, stale, live)
}

/// (Of pools without names: the model.)
#[test]
fn refusal_says_why() {
    let (pool, stale, live) = used_pool(Some("bullets"));
    let at = |index, generation| Handle::from_parts(index, generation).unwrap();
    let start = live.generation();
    assert_eq!(pool.check(live), Ok(()));
    assert_eq!(pool.check(stale), Err(Refusal::Stale));
    assert_eq!(pool.check(at(0, start + 1)), Err(Refusal::NeverIssued));
    assert_eq!(pool.check(at(2, start)), Err(Refusal::NeverIssued));
    assert_eq!(pool.check(at(u32::MAX - 1, start)), Err(Refusal::OutOfRange));
    let far = at(1, if start > 1 << 30 { 5 } else { (1 << 31) - 5 });
    assert_eq!(pool.check(far), Err(Refusal::OtherPool));
}

/// The message of the panic, which must be laid at this file's door.
fn panic_of(work: impl FnOnce()) -> String {
    let (said, file, _) = panic_and_place_of(work).expect("it panics");
    assert!(file.ends_with("other_pool.rs"), "the caller is to blame, not {file}");
    said
}

#[test]
fn index_panics_with_the_pool_the_handle_and_the_reason_at_the_callers_place() {
    let (mut bullets, stale, live) = used_pool(Some("bullets"));
    let (_, _, rocket) = used_pool(Some("rockets"));
    let early = Handle::from_parts(2, live.generation()).unwrap();
    let beyond = Handle::from_parts(9, live.generation()).unwrap();
    for (handle, reason) in [
        (stale, "handle 0v1: slot 0, 1st lifetime: stale: its object was removed"),
        (
            early,
            "a handle: slot 2: never issued: its slot has not reached that generation; it may be another pool's",
        ),
        (beyond, "a handle: slot 9: out of range: there is no such slot"),
        (
            rocket,
            "a handle: slot 1: it is another pool's, because this one has never issued such a generation",
        ),
    ] {
        let expected = format!("pool \"bullets\" refuses {reason}");
        assert_eq!(panic_of(|| _ = bullets[handle]), expected);
        assert_eq!(panic_of(|| bullets[handle] += 1), expected);
    }
    bullets[live] += 1;
    assert_eq!(bullets[live], 3);
    let (unnamed, stale, _) = used_pool(None);
    let expected =
        "the pool refuses handle 0v1: slot 0, 1st lifetime: stale: its object was removed";
    assert_eq!(panic_of(|| _ = unnamed[stale]), expected);
}

#[test]
fn index_of_a_recycler_panics_with_the_same() {
    let mut voices = Recycler::<u64>::builder().name("voices").capacity(2).build();
    let (handle, _) = voices.acquire().unwrap();
    voices.release(handle);
    let expected = format!("pool \"voices\" refuses handle 0v1: {}", voices.explain(handle));
    assert_eq!(panic_of(|| _ = voices[handle]), expected);
    assert_eq!(panic_of(|| voices[handle] = 3), expected);
}

#[test]
fn building_too_large_a_pool_panics_at_the_callers_place() {
    let expected = "a capacity of 3 is more than the 2 slots that its handles can name";
    type Tiny = Handle32<u8, 1>;
    let builder = || Pool::<u8>::builder().handle::<Tiny>().capacity(3);
    assert_eq!(panic_of(|| drop(builder().build())), expected);
    let allocator = HandleAllocator::builder().handle::<Tiny>().capacity(3);
    assert_eq!(panic_of(|| drop(allocator.build())), expected);
    let recycler = Recycler::<u8>::builder().handle::<Tiny>().capacity(3);
    assert_eq!(panic_of(|| drop(recycler.build())), expected);
    assert_eq!(
        panic_of(|| drop(Pool::<u8>::builder().build())),
        "a pool needs a capacity: call `.capacity(slots)` on its builder"
    );
    type TinyPool = Pool<u8, Lifo, Tiny>;
    assert_eq!(panic_of(|| drop(TinyPool::with_capacity(3))), expected);
}

#[test]
fn handle_of_a_pool_of_another_name_is_told_to_be_another_pools() {
    let [(bullets, _, bullet), (rockets, _, rocket)] =
        ["bullets", "rockets"].map(|name| used_pool(Some(name)));
    assert_eq!(bullets.check(rocket), Err(Refusal::OtherPool));
    assert_eq!(rockets.check(bullet), Err(Refusal::OtherPool));
    let [textures, mut meshes] = ["textures", "meshes"]
        .map(|name| HandleAllocator::builder().capacity(4).name(name).build());
    assert_eq!(textures.check(meshes.acquire().unwrap()), Err(Refusal::OtherPool));
    let [voices, mut sounds] =
        ["voices", "sounds"].map(|name| Recycler::<u8>::builder().capacity(4).name(name).build());
    assert_eq!(voices.check(sounds.acquire().unwrap().0), Err(Refusal::OtherPool));
}

#[test]
fn a_slot_that_is_not_there_refuses_for_the_same_reasons_as_an_unused_one() {
    let mut bullets = VecPool::<u8>::builder().name("bullets").build();
    let first = bullets.insert(1).unwrap();
    for index in [1, 2, 9] {
        let of_this = Handle::from_parts(index, first.generation()).unwrap();
        assert_eq!(bullets.check(of_this), Err(Refusal::NeverIssued), "slot {index}");
        let of_another = Handle::from_parts(index, first.generation() + 1000).unwrap();
        assert_eq!(bullets.check(of_another), Err(Refusal::OtherPool), "slot {index}");
    }
    // And one that was given back.
    let given_back = [2, 3, 4].map(|n| bullets.insert(n).unwrap())[1];
    bullets.retain(|handle, _| handle == first);
    assert_eq!((given_back.index(), bullets.shrink_to_fit()), (2, 3));
    assert_eq!(bullets.check(given_back), Err(Refusal::Stale));
    for (later, why) in [(1, Refusal::NeverIssued), (1000, Refusal::OtherPool)] {
        let handle = Handle::from_parts(2, given_back.generation() + later).unwrap();
        assert_eq!(bullets.check(handle), Err(why));
    }
}
