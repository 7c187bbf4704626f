use core::marker::PhantomData;
use core::num::NonZeroU32;

#[cfg(feature = "bevy_reflect")]
use crate::base::reflect::*;

use super::plain::{own_methods, plain_handle};
use super::sealed::{IndexBits, Widths};
use super::{HandleLayout, Word, dangling, sealed};

/// A four-byte handle: `INDEX_BITS` bits of index (1 to 31), the rest generation.
///
/// `Option<Handle32<T, N>>` is four bytes too. With the default of 20 index bits, a pool has up to
/// 1,048,576 slots, and each slot 4,095 lifetimes before it retires. With 16 or fewer index bits, a
/// pool stores its slot numbers in two bytes each; with 16 or more, its generations.
///
/// ```
/// use millpond::{Handle32, Pool};
///
/// let mut pool = Pool::<&str>::builder().handle::<Handle32<&str>>().capacity(1000).build();
/// let handle: Handle32<&str> = pool.insert("ship").unwrap();
/// assert_eq!(size_of_val(&Some(handle)), 4);
/// assert_eq!(handle.to_string(), "0v1");
/// ```
///
/// More than 31 index bits do not compile:
///
/// ```compile_fail
/// use millpond::{Handle32, Pool};
/// let pool = Pool::<u8>::builder().handle::<Handle32<u8, 32>>().capacity(10).build();
/// ```
#[cfg_attr(
    feature = "bevy_reflect",
    derive(bevy_reflect::Reflect),
    reflect(opaque),
    reflect(Clone, Debug, Default, Hash, PartialEq),
    reflect(where Self: HandleLayout),
    type_path = "millpond",
    cfg_attr(feature = "serde", reflect(Serialize, Deserialize))
)]
#[repr(transparent)]
pub struct Handle32<T: ?Sized, const INDEX_BITS: u32 = 20> {
    /// Index in the upper `INDEX_BITS` bits, generation (at least 1) in the rest.
    bits: NonZeroU32,
    label: PhantomData<fn() -> T>,
}

impl<T: ?Sized, const INDEX_BITS: u32> Handle32<T, INDEX_BITS> {
    const GENERATION_BITS: u32 = {
        assert!(1 <= INDEX_BITS && INDEX_BITS <= 31, "a Handle32 has 1 to 31 index bits");
        32 - INDEX_BITS
    };

    /// All generation bits set, except with 16 of them, where the pool's word needs one for "dead".
    const GENERATION_MAX: u32 =
        if Self::GENERATION_BITS == 16 { (1 << 15) - 1 } else { u32::MAX >> INDEX_BITS };

    /// The last index, and no generation.
    const DANGLING_BITS: u32 = u32::MAX << Self::GENERATION_BITS;

    /// The handle that no pool ever issues and every pool and side table refuses: a null value for data that
    /// has no room for an `Option`; see [`Handle::DANGLING`](super::Handle::DANGLING). Its index is the last that
    /// fits, its generation 0. It is also the [`Default`].
    ///
    /// ```
    /// use millpond::Handle32;
    ///
    /// let none = Handle32::<(), 20>::DANGLING;
    /// assert_eq!((none.index(), none.generation()), ((1 << 20) - 1, 0));
    /// assert_eq!(Handle32::from_bits(none.to_bits()), Some(none));
    /// ```
    pub const DANGLING: Self = match NonZeroU32::new(Self::DANGLING_BITS) {
        Some(bits) => Self { bits, label: PhantomData },
        None => unreachable!(),
    };

    #[inline]
    const fn raw(self) -> u32 {
        self.bits.get()
    }

    /// Returns whether this is [`DANGLING`](Self::DANGLING).
    #[inline]
    #[must_use]
    pub const fn is_dangling(self) -> bool {
        self.bits.get() == Self::DANGLING_BITS
    }

    /// Returns the index of the slot that this handle names: from 0 to the pool's capacity − 1.
    #[inline]
    #[must_use]
    pub const fn index(self) -> u32 {
        self.bits.get() >> Self::GENERATION_BITS
    }

    /// Returns the generation, which says which lifetime of the slot this handle names: at least 1,
    /// or 0 for [`DANGLING`](Self::DANGLING).
    #[inline]
    #[must_use]
    pub const fn generation(self) -> u32 {
        self.bits.get() & (u32::MAX >> INDEX_BITS)
    }

    /// Returns the handle as a number that [`from_bits`](Self::from_bits) converts back: the index
    /// in the upper `INDEX_BITS` of 32 bits, the generation below; the upper 32 of the 64 bits are
    /// 0.
    #[inline]
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        self.bits.get() as u64
    }

    /// Returns the handle with these bits, or `None` if no pool can ever issue it (more than 32
    /// bits, or a generation of 0 or beyond the layout's last) and it is not
    /// [`DANGLING`](Self::DANGLING).
    ///
    /// ```
    /// use millpond::Handle32;
    ///
    /// let handle = Handle32::<(), 24>::from_bits(3 << 8 | 7).unwrap();
    /// assert_eq!(handle.to_string(), "3v7");
    /// assert_eq!(Handle32::<(), 24>::from_bits(3 << 8), None);
    /// assert_eq!(Handle32::<(), 24>::from_bits(1 << 32 | 7), None);
    /// ```
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u64) -> Option<Self> {
        if bits > u32::MAX as u64 {
            return None;
        }
        let bits = bits as u32;
        Self::from_parts(bits >> Self::GENERATION_BITS, bits & (u32::MAX >> INDEX_BITS))
    }

    /// The handle with these bits, if a pool can issue it, or the dangling one.
    #[inline]
    pub(super) const fn issued(bits: u64) -> Option<Self> {
        Self::from_bits(bits)
    }

    /// Returns the handle with this index and generation, or `None` if this layout cannot hold
    /// them.
    ///
    /// ```
    /// use millpond::Handle32;
    ///
    /// assert_eq!(Handle32::<(), 24>::from_parts(3, 255).unwrap().to_string(), "3v255");
    /// assert_eq!(Handle32::<(), 24>::from_parts(3, 256), None);
    /// ```
    #[inline]
    #[must_use]
    pub const fn from_parts(index: u32, generation: u32) -> Option<Self> {
        let last = Self::DANGLING.index();
        let is_handle = generation > 0 || index == last;
        match NonZeroU32::new(index << Self::GENERATION_BITS | generation) {
            Some(bits) if is_handle && index <= last && generation <= Self::GENERATION_MAX => {
                Some(Self { bits, label: PhantomData })
            }
            _ => None,
        }
    }

    /// Returns the same handle with another label; see [`Handle::relabel`](super::Handle::relabel).
    #[inline]
    #[must_use]
    pub const fn relabel<U: ?Sized>(self) -> Handle32<U, INDEX_BITS> {
        Handle32 { bits: self.bits, label: PhantomData }
    }
}

plain_handle! {
    [T: ?Sized, const INDEX_BITS: u32] Handle32<T, INDEX_BITS>, erased to Handle32<(), INDEX_BITS>
}

/// What a pool stores beside handles of this many index bits.
macro_rules! widths {
    ($index:ty, $word:ty: $($bits:literal)*) => {$(
        impl Widths for IndexBits<$bits> {
            type Index = $index;
            type Word = $word;
        }
    )*};
}
widths!(u16, u32: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
widths!(u16, u16: 16);
widths!(u32, u16: 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);

impl<T: ?Sized, const INDEX_BITS: u32> HandleLayout for Handle32<T, INDEX_BITS>
where
    IndexBits<INDEX_BITS>: Widths,
{
    const CAPACITY_MAX: usize = 1 << INDEX_BITS;
    const LIFETIMES_MAX: u32 = Self::GENERATION_MAX;
    const DANGLING: Self = Self::DANGLING;
    type Erased = Handle32<(), INDEX_BITS>;
    type Index = <IndexBits<INDEX_BITS> as Widths>::Index;
    type Word = <IndexBits<INDEX_BITS> as Widths>::Word;

    own_methods!();
}

impl<const INDEX_BITS: u32> sealed::Layout for Handle32<(), INDEX_BITS>
where
    IndexBits<INDEX_BITS>: Widths,
{
    #[inline]
    fn of_kept(index: usize, generation: Self::Word) -> Self {
        let bits = (index as u32) << Self::GENERATION_BITS | generation.generation();
        match NonZeroU32::new(bits) {
            Some(bits) => Self { bits, label: PhantomData },
            None => dangling(),
        }
    }
    #[inline]
    fn of_live(index: usize, generation: Self::Word) -> Self {
        let bits = (index as u32) << Self::GENERATION_BITS | generation.generation();
        let bits = NonZeroU32::new(bits).unwrap_or(Self::DANGLING.bits);
        Self { bits, label: PhantomData }
    }
    #[inline]
    fn word_of(self) -> Self::Word {
        Word::from_generation(self.generation())
    }
    #[inline]
    fn successor(self) -> Self {
        debug_assert!(self.generation() < Self::LIFETIMES_MAX);
        let bits = self.bits.checked_add(1).expect("a larger generation fits");
        Self { bits, label: PhantomData }
    }
}
