//! The saved form of the objects.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use ::serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor,
};
use ::serde::ser::{Serialize, SerializeMap, SerializeSeq, SerializeTuple, Serializer};

use super::super::ranges::joined;
use super::read::Objects;
use crate::handle::serde::Text;
use crate::handle::{self, HandleLayout, Word};

/// The objects of a pool, for writing.
pub(crate) struct ObjectsOf<H, F> {
    /// The number of slots that have values, or may have.
    slots: usize,
    dead_have_values: bool,
    /// The word of a slot, and its value.
    slot: F,
    handles: PhantomData<H>,
}

impl<'a, H: HandleLayout, T: 'a, F: Fn(usize) -> (H::Word, Option<&'a T>)> ObjectsOf<H, F> {
    pub(crate) fn new(slots: usize, dead_have_values: bool, slot: F) -> Self {
        Self { slots, dead_have_values, slot, handles: PhantomData }
    }

    fn live(&self) -> impl Iterator<Item = usize> + Clone {
        (0..self.slots).filter(|&index| !(self.slot)(index).0.is_dead())
    }

    /// Those that have values.
    fn with_values(&self) -> impl Iterator<Item = (usize, H::Word, &'a T)> + Clone {
        (0..self.slots).filter_map(|index| {
            let (word, value) = (self.slot)(index);
            Some((index, word, value?))
        })
    }
}

impl<'a, H: HandleLayout, T: Serialize + 'a, F: Fn(usize) -> (H::Word, Option<&'a T>)> Serialize
    for ObjectsOf<H, F>
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            let mut parts = serializer.serialize_tuple(2)?;
            let runs = || joined(self.live().map(|index| index..index + 1));
            let runs = || runs().map(|run| (run.start as u32, run.len() as u32));
            parts.serialize_element(&List(runs))?;
            parts.serialize_element(&List(|| self.with_values().map(|(.., value)| value)))?;
            return parts.end();
        }
        let text = |index, word| Text(handle::live::<H>(index, word));
        if self.dead_have_values {
            let mut pairs = serializer.serialize_seq(Some(self.slots))?;
            for (index, word, value) in self.with_values() {
                let handle = (!word.is_dead()).then(|| text(index, word));
                pairs.serialize_element(&(handle, value))?;
            }
            pairs.end()
        } else {
            let mut map = serializer.serialize_map(Some(self.live().count()))?;
            for (index, word, value) in self.with_values() {
                map.serialize_entry(&text(index, word), value)?;
            }
            map.end()
        }
    }
}

/// A list, for writing, of which some formats must know the length first.
struct List<F>(F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for List<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some((self.0)().count()))?;
        for element in (self.0)() {
            list.serialize_element(&element)?;
        }
        list.end()
    }
}

/// Reads objects.
pub(super) struct ReadObjects<H, T> {
    /// There are no more objects than slots.
    pub(super) slots: usize,
    pub(super) dead_have_values: bool,
    pub(super) objects: PhantomData<(H, T)>,
}

impl<'de, H: HandleLayout, T: Deserialize<'de>> DeserializeSeed<'de> for ReadObjects<H, T> {
    type Value = Objects<H, T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Objects<H, T>, D::Error> {
        match (deserializer.is_human_readable(), self.dead_have_values) {
            (false, _) => deserializer.deserialize_tuple(2, CountedVisitor(self)),
            (true, false) => deserializer.deserialize_map(NamedVisitor(self)),
            (true, true) => deserializer.deserialize_seq(NamedVisitor(self)),
        }
    }
}

fn too_many<E: de::Error>(slots: usize) -> E {
    E::custom(format_args!("more objects than the {slots} slots that there are"))
}

struct NamedVisitor<H, T>(ReadObjects<H, T>);

impl<'de, H: HandleLayout, T: Deserialize<'de>> Visitor<'de> for NamedVisitor<H, T> {
    type Value = Objects<H, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0.dead_have_values {
            true => "a list of pairs of a handle or null and an object",
            false => "a map from handles to objects",
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Objects<H, T>, A::Error> {
        let mut named = Vec::new();
        while let Some((Text(handle), value)) = entries.next_entry()? {
            if named.len() == self.0.slots {
                return Err(too_many(self.0.slots));
            }
            named.push((Some(handle), value));
        }
        Ok(Objects::Named(named))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut pairs: A) -> Result<Objects<H, T>, A::Error> {
        let mut named = Vec::new();
        while let Some((handle, value)) = pairs.next_element::<(Option<Text<H>>, _)>()? {
            if named.len() == self.0.slots {
                return Err(too_many(self.0.slots));
            }
            named.push((handle.map(|Text(handle)| handle), value));
        }
        Ok(Objects::Named(named))
    }
}

struct CountedVisitor<H, T>(ReadObjects<H, T>);

impl<'de, H: HandleLayout, T: Deserialize<'de>> Visitor<'de> for CountedVisitor<H, T> {
    type Value = Objects<H, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the runs of live slots, and the values")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Objects<H, T>, A::Error> {
        let missing = |at| de::Error::invalid_length(at, &"two lists");
        let runs = ReadList(usize::MAX, PhantomData);
        let live = parts.next_element_seed(runs)?.ok_or_else(|| missing(0))?;
        let values = ReadList(self.0.slots, PhantomData);
        let values = parts.next_element_seed(values)?.ok_or_else(|| missing(1))?;
        Ok(Objects::Counted { live, values })
    }
}

/// Reads a list of at most so many elements, reserving room for at most a page of them: a false length costs nothing.
struct ReadList<T>(usize, PhantomData<T>);

/// Reads a list.
pub fn read_list<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    ReadList(usize::MAX, PhantomData).deserialize(deserializer)
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for ReadList<T> {
    type Value = Vec<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for ReadList<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let room = list.size_hint().unwrap_or(0).min(4096 / size_of::<T>().max(1));
        let mut values = Vec::with_capacity(room);
        while let Some(value) = list.next_element()? {
            // Zero-sized values take no memory and no input, so their number must not be trusted.
            if values.len() == self.0 {
                return Err(too_many(self.0));
            }
            values.push(value);
        }
        Ok(values)
    }
}
