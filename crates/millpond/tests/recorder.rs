//! A recorded pool's trace, and a disk that is slow, full or gone.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use millpond::recorder::{HEADER, Recorder};
use millpond::reuse::{Fifo, LowestFirst};
use millpond::{HandleAllocator, PackedPool, Pool, Recycler, StaticPool, SyncPool, VecPool};

/// Text that can be read when the recorder has written it.
#[derive(Clone, Default)]
struct Text(Arc<Mutex<Vec<u8>>>);

impl Text {
    fn lines(&self) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        assert!(text.ends_with('\n'));
        text.lines().map(str::to_owned).collect()
    }

    /// The births and deaths, as `tick,event,id,class`.
    fn events(&self) -> Vec<String> {
        self.events_with_slots().into_iter().map(|(event, _)| event).collect()
    }

    /// The births and deaths, each with its slot.
    fn events_with_slots(&self) -> Vec<(String, u32)> {
        let is_event = |line: &String| line.contains(",alloc,") || line.contains(",free,");
        let split = |line: String| {
            let (event, slot) = line.rsplit_once(',').unwrap();
            (event.to_owned(), slot.parse().unwrap())
        };
        self.lines().into_iter().filter(is_event).map(split).collect()
    }

    /// Whether there is this in it by now.
    fn has(&self, part: &str) -> bool {
        std::str::from_utf8(&self.0.lock().unwrap()).unwrap().contains(part)
    }

    /// The last statistics of a class.
    fn stats(&self, class: &str) -> Vec<u64> {
        let columns = |line: &String| {
            let columns: Vec<String> = line.split(',').map(str::to_owned).collect();
            (columns[1] == "stats" && columns[3] == class).then_some(columns)
        };
        let last = self.lines().iter().filter_map(columns).next_back().unwrap();
        last[4..].iter().map(|number| number.parse().unwrap()).collect()
    }
}

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A recorder, and the text that it writes.
fn recorded() -> (Text, Recorder) {
    let text = Text::default();
    let recorder = Recorder::to_writer(text.clone()).unwrap();
    (text, recorder)
}

/// Waits for what the writer does on its own thread. A test of one that has died ends all the same.
#[track_caller]
fn wait_until(mut is_so: impl FnMut() -> bool) {
    const LONGEST: Duration = Duration::from_secs(60);
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONGEST, "waited for {LONGEST:?} in vain");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn births_and_deaths_are_written_with_the_ticks_they_were_in() {
    let (text, recorder) = recorded();
    let mut pool = Pool::builder().capacity(4).name("imps").build();
    let early = pool.insert('e').unwrap();
    pool.record(&recorder);
    assert_eq!(recorder.tick(), 1);
    let late = pool.insert('l').unwrap();
    pool.remove(early);
    recorder.tick();
    pool.remove(late);
    assert_eq!(pool.remove(late), None);
    let again = pool.insert_with(|_| 'w').unwrap();
    pool.vacant_entry().unwrap().insert('v');
    assert!(pool.vacant_entry().is_some());
    recorder.tick();
    pool.remove(again);
    pool.insert_at(again, 'x').unwrap_err();
    pool.clear();
    let summary = recorder.finish().unwrap();
    assert_eq!((summary.events, summary.dropped), (8, 0));
    let expected = "0,alloc,0,imps \
        1,alloc,1,imps 1,free,0,imps \
        2,free,1,imps 2,alloc,2,imps 2,alloc,3,imps \
        3,free,2,imps 3,free,3,imps";
    assert_eq!(text.events().join(" "), expected);
    assert_eq!(text.lines()[0], HEADER);
    assert_eq!(text.lines().last().unwrap(), "3,end,8,recorder");
    assert_eq!(summary.bytes, text.0.lock().unwrap().len() as u64);
}

/// Each kind of pool, at work by the same program: as many events as its own statistics say.
macro_rules! kinds {
    ($($name:ident: $pool:ty = $make:expr, $clear:expr;)*) => {
        kinds! { @by |pool| pool.insert(Default::default()).ok(), |pool, handle| pool.remove(handle).is_some();
            $($name: $pool = $make, $clear;)* }
    };
    (
        @by |$of:ident| $insert:expr, |$from:ident, $handle:ident| $remove:expr;
        $($name:ident: $pool:ty = $make:expr, $clear:expr;)*
    ) => {$(
        #[test]
        fn $name() {
            let (text, recorder) = recorded();
            let mut pool: $pool = $make;
            pool.record(&recorder);
            let mut handles = Vec::new();
            let clear: fn(&mut $pool) = $clear;
            for step in 0..3000_u64 {
                let random = step.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
                if random % 5 < 3 {
                    let $of = &mut pool;
                    handles.extend($insert);
                } else if !handles.is_empty() {
                    let ($from, $handle) =
                        (&mut pool, handles.swap_remove(random as usize % handles.len()));
                    assert!($remove);
                }
                if step == 2000 {
                    clear(&mut pool);
                    handles.clear();
                }
            }
            let stats = pool.stats();
            let twin = pool.clone();
            drop(twin);
            recorder.tick();
            drop(pool);
            let summary = recorder.finish().unwrap();
            assert_eq!(summary.events, stats.inserted * 2);
            assert!(stats.refused > 0 && stats.inserted > 1000);
            let columns = text.stats("kind");
            let expected = [
                stats.capacity as u64, stats.live as u64, stats.peak as u64,
                stats.retired as u64, stats.inserted, stats.removed, stats.refused, stats.evicted, 0,
            ];
            assert_eq!(columns[..9], expected);
        }
    )*};
}

kinds! {
    a_pool: Pool<u8> = Pool::builder().capacity(50).name("kind").build(), |pool| pool.clear();
    a_pool_that_retires: Pool<u8, Fifo> =
        Pool::builder().capacity(800).lifetimes(2).name("kind").reuse(Fifo).build(),
        |pool| pool.retain(|_, _| false);
    a_pool_of_strings: Pool<String, LowestFirst> =
        Pool::builder().capacity(50).name("kind").reuse(LowestFirst).build(),
        |pool| drop(pool.drain());
    a_packed_pool: PackedPool<u8> = PackedPool::builder().capacity(50).name("kind").build(),
        |pool| pool.clear();
    a_packed_pool_that_retires: PackedPool<u8> =
        PackedPool::builder().capacity(800).lifetimes(2).name("kind").build(),
        |pool| pool.retain(|_, _| false);
    // It has no slots yet when the recording begins.
    a_vec_pool: VecPool<u8> = VecPool::builder().capacity_max(48).name("kind").build(),
        |pool| pool.clear();
    a_vec_pool_that_retires: VecPool<u8, Fifo> =
        VecPool::builder().capacity_max(768).lifetimes(2).name("kind").reuse(Fifo).build(),
        |pool| pool.retain(|_, _| false);
    a_static_pool: StaticPool<u8, 50> = StaticPool::named("kind"), |pool| pool.clear();
    a_static_pool_that_retires: StaticPool<u8, 800> =
        StaticPool::builder().lifetimes(2).name("kind").build(),
        |pool| pool.retain(|_, _| false);
}

kinds! {
    @by |pool| pool.acquire().map(|(handle, _)| handle),
    |pool, handle| pool.release(handle);
    a_recycler: Recycler<u8> =
        Recycler::builder().capacity(50).name("kind").build_with(|_| 0_u8), |pool| pool.clear();
}

kinds! {
    @by |pool| pool.acquire(), |pool, handle| pool.release(handle);
    a_handle_allocator: HandleAllocator =
        HandleAllocator::builder().capacity(50).name("kind").build(), |pool| pool.clear();
}

static VOICES: Mutex<StaticPool<u8, 4>> = Mutex::new(StaticPool::named("voices"));

#[test]
fn a_pool_in_a_static_is_recorded_where_it_is() {
    let (text, recorder) = recorded();
    let mut voices = VOICES.lock().unwrap();
    voices.record(&recorder);
    let (kept, gone) = (voices.insert(1).unwrap(), voices.insert(2).unwrap());
    let saved = voices.snapshot();
    voices.remove(gone);
    recorder.tick();
    voices.restore(&saved).unwrap();
    recorder.tick();
    voices.insert(3).unwrap();
    voices.insert(4).unwrap();
    let (_, evicted) = voices.insert_or_evict(5, |_, value| *value);
    assert_eq!(evicted, Some((kept, 1)));
    voices.stop_recording();
    assert!(voices.contains(gone));
    recorder.finish().unwrap();
    let expected = "0,alloc,0,voices 0,alloc,1,voices 0,free,1,voices \
        1,alloc,2,voices \
        2,alloc,3,voices 2,alloc,4,voices 2,free,0,voices 2,alloc,5,voices \
        2,free,5,voices 2,free,2,voices 2,free,3,voices 2,free,4,voices";
    assert_eq!(text.events().join(" "), expected);
    assert_eq!(text.stats("voices")[..8], [4, 4, 4, 0, 5, 1, 0, 1].map(|n: u64| n));
}

/// A disk that writes nothing until it is told to.
struct Stuck {
    entered: Sender<()>,
    go_on: Receiver<()>,
    to: Text,
}

impl Write for Stuck {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The other ends are gone when the test has seen enough: from then on the disk is fast.
        let _ = self.entered.send(());
        let _ = self.go_on.recv();
        self.to.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn on_a_slow_disk_events_are_dropped_and_counted_and_the_program_does_not_wait() {
    const PLACES: usize = 64;
    const BIRTHS: usize = 1000;
    let text = Text::default();
    let (entered, is_stuck) = channel();
    let (unstick, go_on) = channel();
    let stuck = Stuck { entered, go_on, to: text.clone() };
    let recorder = Recorder::builder().events(PLACES).to_writer(stuck).unwrap();
    let mut pool = Pool::builder().capacity(BIRTHS).name("sparks").build();
    is_stuck.recv().unwrap();
    // The writer is inside of `write` until the sender is dropped below. If anything here waited for
    // it, the test would never end.
    pool.record(&recorder);
    let handles: Vec<_> = (0..BIRTHS).map(|i| pool.insert(i).unwrap()).collect();
    recorder.tick();
    for &handle in &handles[..BIRTHS / 2] {
        pool.remove(handle);
    }
    assert!(pool.insert(7).is_ok());
    recorder.tick();
    drop((unstick, is_stuck));

    let summary = recorder.finish().unwrap();
    let told = BIRTHS + BIRTHS / 2 + 1;
    assert_eq!(summary.events as usize, PLACES);
    assert_eq!(summary.dropped as usize, told - PLACES);
    // The statistics are right all the same.
    let live = BIRTHS as u64 / 2 + 1;
    let expected = [1000, live, 1000, 0, 1001, 500, 0, 0, summary.dropped];
    assert_eq!(text.stats("sparks")[..9], expected);
    assert_eq!(text.events().len(), PLACES);
}

#[test]
fn what_was_dropped_never_makes_the_trace_contradict_itself() {
    let text = Text::default();
    let recorder = Recorder::builder().events(8).to_writer(text.clone()).unwrap();
    let mut pool = Pool::new(40);
    pool.record(&recorder);
    let mut handles = Vec::new();
    for step in 0..20_000_u64 {
        let random = step.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        match random % 2 {
            0 => handles.extend(pool.insert(step)),
            _ if handles.is_empty() => {}
            _ => drop(pool.remove(handles.swap_remove(random as usize % handles.len()))),
        }
    }
    let summary = recorder.finish().unwrap();
    assert!(summary.dropped > 0, "20,000 steps of a program, one of a writer in between");
    let (mut live, mut born) = (std::collections::HashSet::new(), 0);
    for line in text.events() {
        let columns: Vec<_> = line.split(',').collect();
        let id: u64 = columns[2].parse().unwrap();
        match columns[1] {
            "alloc" => assert!(id == born && live.insert(id)),
            _ => assert!(live.remove(&id)),
        }
        assert!(live.len() <= 40, "a slot has one object at most");
        born += u64::from(columns[1] == "alloc");
    }
}

#[test]
fn a_restored_pool_goes_on_with_the_lifetimes_of_slots_that_stay_live() {
    let (text, recorder) = recorded();
    let mut pool = Pool::builder().capacity(4).name("p").build();
    let mut packed = PackedPool::builder().capacity(4).name("q").build();
    pool.record(&recorder);
    let (kept, gone) = (pool.insert(1).unwrap(), pool.insert(2).unwrap());
    let saved = pool.snapshot();
    pool.remove(gone);
    pool.insert(3).unwrap();
    pool.insert(4).unwrap();
    recorder.tick();
    pool.restore(&saved).unwrap();
    assert!(pool.contains(kept) && pool.contains(gone));
    recorder.tick();
    pool.remove(kept);

    packed.record(&recorder);
    let first = packed.insert(1).unwrap();
    let saved = packed.snapshot();
    packed.insert(2).unwrap();
    recorder.tick();
    packed.restore(&saved).unwrap();
    packed.remove(first);
    let stats = (pool.stats(), packed.stats());
    recorder.finish().unwrap();
    let expected = "0,alloc,0,p 0,alloc,1,p 0,free,1,p 0,alloc,2,p 0,alloc,3,p \
        1,free,3,p \
        2,free,0,p 2,alloc,4,q 2,alloc,5,q \
        3,free,5,q 3,free,4,q";
    assert_eq!(text.events().join(" "), expected);
    for (stats, class) in [(stats.0, "p"), (stats.1, "q")] {
        let totals = [stats.live as u64, stats.peak as u64, 0, stats.inserted, stats.removed];
        assert_eq!(text.stats(class)[1..6], totals, "{class}");
    }
}

#[test]
fn a_pool_that_grows_is_recorded_through_growth_restoration_and_drops_that_panic() {
    struct Bomb(bool);
    impl Clone for Bomb {
        fn clone(&self) -> Self {
            Self(self.0)
        }
    }
    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(!self.0 || thread::panicking(), "on purpose");
        }
    }
    let (text, recorder) = recorded();
    let mut pool = VecPool::builder().name("bombs").build();
    let early = pool.insert(Bomb(false)).unwrap();
    pool.record(&recorder);
    let handles: Vec<_> = (0..4).map(|_| pool.insert(Bomb(false)).unwrap()).collect();
    let saved = pool.snapshot_cloned();
    recorder.tick();
    pool.remove(handles[3]);
    pool.remove(handles[1]);
    recorder.tick();
    pool.restore(&saved).unwrap();
    recorder.tick();
    // The one in the first slot is dropped first and panics: the others stay.
    pool.remove(early);
    pool.insert(Bomb(true)).unwrap();
    let drop_all = std::panic::AssertUnwindSafe(|| pool.clear());
    assert!(std::panic::catch_unwind(drop_all).is_err());
    assert_eq!(pool.len(), 4);
    recorder.tick();
    pool.remove(handles[0]);
    pool.shrink_to_fit();
    let stats = pool.stats();
    recorder.finish().unwrap();
    let expected = "0,alloc,0,bombs 0,alloc,1,bombs 0,alloc,2,bombs 0,alloc,3,bombs 0,alloc,4,bombs \
        1,free,4,bombs 1,free,2,bombs \
        2,alloc,5,bombs 2,alloc,6,bombs \
        3,free,0,bombs 3,alloc,7,bombs 3,free,7,bombs \
        4,free,1,bombs";
    assert_eq!(text.events().join(" "), expected);
    let totals = [stats.capacity, stats.live, stats.peak, 0].map(|number| number as u64);
    assert_eq!(text.stats("bombs")[..4], totals);
    // Slot 4 is live, and slots are given back from the end only.
    assert_eq!(totals, [5, 3, 5, 0]);
}

/// A disk that becomes full.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(1).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_ends_the_recording_and_nothing_else() {
    assert!(Recorder::to_writer(std::io::sink()).unwrap().is_recording());
    let recorder = Recorder::to_writer(Full(2)).unwrap();
    let mut pool = Pool::new(1);
    pool.record(&recorder);
    wait_until(|| {
        let handle = pool.insert(1).unwrap();
        pool.remove(handle);
        !recorder.is_recording()
    });
    pool.insert(1).unwrap();
    assert_eq!(recorder.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
}

struct Panics;

impl Write for Panics {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        panic!("on purpose")
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_that_panics_is_an_error() {
    let recorder = Recorder::to_writer(Panics).unwrap();
    wait_until(|| !recorder.is_recording());
    assert!(recorder.finish().unwrap_err().to_string().contains("panicked"));
}

#[test]
fn pools_of_one_name_are_told_apart_while_both_are_there() {
    let (text, recorder) = recorded();
    let sparks = || Pool::<u8>::builder().capacity(1).name("a,b\n").build();
    let (mut first, mut second) = (sparks(), sparks());
    first.record(&recorder);
    second.record(&recorder);
    first.insert(1).unwrap();
    second.insert(1).unwrap();
    let mut unnamed = Pool::new(1);
    unnamed.record(&recorder);
    unnamed.insert(String::new()).unwrap();
    first.stop_recording();
    first.insert(1).unwrap_err();
    let summary = recorder.finish().unwrap();
    let expected = ["0,alloc,0,a_b_", "0,alloc,1,a_b_-2", "0,alloc,2,String", "0,free,0,a_b_"];
    assert_eq!(text.events(), expected);
    assert_eq!(summary.events, 4);
}

#[test]
fn only_an_earlier_trace_is_replaced() {
    let directory = std::env::temp_dir().join(format!("millpond-recorder-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("game.trace");
    for _ in 0..2 {
        let recorder = Recorder::create(&path).unwrap();
        let track = recorder.track("x", 1);
        track.birth(0);
        drop(recorder);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(HEADER) && text.contains("\n0,alloc,0,x,0\n"), "{text}");
    }
    let other = directory.join("novel.txt");
    std::fs::write(&other, "It was a dark and stormy night; the rain fell in torrents.".repeat(9))
        .unwrap();
    let error = Recorder::create(&other).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    assert!(std::fs::read_to_string(&other).unwrap().starts_with("It was"));
    assert!(Recorder::create(directory.join("nowhere/x")).is_err());
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn a_death_that_was_dropped_is_made_up_for_and_one_without_a_birth_left_out() {
    let (text, recorder) = recorded();
    let track = recorder.track("t", 9);
    // As the writer sees it when the death in between, and the birth of slot 8, were dropped.
    track.birth(3);
    track.birth(3);
    track.death(8);
    recorder.finish().unwrap();
    assert_eq!(text.events(), ["0,alloc,0,t", "0,free,0,t", "0,alloc,1,t"]);
}

#[test]
fn events_name_their_slots_also_after_a_restore_and_at_the_end() {
    let (text, recorder) = recorded();
    let mut pool = Pool::new(4);
    pool.record(&recorder);
    let [first, second] = [1, 2].map(|value| pool.insert(value).unwrap());
    let saved = pool.snapshot();
    pool.remove(first);
    let third = pool.insert(3).unwrap();
    assert_eq!((first.index(), second.index(), third.index()), (0, 1, 0));
    pool.remove(second);
    pool.restore(&saved).unwrap();
    drop(pool);
    recorder.finish().unwrap();
    let slots = text.events_with_slots();
    let expected = [
        ("alloc,0", 0),
        ("alloc,1", 1),
        ("free,0", 0),
        ("alloc,2", 0),
        ("free,1", 1),
        ("alloc,3", 1),
        ("free,2", 0),
        ("free,3", 1),
    ];
    let expected = expected.map(|(event, slot)| (format!("0,{event},i32"), slot));
    assert_eq!(slots, expected);
}

#[test]
fn a_track_tells_how_the_pool_of_somebody_else_stands() {
    let (text, recorder) = recorded();
    let seats = recorder.track("seats", 40);
    (0..3).for_each(|seat| seats.birth(seat));
    seats.death(1);
    seats.evicted();
    seats.birth(1);
    seats.refused();
    seats.all_dead();
    seats.birth(5);
    seats.retired();
    recorder.finish().unwrap();
    let events =
        ["alloc,0", "alloc,1", "alloc,2", "free,1", "alloc,3", "free,0", "free,3", "free,2"];
    let events = events.iter().chain(&["alloc,4"]).map(|event| format!("0,{event},seats"));
    assert_eq!(text.events(), events.collect::<Vec<_>>());
    // Capacity, live, peak, retired, inserted, removed, refused, evicted, dropped.
    assert_eq!(text.stats("seats")[..9], [40, 1, 3, 1, 5, 4, 1, 1, 0]);
}

#[test]
fn the_statistics_of_a_pool_for_threads_are_counted_as_they_change() {
    let (text, recorder) = recorded();
    let mut pool = SyncPool::builder().capacity(3).lifetimes(2).name("shared").build();
    let early = pool.insert(0).unwrap();
    pool.record(&recorder);
    (1..3).for_each(|value| _ = pool.insert(value).unwrap());
    pool.insert(3).unwrap_err();
    recorder.tick();
    assert!(pool.remove(early));
    recorder.tick();
    // The last lifetime of the slot.
    let late = pool.insert(4).unwrap();
    recorder.tick();
    assert!(pool.remove(late));
    // Which the next insertion finds out.
    pool.insert(5).unwrap_err();
    pool.stop_recording();
    pool.insert(6).unwrap_err();
    recorder.finish().unwrap();
    let events = ["0,alloc,0", "0,alloc,1", "0,alloc,2", "1,free,0", "2,alloc,3", "3,free,3"];
    // The objects that stay live end in the trace where the recording does.
    let events = events.iter().chain(&["3,free,1", "3,free,2"]);
    let expected: Vec<_> = events.map(|event| format!("{event},shared")).collect();
    assert_eq!(text.events(), expected);
    // Capacity, live, peak, retired, inserted, removed, refused, evicted, dropped.
    assert_eq!(text.stats("shared")[..9], [3, 2, 3, 1, 4, 2, 2, 0, 0]);
    drop(pool);
}

#[test]
fn the_objects_of_a_pool_for_threads_end_with_it_in_the_trace() {
    let (text, recorder) = recorded();
    let mut pool = SyncPool::builder().capacity(3).name("shared").build();
    pool.record(&recorder);
    pool.insert(1).unwrap();
    drop(pool);
    recorder.finish().unwrap();
    assert_eq!(text.events(), ["0,alloc,0,shared", "0,free,0,shared"]);
}

/// Though removals of a large pool may be gathered to be faster.
#[test]
fn each_removal_from_a_packed_pool_is_recorded_when_it_happens() {
    for capacity in [3, 10_000] {
        let (text, recorder) = recorded();
        let mut pool = PackedPool::builder().capacity(capacity).name("dense").build();
        (0..3).for_each(|value| _ = pool.insert(value).unwrap());
        pool.record(&recorder);
        pool.retain(|_, value| {
            recorder.tick();
            *value == 1
        });
        recorder.finish().unwrap();
        // The last value takes the place of the first, so it is asked about before the second.
        let expected = ["1,free,0,dense", "2,free,2,dense"];
        assert_eq!(text.events()[3..], expected, "{capacity}");
    }
}

/// The statistics of a pool are written ten times in a second, and when it goes, and at the end.
#[test]
fn the_last_statistics_are_those_of_the_end() {
    let (text, recorder) = recorded();
    let (gone, stays) = (recorder.track("gone", 9), recorder.track("stays", 9));
    // The first are written at once, the next a tenth of a second later: not in between.
    wait_until(|| text.has(",stats,0,gone,") && text.has(",stats,1,stays,"));
    stays.birth(0);
    gone.birth(0);
    drop(gone);
    wait_until(|| text.has("0,free,1,gone,0\n"));
    stays.birth(1);
    recorder.finish().unwrap();
    assert_eq!((text.stats("gone")[4], text.stats("stays")[4]), (1, 2));
}

#[test]
fn any_number_of_pools_may_have_one_name() {
    let (text, recorder) = recorded();
    let tracks: Vec<_> = (0..4).map(|_| recorder.track("imps", 1)).collect();
    tracks.iter().for_each(|track| track.birth(0));
    recorder.finish().unwrap();
    let expected = ["0,alloc,0,imps", "0,alloc,1,imps-2", "0,alloc,2,imps-3", "0,alloc,3,imps-4"];
    assert_eq!(text.events(), expected);
}

#[test]
fn a_retained_object_lives_on_in_the_trace() {
    let (text, recorder) = recorded();
    let mut grown = VecPool::builder().name("grown").build();
    let mut pool = Pool::builder().capacity(8).name("pool").build();
    grown.record(&recorder);
    pool.record(&recorder);
    (0..5).for_each(|n| _ = grown.insert(n).unwrap());
    (0..5).for_each(|n| _ = pool.insert(n).unwrap());
    grown.retain(|_, n| *n % 2 == 0);
    pool.retain(|_, n| *n % 2 == 0);
    recorder.finish().unwrap();
    let ended = ["0,free,1,grown", "0,free,3,grown", "0,free,6,pool", "0,free,8,pool"];
    let is_end = |line: &String| line.contains(",free,");
    assert_eq!(text.events().into_iter().filter(is_end).collect::<Vec<_>>(), ended);
}
