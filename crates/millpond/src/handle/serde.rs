//! `serde`: handles. ([`Stats`](crate::Stats) derives both traits where it is defined.)
//!
//! A handle is its text in human-readable formats (`"3v7"`, so that it can be a key of a JSON
//! object), and its bits in the others: eight bytes, or four for a [`Handle32`]. Bits and texts of
//! handles that no pool can issue are refused, except those of [`DANGLING`](Handle::DANGLING); the
//! pool checks the rest, as for any handle.

#[doc(hidden)]
pub use ::serde;

use core::fmt;
use core::marker::PhantomData;

use ::serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
use ::serde::ser::{Serialize, Serializer};

use super::{Handle, Handle32, HandleLayout, parse::parse};

/// Accepts the text of a handle, or its bits.
struct HandleVisitor<H> {
    is_human_readable: bool,
    layout: PhantomData<fn() -> H>,
}

impl<H> HandleVisitor<H> {
    fn of<'de, D: Deserializer<'de>>(deserializer: &D) -> Self {
        Self { is_human_readable: deserializer.is_human_readable(), layout: PhantomData }
    }
}

impl<H: HandleLayout> Visitor<'_> for HandleVisitor<H> {
    type Value = H;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.is_human_readable {
            true => "a handle as text, such as \"3v7\"",
            false => "the bits of a handle",
        })
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<H, E> {
        if !self.is_human_readable {
            return Err(E::invalid_type(Unexpected::Str(text), &self));
        }
        parse(text).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, bits: u64) -> Result<H, E> {
        if self.is_human_readable {
            return Err(E::invalid_type(Unexpected::Unsigned(bits), &self));
        }
        H::from_bits(bits).ok_or_else(|| E::invalid_value(Unexpected::Unsigned(bits), &self))
    }
}

impl<T: ?Sized> Serialize for Handle<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() {
            true => serializer.collect_str(self),
            false => serializer.serialize_u64(self.to_bits()),
        }
    }
}

impl<'de, T: ?Sized> Deserialize<'de> for Handle<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = HandleVisitor::of(&deserializer);
        match visitor.is_human_readable {
            true => deserializer.deserialize_str(visitor),
            false => deserializer.deserialize_u64(visitor),
        }
    }
}

impl<T: ?Sized, const INDEX_BITS: u32> Serialize for Handle32<T, INDEX_BITS> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() {
            true => serializer.collect_str(self),
            // Never more than 32 bits.
            false => serializer.serialize_u32(self.to_bits() as u32),
        }
    }
}

impl<'de, T: ?Sized, const INDEX_BITS: u32> Deserialize<'de> for Handle32<T, INDEX_BITS>
where
    Self: HandleLayout,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = HandleVisitor::of(&deserializer);
        match visitor.is_human_readable {
            true => deserializer.deserialize_str(visitor),
            false => deserializer.deserialize_u32(visitor),
        }
    }
}

/// Implements both traits for a key that [`handle_type!`](crate::handle_type) declares, which is written as its handle.
#[doc(hidden)]
#[macro_export]
macro_rules! __key_with_serde {
    ($name:ident) => {
        impl $crate::__private::serde::Serialize for $name {
            fn serialize<__S: $crate::__private::serde::Serializer>(
                &self,
                serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                $crate::__private::serde::Serialize::serialize(&self.0, serializer)
            }
        }

        impl<'de> $crate::__private::serde::Deserialize<'de> for $name {
            fn deserialize<__D: $crate::__private::serde::Deserializer<'de>>(
                deserializer: __D,
            ) -> ::core::result::Result<Self, __D::Error> {
                ::core::result::Result::map(
                    $crate::__private::serde::Deserialize::deserialize(deserializer),
                    Self,
                )
            }
        }
    };
}

#[doc(hidden)]
pub use __key_with_serde as key_with_serde;

/// A handle of any layout as its text, for human-readable formats.
pub(crate) struct Text<H>(pub(crate) H);

impl<H: HandleLayout> Serialize for Text<H> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de, H: HandleLayout> Deserialize<'de> for Text<H> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = HandleVisitor { is_human_readable: true, layout: PhantomData };
        deserializer.deserialize_str(visitor).map(Self)
    }
}
