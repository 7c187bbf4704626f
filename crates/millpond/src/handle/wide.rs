use core::marker::PhantomData;
use core::num::NonZeroU64;

use super::plain::{or_dangling_method, own_methods, plain_handle};
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
pub struct Handle<T: ?Sized> {
    /// Index in the upper half, generation (1 to 2^31 − 1) in the lower half.
    bits: NonZeroU64,
    label: PhantomData<fn() -> T>,
}

/// The largest generation, because the top bit of a pool's generation word means "dead".
const GENERATION_MAX: u32 = u32::MAX >> 1;

/// The index that no pool has, and generation 0.
const DANGLING_BITS: u64 = (u32::MAX as u64) << 32;

impl<T: ?Sized> Handle<T> {
    /// The handle that no pool ever issues and every pool and side table refuses: a null value for data that
    /// has no room for an `Option`. Its index is `u32::MAX`, its generation 0. It is also the [`Default`].
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
    pub const DANGLING: Self = match NonZeroU64::new(DANGLING_BITS) {
        Some(bits) => Self { bits, label: PhantomData },
        None => unreachable!(),
    };

    /// Returns whether this is [`DANGLING`](Self::DANGLING).
    #[inline]
    #[must_use]
    pub const fn is_dangling(self) -> bool {
        self.bits.get() == DANGLING_BITS
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
        (self.bits.get() >> 32) as u32
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
        self.bits.get() as u32
    }

    /// Returns the handle as a number that [`from_bits`](Self::from_bits) converts back: the index
    /// in the upper 32 bits, the generation in the lower. Never 0. The layout is part of the public
    /// interface.
    #[inline]
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        self.bits.get()
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
        if bits == DANGLING_BITS {
            return Some(Self::DANGLING);
        }
        let generation = bits as u32;
        if generation == 0 || generation > GENERATION_MAX || bits >> 32 == u32::MAX as u64 {
            return None;
        }
        match NonZeroU64::new(bits) {
            Some(bits) => Some(Self { bits, label: PhantomData }),
            None => None,
        }
    }

    or_dangling_method!(example "Handle<()>");

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
        Handle { bits: self.bits, label: PhantomData }
    }

    /// Returns the same handle without its label, to store it together with handles of other types.
    /// [`from_erased`](Self::from_erased) restores the label.
    ///
    /// ```
    /// use millpond::{Handle, Pool};
    ///
    /// let mut ships = Pool::new(8);
    /// let mut names = Pool::new(8);
    /// let ship = ships.insert(1.5).unwrap();
    /// let name = names.insert("cutter").unwrap();
    /// let selected: [Handle<()>; 2] = [ship.erase(), name.erase()];
    /// assert_eq!(names[Handle::from_erased(selected[1])], "cutter");
    /// ```
    #[inline]
    #[must_use]
    pub const fn erase(self) -> Handle<()> {
        self.relabel()
    }

    /// Returns `erased` with the label `T` again; the inverse of [`erase`](Self::erase). The label
    /// is not checked.
    #[inline]
    #[must_use]
    pub const fn from_erased(erased: Handle<()>) -> Self {
        erased.relabel()
    }
}

plain_handle!([T: ?Sized] Handle<T>);

impl<T: ?Sized> HandleLayout for Handle<T> {
    /// One less than 2^32, so that `u32::MAX` can mean "no slot".
    const CAPACITY_MAX: usize = u32::MAX as usize;
    const LIFETIMES_MAX: u32 = GENERATION_MAX;
    const DANGLING: Self = Self::DANGLING;
    type Erased = Handle<()>;
    type Index = u32;
    type Word = u32;

    own_methods!();

    #[inline]
    fn of_kept(index: usize, generation: u32, _: sealed::Issuer) -> Self {
        // Without the top bit, so that no handle can be equal to the word of a dead slot.
        let bits = (index as u64) << 32 | u64::from(generation.generation());
        match NonZeroU64::new(bits) {
            Some(bits) => Self { bits, label: PhantomData },
            None => dangling(),
        }
    }
    #[inline]
    fn of_live(index: usize, generation: u32, _: sealed::Issuer) -> Self {
        let bits = (index as u64) << 32 | u64::from(generation.generation());
        Self { bits: NonZeroU64::new(bits).unwrap_or(Self::DANGLING.bits), label: PhantomData }
    }
}
