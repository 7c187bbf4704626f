//! Objects of different types in one pool, as a subject of a soak.

use millpond::{AnyPool, AnyValue, Handle, Stats};

use super::payload::Payload;
use super::subject::{Subject, WrittenOver};

/// What the objects have in common.
pub(super) trait Numbered {
    /// The number, unless the object was overwritten.
    fn number(&self) -> Option<u64>;
}
millpond::any_pool_trait!(dyn Numbered);

impl<const WORDS: usize> Numbered for Payload<WORDS> {
    fn number(&self) -> Option<u64> {
        Payload::number(self)
    }
}

/// The types, chosen by the object's number; the largest is as large as a slot.
type Small = Payload<0>;
type Medium = Payload<2>;
type Large = Payload<5>;

pub(super) const SLOT_BYTES: usize = size_of::<Large>();

/// An object of one of three types.
type Object = AnyValue<dyn Numbered, SLOT_BYTES>;

pub(super) type Mixed = AnyPool<dyn Numbered, SLOT_BYTES>;

fn object(number: u64) -> Object {
    match number % 3 {
        0 => Object::new(Small::new(number)),
        1 => Object::new(Medium::new(number)),
        _ => Object::new(Large::new(number)),
    }
}

fn number(object: &Object) -> Result<u64, WrittenOver> {
    object.number().ok_or(WrittenOver)
}

impl Subject for Mixed {
    type Handle = Handle<Object>;

    fn insert(&mut self, number: u64) -> Option<Self::Handle> {
        self.insert(object(number)).ok()
    }

    fn insert_at(&mut self, handle: Self::Handle, number: u64) -> bool {
        self.insert_at(handle, object(number)).is_ok()
    }

    /// Half of them through the trait, half through their own type.
    fn remove(&mut self, handle: Self::Handle) -> Option<Result<u64, WrittenOver>> {
        let object = self.remove(handle)?;
        let number = number(&object);
        let own = |number: Option<u64>| number.ok_or(WrittenOver);
        Some(match number {
            Ok(number) if number % 6 == 0 => own(object.downcast::<Small>().ok()?.number()),
            Ok(number) if number % 6 == 1 => own(object.downcast::<Medium>().ok()?.number()),
            Ok(number) if number % 6 == 2 => own(object.downcast::<Large>().ok()?.number()),
            number => number,
        })
    }

    fn number(&self, handle: Self::Handle) -> Option<Result<u64, WrittenOver>> {
        self.get(handle).map(number)
    }

    fn retain(&mut self, mut keep: impl FnMut(u64) -> bool) {
        self.retain(|_, object| object.number().is_none_or(&mut keep));
    }

    fn clear(&mut self) {
        self.clear();
    }

    fn visit(&self, mut see: impl FnMut(Self::Handle, Option<u64>)) {
        self.iter().for_each(|(handle, object)| see(handle, object.number()));
    }

    fn live(&self) -> usize {
        self.len()
    }

    fn stats(&self) -> Option<Stats> {
        Some(self.stats())
    }

    fn validate(&self) -> Result<(), String> {
        self.validate().map_err(|violation| violation.to_string())
    }
}
