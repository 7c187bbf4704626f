//! Games with eviction that go to a file and come back: lists of ages, and pools of a policy. (The families
//! `save_and_load` and `hostile_files` of `millpond` have the rest, kinds `policy_…` and `spill`.)

use millpond::snapshot::SnapshotOf;
use millpond::{Handle, Handle32, PackedPool, Pool, Recycler, VecPool};
use millpond_overflow::{EvictOldest, Overflow, Policy, PolicyPool, Spill};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A game as a user writes it, saved by derive.
#[derive(Serialize, Deserialize)]
struct Game {
    frame: u64,
    holes: Pool<u64>,
    ages: EvictOldest<Handle<u64>>,
    sparks: PolicyPool<u64>,
    orders: Spill<Pool<u64>, PackedPool<u64>>,
}

impl Game {
    fn new() -> Self {
        let holes = Pool::new(4);
        Self {
            frame: 0,
            ages: EvictOldest::beside(&holes),
            holes,
            sparks: PolicyPool::new(Overflow::EvictOldest, Pool::builder().capacity(3), 0),
            orders: Spill::new(Pool::new(2), PackedPool::new(5)),
        }
    }

    /// Everything that a frame evicts or refuses.
    fn advance(&mut self) -> impl PartialEq + std::fmt::Debug + use<> {
        self.frame += 1;
        let number = self.frame;
        let hole = self.ages.insert(&mut self.holes, number).unwrap();
        if self.frame % 3 == 0 {
            let middle = self.holes.handles().nth(1);
            middle.map(|handle| self.holes.remove(handle));
        }
        let spark = self.sparks.insert_by(number, |_, _| 0).unwrap();
        let order = self.orders.insert(number).ok();
        self.orders.retain(|_, order| *order + 4 > number);
        (hole, spark, order, self.sparks.checksum(), self.orders.checksum(), self.holes.checksum())
    }
}

fn through_a_file<V: Serialize + DeserializeOwned>(value: &V, is_text: bool) -> V {
    if is_text {
        serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
    } else {
        postcard::from_bytes(&postcard::to_allocvec(value).unwrap()).unwrap()
    }
}

#[test]
fn a_game_with_evictions_goes_on_as_if_it_had_not_been_saved() {
    for is_text in [true, false] {
        for saved_at in 0..12 {
            let mut game = Game::new();
            for _ in 0..saved_at {
                let _ = game.advance();
            }
            let mut loaded = through_a_file(&game, is_text);
            for frame in 0..20 {
                assert_eq!(loaded.advance(), game.advance(), "saved at {saved_at}, {frame} later");
            }
        }
    }
}

/// The list beside a pool is `skip`ped by a program that does not care about the ages.
#[test]
fn a_default_list_of_ages_can_be_used() {
    #[derive(Serialize, Deserialize)]
    struct Careless {
        holes: Pool<u64>,
        #[serde(skip)]
        ages: EvictOldest<Handle<u64>>,
    }
    let holes = Pool::new(2);
    let mut game = Careless { ages: EvictOldest::beside(&holes), holes };
    game.ages.insert(&mut game.holes, 1).unwrap();
    let mut loaded = through_a_file(&game, true);
    // What the list does not know of goes when no other is left.
    let [two, three] = [2, 3].map(|hole| loaded.ages.insert(&mut loaded.holes, hole).unwrap());
    assert_eq!((two.1, three.1), (None, Some((two.0, 2))));

    // Each way in which a list meets its pool for the first time.
    let mut noted = EvictOldest::default();
    let mut pool = Pool::new(100);
    let handles: Vec<_> = (0..100).map(|n| pool.insert(n).unwrap()).collect();
    handles.iter().rev().for_each(|handle| noted.note(*handle));
    assert_eq!(noted.insert(&mut pool, 100).unwrap().1, Some((handles[99], 99)));

    let mut voices = Recycler::from_fn(2, |n| n);
    let mut oldest = EvictOldest::default();
    let firsts = [(); 2].map(|()| oldest.acquire(&mut voices).unwrap().0);
    assert_eq!(oldest.acquire(&mut voices).unwrap().2, Some(firsts[0]));

    let mut unlimited = VecPool::<u64>::new();
    let mut oldest = EvictOldest::default();
    for n in 0..1000 {
        assert_eq!(oldest.insert(&mut unlimited, n).unwrap().1, None);
    }
    let first = unlimited.handle_at(0).unwrap();
    assert_eq!(oldest.oldest(&unlimited), Some(first));
    // A copy is of use as well, and so is a default one that is overwritten.
    let mut other = EvictOldest::default();
    other.clone_from(&oldest);
    assert_eq!(other.oldest(&unlimited), Some(first));
}

#[test]
#[should_panic(expected = "the dangling handle names no object")]
fn a_default_list_takes_no_dangling_handle() {
    EvictOldest::default().note(Handle::<u64>::DANGLING);
}

/// A list is written with stale handles, which are passed over as before.
#[test]
fn the_form_of_a_list_is_as_documented() {
    let mut pool = Pool::new(8);
    let mut ages = EvictOldest::beside(&pool);
    let [a, _, c] = ['a', 'b', 'c'].map(|value| ages.insert(&mut pool, value).unwrap().0);
    pool.remove(a);
    ages.note(c);
    let text = serde_json::to_string(&ages).unwrap();
    assert_eq!(text, r#"{"version":1,"generations":[1,1,1],"order":[0,1,2]}"#);
    let empty = EvictOldest::beside(&pool);
    let text = serde_json::to_string::<EvictOldest<Handle<char>>>(&empty).unwrap();
    assert_eq!(text, r#"{"version":1,"generations":[],"order":[]}"#);
    let small = EvictOldest::<Handle32<u64, 8>>::try_new(200).unwrap();
    assert_eq!(serde_json::to_string(&small).unwrap(), text);
}

#[test]
fn what_is_no_list_of_ages_is_refused_with_the_reason() {
    let refused = |text: &str| {
        let list = serde_json::from_str::<EvictOldest<Handle32<u64, 24>>>(text);
        list.unwrap_err().to_string()
    };
    for (text, reason) in [
        (r#"{"version":2,"generations":[],"order":[]}"#, "a saved pool of version 2"),
        (r#"{"version":1,"generations":[1],"order":[]}"#, "lists 0 slots, expected 1"),
        (r#"{"version":1,"generations":[0,1],"order":[0,1]}"#, "lists 2 slots, expected 1"),
        (r#"{"version":1,"generations":[1,1],"order":[0,0]}"#, "slot 0 occurs twice"),
        (r#"{"version":1,"generations":[1],"order":[4294967295]}"#, "slot 4294967295 is beyond"),
        (r#"{"version":1,"generations":[256],"order":[0]}"#, "generation 256 of slot 0"),
        (r#"{"version":1,"generations":[],"order":[],"more":0}"#, "unknown field `more`"),
        (r#"{"version":1,"order":[]}"#, "missing field `generations`"),
        (r#"{"version":1,"generations":[-1],"order":[0]}"#, "expected u32"),
    ] {
        assert!(refused(text).contains(reason), "{text}: {}", refused(text));
    }
}

/// (The others: the families of `millpond`, kinds `policy_…`.)
#[test]
fn a_pool_that_refuses_comes_back_and_its_snapshot_under_the_name_of_the_pool_that_takes_it() {
    let mut named =
        PolicyPool::new(Overflow::Refuse, Pool::builder().capacity(2).name("orders"), 0);
    let (first, _) = named.insert_by(1_u64, |_, n| *n).unwrap();
    let loaded = through_a_file(&named, true);
    assert_eq!((loaded.policy(), loaded.checksum()), (Overflow::Refuse, named.checksum()));
    let snapshot: SnapshotOf<PolicyPool<u64>> = through_a_file(&named.snapshot(), true);
    named.clear();
    named.restore(&snapshot).unwrap();
    assert_eq!((named.name(), named.get(first)), (Some("orders"), Some(&1)));
}

#[test]
fn parts_that_do_not_go_together_are_refused_with_the_reason() {
    let written = |policy, more| {
        let pool = PolicyPool::<u64>::new(policy, Pool::builder().capacity(2), more);
        serde_json::to_value(pool).unwrap()
    };
    let refused = |text: serde_json::Value| {
        serde_json::from_value::<PolicyPool<u64>>(text).unwrap_err().to_string()
    };
    let oldest = written(Overflow::EvictOldest, 0);
    let with = |mut of: serde_json::Value, field: &str, other: serde_json::Value| {
        of[field] = other;
        of
    };
    let grown = &written(Overflow::Grow, 16)["grown"];
    let second = &written(Overflow::Spill, 16)["second"];
    for (text, reason) in [
        (with(oldest.clone(), "ages", serde_json::Value::Null), "another policy, with ages or"),
        (with(oldest.clone(), "policy", "refuse".into()), "another policy, with ages or without"),
        (with(oldest.clone(), "policy", "panic".into()), "unknown overflow policy, expected one"),
        (with(oldest.clone(), "grown", grown.clone()), "another policy: it grows"),
        (with(written(Overflow::Grow, 16), "second", second.clone()), "another policy: it spills"),
        (
            with(
                oldest.clone(),
                "ages",
                serde_json::json!({"version": 1, "generations": [0, 0, 1], "order": [2]}),
            ),
            "slot 2 is beyond the capacity",
        ),
        (with(oldest.clone(), "version", 2.into()), "a saved pool of version 2"),
        (with(oldest.clone(), "first", second["version"].clone()), "invalid type"),
    ] {
        let message = refused(text);
        assert!(message.contains(reason), "{reason}: {message}");
    }

    // More slots than the handles can name.
    type Narrow = Handle32<u64, 8>;
    let pool = |slots| Pool::<u64>::builder().handle::<Narrow>().capacity(slots).build();
    let both =
        |a: usize, b: usize| serde_json::json!({"version": 1, "first": pool(a), "second": pool(b)});
    type Both =
        Spill<Pool<u64, millpond::reuse::Lifo, Narrow>, Pool<u64, millpond::reuse::Lifo, Narrow>>;
    assert!(serde_json::from_value::<Both>(both(200, 56)).is_ok());
    let message = serde_json::from_value::<Both>(both(200, 57)).map(drop).unwrap_err().to_string();
    assert!(message.contains("257 slots are more than the handle layout can name"), "{message}");
}
