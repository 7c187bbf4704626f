//! Debug aids: writes to dead slots, refused removals, and who made the objects that are still live.

mod common;

#[path = "common/allocations.rs"]
mod allocations;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use common::in_every_order;
use millpond::debug::{DebugAids, LiveReport};
use millpond::overflow::{Overflow, PolicyPool};
use millpond::reuse::{Intrusive, Lifo, ReuseOrder};
use millpond::{BlockPool, Handle, Pool};

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

type Value = [u8; 21];

fn pool_of<R: ReuseOrder>(aids: DebugAids) -> Pool<Value, R> {
    let builder = Pool::<Value>::builder().reuse(R::default()).name("bullets");
    builder.capacity(5).debug_aids(aids).build()
}

/// What the work says when it panics.
fn panic_of(work: impl FnOnce()) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(work)).err()?;
    Some(panic.downcast_ref::<String>().expect("a message").clone())
}

/// Fills the pool, has it emptied, writes to one byte of one dead slot, and fills the pool again.
fn written_to_while_dead<R: ReuseOrder>(
    aids: DebugAids,
    empty: fn(&mut Pool<Value, R>),
    slot: usize,
    byte: usize,
) -> Option<String> {
    let mut pool = pool_of::<R>(aids);
    while pool.insert([7; 21]).is_ok() {}
    let stale: *mut Value = pool.get_at_mut(slot).unwrap();
    empty(&mut pool);
    // SAFETY: the byte is part of the pool's array, and no value is there. (What a program does that has
    // kept the pointer is not even this much allowed; but this is what it comes to.)
    unsafe { stale.cast::<u8>().wrapping_add(byte).write(0x07) };
    let mut refill = || panic_of(|| while pool.insert([1; 21]).is_ok() {});
    let said = refill();
    assert_eq!(refill(), None, "said once");
    pool.validate().unwrap();
    assert_eq!(pool.len(), 5, "the slot is as good as ever");
    said
}

fn every_way_to_empty<R: ReuseOrder>() {
    let ways: [fn(&mut Pool<Value, R>); 7] = [
        |pool| pool.clear(),
        |pool| pool.retain(|_, _| false),
        |pool| drop(pool.drain()),
        |pool| pool.drain().rev().for_each(drop),
        |pool| pool.extract_if(|_, _| true).for_each(drop),
        |pool| {
            let handles: Vec<_> = pool.handles().collect();
            handles.into_iter().for_each(|handle| _ = pool.remove(handle));
        },
        |pool| (0..5).for_each(|index| _ = pool.remove_at(index)),
    ];
    // The first bytes of a dead slot hold the link of an order that has its list there.
    let first = if R::NAME == Intrusive::NAME { 8 } else { 0 };
    for empty in ways {
        for slot in 0..5 {
            for byte in [first, first + 1, 20] {
                let aids = DebugAids::none().fill_dead_slots();
                let said = written_to_while_dead(aids, empty, slot, byte).expect("it is noticed");
                let expected = format!(
                    "pool \"bullets\": slot {slot} was written to while it was dead: byte {byte} of 21 is \
                     0x07 instead of {:#04x}",
                    [0x1d, 0xea, 0xdb, 0x0b][byte % 4]
                );
                assert!(said.starts_with(&expected), "{said}");
                assert_eq!(written_to_while_dead(DebugAids::none(), empty, slot, byte), None);
            }
        }
    }
}

#[test]
fn write_to_a_dead_slot_is_told_with_slot_and_byte_when_the_slot_is_used_again() {
    in_every_order!(every_way_to_empty());
}

#[test]
fn every_way_to_insert_looks_at_the_slot() {
    type Insert = fn(&mut Pool<u64>, Handle<u64>);
    let ways: [Insert; 6] = [
        |pool, _| _ = pool.insert(1),
        |pool, _| _ = pool.insert_with(|_| 1),
        |pool, _| _ = pool.vacant_entry().map(|entry| entry.insert(1)),
        |pool, next| _ = pool.insert_at(next, 1),
        |pool, _| _ = pool.insert_or_evict(1, |_, value| *value),
        |pool, _| _ = pool.clone().insert(1),
    ];
    for (way, insert) in ways.into_iter().enumerate() {
        let aids = DebugAids::none().fill_dead_slots();
        let mut pool = Pool::<u64>::builder().capacity(3).debug_aids(aids).build();
        let handle = pool.insert(5).unwrap();
        let stale: *mut u64 = &raw mut pool[handle];
        pool.remove(handle);
        let next = Handle::from_parts(0, 2).unwrap();
        // The copy's slots are its own, and were not written to.
        let is_noticed = way != 5;
        // SAFETY: as above.
        unsafe { stale.write(5) };
        assert_eq!(panic_of(|| insert(&mut pool, next)).is_some(), is_noticed, "way {way}");
        if is_noticed {
            assert_eq!((pool.len(), panic_of(|| insert(&mut pool, next))), (0, None));
            assert_eq!(pool.len(), 1);
        }
        pool.validate().unwrap();
    }
}

#[test]
fn values_without_size_and_pools_without_slots_have_nothing_to_look_at() {
    let aids = DebugAids::all();
    let mut units = Pool::<()>::builder().capacity(3).debug_aids(aids).build();
    let handle = units.insert(()).unwrap();
    units.remove(handle);
    units.insert(()).unwrap();
    let mut none = Pool::<u8>::builder().capacity(0).debug_aids(aids).build();
    assert!(none.insert(1).is_err() && none.live_report().unwrap().live() == 0);
}

#[test]
fn refused_removal_panics_with_pool_handle_and_reason() {
    let mut pool = pool_of::<Lifo>(DebugAids::none().panic_on_refused_removal());
    let handle = pool.insert([0; 21]).unwrap();
    assert!(pool.remove(handle).is_some());
    let said = panic_of(|| _ = pool.remove(handle)).unwrap();
    assert_eq!(
        said,
        format!("pool \"bullets\" refuses handle {handle}: stale: its object was removed")
    );
    let beyond = Handle::from_parts(9, 1).unwrap();
    assert!(panic_of(|| _ = pool.remove(beyond)).unwrap().contains("out of range"));
    let mut quiet = pool_of::<Lifo>(DebugAids::none().fill_dead_slots());
    assert_eq!(quiet.remove(beyond), None);
}

thread_local! {
    static REPORTS: RefCell<Vec<LiveReport>> = const { RefCell::new(Vec::new()) };
}

fn keep(report: &LiveReport) {
    REPORTS.with_borrow_mut(|reports| reports.push(report.clone()));
}

#[test]
fn live_objects_are_told_by_the_lines_that_made_them_on_demand_and_on_drop() {
    let mut pool = pool_of::<Lifo>(DebugAids::all().report_on_drop(keep));
    let first = line!() + 1;
    let gone = pool.insert([0; 21]).unwrap();
    let second = line!() + 2;
    for _ in 0..2 {
        pool.insert_with(|_| [0; 21]).unwrap();
    }
    let third = line!() + 1;
    let _ = pool.vacant_entry().unwrap().insert([0; 21]);
    let fourth = line!() + 1;
    pool.insert_at(Handle::from_parts(4, gone.generation()).unwrap(), [0; 21]).unwrap();

    let lines = |report: &LiveReport| -> Vec<(u32, usize)> {
        assert!(report.origins().iter().all(|origin| origin.location().file() == file!()));
        report.origins().iter().map(|origin| (origin.location().line(), origin.count())).collect()
    };
    let report = pool.live_report().unwrap();
    assert_eq!((report.name(), report.live()), (Some("bullets"), 5));
    assert_eq!(lines(&report), [(second, 2), (first, 1), (third, 1), (fourth, 1)]);
    let text = report.to_string();
    assert!(text.starts_with("pool \"bullets\": 5 objects are live\n       2  "), "{text}");
    assert_eq!(text.lines().count(), 5);

    pool.remove(gone);
    let fifth = line!() + 1;
    let _ = pool.insert_or_evict([9; 21], |_, _| 0);
    let sixth = line!() + 1;
    let _ = pool.insert_or_evict([9; 21], |handle, _| handle.index());
    drop(pool);
    let reports = REPORTS.take();
    assert_eq!(reports.len(), 1);
    // Slot 0 was made anew in the fifth line, and then evicted for the sixth.
    assert_eq!(lines(&reports[0]), [(second, 2), (third, 1), (fourth, 1), (sixth, 1)]);
    assert_ne!(fifth, sixth);

    // An empty pool says nothing, and neither does one that was told to keep quiet.
    drop(pool_of::<Lifo>(DebugAids::all().report_on_drop(keep)));
    let mut pool = pool_of::<Lifo>(DebugAids::none().fill_dead_slots());
    pool.insert([0; 21]).unwrap();
    assert!(pool.live_report().is_none());
    drop(pool);
    assert!(REPORTS.take().is_empty());
}

#[test]
fn aids_take_no_memory_after_the_pool_was_made() {
    let mut pool = pool_of::<Lifo>(DebugAids::all().report_on_drop(keep));
    let ((), asked) = allocations::during(|| {
        for _ in 0..3 {
            while pool.insert([0; 21]).is_ok() {}
            pool.clear();
        }
    });
    assert_eq!(asked, allocations::Allocations::default());
}

fn blocks_of(aids: DebugAids) -> BlockPool<Value> {
    let builder = BlockPool::<Value>::builder().slots_per_block(2).name("sparks");
    builder.debug_aids(aids).build()
}

#[test]
fn blocks_are_watched_under_the_numbers_of_the_whole_pool() {
    let mut pool = blocks_of(DebugAids::none().fill_dead_slots());
    let handles = [0; 5].map(|_| pool.insert([7; 21]).unwrap());
    let stale: *mut Value = &raw mut pool[handles[3]];
    pool.remove(handles[3]);
    // SAFETY: the byte is part of the block's array, and no value is there.
    unsafe { stale.cast::<u8>().wrapping_add(20).write(0x07) };
    let mut insert = || panic_of(|| _ = pool.insert([1; 21]));
    let said = insert().expect("it is noticed");
    assert!(said.starts_with("pool \"sparks\": slot 3 was written to while it was dead"), "{said}");
    assert_eq!(insert(), None, "said once");
    pool.validate().unwrap();
    assert_eq!(pool.len(), 5);
}

#[test]
fn refused_removal_from_a_block_pool_panics_with_pool_handle_and_reason() {
    let mut pool = blocks_of(DebugAids::none().panic_on_refused_removal());
    let handles = [0; 5].map(|_| pool.insert([7; 21]).unwrap());
    assert!(pool.remove(handles[3]).is_some());
    let expected =
        format!("pool \"sparks\" refuses handle {}: stale: its object was removed", handles[3]);
    assert_eq!(panic_of(|| _ = pool.remove(handles[3])).unwrap(), expected);
    pool.retain(|_, _| false);
    pool.shrink_to_fit();
    assert_eq!(panic_of(|| _ = pool.remove(handles[3])).unwrap(), expected);
    assert_eq!(blocks_of(DebugAids::none()).remove(handles[3]), None);
}

#[test]
fn live_objects_of_all_blocks_are_told_in_one_report() {
    let mut pool = blocks_of(DebugAids::none().report_on_drop(keep));
    let first = line!() + 1;
    let handles = [0; 3].map(|_| pool.insert([0; 21]).unwrap());
    let second = line!() + 1;
    (0..2).for_each(|_| _ = pool.insert_with(|_| [0; 21]).unwrap());
    let third = line!() + 1;
    let _ = pool.vacant_entry().unwrap().insert([0; 21]);
    pool.remove(handles[1]);

    let lines = |report: &LiveReport| -> Vec<(u32, usize)> {
        report.origins().iter().map(|origin| (origin.location().line(), origin.count())).collect()
    };
    let report = pool.live_report().unwrap();
    assert_eq!((report.name(), report.live()), (Some("sparks"), 5));
    assert_eq!(lines(&report), [(first, 2), (second, 2), (third, 1)]);

    // What is no pool of the program's own says nothing when it goes: a snapshot, a saved state.
    let snapshot = pool.snapshot();
    drop(snapshot.clone());
    pool.clear();
    pool.shrink_to_fit();
    assert!(REPORTS.take().is_empty());

    // The blocks that a restored pool takes are watched as well.
    pool.restore(&snapshot).unwrap();
    drop(snapshot);
    let fourth = line!() + 1;
    pool.insert([0; 21]).unwrap();
    let report = pool.live_report().unwrap();
    assert_eq!(lines(&report), [(fourth, 1)], "origins are not restored");
    assert_eq!(report.live(), 6);
    assert!(report.to_string().ends_with("\n       5  restored from a snapshot"), "{report}");
    drop(pool);
    let reports = REPORTS.take();
    assert_eq!(reports.len(), 1, "one for the pool, not one for each block");
    assert_eq!(lines(&reports[0]), [(fourth, 1)]);
}

#[test]
fn a_pool_with_a_policy_has_the_aids_of_its_builder() {
    for policy in Overflow::ALL {
        let aids = DebugAids::none().panic_on_refused_removal().report_on_drop(keep);
        let builder = Pool::<Value>::builder().capacity(2).name("pond").debug_aids(aids);
        let mut pool = PolicyPool::new(*policy, builder, 2);
        let handle = pool.insert_by([0; 21], |_, _| 0).unwrap().0;
        assert!(pool.remove(handle).is_some());
        let said = panic_of(|| _ = pool.remove(handle)).unwrap();
        assert!(said.contains("pool \"pond\" refuses"), "{said}");
        let line = line!() + 1;
        pool.insert_by([0; 21], |_, _| 0).unwrap();
        drop(pool);
        let reports = REPORTS.take();
        assert_eq!(reports.len(), 1, "{}", policy.name());
        assert_eq!(reports[0].origins()[0].location().line(), line, "{}", policy.name());
    }
}

/// An object that a snapshot brings back was once told as inserted where the slot's last one had been.
#[test]
fn restored_objects_are_not_told_as_others() {
    let mut pool = pool_of::<Lifo>(DebugAids::none().report_on_drop(keep));
    let first = pool.insert([1; 21]).unwrap();
    let kept = line!() + 1;
    pool.insert([2; 21]).unwrap();
    let snapshot = pool.snapshot();
    pool.remove(first);
    pool.insert([3; 21]).unwrap();
    pool.restore(&snapshot).unwrap();
    let report = pool.live_report().unwrap();
    assert_eq!((report.live(), report.origins().len()), (2, 1));
    assert_eq!((report.origins()[0].location().line(), report.origins()[0].count()), (kept, 1));

    let mut other = pool_of::<Lifo>(DebugAids::none().report_on_drop(keep));
    other.restore(&snapshot).unwrap();
    assert_eq!(other.live_report().unwrap().origins().len(), 0);
    drop(other);
    let reports = REPORTS.take();
    assert_eq!(reports.len(), 1, "live objects of unknown origin are told as well");
    assert_eq!(
        reports[0].to_string(),
        "pool \"bullets\": 2 objects are live\n       2  restored from a snapshot"
    );
}

/// They once leaked.
#[test]
fn values_go_with_a_pool_whose_report_panics() {
    let value = std::rc::Rc::new(());
    let aids = DebugAids::none().report_on_drop(|report| panic!("{report}"));
    let mut pool = Pool::builder().capacity(2).debug_aids(aids).build();
    pool.insert(value.clone()).unwrap();
    assert!(panic_of(|| drop(pool)).unwrap().starts_with("the pool: 1 object is live"));
    assert_eq!(std::rc::Rc::strong_count(&value), 1);
}
