//! The cold code of pools with the default order and handles, compiled with this library and not again in each program: it does
//! not depend on the type of their values.
//!
//! rustc (that of 1.95 does; an older one may compile it twice) calls a generic function that says `#[inline(never)]` where a
//! library has it with the same types. These statics, which nothing else needs, make this library have it, and what it calls.
//! Pools of other orders and handles have theirs in the programs that use them. Without optimisation all have: there it costs
//! programs little, and would cost those without such a pool a longer build.

use core::alloc::Layout;

#[cfg(feature = "vec")]
use super::doubling::Doubling;
use super::slot_pool::SlotsOf;
#[cfg(feature = "vec")]
use super::slot_pool::{CannotGrow, SlotGrowth};
use super::unused::{self, OneBlock, UnusedSlots};
use crate::handle::Handle;
use crate::occupancy::Occupancy;
use crate::slots::SlotWords;
use crate::slots::reuse::Lifo;

/// The handles, without the type of the values.
pub(super) type Ids = Handle<()>;
type Place = OneBlock<Lifo, Ids>;
type Words = SlotWords<Place>;
type Slots = SlotsOf<Lifo, Ids, Place>;

static _NEW: fn(usize, Layout) -> UnusedSlots<Lifo, Ids> = unused::slots_of_capacity;
static _EXPECT_UNUSED: fn(UnusedSlots<Lifo, Ids>, Layout) -> UnusedSlots<Lifo, Ids> =
    UnusedSlots::expect_unused_for;
static _WALK: for<'a> fn(&'a Words) -> Occupancy<'a> = Words::occupancy_to_walk;
static _REFRESH: fn(&mut Words) = Words::refresh;
static _TAKE_NEXT: fn(&mut Slots) -> Option<(usize, u32)> = Slots::take_next;
static _PEEK: fn(&mut Slots) -> Option<Ids> = Slots::peek;
static _END: fn(&mut Slots, usize, u64) = Slots::end_each;

#[cfg(feature = "vec")]
static _ADD: fn(&mut Doubling<u32>, &mut Slots) -> Result<usize, CannotGrow> =
    SlotGrowth::<Lifo, Ids, Place>::add_slot;
