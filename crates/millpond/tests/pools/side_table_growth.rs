//! Side tables that grow: with what they are given, not with what a handle says.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::allocations;
use crate::allocations::during;
use millpond::side_table::join;
use millpond::{
    BuildError, GetDisjointMutError, Handle, Handle32, HandleLayout, InsertAtErrorKind, Pool,
    Refusal, SideTable,
};

fn handle(index: u32) -> Handle<()> {
    Handle::from_parts(index, 1).unwrap()
}

#[test]
fn an_empty_table_takes_no_memory() {
    static TABLE: SideTable<Handle<()>, [u64; 4]> = SideTable::new();
    let (tables, asked) = during(|| {
        let tables: [SideTable<Handle<()>, [u64; 4]>; 2] =
            [SideTable::default(), SideTable::with_limit(9)];
        assert!(tables.iter().chain([&TABLE]).all(|table| table.get(handle(0)).is_none()));
        assert!(tables.iter().all(|table| table.iter().count() + table.capacity() == 0));
        let copy = tables[0].clone();
        assert!(copy == tables[1] && copy.grows());
        tables
    });
    assert_eq!(asked, allocations::Allocations::default());
    drop(tables);
    assert!(!SideTable::<Handle<()>, ()>::with_capacity(0).grows());
}

/// A small table is small, and a large one takes a geometric number of blocks.
#[test]
fn a_table_grows_by_doubling_from_a_few_slots() {
    let mut table = SideTable::new();
    let (capacities, asked) = during(|| {
        let mut capacities = Vec::with_capacity(64);
        for index in 0..100_000 {
            table.insert(handle(index), u64::from(index)).unwrap();
            if capacities.last() != Some(&table.capacity()) {
                capacities.push(table.capacity());
            }
        }
        capacities
    });
    assert!(capacities.iter().eq((2..=17).map(|power| 1 << power).collect::<Vec<usize>>().iter()));
    assert_eq!((asked.taken, asked.resized), (1 + 1, 15));
    assert!(table.iter().all(|(handle, value)| u64::from(handle.index()) == *value));
    assert_eq!(table.len(), 100_000);
}

/// However hostile the handles, the memory is a part of the first 16 MiB, or in proportion to the values.
#[test]
fn hostile_handles_take_memory_in_proportion_or_none() {
    let mut table = SideTable::<Handle<()>, [u8; 60]>::new();
    let ((), asked) = during(|| {
        for bits in [0xffff_fffe_0000_0001, 0xf000_0000_0000_0001, 1 << 63 | 7, 1_000_000 << 32 | 1]
        {
            let hostile = Handle::from_bits(bits).unwrap();
            assert_eq!(
                table.insert(hostile, [0; 60]).unwrap_err().kind(),
                InsertAtErrorKind::TooFar
            );
            assert!(
                table.entry(hostile).is_err()
                    && table.get_or_insert_with(hostile, || [0; 60]).is_err()
            );
        }
    });
    assert_eq!(asked, allocations::Allocations::default());
    // The first 16 MiB: 262,144 slots of 64 bytes.
    assert_eq!(
        table.insert(handle(262_144), [0; 60]).unwrap_err().kind(),
        InsertAtErrorKind::TooFar
    );
    let ((), asked) = during(|| table.insert(handle(262_143), [0; 60]).map(drop).unwrap());
    assert!(asked.bytes_taken <= (16 << 20) + 262_144 / 8, "{asked:?}");
    // As far as 64 slots for each value, and one more.
    for index in 0..5000 {
        table.insert(handle(index), [1; 60]).unwrap();
    }
    let beyond = 64 * (table.len() as u32 + 1);
    assert_eq!(
        table.insert(handle(beyond), [0; 60]).unwrap_err().kind(),
        InsertAtErrorKind::TooFar
    );
    table.insert(handle(beyond - 1), [2; 60]).unwrap();
    assert_eq!((table.len(), table[handle(beyond - 1)][0]), (5002, 2));
    assert!(table.capacity() <= beyond as usize);
}

/// Values so large that 64 slots of them are more than 16 MiB.
#[test]
fn a_table_of_large_values_takes_room_for_64_at_first() {
    // Where nothing is optimised, each call on the way has a copy.
    let thread = std::thread::Builder::new().stack_size(32 << 20).spawn(|| {
        let mut table = SideTable::<Handle<()>, [u8; 300 << 10]>::new();
        let value = || [0; 300 << 10];
        assert_eq!(
            table.insert(handle(64), value()).unwrap_err().kind(),
            InsertAtErrorKind::TooFar
        );
        table.insert(handle(2), value()).unwrap();
        assert_eq!(table.capacity(), 4);
    });
    thread.unwrap().join().unwrap();
}

#[test]
fn a_limit_is_where_growth_ends_and_takes_any_handle_below() {
    let mut table = SideTable::with_limit(1000);
    table.insert(handle(999), 1).unwrap();
    assert_eq!((table.capacity(), table.len()), (1000, 1));
    assert_eq!(table.insert(handle(1000), 2).unwrap_err().kind(), InsertAtErrorKind::OutOfRange);
    let error = table.reserve(1001).unwrap_err();
    assert_eq!(error, BuildError::BeyondLimit { capacity: 1001, capacity_max: 1000 });
    table.reserve(1000).unwrap();
    assert_eq!(table.capacity(), 1000);

    let mut one_by_one = SideTable::with_limit(5);
    for index in 0..5 {
        one_by_one.insert(handle(index), index).unwrap();
    }
    assert_eq!(one_by_one.capacity(), 5);
    let nothing = SideTable::<_, u8>::with_limit(0).insert(handle(0), 1).unwrap_err();
    assert_eq!((nothing.kind(), nothing.into_inner()), (InsertAtErrorKind::OutOfRange, 1));
    // More than the layout can name.
    let mut small = SideTable::<Handle32<(), 8>, u8>::with_limit(usize::MAX);
    small.insert(Handle32::from_parts(255, 1).unwrap(), 1).unwrap();
    assert_eq!(small.capacity(), 256);
}

#[test]
fn room_is_made_ahead() {
    let mut table = SideTable::new();
    table.reserve(1000).unwrap();
    let ((), asked) =
        during(|| (0..1000).for_each(|index| _ = table.insert(handle(index), index).unwrap()));
    assert_eq!((asked, table.len()), (allocations::Allocations::default(), 1000));
    table.reserve(10).unwrap();
    assert_eq!(table.capacity(), 1000);

    let mut fixed = SideTable::<Handle<()>, u8>::with_capacity(3);
    let error = fixed.reserve(4).unwrap_err();
    assert_eq!(error, BuildError::BeyondLimit { capacity: 4, capacity_max: 3 });
    assert_eq!(error.to_string(), "4 slots are more than the 3 that the table may have");
    let mut small = SideTable::<Handle32<(), 8>, u8>::new();
    let error = small.reserve(257).unwrap_err();
    assert_eq!(error, BuildError::CapacityTooLarge { capacity: 257, capacity_max: 256 });
    small.reserve(256).unwrap();
    assert_eq!(small.capacity(), 256, "all that the layout can name");
    let mut limited = SideTable::<Handle<()>, u8>::with_limit(20);
    let error = limited.reserve(21).unwrap_err();
    assert_eq!(error, BuildError::BeyondLimit { capacity: 21, capacity_max: 20 });
    limited.reserve(20).unwrap();
    assert_eq!(limited.capacity(), 20, "all that the limit allows");
    // More than any allocator has.
    let mut huge = SideTable::<Handle<()>, [u64; 1 << (usize::BITS - 24)]>::new();
    let error = huge.reserve(1 << 20).unwrap_err();
    assert_eq!(error, BuildError::OutOfMemory { capacity: 1 << 20 });
    assert_eq!((huge.capacity(), huge.len()), (0, 0));
}

#[test]
fn the_dangling_handle_is_refused() {
    fn refused<H: HandleLayout>(mut table: SideTable<H, u8>) {
        assert!(table.get(H::DANGLING).is_none() && !table.contains(H::DANGLING));
        let error = table.insert(H::DANGLING, 1).unwrap_err();
        assert_eq!((error.kind(), error.into_inner()), (InsertAtErrorKind::BeyondLifetimes, 1));
        assert!(table.entry(H::DANGLING).is_err() && table.remove(H::DANGLING).is_none());
        assert!(table.is_empty());
    }
    refused::<Handle<()>>(SideTable::new());
    refused::<Handle32<(), 4>>(SideTable::with_limit(16));
    refused::<Handle32<(), 16>>(SideTable::with_capacity(1 << 16));
}

#[test]
fn a_table_that_is_behind_its_pool_joins_it() {
    let mut pool = Pool::new(1000);
    let handles: Vec<_> = (0..1000).map(|value| pool.insert(value).unwrap()).collect();
    let mut table = SideTable::new();
    for handle in handles.iter().take(70).step_by(3) {
        table.insert(*handle, handle.index() * 2).unwrap();
    }
    assert_eq!(table.capacity(), 128);
    assert!(
        join(&pool, &table)
            .map(|(_, value, twice)| (*value, *twice))
            .eq((0..70).step_by(3).map(|value| (value, value * 2)))
    );
    join(&mut pool, &mut table).for_each(|(_, value, twice)| *value = *twice);
    assert_eq!((pool[handles[3]], pool[handles[4]]), (6, 4));
}

#[test]
fn several_values_are_lent_and_refusals_say_why() {
    let mut table: SideTable<_, _> = (0..4).map(|index| (handle(index), index)).collect();
    let [two, none, zero] = table.get_each_mut([handle(2), handle(9), handle(0)]).unwrap();
    assert_eq!((two.copied(), none, zero.copied()), (Some(2), None, Some(0)));
    let refused = |table: &mut SideTable<_, _>, other: Handle<()>| match table
        .get_disjoint_mut([handle(0), other])
        .unwrap_err()
    {
        GetDisjointMutError::Refused { position: 1, refusal } => refusal,
        error => panic!("{error}"),
    };
    assert_eq!(refused(&mut table, handle(4000)), Refusal::OutOfRange);
    assert_eq!(refused(&mut table, Handle::from_parts(1, 2).unwrap()), Refusal::NeverIssued);
    table.insert(Handle::from_parts(1, 7).unwrap(), 70).unwrap();
    assert_eq!(refused(&mut table, handle(1)), Refusal::Stale);
    table.remove(handle(2));
    assert_eq!(refused(&mut table, handle(2)), Refusal::Stale);
    let overlapping = table.get_disjoint_mut([handle(3), handle(0), handle(3)]).unwrap_err();
    assert_eq!(overlapping, GetDisjointMutError::Overlapping { position: 2 });
    let overlapping = table.get_each_mut([handle(2), handle(3), handle(2), handle(3)]).unwrap_err();
    assert_eq!(overlapping, GetDisjointMutError::Overlapping { position: 3 });
}

#[test]
fn several_values_are_lent_unchecked_wherever_their_slots_are() {
    let mut table: SideTable<_, _> = (0..200).map(|index| (handle(index), index)).collect();
    table.remove(handle(64));
    // SAFETY: these handles have values, and no two are equal.
    let [a, b, c] = unsafe { table.get_disjoint_unchecked_mut([199, 0, 65].map(handle)) };
    assert_eq!((*a, *b, *c), (199, 0, 65));
    (*a, *b, *c) = (1, 2, 3);
    let all = [(0, 2), (1, 1), (65, 3), (198, 198), (199, 1)];
    assert!(all.iter().all(|(index, value)| table[handle(*index)] == *value));
    // SAFETY: no handle is lent.
    assert!(unsafe { table.get_disjoint_unchecked_mut([]) }.is_empty());
}

#[test]
#[cfg(debug_assertions)]
fn values_lent_unchecked_are_checked_in_debug_builds() {
    for handles in [[1, 1], [1, 2]] {
        let lent = std::panic::catch_unwind(|| {
            let mut table: SideTable<_, _> = (0..2).map(|index| (handle(index), 'v')).collect();
            // SAFETY: not so; the check of debug builds comes before any reference.
            unsafe { table.get_disjoint_unchecked_mut(handles.map(handle)) }.map(|value| *value)
        });
        assert!(lent.is_err());
    }
}

#[test]
fn a_value_that_is_missing_is_a_panic_that_names_the_handle() {
    let mut table = SideTable::new();
    table.insert(handle(1), 5).unwrap();
    table[handle(1)] += 1;
    assert_eq!(table[handle(1)], 6);
    let message = catch_unwind(|| table[handle(2)]).unwrap_err();
    let message = message.downcast::<String>().unwrap();
    assert_eq!(*message, "the side table has no value for handle 2v1");
}

#[test]
fn extending_by_a_refused_handle_panics_and_keeps_what_came_before() {
    let mut table = SideTable::<Handle<()>, u8>::with_capacity(2);
    let pairs = [(handle(0), 1), (handle(7), 2), (handle(1), 3)];
    assert!(catch_unwind(AssertUnwindSafe(|| table.extend(pairs))).is_err());
    assert_eq!(table.iter().collect::<Vec<_>>(), [(handle(0), &1)]);
    table.extend([(handle(1), &9)]);
    assert_eq!(table[handle(1)], 9);
}

/// Into one that has more slots than the snapshot, and into one that has fewer.
#[test]
fn a_table_that_grows_goes_back_to_a_past_of_any_size() {
    let mut table: SideTable<_, _> = (0..300).map(|index| (handle(index * 3), index)).collect();
    let (mut before, model) = (table.snapshot(), table.clone());
    table.insert(handle(5000), 1).unwrap();
    table.remove(handle(3));
    let after = table.snapshot();
    assert_ne!(after.checksum(), before.checksum());
    table.restore(&before).unwrap();
    assert!(table == model);
    let sums = [table.checksum(), model.checksum()];
    assert_eq!(sums, [before.checksum(); 2], "whatever their capacities");
    table.validate().unwrap();
    let mut fresh = SideTable::new();
    fresh.restore(&after).unwrap();
    assert_eq!((fresh.get(handle(5000)), fresh.get(handle(3)), fresh.len()), (Some(&1), None, 300));
    fresh.validate().unwrap();
    fresh.save_into(&mut before).unwrap();
    assert_eq!(before.checksum(), after.checksum());
}

/// A table never has more slots than its limit, even by way of a snapshot.
#[test]
fn a_table_with_a_limit_goes_back_to_its_own_past_only() {
    let mut limited = SideTable::<Handle<()>, u8>::with_limit(70);
    limited.insert(handle(3), 7).unwrap();
    let mut past = limited.snapshot();
    limited.insert(handle(69), 8).unwrap();
    limited.restore(&past).unwrap();
    assert_eq!((limited.get(handle(3)), limited.get(handle(69))), (Some(&7), None));

    let mut larger = SideTable::<Handle<()>, u8>::with_limit(71);
    larger.insert(handle(70), 9).unwrap();
    let unlimited: SideTable<_, _> = [(handle(70), 9)].into_iter().collect();
    let mut fixed = SideTable::<Handle<()>, u8>::with_capacity(70);
    let refusals = [
        (larger.snapshot(), "the snapshot has 71 slots, the pool 70"),
        (
            unlimited.snapshot(),
            "the snapshot is of a side table without a limit, this one has at most 70 slots",
        ),
        (fixed.snapshot(), "of 70 slots, one side table has all from the start, the other grows"),
    ];
    for (other, why) in refusals {
        assert_eq!(limited.restore(&other).unwrap_err().to_string(), why);
        assert_eq!((limited.len(), limited.get(handle(3))), (1, Some(&7)));
    }
    assert!(larger.save_into(&mut past).is_err() && fixed.save_into(&mut past).is_err());
    let limited = "the snapshot is of a side table of at most 70 slots, this one has no limit";
    assert_eq!(SideTable::new().restore(&past).unwrap_err().to_string(), limited);
    assert!(fixed.restore(&past).is_err() && fixed.is_empty());
}

/// One without a limit: `tests/families`.
#[test]
fn a_saved_table_grows_as_before() {
    let read = |text: &str| serde_json::from_str::<SideTable<Handle<()>, u8>>(text);
    let mut limited = SideTable::<Handle<()>, u8>::with_limit(70);
    limited.insert(handle(3), 7).unwrap();
    let text = serde_json::to_string(&limited).unwrap();
    let mut loaded = read(&text).unwrap();
    assert!(loaded == limited && loaded.checksum() == limited.checksum());
    loaded.insert(handle(69), 8).unwrap();
    assert_eq!(loaded.insert(handle(70), 8).unwrap_err().kind(), InsertAtErrorKind::OutOfRange);

    let fixed = serde_json::to_string(&SideTable::<Handle<()>, u8>::with_capacity(2)).unwrap();
    let mut fixed = read(&fixed).unwrap();
    assert_eq!((fixed.capacity(), fixed.grows()), (2, false));
    assert_eq!(fixed.insert(handle(2), 1).unwrap_err().kind(), InsertAtErrorKind::OutOfRange);
}
