use super::lane::{Lane, Work};
use super::subject::{Subject, WrittenOver};
use super::*;
use crate::output::paint::Paint;

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
        let outcome = soak(&plan(&shape, None), &running).unwrap();
        assert!(outcome.violation.is_none(), "{:?}", outcome.violation);
        assert_eq!(outcome.made, outcome.dropped);
        assert_eq!(outcome.total().operations, 20_000 * outcome.pools.len() as u64);
        assert!(outcome.pools.iter().all(|pool| pool.tally.peak > 0));
    }
}

#[test]
fn the_same_seed_does_the_same() {
    let running = AtomicBool::new(false);
    let live = |seed| {
        let plan = Plan { seed, ..plan(&Shape::Synthetic, Some("Pool")) };
        let outcome = soak(&plan, &running).unwrap();
        outcome.pools.iter().map(|pool| (pool.tally.live, pool.tally.refused)).collect::<Vec<_>>()
    };
    assert_eq!(live(1), live(1));
    assert_ne!(live(1), live(2));
}

#[test]
fn boxes_do_the_same_work() {
    let plan = Plan { system_allocator: true, ..plan(&Shape::Synthetic, None) };
    let outcome = soak(&plan, &AtomicBool::new(false)).unwrap();
    assert!(outcome.holds() && outcome.system_allocator);
}

#[test]
fn stops_when_it_is_told_to() {
    let outcome = soak(&plan(&Shape::Synthetic, None), &AtomicBool::new(true)).unwrap();
    assert!(outcome.interrupted && outcome.total().operations == 0);
    assert!(soak(&plan(&Shape::Synthetic, Some("no such")), &AtomicBool::new(true)).is_none());
}

/// A pool that goes wrong in one way.
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
    fn slot(handle: Self::Handle) -> usize {
        handle.index() as usize
    }
    fn next_lifetime(handle: Self::Handle) -> Option<Self::Handle> {
        millpond::Handle::from_parts(handle.index(), handle.generation() + 1)
    }
    fn live(&self) -> usize {
        self.pool.len()
    }
    fn retired(&self) -> usize {
        0
    }
    fn validate(&self) -> Result<(), String> {
        Ok(())
    }
}

fn found(fault: Fault) -> Result<(), (u64, String)> {
    let make = move |capacity| Broken { pool: millpond::Pool::new(capacity), fault };
    let mut lane = Lane::new("broken".to_owned(), 100, 16, 1, 0, make);
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
        soak(&plan(&Shape::Synthetic, Some("Roster")), &AtomicBool::new(false)).unwrap();
    let (pool, message) = ("Pool, Lifo".to_owned(), "lies".to_owned());
    outcome.violation = Some(Violation { pool, step: 77, message });
    assert!(!outcome.holds());
    let text = text(&outcome, "millpond soak --capacity 300", Paint::off());
    assert!(text.contains("Violation: Pool, Lifo, step 77: lies"), "{text}");
    let again = "millpond soak --capacity 300 --seed 1 --steps 77 --only 'Pool, Lifo'";
    assert!(text.contains(again), "{text}");
}
