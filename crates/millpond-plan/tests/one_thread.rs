//! A plan has no second thread. glibc's allocator locks from the first one on, whether it still runs or not, and a trial
//! would measure those locks as if a program with one thread had them.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn main() {
    use millpond_plan::input::Source;
    use millpond_plan::plan::{Rules, plan};

    unsafe extern "C" {
        /// Not zero until the process makes a thread; then zero for good.
        #[link_name = "__libc_single_threaded"]
        static HAS_ONE_THREAD: std::sync::atomic::AtomicU8;
    }
    let has_one_thread = || {
        // SAFETY: glibc has a byte of this name since 2.32, which it writes only when the process makes a thread.
        unsafe { HAS_ONE_THREAD.load(std::sync::atomic::Ordering::Relaxed) != 0 }
    };

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
