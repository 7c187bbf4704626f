//! `saved_struct!`: a struct of pools, tables and other values goes back as a whole or not at all.

use millpond::overflow::{EvictOldest, Policy};
use millpond::snapshot::{History, Kept, RollbackError, Saved, SnapshotOf};
use millpond::{Handle, PackedPool, Pool, SideTable, Snapshot, saved_struct};

struct Crew {
    sailors: PackedPool<u64>,
    oldest: EvictOldest<Handle<u64>>,
}

struct World {
    ships: Pool<String>,
    crew: Crew,
    names: SideTable<Handle<String>, u32>,
    random: u64,
    drawn: u32,
}

saved_struct! {
    struct SavedCrew of Crew {
        sailors: SnapshotOf<PackedPool<u64>>,
        oldest: Kept<EvictOldest<Handle<u64>>>,
    }
}

saved_struct! {
    #[derive(Debug)]
    struct Frame of World {
        /// Cloned: strings are not `Copy`.
        ships: Snapshot<String>,
        crew: SavedCrew,
        names: SnapshotOf<SideTable<Handle<String>, u32>>,
        random: Kept<u64>,
    }
}

impl std::fmt::Debug for SavedCrew {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SavedCrew")
    }
}

impl World {
    fn new(names: usize) -> Self {
        let sailors = PackedPool::new(3);
        let oldest = EvictOldest::beside(&sailors);
        Self {
            ships: Pool::new(4),
            crew: Crew { sailors, oldest },
            names: SideTable::with_capacity(names),
            random: 1,
            drawn: 0,
        }
    }

    fn frame(&self) -> Frame {
        let crew = SavedCrew {
            sailors: self.crew.sailors.snapshot(),
            oldest: Kept(self.crew.oldest.clone()),
        };
        Frame {
            ships: self.ships.snapshot_cloned(),
            crew,
            names: self.names.snapshot(),
            random: Kept(self.random),
        }
    }

    fn step(&mut self) {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let value = (self.random >> 40) as u32;
        self.crew.oldest.insert(&mut self.crew.sailors, u64::from(value)).unwrap();
        if self.ships.is_full() {
            self.ships.remove_at(value as usize % 4).unwrap();
        }
        let ship = self.ships.insert(value.to_string()).unwrap();
        self.names.insert(ship, value).unwrap();
        self.drawn += 1;
    }

    /// Everything that is saved, and what comes next.
    fn state(&self) -> impl PartialEq + std::fmt::Debug + use<> {
        let ships: Vec<_> =
            self.ships.iter().map(|(handle, name)| (handle, name.clone())).collect();
        let names: Vec<_> = self.names.iter().map(|(handle, name)| (handle, *name)).collect();
        let sums =
            (self.ships.checksum_with(|ship, sum| sum.add(ship.as_str())), self.names.checksum());
        (ships, names, sums, self.crew.sailors.checksum(), self.random)
    }
}

#[test]
fn a_struct_goes_back_as_one() {
    let mut world = World::new(4);
    let mut history = History::new(5, &world.frame());
    let mut states = Vec::new();
    for frame in 0..20 {
        history.save(frame, &world).unwrap();
        states.push(world.state());
        world.step();
    }
    // The same frames again: the same state in each, and the sailors are evicted in the same order.
    history.rollback_to(16, &mut world).unwrap();
    assert_eq!(world.drawn, 20, "a field that is not listed stays as it is");
    for state in &states[16..] {
        assert_eq!(world.state(), *state);
        world.step();
    }
}

#[test]
fn one_field_that_does_not_fit_leaves_all_fields_unchanged() {
    let mut world = World::new(4);
    let mut history = History::new(5, &world.frame());
    history.save(0, &world).unwrap();
    world.step();

    // The table comes after two fields that would fit.
    let mut other = World::new(5);
    other.step();
    other.step();
    let before = other.state();
    assert!(matches!(history.rollback_to(0, &mut other), Err(RollbackError::Snapshot(_))));
    assert_eq!(other.state(), before);
    assert!(history.save(1, &other).is_err());
    assert_eq!(history.frames().collect::<Vec<_>>(), [0]);

    // The same without a history in between.
    let mut frame = world.frame();
    let saved = world.state();
    assert!(frame.save(&other).is_err());
    assert!(frame.restore(&mut other).is_err());
    assert_eq!(other.state(), before);
    world.step();
    frame.restore(&mut world).unwrap();
    assert_eq!(world.state(), saved);
}
