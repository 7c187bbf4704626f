//! Debug aids: writes to dead slots, refused removals, and who made the objects that are still live. What all
//! pools must do is checked of each (`aided`), and then what only one of them can.

#[path = "../common/mod.rs"]
mod common;

mod aided;
mod initialiser;
mod removals;

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::Location;

use aided::{Aided, Filled, Restored, Value, with_aids, with_copies, with_fill, with_snapshots};
use common::{Counted, Ledger, panic_and_place_of, panic_of, panics};
use millpond::debug::{DebugAids, LiveReport};
use millpond::lots::Lots;
use millpond::reuse::Lifo;
use millpond::{
    AnyPool, AnyValue, Handle, HandleAllocator, HandleLayout, PackedPool, PackedVecPool, Pool,
    Recycler, VecPool,
};
use millpond_overflow::{Overflow, PolicyPool, Spill};
use millpond_testkit::allocations;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

thread_local! {
    static REPORTS: RefCell<Vec<LiveReport>> = const { RefCell::new(Vec::new()) };
}

fn keep(report: &LiveReport) {
    REPORTS.with_borrow_mut(|reports| reports.push(report.clone()));
}

/// How many objects of the report were made in each line of this file.
fn lines(report: &LiveReport) -> BTreeMap<u32, usize> {
    let of_line = |at: &'static Location<'_>, count| {
        assert_eq!(at.file(), file!());
        (at.line(), count)
    };
    report.origins().iter().map(|origin| of_line(origin.location(), origin.count())).collect()
}

fn fill<P: Aided>(pool: &mut P) {
    (0..P::CAPACITY).for_each(|_| assert!(pool.add().is_some()));
    pool.check();
}

#[test]
fn live_objects_are_told_by_the_lines_that_made_them_on_demand_and_on_drop() {
    fn told<P: Aided>() {
        for way in 0..P::PLAIN + P::EVICTING {
            let mut pool = P::with_aids(DebugAids::all().report_on_drop(keep));
            let first = line!() + 1;
            let gone = pool.insert_by(way).unwrap();
            let second = line!() + 2;
            for _ in 0..2 {
                pool.insert_by(way).unwrap();
            }
            let report = pool.live_report().unwrap();
            assert_eq!((report.name(), report.live()), (Some("bullets"), 3));
            assert_eq!(lines(&report), [(first, 1), (second, 2)].into(), "way {way}");
            let most = report.origins()[0];
            assert_eq!((most.location().line(), most.count()), (second, 2));
            let text = report.to_string();
            assert!(text.starts_with("pool \"bullets\": 3 objects are live\n       2  "), "{text}");
            assert_eq!(text.lines().count(), 3);

            assert!(pool.remove(gone));
            assert_eq!(lines(&pool.live_report().unwrap()), [(second, 2)].into());
            drop(pool);
            let reports = REPORTS.take();
            assert_eq!(reports.len(), 1);
            assert_eq!((reports[0].name(), reports[0].live()), (Some("bullets"), 2));
            assert_eq!(lines(&reports[0]), [(second, 2)].into(), "way {way}");
        }
    }
    with_aids!(told);
}

#[test]
fn a_pool_says_only_what_it_was_asked_for() {
    fn quiet<P: Aided>() {
        // An empty pool says nothing.
        drop(P::with_aids(DebugAids::all().report_on_drop(keep)));
        for aids in [DebugAids::none(), DebugAids::none().fill_dead_slots()] {
            let mut pool = P::with_aids(aids);
            let gone = pool.add().unwrap();
            pool.add().unwrap();
            assert!(pool.live_report().is_none());
            assert!(pool.remove(gone) && !pool.remove(gone));
        }
        let mut pool = P::with_aids(DebugAids::all());
        pool.add().unwrap();
        drop(pool);
        assert!(REPORTS.take().is_empty());
    }
    with_aids!(quiet);
}

#[test]
fn what_goes_is_told_no_longer() {
    fn gone<P: Aided>() {
        for (way, empty) in P::ways_to_empty().into_iter().enumerate() {
            let mut pool = P::with_aids(DebugAids::none().report_on_drop(keep));
            fill(&mut pool);
            assert_eq!(pool.live_report().unwrap().live(), P::CAPACITY);
            empty(&mut pool);
            assert_eq!((pool.len(), pool.live_report().unwrap().live()), (0, 0), "way {way}");
            let again = line!() + 1;
            let handle = pool.add().unwrap();
            assert_eq!(lines(&pool.live_report().unwrap()), [(again, 1)].into(), "way {way}");
            assert!(pool.remove(handle));
            drop(pool);
            assert!(REPORTS.take().is_empty());
        }
        for way in P::PLAIN..P::PLAIN + P::EVICTING {
            let mut pool = P::with_aids(DebugAids::all());
            let first = line!() + 1;
            pool.fill_up();
            let second = line!() + 1;
            pool.insert_by(way).unwrap();
            let told = lines(&pool.live_report().unwrap());
            assert_eq!(told, [(first, P::CAPACITY - 1), (second, 1)].into(), "way {way}");
            pool.check();
        }
    }
    with_aids!(gone);
}

#[test]
fn refused_removal_panics_in_the_line_that_asks_with_pool_handle_and_reason() {
    fn refused<P: Aided>() {
        let mut pool = P::with_aids(DebugAids::none().panic_on_refused_removal());
        let handles = [pool.add().unwrap(), pool.add().unwrap()];
        for handle in handles {
            assert!(pool.remove(handle));
            let line = line!() + 1;
            let said = panic_and_place_of(|| _ = pool.remove(handle)).unwrap();
            let expected = format!(
                "pool \"bullets\" refuses handle {0}v1: slot {0}, 1st lifetime: stale: its object was removed",
                handle.index(),
            );
            assert_eq!(said, (expected, file!().to_string(), line));
        }
        let beyond = P::Handle::from_parts(9, 1).unwrap();
        assert!(panic_of(|| _ = pool.remove(beyond)).unwrap().contains("out of range"));
        pool.check();
        assert!(pool.add().is_some(), "the pool is as good as ever");
    }
    with_aids!(refused);
}

/// An object that a snapshot brings back was once told as inserted where the slot's last one had been.
#[test]
fn restored_objects_are_not_told_as_others() {
    fn restored<P: Restored>() {
        let mut pool = P::with_aids(DebugAids::all().report_on_drop(keep));
        let first = pool.add().unwrap();
        let kept = line!() + 1;
        pool.add().unwrap();
        let snapshot = pool.save();
        drop(snapshot.clone());
        assert!(REPORTS.take().is_empty(), "what is no pool of the program's own says nothing");

        pool.remove(first);
        pool.fill_up();
        pool.restore_from(&snapshot);
        pool.check();
        let report = pool.live_report().unwrap();
        assert_eq!((report.live(), lines(&report)), (2, [(kept, 1)].into()));

        let mut other = P::with_aids(DebugAids::all().report_on_drop(keep));
        other.restore_from(&snapshot);
        assert_eq!(other.live_report().unwrap().origins().len(), 0);
        let after = line!() + 1;
        other.add().unwrap();
        assert_eq!(lines(&other.live_report().unwrap()), [(after, 1)].into());
        drop(other);
        let reports = REPORTS.take();
        assert_eq!(reports.len(), 1, "live objects of unknown origin are told as well");
        let said = reports[0].to_string();
        assert!(said.starts_with("pool \"bullets\": 3 objects are live\n       1  "), "{said}");
        assert!(said.ends_with("\n       2  restored from a snapshot"), "{said}");

        // What was saved over is not watched either.
        let mut unwatched = snapshot;
        pool.restore_from(&unwatched);
        unwatched = pool.save();
        drop(unwatched);
        assert!(REPORTS.take().is_empty());
        drop(pool);
        assert_eq!(REPORTS.take().len(), 1);
    }
    with_snapshots!(restored);
}

#[test]
fn copies_are_watched_as_the_original() {
    fn copied<P: Aided + Clone>() {
        let mut pool = P::with_aids(DebugAids::all().report_on_drop(keep));
        let line = line!() + 1;
        let handle = pool.add().unwrap();
        let mut copy = pool.clone();
        assert_eq!(lines(&copy.live_report().unwrap()), [(line, 1)].into());
        assert!(copy.remove(handle));
        assert!(panic_of(|| _ = copy.remove(handle)).is_some());
        let of_copy = line!() + 1;
        copy.add().unwrap();
        copy.check();
        drop(copy);
        drop(pool);
        let reports = REPORTS.take();
        assert_eq!(
            reports.iter().map(lines).collect::<Vec<_>>(),
            [[(of_copy, 1)].into(), [(line, 1)].into()]
        );
    }
    with_copies!(copied);
}

#[test]
fn aids_take_no_memory_after_the_pool_was_made() {
    fn kept<P: Aided>() {
        let mut pool = P::with_aids(DebugAids::all().report_on_drop(keep));
        let clear = P::ways_to_empty()[0];
        // A pool that grows has all of its slots after that.
        fill(&mut pool);
        let ((), asked) = allocations::during(|| {
            for _ in 0..3 {
                clear(&mut pool);
                pool.fill_up();
            }
        });
        assert_eq!(asked, allocations::Allocations::default());
        clear(&mut pool);
    }
    with_aids!(kept);
}

/// Fills the pool, has it emptied, writes to one byte of one dead slot, and fills the pool again.
fn written_to_while_dead<P: Filled>(
    aids: DebugAids,
    empty: fn(&mut P),
    slot: usize,
    byte: usize,
) -> Option<String> {
    let mut pool = P::with_aids(aids);
    fill(&mut pool);
    let stale = pool.slot(slot);
    empty(&mut pool);
    // SAFETY: the byte is part of the pool's array, and no value is there. (What a program does that has
    // kept the pointer is not even this much allowed; but this is what it comes to.)
    unsafe { stale.wrapping_add(byte).write(0x07) };
    let mut refill = || panic_of(|| pool.fill_up());
    let said = refill();
    assert_eq!(refill(), None, "said once");
    pool.check();
    assert_eq!(pool.len(), P::CAPACITY, "the slot is as good as ever");
    said
}

/// "A debug mode that fills a reclaimed slot with a magic value (0x1deadb0b), so that use of a dead object shows."
#[test]
fn write_to_a_dead_slot_is_told_with_slot_and_byte_when_the_slot_is_used_again() {
    fn written<P: Filled>() {
        for empty in P::ways_to_empty() {
            for slot in 0..P::CAPACITY {
                for byte in [0, 1, 20] {
                    let aids = DebugAids::none().fill_dead_slots();
                    let said = written_to_while_dead::<P>(aids, empty, slot, byte);
                    let expected = format!(
                        "pool \"bullets\": slot {slot} was written to while it was dead: byte {byte} of 21 \
                         is 0x07 instead of {:#04x}",
                        0x1dea_db0b_u32.to_ne_bytes()[byte % 4]
                    );
                    let said = said.expect("it is noticed");
                    assert!(said.starts_with(&expected), "{said}");
                    for aids in [DebugAids::none(), DebugAids::none().remember_origins()] {
                        assert_eq!(written_to_while_dead::<P>(aids, empty, slot, byte), None);
                    }
                }
            }
        }
    }
    with_fill!(written);
}

#[test]
fn every_way_to_insert_looks_at_the_slot_before_anything_has_happened() {
    fn looked_at<P: Filled>() {
        for way in 0..P::PLAIN + P::EVICTING {
            let mut pool = P::with_aids(DebugAids::all());
            fill(&mut pool);
            let stale: Vec<_> = (0..P::CAPACITY).map(|number| pool.slot(number)).collect();
            P::ways_to_empty()[0](&mut pool);
            for slot in stale {
                // SAFETY: as above.
                unsafe { slot.write(5) };
            }
            let made_before = aided::MADE.get();
            let line = line!() + 1;
            let said = panic_and_place_of(|| _ = pool.insert_by(way)).expect("it is noticed");
            assert!(said.0.contains("was written to while it was dead"), "way {way}: {}", said.0);
            assert_eq!(aided::MADE.get(), made_before, "way {way}");
            assert_eq!((said.1.as_str(), said.2), (file!(), line), "way {way}");
            assert_eq!((pool.len(), pool.live_report().unwrap().live()), (0, 0), "way {way}");
            pool.check();
        }
    }
    with_fill!(looked_at);
}

/// The slots of the copy are its own, and those that a snapshot made dead are filled.
#[test]
fn copies_and_restored_pools_have_their_dead_slots_filled() {
    fn filled<P: Filled + Restored>() {
        let mut pool = P::with_aids(DebugAids::none().fill_dead_slots());
        pool.add().unwrap();
        let snapshot = pool.save();
        pool.fill_up();
        let stale: Vec<_> = (0..P::CAPACITY).map(|number| pool.slot(number)).collect();
        pool.restore_from(&snapshot);
        pool.fill_up();
        pool.restore_from(&snapshot);
        pool.clone().fill_up();
        for slot in &stale[1..] {
            // SAFETY: as above: the first slot is live, and these are not.
            unsafe { slot.write(5) };
        }
        pool.clone().fill_up();
        let mut copy = pool.clone();
        copy.fill_up();
        let stale_in_copy = copy.slot(0);
        P::ways_to_empty()[0](&mut copy);
        // SAFETY: as above.
        unsafe { stale_in_copy.write(5) };
        assert!(panic_of(|| copy.fill_up()).is_some());
        let said = (1..P::CAPACITY).filter(|_| panic_of(|| pool.fill_up()).is_some()).count();
        assert_eq!(said, P::CAPACITY - 1);
        pool.fill_up();
        pool.check();
    }
    fn in_order<R: millpond::reuse::ReuseOrder>() {
        filled::<Pool<Value, R>>();
    }
    common::in_every_order!(in_order());
    filled::<PackedPool<Value>>();
}

/// A value whose drop panics leaves a slot that is filled like the others, and bytes that may be read.
#[test]
fn slots_of_values_whose_drops_panic_are_filled() {
    let aids = DebugAids::none().fill_dead_slots();
    let in_any: [fn(&mut AnyPool<dyn Any, 32>); 2] = [
        |pool| assert!(panics(|| pool.clear())),
        |pool| {
            let handle = pool.handle_at(1).unwrap();
            assert!(panics(|| _ = pool.remove(handle)));
            pool.clear();
        },
    ];
    for empty in in_any {
        let ledger = Ledger::default();
        let mut pool = AnyPool::<dyn Any, 32>::builder().capacity(3).debug_aids(aids).build();
        for id in 0..3 {
            pool.insert(AnyValue::new(ledger.value(id))).unwrap();
        }
        let slot: *mut Counted = pool.get_at_mut(1).unwrap().downcast_mut().unwrap();
        ledger.panic_in_drop_of(1);
        empty(&mut pool);
        pool.clear();
        // SAFETY: as above.
        unsafe { slot.cast::<u8>().wrapping_add(3).write(5) };
        let mut refill = || panic_of(|| while pool.insert(AnyValue::new([1_u64; 4])).is_ok() {});
        assert!(
            refill().unwrap().contains("slot 1 was written to while it was dead: byte 3 of 48")
        );
        assert_eq!(refill(), None);
    }

    let ledger = Ledger::default();
    let mut pool = PackedPool::builder().capacity(3).debug_aids(aids).build();
    for id in 0..3 {
        pool.insert(ledger.value(id)).unwrap();
    }
    let slot: *mut Counted = &raw mut pool.as_mut_slice()[2];
    ledger.panic_in_drop_of(1);
    assert!(panics(|| pool.clear()));
    pool.insert(ledger.value(3)).unwrap();
    pool.insert(ledger.value(4)).unwrap();
    // SAFETY: as above.
    unsafe { slot.cast::<u8>().wrapping_add(3).write(5) };
    assert!(panic_of(|| _ = pool.insert(ledger.value(5))).unwrap().contains("slot 2 was written"));
    pool.insert(ledger.value(6)).unwrap();
}

/// A packed pool fills the place that its last value has left for that of the one that went.
#[test]
fn the_place_that_the_last_value_has_left_is_told_by_its_position() {
    let mut pool = PackedPool::<Value>::with_aids(DebugAids::none().fill_dead_slots());
    let handles = [0; 3].map(|_| pool.add().unwrap());
    let slot = pool.slot(2);
    Aided::remove(&mut pool, handles[0]);
    assert_eq!(pool.position_of(handles[2]), Some(0));
    // SAFETY: as above.
    unsafe { slot.write(5) };
    let said = panic_of(|| _ = pool.add()).unwrap();
    assert!(said.contains("slot 2 was written to"), "{said}");
}

/// Of a pool that was taken apart, what was taken is nobody's business.
#[test]
fn what_is_left_of_an_iterator_that_owns_is_told() {
    fn taken_apart<P>()
    where
        P: Aided + Clone + IntoIterator<IntoIter: DoubleEndedIterator + Clone>,
    {
        let mut pool = P::with_aids(DebugAids::all().report_on_drop(keep));
        let first = line!() + 1;
        pool.add().unwrap();
        let second = line!() + 1;
        pool.add().unwrap();
        let third = line!() + 1;
        pool.add().unwrap();
        let mut all = pool.clone().into_iter();
        assert!(all.next().is_some() && all.next_back().is_some());
        let copy = all.clone();
        assert!(all.next().is_some() && all.next().is_none());
        drop(all);
        assert!(REPORTS.take().is_empty());
        let told = || REPORTS.take().iter().map(lines).collect::<Vec<_>>();
        drop(copy);
        assert_eq!(told(), [[(second, 1)].into()]);
        drop(pool.into_iter());
        assert_eq!(told(), [[(first, 1), (second, 1), (third, 1)].into()]);
    }
    taken_apart::<Pool<Value>>();
    taken_apart::<VecPool<Value>>();
    taken_apart::<PackedPool<Value>>();
    taken_apart::<PackedVecPool<Value>>();
}

/// As without the feature: it may not end what compiles.
#[test]
fn values_may_borrow_what_does_not_live_longer_than_their_pool() {
    let (mut packed, mut iterator);
    let mut recycler = Recycler::<Option<&str>>::new(2);
    let mut handles = HandleAllocator::builder().capacity(2).handle::<Handle<&str>>().build();
    let text = String::from("a");
    packed = PackedPool::new(2);
    packed.insert(&text[..]).unwrap();
    iterator = packed.clone().into_iter();
    *recycler.acquire().unwrap().1 = Some(&text);
    let handle: Handle<&str> = handles.acquire().unwrap();
    assert!(iterator.next().is_some() && handles.contains(handle));
}

fn growing_with(aids: DebugAids) -> VecPool<Value> {
    VecPool::<Value>::builder().name("sparks").debug_aids(aids).build()
}

#[test]
fn refused_removal_from_a_slot_that_was_given_back_panics_as_well() {
    let mut pool = growing_with(DebugAids::none().panic_on_refused_removal());
    let handles = [0; 5].map(|_| pool.insert([7; 21]).unwrap());
    pool.retain(|_, _| false);
    pool.shrink_to_fit();
    let expected = format!("pool \"sparks\" refuses handle 3v1: {}", pool.explain(handles[3]));
    assert!(expected.ends_with(": slot 3, 1st lifetime: stale: its object was removed"));
    assert_eq!(panic_of(|| _ = pool.remove(handles[3])).unwrap(), expected);
}

#[test]
fn live_objects_of_a_pool_that_grew_are_told_in_one_report() {
    let mut pool = growing_with(DebugAids::none().report_on_drop(keep));
    let first = line!() + 1;
    (0..5).for_each(|_| _ = pool.insert([0; 21]).unwrap());
    let report = pool.live_report().unwrap();
    assert_eq!((report.name(), report.live()), (Some("sparks"), 5));
    assert_eq!(lines(&report), [(first, 5)].into());

    let snapshot = pool.snapshot();
    pool.clear();
    pool.shrink_to_fit();
    assert!(REPORTS.take().is_empty());

    // The slots that a restored pool takes are watched as well.
    pool.restore(&snapshot).unwrap();
    drop(snapshot);
    let second = line!() + 1;
    pool.insert([0; 21]).unwrap();
    let report = pool.live_report().unwrap();
    assert_eq!(
        (report.live(), lines(&report)),
        (6, [(second, 1)].into()),
        "origins are not restored"
    );
    assert!(report.to_string().ends_with("\n       5  restored from a snapshot"), "{report}");
    drop(pool);
    let reports = REPORTS.take();
    assert_eq!(reports.len(), 1, "one for the pool, not one for each growth");
    assert_eq!(lines(&reports[0]), [(second, 1)].into());
}

#[test]
fn objects_in_all_parts_of_a_pool_with_a_policy_are_told_in_one_report() {
    for policy in Overflow::ALL {
        let builder =
            Pool::<Value>::builder().capacity(2).name("pond").debug_aids(DebugAids::all());
        let mut pool = PolicyPool::new(*policy, builder, 2);
        let line = line!() + 1;
        (0..4).for_each(|_| _ = pool.insert_by([0; 21], |_, _| 0).unwrap());
        let report = pool.live_report().unwrap();
        assert_eq!((report.name(), lines(&report)), (Some("pond"), [(line, 4)].into()), "{policy}");
    }
}

/// As that of any other pool.
#[test]
fn a_snapshot_of_a_pool_made_of_others_reports_nothing() {
    let aids = DebugAids::none().report_on_drop(keep);
    for policy in Overflow::ALL {
        let builder = Pool::<Value>::builder().capacity(2).debug_aids(aids);
        let mut pool = PolicyPool::new(*policy, builder, 2);
        (0..4).for_each(|_| _ = pool.insert_by([0; 21], |_, _| 0));
        drop(pool.snapshot());
        assert!(REPORTS.take().is_empty(), "{policy}");
        drop(pool);
        assert!(!REPORTS.take().is_empty(), "{policy}");
    }
    let build = || Pool::<Value>::builder().capacity(1).debug_aids(aids).build();
    let mut spill = Spill::new(build(), build());
    (0..2).for_each(|_| _ = spill.insert([0; 21]).unwrap());
    drop(spill.snapshot());
    assert!(REPORTS.take().is_empty());
    drop(spill);
    assert_eq!(REPORTS.take().len(), 2);
}

/// Births in lots begin only when all slots that they take are known to be as they were left.
#[test]
fn lots_look_at_their_slots_before_anything_has_happened() {
    let builder = Pool::<Value>::builder().capacity(4).name("bullets");
    let mut pool = builder.debug_aids(DebugAids::none().fill_dead_slots()).build();
    let handles = [0; 3].map(|_| pool.insert([7; 21]).unwrap());
    let stale = pool.get_mut(handles[1]).unwrap().as_mut_ptr();
    pool.remove(handles[1]).unwrap();
    // SAFETY: the slot is part of the pool's array, and no value is there.
    unsafe { stale.wrapping_add(20).write(1) };
    let mut lots = Lots::new(4, 2);
    let mut births = || {
        panic_of(|| {
            pool.update(&mut lots, |value, lot| {
                value[0] = 8;
                lot.insert([9; 21]).unwrap();
            });
        })
    };
    let said = births().expect("it is noticed");
    assert!(said.starts_with("pool \"bullets\": slot 1 was written to"), "{said}");
    assert_eq!(births(), None, "said once");
    assert_eq!((pool.len(), pool.values().filter(|value| value[0] == 9).count()), (4, 2));
    pool.validate().unwrap();
}

/// With the default order, as the first example of the docs has it.
#[test]
fn a_handle_that_was_never_issued_is_no_stale_one() {
    let mut pool = Pool::<Value, Lifo>::with_aids(DebugAids::all());
    let handle = pool.insert([0; 21]).unwrap();
    let next = Handle::from_parts(handle.index(), handle.generation() + 1).unwrap();
    assert!(panic_of(|| _ = pool.remove(next)).unwrap().contains("never issued"));
}

/// To whoever has it, a pool with a policy is one pool, whatever it is made of.
#[test]
fn all_parts_of_a_pool_with_a_policy_are_told_by_the_numbers_of_the_whole() {
    for (policy, more) in [(Overflow::Spill, 3), (Overflow::Grow, 35)] {
        let builder = Pool::<Value>::builder().capacity(2).name("pond");
        let mut pool = PolicyPool::new(policy, builder.debug_aids(DebugAids::all()), more);
        while pool.insert_by([7; 21], |_, _| 0).is_ok() {}
        assert_eq!(pool.len(), 2 + more);
        for number in 0..pool.len() {
            let handle = pool.handle_at(number).unwrap();
            let stale = pool.get_mut(handle).unwrap().as_mut_ptr();
            pool.remove(handle).unwrap();
            let refused = panic_of(|| _ = pool.remove(handle)).unwrap();
            assert!(
                refused.starts_with(&format!(
                    "pool \"pond\" refuses handle {number}v1: slot {number}, "
                )),
                "{refused}"
            );
            // SAFETY: the slot is part of the pool's arrays, and no value is there.
            unsafe { stale.wrapping_add(20).write(1) };
            let written = panic_of(|| _ = pool.insert_by([7; 21], |_, _| 0)).unwrap();
            let expected = format!("pool \"pond\": slot {number} was written to");
            assert!(written.starts_with(&expected), "{written}");
            assert!(pool.insert_by([7; 21], |_, _| 0).is_ok());
        }
        let beyond = Handle::from_parts(1000, 1).unwrap();
        let refused = panic_of(|| _ = pool.remove(beyond)).unwrap();
        assert!(refused.starts_with("pool \"pond\" refuses a handle: slot 1000: "), "{refused}");
    }
}

/// What never came to be does not go. (Of pools: see the families.)
#[test]
fn a_copy_of_an_iterator_that_panics_on_the_way_is_not_told() {
    let ledger = Ledger::default();
    let aids = DebugAids::none().report_on_drop(keep);
    let mut packed = PackedPool::builder().capacity(3).debug_aids(aids).build();
    (0..3).for_each(|id| assert!(packed.insert(ledger.value(id)).is_ok()));
    ledger.panic_in_clone_of(1);
    let values = packed.into_iter();
    assert!(panics(|| drop(values.clone())) && REPORTS.take().is_empty());
    drop(values);
    assert_eq!(REPORTS.take().len(), 1);
}

#[test]
fn a_report_that_panics_leaves_no_value_behind() {
    let aids =
        DebugAids::none().report_on_drop(|_| std::panic::resume_unwind(Box::new("on purpose")));
    let counted = std::rc::Rc::new(());
    let mut fixed = Pool::builder().capacity(3).debug_aids(aids).build();
    let mut growing = VecPool::builder().debug_aids(aids).build();
    for _ in 0..3 {
        fixed.insert(counted.clone()).unwrap();
        growing.insert(counted.clone()).unwrap();
    }
    assert!(panics(|| drop(fixed)) && panics(|| drop(growing)));
    assert_eq!(std::rc::Rc::strong_count(&counted), 1);
}
