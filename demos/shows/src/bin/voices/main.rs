//! A music box in a thunderstorm: hundreds of sounds are asked for in a second, and 32 can be heard at once.
//! First a full pool refuses, and the melody drowns in the rain; then the quietest voice has to go, and
//! every note is there.
//!
//! Run it: `cargo run --release -p millpond-demos --bin voices`
//!
//! It writes `voices-refuse.wav` and `voices-evict.wav` (listen to them one after the other), and `voices.png`
//! (which voice plays what when, and how loud it is).

mod listen;
mod score;
mod sound;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use millpond::{Handle, Pool, Stats};
use millpond_demos::{
    Chart, Color, FAINT, Failure, INK, Line, Picture, RGBColor, Stage, check, play, thousands,
};
use score::{Kind, RATE};
use sound::{Reverb, Voice};

const VOICES: usize = 32;
/// Sounds are begun, and voices looked at, so many samples apart: 5.8 ms.
const BLOCK: usize = 256;
/// A voice that has to go fades out in so many samples, so that it does not click.
const FADE: usize = 128;
/// The loudest sample of both takes, below which nothing is lost: -1 dB.
const PEAK: f32 = 0.89;

fn main() -> ExitCode {
    play("voices", demo)
}

fn demo(stage: &Stage) -> Result<(), Failure> {
    let score = score::score(if stage.is_short { 1 } else { 8 });
    millpond_demos::say!(
        "{:.0} sounds a second are asked for, {VOICES} are heard at once",
        score.per_second()
    );
    let refuse =
        Take::of(&score, |pool, voice| pool.insert(voice).ok().map(|handle| (handle, None)));
    let evict = Take::of(&score, |pool, voice| {
        pool.try_insert_or_evict(voice, |_, voice| voice.loudness().to_bits()).ok()
    });
    for (name, take) in [("refuse", &refuse), ("evict", &evict)] {
        let Stats { inserted, refused, evicted, .. } = take.stats;
        millpond_demos::say!("{name}: {inserted} begun, {refused} refused, {evicted} evicted");
        check(inserted + refused == score.requests.len() as u64, "each was begun or refused")?;
        check(take.stats.peak == VOICES, "all voices were in use")?;
    }
    let notes = score.requests.iter().filter(|request| request.kind == Kind::Note).count();
    let [drowned, heard] = [&refuse, &evict].map(|take| take.notes_whole);
    millpond_demos::say!(
        "notes of the melody heard: {drowned} of {notes} with refuse, {heard} with evict"
    );
    check(heard == notes, "every note is heard when the quietest has to go")?;
    check(drowned * 2 < notes, "most notes drown when a full pool refuses")?;
    check(evict.stale > 0, "handles of voices that had to go are refused, as the others' are not")?;

    // Both takes by the same factor: they can be compared.
    let gain = PEAK / refuse.peak().max(evict.peak());
    let (mut levels, mut found) = (Vec::new(), Vec::new());
    for (name, take) in [("voices-refuse.wav", &refuse), ("voices-evict.wav", &evict)] {
        stage.write(name, |path| take.save(path, gain))?;
        let recording = recorded(&stage.path(name), score.samples)?;
        levels.push(measure(&recording));
        found.push(listen::notes(&recording, &score, gain));
    }
    millpond_demos::say!(
        "notes found in the recordings: {} with refuse, {} with evict",
        found[0],
        found[1]
    );
    check(found[1] == notes, "every note is in the recording when the quietest has to go")?;
    check(found[0] * 2 < notes, "most notes are missing in it when a full pool refuses")?;
    for (name, level) in ["refuse", "evict"].iter().zip(&levels) {
        let loudest = level.iter().map(|(_, level)| *level).fold(f64::MIN, f64::max);
        let mean = mean_level(level);
        millpond_demos::say!(
            "{name}: level {mean:.1} dB over all of it, {loudest:.1} dB in the loudest 50 ms (RMS)"
        );
        check(mean > -45.0 && loudest < -3.0, "a level that is worth listening to")?;
        check(mean <= loudest, "a mean is no more than the most")?;
    }
    poster(&score, [&refuse, &evict], &levels).save(stage, "voices.png")
}

/// What was played of a score.
struct Take {
    /// Left and right.
    samples: Vec<[f32; 2]>,
    stats: Stats,
    /// Notes of the melody that were begun, and went on until they were softer than a drop.
    notes_whole: usize,
    /// How often the player asked for a voice that was gone.
    stale: usize,
    /// For each slot and block, what is played there, and how loud.
    seen: Vec<[Option<(Kind, f32)>; VOICES]>,
}

/// The new voice, and the one that had to go; nothing if the pool refused.
type Begun = Option<(Handle<Voice>, Option<(Handle<Voice>, Voice)>)>;

impl Take {
    /// Plays a score; `begin` says what a pool does that may be full.
    fn of(score: &score::Score, mut begin: impl FnMut(&mut Pool<Voice>, Voice) -> Begun) -> Self {
        let mut voices = Pool::builder().capacity(VOICES).name("voices").build();
        let mut take = Self {
            samples: vec![[0.0; 2]; score.samples],
            stats: Stats::default(),
            notes_whole: 0,
            stale: 0,
            seen: Vec::new(),
        };
        // The player's hand: which voice has which key, to damp it when it is struck again.
        let mut keys: BTreeMap<u32, Handle<Voice>> = BTreeMap::new();
        let mut requests = score.requests.iter().peekable();
        let mut reverb = Reverb::new();
        for (number, out) in take.samples.chunks_mut(BLOCK).enumerate() {
            let end = (number + 1) * BLOCK;
            while let Some(request) = requests.next_if(|request| request.at < end) {
                if let Some(before) = keys.remove(&request.key()) {
                    match voices.get_mut(before) {
                        Some(voice) => voice.damp(),
                        None => take.stale += 1,
                    }
                }
                let Some((handle, evicted)) = begin(&mut voices, Voice::new(request)) else {
                    continue;
                };
                if let Some((_, mut voice)) = evicted {
                    take.notes_whole -=
                        usize::from(voice.kind == Kind::Note && voice.is_prominent());
                    voice.fade(out, FADE);
                }
                take.notes_whole += usize::from(request.kind == Kind::Note);
                if request.kind == Kind::Note {
                    keys.insert(request.key(), handle);
                }
            }
            let mut seen = [None; VOICES];
            for (handle, voice) in &voices {
                seen[handle.index() as usize] = Some((voice.kind, voice.loudness()));
            }
            take.seen.push(seen);
            voices.retain(|_, voice| voice.play(out));
            reverb.add(out);
        }
        take.stats = voices.stats();
        take
    }

    fn peak(&self) -> f32 {
        self.samples.iter().flatten().fold(0.0, |peak, sample| peak.max(sample.abs()))
    }

    fn save(&self, path: &Path, gain: f32) -> Result<(), hound::Error> {
        let (bits_per_sample, sample_format) = (16, hound::SampleFormat::Int);
        let sample_rate = RATE as u32;
        let spec = hound::WavSpec { channels: 2, sample_rate, bits_per_sample, sample_format };
        let mut writer = hound::WavWriter::create(path, spec)?;
        for sample in self.samples.iter().flatten() {
            writer.write_sample((sample * gain * 32767.0).round() as i16)?;
        }
        writer.finalize()
    }
}

/// Reads a recording again: left and right in turn, from -1 to 1.
fn recorded(path: &Path, samples: usize) -> Result<Vec<f32>, Failure> {
    let mut reader = hound::WavReader::open(path)?;
    let recorded = reader.samples::<i16>().collect::<Result<Vec<_>, _>>()?;
    check(recorded.len() == 2 * samples, "the recording is as long as the score")?;
    let loudest = recorded.iter().map(|sample| sample.unsigned_abs()).max().unwrap_or(0);
    check(loudest < 30_000, format!("nothing clips: the loudest sample is {loudest} of 32767"))?;
    Ok(recorded.into_iter().map(|sample| f32::from(sample) / 32767.0).collect())
}

/// The level in decibels of each 50 ms.
fn measure(recording: &[f32]) -> Vec<(f64, f64)> {
    const WINDOW_S: f64 = 0.05;
    let window = (f64::from(RATE) * WINDOW_S) as usize * 2;
    let level = |samples: &[f32]| {
        let squares = samples.iter().map(|&sample| f64::from(sample).powi(2));
        10.0 * (squares.sum::<f64>() / samples.len() as f64).max(1e-9).log10()
    };
    let levels = recording.chunks_exact(window).map(level).enumerate();
    levels.map(|(number, level)| (number as f64 * WINDOW_S, level)).collect()
}

/// The level of stretches of equal length together: their mean energy, in decibels. The mean of the decibels would be
/// that of silence where there is some.
fn mean_level(levels: &[(f64, f64)]) -> f64 {
    let energy = levels.iter().map(|(_, level)| 10_f64.powf(level / 10.0)).sum::<f64>();
    10.0 * (energy / levels.len() as f64).log10()
}

fn poster(score: &score::Score, takes: [&Take; 2], levels: &[Vec<(f64, f64)>]) -> Picture {
    const WIDTH: usize = 1000;
    const ROW: usize = 7;
    let seconds = score.samples as f64 / f64::from(RATE);
    let mut picture = Picture::new(WIDTH, 800);
    let names = ["a full pool refuses", "the quietest has to go"];
    let counts = takes.map(|take| {
        let Stats { inserted, refused, evicted, .. } = take.stats;
        let [inserted, refused, evicted] =
            [inserted, refused, evicted].map(|n| thousands(n as usize));
        format!(
            "{inserted} sounds begun, {refused} refused, {evicted} cut short, {} notes whole",
            take.notes_whole
        )
    });
    for (number, take) in takes.into_iter().enumerate() {
        let top = 38 + number * (32 * ROW + 44);
        picture.text([70.0, top as f32 - 10.0], 18.0, INK, names[number]);
        picture.text_right([990.0, top as f32 - 10.0], 15.0, FAINT, &counts[number]);
        picture.text([12.0, top as f32 + 14.0], 13.0, FAINT, "32 voices");
        let (left, width) = (70, WIDTH - 70 - 16);
        picture.rectangle(
            [left as f32, top as f32],
            [width as f32, (32 * ROW) as f32],
            RGBColor(17, 23, 41),
        );
        // The loudest that a voice is while the time of a pixel passes.
        for x in 0..width {
            let blocks = x * take.seen.len() / width..(x + 1) * take.seen.len() / width + 1;
            let blocks = &take.seen[blocks.start..blocks.end.min(take.seen.len())];
            for slot in 0..VOICES {
                let loudest =
                    blocks.iter().filter_map(|seen| seen[slot]).max_by(|a, b| a.1.total_cmp(&b.1));
                let Some((kind, loudness)) = loudest else { continue };
                let at = [(left + x) as f32, (top + slot * ROW) as f32];
                let strength = 0.28 + 0.72 * f64::from((loudness * 5.0).min(1.0)).sqrt();
                picture.rectangle(at, [1.0, ROW as f32 - 1.0], kind.color().mix(strength));
            }
        }
    }
    let lines =
        [("refuse", RGBColor(255, 110, 110)), ("evict the quietest", RGBColor(84, 214, 196))];
    let lines = lines.iter().zip(levels);
    let chart = Chart {
        title: "level of what is heard",
        x_label: "seconds",
        x: 0.0..seconds,
        y_label: "dB",
        y: -60.0..0.0,
        lines: lines
            .map(|(&(name, color), points)| Line { name, color, points: points.clone() })
            .collect(),
    };
    picture.chart([0, 576], [WIDTH, 190], &chart);
    let mut x = 70.0;
    for kind in Kind::ALL {
        picture.rectangle([x, 777.0], [12.0, 10.0], kind.color());
        picture.text([x + 18.0, 788.0], 14.0, INK, kind.name());
        x += 110.0;
    }
    picture
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_averaged_by_their_energy() {
        let close = |levels: &[f64], expected: f64| {
            let levels: Vec<_> = levels.iter().map(|&level| (0.0, level)).collect();
            assert!((mean_level(&levels) - expected).abs() < 0.01, "{levels:?}");
        };
        close(&[-20.0, -20.0], -20.0);
        // Half of the time silence: half of the energy.
        close(&[-20.0, -90.0], -23.01);
    }
}
