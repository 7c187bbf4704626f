//! How pools come and go.

use core::alloc::Layout;
use core::ptr::{self, NonNull};
use core::{slice, str};

use millpond::reuse::ReuseOrder;
use millpond::{Handle, HandleAllocator, HandleAllocatorBuilder};
use millpond_overflow::EvictOldest;

use crate::block::{BLOCK_ALIGN, Block};
use crate::callbacks::Give;
use crate::head::{ALL_CALLED, Head, InC};
use crate::options::{self, Checked, EVICT_OLDEST, FILLED, Options, UNTOUCHED, WRAP, ZEROED};
use crate::orders::{ForOrder, limits_of, with_order};
use crate::outside::Outside;
use crate::status::{Status, status_of};
use crate::whole::Whole;

/// The layout that this library was built for: `MP_LAYOUT_` of the header.
pub(crate) const LAYOUT: u32 = 9;

pub(crate) fn builder<R: ReuseOrder>(
    options: &Checked<'_>,
    name: Option<&'static str>,
) -> Result<HandleAllocatorBuilder<(), R, Handle<()>>, Status> {
    let raw = &options.raw;
    let mut builder =
        HandleAllocator::builder().capacity(raw.slots as usize).reuse(R::default()).handle();
    if raw.index_bits != 0 {
        let (generation_max, slots_max) = limits_of(raw.index_bits)?;
        if raw.slots > slots_max {
            return Err(Status::TOO_MANY_SLOTS);
        }
        builder = builder.generations_up_to(generation_max);
    }
    if let Some(name) = name {
        builder = builder.name(name);
    }
    if raw.salt != 0 {
        builder = builder.salt(raw.salt);
    }
    if raw.lifetimes != 0 {
        builder = builder.lifetimes(raw.lifetimes);
    }
    Ok(if raw.flags & WRAP != 0 { builder.wrap() } else { builder })
}

/// Where the parts of a pool's block are.
struct Plan {
    layout: Layout,
    name: usize,
    arrays: usize,
}

struct Planning<'o>(&'o Checked<'o>);

impl ForOrder for Planning<'_> {
    type Out = Result<Plan, Status>;

    fn run<R: ReuseOrder>(self) -> Result<Plan, Status> {
        let arrays = match self.0.raw.slots_max {
            0 => builder::<R>(self.0, None)?.memory_layout_beside(self.0.value)?,
            // Those of a pool that grows have a block of their own.
            _ => Layout::new::<()>(),
        };
        let too_large = |_| Status::OUT_OF_MEMORY;
        let name = Layout::array::<u8>(self.0.name.map_or(0, str::len)).map_err(too_large)?;
        let (layout, name) = Layout::new::<Whole<R>>().extend(name).map_err(too_large)?;
        let (layout, arrays) = layout.extend(arrays).map_err(too_large)?;
        // So that the alignment follows from that of the values when the block goes back.
        let layout = layout.align_to(BLOCK_ALIGN).map_err(too_large)?;
        Ok(Plan { layout: layout.pad_to_align(), name, arrays })
    }
}

/// The layout of a pool's block.
pub(crate) fn layout(options: &Checked<'_>) -> Result<Layout, Status> {
    Ok(with_order(options.raw.order, Planning(options))??.layout)
}

/// How many bytes have room for a block, wherever they begin.
pub(crate) fn bytes_wherever(layout: Layout) -> usize {
    layout.size().saturating_add(layout.align() - 1)
}

pub(crate) struct Building<'o> {
    pub(crate) options: &'o Checked<'o>,
    plan: &'o Plan,
    block: NonNull<u8>,
    give: Option<Give>,
    block_bytes: usize,
}

impl ForOrder for Building<'_> {
    type Out = Result<NonNull<Head>, Status>;

    fn run<R: ReuseOrder>(self) -> Result<NonNull<Head>, Status> {
        // SAFETY: the place is within the block.
        let arrays = unsafe { self.block.add(self.plan.arrays) };
        // SAFETY: from there on, the block has as many bytes as such a pool needs, aligned, and nobody else's.
        unsafe { self.build::<R>(arrays) }
    }
}

impl Building<'_> {
    /// The block is as the plan says, and this pool's own.
    ///
    /// # Safety
    ///
    /// The arrays are memory of the layout that such a pool needs, and its own.
    pub(crate) unsafe fn build<R: ReuseOrder>(
        self,
        arrays: NonNull<u8>,
    ) -> Result<NonNull<Head>, Status> {
        let Self { options, plan, block, .. } = self;
        let raw = &options.raw;
        let name = options.name.map(|name| {
            // SAFETY: the place is within the block, with room for the name.
            let start = unsafe { block.add(plan.name) };
            // SAFETY: as above; the options' name lies elsewhere.
            unsafe { start.copy_from_nonoverlapping(NonNull::from(name).cast(), name.len()) };
            // SAFETY: just written, and not changed again. The pool, which alone has the reference, goes before the
            // block does.
            let copy = unsafe { slice::from_raw_parts(start.as_ptr(), name.len()) };
            // SAFETY: a copy of text.
            unsafe { str::from_utf8_unchecked(copy) }
        });
        let builder = builder::<R>(options, name)?;
        let is_zeroed = raw.flags & UNTOUCHED != 0;
        // SAFETY: as the caller promises. If it is to stay untouched, the block was taken with the same options: all bytes that
        // nobody wrote to are 0.
        let slots = unsafe { builder.build_beside(arrays, options.value, is_zeroed)? };
        let oldest = match raw.full {
            EVICT_OLDEST => Some(EvictOldest::try_new(raw.slots as usize)?),
            _ => None,
        };
        let is_quick = raw.order == 0 && oldest.is_none();
        let head = Head {
            face: Some(Whole::<R>::face),
            give: self.give,
            user: raw.user,
            block_bytes: self.block_bytes,
            outside: ptr::null_mut(),
            quick_top: if is_quick { 0 } else { ALL_CALLED.0 },
            // The first removal settles it.
            slow_from_minus_1: ALL_CALLED.1,
            value_bytes: raw.value_bytes,
            value_align: raw.value_align,
            kind: (raw.index_bits << 8 | raw.order) as u16,
            slow: u16::from(!is_quick),
        };
        let whole = block.cast::<Whole<R>>();
        // SAFETY: the block begins with room for it, aligned.
        unsafe { whole.write(Whole { head, slots, oldest, growth: None }) };
        Ok(whole.cast())
    }
}

/// Creates a pool with all of its slots.
pub(crate) fn create(options: &Checked<'_>) -> Result<NonNull<Head>, Status> {
    match options.raw.slots_max {
        0 => create_by(options, |building| with_order(options.raw.order, building)?),
        _ => Err(Status::BAD_OPTIONS),
    }
}

/// Creates a pool, of which the function builds what lies in its block.
pub(crate) fn create_by(
    options: &Checked<'_>,
    build: impl FnOnce(Building<'_>) -> Result<NonNull<Head>, Status>,
) -> Result<NonNull<Head>, Status> {
    let plan = with_order(options.raw.order, Planning(options))??;
    let block = Block::take(&options.raw, plan.layout)?;
    let (give, block_bytes) = (block.give, block.bytes);
    let mut head = build(Building { options, plan: &plan, block: block.start, give, block_bytes })?;
    // From here on the pool gives its block back.
    block.keep();
    if options.raw.flags & (ZEROED | FILLED) != 0 {
        let outside = Outside::filling(options.raw.flags);
        let fills = outside.fills();
        // SAFETY: the pool was just made, and nobody else knows it.
        let attached = outside.attach(unsafe { head.as_mut() });
        if let Err(status) = attached {
            // SAFETY: as above; nobody uses it any more.
            unsafe { destroy(head) };
            return Err(status);
        }
        if fills {
            // SAFETY: as above.
            Outside::fill_all(unsafe { head.as_mut() });
        }
    }
    Ok(head)
}

/// Ends a pool.
///
/// # Safety
///
/// The pool is there, and nobody uses it any more.
pub(crate) unsafe fn destroy(head: NonNull<Head>) {
    // SAFETY: as the caller promises.
    let Head { face, give, user, block_bytes, value_align, outside, .. } = unsafe { head.read() };
    if !outside.is_null() {
        // SAFETY: as above.
        unsafe { Outside::detach(head) };
    }
    let Some(face) = face else { return };
    // SAFETY: the function that was made for this pool.
    let whole = unsafe { face(head) };
    // SAFETY: nobody uses it any more.
    unsafe { whole.drop_in_place() };
    // SAFETY: it is the pool's own.
    unsafe { Block::give_back(head.cast(), (block_bytes, value_align), (give, user)) };
}

/// See the header.
///
/// # Safety
///
/// As [`options::read`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_bytes(options: *const Options) -> usize {
    // SAFETY: as the caller promises.
    let options = unsafe { options::read(options) };
    let layout = options.and_then(|options| match options.raw.slots_max {
        0 => layout(&options),
        _ => Err(Status::BAD_OPTIONS),
    });
    layout.map_or(0, bytes_wherever)
}

/// See the header.
///
/// # Safety
///
/// As [`options::read`]; `out` is null or points to a pointer. What the options say of memory and functions is true.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_create_(
    options: *const Options,
    out: *mut *mut Head,
    layout: u32,
    pool_bytes: usize,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe { create_for(options, out, (layout, pool_bytes), create) }
}

/// Creates a pool by the function for a program with this layout and so many bytes of `mp_pool`.
///
/// # Safety
///
/// As [`mp_pool_create_`].
pub(crate) unsafe fn create_for(
    options: *const Options,
    out: *mut *mut Head,
    program: (u32, usize),
    create: fn(&Checked<'_>) -> Result<NonNull<Head>, Status>,
) -> Status {
    if out.is_null() {
        return Status::NULL_POINTER;
    }
    // SAFETY: as the caller promises.
    unsafe { out.write(ptr::null_mut()) };
    if program != (LAYOUT, size_of::<InC>()) {
        return Status::OTHER_VERSION;
    }
    // SAFETY: as the caller promises.
    let created = unsafe { options::read(options) }.and_then(|options| create(&options));
    status_of(created.map(|head| {
        // SAFETY: as above.
        unsafe { out.write(head.as_ptr()) };
    }))
}

/// See the header.
///
/// # Safety
///
/// `pool` is null, or a pool that nobody uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_destroy(pool: *mut Head) {
    if let Some(head) = NonNull::new(pool) {
        // SAFETY: as the caller promises.
        unsafe { destroy(head) };
    }
}
