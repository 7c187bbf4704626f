//! What the saved forms have in common.

use ::serde::de::Deserializer;
use ::serde::{Deserialize, Serialize};
use millpond::__parts::other_version;

/// The version of the format of lists of ages, and of pools in parts, whose parts have versions of their own.
#[derive(Clone, Copy, Serialize)]
#[serde(transparent)]
pub(crate) struct Version(u32);

impl Version {
    pub(crate) const CURRENT: Self = Self(1);
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            1 => Ok(Self(1)),
            other => Err(other_version(other, 1)),
        }
    }
}
