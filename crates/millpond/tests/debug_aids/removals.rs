//! Who removed an object: the line and the tick, and what lives in its slot now.

use std::cell::Cell;

use millpond::debug::{DebugAids, Removal};
use millpond::{HandleLayout, PackedPool, Pool, Recycler};

use crate::aided::{Aided, Restored, with_aids, with_snapshots};
use crate::common::panic_of;

thread_local! {
    static TICK: Cell<u64> = const { Cell::new(0) };
}

/// The line of this file that removed an object, and the tick.
fn line_and_tick(removal: Removal) -> (u32, Option<u64>) {
    assert_eq!(removal.location().file(), file!());
    (removal.location().line(), removal.tick())
}

#[test]
fn the_line_and_the_tick_of_a_removal_are_told_and_what_lives_there_now() {
    fn told<P: Aided>() {
        const LATE: u64 = 1 << 40 | 7;
        let aids = DebugAids::all().with_ticks(|| TICK.get());
        let mut pool = P::with_aids(aids);
        let handle = pool.add().unwrap();
        assert!(pool.removal_of(handle).is_none());
        TICK.set(LATE);
        let line = line!() + 1;
        assert!(pool.remove(handle));
        let removal = pool.removal_of(handle).unwrap();
        assert_eq!(line_and_tick(removal), (line, Some(LATE)));
        assert_eq!((removal.lifetime_now(), removal.origin_now()), (None, None));
        let said = removal.to_string();
        let begin = format!("its object was removed by {}:{line}:", file!());
        let end = format!(" in tick {LATE}; nothing lives in slot {} now", handle.index());
        assert!(said.starts_with(&begin) && said.ends_with(&end), "{said}");

        // The slot is used again.
        let origin = line!() + 1;
        pool.fill_up();
        let removal = pool.removal_of(handle).unwrap();
        let began = removal.origin_now().map(|place| (place.file(), place.line()));
        assert_eq!((removal.lifetime_now(), began), (Some(2), Some((file!(), origin))));
        let said = panic_of(|| _ = pool.remove(handle)).unwrap();
        let slot = handle.index();
        let begin = format!(
            "pool \"bullets\" refuses handle {slot}v1: slot {slot}, 1st lifetime: stale: {begin}"
        );
        let end =
            format!("; slot {slot} is in lifetime 2 now, which began in {}:{origin}:", file!());
        assert!(said.starts_with(&begin) && said.contains(&end), "{said}");
        // A handle of nobody's making.
        assert!(pool.removal_of(P::Handle::DANGLING).is_none());
        assert!(pool.removal_of(P::Handle::from_parts(99, 1).unwrap()).is_none());
    }
    with_aids!(told);
}

#[test]
fn every_way_to_remove_is_told_by_its_line() {
    fn told<P: Aided>() {
        for (way, empty) in P::ways_to_empty().into_iter().enumerate() {
            let mut pool = P::with_aids(DebugAids::none().remember_removals());
            let handles: Vec<_> = (0..P::CAPACITY).map(|_| pool.add().unwrap()).collect();
            empty(&mut pool);
            for handle in handles {
                let removal = pool.removal_of(handle);
                let removal = removal.unwrap_or_else(|| panic!("way {way}: {handle:?}"));
                // The way's own line: not one of the library.
                assert!(removal.location().file().ends_with("aided.rs"), "way {way}: {removal}");
                assert_eq!(removal.tick(), None);
            }
        }
    }
    with_aids!(told);
}

#[test]
fn who_was_evicted_is_told_by_the_line_that_made_room() {
    fn told<P: Aided>() {
        for way in P::PLAIN..P::PLAIN + P::EVICTING {
            let mut pool = P::with_aids(DebugAids::none().remember_removals());
            let handles: Vec<_> = (0..P::CAPACITY).map(|_| pool.add().unwrap()).collect();
            let line = line!() + 1;
            pool.insert_by(way).unwrap();
            let told: Vec<_> =
                handles.into_iter().filter_map(|gone| pool.removal_of(gone)).collect();
            assert_eq!(told.len(), 1, "way {way}");
            assert_eq!(line_and_tick(told[0]), (line, None), "way {way}");
        }
    }
    with_aids!(told);
}

#[test]
fn only_the_latest_removal_of_a_slot_is_known_and_none_that_was_not_asked_for() {
    fn told<P: Aided>() {
        let mut pool = P::with_aids(DebugAids::none().remember_removals());
        let first = pool.add().unwrap();
        assert!(pool.remove(first));
        pool.fill_up();
        let handles: Vec<_> = (0..P::CAPACITY as u32)
            .filter_map(|slot| P::Handle::from_parts(slot, first.generation() + 1))
            .collect();
        let second = *handles.iter().find(|handle| handle.index() == first.index()).unwrap();
        let line = line!() + 1;
        assert!(pool.remove(second));
        assert!(pool.removal_of(first).is_none());
        assert_eq!(line_and_tick(pool.removal_of(second).unwrap()), (line, None));

        let mut quiet = P::with_aids(DebugAids::none().fill_dead_slots());
        let handle = quiet.add().unwrap();
        assert!(quiet.remove(handle) && quiet.removal_of(handle).is_none());
    }
    with_aids!(told);
}

#[test]
fn a_copy_knows_the_removals_and_a_restore_has_no_line() {
    fn told<P: Restored>() {
        let mut pool = P::with_aids(DebugAids::none().remember_removals());
        let before = pool.save();
        let handle = pool.add().unwrap();
        let line = line!() + 1;
        assert!(pool.remove(handle));
        let copy = pool.clone();
        assert_eq!(line_and_tick(copy.removal_of(handle).unwrap()), (line, None));

        let other = pool.add().unwrap();
        pool.restore_from(&before);
        assert!(pool.removal_of(other).is_none());
    }
    with_snapshots!(told);
}

#[test]
fn a_stale_handle_in_brackets_says_who_removed_its_object() {
    let aids = DebugAids::none().remember_removals();
    let mut pool = Pool::<u8>::builder().capacity(2).debug_aids(aids).build();
    let mut packed = PackedPool::<u8>::builder().capacity(2).debug_aids(aids).build();
    let mut recycler = Recycler::<u8>::builder().capacity(2).debug_aids(aids).build();
    let handles =
        [pool.insert(1).unwrap(), packed.insert(1).unwrap(), recycler.acquire().unwrap().0];
    let line = line!() + 1;
    _ = (pool.remove(handles[0]), packed.remove(handles[1]), recycler.release(handles[2]));
    for said in [
        panic_of(|| _ = pool[handles[0]]),
        panic_of(|| pool[handles[0]] = 1),
        panic_of(|| _ = packed[handles[1]]),
        panic_of(|| packed[handles[1]] = 1),
        panic_of(|| _ = recycler[handles[2]]),
        panic_of(|| recycler[handles[2]] = 1),
    ] {
        let begin = format!(
            "the pool refuses handle 0v1: slot 0, 1st lifetime: stale: its object was removed by {}:{line}:",
            file!()
        );
        assert!(said.as_ref().is_some_and(|said| said.starts_with(&begin)), "{said:?}");
    }
}

#[test]
fn who_took_an_object_out_of_its_pool_is_told_and_a_refused_handle_takes_none() {
    macro_rules! told {
        ($($pool:ty)*) => {$({
            let mut pool = <$pool>::builder().capacity(2).debug_aids(DebugAids::all()).build();
            let handle = pool.insert(7).unwrap();
            assert_eq!(pool.detach(handle), Some(7));
            // The line of the macro's call.
            assert_eq!(line_and_tick(pool.removal_of(handle).unwrap()), (line!(), None));
            let said = panic_of(|| _ = pool.detach(handle)).unwrap();
            assert!(said.contains("refuses handle"), "{said}");
        })*};
    }
    told!(Pool<u32> PackedPool<u32>);
}
