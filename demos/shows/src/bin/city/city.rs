//! The city: districts with pools, and who is in them.

use std::cmp::Reverse;

use millpond::Snapshot;
use millpond::snapshot::SnapshotError;
use millpond::{Handle, Pool};
use millpond_demos::Random;
use millpond_overflow::Overflow;
use millpond_overflow::budget::{Budget, BudgetError, Scenario};
use serde::{Deserialize, Serialize};

/// How many objects each district may have: `millpond plan --budget` writes such tables.
const BUDGET: &str = r#"
[scenario."old town"]
people = { capacity = 160, on_full = "evict-least" }
cars = 12

[scenario.downtown]
people = { capacity = 120, on_full = "evict-least" }
cars = 64

[scenario.harbour]
people = { capacity = 32, on_full = "evict-least" }
cars = 40

[scenario.suburb]
people = { capacity = 48, on_full = "evict-least" }
cars = 24
"#;

/// A district is a grid of so many streets each way.
pub(crate) const STREETS: [i32; 2] = [6, 6];
/// Streets are so far apart.
pub(crate) const BLOCK: [f32; 2] = [56.0, 52.0];
/// The size of a district.
pub(crate) const DISTRICT: [f32; 2] = [336.0, 312.0];
/// What is further from the camera than this is not there.
pub(crate) const SIGHT: f32 = 175.0;

/// What is said of a district before the game begins.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) name: &'static str,
    pub(crate) corner: [f32; 2],
    /// How many people and cars try to come in a frame.
    crowd: [f32; 2],
}

pub(crate) const SITES: [Site; 4] = [
    Site { name: "old town", corner: [0.0, 0.0], crowd: [1.5, 0.06] },
    Site { name: "downtown", corner: [DISTRICT[0], 0.0], crowd: [1.2, 0.8] },
    Site { name: "harbour", corner: [0.0, DISTRICT[1]], crowd: [0.15, 0.35] },
    Site { name: "suburb", corner: DISTRICT, crowd: [0.3, 0.16] },
];

/// What a person remembers of the car that comes for them.
pub(crate) type Taxi = Handle<Car>;

/// Somebody on foot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Person {
    pub(crate) way: Way,
    pub(crate) taxi: Option<Taxi>,
}

/// Somebody on wheels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Car {
    pub(crate) way: Way,
    pub(crate) paint: u8,
}

/// From one corner to the next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Way {
    pub(crate) from: [i32; 2],
    pub(crate) to: [i32; 2],
    done: f32,
    speed: f32,
}

impl Way {
    fn new(random: &mut Random, speed: f32) -> Self {
        let from = STREETS.map(|streets| random.below(streets as usize) as i32);
        let mut way = Self { from, to: from, done: random.between(0.0, 1.0), speed };
        way.turn(random);
        way
    }

    /// Where it is, in a district.
    pub(crate) fn at(&self) -> [f32; 2] {
        [0, 1].map(|axis| {
            let (from, to) = (self.from[axis] as f32, self.to[axis] as f32);
            (from + (to - from) * self.done + 0.5) * BLOCK[axis]
        })
    }

    fn step(&mut self, random: &mut Random) {
        self.done += self.speed / BLOCK[0];
        if self.done >= 1.0 {
            self.done -= 1.0;
            let before = std::mem::replace(&mut self.from, self.to);
            self.to = before;
            self.turn(random);
        }
    }

    /// Goes on to a corner beside this one, but not back, and not out of the district.
    fn turn(&mut self, random: &mut Random) {
        let (from, before) = (self.from, self.to);
        let beside =
            [[1, 0], [0, 1], [-1, 0], [0, -1]].map(|step| [from[0] + step[0], from[1] + step[1]]);
        let is_open = |to: &[i32; 2]| {
            *to != before && (0..STREETS[0]).contains(&to[0]) && (0..STREETS[1]).contains(&to[1])
        };
        let first = random.below(4);
        let mut choices = (0..4).map(|number| beside[(first + number) % 4]);
        self.to = choices.find(is_open).unwrap_or(before);
    }
}

/// The pools of a district.
pub(crate) struct District {
    pub(crate) site: &'static Site,
    pub(crate) people: Pool<Person>,
    pub(crate) cars: Pool<Car>,
    on_full: [Overflow; 2],
}

impl District {
    fn new(site: &'static Site, budget: &Scenario<'_>) -> Result<Self, BudgetError> {
        Ok(Self {
            site,
            people: budget.builder("people")?.build(),
            cars: budget.builder("cars")?.build(),
            on_full: [budget.entry("people")?.policy(), budget.entry("cars")?.policy()],
        })
    }

    fn step(&mut self, camera: [f32; 2], random: &mut Random) {
        let corner = self.site.corner;
        let here = [camera[0] - corner[0], camera[1] - corner[1]];
        self.cars.retain(|_, car| {
            car.way.step(random);
            distance(car.way.at(), here) < SIGHT
        });
        let cars = &self.cars;
        self.people.retain(|_, person| {
            person.way.step(random);
            // Now and then somebody calls a car. That it has gone, they notice when they ask for it.
            if random.below(200) == 0 {
                person.taxi = cars.handle_at(random.below(cars.capacity()));
            }
            distance(person.way.at(), here) < SIGHT
        });
        for _ in 0..comers(self.site.crowd[0], random) {
            let speed = random.between(0.25, 0.5);
            let way = Way::new(random, speed);
            if distance(way.at(), here) < SIGHT {
                let person = Person { way, taxi: None };
                let farthest = |person: &Person| Reverse(distance(person.way.at(), here).to_bits());
                admit(&mut self.people, person, self.on_full[0], farthest);
            }
        }
        for _ in 0..comers(self.site.crowd[1], random) {
            let speed = random.between(0.9, 1.6);
            let way = Way::new(random, speed);
            if distance(way.at(), here) < SIGHT {
                let car = Car { way, paint: random.below(5) as u8 };
                let farthest = |car: &Car| Reverse(distance(car.way.at(), here).to_bits());
                admit(&mut self.cars, car, self.on_full[1], farthest);
            }
        }
    }
}

/// Adds an object to a pool that does what its budget says when it is full.
fn admit<T, K: Ord>(pool: &mut Pool<T>, object: T, on_full: Overflow, key: impl Fn(&T) -> K) {
    // Whoever is refused, or has to go, is far away: nobody sees it, and the pool counts it.
    match on_full {
        Overflow::EvictLeast => drop(pool.try_insert_or_evict(object, |_, object| key(object))),
        _ => drop(pool.insert(object)),
    }
}

/// How many come in this frame, if so many come in a frame on average.
fn comers(average: f32, random: &mut Random) -> u32 {
    (average + random.between(0.0, 1.0)) as u32
}

fn distance(a: [f32; 2], b: [f32; 2]) -> f32 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// All of it.
pub(crate) struct City {
    frame: u32,
    random: Random,
    districts: Vec<District>,
}

/// A saved game.
#[derive(Serialize, Deserialize)]
pub(crate) struct Save {
    frame: u32,
    random: Random,
    pools: Vec<(Snapshot<Person>, Snapshot<Car>)>,
}

impl City {
    /// An empty city.
    pub(crate) fn new() -> Result<Self, BudgetError> {
        let budget = Budget::from_toml(BUDGET)?;
        let district = |site: &'static Site| District::new(site, &budget.scenario(site.name)?);
        let districts = SITES.iter().map(district).collect::<Result<_, BudgetError>>()?;
        Ok(Self { frame: 0, random: Random::new(11), districts })
    }

    /// The city as it is.
    pub(crate) fn save(&self) -> Save {
        let pools = |district: &District| (district.people.snapshot(), district.cars.snapshot());
        let pools = self.districts.iter().map(pools).collect();
        Save { frame: self.frame, random: self.random.clone(), pools }
    }

    /// The city as it was.
    pub(crate) fn load(save: &Save) -> Result<Self, LoadError> {
        let mut city = Self::new()?;
        (city.frame, city.random) = (save.frame, save.random.clone());
        if save.pools.len() != city.districts.len() {
            return Err(LoadError::OtherCity);
        }
        for (district, (people, cars)) in city.districts.iter_mut().zip(&save.pools) {
            district.people.restore(people)?;
            district.cars.restore(cars)?;
        }
        Ok(city)
    }

    /// The next frame.
    pub(crate) fn step(&mut self) {
        self.frame += 1;
        let camera = self.camera();
        for district in &mut self.districts {
            district.step(camera, &mut self.random);
        }
    }

    /// Where the camera is: it goes round, through all districts.
    pub(crate) fn camera(&self) -> [f32; 2] {
        let angle = self.frame as f32 / 1800.0 * std::f32::consts::TAU;
        [
            DISTRICT[0] * (1.0 - 0.3 * angle.cos()),
            DISTRICT[1] * (1.0 - 0.42 * (angle * 2.0 + 0.2).sin()),
        ]
    }

    pub(crate) fn frame(&self) -> u32 {
        self.frame
    }

    pub(crate) fn districts(&self) -> &[District] {
        &self.districts
    }

    /// Of all objects, and of all that the pools' future depends on.
    pub(crate) fn checksum(&self) -> Vec<[u64; 2]> {
        let of_way = |way: &Way, sum: &mut millpond::snapshot::Checksum| {
            way.at().iter().for_each(|number| sum.add_word(number.to_bits().into()));
        };
        let of_district = |district: &District| {
            let people = district.people.checksum_with(|person, sum| of_way(&person.way, sum));
            [people, district.cars.checksum_with(|car, sum| of_way(&car.way, sum))]
        };
        self.districts.iter().map(of_district).collect()
    }
}

/// Why a saved game cannot be loaded.
#[derive(Debug)]
pub(crate) enum LoadError {
    Budget(BudgetError),
    Snapshot(SnapshotError),
    OtherCity,
}

impl From<BudgetError> for LoadError {
    fn from(error: BudgetError) -> Self {
        Self::Budget(error)
    }
}

impl From<SnapshotError> for LoadError {
    fn from(error: SnapshotError) -> Self {
        Self::Snapshot(error)
    }
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Budget(error) => error.fmt(f),
            Self::Snapshot(error) => error.fmt(f),
            Self::OtherCity => f.write_str("the saved game is of a city with other districts"),
        }
    }
}

impl std::error::Error for LoadError {}
