//! Types of handles of one's own.
//!
//! Invariant: the contract of the unsafe trait [`HandleType`], which `handle_type!` fulfils by wrapping one field.

use core::fmt::{Debug, Display};
use core::hash::Hash;

use super::{HandleLayout, sealed};

/// A type that is nothing but a handle of a layout, under another name. For [`handle_type!`](crate::handle_type)
/// alone.
///
/// # Safety
///
/// `of` and `layout` do nothing but to wrap a handle and to unwrap it, and handles are equal, in order and hashed
/// as those that they wrap.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type of handles",
    label = "not a type of handles",
    note = "handles are `Handle<T>`, `Handle32<T, INDEX_BITS>` with 1 to 31 index bits, or a type that `millpond::handle_type! {{ pub struct Name; }}` declares",
    note = "the handles of a pool of `{Self}` values are of type `Handle<{Self}>`"
)]
pub unsafe trait HandleType: Copy + Eq + Ord + Hash + Debug + Display + Send + Sync {
    /// What it is under its other name.
    type Layout: HandleLayout;
    /// See [`HandleLayout::DANGLING`].
    const DANGLING: Self;
    /// Wraps a handle.
    fn of(layout: Self::Layout) -> Self;
    /// Unwraps it.
    fn layout(self) -> Self::Layout;
}

impl<K: HandleType> sealed::Sealed for K {}

impl<K: HandleType> HandleLayout for K {
    const CAPACITY_MAX: usize = K::Layout::CAPACITY_MAX;
    const LIFETIMES_MAX: u32 = K::Layout::LIFETIMES_MAX;
    const DANGLING: Self = <K as HandleType>::DANGLING;
    type Erased = <K::Layout as HandleLayout>::Erased;
    type Index = <K::Layout as HandleLayout>::Index;
    type Word = <K::Layout as HandleLayout>::Word;

    #[inline(always)]
    fn index(self) -> u32 {
        self.layout().index()
    }
    #[inline(always)]
    fn generation(self) -> u32 {
        self.layout().generation()
    }
    #[inline(always)]
    fn to_bits(self) -> u64 {
        self.layout().to_bits()
    }
    #[inline(always)]
    fn from_bits(bits: u64) -> Option<Self> {
        K::Layout::from_bits(bits).map(K::of)
    }
    #[inline(always)]
    fn from_parts(index: u32, generation: u32) -> Option<Self> {
        K::Layout::from_parts(index, generation).map(K::of)
    }
    #[inline(always)]
    fn erase(self) -> Self::Erased {
        self.layout().erase()
    }
    #[inline(always)]
    fn from_erased(erased: Self::Erased) -> Self {
        K::of(K::Layout::from_erased(erased))
    }
    #[inline(always)]
    fn of_kept(index: usize, generation: Self::Word, issuer: sealed::Issuer) -> Self {
        K::of(K::Layout::of_kept(index, generation, issuer))
    }
    #[inline(always)]
    fn of_live(index: usize, generation: Self::Word, issuer: sealed::Issuer) -> Self {
        K::of(K::Layout::of_live(index, generation, issuer))
    }
    #[inline(always)]
    fn word(self) -> Self::Word {
        self.layout().word()
    }
    #[inline(always)]
    fn successor(self) -> Self {
        K::of(self.layout().successor())
    }
}

/// Declares types of handles of one's own: a `NodeKey` in the interface of your crate, where `Handle<Node>` would
/// show what it is made of.
///
/// Each is a struct that is nothing but a [`Handle`](crate::Handle), or a [`Handle32`](crate::Handle32) where the
/// index bits are written down. It is a [`HandleLayout`], so any pool issues it and any [`SideTable`] is keyed
/// by it, at no cost. It has the methods of a handle, prints as `NodeKey(3v7)` in debug output and as `3v7`
/// otherwise, and is parsed, and (with the features of these names) taken by serde and bytemuck, as a handle is.
///
/// [`SideTable`]: https://docs.rs/millpond/latest/millpond/struct.SideTable.html
///
/// ```
/// use millpond::reuse::Lifo;
/// use millpond::{Pool, SideTable};
///
/// millpond::handle_type! {
///     /// A node of the layout tree.
///     pub struct NodeKey;
///     /// A texture: four bytes, 24 of its bits for the index.
///     struct TextureKey: Handle32<24>;
/// }
///
/// struct Node {
///     parent: Option<NodeKey>, // 8 bytes
///     texture: TextureKey,
/// }
/// let mut nodes: Pool<Node, Lifo, NodeKey> = Pool::with_capacity(100);
/// let root = nodes.insert(Node { parent: None, texture: TextureKey::DANGLING }).unwrap();
/// let leaf = nodes.insert(Node { parent: Some(root), texture: TextureKey::DANGLING }).unwrap();
/// assert_eq!(format!("{leaf:?} {leaf}"), "NodeKey(1v1) 1v1");
///
/// let mut names: SideTable<NodeKey, &str> = SideTable::new();
/// names.insert(leaf, "leaf").unwrap();
/// assert_eq!(names[leaf], "leaf");
/// ```
///
/// A key of another type is not taken:
///
/// ```compile_fail,E0308
/// # use millpond::{Pool, reuse::Lifo};
/// millpond::handle_type! {
///     struct NodeKey;
///     struct TextureKey;
/// }
/// let nodes: Pool<u8, Lifo, NodeKey> = Pool::with_capacity(100);
/// nodes.get(TextureKey::DANGLING);
/// ```
#[macro_export]
macro_rules! handle_type {
    () => {};
    ($(#[$meta:meta])* $visibility:vis struct $name:ident; $($rest:tt)*) => {
        $crate::__handle_type!(
            [$(#[$meta])*] $visibility $name is [$crate::Handle<$name>] erased to [$crate::Handle<()>]
        );
        $crate::handle_type!($($rest)*);
    };
    (
        $(#[$meta:meta])* $visibility:vis struct $name:ident: Handle32<$bits:literal>; $($rest:tt)*
    ) => {
        $crate::__handle_type!(
            [$(#[$meta])*] $visibility $name is [$crate::Handle32<$name, $bits>]
            erased to [$crate::Handle32<(), $bits>]
        );
        $crate::handle_type!($($rest)*);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __handle_type {
    (
        [$(#[$meta:meta])*] $visibility:vis $name:ident is [$layout:ty] erased to [$erased:ty]
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        $visibility struct $name($layout);

        #[allow(dead_code, reason = "a program calls what it needs")]
        impl $name {
            /// The handle that no pool ever issues and every pool refuses.
            pub const DANGLING: Self = Self(<$layout>::DANGLING);

            /// Whether this is [`DANGLING`](Self::DANGLING).
            #[inline]
            #[must_use]
            pub const fn is_dangling(self) -> bool {
                self.0.is_dangling()
            }

            /// The slot that this handle names.
            #[inline]
            #[must_use]
            pub const fn index(self) -> u32 {
                self.0.index()
            }

            /// Which lifetime of the slot this handle names: at least 1, or 0 for
            /// [`DANGLING`](Self::DANGLING).
            #[inline]
            #[must_use]
            pub const fn generation(self) -> u32 {
                self.0.generation()
            }

            /// The handle as a number that [`from_bits`](Self::from_bits) takes back.
            #[inline]
            #[must_use]
            pub const fn to_bits(self) -> u64 {
                self.0.to_bits()
            }

            /// The handle with these bits, or `None` if no pool can ever issue it and it is not
            /// [`DANGLING`](Self::DANGLING).
            #[inline]
            #[must_use]
            pub const fn from_bits(bits: u64) -> ::core::option::Option<Self> {
                match <$layout>::from_bits(bits) {
                    ::core::option::Option::Some(handle) => ::core::option::Option::Some(Self(handle)),
                    ::core::option::Option::None => ::core::option::Option::None,
                }
            }

            /// The handle with these bits; [`DANGLING`](Self::DANGLING) where
            /// [`from_bits`](Self::from_bits) gives `None`.
            #[inline]
            #[must_use]
            pub const fn from_bits_or_dangling(bits: u64) -> Self {
                Self(<$layout>::from_bits_or_dangling(bits))
            }

            /// The handle without its type, to be kept together with handles of other types.
            #[inline]
            #[must_use]
            pub const fn erase(self) -> $erased {
                self.0.erase()
            }

            /// The handle that [`erase`](Self::erase) took the type of. That it is this one, the program has
            /// to know.
            #[inline]
            #[must_use]
            pub const fn from_erased(erased: $erased) -> Self {
                Self(<$layout>::from_erased(erased))
            }
        }

        // SAFETY: the handle is wrapped and unwrapped, and the traits are derived from it.
        unsafe impl $crate::handle::HandleType for $name {
            type Layout = $layout;
            const DANGLING: Self = Self(<$layout>::DANGLING);
            #[inline(always)]
            fn of(layout: $layout) -> Self {
                Self(layout)
            }
            #[inline(always)]
            fn layout(self) -> $layout {
                self.0
            }
        }

        impl ::core::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::write!(f, ::core::concat!(::core::stringify!($name), "({})"), self.0)
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(&self.0, f)
            }
        }

        /// [`DANGLING`]($name::DANGLING).
        impl ::core::default::Default for $name {
            #[inline]
            fn default() -> Self {
                Self::DANGLING
            }
        }

        impl ::core::str::FromStr for $name {
            type Err = $crate::ParseHandleError;

            fn from_str(text: &str) -> ::core::result::Result<Self, $crate::ParseHandleError> {
                ::core::result::Result::map(text.parse(), Self)
            }
        }

        $crate::__handle_type_serde!($name);
        $crate::__handle_type_bytemuck!($name);
    };
}

/// What a key of one's own has of serde: that of its handle, if the feature is there.
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __handle_type_serde {
    ($name:ident) => {
        impl $crate::__private::serde::Serialize for $name {
            fn serialize<S: $crate::__private::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::__private::serde::Serialize::serialize(&self.0, serializer)
            }
        }

        impl<'de> $crate::__private::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::__private::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                ::core::result::Result::map(
                    $crate::__private::serde::Deserialize::deserialize(deserializer),
                    Self,
                )
            }
        }
    };
}

#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __handle_type_serde {
    ($name:ident) => {};
}

/// The same of bytemuck.
#[cfg(feature = "bytemuck")]
#[doc(hidden)]
#[macro_export]
macro_rules! __handle_type_bytemuck {
    ($name:ident) => {
        // SAFETY: it is a handle and nothing else, by `repr(transparent)`.
        unsafe impl $crate::__private::bytemuck::NoUninit for $name {}
    };
}

#[cfg(not(feature = "bytemuck"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __handle_type_bytemuck {
    ($name:ident) => {};
}
