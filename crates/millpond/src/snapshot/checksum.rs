//! Checksums of a pool's state: equal states have equal checksums, on every machine.

use core::hash::Hasher;

use crate::handle::{Handle, Handle32};

/// Computes a 64-bit checksum that is the same on every platform: it does not depend on byte order,
/// pointer width or padding.
///
/// It detects that the states of two machines differ. It does not protect against forgery.
///
/// It is also a [`Hasher`], for types that implement `Hash` but not [`ToChecksum`]. Beware: the
/// standard library hashes slices and arrays of integers as they lie in memory, so their checksum
/// is the same only on machines with the same byte order (and, for `usize`, pointer width).
/// [`ToChecksum`] has no such exception.
///
/// ```
/// use millpond::snapshot::Checksum;
///
/// let mut sum = Checksum::new();
/// sum.add(&3_u8);
/// sum.add(&[1.5_f32, -2.0]);
/// assert_eq!(sum.finish(), 0xf4fb_47e6_b070_5ba9); // on every machine
/// ```
#[derive(Clone, Debug)]
pub struct Checksum {
    state: u64,
}

/// Odd and without a pattern: the fraction of the golden ratio, as in SplitMix64.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
/// The fraction of the square root of 2.
const START: u64 = 0x6a09_e667_f3bc_c908;

/// The two halves of the product, combined by XOR: each bit of the result depends on all bits of
/// both factors.
#[inline(always)]
fn folded_product(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ (product >> 64) as u64
}

impl Checksum {
    /// Creates the checksum of nothing.
    #[inline]
    #[must_use]
    pub const fn new() -> Self {
        Self { state: START }
    }

    /// Adds a value.
    #[inline]
    pub fn add<V: ToChecksum + ?Sized>(&mut self, value: &V) {
        value.add_to(self);
    }

    /// Adds a 64-bit word.
    #[inline]
    pub fn add_word(&mut self, word: u64) {
        // Rotated, so that the same words in another order have another checksum.
        self.state = folded_product(self.state.rotate_left(23) ^ word, FACTOR) ^ word;
    }

    /// Adds bytes and their number.
    #[inline]
    pub fn add_bytes(&mut self, bytes: &[u8]) {
        self.add_word(bytes.len() as u64);
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.add_word(u64::from_le_bytes(word.try_into().unwrap_or_default()));
        }
        let rest = words.remainder();
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.add_word(u64::from_le_bytes(word));
        }
    }

    /// Returns the checksum of what was added so far.
    #[inline]
    #[must_use]
    pub fn finish(&self) -> u64 {
        folded_product(self.state ^ START, FACTOR)
    }
}

impl Default for Checksum {
    #[inline]
    fn default() -> Self {
        Self::new()
    }
}

macro_rules! hash_numbers {
    ($($method:ident($number:ty)),*) => {$(
        #[inline]
        fn $method(&mut self, number: $number) {
            self.add(&number);
        }
    )*};
}

impl Hasher for Checksum {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.add_bytes(bytes);
    }

    hash_numbers! {
        write_u8(u8), write_u16(u16), write_u32(u32), write_u64(u64), write_u128(u128), write_usize(usize),
        write_i8(i8), write_i16(i16), write_i32(i32), write_i64(i64), write_i128(i128), write_isize(isize)
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.finish()
    }
}

/// A value that can be added to a [`Checksum`], in the same way on every platform.
///
/// Implemented for integers and floating-point numbers, `bool`, `char`, text, handles (including
/// those that [`handle_type!`](crate::handle_type) declares), and arrays, slices, tuples, options
/// and boxes of such values. For your own type, list its fields with
/// [`checksum_fields!`](crate::checksum_fields), or implement the method:
///
/// ```
/// use millpond::snapshot::{Checksum, ToChecksum};
///
/// enum Weapon {
///     Fist,
///     Gun { rounds: u16 },
/// }
///
/// impl ToChecksum for Weapon {
///     fn add_to(&self, sum: &mut Checksum) {
///         match self {
///             Weapon::Fist => sum.add(&0_u8),
///             Weapon::Gun { rounds } => {
///                 sum.add(&1_u8);
///                 sum.add(rounds);
///             }
///         }
///     }
/// }
/// ```
///
/// Leave out what may differ between two machines in the same state: data for drawing only, caches,
/// addresses.
///
/// All NaNs are equal, because the same calculation yields different ones on different machines;
/// `0.0` and `-0.0` differ. Whether floating-point *calculations* have the same results on every
/// machine is up to the program: additions and multiplications do, `sin` and the like do not.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no checksum",
    label = "not `ToChecksum`",
    note = "write `millpond::checksum_fields!({Self} {{ field, … }});`, or use the pool's `checksum_with`"
)]
pub trait ToChecksum {
    /// Adds the value.
    fn add_to(&self, sum: &mut Checksum);

    /// Adds several values in a row, without their number.
    #[doc(hidden)]
    #[inline]
    fn add_all_to(values: &[Self], sum: &mut Checksum)
    where
        Self: Sized,
    {
        values.iter().for_each(|value| value.add_to(sum));
    }
}

/// Implements [`ToChecksum`](crate::snapshot::ToChecksum) for a struct, from lists of all its
/// fields. A field that is in neither list does not compile.
///
/// ```
/// use millpond::{checksum_fields, Pool};
///
/// struct Bullet {
///     position: [f32; 2],
///     damage: u16,
///     trail: Vec<[f32; 2]>, // is only drawn
/// }
/// checksum_fields!(Bullet { position, damage } without { trail });
///
/// let mut here = Pool::new(8);
/// let mut there = Pool::new(8);
/// for pool in [&mut here, &mut there] {
///     pool.insert(Bullet { position: [1.0, 2.0], damage: 3, trail: vec![] }).unwrap();
/// }
/// here.values_mut().for_each(|bullet| bullet.trail.push(bullet.position));
/// assert_eq!(here.checksum(), there.checksum());
/// there.values_mut().for_each(|bullet| bullet.damage += 1);
/// assert_ne!(here.checksum(), there.checksum());
/// ```
#[macro_export]
macro_rules! checksum_fields {
    ($type:ident { $($field:ident),* $(,)? } $(without { $($skipped:ident),* $(,)? })?) => {
        impl $crate::snapshot::ToChecksum for $type {
            fn add_to(&self, sum: &mut $crate::snapshot::Checksum) {
                let $type { $($field,)* $($($skipped: _,)*)? } = self;
                $(sum.add($field);)*
            }
        }
    };
}

macro_rules! small_numbers {
    ($($number:ty as $wide:ty),*) => {$(
        impl ToChecksum for $number {
            #[inline]
            fn add_to(&self, sum: &mut Checksum) {
                sum.add_word(*self as $wide as u64);
            }
        }
    )*};
}
small_numbers!(bool as u64, u16 as u64, u32 as u64, u64 as u64, usize as u64, char as u64);
small_numbers!(i8 as i64, i16 as i64, i32 as i64, i64 as i64, isize as i64);

impl ToChecksum for u8 {
    #[inline]
    fn add_to(&self, sum: &mut Checksum) {
        sum.add_word(u64::from(*self));
    }

    #[inline]
    fn add_all_to(values: &[Self], sum: &mut Checksum) {
        sum.add_bytes(values);
    }
}

impl ToChecksum for u128 {
    #[inline]
    fn add_to(&self, sum: &mut Checksum) {
        sum.add_word(*self as u64);
        sum.add_word((*self >> 64) as u64);
    }
}

impl ToChecksum for i128 {
    #[inline]
    fn add_to(&self, sum: &mut Checksum) {
        (*self as u128).add_to(sum);
    }
}

impl ToChecksum for f32 {
    #[inline]
    fn add_to(&self, sum: &mut Checksum) {
        let bits = if self.is_nan() { 0x7fc0_0000 } else { self.to_bits() };
        bits.add_to(sum);
    }
}

impl ToChecksum for f64 {
    #[inline]
    fn add_to(&self, sum: &mut Checksum) {
        let bits = if self.is_nan() { 0x7ff8_0000_0000_0000 } else { self.to_bits() };
        bits.add_to(sum);
    }
}

impl ToChecksum for str {
    #[inline]
    fn add_to(&self, sum: &mut Checksum) {
        sum.add_bytes(self.as_bytes());
    }
}

impl<V: ToChecksum> ToChecksum for [V] {
    #[inline]
    fn add_to(&self, sum: &mut Checksum) {
        sum.add_word(self.len() as u64);
        V::add_all_to(self, sum);
    }
}

/// Without its length, which is part of its type.
impl<V: ToChecksum, const N: usize> ToChecksum for [V; N] {
    #[inline]
    fn add_to(&self, sum: &mut Checksum) {
        V::add_all_to(self, sum);
    }
}

impl<V: ToChecksum> ToChecksum for Option<V> {
    #[inline]
    fn add_to(&self, sum: &mut Checksum) {
        sum.add_word(u64::from(self.is_some()));
        if let Some(value) = self {
            value.add_to(sum);
        }
    }
}

macro_rules! tuples {
    ($($($name:ident $at:tt)*;)*) => {$(
        impl<$($name: ToChecksum),*> ToChecksum for ($($name,)*) {
            #[inline]
            fn add_to(&self, _sum: &mut Checksum) {
                $(self.$at.add_to(_sum);)*
            }
        }
    )*};
}
tuples! {
    ;
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
}

/// What is added as that to which it leads.
macro_rules! pointers {
    ($([$($generics:tt)*] $pointer:ty;)*) => {$(
        impl<$($generics)*> ToChecksum for $pointer {
            #[inline]
            fn add_to(&self, sum: &mut Checksum) {
                (**self).add_to(sum);
            }
        }
    )*};
}
pointers!([V: ToChecksum + ?Sized] &V;);
#[cfg(feature = "alloc")]
pointers! {
    [V: ToChecksum + ?Sized] alloc::boxed::Box<V>;
    [V: ToChecksum] alloc::vec::Vec<V>;
    [] alloc::string::String;
}

impl<T: ?Sized> ToChecksum for Handle<T> {
    #[inline]
    fn add_to(&self, sum: &mut Checksum) {
        sum.add_word(self.to_bits());
    }
}

impl<T: ?Sized, const INDEX_BITS: u32> ToChecksum for Handle32<T, INDEX_BITS> {
    #[inline]
    fn add_to(&self, sum: &mut Checksum) {
        sum.add_word(self.to_bits());
    }
}
