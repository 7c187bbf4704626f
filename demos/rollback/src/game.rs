//! The game: two ships that spray bullets at rocks. All numbers are integers, so that every machine
//! calculates the same.

use millpond::snapshot::{
    Checksum, History, Kept, RollbackError, SnapshotError, SnapshotOf, ToChecksum,
};
use millpond::{Handle, Pool, Recycler, SideTable, Snapshot};
use serde::{Deserialize, Serialize};

use crate::flight::{Flight, Hit};
use crate::objects::{Bullet, FIELD, Rock, Ship, Spark};
use crate::random::Random;

pub(crate) const PLAYERS: usize = 2;
const BULLETS: usize = 4096;
const ROCKS: usize = 64;
const SPARKS: usize = 1024;
const BULLETS_PER_FRAME: i32 = 16;

/// What a player does in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Input {
    /// Left or right, and whether to fire.
    turn: i8,
    fires: bool,
}

impl Input {
    /// What this player does in this frame: the hands of a tester.
    pub(crate) fn of(frame: i32, player: usize) -> Self {
        let mut random = Random(frame as u64 / 4 * 2 + player as u64);
        Self { turn: random.below(3) as i8 - 1, fires: random.below(8) > 0 }
    }
}

/// What is not in a pool.
#[derive(Clone, Copy, Debug)]
struct Rest {
    frame: i32,
    random: Random,
    ships: [Handle<Ship>; PLAYERS],
}

/// The whole state that is rolled back.
pub(crate) struct Game {
    rest: Rest,
    ships: Pool<Ship>,
    bullets: Pool<Bullet>,
    rocks: Pool<Rock>,
    sparks: Recycler<Spark>,
    /// For how many frames a rock still glows.
    glow: SideTable<Handle<Rock>, u8>,
    /// Not part of the state: whether bullets fly in lots, and on which threads.
    flight: Option<Flight>,
}

impl Game {
    pub(crate) fn new(threads: Threads) -> Result<Self, String> {
        let mut ships = Pool::builder().capacity(PLAYERS).name("ships").build();
        let ship = |x| Ship { position: [x, FIELD / 2], heading: 0, hits: 0, aim: None };
        let handles = [FIELD / 4, FIELD * 3 / 4].map(|x| ships.insert(ship(x)));
        let handles = handles.map(|handle| handle.expect("there is room for every player"));
        let mut bullets = Pool::builder().capacity(BULLETS).name("bullets").build();
        let flight = match threads {
            Threads::None => None,
            Threads::Lots(threads) => Some(Flight::new(&mut bullets, threads)?),
        };
        Ok(Self {
            rest: Rest { frame: 0, random: Random(1), ships: handles },
            ships,
            bullets,
            rocks: Pool::builder().capacity(ROCKS).name("rocks").build(),
            sparks: Recycler::new(SPARKS),
            glow: SideTable::with_capacity(ROCKS),
            flight,
        })
    }

    pub(crate) fn frame(&self) -> i32 {
        self.rest.frame
    }

    pub(crate) fn bullets(&self) -> usize {
        self.bullets.len()
    }

    /// Breaks the state in a way that is easily overlooked: a bullet flies a little elsewhere.
    pub(crate) fn break_something(&mut self) {
        if let Some(bullet) = self.bullets.values_mut().nth(100) {
            bullet.position[0] += 1;
        }
    }

    /// The sum of the whole state: equal on all machines that agree.
    pub(crate) fn checksum(&self) -> u64 {
        let mut sum = Checksum::new();
        sum.add(&(self.rest.frame, self.rest.random.0));
        for handle in &self.rest.ships {
            handle.add_to(&mut sum);
        }
        sum.add_word(self.ships.checksum());
        sum.add_word(self.bullets.checksum());
        sum.add_word(self.rocks.checksum());
        sum.add_word(self.sparks.checksum());
        sum.add_word(self.glow.checksum());
        sum.finish()
    }

    /// One frame on.
    pub(crate) fn advance(&mut self, inputs: [Input; PLAYERS]) {
        for (player, input) in inputs.into_iter().enumerate() {
            self.steer(self.rest.ships[player], input);
        }
        if self.rest.frame % 16 == 0 {
            let random = &mut self.rest.random;
            let position = [0; 2].map(|_| random.below(FIELD as u64) as i32);
            let _ = self.rocks.insert(Rock { position, strength: 40 }); // none if there are many
        }
        self.fly();
        self.sparks.retain(|_, spark| {
            spark.frames_left -= 1;
            spark.frames_left > 0
        });
        let rocks = &self.rocks;
        self.glow.retain(|rock, frames_left| {
            *frames_left -= 1;
            *frames_left > 0 && rocks.contains(rock)
        });
        self.rest.frame += 1;
    }

    fn steer(&mut self, handle: Handle<Ship>, input: Input) {
        let Some(ship) = self.ships.get_mut(handle) else { return };
        ship.heading = (ship.heading + i32::from(input.turn) * 5).rem_euclid(DIRECTIONS as i32);
        if ship.aim.is_some_and(|rock| !self.rocks.contains(rock)) {
            ship.aim = None;
        }
        if !input.fires {
            return;
        }
        for spread in 0..BULLETS_PER_FRAME {
            let direction = direction(ship.heading + spread * 7);
            let speed = direction.map(|part| part * (2 + spread % 3));
            let frames_left = 80 + (spread * 5) as u16;
            let bullet = Bullet { position: ship.position, speed, frames_left, owner: handle };
            if self.bullets.insert(bullet).is_err() {
                break; // as many as there may be
            }
        }
    }

    /// Bullets fly, hit rocks, and go when their time is over. In lots, they hit the rocks that are there when the frame
    /// begins, and leave fragments: other rules, so other sums.
    fn fly(&mut self) {
        let Self { bullets, rocks, ships, sparks, glow, flight, .. } = self;
        let mut strike = |hit: Hit, rocks: &mut Pool<Rock>| {
            if let Some((_, spark)) = sparks.acquire() {
                *spark = Spark { position: hit.bullet.position, frames_left: 20 };
            }
            let Some(rock) = rocks.get_mut(hit.rock) else { return };
            rock.strength -= 1;
            let breaks = rock.strength == 0;
            if let Some(ship) = ships.get_mut(hit.bullet.owner) {
                ship.hits += 1;
                ship.aim = Some(hit.rock);
            }
            let _ = glow.insert(hit.rock, 30);
            if breaks {
                rocks.remove(hit.rock);
            }
        };
        if let Some(flight) = flight {
            flight.fly(bullets, rocks);
            return flight.hits().for_each(|hit| strike(hit, rocks));
        }
        bullets.retain(|_, bullet| match bullet.fly(rocks) {
            Some(rock) => {
                strike(Hit { bullet: *bullet, rock }, rocks);
                false
            }
            None => !bullet.is_spent(),
        });
    }
}

/// How the bullets of a game fly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Threads {
    /// One after the other.
    None,
    /// In lots, on so many threads; 0: on the player's own.
    Lots(usize),
}

const DIRECTIONS: usize = 64;

/// A vector of about 60 units. Tables are the same everywhere; `sin` is not.
fn direction(heading: i32) -> [i32; 2] {
    let quarter = |at: i32| {
        // A parabola is round enough.
        let at = at.rem_euclid(DIRECTIONS as i32) - DIRECTIONS as i32 / 2;
        60 - at * at * 120 / (DIRECTIONS as i32 * DIRECTIONS as i32 / 4)
    };
    [quarter(heading), quarter(heading + DIRECTIONS as i32 / 4)]
}

/// A frame of a game.
type Frame = (
    Snapshot<Ship>,
    Snapshot<Bullet>,
    Snapshot<Rock>,
    SnapshotOf<Recycler<Spark>>,
    SnapshotOf<SideTable<Handle<Rock>, u8>>,
    Kept<Rest>,
);

/// The last few frames of a game.
pub(crate) struct GameHistory(History<Frame>);

impl GameHistory {
    pub(crate) fn new(frames: usize, game: &Game) -> Self {
        let like = (
            game.ships.snapshot(),
            game.bullets.snapshot(),
            game.rocks.snapshot(),
            game.sparks.snapshot(),
            game.glow.snapshot(),
            Kept(game.rest),
        );
        Self(History::new(frames, &like))
    }

    pub(crate) fn save(&mut self, game: &Game) -> Result<(), SnapshotError> {
        let Game { ships, bullets, rocks, sparks, glow, rest, .. } = game;
        self.0.save(rest.frame as u64, (ships, bullets, rocks, sparks, glow, rest))
    }

    pub(crate) fn rollback_to(&self, frame: i32, game: &mut Game) -> Result<(), RollbackError> {
        let Game { ships, bullets, rocks, sparks, glow, rest, .. } = game;
        self.0.rollback_to(frame as u64, (ships, bullets, rocks, sparks, glow, rest))
    }

    /// In what two players' states of a frame differ, one line each; the first few of each pool.
    pub(crate) fn describe_differences(&self, other: &Self, frame: i32, lines: &mut String) {
        let saved = (self.0.get(frame as u64), other.0.get(frame as u64));
        let (Some(left), Some(right)) = saved else { return };
        macro_rules! describe {
            ($($at:tt $pool:literal),*) => {$(
                for difference in left.$at.diff(&right.$at).take(5) {
                    lines.push_str(&format!("{}, {difference}\n", $pool));
                }
            )*};
        }
        describe!(0 "ships", 1 "bullets", 2 "rocks", 3 "sparks", 4 "glow");
    }
}
