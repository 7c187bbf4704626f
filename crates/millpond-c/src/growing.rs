//! Pools that grow.
//!
//! ```text
//! mp_pool      Head │ HandleAllocator │ list of the oldest │ Growth │ name            one block, which stays
//!              values │ entries │ words │ bitmap                                       another, replaced by a larger one
//! ```
//!
//! So the program's pointer to the pool stays good, and the header's functions find the arrays as in every other pool.
//! What grows is behind function pointers that only [`create_growing`] sets: a program without such pools has none of it.
//!
//! # Invariant
//!
//! The arrays of the pool's slots lie in `arrays`, which has the layout for as many slots as there are.

use core::ptr::{self, NonNull};

use millpond::reuse::ReuseOrder;
use millpond::{Handle, HandleLayout};
use millpond_overflow::EvictOldest;

use crate::block::{BLOCK_ALIGN, Block};
use crate::callbacks::Move;
use crate::create::{Building, builder, create_by, create_for};
use crate::face::{Face, Goal, slot_of};
use crate::growth::{Growth, TakeOn};
use crate::head::Head;
use crate::opened::{Opened, face};
use crate::options::{Checked, Options};
use crate::orders::{ForOrder, limits_of, with_order};
use crate::status::{Status, status_of};
use crate::whole::Whole;

/// The smallest number of slots that a pool grows to, unless its limit is less; as in Rust's `VecPool`.
const SLOTS_MIN: usize = 4;

/// Up to this many slots a pool grows for a named slot, whatever it has; as in Rust's `VecPool`.
const NAMED_SLOTS: usize = 4096;

/// Memory for the arrays of so many slots.
fn take_arrays<R: ReuseOrder>(options: &Checked<'_>) -> Result<Block, Status> {
    let layout = builder::<R>(options, None)?.memory_layout_beside(options.value)?;
    let layout = layout.align_to(BLOCK_ALIGN).map_err(|_| Status::OUT_OF_MEMORY)?.pad_to_align();
    Block::take(&options.raw, layout)
}

/// Grows; on an error, nothing changes.
///
/// # Safety
///
/// As [`Growth`] says.
unsafe fn grow<R: ReuseOrder>(head: NonNull<Head>, to: Goal) -> Result<(), Status> {
    let mut whole = head.cast::<Whole<R>>();
    // SAFETY: as the caller promises; it is a pool of this order.
    let (from, slots) = unsafe { room_for(whole.as_ref(), to)? };
    // SAFETY: as above; the field is copied.
    let outside = unsafe { (*head.as_ptr()).outside };
    // SAFETY: null, or the pool's own, which lies apart from it.
    let outside = unsafe { outside.as_mut() };
    if let Some(outside) = outside {
        outside.make_room(slots)?;
        // These start from the head, so that no reference to the pool may be kept across them.
        outside.open(head);
        // SAFETY: as above.
        let grown = grow_to(unsafe { whole.as_mut() }, slots);
        outside.grown(head, from);
        return grown;
    }
    // SAFETY: as above.
    grow_to(unsafe { whole.as_mut() }, slots)
}

/// How many slots there are, and how many there will be.
fn room_for<R: ReuseOrder>(whole: &Whole<R>, to: Goal) -> Result<(usize, usize), Status> {
    let from = whole.slots.capacity();
    let more = from.saturating_mul(2).max(SLOTS_MIN).min(whole.capacity_max());
    let slots = match to {
        Goal::More => more,
        Goal::AtLeast(slots) => more.max(slots),
        Goal::Reach(bits) => {
            let handle = whole.head.handle(bits).ok_or(Status::BEYOND_LIFETIMES)?;
            whole.slots.check_begin_beyond(handle)?;
            let slot = slot_of(bits);
            if slot >= more.max(NAMED_SLOTS) {
                return Err(Status::TOO_FAR);
            }
            more.max(slot + 1)
        }
    };
    Ok((from, slots))
}

/// Moves to more slots, all of whose bytes may be read and written; on an error, nothing changes.
fn grow_to<R: ReuseOrder>(whole: &mut Whole<R>, slots: usize) -> Result<(), Status> {
    let Some(growth) = &mut whole.growth else { return Err(Status::TOO_MANY_SLOTS) };
    let options = growth.options_of(slots);
    let arrays = take_arrays::<R>(&options)?;
    let oldest = match &whole.oldest {
        Some(oldest) => {
            let mut longer = EvictOldest::try_new(slots)?;
            longer.copy_state_from(oldest);
            Some(longer)
        }
        None => None,
    };
    let (from, former) = (whole.slots.values_beside(), whole.slots.capacity());
    // SAFETY: the memory has the layout of so many slots, and is the pool's own until it grows again or goes.
    unsafe { whole.slots.grow_beside(arrays.start, slots, options.value)? };
    whole.oldest = oldest;
    let to = whole.slots.values_beside();
    let bytes = options.value.size();
    // Dead slots as well: what they are filled with is looked at when they are used again.
    // SAFETY: the former values are still there, and the arrays do not overlap.
    unsafe { to.copy_from_nonoverlapping(from, former * bytes) };
    if let Some(mover) = growth.mover {
        for run in whole.slots.occupancy().runs() {
            // SAFETY: both arrays have the slots that live.
            let to = unsafe { to.add(run.start * bytes) };
            // SAFETY: as above.
            let from = unsafe { from.add(run.start * bytes) };
            // SAFETY: the program's function, with places of as many live values.
            unsafe { mover(to.as_ptr().cast(), from.as_ptr().cast(), run.len()) };
        }
    }
    growth.arrays = arrays;
    Ok(())
}

/// Becomes a pool of so many slots, without values, which take on a state; on an error, nothing changes.
///
/// # Safety
///
/// As [`Growth`] says.
unsafe fn replace<R: ReuseOrder>(
    head: NonNull<Head>,
    slots: usize,
    take_on: TakeOn<'_, R>,
) -> Result<(), Status> {
    // SAFETY: as the caller promises; it is a pool of this order.
    let whole = unsafe { head.cast::<Whole<R>>().as_mut() };
    let name = whole.slots.name();
    let Some(growth) = &mut whole.growth else { return Err(Status::OTHER_SHAPE) };
    if slots > growth.slots_max() {
        return Err(Status::OTHER_SHAPE);
    }
    let options = growth.options_of(slots);
    let arrays = take_arrays::<R>(&options)?;
    let oldest = match whole.oldest {
        Some(_) => Some(EvictOldest::try_new(slots)?),
        None => None,
    };
    // SAFETY: as for growth.
    let mut made =
        unsafe { builder::<R>(&options, name)?.build_beside(arrays.start, options.value, false)? };
    take_on(&mut made)?;
    whole.slots = made;
    whole.oldest = oldest;
    growth.arrays = arrays;
    Ok(())
}

struct Growing<'o>(Building<'o>);

impl ForOrder for Growing<'_> {
    type Out = Result<NonNull<Head>, Status>;

    fn run<R: ReuseOrder>(self) -> Self::Out {
        let mut options = Checked { name: None, ..*self.0.options };
        options.raw.name = ptr::null();
        let arrays = take_arrays::<R>(&options)?;
        // SAFETY: the memory is such a pool's own from now on.
        let head = unsafe { self.0.build::<R>(arrays.start)? };
        let growth =
            Growth { options, arrays, mover: None, grow: grow::<R>, replace: replace::<R> };
        // SAFETY: the pool was just made, and nobody else knows it.
        unsafe { head.cast::<Whole<R>>().as_mut() }.growth = Some(growth);
        Ok(head)
    }
}

/// Creates a pool that grows.
pub(crate) fn create_growing(options: &Checked<'_>) -> Result<NonNull<Head>, Status> {
    let limit = match options.raw.index_bits {
        0 => Handle::<()>::CAPACITY_MAX as u32,
        index_bits => limits_of(index_bits)?.1,
    };
    let mut options = Checked { ..*options };
    options.raw.slots_max = options.raw.slots_max.min(limit);
    if options.raw.slots > options.raw.slots_max {
        return Err(Status::TOO_MANY_SLOTS);
    }
    create_by(&options, |building| with_order(options.raw.order, Growing(building))?)
}

impl Opened<'_> {
    /// Makes room for so many more insertions.
    fn reserve(&mut self, additional: usize) -> Result<(), Status> {
        let millpond::Stats { capacity, live, retired, .. } = self.face().stats();
        let missing = additional.saturating_sub(capacity - live - retired);
        if missing == 0 {
            return Ok(());
        }
        match capacity.checked_add(missing).filter(|slots| *slots <= self.face().capacity_max()) {
            Some(needed) => self.face_mut().grow(Goal::AtLeast(needed)),
            None => Err(Status::TOO_MANY_SLOTS),
        }
    }
}

/// See the header.
///
/// # Safety
///
/// As [`create_for`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_create_growing_(
    options: *const Options,
    out: *mut *mut Head,
    layout: u32,
    pool_bytes: usize,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe { create_for(options, out, (layout, pool_bytes), create_growing) }
}

/// See the header.
///
/// # Safety
///
/// `pool` is null, or a pool that nobody else uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_reserve(pool: *mut Head, additional: usize) -> Status {
    // SAFETY: as the caller promises.
    match unsafe { Opened::new(pool) } {
        Some(mut pool) => status_of(pool.reserve(additional)),
        None => Status::NULL_POINTER,
    }
}

/// See the header.
///
/// # Safety
///
/// `pool` is null, or a pool that nobody changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_capacity_max(pool: *const Head) -> usize {
    // SAFETY: as the caller promises.
    unsafe { face(pool) }.map_or(0, Face::capacity_max)
}

/// For millpond.hpp, whose values are moved by their constructors.
///
/// # Safety
///
/// `pool` is null, or a pool that nobody else uses; the function moves as many values as it is told from one place to
/// another, and does nothing else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_move_by_(pool: *mut Head, mover: Option<Move>) {
    // SAFETY: as the caller promises.
    if let Some(mut pool) = unsafe { Opened::new(pool) } {
        pool.face_mut().move_by(mover);
    }
}
