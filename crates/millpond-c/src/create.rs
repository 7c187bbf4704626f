//! How pools come and go.

use core::alloc::Layout;
use core::ffi::c_void;
use core::mem::ManuallyDrop;
use core::ptr::{self, NonNull};
use core::{slice, str};

use millpond::overflow::EvictOldest;
use millpond::reuse::ReuseOrder;
use millpond::{Handle, HandleAllocator, HandleAllocatorBuilder};

use crate::callbacks::{Give, c_free, c_take};
use crate::head::{ALL_CALLED, Head, InC, NOT_OPEN};
use crate::options::{self, Checked, EVICT_OLDEST, FILLED, Options, WRAP, ZEROED};
use crate::orders::{ForOrder, limits_of, with_order};
use crate::outside::Outside;
use crate::status::{Status, status_of};
use crate::whole::Whole;

/// The layout that this library was built for: `MP_LAYOUT_` of the header.
pub(crate) const LAYOUT: u32 = 6;

fn builder<R: ReuseOrder>(
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

/// Blocks are aligned to cache lines at least.
pub(crate) const BLOCK_ALIGN: usize = 64;

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
        let arrays = builder::<R>(self.0, None)?.memory_layout_beside(self.0.value)?;
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

struct Building<'o> {
    options: &'o Checked<'o>,
    plan: &'o Plan,
    block: NonNull<u8>,
    give: Option<Give>,
    block_bytes: usize,
}

impl ForOrder for Building<'_> {
    type Out = Result<NonNull<Head>, Status>;

    /// The block is as the plan says, and this pool's own.
    fn run<R: ReuseOrder>(self) -> Result<NonNull<Head>, Status> {
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
        // SAFETY: the place is within the block.
        let arrays = unsafe { block.add(plan.arrays) };
        let builder = builder::<R>(options, name)?;
        // SAFETY: so many bytes from there on are the block's rest, aligned, and nobody else's.
        let slots = unsafe { builder.build_beside(arrays, options.value)? };
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
            quick_top: ALL_CALLED.0,
            quick_below_minus_1: ALL_CALLED.1,
            value_bytes: raw.value_bytes,
            value_align: raw.value_align,
            kind: (raw.index_bits << 8 | raw.order) as u16,
            // The first insertion settles whether the order is plain.
            slow: u16::from(!is_quick) | NOT_OPEN,
        };
        let whole = block.cast::<Whole<R>>();
        // SAFETY: the block begins with room for it, aligned.
        unsafe { whole.write(Whole { head, slots, oldest }) };
        Ok(whole.cast())
    }
}

/// The memory of a pool that is being built: goes back unless the pool is there.
pub(crate) struct Block {
    pub(crate) start: NonNull<u8>,
    layout: Layout,
    pub(crate) give: Option<Give>,
    user: *mut c_void,
    /// How many bytes go back; 0 if none.
    pub(crate) bytes: usize,
}

impl Block {
    pub(crate) fn take(options: &Options, layout: Layout) -> Result<Self, Status> {
        let (user, give) = (options.user, options.give);
        if let Some(memory) = NonNull::new(options.memory.cast::<u8>()) {
            let skipped = memory.align_offset(layout.align());
            let is_range = memory.addr().checked_add(options.memory_bytes).is_some();
            if !is_range || skipped.saturating_add(layout.size()) > options.memory_bytes {
                return Err(Status::SMALL_MEMORY);
            }
            // SAFETY: the caller's memory has more bytes.
            let start = unsafe { memory.add(skipped) };
            return Ok(Self { start, layout, give: None, user, bytes: 0 });
        }
        let taken = match options.take {
            // SAFETY: the caller's function, with what it was given for it.
            Some(take) => unsafe { take(layout.size(), layout.align(), user) },
            None => c_take(layout),
        };
        let start = NonNull::new(taken.cast::<u8>()).ok_or(Status::OUT_OF_MEMORY)?;
        let block = Self { start, layout, give, user, bytes: layout.size() };
        match start.align_offset(layout.align()) {
            0 => Ok(block),
            _ => Err(Status::BAD_OPTIONS),
        }
    }

    /// The pool that was built in it gives it back.
    pub(crate) fn keep(self) {
        let _ = ManuallyDrop::new(self);
    }

    /// Gives back the block of a pool that has gone, with values of this alignment.
    ///
    /// # Safety
    ///
    /// The block was [taken](Self::take) and [kept](Self::keep) with the same arguments, and nobody uses it any more.
    pub(crate) unsafe fn give_back(
        start: NonNull<u8>,
        (bytes, value_align): (usize, u32),
        (give, user): (Option<Give>, *mut c_void),
    ) {
        let layout = Layout::from_size_align(bytes, (value_align as usize).max(BLOCK_ALIGN));
        if let (Ok(layout), true) = (layout, bytes > 0) {
            drop(Self { start, layout, give, user, bytes });
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let memory = self.start.as_ptr().cast::<c_void>();
        match self.give {
            // SAFETY: what `take` gave goes back to its counterpart, once.
            Some(give) => unsafe { give(memory, self.bytes, self.layout.align(), self.user) },
            // SAFETY: it came from the C library.
            None => unsafe { c_free(memory) },
        }
    }
}

/// Creates a pool.
pub(crate) fn create(options: &Checked<'_>) -> Result<NonNull<Head>, Status> {
    let plan = with_order(options.raw.order, Planning(options))??;
    let block = Block::take(&options.raw, plan.layout)?;
    let (give, block_bytes) = (block.give, block.bytes);
    let building = Building { options, plan: &plan, block: block.start, give, block_bytes };
    let mut head = with_order(options.raw.order, building)??;
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
    let layout = unsafe { options::read(options) }.and_then(|options| layout(&options));
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
    if out.is_null() {
        return Status::NULL_POINTER;
    }
    // SAFETY: as the caller promises.
    unsafe { out.write(ptr::null_mut()) };
    if layout != LAYOUT || pool_bytes != size_of::<InC>() {
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
