//! Pools on threads that are made and joined by the C library, for ThreadSanitizer with a standard library that was not
//! built with it: it does not see how that library joins its own threads, and reports races that are none. So this program
//! has no harness for tests either. `ci/sanitizers thread` runs it; elsewhere it does nothing.

#[cfg(not(all(target_os = "linux", millpond_tsan)))]
fn main() {}

#[cfg(all(target_os = "linux", millpond_tsan))]
fn main() {
    native::values_go_from_thread_to_thread();
    native::the_last_guards_go_with_the_pool();
    native::guards_go_while_their_pool_is_borrowed_exclusively();
    native::objects_are_lent_to_one_thread_at_a_time();
    native::walks_over_a_pool_that_is_shared_bring_its_bitmap_up_to_date();
}

#[cfg(all(target_os = "linux", millpond_tsan))]
mod native {
    use std::ffi::{c_int, c_ulong, c_void};
    use std::ptr::{null, null_mut};
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use millpond::{Handle, Pool, SyncPool, SyncRecycler};

    type Start = extern "C" fn(*mut c_void) -> *mut c_void;

    // SAFETY: as POSIX has them, with the types of Linux.
    unsafe extern "C" {
        fn pthread_create(
            thread: *mut c_ulong,
            attributes: *const c_void,
            start: Start,
            argument: *mut c_void,
        ) -> c_int;
        fn pthread_join(thread: c_ulong, result: *mut *mut c_void) -> c_int;
    }

    struct Work<'a> {
        number: usize,
        work: &'a (dyn Fn(usize) + Sync),
    }

    extern "C" fn run(argument: *mut c_void) -> *mut c_void {
        // SAFETY: what `on_threads` has given the thread, which it joins before that goes.
        let Work { number, work } = unsafe { &*argument.cast::<Work<'_>>() };
        work(*number);
        null_mut()
    }

    /// Calls the function on as many threads at once, each with its number.
    fn on_threads(count: usize, work: impl Fn(usize) + Sync) {
        let mut works: Vec<_> = (0..count).map(|number| Work { number, work: &work }).collect();
        let threads: Vec<_> = works
            .iter_mut()
            .map(|work| {
                let mut thread = 0;
                // SAFETY: the thread is joined below, while `works` is there.
                let error =
                    unsafe { pthread_create(&mut thread, null(), run, (&raw mut *work).cast()) };
                assert_eq!(error, 0);
                thread
            })
            .collect();
        for thread in threads {
            // SAFETY: created above, and joined once.
            assert_eq!(unsafe { pthread_join(thread, null_mut()) }, 0);
        }
    }

    const THREADS: usize = 4;
    const STEPS: u64 = 20_000;

    /// The next in a row of numbers that look random.
    fn next(random: &mut u64) -> u64 {
        *random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *random >> 33
    }

    /// Threads insert values on the heap, tell each other the handles in a way that orders nothing, look each other's up, and
    /// remove them one by one, in batches, and by moving them out.
    pub(super) fn values_go_from_thread_to_thread() {
        let pool = SyncPool::<Vec<u64>>::builder().capacity(200).homes(2).build();
        let known = [const { AtomicU64::new(0) }; 64];
        on_threads(THREADS, |number| {
            let mut random = number as u64;
            for step in 0..STEPS {
                let at = &known[next(&mut random) as usize % 64];
                let handle = Handle::from_bits(at.load(Relaxed));
                match (next(&mut random) % 6, handle) {
                    (0 | 1, _) => {
                        if let Ok(handle) = pool.insert(vec![step, !step]) {
                            at.store(handle.to_bits(), Relaxed);
                        }
                    }
                    (2, Some(handle)) => _ = pool.remove(handle),
                    (3, Some(handle)) => {
                        if let Ok(value) = pool.take(handle) {
                            assert_eq!(value[0], !value[1]);
                        }
                    }
                    (4, _) => {
                        let handles = known.iter().take(8).map(|at| at.load(Relaxed));
                        pool.remove_many(handles.filter_map(Handle::from_bits));
                    }
                    (_, Some(handle)) => {
                        if let Some(guard) = pool.get(handle) {
                            let twin = guard.clone();
                            drop(guard);
                            assert_eq!(twin[0], !twin[1]);
                        }
                    }
                    _ => {}
                }
            }
        });
        assert_eq!(pool.iter().filter(|(_, value)| value[0] == !value[1]).count(), pool.len());
    }

    /// Guards that outlive their pool go on several threads, while the pool goes on another.
    pub(super) fn the_last_guards_go_with_the_pool() {
        for round in 0..500 {
            let builder = SyncPool::<Vec<u64>>::builder().capacity(8);
            let pool = if round % 2 == 0 { builder } else { builder.drop_in_settle() }.build();
            let handles: Vec<_> =
                (0..8).map(|value| pool.insert(vec![value; 2]).unwrap()).collect();
            let parts: Vec<_> = (1..THREADS)
                .map(|_| {
                    let guards = handles.iter().map(|handle| pool.get_owned(*handle).unwrap());
                    Mutex::new(guards.collect::<Vec<_>>())
                })
                .collect();
            handles.iter().step_by(2).for_each(|handle| assert!(pool.remove(*handle)));
            let pool = Mutex::new(Some(pool));
            on_threads(THREADS, |number| match parts.get(number) {
                Some(guards) => {
                    let guards = std::mem::take(&mut *guards.lock().unwrap());
                    assert!(guards.iter().enumerate().all(|(at, guard)| guard[0] == at as u64));
                }
                None => drop(pool.lock().unwrap().take()),
            });
        }
    }

    /// Guards go on several threads, while another has their pool exclusively: it writes values as soon as their guards
    /// are gone, and removes them in each way.
    pub(super) fn guards_go_while_their_pool_is_borrowed_exclusively() {
        const VALUES: u64 = 100;
        for round in 0..300 {
            let builder = SyncPool::<Vec<u64>>::builder().capacity(VALUES as usize);
            let pool = if round % 2 == 0 { builder } else { builder.drop_in_settle() }.build();
            let handles: Vec<_> =
                (0..VALUES).map(|value| pool.insert(vec![value, 0]).unwrap()).collect();
            let parts: Vec<_> = (1..THREADS)
                .map(|_| {
                    let guards = handles.iter().map(|handle| pool.get_owned(*handle).unwrap());
                    Mutex::new(guards.collect::<Vec<_>>())
                })
                .collect();
            let pool = Mutex::new(pool);
            on_threads(THREADS, |number| match parts.get(number) {
                Some(guards) => {
                    for (at, guard) in
                        std::mem::take(&mut *guards.lock().unwrap()).iter().enumerate()
                    {
                        let twin = guard.clone();
                        assert_eq!(twin[0], at as u64);
                    }
                }
                None => use_exclusively(&mut pool.lock().unwrap(), &handles, round / 2),
            });
            let mut pool = pool.into_inner().unwrap();
            pool.clear();
            pool.settle();
            assert_eq!((pool.len(), pool.guarded()), (0, 0));
            assert_eq!(
                (0..=VALUES).filter(|value| pool.insert(vec![*value]).is_ok()).count(),
                handles.len()
            );
        }
    }

    fn use_exclusively(pool: &mut SyncPool<Vec<u64>>, handles: &[Handle<Vec<u64>>], round: u64) {
        for _ in 0..20 {
            for handle in handles {
                if let Ok(value) = pool.get_mut(*handle) {
                    value[1] += 1;
                }
            }
            for (_, run) in pool.runs_mut() {
                run.iter_mut().for_each(|value| value[1] += 1);
            }
            match round % 4 {
                0 => pool.retain(|_, value| value[0] % 8 != 0 || value[1] % 3 != 0),
                1 => drop(pool.drain().nth(5)),
                2 => {
                    pool.remove_many(handles.iter().copied().step_by(3));
                    for handle in handles.iter().step_by(6) {
                        // Refused while its removed value has guards.
                        _ = pool.revive(*handle, vec![u64::from(handle.index()), 0]);
                    }
                    if let Ok((new, _)) = pool.try_insert_or_evict(vec![round, 0], |_, v| v[1]) {
                        pool.remove(new);
                    }
                }
                _ => assert_eq!(pool.frozen().iter().count(), pool.len()),
            }
            pool.settle();
        }
        if round % 2 == 0 {
            pool.clear();
        }
    }

    pub(super) fn objects_are_lent_to_one_thread_at_a_time() {
        let builder = || SyncRecycler::builder().capacity(3).on_release(|n| *n += 1);
        lends_to_one_thread_at_a_time(&builder().build_with(|_| 0));
        lends_to_one_thread_at_a_time(&builder().build_lazily(|_| 0));
    }

    fn lends_to_one_thread_at_a_time(recycler: &SyncRecycler<u64>) {
        let lent = AtomicU64::new(0);
        on_threads(THREADS, |_| {
            for _ in 0..STEPS {
                if let Some(mut object) = recycler.acquire() {
                    *object += 1;
                    lent.fetch_add(1, Relaxed);
                }
            }
        });
        let objects: Vec<_> = std::iter::from_fn(|| recycler.acquire()).collect();
        assert_eq!(objects.iter().map(|object| **object).sum::<u64>(), 2 * lent.load(Relaxed));
    }

    /// The walks that come first gather the bits, one of them into the bitmap, and the others read what it wrote.
    pub(super) fn walks_over_a_pool_that_is_shared_bring_its_bitmap_up_to_date() {
        for round in 0..STEPS as usize / 200 {
            let mut pool = Pool::<u64>::new(700);
            let handles: Vec<_> = (0..700).map(|n| pool.insert(n).unwrap()).collect();
            let gone = handles.iter().skip(round % 7).step_by(7);
            let left = gone.fold((0..700).sum(), |left, gone| left - pool.remove(*gone).unwrap());
            for _ in 0..2 {
                on_threads(THREADS, |number| {
                    for _ in 0..4 {
                        let sum: u64 = match number % 2 {
                            0 => pool.values().sum(),
                            _ => pool.runs().flat_map(|(_, run)| run).sum(),
                        };
                        assert_eq!(sum, left);
                    }
                });
                let handle = pool.insert(0).unwrap();
                pool.remove(handle);
            }
        }
    }
}
