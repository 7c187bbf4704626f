//! `bytemuck`: zeroed objects, and live objects as bytes, for a GPU buffer or a file.
//!
//! A run as bytes comes with the offset of its first byte in an array of all slots, for a write
//! into a GPU buffer with the same slots.
//!
//! Invariant: a handle is one integer or two of the same size, and a zero-sized label, so it has no padding.

#[cfg(feature = "alloc")]
use ::bytemuck::Zeroable;
use ::bytemuck::{NoUninit, Pod, cast_slice, cast_slice_mut};

use crate::handle::{Handle, Handle32, HandleLayout};
#[cfg(feature = "alloc")]
use crate::pools::pool::Pool;
use crate::pools::static_pool::StaticPool;
#[cfg(feature = "vec")]
use crate::pools::vec_pool::VecPool;
#[cfg(feature = "alloc")]
use crate::reports::errors::Full;
#[cfg(feature = "alloc")]
use crate::slots::reuse::ReuseOrder;

// SAFETY: a handle is two integers of four bytes each, and a label of no size.
unsafe impl<T: ?Sized + 'static> NoUninit for Handle<T> {}

// SAFETY: a handle is one integer, and a label of no size.
unsafe impl<T: ?Sized + 'static, const INDEX_BITS: u32> NoUninit for Handle32<T, INDEX_BITS> {}

/// The runs, as bytes.
fn as_bytes<'a, T: NoUninit>(
    runs: impl Iterator<Item = (usize, &'a [T])>,
) -> impl Iterator<Item = (usize, &'a [u8])> {
    runs.map(|(first, run)| (first * size_of::<T>(), cast_slice(run)))
}

/// The runs, as mutable bytes.
fn as_bytes_mut<'a, T: Pod>(
    runs: impl Iterator<Item = (usize, &'a mut [T])>,
) -> impl Iterator<Item = (usize, &'a mut [u8])> {
    runs.map(|(first, run)| (first * size_of::<T>(), cast_slice_mut(run)))
}

/// The runs of a pool whose slots are one array, as bytes. The literals make a pool of `u16` and insert 0x0101.
macro_rules! runs_as_bytes_methods {
    ($new:literal, $insert:literal $(#[$more:meta])*) => {
        /// Iterates over [`runs`](Self::runs) as bytes: `(offset, bytes)`, where `offset` is in bytes from slot 0.
        ///
        /// ```
        /// # use millpond::*;
        #[doc = $new]
        #[doc = $insert]
        /// assert_eq!(pool.runs_as_bytes().collect::<Vec<_>>(), [(0, &[1, 1][..])]);
        /// ```
        $(#[$more])*
        pub fn runs_as_bytes(&self) -> impl Iterator<Item = (usize, &[u8])>
        where
            T: NoUninit,
        {
            as_bytes(self.runs())
        }

        /// Like [`runs_as_bytes`](Self::runs_as_bytes), mutable.
        ///
        /// ```
        /// # use millpond::*;
        #[doc = $new]
        #[doc = $insert]
        /// for (_, bytes) in pool.runs_as_bytes_mut() {
        ///     bytes.fill(2);
        /// }
        /// assert_eq!(pool.values().collect::<Vec<_>>(), [&0x0202]);
        /// ```
        pub fn runs_as_bytes_mut(&mut self) -> impl Iterator<Item = (usize, &mut [u8])>
        where
            T: Pod,
        {
            as_bytes_mut(self.runs_mut())
        }
    };
}

/// `insert_zeroed`, of `insert_with`. The expression makes a pool of `[f32; 4]`.
#[cfg(feature = "alloc")]
macro_rules! insert_zeroed_method {
    ($new:literal) => {
        /// Inserts a value whose bits are all zero.
        ///
        /// ```
        /// # use millpond::*;
        #[doc = concat!("let mut lights = ", $new, ";")]
        /// let dark = lights.insert_zeroed().unwrap();
        /// assert_eq!(lights[dark], [0.0; 4]);
        /// ```
        ///
        /// # Errors
        ///
        /// If the pool is full.
        #[track_caller]
        pub fn insert_zeroed(&mut self) -> Result<H, Full<()>>
        where
            T: Zeroable,
        {
            self.insert_with(|_| T::zeroed())
        }
    };
}

/// Requires the feature `bytemuck`.
#[cfg(feature = "alloc")]
impl<T, R: ReuseOrder, H: HandleLayout> Pool<T, R, H> {
    insert_zeroed_method!("Pool::<[f32; 4]>::new(100)");

    runs_as_bytes_methods! {
        "let mut pool = Pool::<u16>::new(100);", "pool.insert(0x0101).unwrap();"
        /// To copy them to the same places of a buffer that has room for all slots:
        ///
        /// ```
        /// use millpond::Pool;
        ///
        /// let mut lights = Pool::<[u8; 4]>::new(100);
        /// let handles: Vec<_> = (0..4).map(|i| lights.insert([i; 4]).unwrap()).collect();
        /// lights.remove(handles[1]);
        ///
        /// let mut buffer = [0xff; 400]; // on the graphics card
        /// for (offset, bytes) in lights.runs_as_bytes() {
        ///     buffer[offset..offset + bytes.len()].copy_from_slice(bytes);
        /// }
        /// assert_eq!(buffer[..16], [0, 0, 0, 0, 255, 255, 255, 255, 2, 2, 2, 2, 3, 3, 3, 3]);
        /// ```
    }
}

/// Requires the feature `bytemuck`.
#[cfg(feature = "vec")]
impl<T, R: ReuseOrder, H: HandleLayout> VecPool<T, R, H> {
    insert_zeroed_method!("VecPool::<[f32; 4]>::new()");

    runs_as_bytes_methods! { "let mut pool = VecPool::<u16>::new();", "pool.insert(0x0101).unwrap();" }
}

/// Requires the feature `bytemuck`.
#[cfg(feature = "recycler")]
impl<T: Zeroable> crate::pools::recycler::Recycler<T> {
    /// Creates a recycler of objects whose bits are all zero.
    ///
    /// ```
    /// use millpond::Recycler;
    ///
    /// let transforms = Recycler::<[f32; 16]>::zeroed(100);
    /// assert!(transforms.as_slice().iter().all(|transform| *transform == [0.0; 16]));
    /// ```
    ///
    /// # Panics
    ///
    /// If there is not enough memory.
    #[must_use]
    #[track_caller]
    pub fn zeroed(capacity: usize) -> Self {
        Self::from_fn(capacity, |_| T::zeroed())
    }
}

/// Requires the feature `bytemuck`.
#[cfg(feature = "recycler")]
impl<T, R: ReuseOrder, H: HandleLayout> crate::pools::recycler::Recycler<T, R, H> {
    /// Returns all objects, live and dead, as bytes.
    ///
    /// ```
    /// use millpond::Recycler;
    ///
    /// let transforms = Recycler::<[f32; 16]>::zeroed(100);
    /// assert_eq!(transforms.as_bytes().len(), 6400);
    /// ```
    #[must_use]
    pub fn as_bytes(&self) -> &[u8]
    where
        T: NoUninit,
    {
        cast_slice(self.as_slice())
    }

    runs_as_bytes_methods! {
        "let mut pool = Recycler::<u16>::zeroed(100);", "*pool.acquire().unwrap().1 = 0x0101;"
    }
}

/// Requires the feature `bytemuck`.
#[cfg(all(feature = "classic", feature = "alloc"))]
impl<T: Zeroable> crate::classic::RosterPool<T> {
    /// Creates a pool of nil objects, whose bits are all zero.
    ///
    /// ```
    /// use millpond::classic::RosterPool;
    ///
    /// assert_eq!(RosterPool::<[u32; 3]>::zeroed(2).as_slice(), [[0; 3]; 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// If there is not enough memory.
    #[must_use]
    #[track_caller]
    pub fn zeroed(capacity: usize) -> Self {
        Self::from_fn(capacity, |_| T::zeroed())
    }
}

/// Requires the feature `bytemuck`.
#[cfg(feature = "packed")]
impl<T, H: HandleLayout> crate::pools::packed::PackedPool<T, H> {
    insert_zeroed_method!("PackedPool::<[f32; 4]>::new(100)");

    /// Returns all values as bytes, for example for a vertex buffer.
    ///
    /// ```
    /// use millpond::PackedPool;
    ///
    /// let mut sprites = PackedPool::<[u16; 2]>::new(100);
    /// sprites.insert([0x0101, 0x0202]).unwrap();
    /// sprites.insert_zeroed().unwrap();
    /// assert_eq!(sprites.as_bytes(), [1, 1, 2, 2, 0, 0, 0, 0]);
    /// ```
    #[must_use]
    pub fn as_bytes(&self) -> &[u8]
    where
        T: NoUninit,
    {
        cast_slice(self.as_slice())
    }

    /// Returns all values as mutable bytes.
    #[must_use]
    pub fn as_bytes_mut(&mut self) -> &mut [u8]
    where
        T: Pod,
    {
        cast_slice_mut(self.as_mut_slice())
    }
}

/// Requires the feature `bytemuck`.
impl<T, const N: usize, H: HandleLayout> StaticPool<T, N, H> {
    runs_as_bytes_methods! {
        "let mut pool = StaticPool::<u16, 100>::new();", "pool.insert(0x0101).unwrap();"
    }
}

/// A cast of either to bytes is a cast of an integer.
const _: () = {
    assert!(size_of::<Handle<()>>() == size_of::<u64>());
    assert!(size_of::<Handle32<(), 20>>() == size_of::<u32>());
};
