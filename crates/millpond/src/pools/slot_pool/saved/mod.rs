//! The saved form of a pool, and what takes over the objects of a pool that was read.

mod migrate;

use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Growth, PoolPlace, SlotPool};
use crate::handle::HandleLayout;
use crate::slots::reuse::ReuseOrder;
use crate::snapshot::state::sealed::Written;

/// Serialises everything that the pool's future depends on, and its statistics; see
/// [`snapshot`](crate::snapshot#saving-to-a-file).
impl<T: Serialize, R: ReuseOrder, H: HandleLayout, P, G> Serialize for SlotPool<T, G, R, H, P>
where
    P: PoolPlace<T, R, H>,
    G: Growth<T, R, H::Erased, P>,
    Self: Written<Value = T>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.write(false, serializer)
    }
}

/// Deserialises a pool without a name; see [`snapshot`](crate::snapshot#saving-to-a-file).
impl<'de, T: Deserialize<'de>, R: ReuseOrder, H: HandleLayout, P, G> Deserialize<'de>
    for SlotPool<T, G, R, H, P>
where
    P: PoolPlace<T, R, H>,
    G: Growth<T, R, H::Erased, P>,
    Self: Written<Value = T>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(deserializer)
    }
}
