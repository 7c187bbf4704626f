//! `millpond::AnyPool`: values of different types. Here all are of one type, but the pool does not know that:
//! every use of a value is a call through its trait object.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use millpond::any_pool::CoercesFrom;
use millpond::reuse::Lifo;
use millpond::{AnyValue, Handle};

use crate::contender::{Contender, Kind};
use crate::object::Value;

/// See the module.
pub(crate) struct AnyPool;

/// What the values are treated as.
pub(crate) trait Shown<T> {
    fn show(&self) -> &T;
    fn show_mut(&mut self) -> &mut T;
}

/// A value in so many bytes. An `AnyValue` refuses to compile if a value is larger than it, and in the works
/// every pool meets every object, if only in branches that are never taken.
#[repr(C, align(16))]
struct Held<T, const BYTES: usize> {
    bytes: [MaybeUninit<u8>; BYTES],
    value: PhantomData<T>,
}

impl<T: Value, const BYTES: usize> Held<T, BYTES> {
    #[inline(always)]
    fn new(value: T) -> Self {
        assert!(size_of::<T>() <= BYTES && align_of::<T>() <= align_of::<Self>());
        let mut held = Self { bytes: [MaybeUninit::uninit(); BYTES], value: PhantomData };
        // SAFETY: the bytes are enough, and aligned as they come first in what is aligned.
        unsafe { held.bytes.as_mut_ptr().cast::<T>().write(value) };
        held
    }
}

impl<T: Value, const BYTES: usize> Shown<T> for Held<T, BYTES> {
    #[inline]
    fn show(&self) -> &T {
        // SAFETY: `new`, which alone makes it, has written a value there.
        unsafe { &*self.bytes.as_ptr().cast::<T>() }
    }

    #[inline]
    fn show_mut(&mut self) -> &mut T {
        // SAFETY: as in `show`, and it is borrowed exclusively.
        unsafe { &mut *self.bytes.as_mut_ptr().cast::<T>() }
    }
}

// SAFETY: the body is a coercion by the compiler. The trait object is neither `Send` nor `Sync`.
unsafe impl<T: Value, const BYTES: usize> CoercesFrom<Held<T, BYTES>> for dyn Shown<T> {
    #[inline]
    fn coerce(value: *mut Held<T, BYTES>) -> *mut Self {
        value
    }
}

/// With one type of handles for all sizes.
type Slots<T, const BYTES: usize> =
    millpond::AnyPool<dyn Shown<T>, BYTES, Lifo, Handle<dyn Shown<T>>>;

/// A pool for each size of slots, of which only the one for the size of `T` has any.
pub(crate) struct Pools<T: Value> {
    slots_16: Slots<T, 16>,
    slots_32: Slots<T, 32>,
    slots_64: Slots<T, 64>,
    slots_128: Slots<T, 128>,
    slots_256: Slots<T, 256>,
}

/// `$body` with the pool for values of type `$T` and with the bytes of its slots. Which one that is, the
/// compiler knows.
macro_rules! with_slots {
    ([$($borrow:tt)+] $pools:ident, $T:ty, |$slots:ident, $bytes:ident| $body:expr) => {
        match size_of::<$T>() {
            ..=16 => with_slots!(@ [$($borrow)+] $pools.slots_16, 16, $slots, $bytes, $body),
            ..=32 => with_slots!(@ [$($borrow)+] $pools.slots_32, 32, $slots, $bytes, $body),
            ..=64 => with_slots!(@ [$($borrow)+] $pools.slots_64, 64, $slots, $bytes, $body),
            ..=128 => with_slots!(@ [$($borrow)+] $pools.slots_128, 128, $slots, $bytes, $body),
            _ => with_slots!(@ [$($borrow)+] $pools.slots_256, 256, $slots, $bytes, $body),
        }
    };
    (@ [$($borrow:tt)+] $pools:ident.$field:ident, $number:literal, $slots:ident, $bytes:ident, $body:expr) => {{
        const $bytes: usize = $number;
        let $slots = $($borrow)+ $pools.$field;
        $body
    }};
}

impl Contender for AnyPool {
    const NAME: &'static str = "AnyPool";
    const KIND: Kind = Kind::Millpond;
    type Key<T: Value> = Handle<dyn Shown<T>>;
    type Store<T: Value> = Pools<T>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        let mut pools = Pools {
            slots_16: Slots::with_capacity(0),
            slots_32: Slots::with_capacity(0),
            slots_64: Slots::with_capacity(0),
            slots_128: Slots::with_capacity(0),
            slots_256: Slots::with_capacity(0),
        };
        with_slots!([&mut] pools, T, |slots, _BYTES| *slots = Slots::with_capacity(capacity));
        Some(pools)
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        with_slots!([&mut] store, T, |slots, BYTES| {
            slots.insert(AnyValue::new(Held::<T, BYTES>::new(value))).expect("room")
        })
    }

    #[inline(always)]
    fn remove<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> T {
        with_slots!([&mut] store, T, |slots, BYTES| {
            let value = slots.remove(key).expect("live");
            *value.downcast_ref::<Held<T, BYTES>>().expect("as it was made").show()
        })
    }

    #[inline(always)]
    fn get<T: Value>(store: &Self::Store<T>, key: Self::Key<T>) -> &T {
        with_slots!([&] store, T, |slots, _BYTES| slots.get(key).expect("live").show())
    }

    #[inline(always)]
    fn get_mut<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> &mut T {
        with_slots!([&mut] store, T, |slots, _BYTES| slots.get_mut(key).expect("live").show_mut())
    }

    fn clear<T: Value>(store: &mut Self::Store<T>) -> bool {
        with_slots!([&mut] store, T, |slots, _BYTES| slots.clear());
        true
    }

    #[inline(always)]
    fn walk_for<T: Value>(
        store: &mut Self::Store<T>,
        _keys: &[Self::Key<T>],
        mut visit: impl FnMut(&mut T),
    ) -> bool {
        with_slots!([&mut] store, T, |slots, _BYTES| {
            for value in slots.values_mut() {
                visit(value.show_mut());
            }
        });
        true
    }

    #[inline(always)]
    fn walk_for_each<T: Value>(store: &mut Self::Store<T>, mut visit: impl FnMut(&mut T)) -> bool {
        with_slots!([&mut] store, T, |slots, _BYTES| {
            slots.values_mut().for_each(|value| visit(value.show_mut()));
        });
        true
    }

    #[inline(always)]
    fn retain<T: Value>(store: &mut Self::Store<T>, mut keep: impl FnMut(&mut T) -> bool) -> bool {
        with_slots!([&mut] store, T, |slots, _BYTES| {
            slots.retain(|_, value| keep(value.show_mut()));
        });
        true
    }
}
