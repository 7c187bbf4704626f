//! What an initialiser leaves to the past is named: "forgot to initialise: data of a past life looks right".

use millpond::Recycler;
use millpond::debug::{forgotten_bytes, forgotten_fields};
use millpond::fields;
use millpond_classic::RosterPool;

use crate::common::panic_of;

#[derive(Clone, Debug, Default, PartialEq)]
struct Enemy {
    health: i32,
    name: String,
    target: Option<u32>,
}

fn fills() -> [Enemy; 2] {
    let enemy = |health, name: &str, target| Enemy { health, name: name.to_owned(), target };
    [enemy(i32::MIN, "?", None), enemy(i32::MAX, "!", Some(7))]
}

/// "Forgot to initialise: data of a past life looks right."
#[test]
fn exactly_the_fields_that_an_initialiser_forgets_are_named() {
    let all = fields!(Enemy: health, name, target);
    // Each set of fields that an initialiser may write.
    for written in 0..8 {
        let forgotten = forgotten_fields(
            fills(),
            |enemy| {
                if written & 1 != 0 {
                    enemy.health = i32::MAX; // what one of the fills has, too
                }
                if written & 2 != 0 {
                    enemy.name = "?".to_owned();
                }
                if written & 4 != 0 {
                    enemy.target = None;
                }
            },
            &all,
        );
        let names = ["health", "name", "target"].into_iter().enumerate();
        let expected = names.filter(|(bit, _)| written & (1 << bit) == 0).map(|(_, name)| name);
        assert!(forgotten.iter().copied().eq(expected), "{written:03b}: {forgotten:?}");
    }
    let from_the_past = forgotten_fields(fills(), |enemy| enemy.health /= 2, &all[..1]);
    assert_eq!(from_the_past, ["health"], "what it makes of the past is not its own");
}

#[test]
fn fills_that_could_not_tell_are_refused() {
    let [one, _] = fills();
    let same = [one.clone(), Enemy { health: 1, ..one }];
    let said = panic_of(|| _ = forgotten_fields(same, |_| {}, &fields!(Enemy: health, name)));
    assert_eq!(said.unwrap(), "the two fills have the same `name`");
}

#[test]
fn exactly_the_bytes_that_an_initialiser_never_wrote_are_named() {
    for written in 0..256_u32 {
        let forgotten = forgotten_bytes(|object: &mut [u8; 8]| {
            for (at, byte) in object.iter_mut().enumerate() {
                if written & (1 << at) != 0 {
                    // What the first fill has there.
                    *byte = 0x1dea_db0b_u32.to_ne_bytes()[at % 4];
                }
            }
        });
        let mut named = 0;
        for range in &forgotten {
            assert!(!range.is_empty() && range.end <= 8);
            range.clone().for_each(|at| named |= 1 << at);
        }
        assert_eq!(named, !written & 0xff);
        let apart = forgotten.windows(2).all(|pair| pair[0].end < pair[1].start);
        assert!(apart, "each range is as long as it can be: {forgotten:?}");
    }
    assert!(forgotten_bytes(|_: &mut [u32; 0]| {}).is_empty());
}

/// The two fills differ in every bit.
#[test]
fn a_byte_of_which_any_bit_is_forgotten_is_named() {
    let forgotten = |written: u8| {
        forgotten_bytes(|object: &mut [u8; 21]| {
            object.iter_mut().skip(1).for_each(|byte| *byte |= written);
            object[0] = 7;
        })
    };
    for written in 0..u8::MAX {
        let ranges = forgotten(written);
        assert!(ranges.len() == 1 && ranges[0] == (1..21), "{written:#010b}: {ranges:?}");
    }
    assert!(forgotten(u8::MAX).is_empty());
}

/// A scramble is called for whatever releases: a release, a `retain`, an eviction, a `clear`; after the hook, once.
#[test]
fn recycler_scrambles_whatever_is_released_after_its_hook_and_nothing_else() {
    let mut pool = Recycler::builder()
        .capacity(4)
        .on_release(|enemy: &mut Enemy| enemy.name.push('h'))
        .build();
    pool.scramble_released(|enemy| enemy.name.push('s'));
    let handles = [(); 4].map(|()| pool.acquire().unwrap().0);
    pool.release(handles[0]);
    pool.retain(|handle, _| handle != handles[1]);
    assert_eq!(names(&pool), ["hs", "hs", "", ""]);
    let _ = [(); 2].map(|()| pool.acquire().unwrap().0);
    pool.acquire_or_evict(|handle, _| handle.index() != 3).unwrap();
    assert_eq!(names(&pool), ["hs", "hs", "", "hs"]);
    pool.clear();
    assert_eq!(names(&pool), ["hshs", "hshs", "hs", "hshs"]);
    // A pool that has not asked for it, and a scramble without a hook.
    let mut plain = Recycler::<Enemy>::new(1);
    let handle = plain.acquire().unwrap().0;
    plain.release(handle);
    plain.clear();
    assert_eq!(names(&plain), [""]);
    plain.scramble_released(|enemy| enemy.name.push('s'));
    plain.acquire().unwrap();
    plain.clear();
    assert_eq!(names(&plain), ["s"]);
}

fn names(pool: &Recycler<Enemy>) -> Vec<&str> {
    pool.as_slice().iter().map(|enemy| &enemy.name[..]).collect()
}

#[test]
fn object_whose_scramble_panics_stays_live() {
    let mut pool = RosterPool::<u8>::new(2);
    pool.scramble_freed(|_| panic!("{}", "on purpose".to_owned()));
    let handle = pool.allocate().unwrap();
    assert_eq!(panic_of(|| _ = pool.free(handle)).unwrap(), "on purpose");
    assert_eq!((pool.get(handle), pool.len()), (Some(&0), 1));
}
