//! Handle types of your own.
//!
//! Invariant: the contract of the unsafe trait [`HandleType`], which `handle_type!` fulfils by wrapping one field.

use super::{HandleLayout, sealed};

/// A type that wraps a handle under another name. Only [`handle_type!`](crate::handle_type)
/// implements it.
///
/// # Safety
///
/// As a [`HandleLayout`], the type must only wrap and unwrap a handle, equality, order and hashes
/// must be those of the wrapped handles, and the type must be `repr(transparent)`: in memory, it is
/// the handle.
pub unsafe trait HandleType: HandleLayout {}

impl<K: HandleType> sealed::Sealed for K {}

/// Declares handle types of your own, such as a `NodeKey` in your crate's interface instead of
/// `Handle<Node>`.
///
/// Each type wraps a [`Handle`](crate::Handle), or a [`Handle32`](crate::Handle32) if the index
/// bits are given. It is a [`HandleLayout`], so any pool can issue it and any [`SideTable`] can be
/// keyed by it, at no cost. It has the methods of a handle except `relabel` (for `from_parts`,
/// import [`HandleLayout`]), prints as `NodeKey(3v7)` in debug output and as `3v7` otherwise, and
/// is parsed and added to a [`Checksum`](crate::snapshot::Checksum) like a handle. With the
/// features `serde` and `bytemuck`, it supports these crates as handles do.
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
/// A key of another type does not compile:
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
        $crate::handle_type!(
            @declare [$(#[$meta])*] $visibility $name is [$crate::Handle<$name>] erased to [$crate::Handle<()>]
        );
        $crate::handle_type!($($rest)*);
    };
    (
        $(#[$meta:meta])* $visibility:vis struct $name:ident: Handle32<$bits:literal>; $($rest:tt)*
    ) => {
        $crate::handle_type!(
            @declare [$(#[$meta])*] $visibility $name is [$crate::Handle32<$name, $bits>]
            erased to [$crate::Handle32<(), $bits>]
        );
        $crate::handle_type!($($rest)*);
    };
    (
        @declare [$(#[$meta:meta])*] $visibility:vis $name:ident is [$layout:ty] erased to [$erased:ty]
    ) => {
        $(#[$meta])*
        #[derive(
            ::core::clone::Clone, ::core::marker::Copy, ::core::cmp::PartialEq, ::core::cmp::Eq,
            ::core::cmp::PartialOrd, ::core::cmp::Ord, ::core::hash::Hash,
        )]
        #[repr(transparent)]
        $visibility struct $name($layout);

        #[allow(dead_code, reason = "a program calls what it needs")]
        impl $name {
            /// The handle that no pool ever issues and every pool refuses.
            pub const DANGLING: Self = Self(<$layout>::DANGLING);

            /// Returns whether this is [`DANGLING`](Self::DANGLING).
            #[inline]
            #[must_use]
            pub const fn is_dangling(self) -> ::core::primitive::bool {
                self.0.is_dangling()
            }

            /// Returns the index of the slot that this handle names.
            #[inline]
            #[must_use]
            pub const fn index(self) -> ::core::primitive::u32 {
                self.0.index()
            }

            /// Returns the generation, which says which lifetime of the slot this handle names: at
            /// least 1, or 0 for [`DANGLING`](Self::DANGLING).
            #[inline]
            #[must_use]
            pub const fn generation(self) -> ::core::primitive::u32 {
                self.0.generation()
            }

            /// Returns the handle as a number that [`from_bits`](Self::from_bits) converts back.
            #[inline]
            #[must_use]
            pub const fn to_bits(self) -> ::core::primitive::u64 {
                self.0.to_bits()
            }

            /// Returns the handle with these bits, or `None` if no pool can ever issue it and it is
            /// not [`DANGLING`](Self::DANGLING).
            #[inline]
            #[must_use]
            pub const fn from_bits(bits: ::core::primitive::u64) -> ::core::option::Option<Self> {
                match <$layout>::from_bits(bits) {
                    ::core::option::Option::Some(handle) => ::core::option::Option::Some(Self(handle)),
                    ::core::option::Option::None => ::core::option::Option::None,
                }
            }

            /// Returns the handle with these bits, or [`DANGLING`](Self::DANGLING) where
            /// [`from_bits`](Self::from_bits) returns `None`.
            #[inline]
            #[must_use]
            pub const fn from_bits_or_dangling(bits: ::core::primitive::u64) -> Self {
                Self(<$layout>::from_bits_or_dangling(bits))
            }

            /// Returns the handle without its type, to store it together with handles of other
            /// types.
            #[inline]
            #[must_use]
            pub const fn erase(self) -> $erased {
                self.0.erase()
            }

            /// Returns `erased` with this type again; the inverse of [`erase`](Self::erase). The
            /// type is not checked.
            #[inline]
            #[must_use]
            pub const fn from_erased(erased: $erased) -> Self {
                Self(<$layout>::from_erased(erased))
            }
        }

        impl $crate::HandleLayout for $name {
            const CAPACITY_MAX: ::core::primitive::usize = <$layout as $crate::HandleLayout>::CAPACITY_MAX;
            const LIFETIMES_MAX: ::core::primitive::u32 = <$layout as $crate::HandleLayout>::LIFETIMES_MAX;
            const DANGLING: Self = Self::DANGLING;
            type Erased = $erased;
            type Index = <$layout as $crate::HandleLayout>::Index;
            type Word = <$layout as $crate::HandleLayout>::Word;

            $crate::__own_methods!();
        }

        // SAFETY: the handle is wrapped and unwrapped, the traits are derived from it, and there is nothing else in it.
        unsafe impl $crate::handle::HandleType for $name {}

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

            fn from_str(text: &::core::primitive::str) -> ::core::result::Result<Self, $crate::ParseHandleError> {
                ::core::result::Result::map(text.parse(), Self)
            }
        }

        impl $crate::snapshot::ToChecksum for $name {
            #[inline]
            fn add_to(&self, sum: &mut $crate::snapshot::Checksum) {
                $crate::snapshot::ToChecksum::add_to(&self.0, sum);
            }
        }

        $crate::__private::key_with_serde!($name);
        $crate::__private::key_with_bytemuck!($name);
    };
}

/// What a declared key has of a crate whose feature is not enabled.
#[doc(hidden)]
#[macro_export]
macro_rules! __key_without {
    ($name:ident) => {};
}

/// What is there in place of the modules `serde` and `bytemuck` in a build without their features: a declared key has none of
/// their implementations. Imported with `*`, so that a module of that name takes its place.
#[allow(unreachable_pub, unused_imports, reason = "a build with both features leaves nothing out")]
pub(crate) mod left_out {
    pub(crate) mod serde {
        #[doc(hidden)]
        pub use __key_without as key_with_serde;
    }

    pub(crate) mod bytemuck {
        #[doc(hidden)]
        pub use __key_without as key_with_bytemuck;
    }
}
