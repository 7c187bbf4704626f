use super::lane::{Lane, Work};
use super::subject::{Subject, WrittenOver, any};
use super::*;
use millpond_plan::output::paint::Paint;

fn plan<'a>(shape: &'a Shape, only: Option<&'a str>) -> Plan<'a> {
    Plan {
        shape,
        seed: 1,
        capacity: 300,
        time: Duration::from_secs(3600),
        steps: Some(20_000),
        only,
        system_allocator: false,
    }
}

fn trace() -> Shape {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces/freedoom2-map15-solo.csv.gz");
    Shape::of_trace(path.as_ref()).unwrap()
}

#[test]
fn every_pool_holds_in_waves_and_as_in_a_trace() {
    let running = AtomicBool::new(false);
    for shape in [Shape::Synthetic, trace()] {
        let outcome = soak(&plan(&shape, None), None, &running).unwrap();
        assert!(outcome.violation.is_none(), "{:?}", outcome.violation);
        assert_eq!(outcome.made, outcome.dropped);
        assert_eq!(outcome.total().operations, 20_000 * outcome.pools.len() as u64);
        assert!(outcome.pools.iter().all(|pool| pool.tally.peak > 0));
    }
}

#[test]
fn every_kind_of_pool_is_there() {
    let outcome = soak(&plan(&Shape::Synthetic, None), None, &AtomicBool::new(true)).unwrap();
    for kind in [
        "Pool, Lifo",
        "Pool, Roster, 16-bit slots",
        "Recycler, Fifo",
        "HandleAllocator, LowestFirst",
        "PackedPool, 4095 lifetimes, wraps",
        "VecPool",
        "StaticPool",
        "SideTable beside a Pool",
        "Spill of a Pool into a PackedPool",
        "AnyPool",
        "PolicyPool that spills",
        "ParticlePool",
        "ObjectPool",
        "FramePool",
        "FrameMemory",
        "SizeClasses",
        "PoolAllocator",
        "RosterPool",
        "BytemapPool, retiring",
    ] {
        assert!(outcome.pools.iter().any(|pool| pool.name == kind), "{kind}");
    }
    // Handles with 16 bits for the slot cannot name this many.
    let large = Plan { capacity: (1 << 16) + 1, ..plan(&Shape::Synthetic, Some("Pool, Lifo")) };
    let outcome = soak(&large, None, &AtomicBool::new(true)).unwrap();
    assert!(outcome.pools.iter().all(|pool| !pool.name.contains("16-bit")));
}

#[test]
fn promises_that_are_not_about_one_pool() {
    let mut outcome =
        soak(&plan(&Shape::Synthetic, Some("Roster")), None, &AtomicBool::new(true)).unwrap();
    // Other tests of this process allocate meanwhile.
    (outcome.resident_start, outcome.resident_end) = (Some(1 << 20), Some(1 << 20));
    assert_eq!(outcome.broken_promise(), None);
    let page_per_pool = 4096 * outcome.pools.len() as u64;
    outcome.resident_end = Some((1 << 20) + page_per_pool);
    assert_eq!(outcome.broken_promise(), None);
    outcome.resident_end = Some((1 << 20) + page_per_pool + 4096);
    let told = |outcome: &Outcome| outcome.broken_promise().unwrap();
    assert!(told(&outcome).contains("resident memory grew by"), "{}", told(&outcome));
    // The effects of replacements do not count, as long as the pools free all that they had.
    outcome.pools[1].tally.renewals = Renewals { bytes_kept: 0, resident_growth: 4096 };
    assert_eq!(outcome.broken_promise(), None);
    outcome.pools[2].tally.renewals = Renewals { bytes_kept: 0, resident_growth: -4096 };
    assert!(told(&outcome).contains("resident memory grew by"), "{}", told(&outcome));
    outcome.pools[2].tally.renewals = Renewals { bytes_kept: 8, resident_growth: 0 };
    assert_eq!(told(&outcome), "pools that were replaced kept 8 bytes");
    outcome.pools[0].tally.allocations = 3;
    assert_eq!(told(&outcome), "3 allocations after the start");
    outcome.made += 1;
    assert!(told(&outcome).contains("objects were made and"), "{}", told(&outcome));
    let text = text(&outcome, None, "millpond soak", Paint::new(false));
    assert!(text.contains("Failed: ") && !text.contains("No violation"), "{text}");
}

#[test]
fn a_wrong_answer_of_a_side_table_is_found() {
    use millpond::{Handle, Pool};
    let mut subject = together::WithTable::<Handle<_>, 1>::new(Pool::new(8));
    let handle = Subject::insert(&mut subject, 1).unwrap();
    assert_eq!(Subject::validate(&subject), Ok(()));
    subject.forget_entry(handle);
    assert_eq!(Subject::number(&subject, handle), Some(Err(WrittenOver)));
    assert!(Subject::validate(&subject).unwrap_err().contains("the join shows 0"));
    assert!(Subject::remove(&mut subject, handle).is_some());
    assert!(Subject::validate(&subject).unwrap_err().contains("is not its own"));
}

#[test]
fn the_same_seed_does_the_same() {
    let running = AtomicBool::new(false);
    let live = |seed| {
        let plan = Plan { seed, ..plan(&Shape::Synthetic, Some("Pool")) };
        let outcome = soak(&plan, None, &running).unwrap();
        outcome.pools.iter().map(|pool| (pool.tally.live, pool.tally.refused)).collect::<Vec<_>>()
    };
    assert_eq!(live(1), live(1));
    assert_ne!(live(1), live(2));
}

#[test]
fn boxes_do_the_same_work() {
    let plan = Plan { system_allocator: true, ..plan(&Shape::Synthetic, None) };
    let outcome = soak(&plan, None, &AtomicBool::new(false)).unwrap();
    assert!(outcome.violation.is_none() && outcome.broken_promise().is_none());
    assert!(outcome.system_allocator && outcome.pools.iter().all(|p| p.name.ends_with(": Box")));
}

#[test]
fn stops_when_it_is_told_to() {
    let outcome = soak(&plan(&Shape::Synthetic, None), None, &AtomicBool::new(true)).unwrap();
    assert!(outcome.interrupted && outcome.total().operations == 0);
    assert!(soak(&plan(&Shape::Synthetic, Some("no such")), None, &AtomicBool::new(true)).is_err());
}

/// A pool that fails in one way.
struct Broken {
    pool: millpond::Pool<payload::Payload<1>>,
    fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    StaleResolves,
    RemovesStale,
    RemovesAnother,
    RefusesEarly,
    LosesOnRetain,
    ClearsNothing,
    Panics,
}

impl Subject for Broken {
    type Handle = millpond::Handle<payload::Payload<1>>;

    fn insert(&mut self, number: u64) -> Option<Self::Handle> {
        assert!(self.fault != Fault::Panics || number < 50, "on purpose");
        if self.fault == Fault::RefusesEarly && self.pool.len() == 20 {
            return None;
        }
        Subject::insert(&mut self.pool, number)
    }
    fn insert_at(&mut self, handle: Self::Handle, number: u64) -> bool {
        Subject::insert_at(&mut self.pool, handle, number)
    }
    fn remove(&mut self, handle: Self::Handle) -> Option<Result<u64, WrittenOver>> {
        let current = self.pool.handle_at(handle.index() as usize);
        match self.fault {
            Fault::RemovesStale => Subject::remove(&mut self.pool, current?),
            Fault::RemovesAnother => {
                let another = self.pool.handles().next_back()?;
                Subject::remove(&mut self.pool, another)
            }
            _ => Subject::remove(&mut self.pool, handle),
        }
    }
    fn number(&self, handle: Self::Handle) -> Option<Result<u64, WrittenOver>> {
        let handle = match self.fault {
            Fault::StaleResolves => self.pool.handle_at(handle.index() as usize)?,
            _ => handle,
        };
        Subject::number(&self.pool, handle)
    }
    fn retain(&mut self, keep: impl FnMut(u64) -> bool) {
        if self.fault == Fault::LosesOnRetain {
            self.pool.clear();
        } else {
            Subject::retain(&mut self.pool, keep);
        }
    }
    fn clear(&mut self) {
        if self.fault != Fault::ClearsNothing {
            self.pool.clear();
        }
    }
    fn visit(&self, see: impl FnMut(Self::Handle, Option<u64>)) {
        self.pool.visit(see);
    }
    fn live(&self) -> usize {
        self.pool.len()
    }
    fn validate(&self) -> Result<(), String> {
        Ok(())
    }
}

fn found(fault: Fault) -> Result<(), (u64, String)> {
    let make = move |capacity| any(Broken { pool: millpond::Pool::new(capacity), fault });
    let mut lane = Lane::new("broken".to_owned(), 100, 16, 1, 0, Box::new(make));
    (0..50).try_for_each(|_| lane.work(&Shape::Synthetic, 2000))
}

#[test]
fn each_fault_is_found() {
    assert_eq!(found(Fault::None), Ok(()));
    for (fault, message) in [
        (Fault::StaleResolves, "a handle of the slot's object before"),
        (Fault::RemovesStale, "the removal of a stale handle"),
        (Fault::RemovesAnother, "a removed object"),
        (Fault::RefusesEarly, "an insertion was refused with 20 live"),
        (Fault::LosesOnRetain, "found None"),
        (Fault::ClearsNothing, "a cleared pool is not empty"),
        (Fault::Panics, "the pool panicked"),
    ] {
        let (step, found) = found(fault).expect_err(message);
        assert!(step > 0 && found.contains(message), "{fault:?}: {found}");
    }
}

#[test]
fn a_violation_says_how_to_see_it_again() {
    let mut outcome =
        soak(&plan(&Shape::Synthetic, Some("Roster")), None, &AtomicBool::new(false)).unwrap();
    let (pool, message) = ("Pool, Lifo".to_owned(), "lies".to_owned());
    outcome.violation = Some(Violation { pool, step: 77, message });
    let text = text(&outcome, None, "millpond soak --capacity 300", Paint::new(false));
    assert!(text.contains("Violation: Pool, Lifo, step 77: lies"), "{text}");
    let again = "millpond soak --capacity 300 --seed 1 --steps 77 --only 'Pool, Lifo'";
    assert!(text.contains(again), "{text}");
}

/// The outcome of a soak that does nothing.
pub(crate) fn outcome_of_nothing() -> Outcome {
    let mut outcome =
        soak(&plan(&Shape::Synthetic, Some("Roster")), None, &AtomicBool::new(true)).unwrap();
    outcome.resident_start = outcome.resident_end;
    outcome
}

/// All pools, in pieces that go on from each other.
#[test]
fn pieces_go_on_from_each_other() {
    let running = AtomicBool::new(false);
    let mut checkpoint = Checkpoint::new(1, 300);
    let mut before = None;
    for piece in 1..=3 {
        let outcome =
            soak(&plan(&Shape::Synthetic, None), Some(&mut checkpoint), &running).unwrap();
        assert!(outcome.violation.is_none(), "piece {piece}: {:?}", outcome.violation);
        assert_eq!(outcome.made, outcome.dropped);
        let so_far = checkpoint.so_far();
        assert_eq!((so_far.pieces, so_far.violations), (piece, 0));
        assert_eq!(so_far.operations, piece * outcome.total().operations);
        // The lifetimes of the slots go on: where no pool is replaced, each is later than before.
        let lifetimes: u64 = checkpoint.pools["Pool, Lifo"].slots.iter().sum();
        assert!(
            before.replace(lifetimes).is_none_or(|before| before + 1000 < lifetimes),
            "{piece}"
        );
        assert_ne!(checkpoint.pools["FramePool"].seed, 0, "a pool without slots goes on too");
    }
    // The same pieces do the same.
    let mut again = Checkpoint::new(1, 300);
    for _ in 0..3 {
        soak(&plan(&Shape::Synthetic, None), Some(&mut again), &running).unwrap();
    }
    assert!(again.pools == checkpoint.pools);
}

/// A soak of some pools leaves the states of the others.
#[test]
fn a_piece_with_some_of_the_pools_keeps_the_others() {
    let running = AtomicBool::new(false);
    let mut checkpoint = Checkpoint::new(1, 300);
    soak(&plan(&Shape::Synthetic, None), Some(&mut checkpoint), &running).unwrap();
    let before = checkpoint.pools.clone();
    soak(&plan(&Shape::Synthetic, Some("Fifo")), Some(&mut checkpoint), &running).unwrap();
    for (name, state) in &checkpoint.pools {
        assert_eq!(before[name] == *state, !name.contains("Fifo"), "{name}");
    }
}

#[test]
fn states_that_a_pool_cannot_have_are_refused() {
    let running = AtomicBool::new(false);
    let mut made = Checkpoint::new(1, 300);
    soak(&plan(&Shape::Synthetic, None), Some(&mut made), &running).unwrap();
    let refused = |pool: &str, slots: Vec<u64>| {
        let mut checkpoint = made.clone();
        checkpoint.pools.get_mut(pool).unwrap().slots = slots;
        let result = soak(&plan(&Shape::Synthetic, None), Some(&mut checkpoint), &running);
        let Err(Unusable::State { pool: named, why }) = result else { panic!("{pool}") };
        assert_eq!(named, pool);
        why
    };
    assert_eq!(refused("Pool, Lifo", vec![0; 299]), "has 299 slots, expected 300");
    assert_eq!(refused("FramePool", vec![0]), "has 1 slots, expected none");
    assert_eq!(refused("RosterPool", vec![0; 300]), "has 300 slots, expected 0");
    // Every number in the first slot of every pool: taken or refused, and nothing panics.
    for state in
        [1, 2, 3, 255, 256, 511, 512, 513, 8191, 8192, (1 << 32) - 1, 1 << 32, 1 << 33, u64::MAX]
    {
        for pool in made.pools.keys().filter(|pool| !made.pools[*pool].slots.is_empty()) {
            let mut checkpoint = made.clone();
            checkpoint.pools.retain(|name, _| name == pool);
            checkpoint.pools.get_mut(pool).unwrap().slots[0] = state;
            let plan = Plan { steps: Some(64), ..plan(&Shape::Synthetic, Some(pool)) };
            match soak(&plan, Some(&mut checkpoint), &running) {
                Ok(outcome) => {
                    assert!(outcome.violation.is_none(), "{pool}: {:?}", outcome.violation)
                }
                Err(unusable) => {
                    let Unusable::State { why, .. } = unusable else { panic!("{pool}") };
                    assert!(why.starts_with("slot 0 cannot have generation"), "{pool}: {why}");
                }
            }
        }
    }
    assert!(refused("Pool, Lifo", vec![u64::MAX; 300]).starts_with("slot 0 cannot"));
    assert!(refused("Pool, Lifo", vec![1; 300]).starts_with("slot 0 cannot"), "generation 0");
}

/// After a wrong answer, the states stay, so that the next piece finds it again.
#[test]
fn a_piece_with_a_violation_does_not_move_on() {
    let mut outcome = outcome_of_nothing();
    outcome.violation = Some(Violation { pool: "Pool".into(), step: 7, message: "lies".into() });
    let mut checkpoint = Checkpoint::new(1, 300);
    checkpoint.add(&outcome);
    let so_far = checkpoint.so_far();
    assert_eq!((so_far.pieces, so_far.violations, checkpoint.pools.len()), (1, 1, 0));
    assert!(so_far.text().contains("1 violations"), "{}", so_far.text());
}
