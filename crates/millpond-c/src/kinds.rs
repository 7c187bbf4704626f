//! What is done with a pool by its type.
//!
//! What few programs call is not in a pool's [`Face`](crate::face::Face), but finds the pool's type here: a program that
//! never calls it has no code of it.
//!
//! # Invariant
//!
//! A pool's [kind](crate::head::Head::kind) has the order that it was made with.

use core::ptr::NonNull;

use millpond::reuse::ReuseOrder;
use millpond::snapshot::Checksum;
use millpond::validate::Violation;
use millpond::{Handle, SavedSlots};

use crate::face::Face;
use crate::head::Head;
use crate::opened::face;
use crate::orders::{ForOrder, Slots, with_order};
use crate::status::Status;
use crate::whole::Whole;

/// What is done with a pool of a given order.
trait ForPool {
    type Out;
    fn run<R: ReuseOrder>(self, pool: &mut Slots<R>) -> Self::Out;
}

/// What is read of a pool of a given order, perhaps on several threads at once.
trait ReadsPool {
    type Out;
    fn run<R: ReuseOrder>(self, pool: &Slots<R>) -> Self::Out;
}

struct OfPool<F>(NonNull<Head>, F);

impl<F: ReadsPool> ForOrder for OfPool<F> {
    type Out = F::Out;

    fn run<R: ReuseOrder>(self) -> F::Out {
        let whole = self.0.cast::<Whole<R>>();
        // SAFETY: it is a pool of this order (the invariant), and nobody changes it, as the caller of `of_pool` promises.
        let slots = unsafe { &(*whole.as_ptr()).slots };
        self.1.run(slots)
    }
}

/// # Safety
///
/// It is a pool that nobody changes; others may read it.
unsafe fn of_pool<F: ReadsPool>(head: NonNull<Head>, work: F) -> Result<F::Out, Status> {
    // SAFETY: as the caller promises; the field is copied.
    let kind = unsafe { (*head.as_ptr()).kind };
    with_order(u32::from(kind & 0xff), OfPool(head, work))
}

struct InPool<F>(NonNull<Head>, F);

impl<F: ForPool> ForOrder for InPool<F> {
    type Out = F::Out;

    fn run<R: ReuseOrder>(self) -> F::Out {
        let whole = self.0.cast::<Whole<R>>();
        // SAFETY: it is a pool of this order (the invariant), and the caller of `with_pool` has it alone.
        let slots = unsafe { &mut (*whole.as_ptr()).slots };
        self.1.run(slots)
    }
}

/// # Safety
///
/// It is a pool that nobody else uses.
unsafe fn with_pool<F: ForPool>(head: NonNull<Head>, work: F) -> Result<F::Out, Status> {
    // SAFETY: as the caller promises; the field is copied.
    let kind = unsafe { (*head.as_ptr()).kind };
    with_order(u32::from(kind & 0xff), InPool(head, work))
}

struct Validate;

impl ReadsPool for Validate {
    type Out = Result<(), Violation>;

    fn run<R: ReuseOrder>(self, pool: &Slots<R>) -> Self::Out {
        pool.validate()
    }
}

/// Checks every invariant.
///
/// # Safety
///
/// It is a pool that nobody changes.
pub(crate) unsafe fn validate(head: NonNull<Head>) -> Result<(), Option<Violation>> {
    // SAFETY: as the caller promises; it is not changed.
    match unsafe { of_pool(head, Validate) } {
        Ok(validated) => validated.map_err(Some),
        // No pool is of such a kind: something has written over the head.
        Err(_) => Err(None),
    }
}

struct Sum<'f>(&'f dyn Fn(usize, &mut Checksum));

impl ReadsPool for Sum<'_> {
    type Out = u64;

    fn run<R: ReuseOrder>(self, pool: &Slots<R>) -> u64 {
        pool.checksum_beside(self.0)
    }
}

/// The sum of the state, with what the function adds of each slot.
///
/// # Safety
///
/// It is a pool that nobody changes.
pub(crate) unsafe fn checksum(head: NonNull<Head>, add: &dyn Fn(usize, &mut Checksum)) -> u64 {
    // SAFETY: as the caller promises; it is not changed.
    unsafe { of_pool(head, Sum(add)) }.unwrap_or(0)
}

struct Least<'f>(&'f mut dyn FnMut(u64) -> i64);

impl ReadsPool for Least<'_> {
    type Out = u64;

    fn run<R: ReuseOrder>(self, pool: &Slots<R>) -> u64 {
        pool.least(|handle| (self.0)(handle.to_bits())).map_or(0, Handle::to_bits)
    }
}

/// The handle with the smallest key, of those whose slots can be used again; 0 if there is none.
///
/// # Safety
///
/// It is a pool that nobody changes.
pub(crate) unsafe fn least(head: NonNull<Head>, key: &mut dyn FnMut(u64) -> i64) -> u64 {
    // SAFETY: as the caller promises; it is not changed.
    unsafe { of_pool(head, Least(key)) }.unwrap_or(0)
}

struct Save(NonNull<Head>);

impl ForOrder for Save {
    type Out = Result<SavedSlots, Status>;

    fn run<R: ReuseOrder>(self) -> Self::Out {
        // SAFETY: it is a pool of this order (the invariant), and nobody changes it, as the caller of `to_saved` promises.
        let pool = unsafe { self.0.cast::<Whole<R>>().as_ref() };
        match pool.slots.detached().len() {
            0 => Ok(pool.slots.to_saved_slots(pool.growth.is_some())),
            _ => Err(Status::DETACHED),
        }
    }
}

/// The state of the slots, without the values. That of a pool that grows lists all of them: whoever reads it gets as many.
/// There is none while an object is out of the pool.
///
/// # Safety
///
/// It is a pool that nobody changes.
pub(crate) unsafe fn to_saved(head: NonNull<Head>) -> Result<SavedSlots, Status> {
    // SAFETY: as the caller promises; the field is copied.
    let kind = unsafe { (*head.as_ptr()).kind };
    with_order(u32::from(kind & 0xff), Save(head))?
}

struct Load {
    to: NonNull<Head>,
    saved: SavedSlots,
}

impl ForOrder for Load {
    type Out = Result<(), Status>;

    fn run<R: ReuseOrder>(self) -> Self::Out {
        // SAFETY: it is a pool of this order (the invariant), and the caller of `load` has it alone.
        let to = unsafe { self.to.cast::<Whole<R>>().as_mut() };
        let checked = to.slots.check_beside(self.saved, to.growth.is_some());
        let state = checked.ok_or(Status::BAD_STATE)?;
        to.take_on(state.slots(), &mut |slots| match slots.load_beside(&state) {
            true => Ok(()),
            false => Err(Status::OTHER_SHAPE),
        })
    }
}

/// Takes on a state, or changes nothing.
///
/// # Safety
///
/// It is a pool that nobody else uses.
pub(crate) unsafe fn load(head: NonNull<Head>, saved: SavedSlots) -> Result<(), Status> {
    // SAFETY: as the caller promises; the field is copied.
    let kind = unsafe { (*head.as_ptr()).kind };
    with_order(u32::from(kind & 0xff), Load { to: head, saved })?
}

struct AcquireAt(Handle<()>);

impl ForPool for AcquireAt {
    type Out = Result<(), Status>;

    fn run<R: ReuseOrder>(self, pool: &mut Slots<R>) -> Self::Out {
        pool.acquire_at(self.0).map_err(|error| error.kind().into())
    }
}

/// Begins exactly this lifetime.
///
/// # Safety
///
/// It is a pool that nobody else uses.
pub(crate) unsafe fn acquire_at(head: NonNull<Head>, bits: u64) -> Result<(), Status> {
    // SAFETY: as the caller promises.
    unsafe { with_handle(head, bits, Status::BEYOND_LIFETIMES, AcquireAt) }
}

/// Does with a handle what an operation does, or refuses bits that are none.
///
/// # Safety
///
/// It is a pool that nobody else uses.
unsafe fn with_handle<F: ForPool<Out = Result<(), Status>>>(
    head: NonNull<Head>,
    bits: u64,
    refusal: Status,
    operation: fn(Handle<()>) -> F,
) -> Result<(), Status> {
    // SAFETY: as the caller promises; it is not changed meanwhile.
    let handle = unsafe { head.as_ref() }.handle(bits).ok_or(refusal)?;
    // SAFETY: as the caller promises.
    unsafe { with_pool(head, operation(handle)) }?
}

struct Detach(Handle<()>);

impl ForPool for Detach {
    type Out = Result<(), Status>;

    fn run<R: ReuseOrder>(self, pool: &mut Slots<R>) -> Self::Out {
        let out = pool.detached().len();
        pool.reserve_detached(out + 1)?;
        pool.detach(self.0).ok_or(Status::STALE)
    }
}

/// Keeps the slot of a live object, which leaves the pool; or changes nothing.
///
/// # Safety
///
/// It is a pool that nobody else uses.
pub(crate) unsafe fn detach(head: NonNull<Head>, bits: u64) -> Result<(), Status> {
    // SAFETY: as the caller promises.
    unsafe { with_handle(head, bits, Status::NEVER_ISSUED, Detach) }
}

struct Reattach(Handle<()>);

impl ForPool for Reattach {
    type Out = Result<(), Status>;

    fn run<R: ReuseOrder>(self, pool: &mut Slots<R>) -> Self::Out {
        match pool.reattach(self.0, ()) {
            Ok(_) => Ok(()),
            Err(error) => Err(error.kind().into()),
        }
    }
}

/// Continues the lifetime of an object that was out of the pool; or changes nothing.
///
/// # Safety
///
/// It is a pool that nobody else uses.
pub(crate) unsafe fn reattach(head: NonNull<Head>, bits: u64) -> Result<(), Status> {
    // SAFETY: as the caller promises.
    unsafe { with_handle(head, bits, Status::NEVER_ISSUED, Reattach) }
}

struct FreeDetached(Handle<()>);

impl ForPool for FreeDetached {
    type Out = bool;

    fn run<R: ReuseOrder>(self, pool: &mut Slots<R>) -> bool {
        pool.free_detached(self.0)
    }
}

/// Ends the lifetime of an object that is out of the pool. Whether there was one.
///
/// # Safety
///
/// It is a pool that nobody else uses.
pub(crate) unsafe fn free_detached(head: NonNull<Head>, bits: u64) -> bool {
    // SAFETY: as the caller promises; it is not changed meanwhile.
    unsafe { head.as_ref() }.handle(bits).is_some_and(|handle| {
        // SAFETY: as the caller promises.
        unsafe { with_pool(head, FreeDetached(handle)) }.unwrap_or(false)
    })
}

struct Clear;

impl ForPool for Clear {
    type Out = ();

    fn run<R: ReuseOrder>(self, pool: &mut Slots<R>) {
        pool.clear();
    }
}

/// Ends all lifetimes.
///
/// # Safety
///
/// It is a pool that nobody else uses.
pub(crate) unsafe fn clear(head: NonNull<Head>) -> Result<(), Status> {
    // SAFETY: as the caller promises.
    unsafe { with_pool(head, Clear) }
}

/// What two pools must have in common beside their slots, for one to take on the state of the other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) value_bytes: u32,
    /// [That of the head](Head::kind), and in bit 16 whether the pool evicts the oldest when it is full: a state of ages
    /// is of no use to others, and they have none for it.
    pub(crate) kind: u32,
}

/// # Safety
///
/// It is a pool that nobody changes.
pub(crate) unsafe fn shape_of(head: NonNull<Head>) -> Shape {
    // SAFETY: as the caller promises; the fields are copied.
    let Head { value_bytes, kind, .. } = unsafe { head.read() };
    // SAFETY: as the caller promises.
    let keeps_oldest = unsafe { face(head.as_ptr()) }.is_some_and(Face::keeps_oldest);
    Shape { value_bytes, kind: u32::from(kind) | u32::from(keeps_oldest) << 16 }
}

struct TakeOn {
    to: NonNull<Head>,
    from: NonNull<Head>,
    follows: bool,
}

impl ForOrder for TakeOn {
    type Out = Result<(), Status>;

    fn run<R: ReuseOrder>(self) -> Self::Out {
        // SAFETY: both are pools of this order, as `take_on` has tested, and the caller has this one alone.
        let to = unsafe { self.to.cast::<Whole<R>>().as_mut() };
        // SAFETY: as above; nobody changes it.
        let from = unsafe { self.from.cast::<Whole<R>>().as_ref() };
        let out = from.slots.detached().len();
        // One that grows becomes one that was just made, which begins as its options say.
        let follows = self.follows && to.slots.name() == from.slots.name()
            || to.slots.begins_like(&from.slots);
        to.take_on(from.slots.capacity(), &mut |slots| {
            slots.reserve_detached(out)?;
            if follows && slots.begins_elsewhere(&from.slots) {
                slots.migrate_beside(&from.slots.to_roster()?)?;
            }
            if slots.take_on(&from.slots) { Ok(()) } else { Err(Status::OTHER_SHAPE) }
        })?;
        if let (Some(oldest), Some(others)) = (&mut to.oldest, &from.oldest) {
            oldest.copy_state_from(others);
        }
        Ok(())
    }
}

/// Takes on the state of another pool, without its values; nothing happens if that is of another shape. `follows`: other first
/// generations are the same shape, if the name is the same.
///
/// # Safety
///
/// Both are pools; nobody else uses the first, nobody changes the second, and they are two.
pub(crate) unsafe fn take_on(
    to: NonNull<Head>,
    from: NonNull<Head>,
    follows: bool,
) -> Result<(), Status> {
    // SAFETY: as the caller promises.
    let ours = unsafe { shape_of(to) };
    // SAFETY: as above.
    let theirs = unsafe { shape_of(from) };
    if ours != theirs {
        return Err(Status::OTHER_SHAPE);
    }
    with_order(ours.kind & 0xff, TakeOn { to, from, follows })?
}
