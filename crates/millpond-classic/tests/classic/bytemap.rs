//! Design 2 of the classic pools, the byte-map pool: each row of its table and each fault of the
//! design in the wild as a test that quotes it, and a million random operations against a model that
//! is the table, literally.

use std::collections::HashMap;

use crate::common::{Ledger, Random};
use millpond_classic::{BytemapError, BytemapPool};

const FREE: u8 = 0x80;

/// Where `New(handle)` leaves the cursor.
#[derive(Clone, Copy, PartialEq)]
enum CursorRule {
    /// Ours: "the lowest free slot".
    LowestFree,
    /// The published text, literally: "the first slot whose free flag is unset".
    FirstFlagUnset,
}

/// The fields of the design, and its table word for word.
struct Published {
    values: Vec<u64>,
    bytes: Vec<u8>,
    cursor: i32,
    rule: CursorRule,
}

impl Published {
    /// "Initialise(count): allocate slots and byte map, count = count, cursor = -1, mark initialised,
    /// then Clear."
    fn initialise(count: usize) -> Self {
        Self::with_rule(count, CursorRule::LowestFree)
    }

    fn with_rule(count: usize, rule: CursorRule) -> Self {
        let mut pool = Self { values: vec![0; count], bytes: vec![0; count], cursor: -1, rule };
        pool.clear();
        pool
    }

    /// "Clear(): every byte: seed 0, free bit set."
    fn clear(&mut self) {
        self.bytes.fill(FREE);
    }

    /// "GetAt(index): the slot if its free bit is clear, else null." With a range check.
    fn get_at(&self, index: usize) -> Option<u64> {
        let byte = self.bytes.get(index)?;
        (byte & FREE == 0).then(|| self.values[index])
    }

    /// "GetAtHandle(handle): index = handle >> 8; the slot if the byte equals the handle's low 8 bits,
    /// else null." With a range check, and never a free slot: a handle with the free bit set is no
    /// handle.
    fn get_at_handle(&self, handle: i32) -> Option<u64> {
        let index = usize::try_from(handle >> 8).ok()?;
        let byte = *self.bytes.get(index)?;
        (i32::from(byte) == handle & 0xff && byte & FREE == 0).then(|| self.values[index])
    }

    /// "GetIndex(object): handle from the object's address." `index << 8 | byte`.
    fn handle(&self, index: usize) -> i32 {
        (index as i32) << 8 | i32::from(self.bytes[index])
    }

    /// "New(): advance the cursor slot by slot from where it stands; at the end wrap to 0 and go round
    /// once more; on the first free slot clear the free bit, seed = (seed + 1) % 128, return it; none
    /// found: null." The cursor has then advanced to the end.
    fn new_object(&mut self, value: u64) -> Option<i32> {
        let mut has_wrapped = false;
        loop {
            self.cursor += 1;
            if self.cursor as usize >= self.bytes.len() {
                if has_wrapped {
                    self.cursor = self.bytes.len() as i32;
                    return None;
                }
                has_wrapped = true;
                self.cursor = -1;
                continue;
            }
            let cursor = self.cursor as usize;
            let byte = &mut self.bytes[cursor];
            if *byte & FREE != 0 {
                *byte = ((*byte & 0x7f) + 1) % 128;
                self.values[cursor] = value;
                return Some(self.handle(cursor));
            }
        }
    }

    /// "New(handle): claim exactly that handle's slot: free bit cleared, the byte then equals the
    /// handle's; then the cursor is brought back to a true value": the lowest free slot.
    fn new_at(&mut self, handle: i32, value: u64) -> Option<i32> {
        let index = usize::try_from(handle >> 8).ok()?;
        let byte = self.bytes.get_mut(index)?;
        if *byte & FREE == 0 || handle & 0x80 != 0 {
            return None;
        }
        *byte = (handle & 0xff) as u8;
        self.values[index] = value;
        let is_free = self.rule == CursorRule::LowestFree;
        let first = self.bytes.iter().position(|byte| (byte & FREE != 0) == is_free);
        self.cursor = first.unwrap_or(self.bytes.len() - 1) as i32;
        Some(handle)
    }

    /// "Delete(object): set the free bit (the seed stays); if its index is below the cursor, the
    /// cursor moves there."
    fn delete(&mut self, index: usize) {
        self.bytes[index] |= FREE;
        self.cursor = self.cursor.min(index as i32);
    }
}

/// Any handle at all: of this pool, of a slot that it has, or of none.
fn any_handle(random: &mut Random, published: &Published) -> i32 {
    let count = published.bytes.len();
    match random.below(8) {
        0 => random.next() as i32,
        1 => -((random.below(count * 256 + 2)) as i32),
        2 => (count as i32) << 8 | random.below(256) as i32,
        3 => [i32::MIN, i32::MAX, -1, 0, -256, 255, 128][random.below(7)],
        4..6 if count > 0 => published.handle(random.below(count)),
        _ => (random.below(count + 1) as i32) << 8 | random.below(256) as i32,
    }
}

/// Compares every answer with the model's, and the bytes and the cursor after every operation.
fn operations(count: usize, steps: usize) {
    let mut pool = BytemapPool::new(count);
    let mut published = Published::initialise(count);
    let mut random = Random(count as u64);
    // Lean to insertion and to deletion in turns, so that full and empty pools come up.
    for step in 0..steps as u64 {
        let lean = if step / 500 % 2 == 0 { 50 } else { 25 };
        match random.below(100) {
            choice if choice < lean => {
                assert_eq!(pool.insert(step).ok(), published.new_object(step));
            }
            choice if choice < 75 => {
                let Some(index) = random.next().checked_rem(count as u64) else { continue };
                let index = index as usize;
                let expected = published.get_at(index);
                let deleted = if random.below(2) == 0 {
                    pool.remove_at(index)
                } else {
                    pool.remove(published.handle(index))
                };
                assert_eq!(deleted, expected);
                if expected.is_some() {
                    published.delete(index);
                }
            }
            75..85 => {
                let handle = any_handle(&mut random, &published);
                let claimed = pool.insert_at(handle, step).ok();
                assert_eq!(claimed, published.new_at(handle, step), "{handle:#x}");
            }
            85..90 => {
                let handle = any_handle(&mut random, &published);
                let expected = published.get_at_handle(handle);
                assert_eq!(pool.get_mut(handle).copied(), expected, "{handle:#x}");
                assert_eq!(pool.remove(handle), expected, "{handle:#x}");
                if expected.is_some() {
                    published.delete((handle >> 8) as usize);
                }
            }
            99 if random.below(50) == 0 => {
                pool.clear();
                published.clear();
            }
            _ => {
                let handle = any_handle(&mut random, &published);
                assert_eq!(pool.get(handle).copied(), published.get_at_handle(handle));
                let index = random.below(count + 2);
                let object = pool.get_at(index);
                assert_eq!(object.copied(), published.get_at(index));
                let expected = object.map(|_| published.handle(index));
                assert_eq!(object.and_then(|object| pool.handle_of(object)), expected);
                assert_eq!(object.and_then(|object| pool.index_of(object)), object.map(|_| index));
                assert_eq!(pool.handle_at(index), expected);
            }
        }
        assert_eq!(pool.bytes(), published.bytes);
        assert_eq!(pool.cursor(), published.cursor);
        if step % 16 == 0 {
            let live = published.bytes.iter().filter(|byte| **byte & FREE == 0).count();
            assert_eq!((pool.len(), pool.is_full()), (live, live == count));
            let expected = (0..count).filter_map(|index| published.get_at(index));
            assert!(pool.iter().map(|(_, value)| *value).eq(expected));
        }
    }
}

/// "Five fields: the slots (each as large as the largest type stored in it), a byte map with one byte per slot …, the
/// slot count, a first-free cursor, and whether the arrays were allocated": a model of these fields, with the
/// operations of the published table.
#[test]
fn million_random_operations_agree_with_the_table_bit_for_bit() {
    operations(0, 5_000);
    operations(1, 95_000);
    operations(2, 150_000);
    operations(7, 250_000);
    operations(64, 250_000);
    operations(110, 150_000);
    operations(300, 100_000);
}

/// "A handle is a signed 32-bit number, index << 8 | byte." "One byte per slot (bit 7 set = free; low
/// 7 bits = a seed that makes handles differ from one use of a slot to the next)."
#[test]
fn handle_is_index_shl_8_or_byte() {
    let mut pool = BytemapPool::new(300);
    for index in 0..300 {
        assert_eq!(pool.bytes()[index as usize], FREE);
        assert_eq!(pool.insert(index), Ok(index << 8 | 1));
        assert_eq!(pool.bytes()[index as usize], 1);
    }
    assert_eq!(pool.remove(299 << 8 | 1), Some(299));
    assert_eq!(pool.bytes()[299], FREE | 1);
    assert_eq!(pool.insert(0), Ok(299 << 8 | 2));
}

/// "Initialise(count): … cursor = -1 …" and "Clear(): every byte: seed 0, free bit set".
#[test]
fn initialise_sets_the_cursor_to_minus_1_and_clears() {
    let mut pool = BytemapPool::<u8>::new(5);
    assert_eq!((pool.cursor(), pool.capacity(), pool.len()), (-1, 5, 0));
    assert_eq!(pool.bytes(), [FREE; 5]);
    pool.insert(1).unwrap();
    pool.flush();
    pool.initialise(3);
    assert_eq!((pool.cursor(), pool.capacity(), pool.len()), (-1, 3, 0));
    assert_eq!(pool.bytes(), [FREE; 3]);
    assert_eq!(pool.insert(1), Ok(1));
}

#[test]
#[should_panic = "the pool has slots already: flush it first"]
fn initialise_of_a_pool_with_slots_panics() {
    BytemapPool::<u8>::new(5).initialise(5);
}

#[test]
#[should_panic = "a byte-map pool has at most 8388608 slots, not 8388609"]
fn initialise_of_more_slots_than_a_handle_names_panics() {
    let _ = BytemapPool::<()>::new((1 << 23) + 1);
}

/// "Clear(): every byte: seed 0, free bit set."
#[test]
fn clear_drops_all_objects_and_starts_the_seeds_again() {
    let ledger = Ledger::default();
    let mut pool = BytemapPool::new(5);
    for id in 0..5 {
        assert!(pool.insert(ledger.value(id)).is_ok());
    }
    pool.remove_at(2);
    let cursor = pool.cursor();
    pool.clear();
    assert_eq!((ledger.alive(), pool.len(), pool.cursor()), (0, 0, cursor));
    assert_eq!(pool.bytes(), [FREE; 5]);
}

/// "Flush(): if count is not 0: free and null the arrays if they were allocated, count and
/// cursor = 0."
#[test]
fn flush_gives_everything_back() {
    let ledger = Ledger::default();
    let mut pool = BytemapPool::new(5);
    for id in 0..3 {
        assert!(pool.insert(ledger.value(id)).is_ok());
    }
    pool.flush();
    assert_eq!((ledger.alive(), pool.capacity(), pool.cursor(), pool.len()), (0, 0, 0, 0));
    assert!(pool.is_full() && pool.is_empty() && pool.bytes().is_empty());
    assert!(pool.insert(ledger.value(9)).is_err());
    assert!(pool.insert_at(1, ledger.value(9)).is_err());
    assert!(pool.get(1).is_none() && pool.get_at(0).is_none() && pool.remove(1).is_none());
    pool.flush();
    pool.clear();
    assert_eq!(pool.cursor(), 0);
    let mut empty = BytemapPool::<u8>::new(0);
    empty.flush();
    assert_eq!(empty.cursor(), -1, "count is 0, so nothing is done");
}

#[test]
fn slots_that_a_retiring_pool_gave_up_stay_given_up_after_a_flush() {
    let mut pool = BytemapPool::retiring(2);
    for value in 0..254 {
        let handle = pool.insert(value).unwrap();
        pool.remove(handle);
    }
    assert!(pool.is_full() && pool.is_empty());
    pool.flush();
    assert!(pool.is_full(), "it has no slots, so nothing can be inserted");
    pool.initialise(2);
    assert!(pool.is_full());
    assert_eq!(pool.insert(7), Err(7));
    // Seeds that are left go on after the highest one of before.
    let mut pool = BytemapPool::retiring(2);
    for seed in 1..4 {
        let mut handles = [0, 1].map(|value| pool.insert(value).unwrap());
        handles.sort_unstable();
        assert_eq!(handles, [seed, 1 << 8 | seed]);
        handles.iter().for_each(|handle| _ = pool.remove(*handle).unwrap());
        pool.clear();
    }
    pool.flush();
    pool.initialise(2);
    assert_eq!(pool.insert(7), Ok(4));
}

/// "New(): advance the cursor slot by slot from where it stands; at the end wrap to 0 and go round
/// once more."
#[test]
fn new_goes_on_after_the_cursor_and_round_once() {
    let mut pool = BytemapPool::new(4);
    for value in 0..4 {
        assert_eq!(pool.insert(value), Ok(value << 8 | 1));
        assert_eq!(pool.cursor(), value);
    }
    pool.remove_at(3);
    assert_eq!(pool.cursor(), 3, "not below the cursor, which stays");
    assert_eq!(pool.insert(4), Ok(3 << 8 | 2), "once round to its own slot");
    pool.remove_at(1);
    assert_eq!(pool.cursor(), 1, "below the cursor, which moves there");
    pool.remove_at(2);
    assert_eq!(pool.cursor(), 1);
    assert_eq!(pool.insert(5), Ok(2 << 8 | 2), "the search goes on after the cursor");
    assert_eq!(pool.insert(6), Ok(1 << 8 | 2), "and comes round");
}

/// "New(handle): … the byte then equals the handle's, so that the saved handle is valid again."
#[test]
fn new_at_a_handle_makes_the_saved_handle_valid_again() {
    let mut game = BytemapPool::new(110);
    let mut random = Random(7);
    for value in 0..1000 {
        let full = game.insert(value).is_err();
        if full || random.below(2) == 0 {
            game.remove_at(random.below(110));
        }
    }
    let saved: Vec<(i32, u64)> = game.iter().map(|(handle, value)| (handle, *value)).collect();
    assert!(saved.len() > 20);
    let mut loaded = BytemapPool::new(110);
    for &(handle, value) in saved.iter().rev() {
        assert_eq!(loaded.insert_at(handle, value), Ok(handle));
        let lowest_free = loaded.bytes().iter().position(|byte| byte & FREE != 0);
        assert_eq!(loaded.cursor() as usize, lowest_free.unwrap_or(109));
    }
    assert!(loaded.iter().map(|(handle, value)| (handle, *value)).eq(saved));
    assert_eq!(loaded.seeds_restarted(), 0);
}

#[test]
fn new_at_a_handle_that_cannot_be_gives_the_value_back_and_says_why() {
    let mut pool = BytemapPool::new(2);
    let live = pool.insert("a").unwrap();
    for no_handle in [-1, i32::MIN, i32::MAX, 2 << 8 | 1, 1 << 8 | 0x80, 1 << 8 | 0xff] {
        let error = pool.insert_at(no_handle, "b").unwrap_err();
        assert_eq!(error, BytemapError::NoSuchHandle("b"), "{no_handle:#x}");
    }
    let error = pool.insert_at(live, "b").unwrap_err();
    assert_eq!(error, BytemapError::Live("b"));
    assert_eq!(error.into_inner(), "b");
    assert_eq!((pool.get(live), pool.len()), (Some(&"a"), 1));
    let mut retiring = BytemapPool::retiring(2);
    let handle = retiring.insert("a").unwrap();
    retiring.remove(handle);
    assert_eq!(retiring.insert_at(handle, "b"), Err(BytemapError::Stale("b")));
    assert_eq!(
        retiring.insert_at(1 << 8, "b"),
        Err(BytemapError::Stale("b")),
        "seeds start with 1"
    );
}

/// "GetAtHandle(handle): index = handle >> 8; the slot if the byte equals the handle's low 8 bits, else null."
#[test]
fn get_at_handle_compares_the_whole_byte() {
    let mut pool = BytemapPool::new(3);
    let handles = [10, 11, 12].map(|value| pool.insert(value).unwrap());
    pool.remove(handles[1]);
    for index in 0..4 {
        for byte in 0..256 {
            let expected = match (index, byte) {
                (0 | 2, 1) => Some(10 + index),
                _ => None, // among them slot 1 with its own byte, 0x81, as it is free
            };
            assert_eq!(pool.get(index << 8 | byte).copied(), expected, "{index}, {byte:#x}");
        }
    }
    assert_eq!(pool.bytes(), [1, FREE | 1, 1]);
}

/// "GetJustIndex(object): slot index from the object's address." "GetIndex(object): handle from the object's address."
#[test]
fn get_index_and_get_just_index_go_by_the_objects_address() {
    let mut pool = BytemapPool::new(100);
    let handles: Vec<i32> = (0..100).map(|_| pool.insert(7_u16).unwrap()).collect();
    for (index, &handle) in handles.iter().enumerate() {
        let object = pool.get(handle).unwrap();
        assert_eq!((pool.index_of(object), pool.handle_of(object)), (Some(index), Some(handle)));
    }
    let equal_but_elsewhere = 7;
    assert_eq!(pool.index_of(&equal_but_elsewhere), None);
    assert_eq!(pool.handle_of(&equal_but_elsewhere), None);
}

/// "Delete(object): set the free bit (the seed stays); if its index is below the cursor, the cursor moves there."
#[test]
fn delete_keeps_the_seed_and_moves_the_cursor_only_down() {
    let mut pool = BytemapPool::new(5);
    let handles = [(); 5].map(|()| pool.insert(0).unwrap());
    assert_eq!(pool.cursor(), 4);
    for (deleted, cursor) in [(2, 2), (3, 2), (0, 0), (4, 0), (1, 0)] {
        assert_eq!(pool.remove(handles[deleted]), Some(0));
        assert_eq!((pool.bytes()[deleted], pool.cursor()), (FREE | 1, cursor));
    }
}

/// "Advance the cursor slot by slot from where it stands; at the end wrap to 0 and go round once more …; none found:
/// null": the cursor is then at the end, and what is freed in the meantime is found in the published order.
#[test]
fn failed_new_moves_the_cursor_to_the_end_as_published() {
    let mut pool = BytemapPool::new(5);
    for value in 0..5 {
        pool.insert(value).unwrap();
    }
    pool.remove_at(2).unwrap();
    pool.insert(5).unwrap();
    assert_eq!(pool.cursor(), 2);
    assert_eq!((pool.insert(99), pool.cursor()), (Err(99), 5));
    // Had the cursor stayed at 2, slots 3 and 4 would come after it.
    pool.remove_at(4).unwrap();
    pool.remove_at(3).unwrap();
    assert_eq!(pool.cursor(), 3);
    assert_eq!((pool.insert(6), pool.insert(7)), (Ok(4 << 8 | 2), Ok(3 << 8 | 2)));
}

/// Fault: "a failed New leaves the cursor at the end so that the next New walks out of bounds".
#[test]
fn after_a_failed_new_the_next_one_works() {
    for count in [0, 1, 5, 64, 65] {
        let mut pool = BytemapPool::new(count);
        for value in 0..count {
            pool.insert(value).unwrap();
        }
        let before = pool.bytes().to_vec();
        for _ in 0..3 {
            assert_eq!(pool.insert(99), Err(99));
            assert_eq!((pool.cursor(), pool.bytes()), (count as i32, &before[..]));
        }
        if pool.remove_at(count / 2).is_some() {
            assert_eq!(pool.insert(7), Ok(((count / 2) as i32) << 8 | 2));
            assert_eq!(pool.insert(8), Err(8));
        }
        pool.flush();
        assert_eq!((pool.cursor(), pool.insert(9)), (0, Err(9)));
    }
}

/// Fault: "GetAt without a range check".
#[test]
fn get_at_out_of_range_is_none() {
    for mut pool in [BytemapPool::new(64), BytemapPool::new(65)] {
        let count = pool.capacity();
        while pool.insert(1).is_ok() {}
        for index in [count, count + 1, 127, 128, 1 << 23, usize::MAX] {
            assert_eq!((pool.get_at(index), pool.handle_at(index)), (None, None));
            assert_eq!(pool.remove_at(index), None);
        }
        for index in [count as i32, 127, 128, (1 << 23) - 1, -1, -(1 << 23)] {
            let handle = index << 8 | 1;
            assert_eq!(pool.get(handle), None);
            assert_eq!(pool.remove(handle), None);
        }
        assert_eq!(pool.len(), count);
    }
}

/// "After `New(handle)` the text sets first-free to the first slot whose free flag is unset; the program itself, as
/// others have read it, to the first free one. Say which ours does, and why." Ours: the first free one. Under the
/// literal rule, the search after a load passes by every free slot below the lowest live one, though the cursor is the
/// field "first free".
#[test]
fn cursor_after_new_at_a_handle_is_the_first_free_slot_and_not_the_literal_first_unset_flag() {
    let saved = 90 << 8 | 5;
    let mut pool = BytemapPool::new(110);
    let mut literal = Published::with_rule(110, CursorRule::FirstFlagUnset);
    assert_eq!(pool.insert_at(saved, 7).ok(), literal.new_at(saved, 7));
    assert_eq!((pool.cursor(), literal.cursor), (0, 90));
    assert_eq!(pool.insert(8), Ok(1 << 8 | 1), "goes on after the first free slot");
    assert_eq!(literal.new_object(8), Some(91 << 8 | 1), "passes by 90 free slots");
}

/// How much "bit for bit" claims: bytes and loaded handles are the same under both rules, and so is everything in a
/// game that loads nothing; only which slots `New()` hands out after a load differs.
#[test]
fn the_two_cursor_rules_differ_in_the_slots_that_new_hands_out_after_a_load_and_in_nothing_else() {
    let mut random = Random(11);
    let mut ours = Published::with_rule(50, CursorRule::LowestFree);
    let mut literal = Published::with_rule(50, CursorRule::FirstFlagUnset);
    for step in 0..20_000 {
        if random.below(2) == 0 {
            assert_eq!(ours.new_object(step), literal.new_object(step));
        } else {
            let index = random.below(50);
            ours.delete(index);
            literal.delete(index);
        }
        assert_eq!((&ours.bytes, ours.cursor), (&literal.bytes, literal.cursor));
    }
    let saved: Vec<i32> =
        (0..50).filter(|&i| ours.get_at(i).is_some()).map(|i| ours.handle(i)).collect();
    assert!(saved.len() > 5 && saved.len() < 45);
    let mut pool = BytemapPool::new(50);
    ours = Published::with_rule(50, CursorRule::LowestFree);
    literal = Published::with_rule(50, CursorRule::FirstFlagUnset);
    for &handle in &saved {
        assert_eq!(pool.insert_at(handle, 1).ok(), Some(handle));
        assert_eq!(ours.new_at(handle, 1), literal.new_at(handle, 1));
    }
    assert_eq!((pool.bytes(), &ours.bytes), (&ours.bytes[..], &literal.bytes));
    assert!(saved.iter().all(|&handle| literal.get_at_handle(handle) == pool.get(handle).copied()));
    assert_ne!(ours.cursor, literal.cursor);
    assert_ne!(ours.new_object(2), literal.new_object(2));
}

/// "GetAt(index): the slot if its free bit is clear, else null", to change, and a walk that may change each object.
#[test]
fn objects_are_mutable_by_index_and_by_iteration() {
    for count in [1, 7, 64, 65, 300] {
        let mut pool = BytemapPool::new(count);
        (0..count as u64).for_each(|value| _ = pool.insert(value).unwrap());
        (0..count).step_by(3).for_each(|index| assert!(pool.remove_at(index).is_some()));
        for index in 0..count + 2 {
            let is_live = index < count && index % 3 != 0;
            let object = pool.get_at_mut(index);
            assert_eq!(object.as_deref(), is_live.then_some(&(index as u64)));
            object.into_iter().for_each(|object| *object += 1000);
        }
        let live: Vec<u64> = (0..count as u64).filter(|index| index % 3 != 0).collect();
        let mut left = live.len();
        assert_eq!(pool.iter_mut().len(), left);
        for ((handle, object), index) in pool.iter_mut().zip(&live) {
            assert_eq!((handle, *object), ((*index as i32) << 8 | 1, index + 1000));
            *object -= 1000;
            left -= 1;
        }
        assert!(left == 0 && pool.iter().map(|(_, value)| *value).eq(live));
    }
}

/// Fault: "New(handle) that scans without a bound".
#[test]
fn new_at_the_last_free_slots_handle_ends() {
    let mut pool = BytemapPool::new(3);
    for (taken, handle) in [2 << 8 | 9, 1, 1 << 8 | 127].into_iter().enumerate() {
        assert_eq!(pool.insert_at(handle, taken), Ok(handle));
    }
    assert!(pool.is_full(), "the last claim found no free slot for the cursor");
    assert_eq!(pool.cursor(), 2);
    for handle in [1, 3, 1 << 8 | 127, 2 << 8 | 10] {
        assert_eq!(pool.insert_at(handle, 7), Err(BytemapError::Live(7)));
    }
    assert_eq!(pool.insert(7), Err(7));
    pool.remove_at(1);
    assert_eq!(pool.insert(7), Ok(1 << 8), "after seed 127 comes 0");
}

/// Fault: "counting used slots in O(n)". A count of a million slots at each of a million steps would
/// not end.
#[test]
fn number_of_live_slots_is_known_at_once() {
    const SLOTS: usize = 1_000_000;
    let mut pool = BytemapPool::new(SLOTS);
    let mut live = 0;
    for step in 0..SLOTS {
        assert!(pool.insert(()).is_ok());
        live += 1;
        if step % 3 == 0 {
            assert!(pool.remove_at(step).is_some());
            live -= 1;
        }
        assert_eq!((pool.len(), pool.is_full()), (live, false));
    }
}

/// Fault: "after 128 reuses of a slot a stale handle is valid again, silently". It is the design's own
/// handle, so it is valid again here too, but `seeds_restarted` tells.
#[test]
fn stale_handle_is_valid_again_after_128_reuses_and_seeds_restarted_tells() {
    let mut pool = BytemapPool::new(1);
    let stale = pool.insert(0).unwrap();
    pool.remove(stale);
    for reuse in 1..128 {
        assert_eq!(pool.seeds_restarted(), u64::from(reuse > 127));
        let handle = pool.insert(reuse).unwrap();
        assert_ne!(handle, stale);
        assert_eq!(pool.get(stale), None);
        pool.remove(handle);
    }
    assert_eq!(pool.seeds_restarted(), 1);
    assert_eq!(pool.insert(128), Ok(stale));
    assert_eq!(pool.get(stale), Some(&128));
}

/// While `seeds_restarted` stands still, no handle that went stale comes to life: in whatever way a
/// seed comes again (round the circle, by a clear, by loading an old handle), it is counted.
#[test]
fn no_stale_handle_comes_to_life_unless_seeds_restarted_has_grown() {
    for (count, seed) in [(1, 1), (2, 2), (5, 3), (20, 4)] {
        let mut pool = BytemapPool::new(count);
        let mut random = Random(seed);
        // The stale handles, with the count when they went stale.
        let mut stale: HashMap<i32, u64> = HashMap::new();
        let mut came_to_life = 0;
        for step in 0..20_000u64 {
            let restarted = pool.seeds_restarted();
            match random.below(100) {
                0..40 => drop(pool.insert(step)),
                40..80 => {
                    let index = random.below(count);
                    if let Some(handle) = pool.handle_at(index) {
                        pool.remove(handle);
                        stale.insert(handle, restarted);
                    }
                }
                80..99 => {
                    let handle = (random.below(count) as i32) << 8 | random.below(128) as i32;
                    let _ = pool.insert_at(handle, step);
                }
                _ => {
                    let live: Vec<i32> = pool.iter().map(|(handle, _)| handle).collect();
                    if random.below(10) == 0 {
                        pool.flush();
                        pool.initialise(count);
                    } else {
                        pool.clear();
                    }
                    stale.extend(live.into_iter().map(|handle| (handle, restarted)));
                }
            }
            let live: Vec<i32> = pool.iter().map(|(handle, _)| handle).collect();
            for handle in live {
                if let Some(then) = stale.remove(&handle) {
                    assert!(pool.seeds_restarted() > then, "{handle:#x} came to life in silence");
                    came_to_life += 1;
                }
            }
        }
        assert!(came_to_life > 100, "the test must see what it is about");
    }
}
