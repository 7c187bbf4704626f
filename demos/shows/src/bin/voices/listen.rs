//! Listening to a recording: is the note in it that was asked for?

use std::f32::consts::TAU;

use crate::score::{Kind, RATE, Request, Score};
use crate::sound::FUNDAMENTAL;

/// A note is listened to for so many samples from its beginning: 46 ms, so that its neighbours a half tone
/// up and down are told from it.
const WINDOW: usize = 2048;

/// How many notes of the melody are in the recording (left and right in turn, from -1 to 1, all by this
/// factor): those whose pitch is there at half the loudness or more when they should begin.
pub(crate) fn notes(recording: &[f32], score: &Score, gain: f32) -> usize {
    let is_heard = |note: &&Request| {
        let (left, right) = ((1.0 - note.side).sqrt(), note.side.sqrt());
        let expected = gain * note.loudness * FUNDAMENTAL * (left + right) / 2.0;
        let both = &recording[2 * note.at..2 * (note.at + WINDOW)];
        tone(both.chunks_exact(2).map(|both| (both[0] + both[1]) / 2.0), note.pitch)
            > expected / 2.0
    };
    let notes = score.requests.iter().filter(|request| request.kind == Kind::Note);
    notes.filter(is_heard).count()
}

/// How loud a pure tone of this pitch is in the samples: one term of a Fourier transform.
fn tone(samples: impl Iterator<Item = f32>, pitch: f32) -> f32 {
    let (mut x, mut y) = (0.0, 0.0);
    for (number, sample) in samples.enumerate() {
        // Softly in and out (Hann's window), or every tone would be a little of every other.
        let window = 0.5 - 0.5 * (TAU * number as f32 / WINDOW as f32).cos();
        let angle = TAU * pitch / RATE * number as f32;
        x += sample * window * angle.cos();
        y += sample * window * angle.sin();
    }
    4.0 / WINDOW as f32 * x.hypot(y)
}
