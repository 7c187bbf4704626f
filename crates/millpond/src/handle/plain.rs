//! What all handle layouts have in common: a handle is its bits, and nothing else.

use core::fmt;

/// Implements the traits of plain data for a handle whose function `raw` gives a number, and the sealed trait.
macro_rules! plain_handle {
    ([$($generics:tt)*] $handle:ty) => {
        impl<$($generics)*> crate::handle::sealed::Sealed for $handle {}

        /// Returns the dangling handle, which no pool issues.
        impl<$($generics)*> Default for $handle {
            #[inline]
            fn default() -> Self {
                Self::DANGLING
            }
        }

        $crate::__plain_bits!([$($generics)*] $handle);

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

/// The methods of `HandleLayout` that the handle itself has as constant functions.
macro_rules! own_methods {
    () => {
        #[inline]
        fn index(self) -> u32 {
            self.index()
        }
        #[inline]
        fn generation(self) -> u32 {
            self.generation()
        }
        #[inline]
        fn to_bits(self) -> u64 {
            self.to_bits()
        }
        #[inline]
        fn from_bits(bits: u64) -> Option<Self> {
            Self::from_bits(bits)
        }
        #[inline]
        fn from_parts(index: u32, generation: u32) -> Option<Self> {
            Self::from_parts(index, generation)
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
pub(super) use own_methods;

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
