//! `SideTable`: data keyed by a pool's handles, and the two walked together.

use std::collections::{BTreeMap, HashMap};

use crate::common::{Counted, Ledger, Random, panics, quiet_panic};
use millpond::side_table::{Entry, join};
use millpond::{BuildError, Handle, Handle32, HandleLayout, InsertAtErrorKind, Pool, SideTable};

fn check<H: HandleLayout>(table: &mut SideTable<H, Counted>, model: &BTreeMap<u32, (H, u64)>) {
    assert_eq!(table.len(), model.len());
    let expected = || model.values().copied();
    assert!(table.iter().map(|(handle, value)| (handle, value.id())).eq(expected()));
    assert!(table.iter().rev().map(|(h, value)| (h, value.id())).eq(expected().rev()));
    assert!(table.iter_mut().map(|(handle, value)| (handle, value.id())).eq(expected()));
    assert!(table.handles().eq(expected().map(|(handle, _)| handle)));
    assert!(table.values().rev().map(Counted::id).eq(expected().map(|(_, id)| id).rev()));
    assert!(table.values_mut().map(|value| value.id()).eq(expected().map(|(_, id)| id)));
    let mut folded = Vec::new();
    table.iter().for_each(|(handle, value)| folded.push((handle, value.id())));
    assert!(folded.into_iter().eq(expected()));
    for (handle, id) in expected() {
        assert_eq!(table.get(handle).map(Counted::id), Some(id));
        assert_eq!(table.get_mut(handle).map(|value| value.id()), Some(id));
    }
}

/// Every handle of a few generations of each slot, in any order. The table has a limit of so many slots, or takes
/// one more.
fn random_operations<H: HandleLayout>(
    mut table: SideTable<H, Counted>,
    capacity: usize,
    has_limit: bool,
    ledger: &Ledger,
    seed: u64,
) {
    let mut random = Random(seed);
    let mut model: BTreeMap<u32, (H, u64)> = BTreeMap::new();
    let mut last_seen: HashMap<u32, u32> = HashMap::new();
    for step in 0..1500 {
        let index = random.below(capacity + 1) as u32;
        let Some(handle) = H::from_parts(index, 1 + random.below(9) as u32) else { continue };
        let held = model.get(&index).filter(|(other, _)| *other == handle).map(|(_, id)| *id);
        let is_stale = last_seen.get(&index).is_some_and(|last| *last > handle.generation());
        let refusal = if has_limit && index as usize == capacity {
            Some(InsertAtErrorKind::OutOfRange)
        } else {
            is_stale.then_some(InsertAtErrorKind::Stale)
        };
        match random.below(10) {
            0..5 => match table.insert(handle, ledger.value(step)) {
                Ok(before) => {
                    assert_eq!(refusal, None);
                    let replaced = model.insert(index, (handle, step));
                    assert_eq!(before.map(|value| value.id()), replaced.map(|(_, id)| id));
                    last_seen.insert(index, handle.generation());
                }
                Err(error) => {
                    assert_eq!(Some(error.kind()), refusal);
                    assert_eq!(error.into_inner().id(), step);
                }
            },
            5 => match table.get_or_insert_with(handle, || ledger.value(step)) {
                Ok(value) => {
                    assert_eq!(refusal, None);
                    assert_eq!(value.id(), held.unwrap_or(step));
                    model.insert(index, (handle, held.unwrap_or(step)));
                    last_seen.insert(index, handle.generation());
                }
                Err(kind) => assert_eq!(Some(kind), refusal),
            },
            6 => match table.entry(handle) {
                Ok(Entry::Occupied(mut entry)) => {
                    assert_eq!((entry.handle(), Some(entry.get().id())), (handle, held));
                    if step % 2 == 0 {
                        assert_eq!(Some(entry.insert(ledger.value(step)).id()), held);
                        assert_eq!(entry.into_mut().id(), step);
                        model.insert(index, (handle, step));
                    } else {
                        let (removed, value) = entry.remove_entry();
                        assert_eq!((removed, Some(value.id())), (handle, held));
                        model.remove(&index);
                    }
                }
                Ok(Entry::Vacant(entry)) => {
                    assert_eq!((entry.handle(), held, refusal), (handle, None, None));
                    if step % 2 == 0 {
                        assert_eq!(entry.insert(ledger.value(step)).id(), step);
                        model.insert(index, (handle, step));
                        last_seen.insert(index, handle.generation());
                    }
                }
                Err(kind) => assert_eq!(Some(kind), refusal),
            },
            7 if step % 5 == 0 => {
                let taken = random.below(4);
                let mut drained: Vec<_> = table.drain().take(taken).collect();
                assert!(table.is_empty());
                table.extend(drained.drain(..));
                let kept: Vec<_> = model.keys().take(taken).copied().collect();
                model.retain(|index, _| kept.contains(index));
            }
            7 => {
                assert_eq!(table.contains(handle), held.is_some());
                assert_eq!(table.remove(handle).map(|value| value.id()), held);
                if held.is_some() {
                    model.remove(&index);
                }
            }
            8 => {
                let parity = random.below(2) as u64;
                table.retain(|handle, value| {
                    assert_eq!(model.get(&handle.index()), Some(&(handle, value.id())));
                    value.id() % 2 == parity
                });
                model.retain(|_, (_, id)| *id % 2 == parity);
            }
            _ if step % 20 == 0 => {
                table.clear();
                model.clear();
            }
            _ => table = table.clone(),
        }
        check(&mut table, &model);
        assert_eq!(ledger.alive(), table.len());
    }
    drop(table);
    assert_eq!(ledger.alive(), 0);
}

fn in_every_growth<H: HandleLayout>(capacity: usize, seed: u64) {
    let ledger = Ledger::default();
    random_operations::<H>(SideTable::with_capacity(capacity), capacity, true, &ledger, seed);
    random_operations::<H>(SideTable::with_limit(capacity), capacity, true, &ledger, seed + 1);
    random_operations::<H>(SideTable::new(), capacity, false, &ledger, seed + 2);
}

#[test]
fn agrees_with_the_model_at_every_capacity() {
    for (seed, capacity) in [0, 1, 2, 17, 64, 65, 130].into_iter().enumerate() {
        in_every_growth::<Handle<()>>(capacity, seed as u64);
        in_every_growth::<Handle32<(), 16>>(capacity, seed as u64 + 100);
        in_every_growth::<Handle32<(), 24>>(capacity, seed as u64 + 200);
    }
}

/// A pool and three tables, each without one in so many of its objects, and with some that are gone.
fn joined<H: HandleLayout>(capacity: usize, table_capacity: usize, missing: usize, seed: u64) {
    let mut random = Random(seed);
    let mut pool: Pool<u64, millpond::reuse::Lifo, H> = Pool::with_capacity(capacity);
    let mut tables = [(); 3].map(|()| SideTable::<H, u64>::with_capacity(table_capacity));
    for step in 0..capacity as u64 * 3 {
        if let Ok(handle) = pool.insert(step) {
            for table in &mut tables {
                if random.below(missing) > 0 {
                    let _ = table.insert(handle, step + 1000);
                }
            }
        }
        if random.below(missing.min(40)) == 0 {
            let gone = pool.handles().nth(random.below(pool.len().max(1)));
            gone.and_then(|handle| pool.remove(handle));
        }
    }
    let [a, b, mut c] = tables;
    let expected: Vec<_> = pool
        .iter()
        .filter_map(|(handle, value)| {
            Some((handle, *value, *a.get(handle)?, *b.get(handle)?, *c.get(handle)?))
        })
        .collect();
    assert!(capacity < 10 || !expected.is_empty());
    let shared: Vec<_> =
        join(&pool, (&a, &b, &c)).map(|(h, v, (a, b, c))| (h, *v, *a, *b, *c)).collect();
    assert_eq!(shared, expected);
    let alone: Vec<_> = join(&pool, &a).map(|(handle, _, value)| (handle, *value)).collect();
    assert!(alone.into_iter().eq(pool.handles().filter_map(|h| Some((h, *a.get(h)?)))));
    // All the ways through: internal iteration, also of what is left of a half-used one.
    for taken in [0, 1, 5] {
        let mut rest = join(&pool, (&a, &b, &c));
        let mut seen: Vec<_> = rest.by_ref().take(taken).collect();
        rest.for_each(|item| seen.push(item));
        let seen = seen.into_iter().map(|(h, v, (a, b, c))| (h, *v, *a, *b, *c));
        assert!(seen.eq(expected.iter().copied()));
        let mut rest = join(&mut pool, (&a, (&b, &mut c)));
        let mut seen: Vec<_> = rest.by_ref().take(taken).collect();
        rest.for_each(|item| seen.push(item));
        let seen = seen.into_iter().map(|(h, v, (a, (b, c)))| (h, *v, *a, *b, *c));
        assert!(seen.eq(expected.iter().copied()));
        assert_eq!(join(&pool, (&a,)).count(), join(&pool, &a).count());
    }
    // All at once, to see that no two references are to the same value.
    let mut lent: Vec<_> = join(&mut pool, (&a, (&b, &mut c))).collect();
    for (_, value, (from_a, (from_b, from_c))) in &mut lent {
        **value += **from_a;
        **from_c = **from_b + 1;
    }
    for (handle, value, from_a, from_b, _) in expected {
        assert_eq!((pool[handle], c.get(handle)), (value + from_a, Some(&(from_b + 1))));
    }
}

#[test]
fn a_join_is_what_every_table_has_of_what_lives() {
    for (seed, capacity) in [0, 1, 3, 63, 64, 65, 200, 1000].into_iter().enumerate() {
        for table_capacity in [capacity, capacity / 2, capacity + 70] {
            for missing in [4, 1000] {
                joined::<Handle<u64>>(capacity, table_capacity, missing, seed as u64);
                joined::<Handle32<u64, 16>>(capacity, table_capacity, missing, seed as u64 + 10);
            }
        }
    }
}

/// Every way through a pool and a table gives what the table has of what lives.
fn joins_agree<H: HandleLayout>(
    pool: &mut Pool<u32, millpond::reuse::Lifo, H>,
    table: &mut SideTable<H, u32>,
) {
    let of_handle = |(handle, value): (H, &u32)| Some((handle, *value, *table.get(handle)?));
    let expected: Vec<_> = pool.iter().filter_map(of_handle).collect();
    assert_eq!(join(&*pool, &*table).size_hint(), (0, Some(pool.len())));
    let mut one_by_one = Vec::new();
    for (handle, value, of_table) in join(&*pool, &*table) {
        one_by_one.push((handle, *value, *of_table));
    }
    assert_eq!(one_by_one, expected);
    let mut seen = [const { Vec::new() }; 4];
    let [shared, mixed, crossed, exclusive] = &mut seen;
    join(&*pool, &*table).for_each(|(h, a, b)| shared.push((h, *a, *b)));
    join(&mut *pool, &*table).for_each(|(h, a, b)| mixed.push((h, *a, *b)));
    join(&*pool, &mut *table).for_each(|(h, a, b)| crossed.push((h, *a, *b)));
    join(pool, table).for_each(|(h, a, b)| exclusive.push((h, *a, *b)));
    seen.iter().for_each(|seen| assert_eq!(*seen, expected));
}

/// 64 slots that all have their values are walked in one go: not so if one of them is dead, or has the
/// value of an earlier lifetime.
fn nearly_full_words<H: HandleLayout>() {
    for odd in [0, 1, 63, 64, 65, 127, 128, 191] {
        let mut pool = Pool::<u32, _, H>::with_capacity(192);
        let mut table = SideTable::with_capacity(192);
        let handles: Vec<_> = (0..192).map(|value| pool.insert(value).unwrap()).collect();
        handles.iter().for_each(|handle| _ = table.insert(*handle, handle.index() + 1000).unwrap());
        joins_agree(&mut pool, &mut table);
        pool.remove(handles[odd]);
        joins_agree(&mut pool, &mut table);
        let again = pool.insert(7).unwrap();
        joins_agree(&mut pool, &mut table);
        table.insert(again, 8).unwrap();
        joins_agree(&mut pool, &mut table);
        table.remove(again);
        joins_agree(&mut pool, &mut table);
    }
}

/// Words whose 64 slots all have values, but only those of one word for what lives now.
fn words_of_stale_values<H: HandleLayout>() {
    for current in 0..3 {
        let mut pool = Pool::<u32, _, H>::with_capacity(192);
        let mut table = SideTable::with_capacity(192);
        for value in 0..192 {
            table.insert(pool.insert(value).unwrap(), value).unwrap();
        }
        pool.clear();
        while let Ok(handle) = pool.insert(1) {
            if handle.index() / 64 == current {
                table.insert(handle, 2).unwrap();
            }
        }
        joins_agree(&mut pool, &mut table);
    }
}

/// The word of a slot that has retired is the one that a table has where there never was a value.
fn retired_slots<H: HandleLayout>() {
    // The bitmap of a table is not kept up to date before a mutable walk finds few changes.
    for (retired, words) in [1, 2, 63, 64].into_iter().flat_map(|slots| [(slots, 3), (slots, 5)]) {
        let builder = Pool::<u32>::builder().handle::<H>().capacity(words * 64);
        let mut pool = builder.lifetimes(1).build();
        let mut table = SideTable::with_capacity(words * 64);
        for value in 0..words as u32 * 64 {
            let handle = pool.insert(value).unwrap();
            if value % 64 >= retired {
                table.insert(handle, value).unwrap();
            }
        }
        pool.retain(|handle, _| handle.index() % 64 >= retired);
        assert_eq!(pool.stats().retired, words * retired as usize);
        joins_agree(&mut pool, &mut table);
    }
}

#[test]
fn a_join_walks_no_word_in_one_go_that_lacks_a_value() {
    nearly_full_words::<Handle<u32>>();
    nearly_full_words::<Handle32<u32, 16>>();
    words_of_stale_values::<Handle<u32>>();
    words_of_stale_values::<Handle32<u32, 16>>();
    retired_slots::<Handle<u32>>();
    retired_slots::<Handle32<u32, 16>>();
}

#[test]
fn a_handle_is_the_later_one_up_to_half_a_round_ahead() {
    type Short = Handle32<(), 24>;
    for last in 1..=255 {
        for generation in 1..=255 {
            let mut table = SideTable::<Short, ()>::with_capacity(1);
            table.insert(Short::from_parts(0, last).unwrap(), ()).unwrap();
            table.clear();
            let steps_ahead = (generation + 255 - last) % 255;
            let inserted = table.insert(Short::from_parts(0, generation).unwrap(), ());
            assert_eq!(inserted.is_ok(), steps_ahead <= 127, "{generation} after {last}");
        }
    }
}

#[test]
fn hostile_handles_take_no_memory() {
    let mut table = SideTable::<Handle<()>, u64>::with_capacity(3);
    let ((), asked) = crate::allocations::during(|| {
        for bits in [1, 3 << 32 | 1, 0xffff_fffe << 32 | 1, 2 << 32 | 0x7fff_ffff, 1 << 40 | 1] {
            let hostile = Handle::from_bits(bits).unwrap();
            assert!(table.get(hostile).is_none() && table.remove(hostile).is_none());
            let in_range = (hostile.index() as usize) < 3;
            assert_eq!(table.insert(hostile, 1).is_ok(), in_range);
            assert_eq!(table.get_or_insert_with(hostile, || 1).is_ok(), in_range);
        }
        table.retain(|_, _| true);
        table.clear();
    });
    assert_eq!(asked, crate::allocations::Allocations::default());
    assert!(SideTable::<Handle32<(), 8>, u64>::try_with_capacity(256).is_ok());
    let error = SideTable::<Handle32<(), 8>, u64>::try_with_capacity(300).unwrap_err();
    assert_eq!(error, BuildError::CapacityTooLarge { capacity: 300, capacity_max: 256 });
    assert!(SideTable::<Handle<()>, [u64; 1 << 40]>::try_with_capacity(1 << 20).is_err());
}

#[test]
fn takes_exactly_the_documented_bytes() {
    let slots = 6400;
    let (table, asked) =
        crate::allocations::during(|| SideTable::<Handle<()>, [u8; 24]>::with_capacity(slots));
    assert_eq!((asked.resized, asked.bytes_taken), (0, slots * (24 + 4) + slots / 8));
    drop(table);
    let narrow = || SideTable::<Handle32<(), 16>, [u8; 24]>::with_capacity(slots);
    let (_table, asked) = crate::allocations::during(narrow);
    assert_eq!(asked.bytes_taken, slots * (24 + 2) + slots / 8);
}

#[test]
fn a_panicking_drop_or_closure_leaves_a_table_that_works() {
    for bad in 0..10_u32 {
        let ledger = Ledger::default();
        let mut table = SideTable::<Handle<()>, Counted>::with_capacity(10);
        let handle = |index| Handle::from_parts(index, 1).unwrap();
        for index in 0..10 {
            assert!(table.insert(handle(index), ledger.value(index.into())).is_ok());
        }
        ledger.panic_in_drop_of(u64::from(bad));
        assert!(panics(|| table.clear()));
        assert_eq!((ledger.alive(), table.iter().count()), (table.len(), table.len()));
        table.clear();
        assert_eq!((ledger.alive(), table.len()), (0, 0));
        assert!(panics(|| _ = table.get_or_insert_with(handle(0), || quiet_panic())));
        assert!(table.is_empty());
    }
}

#[test]
fn tables_are_equal_by_their_handles_and_values_alone() {
    let handle = |index, lifetime| Handle::<()>::from_parts(index, lifetime).unwrap();
    let table = |slots, entries: &[(Handle<()>, u32)]| {
        let mut table = SideTable::with_capacity(slots);
        for (handle, value) in entries {
            table.insert(*handle, *value).unwrap();
        }
        table
    };
    let entries = [(handle(3, 7), 30), (handle(0, 7), 1), (handle(64, 7), 640)];
    let mut turned = entries;
    turned.reverse();
    assert_eq!(table(70, &entries), table(99, &turned));
    assert_eq!(table(5, &[]), SideTable::new());
    for others in [
        vec![entries[0], entries[1], (entries[2].0, 641)],
        vec![entries[0], entries[1], (handle(64, 9), 640)],
        vec![entries[0], entries[1], (handle(65, 7), 640)],
        entries[..2].to_vec(),
        [&entries[..], &[(handle(1, 7), 1)]].concat(),
    ] {
        assert_ne!(table(70, &entries), table(70, &others), "{others:?}");
    }
}
