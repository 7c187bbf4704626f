//! The scene: a night sky, a shore, and a pond that mirrors both.

use crate::sparks::{Spark, Sparks};

/// The picture's size in pixels.
pub(crate) const WIDTH: usize = 480;
/// See [`WIDTH`].
pub(crate) const HEIGHT: usize = 300;
/// The row where the pond begins.
const SHORE: usize = 218;

/// Light is counted in whole numbers, so that its sum does not depend on the order of the sparks.
const LIGHT: f32 = 4096.0;

/// A film for one picture at a time.
pub(crate) struct Night {
    sky: Vec<[u32; 3]>,
    haze: Vec<[f32; 3]>,
    picture: Vec<[u8; 3]>,
}

impl Night {
    pub(crate) fn new() -> Self {
        let (sky, haze) = (vec![[0; 3]; WIDTH * SHORE], vec![[0.0; 3]; WIDTH * SHORE]);
        Self { sky, haze, picture: vec![[0; 3]; WIDTH * HEIGHT] }
    }

    /// A picture of the sparks, in rows of [`WIDTH`] pixels.
    pub(crate) fn expose(&mut self, sparks: &impl Sparks) -> &[[u8; 3]] {
        self.sky.fill([0; 3]);
        sparks.for_each(|spark| self.add(spark));
        self.spread();
        for (row, pixels) in self.picture.chunks_exact_mut(WIDTH).enumerate() {
            for (x, pixel) in pixels.iter_mut().enumerate() {
                let seen = if row < SHORE {
                    lit(&self.sky, &self.haze, x, row)
                } else {
                    mirrored(&self.sky, &self.haze, x, row)
                };
                *pixel = seen.map(|light| (255.0 * (1.0 - (-light).exp())) as u8);
            }
        }
        &self.picture
    }

    /// Adds a spark's light, as a short streak along its way.
    fn add(&mut self, spark: &Spark) {
        let unit = SHORE as f32 * 1.18;
        let color = spark.color().map(|light| (light * LIGHT * 0.3) as u32);
        for back in [0.0, 0.012, 0.024] {
            let x = WIDTH as f32 / 2.0 + (spark.at[0] - spark.speed[0] * back) * unit;
            let y = SHORE as f32 - (spark.at[1] - spark.speed[1] * back) * unit;
            if x >= 0.0 && y >= 0.0 && (x as usize) < WIDTH && (y as usize) < SHORE {
                let pixel = &mut self.sky[y as usize * WIDTH + x as usize];
                pixel.iter_mut().zip(color).for_each(|(sum, light)| *sum += light);
            }
        }
    }

    /// The haze around what is bright: the light, spread with the four neighbours' again and again.
    fn spread(&mut self) {
        for (haze, light) in self.haze.iter_mut().zip(&self.sky) {
            *haze = light.map(|light| light as f32 / LIGHT);
        }
        for (step, keep) in
            [(1, 0.5_f32), (WIDTH, 0.5), (1, 0.8), (WIDTH, 0.8), (1, 0.9), (WIDTH, 0.9)]
        {
            // There and back: each pixel takes some of what the one before it has.
            let last = self.haze.len();
            let take = |haze: &mut [[f32; 3]], from: usize, to: usize| {
                let given = haze[from];
                let mixed = haze[to].iter_mut().zip(given);
                mixed.for_each(|(light, given)| *light += (given - *light) * keep);
            };
            (step..last).for_each(|to| take(&mut self.haze, to - step, to));
            (0..last - step).rev().for_each(|to| take(&mut self.haze, to + step, to));
        }
    }
}

/// The light that comes from a place above the pond.
fn lit(sky: &[[u32; 3]], haze: &[[f32; 3]], x: usize, row: usize) -> [f32; 3] {
    let place = row * WIDTH + x;
    let depth = row as f32 / SHORE as f32;
    let dusk = [0.02 + 0.05 * depth, 0.03 + 0.05 * depth, 0.075 + 0.11 * depth];
    let is_hill = row >= SHORE - hill(x);
    core::array::from_fn(|channel| {
        let glow = haze[place][channel];
        if is_hill {
            0.012 + 0.25 * glow
        } else {
            dusk[channel] + sky[place][channel] as f32 / LIGHT + 0.9 * glow
        }
    })
}

/// The light that comes back from the pond: the sky's, upside down, in ripples, and less of it.
fn mirrored(sky: &[[u32; 3]], haze: &[[f32; 3]], x: usize, row: usize) -> [f32; 3] {
    let below = (row - SHORE) as f32;
    let ripple = (below * 1.9 + (x as f32 * 0.05).sin()).sin() * (0.6 + below * 0.045);
    let x = (x as f32 + ripple).clamp(0.0, WIDTH as f32 - 1.0) as usize;
    let up = (below * 2.4 + (below * 0.7).sin() * 1.5).max(0.0) as usize;
    let above = lit(sky, haze, x, (SHORE - 1).saturating_sub(up));
    let share = 0.62 - 0.3 * below / (HEIGHT - SHORE) as f32;
    [above[0] * share, above[1] * share + 0.004, above[2] * share + 0.014]
}

/// How high the trees on the shore are.
fn hill(x: usize) -> usize {
    let x = x as f32;
    let crowns = (x * 0.21).sin().abs() * 2.5 + (x * 0.53 + 1.0).sin().abs() * 1.5;
    let hills = 6.0 + 5.0 * (x * 0.013 + 0.6).sin() + 3.0 * (x * 0.031).sin();
    (hills.max(1.0) + crowns) as usize
}
