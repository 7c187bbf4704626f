use serde::Serialize;
use serde::de::value::StringDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Value as Json};

/// A format that pools are written in: one for humans, and one that is compact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    Postcard,
    /// JSON, read by a reader that says of every list and map that it is a long one. (Those of the two others
    /// know better: a length that lies ends where the input does.)
    Boasting,
}

impl Form {
    /// Those that files are written in.
    pub(crate) const ALL: [Self; 2] = [Self::Json, Self::Postcard];

    pub(crate) fn write(self, value: &impl Serialize) -> Vec<u8> {
        match self {
            Form::Json | Form::Boasting => serde_json::to_vec(value).unwrap(),
            Form::Postcard => postcard::to_allocvec(value).unwrap(),
        }
    }

    pub(crate) fn read<V: DeserializeOwned>(self, bytes: &[u8]) -> Result<V, String> {
        match self {
            Form::Json => serde_json::from_slice(bytes).map_err(|error| error.to_string()),
            Form::Postcard => postcard::from_bytes(bytes).map_err(|error| error.to_string()),
            Form::Boasting => serde_json::from_slice(bytes)
                .and_then(|document| V::deserialize(Boasting(document)))
                .map_err(|error| error.to_string()),
        }
    }
}

/// What it says of each length.
const BOASTED: Option<usize> = Some(1 << 24);

struct Boasting(Json);

impl<'de> Deserializer<'de> for Boasting {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Json::Array(list) => visitor.visit_seq(BoastingList(list.into_iter())),
            Json::Object(map) => visitor.visit_map(BoastingMap(map.into_iter(), None)),
            other => other.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Json::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct BoastingList(std::vec::IntoIter<Json>);

impl<'de> SeqAccess<'de> for BoastingList {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        self.0.next().map(|element| seed.deserialize(Boasting(element))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        BOASTED
    }
}

/// What is left, and the value of the key that was read.
struct BoastingMap(serde_json::map::IntoIter, Option<Json>);

impl<'de> MapAccess<'de> for BoastingMap {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        let Some((key, value)) = self.0.next() else { return Ok(None) };
        self.1 = Some(value);
        let key: StringDeserializer<Error> = key.into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(Boasting(self.1.take().unwrap_or_default()))
    }

    fn size_hint(&self) -> Option<usize> {
        BOASTED
    }
}
