//! Objects of different types in one pool, as a subject of a soak.

use millpond::{AnyPool, Handle, Stats};

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

/// Objects of three types.
pub(super) type Mixed = AnyPool<dyn Numbered, SLOT_BYTES>;

fn number(object: &dyn Numbered) -> Result<u64, WrittenOver> {
    object.number().ok_or(WrittenOver)
}

impl Subject for Mixed {
    type Handle = Handle<dyn Numbered>;

    fn insert(&mut self, number: u64) -> Option<Self::Handle> {
        match number % 3 {
            0 => self.insert(Small::new(number)).ok(),
            1 => self.insert(Medium::new(number)).ok(),
            _ => self.insert(Large::new(number)).ok(),
        }
    }

    fn insert_at(&mut self, handle: Self::Handle, number: u64) -> bool {
        match number % 3 {
            0 => self.insert_at(handle, Small::new(number)).is_ok(),
            1 => self.insert_at(handle, Medium::new(number)).is_ok(),
            _ => self.insert_at(handle, Large::new(number)).is_ok(),
        }
    }

    /// Half of them through the trait, half through their own type.
    fn remove(&mut self, handle: Self::Handle) -> Option<Result<u64, WrittenOver>> {
        let number = self.get(handle).map(number)?;
        let removed = match number {
            Ok(number) if number % 6 == 0 => self.remove_as::<Small>(handle).is_some(),
            Ok(number) if number % 6 == 1 => self.remove_as::<Medium>(handle).is_some(),
            Ok(number) if number % 6 == 2 => self.remove_as::<Large>(handle).is_some(),
            _ => self.remove(handle),
        };
        removed.then_some(number)
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
