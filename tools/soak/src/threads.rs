//! A soak of the pools that threads share: several threads at random work on one `SyncPool` and one `SyncRecycler`,
//! each with a model of its own objects.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use millpond::{Handle, SyncPool, SyncRecycler, TakeError};

use super::random::Random;
use millpond_plan::output::figures::count;

/// The number of operations of a thread between two looks at the clock.
const SLICE: u64 = 1 << 10;

/// The maximum number of stale handles that a thread remembers.
const STALE: usize = 256;

/// The number of objects in a batch of removals.
const BATCH: usize = 16;

/// The options of a soak with threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadsPlan {
    pub(crate) threads: usize,
    pub(crate) seed: u64,
    pub(crate) capacity: usize,
    pub(crate) time: Duration,
    /// The maximum number of operations of each thread.
    pub(crate) steps: Option<u64>,
}

/// The counts of all threads.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ThreadsTally {
    pub(crate) operations: u64,
    inserted: u64,
    refused: u64,
    removed: u64,
    in_batches: u64,
    taken: u64,
    busy: u64,
    seen: u64,
    stale: u64,
    acquired: u64,
}

impl ThreadsTally {
    fn add(&mut self, other: &Self) {
        self.operations += other.operations;
        self.inserted += other.inserted;
        self.refused += other.refused;
        self.removed += other.removed;
        self.in_batches += other.in_batches;
        self.taken += other.taken;
        self.busy += other.busy;
        self.seen += other.seen;
        self.stale += other.stale;
        self.acquired += other.acquired;
    }

    /// The number of objects whose lifetimes have ended.
    #[cfg(test)]
    fn ended(&self) -> u64 {
        self.removed + self.in_batches + self.taken
    }

    /// The counts as text.
    pub(crate) fn text(&self, plan: &ThreadsPlan) -> String {
        let mut text = String::new();
        let lines = [
            ("operations", self.operations),
            ("inserted", self.inserted),
            ("refused, full", self.refused),
            ("removed", self.removed),
            ("removed in batches", self.in_batches),
            ("taken", self.taken),
            ("busy", self.busy),
            ("seen through guards", self.seen),
            ("stale handles refused", self.stale),
            ("objects acquired", self.acquired),
        ];
        let _ = writeln!(text, "{} threads, one pool of {} slots", plan.threads, plan.capacity);
        for (what, number) in lines {
            let _ = writeln!(text, "{what:<24}{:>20}", count(number));
        }
        text
    }
}

/// An object that knows its handle and is counted.
struct Object<'a> {
    me: u64,
    check: u64,
    dropped: &'a AtomicU64,
}

impl Drop for Object<'_> {
    fn drop(&mut self) {
        // A read after the drop is detected.
        self.check = 0;
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

/// Where threads leave handles for each other.
type Board = [AtomicU64];

/// Runs until the time is over or `stop` is set; the error is what was wrong.
pub(crate) fn soak_threads(plan: &ThreadsPlan, stop: &AtomicBool) -> Result<ThreadsTally, String> {
    let dropped = AtomicU64::new(0);
    let pool = SyncPool::builder().capacity(plan.capacity).homes(plan.threads).build();
    let recycler = SyncRecycler::from_fn(plan.threads.div_ceil(2), |_| 0_u64);
    let board: Vec<AtomicU64> = (0..64).map(|_| AtomicU64::new(0)).collect();
    let deadline = Instant::now() + plan.time;
    let mut tally = ThreadsTally::default();
    let mut wrong = None;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..plan.threads)
            .map(|number| {
                let (pool, recycler, board, dropped) = (&pool, &recycler, &board[..], &dropped);
                let random = Random::of(plan.seed, &format!("thread {number}"));
                let worker = Worker {
                    pool,
                    recycler,
                    board,
                    dropped,
                    random,
                    number,
                    own: Vec::with_capacity(plan.capacity),
                    stale: Vec::with_capacity(STALE),
                    tally: ThreadsTally::default(),
                };
                scope.spawn(move || worker.work(plan, deadline, stop))
            })
            .collect();
        for thread in threads {
            match thread.join() {
                Ok(Ok(its)) => tally.add(&its),
                Ok(Err(message)) => wrong = Some(message),
                Err(_) => wrong = Some("a thread has panicked".to_owned()),
            }
        }
    });
    if let Some(message) = wrong {
        return Err(message);
    }
    if !pool.is_empty() || dropped.load(Ordering::Relaxed) != tally.inserted {
        let (live, gone) = (pool.len(), dropped.load(Ordering::Relaxed));
        return Err(format!(
            "{live} objects live at the end, {gone} of {} were dropped",
            tally.inserted
        ));
    }
    pool.validate().map_err(|violation| violation.to_string())?;
    if recycler.available() != recycler.capacity() {
        return Err(format!(
            "{} of {} objects came back",
            recycler.available(),
            recycler.capacity()
        ));
    }
    let acquired: u64 = std::iter::from_fn(|| recycler.acquire().map(std::mem::ManuallyDrop::new))
        .map(|object| **object)
        .sum();
    match acquired == tally.acquired {
        true => Ok(tally),
        false => {
            Err(format!("{acquired} uses of objects are counted in them, of {}", tally.acquired))
        }
    }
}

struct Worker<'a, 'b> {
    pool: &'a SyncPool<Object<'b>>,
    recycler: &'a SyncRecycler<u64>,
    board: &'a Board,
    dropped: &'b AtomicU64,
    random: Random,
    number: usize,
    /// The handles of this thread's live objects.
    own: Vec<Handle<Object<'b>>>,
    /// Handles of some of its earlier objects.
    stale: Vec<Handle<Object<'b>>>,
    tally: ThreadsTally,
}

impl<'b> Worker<'_, 'b> {
    fn work(
        mut self,
        plan: &ThreadsPlan,
        deadline: Instant,
        stop: &AtomicBool,
    ) -> Result<ThreadsTally, String> {
        let is_over = |done: u64| {
            plan.steps.is_some_and(|steps| done >= steps)
                || (done.is_multiple_of(SLICE)
                    && (stop.load(Ordering::Relaxed) || Instant::now() >= deadline))
        };
        while !is_over(self.tally.operations) {
            self.step()?;
            self.tally.operations += 1;
        }
        for handle in std::mem::take(&mut self.own) {
            self.end(handle)?;
        }
        Ok(self.tally)
    }

    fn step(&mut self) -> Result<(), String> {
        match self.random.below(10) {
            0..=2 => {
                self.insert();
                Ok(())
            }
            // On average, as many objects end as with one removal each time.
            3 if self.own.len() >= BATCH => match self.random.below(BATCH) {
                0 => self.remove_batch(),
                _ => Ok(()),
            },
            3..=5 if !self.own.is_empty() => self.remove_one(),
            6 if !self.stale.is_empty() => self.try_stale(),
            7 => {
                self.use_recycled();
                Ok(())
            }
            _ => self.look(),
        }
    }

    fn insert(&mut self) {
        let dropped = self.dropped;
        let made = self.pool.home(self.number).insert_with(|handle| Object {
            me: handle.to_bits(),
            check: !handle.to_bits(),
            dropped,
        });
        match made {
            Ok(handle) => {
                self.tally.inserted += 1;
                let place = self.random.below(self.board.len());
                self.board[place].store(handle.to_bits(), Ordering::Relaxed);
                self.own.push(handle);
            }
            Err(_) => self.tally.refused += 1,
        }
    }

    fn remove_batch(&mut self) -> Result<(), String> {
        let handles = self.own.split_off(self.own.len() - BATCH);
        let removed = self.pool.remove_many(handles.iter().copied());
        if removed != BATCH {
            return Err(format!("{removed} of {BATCH} live objects were removed"));
        }
        self.tally.in_batches += removed as u64;
        self.stale.truncate(STALE - BATCH);
        self.stale.extend(handles);
        Ok(())
    }

    fn remove_one(&mut self) -> Result<(), String> {
        let handle = self.own.swap_remove(self.random.below(self.own.len()));
        self.end(handle)?;
        let place = self.random.below(STALE);
        match self.stale.get_mut(place) {
            Some(old) => *old = handle,
            None => self.stale.push(handle),
        }
        Ok(())
    }

    fn try_stale(&mut self) -> Result<(), String> {
        let handle = self.stale[self.random.below(self.stale.len())];
        if self.pool.get(handle).is_some() || self.pool.remove(handle) {
            return Err(format!("{handle} is valid again after its object was removed"));
        }
        self.tally.stale += 1;
        Ok(())
    }

    fn use_recycled(&mut self) {
        if let Some(mut object) = self.recycler.acquire() {
            // Not atomic, so if two threads hold the object, a use is lost.
            *object += 1;
            self.tally.acquired += 1;
        }
    }

    /// Looks up a handle that any thread has left on the board.
    fn look(&mut self) -> Result<(), String> {
        let place = self.random.below(self.board.len());
        let bits = self.board[place].load(Ordering::Relaxed);
        let Some(handle) = Handle::from_bits(bits) else { return Ok(()) };
        if let Some(object) = self.pool.get(handle) {
            self.tally.seen += 1;
            if object.me != bits || object.check != !bits {
                return Err(format!("{handle} leads to an object of another handle"));
            }
        }
        Ok(())
    }

    /// Ends the lifetime of one of this thread's objects.
    fn end(&mut self, handle: Handle<Object<'b>>) -> Result<(), String> {
        if self.random.below(2) == 0 {
            match self.pool.take(handle) {
                Ok(object) if object.me == handle.to_bits() => {
                    self.tally.taken += 1;
                    return Ok(());
                }
                Ok(_) => return Err(format!("{handle} leads to an object of another handle")),
                Err(TakeError::Busy) => self.tally.busy += 1,
                Err(error) => return Err(format!("{handle}, which lives: {error}")),
            }
        }
        match self.pool.remove(handle) {
            true => self.tally.removed += 1,
            false => return Err(format!("{handle} is refused, though its object lives")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_find_nothing_wrong() {
        let plan = ThreadsPlan {
            threads: 4,
            seed: 1,
            capacity: 100,
            time: Duration::from_secs(600),
            steps: Some(30_000),
        };
        let tally = soak_threads(&plan, &AtomicBool::new(false)).unwrap();
        assert_eq!((tally.operations, tally.inserted), (120_000, tally.ended()));
        assert!(tally.in_batches > 0);
        assert!(tally.refused > 0 && tally.seen > 0 && tally.stale > 0 && tally.acquired > 0);
    }
}
