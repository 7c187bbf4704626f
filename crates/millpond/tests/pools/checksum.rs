//! The sums of values: which 64-bit words each kind of value adds, and what these come to. No byte order,
//! no pointer width and no padding goes into them. (Sums of pools: `snapshot.rs`,
//! `tests/families/determinism.rs`.)

use std::hash::{Hash, Hasher};

use millpond::snapshot::{Checksum, ToChecksum};
use millpond::{Handle, Handle32};

/// The sum of these words, worked out the long way: by division where the library shifts and cuts.
fn sum_of(words: &[u64]) -> u64 {
    const START: u64 = 0x6a09_e667_f3bc_c908;
    let folded = |number: u64| {
        let product = u128::from(number) * 0x9e37_79b9_7f4a_7c15;
        let (high, low) = (product / (1 << 64), product % (1 << 64));
        u64::try_from(high ^ low).unwrap()
    };
    let add = |state: u64, word: &u64| folded(state.rotate_left(23) ^ word) ^ word;
    folded(words.iter().fold(START, add) ^ START)
}

/// The value adds these words and no other.
#[track_caller]
fn adds<V: ToChecksum + ?Sized>(value: &V, words: &[u64]) {
    let mut sum = Checksum::new();
    sum.add(&7_u64);
    sum.add(value);
    let all: Vec<_> = std::iter::once(7).chain(words.iter().copied()).collect();
    assert_eq!(sum.finish(), sum_of(&all));
}

#[test]
fn sums_are_what_they_always_were() {
    assert_eq!(Checksum::new().finish(), 0);
    let mut sum = Checksum::default();
    sum.add(&3_u8);
    sum.add(&[1.5_f32, -2.0]);
    assert_eq!(sum.finish(), 0xf4fb_47e6_b070_5ba9);
    assert_eq!(sum_of(&[3, 0x3fc0_0000, 0xc000_0000]), 0xf4fb_47e6_b070_5ba9);
}

#[test]
fn numbers() {
    adds(&true, &[1]);
    adds(&'a', &[0x61]);
    adds(&5_u8, &[5]);
    adds(&5_u16, &[5]);
    adds(&5_u32, &[5]);
    adds(&u64::MAX, &[u64::MAX]);
    adds(&5_usize, &[5]);
    // Negative ones as if they had 64 bits.
    adds(&-2_i8, &[u64::MAX - 1]);
    adds(&-2_i16, &[u64::MAX - 1]);
    adds(&-2_i32, &[u64::MAX - 1]);
    adds(&-2_i64, &[u64::MAX - 1]);
    adds(&-2_isize, &[u64::MAX - 1]);
    // The low half first.
    adds(&(3_u128 << 64 | 5), &[5, 3]);
    adds(&-2_i128, &[u64::MAX - 1, u64::MAX]);
}

#[test]
fn floating_point_numbers() {
    adds(&1.5_f32, &[0x3fc0_0000]);
    adds(&-2.0_f64, &[0xc000_0000_0000_0000]);
    adds(&-0.0_f32, &[1 << 31]);
    // One NaN is as good as another.
    adds(&f32::from_bits(0xffc1_2345), &[0x7fc0_0000]);
    adds(&f64::from_bits(0xfff8_1234_5678_9abc), &[0x7ff8_0000_0000_0000]);
}

#[test]
fn text_and_bytes() {
    let harbours = u64::from_le_bytes(*b"harbours");
    adds("", &[0]);
    adds("tug", &[3, u64::from_le_bytes(*b"tug\0\0\0\0\0")]);
    adds("harbours", &[8, harbours]);
    adds("harboursharboursid", &[18, harbours, harbours, 0x6469]);
    adds(&String::from("tug"), &[3, 0x67_7574]);
    // Of bytes in a row, eight make a word.
    adds(&[1_u8, 2, 3], &[3, 0x03_0201]);
    adds(&[1_u8, 2, 3][..], &[3, 3, 0x03_0201]);
    let mut sum = Checksum::new();
    sum.add_bytes(b"harboursid");
    assert_eq!(sum.finish(), sum_of(&[10, harbours, 0x6469]));
}

#[test]
fn values_of_values() {
    adds(&(), &[]);
    adds(&(1_u8, -1_i8, 'a'), &[1, u64::MAX, 0x61]);
    adds(&[1_u16, 2], &[1, 2]);
    adds(&[1_u16, 2][..], &[2, 1, 2]);
    adds(&vec![1_u16, 2], &[2, 1, 2]);
    adds(&None::<u8>, &[0]);
    adds(&Some(5_u8), &[1, 5]);
    adds(&&5_u8, &[5]);
    adds(&Box::new(5_u8), &[5]);
    adds(&vec![Some("tug"), None], &[2, 1, 3, 0x67_7574, 0]);
}

#[test]
fn handles() {
    let handle = Handle::<str>::from_parts(3, 7).unwrap();
    adds(&handle, &[3 << 32 | 7]);
    adds(&Some(handle), &[1, handle.to_bits()]);
    adds(&Handle32::<str, 24>::from_parts(3, 7).unwrap(), &[3 << 8 | 7]);
}

#[test]
fn what_can_be_hashed_has_a_sum_too() {
    let mut sum = Checksum::new();
    Hasher::write(&mut sum, b"tug");
    (1_u8, -2_i32, 3_u128, 4_usize).hash(&mut sum);
    let words = [3, 0x67_7574, 1, u64::MAX - 1, 3, 0, 4];
    assert_eq!(Hasher::finish(&sum), sum_of(&words));
}
