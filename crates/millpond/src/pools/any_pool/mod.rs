//! [`AnyPool`], a pool for values of different types behind one trait, and [`AnyValue`], what is in its slots.
//!
//! # Invariant
//!
//! The room of an [`AnyValue`] holds, from its first byte on, an initialised value of the type that `type_id` gives, and
//! `metadata` is what a pointer to it as a `D` has beside its address, which comes first. (`D` may be a supertype of the
//! one at [`new`](AnyValue::new): these differ in lifetimes only, and share vtables.) The [`AnyValue`] owns the value.
//! Nothing points to the value but what is derived from a reference to the [`AnyValue`], which so may move. The room is
//! an `UnsafeCell`, because there may be one in the value. Its other bytes need not be initialised.

mod coerces_from;

pub use coerces_from::CoercesFrom;

use core::any::TypeId;
use core::cell::UnsafeCell;
use core::fmt;
use core::marker::PhantomData;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ops::{Deref, DerefMut};
use core::panic::RefUnwindSafe;
use core::ptr;

use super::pool::Pool;
use crate::handle::Handle;
use crate::slots::reuse::Lifo;

/// A pool for values of different types: every type that implements a trait and fits into an [`AnyValue`].
///
/// Needs the feature `any`.
///
/// Use it instead of a `Vec<Box<dyn Monster>>` for values that differ in type and are treated alike
/// (monsters, widgets, events, effects). Insertion does not allocate, and the values are adjacent
/// in memory. If there are few types, an `enum` in a [`Pool`] is smaller and faster;
/// if there are many types and you iterate over each separately, one pool per type is.
///
/// ```
/// use millpond::{AnyPool, AnyValue};
///
/// trait Monster {
///     fn damage(&self) -> u32;
///     fn grow(&mut self);
/// }
/// millpond::any_pool_trait!(dyn Monster);
///
/// struct Slime(u32);
/// struct Dragon {
///     heads: [u32; 3],
/// }
/// impl Monster for Slime {
///     fn damage(&self) -> u32 { self.0 }
///     fn grow(&mut self) { self.0 += 1 }
/// }
/// impl Monster for Dragon {
///     fn damage(&self) -> u32 { self.heads.iter().sum() }
///     fn grow(&mut self) { self.heads[0] += 10 }
/// }
///
/// let mut monsters = AnyPool::<dyn Monster, 16>::new(100);
/// let slime = monsters.insert(AnyValue::new(Slime(1))).unwrap();
/// let dragon = monsters.insert(AnyValue::new(Dragon { heads: [20, 20, 20] })).unwrap();
/// monsters.values_mut().for_each(|monster| monster.grow());
/// assert_eq!((monsters[slime].damage(), monsters[dragon].damage()), (2, 70));
///
/// // A value as its own type:
/// assert_eq!(monsters[dragon].downcast_ref::<Dragon>().unwrap().heads, [30, 20, 20]);
/// assert!(!monsters[slime].is::<Dragon>());
/// assert!(monsters.remove(slime).is_some()); // runs the drop of a `Slime`
/// assert!(monsters.get(slime).is_none()); // stale: rejected
/// ```
///
/// **Memory**: that of a [`Pool`]. Each slot takes `BYTES` + 16, rounded up to a multiple of 16 (with pointers of 8
/// bytes), a generation word, one bit, and the [reuse order](crate::reuse)'s data.
///
/// **Time**: that of a [`Pool`]. A call of the trait is one through a vtable, as with a `Box<dyn Monster>`.
///
/// **Snapshots**: none, because an [`AnyValue`] cannot be cloned.
///
/// **Threads**: an [`AnyValue`] of `dyn Monster + Send` accepts only values that are `Send`, and is itself
/// `Send`; likewise for `Sync`.
pub type AnyPool<D, const BYTES: usize, R = Lifo, H = Handle<AnyValue<D, BYTES>>> =
    Pool<AnyValue<D, BYTES>, R, H>;

/// A value of any type that coerces to `D`, a trait object type, kept within itself like in a `Box<D>`
/// that needs no heap: of at most `BYTES` bytes, and aligned to at most 16.
///
/// Needs the feature `any`.
///
/// [`AnyPool`] is a [`Pool`] of them; any other pool may have them, too. It takes `BYTES` + 16 bytes, rounded up to a
/// multiple of 16 (with pointers of 8 bytes), also on the stack on its way into a pool. [`any_pool_trait!`](crate::any_pool_trait) says which types coerce to a
/// trait object type of yours.
///
/// ```
/// use std::any::Any;
///
/// use millpond::AnyValue;
///
/// let mut value = AnyValue::<dyn Any, 16>::new(7_u32);
/// *value.downcast_mut::<u32>().unwrap() += 1;
/// assert_eq!((value.downcast_ref::<u32>(), value.downcast_ref::<i32>()), (Some(&8), None));
/// ```
///
/// A value that is too large, or whose alignment is larger than 16, does not compile:
///
/// ```compile_fail
/// millpond::AnyValue::<dyn std::any::Any, 16>::new([0_u8; 17]);
/// ```
/// ```compile_fail
/// #[repr(align(32))]
/// struct Wide;
/// millpond::AnyValue::<dyn std::any::Any, 64>::new(Wide);
/// ```
#[repr(C, align(16))]
pub struct AnyValue<D: ?Sized, const BYTES: usize> {
    room: UnsafeCell<[MaybeUninit<u8>; BYTES]>,
    metadata: *mut (),
    type_id: fn() -> TypeId,
    owns: PhantomData<D>,
}

// SAFETY: it owns a value, which is `Send` if `D` is, as `CoercesFrom` promises; the metadata is a shared vtable, and
// `type_id` a function.
unsafe impl<D: ?Sized + Send, const BYTES: usize> Send for AnyValue<D, BYTES> {}

// SAFETY: as above, with `Sync`: shared, it lends out shared references to its value.
unsafe impl<D: ?Sized + Sync, const BYTES: usize> Sync for AnyValue<D, BYTES> {}

impl<D: ?Sized, const BYTES: usize> Unpin for AnyValue<D, BYTES> {}

impl<D: ?Sized + RefUnwindSafe, const BYTES: usize> RefUnwindSafe for AnyValue<D, BYTES> {}

/// A pointer to a trait object, and its parts: the address, and the metadata.
#[repr(C)]
union Parted<D: ?Sized> {
    whole: *mut D,
    parts: [*mut (); 2],
}

impl<D: ?Sized, const BYTES: usize> AnyValue<D, BYTES> {
    /// Moves `value` in. O(1); does not allocate.
    #[inline]
    #[must_use]
    pub fn new<T: 'static>(value: T) -> Self
    where
        D: CoercesFrom<T>,
    {
        const {
            assert!(size_of::<T>() <= BYTES, "the value is larger than the BYTES of its AnyValue");
            assert!(align_of::<T>() <= 16, "an AnyValue holds values aligned to 16 at most");
            assert!(size_of::<*mut D>() == size_of::<[*mut (); 2]>(), "not a trait object type");
        }
        let address = ptr::dangling_mut::<T>();
        // SAFETY: two words without padding, as was asserted, are read as two words.
        let [first, metadata] = unsafe { Parted { whole: D::coerce(address) }.parts };
        // The order is not promised, but it is the same in every pointer of the type.
        assert_eq!(first, address.cast(), "the address comes first");
        let room = UnsafeCell::new([MaybeUninit::uninit(); BYTES]);
        let this = Self { room, metadata, type_id: TypeId::of::<T>, owns: PhantomData };
        // SAFETY: the room is large enough and aligned for a `T`, as was asserted, and nothing is in it.
        unsafe { this.room.get().cast::<T>().write(value) };
        this
    }

    /// Returns whether the value is a `T`. O(1).
    #[inline]
    #[must_use]
    pub fn is<T: 'static>(&self) -> bool {
        (self.type_id)() == TypeId::of::<T>()
    }

    /// Returns a reference to the value as a `T`, or `None` if it is of another type. O(1).
    #[inline]
    #[must_use]
    pub fn downcast_ref<T: 'static>(&self) -> Option<&T> {
        // SAFETY: the room holds a `T` (invariant), and is borrowed for as long.
        self.is::<T>().then(|| unsafe { &*self.room.get().cast() })
    }

    /// Returns a mutable reference to the value as a `T`, or `None` if it is of another type. O(1).
    #[inline]
    #[must_use]
    pub fn downcast_mut<T: 'static>(&mut self) -> Option<&mut T> {
        // SAFETY: as above, and exclusively.
        self.is::<T>().then(|| unsafe { &mut *self.room.get().cast() })
    }

    /// Moves the value out as a `T`. O(1).
    ///
    /// ```
    /// # use std::any::Any;
    /// # use millpond::{AnyPool, AnyValue};
    /// let mut pool = AnyPool::<dyn Any, 32>::new(8);
    /// let handle = pool.insert(AnyValue::new("a".to_string())).unwrap();
    /// let value = pool.remove(handle).unwrap();
    /// let value = value.downcast::<&str>().unwrap_err(); // it is no `&str`
    /// assert_eq!(value.downcast::<String>().unwrap(), "a");
    /// ```
    ///
    /// # Errors
    ///
    /// If it is of another type. The error is this value again.
    #[inline]
    pub fn downcast<T: 'static>(self) -> Result<T, Self> {
        if !self.is::<T>() {
            return Err(self);
        }
        let this = ManuallyDrop::new(self);
        // SAFETY: the room holds a `T` (invariant), which nobody uses again, as `this` is not dropped.
        Ok(unsafe { this.room.get().cast::<T>().read() })
    }

    /// A pointer to the value, to be used as far as the reference to `self` may be.
    #[inline]
    fn value(&self) -> *mut D {
        // SAFETY: the address and the metadata, in their order, are such a pointer (invariant).
        unsafe { Parted { parts: [self.room.get().cast(), self.metadata] }.whole }
    }
}

impl<D: ?Sized, const BYTES: usize> Deref for AnyValue<D, BYTES> {
    type Target = D;

    #[inline]
    fn deref(&self) -> &D {
        // SAFETY: the value is there (invariant), and borrowed for as long.
        unsafe { &*self.value() }
    }
}

impl<D: ?Sized, const BYTES: usize> DerefMut for AnyValue<D, BYTES> {
    #[inline]
    fn deref_mut(&mut self) -> &mut D {
        // SAFETY: as above, and exclusively.
        unsafe { &mut *self.value() }
    }
}

impl<D: ?Sized, const BYTES: usize> Drop for AnyValue<D, BYTES> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: as above, and nobody uses the value again.
        unsafe { self.value().drop_in_place() };
    }
}

impl<D: ?Sized + fmt::Debug, const BYTES: usize> fmt::Debug for AnyValue<D, BYTES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
