use core::marker::PhantomData;
use core::num::NonZeroU32;

#[cfg(feature = "bevy_reflect")]
use crate::base::reflect::*;

use super::plain::{own_methods, plain_handle};
use super::{HandleLayout, Word, dangling, sealed};

/// An eight-byte handle: 32 bits of index, 31 bits of generation.
///
/// `Option<Handle<T>>` is eight bytes too. `T` is only a label, which keeps handles of one kind
/// from being passed to pools of another kind by mistake. A handle is `Copy`, `Send` and `Sync`
/// whatever `T` is. Handles are ordered by index first, so sorted handles visit memory in address
/// order.
///
/// A handle prints as index, `v`, generation:
///
/// ```
/// use millpond::Pool;
///
/// let mut pool = Pool::new(8);
/// let handle = pool.insert("ship").unwrap();
/// assert_eq!(format!("{handle}"), "0v1");
/// assert_eq!(size_of_val(&Some(handle)), 8);
/// ```
#[cfg_attr(
    feature = "bevy_reflect",
    derive(bevy_reflect::Reflect),
    reflect(opaque),
    reflect(Clone, Debug, Default, Hash, PartialEq),
    type_path = "millpond",
    cfg_attr(feature = "serde", reflect(Serialize, Deserialize))
)]
#[repr(C)]
pub struct Handle<T: ?Sized> {
    // Two numbers, because a pool needs them in two registers: one would be cut apart and put together each time. In
    // memory, they are the one of `to_bits`.
    #[cfg(target_endian = "big")]
    index: u32,
    /// 1 to 2^31 − 1, or 2^31 if the handle is [dangling](Self::DANGLING).
    generation: NonZeroU32,
    #[cfg(target_endian = "little")]
    index: u32,
    label: PhantomData<fn() -> T>,
}

/// The largest generation, because the top bit of a pool's generation word means "dead".
const GENERATION_MAX: u32 = u32::MAX >> 1;

/// Generation 0 as a handle keeps it.
const GENERATION_0: NonZeroU32 = NonZeroU32::MIN.saturating_add(GENERATION_MAX);

impl<T: ?Sized> Handle<T> {
    /// The handle that no pool ever issues and every pool and side table refuses: a null value for data that
    /// has no room for an `Option`. Its index is `u32::MAX`, its generation 0. It is also the [`Default`]. In memory, it
    /// has the top bit of the generation, unlike in [`to_bits`](Self::to_bits).
    ///
    /// ```
    /// use millpond::{Handle, Pool};
    ///
    /// struct Node {
    ///     parent: Handle<Node>,
    /// }
    /// let mut nodes = Pool::new(8);
    /// let root = nodes.insert(Node { parent: Handle::DANGLING }).unwrap();
    /// assert!(nodes.get(nodes[root].parent).is_none() && nodes[root].parent.is_dangling());
    /// ```
    pub const DANGLING: Self = Self::of(u32::MAX, GENERATION_0);

    #[inline]
    const fn of(index: u32, generation: NonZeroU32) -> Self {
        Self { index, generation, label: PhantomData }
    }

    /// Both numbers, the generation as it is kept.
    #[inline]
    const fn raw(self) -> u64 {
        (self.index as u64) << 32 | self.generation.get() as u64
    }

    /// Returns whether this is [`DANGLING`](Self::DANGLING).
    #[inline]
    #[must_use]
    pub const fn is_dangling(self) -> bool {
        self.index == u32::MAX
    }

    /// Returns the index of the slot that this handle names: from 0 to the pool's capacity − 1,
    /// or `u32::MAX` for [`DANGLING`](Self::DANGLING).
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// pool.insert('a').unwrap();
    /// assert_eq!(pool.insert('b').unwrap().index(), 1);
    /// ```
    #[inline]
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// Returns the generation, which says which lifetime of the slot this handle names: from 1 to
    /// 2^31 − 1, or 0 for [`DANGLING`](Self::DANGLING).
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(1);
    /// let first = pool.insert('a').unwrap();
    /// pool.remove(first);
    /// assert_eq!(pool.insert('b').unwrap().generation(), first.generation() + 1);
    /// ```
    #[inline]
    #[must_use]
    pub const fn generation(self) -> u32 {
        self.generation.get() & GENERATION_MAX
    }

    /// Returns the handle as a number that [`from_bits`](Self::from_bits) converts back: the index
    /// in the upper 32 bits, the generation in the lower. Never 0. The layout is part of the public
    /// interface.
    #[inline]
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        (self.index as u64) << 32 | self.generation() as u64
    }

    /// Returns the handle with these bits, or `None` if no pool can ever issue it (generation 0 or
    /// above 2^31 − 1, or index `u32::MAX`) and it is not [`DANGLING`](Self::DANGLING). The pool
    /// checks whether the object is live, so bits from an untrusted file are safe.
    ///
    /// ```
    /// use millpond::Handle;
    ///
    /// let handle = Handle::<()>::from_bits(3 << 32 | 7).unwrap();
    /// assert_eq!(handle.to_string(), "3v7");
    /// assert_eq!(Handle::<()>::from_bits(0), None);
    /// ```
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u64) -> Option<Self> {
        if bits == (u32::MAX as u64) << 32 {
            return Some(Self::DANGLING);
        }
        Self::issued(bits)
    }

    /// The handle with these bits, if a pool can issue it.
    #[inline]
    pub(super) const fn issued(bits: u64) -> Option<Self> {
        let (index, generation) = ((bits >> 32) as u32, bits as u32);
        if generation > GENERATION_MAX || index == u32::MAX {
            return None;
        }
        match NonZeroU32::new(generation) {
            Some(generation) => Some(Self::of(index, generation)),
            None => None,
        }
    }

    /// Returns the handle with this index and generation, or `None` where
    /// [`from_bits`](Self::from_bits) returns `None`.
    ///
    /// ```
    /// use millpond::Handle;
    ///
    /// assert_eq!(Handle::<()>::from_parts(3, 7).unwrap().to_string(), "3v7");
    /// assert_eq!(Handle::<()>::from_parts(3, 0), None);
    /// ```
    #[inline]
    #[must_use]
    pub const fn from_parts(index: u32, generation: u32) -> Option<Self> {
        Self::from_bits((index as u64) << 32 | generation as u64)
    }

    /// Returns the same handle with another label, for pools that share their handles (structure of
    /// arrays, an allocator beside several arrays).
    ///
    /// ```
    /// use millpond::Handle;
    ///
    /// struct Position;
    /// struct Velocity;
    /// let position = Handle::<Position>::from_parts(3, 7).unwrap();
    /// let velocity: Handle<Velocity> = position.relabel();
    /// assert_eq!(velocity.to_bits(), position.to_bits());
    /// ```
    #[inline]
    #[must_use]
    pub const fn relabel<U: ?Sized>(self) -> Handle<U> {
        Handle::of(self.index, self.generation)
    }
}

plain_handle!([T: ?Sized] Handle<T>, erased to Handle<()>);

impl<T: ?Sized> HandleLayout for Handle<T> {
    /// One less than 2^32, so that `u32::MAX` can mean "no slot".
    const CAPACITY_MAX: usize = u32::MAX as usize;
    const LIFETIMES_MAX: u32 = GENERATION_MAX;
    const DANGLING: Self = Self::DANGLING;
    type Erased = Handle<()>;
    type Index = u32;
    type Word = u32;

    own_methods!();
}

impl sealed::Layout for Handle<()> {
    #[inline]
    fn of_kept(index: usize, generation: u32) -> Self {
        // Without the top bit, so that no handle can be equal to the word of a dead slot.
        match NonZeroU32::new(generation.generation()) {
            Some(generation) => Self::of(index as u32, generation),
            None => dangling(),
        }
    }
    #[inline]
    fn of_live(index: usize, generation: u32) -> Self {
        Self::of(index as u32, NonZeroU32::new(generation.generation()).unwrap_or(GENERATION_0))
    }
    /// No slot has the index of a dangling handle, whose word is that of a retired slot.
    #[inline]
    fn word_of(self) -> u32 {
        self.generation.get()
    }
    #[inline]
    fn successor(self) -> Self {
        debug_assert!(self.generation() < Self::LIFETIMES_MAX);
        Self::of(self.index, self.generation.checked_add(1).expect("a larger generation fits"))
    }
}
