//! The call stack of an allocation, as return addresses.
//!
//! With frame pointers, a stack is a list: each frame begins with the address of its caller's
//! frame, followed by the return address. Without them, the stack is unwound, which is slow.
//!
//! The crate backtrace unwinds and finds names on every system on which the standard library does.
//! framehop needs to know each library that a program loads, and the crate unwinding replaces the
//! system's unwinder.
//!
//! Invariant: memory is read only between the current stack pointer and the end of the thread's
//! stack, and only if the stack pointer lies in that stack: then all of it is mapped and belongs to
//! this thread. Code that runs on its own stack, such as a fiber, is unwound.

/// The maximum number of return addresses stored for a stack.
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
}

/// A number that other stacks do not have, of the addresses of a stack.
#[inline]
pub(crate) fn hash(addresses: impl Iterator<Item = usize>) -> u64 {
    let hash = addresses.fold(0xcbf2_9ce4_8422_2325, |hash: u64, address| {
        (hash ^ address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    hash ^ hash >> 32
}

/// The approximate stack pointer.
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
    use std::marker::PhantomData;

    /// The return addresses of a stack that has frame pointers, the innermost first.
    ///
    /// Read as they are asked for, so that a stack that is known already is not copied.
    #[derive(Clone)]
    pub(crate) struct FramePointers {
        /// The next frame begins here, …
        frame: usize,
        /// … if this is above all that has been read, …
        low: usize,
        /// … and below the end of the stack.
        end: usize,
        /// The stack may be gone when its thread has ended, so this stays in the thread.
        in_thread: PhantomData<*const usize>,
    }

    /// The stack by frame pointers; `None` if the first frame is none, or where the system is not known.
    #[inline]
    pub(crate) fn by_frame_pointers() -> Option<FramePointers> {
        let low = super::stack_pointer();
        let Stack { end, .. } = stack().filter(|stack| low >= stack.begin)?;
        let frames = FramePointers { frame: frame_pointer()?, low, end, in_thread: PhantomData };
        frames.clone().next().map(|_| frames)
    }

    impl Iterator for FramePointers {
        type Item = usize;

        #[inline]
        fn next(&mut self) -> Option<usize> {
            let Self { frame, low, end, .. } = *self;
            if frame <= low
                || frame % size_of::<usize>() != 0
                || frame >= end - 2 * size_of::<usize>()
            {
                return None;
            }
            let words: *const [usize; 2] = std::ptr::with_exposed_provenance(frame);
            // SAFETY: `frame` is aligned, above `low`, which was the stack pointer or is a frame above it, in this
            // thread's stack, and two words below the end of that: mapped memory of this thread, which does not
            // write while it reads.
            let [caller, address] = unsafe { words.read() };
            (self.low, self.frame) = (frame, caller);
            (address != 0).then_some(address)
        }
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

    /// The stack of a thread.
    #[derive(Clone, Copy)]
    struct Stack {
        begin: usize,
        end: usize,
    }

    /// What is known about this thread's stack.
    #[derive(Clone, Copy)]
    enum Known {
        NotAsked,
        /// The system does not provide it.
        Unknown,
        At(Stack),
    }

    /// The stack of this thread, which the system is asked for once per thread.
    #[inline]
    fn stack() -> Option<Stack> {
        thread_local! {
            /// Has no destructor, so it works to the end of the thread.
            static STACK: std::cell::Cell<Known> = const { std::cell::Cell::new(Known::NotAsked) };
        }
        match STACK.try_with(std::cell::Cell::get).ok()? {
            Known::At(stack) => Some(stack),
            Known::Unknown => None,
            Known::NotAsked => {
                let stack = ask_stack();
                let _ = STACK.try_with(|place| place.set(stack.map_or(Known::Unknown, Known::At)));
                stack
            }
        }
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[cold]
    fn ask_stack() -> Option<Stack> {
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
        (result == 0).then(|| Stack { begin: begin.addr(), end: begin.addr() + bytes })
    }

    #[cfg(target_vendor = "apple")]
    #[cold]
    fn ask_stack() -> Option<Stack> {
        // SAFETY: has no requirements.
        let this_thread = unsafe { libc::pthread_self() };
        // SAFETY: the thread is this one, which runs.
        let end = unsafe { libc::pthread_get_stackaddr_np(this_thread) }.addr();
        // SAFETY: the thread is this one, which runs.
        let bytes = unsafe { libc::pthread_get_stacksize_np(this_thread) };
        Some(Stack { begin: end.checked_sub(bytes)?, end })
    }

    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    #[cold]
    fn ask_stack() -> Option<Stack> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_sees_its_own_stack() {
        let frames = unwound();
        assert!(!frames.addresses().is_empty());
        let other = std::thread::spawn(|| by_frame_pointers().map(Iterator::count));
        assert!(other.join().is_ok());
    }

    /// A fiber's stack is not the thread's: what lies between them must not be read.
    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[allow(unsafe_code, reason = "another stack has to be entered")]
    fn a_stack_of_its_own_is_not_walked() {
        use std::cell::{Cell, UnsafeCell};
        use std::mem::MaybeUninit;

        struct Contexts {
            here: UnsafeCell<MaybeUninit<libc::ucontext_t>>,
            there: UnsafeCell<MaybeUninit<libc::ucontext_t>>,
        }
        thread_local! {
            static CONTEXTS: Contexts = const {
                Contexts {
                    here: UnsafeCell::new(MaybeUninit::uninit()),
                    there: UnsafeCell::new(MaybeUninit::uninit()),
                }
            };
            static WALKED: Cell<Option<bool>> = const { Cell::new(None) };
        }
        extern "C" fn on_the_other_stack() {
            WALKED.set(Some(by_frame_pointers().is_some()));
        }
        let mut stack = vec![0_u128; 1 << 13];
        CONTEXTS.with(|contexts| {
            let there = contexts.there.get().cast::<libc::ucontext_t>();
            let here = contexts.here.get().cast::<libc::ucontext_t>();
            // SAFETY: the place is large enough for a context.
            assert_eq!(unsafe { libc::getcontext(there) }, 0);
            // SAFETY: filled in by the call above, and nobody else has it.
            let context = unsafe { &mut *there };
            context.uc_stack.ss_sp = stack.as_mut_ptr().cast();
            context.uc_stack.ss_size = size_of_val(&stack[..]);
            context.uc_link = here;
            // SAFETY: the context has a stack and a successor; the function takes nothing.
            unsafe { libc::makecontext(there, on_the_other_stack, 0) };
            // SAFETY: comes back when the function returns, because `here` is the successor.
            assert_eq!(unsafe { libc::swapcontext(here, there) }, 0);
        });
        assert_eq!(WALKED.get(), Some(false));
    }
}
