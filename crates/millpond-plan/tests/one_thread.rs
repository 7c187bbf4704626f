//! A plan has no second thread. glibc's allocator locks from the first one on, whether it still runs or not, and a trial
//! would measure those locks as if a program with one thread had them.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn main() {
    use std::ffi::{c_char, c_void};
    use std::ptr::{self, NonNull};
    use std::sync::atomic::{AtomicU8, Ordering};

    use millpond_plan::input::Source;
    use millpond_plan::plan::{Rules, plan};

    unsafe extern "C" {
        fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    // Not zero until the process makes a thread; then zero for good. Looked up, because programs link with older ones, too.
    // SAFETY: the name ends with a zero, and null stands for all libraries of the program.
    let found = unsafe { dlsym(ptr::null_mut(), c"__libc_single_threaded".as_ptr()) };
    let Some(byte) = NonNull::new(found.cast::<AtomicU8>()) else {
        println!("not run: glibc says since 2.32 whether there was a second thread");
        return;
    };
    // SAFETY: it is a byte of the library, which is never unloaded, and which writes it only when the process makes a thread.
    let has_one_thread = || unsafe { byte.as_ref() }.load(Ordering::Relaxed) != 0;

    let recording =
        b"ms,event,address,size,stack\n0,alloc,1,32,main\n1,alloc,2,32,main\n2,free,1\n3,free,2\n";
    assert!(has_one_thread(), "a test without a harness begins with one thread");
    let made = plan("trace", &Source::from_memory(recording), &Rules::default());
    assert_eq!(made.expect("the recording is whole").summary.events(), 4);
    assert!(has_one_thread(), "the plan made a thread");
    std::thread::spawn(|| ()).join().expect("it does nothing");
    assert!(!has_one_thread(), "a thread would have been noticed");
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn main() {}
