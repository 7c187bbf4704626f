//! Handles: an index and a generation in four or eight bytes.
//!
//! A handle names one *lifetime* of one slot. It is plain data: copying it costs nothing, it can be
//! stored, sorted, hashed, sent to another thread, and converted to bits and back. Only the pool
//! that issued it gives it a meaning, and that pool refuses it once the object is removed.
//!
//! # Which layout?
//!
//! | layout | bytes | maximum slots | lifetimes per slot | use it for |
//! | --- | --- | --- | --- | --- |
//! | [`Handle`] | 8 | 4,294,967,295 | 2,147,483,647 | everything, unless handles are stored by the million |
//! | [`Handle32<T, 16>`](Handle32) | 4 | 65,536 | 32,767 | small pools: also halves the pool's own bookkeeping |
//! | [`Handle32<T, 20>`](Handle32) | 4 | 1,048,576 | 4,095 | entities that live for seconds |
//! | [`Handle32<T, 24>`](Handle32) | 4 | 16,777,216 | 255 | many long-lived objects (textures, chunks of a map) |
//!
//! The number of lifetimes is also the number of points at which the generations of a pool with a
//! [name](crate::pool::PoolBuilder::name) can start. So only [`Handle`], with eight bytes, makes it
//! overwhelmingly probable that a pool refuses another pool's handles: with 24 index bits, two of
//! sixteen named pools start at the same point with a probability of about 40 %, and then accept
//! each other's handles.
//!
//! [`handle_type!`](crate::handle_type) declares a type of your own, such as a `NodeKey` instead of
//! `Handle<Node>`. It has one of these layouts, and works wherever they do.
//!
//! # No handle
//!
//! Store an `Option<Handle<T>>` where there may be no handle: it is as small as the handle. For
//! code that uses a null value instead, there is [`DANGLING`](Handle::DANGLING), which no pool
//! issues and every pool and side table refuses. It is also the [`Default`].
//!
//! # Retirement
//!
//! A slot whose lifetimes are used up [retires](crate::pool::PoolBuilder::wrap): it is never
//! reused, so that no handle can ever match a later object, unless the pool was built to
//! [wrap](crate::pool::PoolBuilder::wrap).

#[cfg(feature = "packed")]
#[allow(unsafe_code)]
pub(crate) mod erased;
mod explanation;
#[allow(unsafe_code)]
pub(crate) mod key;
mod narrow;
pub(crate) mod parse;
pub(crate) mod plain;
mod refusal;
#[cfg(feature = "serde")]
pub(crate) mod serde;
mod wide;

#[allow(unused_imports, reason = "a module of that name comes first")]
pub(crate) use key::left_out::*;

pub use explanation::Explanation;
#[doc(hidden)]
pub use key::HandleType;
pub use narrow::Handle32;
pub use parse::ParseHandleError;
pub use refusal::Refusal;
pub use wide::Handle;

use core::fmt::{Debug, Display};
use core::hash::Hash;

/// A handle type: [`Handle`], [`Handle32`], or one that [`handle_type!`](crate::handle_type)
/// declares.
///
/// Sealed, because the pools' safety relies on what these types guarantee. Other types cannot
/// implement it:
///
/// ```compile_fail
/// use millpond::{Handle, HandleLayout};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
/// struct Mine;
/// impl millpond::handle::sealed::Sealed for Mine {}
/// ```
///
/// and other crates cannot make a handle from unchecked parts:
///
/// ```compile_fail
/// use millpond::{Handle, HandleLayout};
///
/// let forged = <<Handle<u8> as HandleLayout>::Erased>::of_live(1, 0);
/// ```
///
/// Only handle types can be parameters of a pool:
///
/// ```compile_fail,E0277
/// use millpond::{Pool, reuse::Lifo};
///
/// struct NodeKey; // instead: millpond::handle_type! { struct NodeKey; }
/// let nodes: Pool<u8, Lifo, NodeKey> = Pool::with_capacity(8);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a handle type",
    label = "not a handle type",
    note = "handles are `Handle<T>`, `Handle32<T, INDEX_BITS>` with 1 to 31 index bits, or a type that `millpond::handle_type! {{ pub struct Name; }}` declares",
    note = "the handles of a pool of `{Self}` values are of type `Handle<{Self}>`"
)]
pub trait HandleLayout:
    Copy + Eq + Ord + Hash + Debug + Display + Send + Sync + sealed::Sealed
{
    /// The maximum number of slots of a pool with this layout.
    const CAPACITY_MAX: usize;
    /// The maximum number of lifetimes per slot, which is also the largest generation.
    const LIFETIMES_MAX: u32;
    /// The handle that no pool ever issues and every pool refuses: the last index that fits, generation 0.
    const DANGLING: Self;
    /// This handle type without a label, so that handles of several types can be stored
    /// together.
    type Erased: HandleLayout<Index = Self::Index, Word = Self::Word> + sealed::Layout;
    /// The type in which a pool with this layout stores a slot index: `u16` or `u32`.
    type Index: Word;
    /// The type in which a pool with this layout stores a generation: `u16` or `u32`.
    #[doc(hidden)]
    type Word: Word;

    /// Returns the index of the slot that this handle names.
    fn index(self) -> u32;
    /// Returns the generation, which says which lifetime of the slot this handle names: at least 1,
    /// or 0 for [`DANGLING`](Self::DANGLING).
    fn generation(self) -> u32;
    /// Returns whether this is [`DANGLING`](Self::DANGLING).
    ///
    /// ```
    /// use millpond::{Handle, HandleLayout};
    ///
    /// fn known<H: HandleLayout>(handle: H) -> Option<H> {
    ///     (!handle.is_dangling()).then_some(handle)
    /// }
    /// assert_eq!(known(Handle::<u8>::DANGLING), None);
    /// ```
    #[inline]
    fn is_dangling(self) -> bool {
        self == Self::DANGLING
    }
    /// Returns the handle as bits: the index above the generation.
    fn to_bits(self) -> u64;
    /// Returns the handle with these bits, or `None` if no pool can ever issue it and it is not
    /// [`DANGLING`](Self::DANGLING).
    fn from_bits(bits: u64) -> Option<Self>;
    /// Returns the handle with this index and generation, or `None` if this layout cannot hold
    /// them.
    fn from_parts(index: u32, generation: u32) -> Option<Self>;

    /// Returns the same handle without its label.
    fn erase(self) -> Self::Erased;
    /// Returns the same handle with this type's label.
    fn from_erased(erased: Self::Erased) -> Self;

    /// The generation as a pool with this layout stores it.
    #[doc(hidden)]
    #[inline(always)]
    fn word(self) -> Self::Word {
        sealed::Layout::word_of(self.erase())
    }
}

/// The handle of a lifetime that a pool with this layout stores: both parts are in range.
/// Whatever they are, the handle's generation has no top bit; if there is no such handle, it is the dangling one.
#[inline(always)]
pub(crate) fn kept<H: HandleLayout>(index: usize, generation: H::Word) -> H {
    H::from_erased(sealed::Layout::of_kept(index, generation))
}

/// Like [`kept`], for loops: without an early exit, but with one step more in the dependency chain.
#[inline(always)]
pub(crate) fn live<H: HandleLayout>(index: usize, generation: H::Word) -> H {
    H::from_erased(sealed::Layout::of_live(index, generation))
}

/// An unsigned integer in which a pool stores slot indices, or generations: `u16` or `u32`. A generation's top bit means
/// "dead". The word of a slot that was never used is 0, and stands for the first generation, dead.
#[doc(hidden)]
pub trait Word: Ord + crate::base::OrderEntry + sealed::Sealed {
    /// No bits.
    const ZERO: Self;
    /// The top bit.
    const DEAD: Self;
    /// A dead slot of generation 0: never reused.
    const RETIRED: Self = Self::DEAD;
    /// Converts a slot's index, which fits by construction.
    fn from_index(index: usize) -> Self;
    fn to_index(self) -> usize;
    fn from_generation(generation: u32) -> Self;
    /// All bits.
    fn to_bits(self) -> u32;
    /// The generation, without the top bit.
    fn generation(self) -> u32;
    /// Whether a slot of this word is dead, or was never used.
    fn is_dead(self) -> bool;
    /// Whether a slot of this word was never used.
    fn is_unused(self) -> bool;
    fn as_dead(self) -> Self;
    fn as_live(self) -> Self;
    /// The word of a dead slot whose next generation is the successor of this one; the caller has ruled out the largest.
    fn dead_successor(self) -> Self;
    /// Whether a slot of this word is dead and not retired.
    #[inline]
    fn is_vacant(self) -> bool {
        // The mark of a retired slot is the smallest of the dead words.
        self > Self::RETIRED
    }
    /// The words as a source of occupancy.
    fn source(words: &[Self]) -> crate::occupancy::Source<'_>;
}

/// The dangling handle; without its label, so that a program has this function once.
#[cold]
#[inline(never)]
fn dangling<H: HandleLayout>() -> H {
    H::DANGLING
}

/// The handle of a slot that is known to be live, from the words; for loops, because it has no
/// early exit.
#[inline]
pub(crate) fn handle_of_live<H: HandleLayout>(index: usize, words: &[H::Word]) -> H {
    // This is never out of range; any word would do there, so that loops have no early exit for it.
    live(index, words.get(index).copied().unwrap_or(H::Word::ZERO))
}

pub(crate) mod sealed {
    pub trait Sealed {}
    /// What only this crate can do with the handles of a layout, which have no label here: others cannot name it.
    pub trait Layout: crate::handle::HandleLayout {
        /// See `kept`.
        fn of_kept(index: usize, generation: Self::Word) -> Self;
        /// See `live`.
        fn of_live(index: usize, generation: Self::Word) -> Self;
        /// See [`word`](crate::handle::HandleLayout::word).
        fn word_of(self) -> Self::Word;
        /// The handle of the slot's next lifetime. The caller has ruled out the layout's last generation.
        fn successor(self) -> Self;
    }

    impl Sealed for u16 {}
    impl Sealed for u32 {}

    /// A number of index bits.
    #[derive(Debug)]
    pub struct IndexBits<const BITS: u32>;

    /// What a pool stores beside handles with this many index bits: slot indices and generations in
    /// two bytes where they fit.
    #[diagnostic::on_unimplemented(
        message = "a `Handle32` is a handle with 1 to 31 index bits",
        label = "this number of index bits leaves no room for an index or for generations"
    )]
    pub trait Widths {
        type Index: crate::handle::Word;
        type Word: crate::handle::Word;
    }
}

macro_rules! words {
    ($($word:ty: $source:ident, signed: $signed:ty;)*) => {$(
        impl Word for $word {
            const ZERO: Self = 0;
            const DEAD: Self = 1 << (<$word>::BITS - 1);
            #[inline]
            fn from_index(index: usize) -> Self {
                debug_assert!(index <= Self::MAX as usize);
                index as Self
            }
            #[inline]
            fn to_index(self) -> usize {
                self as usize
            }
            #[inline]
            fn from_generation(generation: u32) -> Self {
                debug_assert!(generation < Self::DEAD as u32);
                generation as $word
            }
            #[inline]
            #[allow(clippy::unnecessary_cast, reason = "a cast for one of the two types")]
            fn to_bits(self) -> u32 {
                self as u32
            }
            #[inline]
            #[allow(clippy::unnecessary_cast, reason = "a cast for one of the two types")]
            fn generation(self) -> u32 {
                (self & !Self::DEAD) as u32
            }
            #[inline]
            fn is_dead(self) -> bool {
                self as $signed <= 0
            }
            #[inline]
            fn is_unused(self) -> bool {
                self == 0
            }
            #[inline]
            fn as_dead(self) -> Self {
                self | Self::DEAD
            }
            #[inline]
            fn as_live(self) -> Self {
                self & !Self::DEAD
            }
            #[inline]
            fn dead_successor(self) -> Self {
                // One addition suffices, because the successor has no top bit.
                self.wrapping_add(1 | Self::DEAD)
            }
            #[inline]
            fn source(words: &[Self]) -> crate::occupancy::Source<'_> {
                crate::occupancy::Source::$source(words)
            }
        }
    )*};
}
words! {
    // The top bit is the sign.
    u16: of_narrow, signed: i16;
    u32: of_wide, signed: i32;
}
