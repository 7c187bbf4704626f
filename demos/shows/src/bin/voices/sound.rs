//! How it sounds: a voice, and the room.

use std::f32::consts::TAU;

use millpond_demos::Random;

use crate::score::{Kind, RATE, Request};

/// Softer than this, nobody hears it: the voice ends.
const SILENCE: f32 = 0.000_5;
/// A note that is louder than this would be missed.
const PROMINENT: f32 = 0.03;

const PARTIALS: usize = 4;
/// How much of a note's loudness its fundamental tone has; the rest have the overtones.
pub(crate) const FUNDAMENTAL: f32 = 0.74;

/// One sound that is being played.
#[derive(Clone, Debug)]
pub(crate) struct Voice {
    pub(crate) kind: Kind,
    partials: [Partial; PARTIALS],
    /// How much of its loudness the partials' share has come to: the first moment of the sound.
    attack: f32,
    attack_step: f32,
    noise: Random,
    /// What has passed the filters of the thunder.
    rumble: [f32; 2],
    crack: f32,
    left: f32,
    right: f32,
}

/// A sine that fades: a point that goes round, and inwards.
#[derive(Clone, Copy, Debug, Default)]
struct Partial {
    at: [f32; 2],
    turn: [f32; 2],
    fade: f32,
    loudness: f32,
}

impl Partial {
    fn new(pitch: f32, loudness: f32, half_life_s: f32) -> Self {
        let angle = TAU * pitch / RATE;
        let turn = if pitch < RATE / 2.2 { [angle.cos(), angle.sin()] } else { [1.0, 0.0] };
        let fade = 0.5_f32.powf(1.0 / (half_life_s * RATE));
        Self { at: [1.0, 0.0], turn, fade, loudness }
    }

    fn next(&mut self) -> f32 {
        let ([x, y], [cos, sin]) = (self.at, self.turn);
        self.at = [x * cos - y * sin, x * sin + y * cos];
        self.loudness *= self.fade;
        self.at[1] * self.loudness
    }
}

impl Voice {
    pub(crate) fn new(request: &Request) -> Self {
        let Request { kind, pitch, loudness, .. } = *request;
        let mut partials = [Partial::default(); PARTIALS];
        let (parts, attack_s): (&[(f32, f32, f32)], f32) = match kind {
            // A steel comb: the overtones are not whole numbers, and fade sooner.
            Kind::Note => (
                &[
                    (1.0, FUNDAMENTAL, 0.26),
                    (2.0, 0.16, 0.16),
                    (3.01, 0.07, 0.07),
                    (6.27, 0.05, 0.02),
                ],
                0.002,
            ),
            Kind::Drop => (&[(1.0, 0.8, 0.035), (1.52, 0.3, 0.012)], 0.001),
            Kind::Thunder => (&[(1.0, 1.0, 0.55)], 0.03),
        };
        for (partial, &(times, share, half_life_s)) in partials.iter_mut().zip(parts) {
            *partial = Partial::new(pitch * times, loudness * share, half_life_s);
        }
        Self {
            kind,
            partials,
            attack: 0.0,
            attack_step: 1.0 / (attack_s * RATE),
            noise: Random::new(request.at as u64),
            rumble: [0.0; 2],
            crack: 1.0,
            left: (1.0 - request.side).sqrt(),
            right: request.side.sqrt(),
        }
    }

    /// How loud it is now; what tells which one has to go.
    pub(crate) fn loudness(&self) -> f32 {
        self.partials.iter().map(|partial| partial.loudness).sum()
    }

    /// Whether it would be missed.
    pub(crate) fn is_prominent(&self) -> bool {
        self.loudness() > PROMINENT
    }

    /// The same key is struck again: the old tone ends soon.
    pub(crate) fn damp(&mut self) {
        for partial in &mut self.partials {
            partial.fade = partial.fade.min(0.5_f32.powf(1.0 / (0.01 * RATE)));
        }
    }

    /// Adds its next samples, and says whether it goes on.
    pub(crate) fn play(&mut self, out: &mut [[f32; 2]]) -> bool {
        for sample in out {
            self.add(sample, 1.0);
        }
        self.loudness() > SILENCE
    }

    /// Adds its last samples.
    pub(crate) fn fade(&mut self, out: &mut [[f32; 2]], samples: usize) {
        for (number, sample) in out.iter_mut().take(samples).enumerate() {
            self.add(sample, 1.0 - number as f32 / samples as f32);
        }
    }

    fn add(&mut self, sample: &mut [f32; 2], gain: f32) {
        self.attack = (self.attack + self.attack_step).min(1.0);
        let heard = self.attack
            * gain
            * if self.kind == Kind::Thunder {
                self.thunder()
            } else {
                self.partials.iter_mut().map(Partial::next).sum()
            };
        sample[0] += heard * self.left;
        sample[1] += heard * self.right;
    }

    /// Noise of which little but the low tones is left, and rolls.
    fn thunder(&mut self) -> f32 {
        let roll = 0.7 + 0.3 * self.partials[0].next() / self.partials[0].loudness.max(SILENCE);
        let noise = self.noise.between(-1.0, 1.0);
        self.crack *= 0.999_93;
        self.rumble[0] += (0.012 + 0.10 * self.crack * self.crack) * (noise - self.rumble[0]);
        self.rumble[1] += 0.05 * (self.rumble[0] - self.rumble[1]);
        5.0 * self.rumble[1] * roll * self.partials[0].loudness
    }
}

/// A room: echoes of echoes.
pub(crate) struct Reverb {
    combs: [[Comb; 4]; 2],
}

struct Comb {
    line: Vec<f32>,
    at: usize,
    dark: f32,
}

impl Reverb {
    pub(crate) fn new() -> Self {
        let comb = |samples| Comb { line: vec![0.0; samples], at: 0, dark: 0.0 };
        Self { combs: [[1557, 1617, 1491, 1422].map(comb), [1580, 1640, 1514, 1445].map(comb)] }
    }

    /// Adds the room to what is played.
    pub(crate) fn add(&mut self, out: &mut [[f32; 2]]) {
        for sample in out {
            let dry = (sample[0] + sample[1]) * 0.5;
            for (heard, combs) in sample.iter_mut().zip(&mut self.combs) {
                *heard += 0.09 * combs.iter_mut().map(|comb| comb.next(dry)).sum::<f32>();
            }
        }
    }
}

impl Comb {
    fn next(&mut self, sample: f32) -> f32 {
        let echo = self.line[self.at];
        self.dark += 0.7 * (echo - self.dark);
        self.line[self.at] = sample + 0.84 * self.dark;
        self.at = (self.at + 1) % self.line.len();
        echo
    }
}
