//! The call stack of an allocation, as return addresses.
//!
//! With frame pointers a stack is a list: each frame begins with the address of its caller's frame, behind
//! which lies the address to return to. Without, it is unwound, which is slow.
//!
//! Invariant: memory is read only between the present stack pointer and the end of the thread's stack,
//! which is mapped and belongs to this thread.

/// The most return addresses that are kept of a stack.
pub(crate) const FRAMES_MAX: usize = 24;

/// A call stack, the innermost address first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frames {
    addresses: [usize; FRAMES_MAX],
    len: usize,
}

impl Frames {
    fn new() -> Self {
        Self { addresses: [0; FRAMES_MAX], len: 0 }
    }

    fn push(&mut self, address: usize) -> bool {
        let Some(place) = self.addresses.get_mut(self.len) else { return false };
        *place = address;
        self.len += 1;
        true
    }

    pub(crate) fn addresses(&self) -> &[usize] {
        self.addresses.get(..self.len).unwrap_or(&[])
    }

    /// A number that other stacks do not have.
    pub(crate) fn hash(&self) -> u64 {
        self.addresses().iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, &address| {
            let mixed = (hash ^ address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ mixed >> 29
        })
    }
}

/// About where the stack is now.
#[inline]
pub(crate) fn stack_pointer() -> usize {
    let here = 0_u8;
    std::ptr::addr_of!(here).addr()
}

/// The stack by unwinding.
#[cold]
pub(crate) fn unwound() -> Frames {
    let mut frames = Frames::new();
    walker::unwind(|address| frames.push(address));
    frames
}

pub(crate) use walker::by_frame_pointers;

#[allow(unsafe_code, reason = "reads the stack")]
mod walker {
    use super::Frames;

    /// The stack by frame pointers; `None` if the first frame is none, or where the system is not known.
    #[inline]
    pub(crate) fn by_frame_pointers() -> Option<Frames> {
        let end = stack_end()?;
        let mut frame = frame_pointer()?;
        let mut low = super::stack_pointer();
        let mut frames = Frames::new();
        while frame > low
            && frame.is_multiple_of(size_of::<usize>())
            && frame < end - 2 * size_of::<usize>()
        {
            let words: *const [usize; 2] = std::ptr::with_exposed_provenance(frame);
            // SAFETY: `frame` is aligned, above the stack pointer, and two words below the end of the
            // stack: mapped memory of this thread that it does not change while it reads.
            let [caller, address] = unsafe { words.read() };
            if address == 0 || !frames.push(address) {
                break;
            }
            (low, frame) = (frame, caller);
        }
        (frames.len > 0).then_some(frames)
    }

    #[inline]
    fn frame_pointer() -> Option<usize> {
        #[cfg(all(target_arch = "x86_64", not(windows)))]
        {
            let frame: usize;
            // SAFETY: copies a register and touches nothing else.
            unsafe {
                std::arch::asm!("mov {}, rbp", out(reg) frame, options(nomem, nostack, preserves_flags));
            }
            Some(frame)
        }
        #[cfg(all(target_arch = "aarch64", not(windows)))]
        {
            let frame: usize;
            // SAFETY: copies a register and touches nothing else.
            unsafe {
                std::arch::asm!("mov {}, x29", out(reg) frame, options(nomem, nostack, preserves_flags));
            }
            Some(frame)
        }
        #[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(windows))))]
        None
    }

    /// Where the stack of this thread ends, asked of the system once for each thread.
    #[inline]
    fn stack_end() -> Option<usize> {
        thread_local! {
            /// 0: not asked yet; 1: the system does not say. Has no destructor, so it works to the end.
            static END: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
        }
        let known = END.try_with(std::cell::Cell::get).ok()?;
        if known > 1 {
            return Some(known);
        }
        if known == 1 {
            return None;
        }
        let end = ask_stack_end();
        let _ = END.try_with(|place| place.set(end.unwrap_or(1)));
        end
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[cold]
    fn ask_stack_end() -> Option<usize> {
        let mut attributes = std::mem::MaybeUninit::<libc::pthread_attr_t>::uninit();
        // SAFETY: has no requirements.
        let this_thread = unsafe { libc::pthread_self() };
        // SAFETY: the thread is this one, which runs, and the place is large enough.
        if unsafe { libc::pthread_getattr_np(this_thread, attributes.as_mut_ptr()) } != 0 {
            return None;
        }
        let (mut begin, mut bytes) = (std::ptr::null_mut(), 0);
        // SAFETY: the attributes have been filled in by the call above.
        let result = unsafe {
            libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut begin, &raw mut bytes)
        };
        // SAFETY: the attributes have been filled in, and are not used again.
        unsafe { libc::pthread_attr_destroy(attributes.as_mut_ptr()) };
        (result == 0).then(|| begin.addr() + bytes)
    }

    #[cfg(target_vendor = "apple")]
    #[cold]
    fn ask_stack_end() -> Option<usize> {
        // SAFETY: has no requirements.
        let this_thread = unsafe { libc::pthread_self() };
        // SAFETY: the thread is this one, which runs.
        Some(unsafe { libc::pthread_get_stackaddr_np(this_thread) }.addr())
    }

    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    #[cold]
    fn ask_stack_end() -> Option<usize> {
        None
    }

    /// Calls `visit` with each return address, the innermost first, until it returns `false`.
    pub(super) fn unwind(mut visit: impl FnMut(usize) -> bool) {
        let each = |frame: &backtrace::Frame| visit(frame.ip().addr());
        // SAFETY: unwinding and resolving happen under the recorder's lock, never in two threads at once
        // by this crate; the unwinder itself is safe in threads, and the program's own use of the crate
        // takes a lock of its own for symbols only, which are not resolved here.
        unsafe { backtrace::trace_unsynchronized(each) };
    }
}
