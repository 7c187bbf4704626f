//! `saved_struct!`: a struct of pools, tables and other values goes back as a whole or not at all.

use millpond::snapshot::{History, Kept, RollbackError, Saved};
use millpond::{Handle, PackedPool, Pool, SideTable, saved_struct};
use millpond_overflow::{EvictOldest, Policy};

saved_struct! {
    #[derive(Debug)]
    struct Crew as SavedCrew {
        sailors: PackedPool<u64>,
        oldest: EvictOldest<Handle<u64>> => kept,
    }
}

saved_struct! {
    /// With an attribute of its own.
    #[derive(Debug, serde::Serialize, serde::Deserialize)]
    pub(crate) struct World as Frame {
        /// Strings are not `Copy`.
        ships: Pool<String> => cloned,
        #[serde(skip, default = "Crew::new")]
        crew: Crew as SavedCrew,
        names: SideTable<Handle<String>, u32>,
        random: u64 => kept,
        #[serde(default)]
        drawn: u32 => unsaved,
    }
}

impl Crew {
    fn new() -> Self {
        let sailors = PackedPool::new(3);
        let oldest = EvictOldest::beside(&sailors);
        Self { sailors, oldest }
    }
}

impl World {
    fn new(names: usize) -> Self {
        Self {
            ships: Pool::new(4),
            crew: Crew::new(),
            names: SideTable::with_capacity(names),
            random: 1,
            drawn: 0,
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
    let mut history = History::new(5, &world.snapshot());
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
    let mut history = History::new(5, &world.snapshot());
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
    let mut frame = world.snapshot();
    let saved = world.state();
    assert!(frame.save(&other).is_err());
    assert!(frame.restore(&mut other).is_err());
    assert_eq!(other.state(), before);
    world.step();
    frame.restore(&mut world).unwrap();
    assert_eq!(world.state(), saved);
}

#[test]
fn a_saved_state_can_be_looked_at() {
    let mut world = World::new(4);
    world.step();
    let frame = world.snapshot();
    world.step();
    assert_eq!((frame.ships.as_pool().len(), frame.crew.sailors.as_pool().len()), (1, 1));
    assert_eq!(frame.drawn.clone().check_save(&world.drawn), Ok(()));
    assert_ne!(frame.random.0, world.random);
}

/// The struct itself is the saved game, and what is kept is written as the value.
#[test]
fn the_struct_is_a_saved_game() {
    let mut world = World::new(4);
    world.step();
    let file = serde_json::to_string(&world).unwrap();
    let old: World = serde_json::from_str(&file).unwrap();
    let mut larger = World::new(9);
    larger.ships = Pool::builder().capacity(9).name("ships").build();
    larger.ships.migrate_from(old.ships).unwrap();
    larger.names.migrate_from(old.names).unwrap();
    assert!(larger.ships.iter().eq(world.ships.iter()));
    assert!(larger.names.iter().eq(world.names.iter()));
    assert_eq!(serde_json::to_string(&Kept(7)).unwrap(), "7");
    assert_eq!(serde_json::from_str::<Kept<u8>>("7").unwrap(), Kept(7));
}
