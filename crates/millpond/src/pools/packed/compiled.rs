//! What of packed pools is [compiled](crate::pools::compiled) with this library.

use super::retain::Removals;
use super::roster::PackedRoster;
use crate::base::OutOfMemory;
use crate::pools::compiled::Ids;
use crate::pools::settings::GenerationSettings;

static _NEW: fn(usize, &GenerationSettings) -> Result<PackedRoster<Ids>, OutOfMemory> =
    PackedRoster::try_new;
static _RELEASE: fn(&mut PackedRoster<Ids>, Ids, usize, usize) = PackedRoster::release;
static _REMOVE: fn(&mut Removals<'static, Ids>, usize, usize) -> usize = Removals::remove;
