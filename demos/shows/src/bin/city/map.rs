//! The city from above, and its pools beside it.

use millpond::Pool;
use millpond_demos::{BACKGROUND, Chart, Color, FAINT, INK, Line, Picture, RGBColor, Random};

use crate::city::{BLOCK, City, DISTRICT, District, SIGHT, SITES, STREETS};

/// The picture's size.
pub(crate) const SIZE: (usize, usize) = (1000, 812);

const MAP_AT: [f32; 2] = [10.0, 36.0];
const PANEL_X: f32 = 702.0;
const COLORS: [RGBColor; 4] = [
    RGBColor(255, 166, 92),
    RGBColor(96, 165, 255),
    RGBColor(84, 214, 196),
    RGBColor(150, 220, 110),
];
const PAINTS: [RGBColor; 5] = [
    RGBColor(245, 245, 245),
    RGBColor(230, 70, 70),
    RGBColor(250, 205, 70),
    RGBColor(90, 150, 250),
    RGBColor(170, 180, 190),
];

/// How a person is painted.
const PERSON: RGBColor = RGBColor(255, 224, 200);
/// The car that a person has called, and the way to it.
const TAXI: RGBColor = RGBColor(255, 220, 60);
/// A free slot.
const FREE: RGBColor = RGBColor(34, 41, 62);

/// How many were there in each frame, in each district.
#[derive(Default)]
pub(crate) struct History([Vec<(f64, f64)>; 4]);

impl History {
    pub(crate) fn push(&mut self, city: &City) {
        for (line, district) in self.0.iter_mut().zip(city.districts()) {
            let live = district.people.len() + district.cars.len();
            line.push((seconds(city.frame()), live as f64));
        }
    }
}

/// How long so many frames take.
pub(crate) fn seconds(frames: u32) -> f64 {
    f64::from(frames) / 60.0
}

/// A frame; the chart below it is this long, and is about what `title` says.
pub(crate) fn draw(city: &City, history: &History, length_s: f64, title: &str) -> Picture {
    let mut picture = Picture::new(SIZE.0, SIZE.1);
    picture.text([10.0, 26.0], 18.0, INK, "A city that is there only where the camera is");
    picture.text([PANEL_X, 26.0], 18.0, INK, "and the pools of its districts");
    for (number, district) in city.districts().iter().enumerate() {
        ground(&mut picture, number);
        let y = 52.0 + 142.0 * number as f32;
        panel(&mut picture, district, y, COLORS[number]);
    }
    legend(&mut picture);
    let camera = placed(MAP_AT, city.camera());
    picture.disc(camera, 5.0, INK);
    for district in city.districts() {
        traffic(&mut picture, district);
    }
    let ring: Vec<[f32; 2]> = (0..=72)
        .map(|step| (step as f32 * 5.0).to_radians())
        .map(|angle| [camera[0] + SIGHT * angle.cos(), camera[1] + SIGHT * angle.sin()])
        .map(|[x, y]| {
            [
                x.clamp(MAP_AT[0], MAP_AT[0] + 2.0 * DISTRICT[0]),
                y.clamp(MAP_AT[1], MAP_AT[1] + 2.0 * DISTRICT[1]),
            ]
        })
        .collect();
    picture.polygon(&ring, INK.mix(0.06));
    picture.line(&ring, 1.0, INK.mix(0.5));
    let lines = COLORS.into_iter().zip(&history.0);
    let chart = Chart {
        title,
        x_label: "seconds",
        x: 0.0..length_s,
        y_label: "objects",
        y: 0.0..200.0,
        lines: lines
            .map(|(color, points)| Line { name: "", color, points: points.clone() })
            .collect(),
    };
    picture.chart([0, 664], [SIZE.0, 148], &chart);
    picture
}

fn placed(corner: [f32; 2], at: [f32; 2]) -> [f32; 2] {
    [corner[0] + at[0], corner[1] + at[1]]
}

/// Blocks with houses, the same in every frame.
fn ground(picture: &mut Picture, number: usize) {
    let (site, color) = (&SITES[number], COLORS[number]);
    let corner = placed(MAP_AT, site.corner);
    let mut random = Random::new(number as u64);
    picture.rectangle(corner, DISTRICT, RGBColor(30, 36, 54));
    picture.rectangle(corner, DISTRICT, color.mix(0.05));
    for row in 0..=STREETS[1] {
        for column in 0..=STREETS[0] {
            let edge = |axis: usize, streets: f32, walk: f32| {
                (streets * BLOCK[axis] + walk).clamp(0.0, DISTRICT[axis])
            };
            let [x, y] = [edge(0, column as f32 - 0.5, 7.0), edge(1, row as f32 - 0.5, 7.0)];
            let [x_end, y_end] =
                [edge(0, column as f32 + 0.5, -7.0), edge(1, row as f32 + 0.5, -7.0)];
            let at = placed(corner, [x, y]);
            picture.rectangle(at, [x_end - x, y_end - y], BACKGROUND.mix(0.55));
            picture.rectangle(at, [x_end - x, y_end - y], color.mix(0.07));
            for _ in 0..6 {
                let size = [random.between(6.0, 15.0), random.between(6.0, 14.0)];
                let room = [x_end - x - size[0] - 4.0, y_end - y - size[1] - 4.0];
                let [share_x, share_y] = [random.between(0.0, 1.0), random.between(0.0, 1.0)];
                if room[0] > 0.0 && room[1] > 0.0 {
                    let house = placed(at, [2.0 + room[0] * share_x, 2.0 + room[1] * share_y]);
                    picture.rectangle(
                        house,
                        size,
                        color.mix(f64::from(random.between(0.08, 0.26))),
                    );
                }
            }
        }
    }
    let name = placed(corner, [8.0, if site.corner[1] > 0.0 { DISTRICT[1] - 8.0 } else { 22.0 }]);
    // The houses would run into the letters.
    let plate = [site.name.len() as f32 * 8.5 + 8.0, 22.0];
    picture.rectangle([name[0] - 4.0, name[1] - 19.0], plate, BACKGROUND.mix(0.7));
    picture.text(name, 17.0, color, site.name);
}

fn traffic(picture: &mut Picture, district: &District) {
    let corner = placed(MAP_AT, district.site.corner);
    for (_, car) in &district.cars {
        let [x, y] = placed(corner, car.way.at());
        let ahead = [0, 1].map(|axis| (car.way.to[axis] - car.way.from[axis]) as f32);
        // On the right side of the street.
        let [x, y] = [x - 2.5 * ahead[1], y + 2.5 * ahead[0]];
        let size = [2.0 + 2.0 * ahead[0].abs(), 2.0 + 2.0 * ahead[1].abs()];
        let light = [x + 7.0 * ahead[0], y + 7.0 * ahead[1]];
        picture.disc(light, 3.0, RGBColor(255, 240, 180).mix(0.16));
        picture.rectangle(
            [x - size[0], y - size[1]],
            size.map(|half| 2.0 * half),
            PAINTS[usize::from(car.paint)],
        );
    }
    for (_, person) in &district.people {
        let [x, y] = placed(corner, person.way.at());
        let ahead = [0, 1].map(|axis| (person.way.to[axis] - person.way.from[axis]) as f32);
        let at = [x - 6.0 * ahead[1], y + 6.0 * ahead[0]];
        if let Some(taxi) = person.taxi.and_then(|taxi| district.cars.get(taxi)) {
            let taxi_at = placed(corner, taxi.way.at());
            picture.line(&[at, taxi_at], 1.0, TAXI.mix(0.45));
            taxi_sign(picture, taxi_at);
        }
        picture.disc(at, 1.8, PERSON);
    }
}

/// Around a car that somebody has called.
fn taxi_sign(picture: &mut Picture, [x, y]: [f32; 2]) {
    picture.frame([x - 8.0, y - 8.0], [16.0, 16.0], 1.5, TAXI);
}

/// What is what, below the pools.
fn legend(picture: &mut Picture) {
    let line = |number: usize| 614.0 + 15.0 * number as f32;
    let at = |number: usize| [PANEL_X + 14.0, line(number)];
    picture.disc(at(0), 1.8, PERSON);
    picture.rectangle([at(1)[0] - 4.0, at(1)[1] - 2.0], [8.0, 4.0], PAINTS[0]);
    picture.line(&[[PANEL_X, line(2)], at(2)], 1.0, TAXI.mix(0.45));
    taxi_sign(picture, [at(2)[0] + 8.0, line(2)]);
    picture.rectangle([at(3)[0] - 4.0, at(3)[1] - 4.0], [7.5; 2], FREE);
    for (number, what) in
        ["a person", "a car", "a person and the car that they have called", "a free slot"]
            .into_iter()
            .enumerate()
    {
        picture.text([PANEL_X + 38.0, line(number) + 4.0], 13.0, FAINT, what);
    }
}

/// The pools of a district: a square for each slot.
fn panel(picture: &mut Picture, district: &District, y: f32, color: RGBColor) {
    picture.text([PANEL_X, y + 8.0], 16.0, color, district.site.name);
    let (people, cars) = (district.people.stats(), district.cars.stats());
    let text = format!(
        "{} of {} people, {} of {} cars",
        people.live, people.capacity, cars.live, cars.capacity
    );
    picture.text_right([990.0, y + 8.0], 14.0, INK, &text);
    let below = slots(picture, &district.people, y + 14.0, PERSON);
    let below = slots(picture, &district.cars, below + 5.0, color);
    let text = format!("{} people had to go, {} cars were refused", people.evicted, cars.refused);
    picture.text([PANEL_X, below + 15.0], 13.0, FAINT, &text);
}

/// A square for each slot, bright if it is live; says where they end.
fn slots<T>(picture: &mut Picture, pool: &Pool<T>, y: f32, color: RGBColor) -> f32 {
    const SLOT: f32 = 9.0;
    let in_row = ((990.0 - PANEL_X) / SLOT) as usize;
    for index in 0..pool.capacity() {
        let at = [PANEL_X + (index % in_row) as f32 * SLOT, y + (index / in_row) as f32 * SLOT];
        let size = [SLOT - 1.5; 2];
        picture.rectangle(at, size, FREE);
        if pool.get_at(index).is_some() {
            picture.rectangle(at, size, color);
        }
    }
    y + pool.capacity().div_ceil(in_row) as f32 * SLOT
}
