//! A city that is there only where the camera is: people and cars appear and vanish around it, in pools
//! with a budget for each district. In the middle the game is saved to a file; loaded again, every handle
//! is good that was good, every stale one is stale, and the city goes on exactly as it did.
//!
//! Run it: `cargo run --release -p millpond-demos --bin city`
//!
//! It writes `city.png` (the city and its pools when it is saved), `city-animated.png` (open it in a
//! browser), and `city.save` (the saved game).

mod city;
mod map;

use std::process::ExitCode;

use city::{City, Save, Taxi};
use millpond_demos::{Animation, Failure, Stage, check, play};

fn main() -> ExitCode {
    play("city", demo)
}

fn demo(stage: &Stage) -> Result<(), Failure> {
    let frames = if stage.is_short { 1080 } else { 1800 };
    let saved_at = frames / 2;
    let [saved_s, whole_s] = [saved_at, frames].map(map::seconds);
    let title =
        format!("people and cars in each district; saved and loaded after {saved_s} seconds");
    let mut city = City::new()?;
    let mut animation = Animation::new(map::SIZE, 9);
    let mut live = map::History::default();
    let mut before = Links::default();
    for frame in 1..=saved_at {
        city.step();
        live.push(&city);
        before.note(&city);
        if frame % if stage.is_short { 270 } else { 24 } == 0 {
            animation.push(&map::draw(&city, &live, whole_s, &title));
        }
    }
    let save = postcard::to_allocvec(&city.save())?;
    stage.write("city.save", |path| std::fs::write(path, &save))?;
    let until_saved = "people and cars in each district, until the city is saved";
    map::draw(&city, &live, saved_s, until_saved).save(stage, "city.png")?;

    let read = std::fs::read(stage.path("city.save"))?;
    let mut loaded = City::load(&postcard::from_bytes::<Save>(&read)?)?;
    let (good, stale) = before.compare(&city, &loaded)?;
    millpond_demos::say!(
        "saved {} bytes: after loading, {good} handles are good, {stale} stale: as before",
        save.len()
    );
    let enough = if stage.is_short { 1 } else { 20 };
    check(good >= enough && stale >= enough, "handles of both kinds")?;

    let mut after = Links::default();
    for frame in saved_at + 1..=frames {
        city.step();
        loaded.step();
        check(city.checksum() == loaded.checksum(), format!("the same city in frame {frame}"))?;
        live.push(&city);
        after.note(&city);
        if frame % if stage.is_short { 270 } else { 24 } == 0 {
            animation.push(&map::draw(&loaded, &live, whole_s, &title));
        }
    }
    after.compare(&city, &loaded)?;
    millpond_demos::say!(
        "{} frames later it is the same city, and has issued the same handles",
        frames - saved_at
    );
    for district in city.districts() {
        let [people, cars] = [district.people.stats(), district.cars.stats()];
        millpond_demos::say!(
            "{}: people {}/{} (peak {}, {} evicted), cars {}/{} (peak {}, {} refused)",
            district.site.name,
            people.live,
            people.capacity,
            people.peak,
            people.evicted,
            cars.live,
            cars.capacity,
            cars.peak,
            cars.refused,
        );
        check(people.refused == 0 && cars.evicted == 0, "each pool does what its budget says")?;
        check(people.peak <= people.capacity && cars.peak <= cars.capacity, "and stays in it")?;
    }
    let full =
        city.districts().iter().filter(|district| district.people.stats().evicted > 0).count();
    check(stage.is_short || full > 0, "some district is too crowded for its pool")?;
    animation.save(stage, "city-animated.png")
}

/// Handles of taxis that people have had, and which of them are still good.
#[derive(Default)]
struct Links(Vec<(usize, Taxi)>);

impl Links {
    fn note(&mut self, city: &City) {
        for (number, district) in city.districts().iter().enumerate() {
            let taxis = district.people.values().filter_map(|person| person.taxi);
            self.0.extend(taxis.map(|taxi| (number, taxi)));
        }
        self.0.sort_unstable();
        self.0.dedup();
    }

    /// How many of them are good and stale in both cities.
    fn compare(&self, city: &City, other: &City) -> Result<(usize, usize), Failure> {
        let mut good = 0;
        for &(number, taxi) in &self.0 {
            let [car, same] = [city, other].map(|city| city.districts()[number].cars.get(taxi));
            check(car == same, format!("{taxi} of district {number} means the same"))?;
            good += usize::from(car.is_some());
        }
        Ok((good, self.0.len() - good))
    }
}
