//! What is asked for when: the beginning of Bach's first prelude, rain, and thunder.

use millpond_demos::{RGBColor, Random};

/// Samples a second.
pub(crate) const RATE: f32 = 44_100.0;

/// Five notes a bar, from the lowest: of the prelude in C, BWV 846. The numbers are those of keys, 60 is
/// the C in the middle.
const BARS: [[u8; 5]; 8] = [
    [60, 64, 67, 72, 76],
    [60, 62, 69, 74, 77],
    [59, 62, 67, 74, 77],
    [60, 64, 67, 72, 76],
    [60, 64, 69, 76, 81],
    [60, 62, 66, 69, 74],
    [59, 62, 67, 74, 79],
    [48, 60, 64, 67, 72],
];
/// Which of the five comes next; each bar plays it twice.
const PATTERN: [usize; 8] = [0, 1, 2, 3, 4, 2, 3, 4];
const STEP_S: f32 = 0.21;
/// The rain begins before the melody, so long.
const BEFORE_S: f32 = 1.2;
const AFTER_S: f32 = 3.0;

/// What makes a sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Note,
    Drop,
    Thunder,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Note, Self::Drop, Self::Thunder];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Note => "music box",
            Self::Drop => "raindrop",
            Self::Thunder => "thunder",
        }
    }

    pub(crate) fn color(self) -> RGBColor {
        match self {
            Self::Note => RGBColor(255, 205, 90),
            Self::Drop => RGBColor(70, 120, 220),
            Self::Thunder => RGBColor(225, 110, 255),
        }
    }
}

/// A sound that the game would like to hear.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    /// In samples from the beginning.
    pub(crate) at: usize,
    pub(crate) kind: Kind,
    /// In oscillations a second.
    pub(crate) pitch: f32,
    pub(crate) loudness: f32,
    /// 0 is left, 1 is right.
    pub(crate) side: f32,
}

impl Request {
    /// What tells one key of the music box from the others.
    pub(crate) fn key(&self) -> u32 {
        self.pitch.to_bits()
    }
}

/// All requests, in the order in which they come.
pub(crate) struct Score {
    pub(crate) requests: Vec<Request>,
    /// How long it is.
    pub(crate) samples: usize,
}

impl Score {
    pub(crate) fn per_second(&self) -> f32 {
        self.requests.len() as f32 / (self.samples as f32 / RATE)
    }
}

/// So many bars.
pub(crate) fn score(bars: usize) -> Score {
    let mut random = Random::new(3);
    let mut requests = Vec::new();
    let music_s = bars as f32 * 16.0 * STEP_S;
    let end_s = BEFORE_S + music_s + AFTER_S;
    let at = |second: f32| (second * RATE) as usize;
    for (step, note) in melody(bars).enumerate() {
        let pitch = 440.0 * 2.0_f32.powf((f32::from(note) - 69.0 + 12.0) / 12.0);
        let is_first = step % 8 == 0;
        let loudness = if is_first { 0.30 } else { random.between(0.21, 0.26) };
        let side = 0.3 + 0.4 * (f32::from(note) - 48.0) / 33.0;
        let second = BEFORE_S + step as f32 * STEP_S + random.between(0.0, 0.008);
        requests.push(Request { at: at(second), kind: Kind::Note, pitch, loudness, side });
    }
    let mut second = 0.0;
    while second < end_s - 1.5 {
        // Showers come and go.
        let heavy = 0.5 - 0.5 * (second * 0.55).cos();
        second += random.between(0.2, 1.8) / (330.0 + 330.0 * heavy);
        let near = random.between(0.0, 1.0).powi(3);
        requests.push(Request {
            at: at(second),
            kind: Kind::Drop,
            pitch: random.between(700.0, 2600.0) * (1.3 - 0.5 * near),
            loudness: 0.006 + 0.035 * near,
            side: random.between(0.0, 1.0),
        });
    }
    for share in [0.06, 0.40, 0.66, 0.95] {
        let second = BEFORE_S + share * music_s;
        let (pitch, loudness) = (random.between(60.0, 110.0), random.between(0.5, 0.75));
        let side = random.between(0.2, 0.8);
        requests.push(Request { at: at(second), kind: Kind::Thunder, pitch, loudness, side });
    }
    requests.sort_by_key(|request| request.at);
    Score { requests, samples: at(end_s) }
}

fn melody(bars: usize) -> impl Iterator<Item = u8> {
    let bars = BARS[BARS.len() - bars..].iter();
    let step = |bar: &[u8; 5]| PATTERN.map(|place| bar[place]);
    bars.flat_map(move |bar| [step(bar), step(bar)]).flatten()
}
