//! What all handle layouts have in common: a handle is its bits, and nothing else.

use core::fmt;

/// Implements the traits of plain data for a handle whose function `raw` gives a number, the sealed trait, and what follows
/// from `from_bits` and `relabel`.
macro_rules! plain_handle {
    ([$($generics:tt)*] $handle:ty, erased to $erased:ty) => {
        impl<$($generics)*> $handle {
            /// Returns the handle with these bits, or [`DANGLING`](Self::DANGLING) where
            /// [`from_bits`](Self::from_bits) returns `None`. This is for code that stores handles as
            /// numbers and leaves it to the lookup to report a failure.
            ///
            /// ```
            /// # use millpond::*;
            /// type Key = Handle<()>;
            /// let handle = Key::from_parts(3, 7).unwrap();
            /// assert_eq!(Key::from_bits_or_dangling(handle.to_bits()), handle);
            /// assert!(Key::from_bits_or_dangling(0).is_dangling());
            /// ```
            #[inline]
            #[must_use]
            pub const fn from_bits_or_dangling(bits: u64) -> Self {
                match Self::issued(bits) {
                    Some(handle) => handle,
                    None => Self::DANGLING,
                }
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
            pub const fn erase(self) -> $erased {
                self.relabel()
            }

            /// Returns `erased` with the label `T` again; the inverse of [`erase`](Self::erase). The label
            /// is not checked.
            #[inline]
            #[must_use]
            pub const fn from_erased(erased: $erased) -> Self {
                erased.relabel()
            }
        }

        impl<$($generics)*> crate::handle::sealed::Sealed for $handle {}

        /// Returns the dangling handle, which no pool issues.
        impl<$($generics)*> Default for $handle {
            #[inline]
            fn default() -> Self {
                Self::DANGLING
            }
        }

        $crate::__plain_bits!([$($generics)*] $handle);

        impl<$($generics)*> core::str::FromStr for $handle
        where
            Self: crate::handle::HandleLayout,
        {
            type Err = crate::handle::ParseHandleError;

            fn from_str(text: &str) -> Result<Self, crate::handle::ParseHandleError> {
                crate::handle::parse::parse(text)
            }
        }

        impl<$($generics)*> core::fmt::Debug for $handle {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(self, f)
            }
        }

        impl<$($generics)*> core::fmt::Display for $handle {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                crate::handle::plain::pad_handle(f, self.index(), self.generation())
            }
        }
    };
}
pub(crate) use plain_handle;

/// Implements what a number is compared and hashed by, the one that its function `raw` returns. Not for anything else.
#[doc(hidden)]
#[macro_export]
macro_rules! __plain_bits {
    ([$($generics:tt)*] $handle:ty) => {
        impl<$($generics)*> Clone for $handle {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<$($generics)*> Copy for $handle {}

        impl<$($generics)*> PartialEq for $handle {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                self.raw() == other.raw()
            }
        }

        impl<$($generics)*> Eq for $handle {}

        impl<$($generics)*> PartialOrd for $handle {
            #[inline]
            fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl<$($generics)*> Ord for $handle {
            #[inline]
            fn cmp(&self, other: &Self) -> core::cmp::Ordering {
                self.raw().cmp(&other.raw())
            }
        }

        impl<$($generics)*> core::hash::Hash for $handle {
            #[inline]
            fn hash<S: core::hash::Hasher>(&self, state: &mut S) {
                self.raw().hash(state);
            }
        }
    };
}

/// The methods of `HandleLayout` that the handle itself, or without its label, has as constant functions.
#[doc(hidden)]
#[macro_export]
macro_rules! __own_methods {
    () => {
        #[inline]
        fn index(self) -> ::core::primitive::u32 {
            self.index()
        }
        #[inline]
        fn generation(self) -> ::core::primitive::u32 {
            self.generation()
        }
        #[inline]
        fn to_bits(self) -> ::core::primitive::u64 {
            self.to_bits()
        }
        #[inline]
        fn from_bits(bits: ::core::primitive::u64) -> ::core::option::Option<Self> {
            Self::from_bits(bits)
        }
        #[inline]
        fn from_parts(
            index: ::core::primitive::u32,
            generation: ::core::primitive::u32,
        ) -> ::core::option::Option<Self> {
            <Self::Erased>::from_parts(index, generation).map(Self::from_erased)
        }
        #[inline]
        fn erase(self) -> Self::Erased {
            self.erase()
        }
        #[inline]
        fn from_erased(erased: Self::Erased) -> Self {
            Self::from_erased(erased)
        }
    };
}
pub(super) use __own_methods as own_methods;

/// Prints the two parts of a handle.
#[inline]
pub(super) fn pad_handle(f: &mut fmt::Formatter<'_>, index: u32, generation: u32) -> fmt::Result {
    let mut text = HandleText { bytes: [0; 21], len: 0 };
    fmt::Write::write_fmt(&mut text, format_args!("{index}v{generation}"))?;
    f.pad(core::str::from_utf8(&text.bytes[..text.len]).map_err(|_| fmt::Error)?)
}

/// Room for two numbers of ten digits and the letter between them.
struct HandleText {
    bytes: [u8; 21],
    len: usize,
}

impl fmt::Write for HandleText {
    #[inline]
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}
