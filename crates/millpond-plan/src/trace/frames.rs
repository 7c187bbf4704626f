//! The frames of a recorded program, where the recorder was told of them.

/// The maximum number of frames: at 60 a second, three days.
const FRAMES_MAX: usize = 1 << 24;

/// A mark may be a millisecond off, so frames that are shorter on average do not tell times apart.
const MS_PER_FRAME_MIN: u64 = 2;

/// When the frames of a program began, in milliseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frames {
    begun: Vec<u32>,
}

impl Frames {
    /// Adds a frame. The recorder may learn of it late, but not before an earlier frame.
    pub(super) fn begin(&mut self, ms: u32) -> Result<(), String> {
        if self.begun.len() == FRAMES_MAX {
            return Err(format!("more than {FRAMES_MAX} frames"));
        }
        let before = self.begun.last().copied().unwrap_or(0);
        if ms < before {
            return Err(format!(
                "a frame begins at {ms:x} after one at {before:x}, expected times in ascending order"
            ));
        }
        self.begun.push(ms);
        Ok(())
    }

    /// The number of frames.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.begun.len() as u64
    }

    /// The frame in which this was, counted from 1, to a millisecond; `None` before the first.
    #[must_use]
    pub fn at(&self, ms: u32) -> Option<u64> {
        match self.begun.partition_point(|&begun| begun <= ms) as u64 {
            0 => None,
            frame => Some(frame),
        }
    }

    /// Whether a recording's ticks can be its frames: there are several, of two milliseconds or more on average. What
    /// comes before the first is in tick 0.
    #[must_use]
    pub fn are_ticks(&self) -> bool {
        let between = self.count().saturating_sub(1);
        let ms = self.begun.last().zip(self.begun.first()).map_or(0, |(last, first)| last - first);
        between > 0 && u64::from(ms) >= MS_PER_FRAME_MIN * between
    }

    /// The tick in which this is, if ticks are frames.
    pub(super) fn tick(&self, ms: u32) -> u32 {
        self.at(ms).unwrap_or(0) as u32
    }

    /// The frames per second, between the first and the last.
    #[must_use]
    pub fn per_second(&self) -> Option<f64> {
        let (first, last) = (self.begun.first()?, self.begun.last()?);
        let ms = last - first;
        (ms > 0).then(|| (self.begun.len() - 1) as f64 * 1000.0 / f64::from(ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_in_the_last_frame_that_has_begun() {
        let mut frames = Frames::default();
        assert_eq!((frames.at(5), frames.per_second()), (None, None));
        for ms in [10, 26, 26, 60] {
            frames.begin(ms).expect("in order");
        }
        assert!(frames.begin(59).is_err());
        assert_eq!(
            [9, 10, 25, 26, 59, 60, 99].map(|ms| frames.at(ms)),
            [None, Some(1), Some(1), Some(3), Some(3), Some(4), Some(4)]
        );
        assert_eq!(frames.per_second(), Some(60.0));
        assert_eq!([9, 10, 59].map(|ms| frames.tick(ms)), [0, 1, 3]);
    }

    #[test]
    fn ticks_are_frames_if_these_are_longer_than_the_clock_is_off() {
        let are_ticks = |marks: &[u32]| {
            let mut frames = Frames::default();
            marks.iter().for_each(|&ms| frames.begin(ms).expect("in order"));
            frames.are_ticks()
        };
        assert!(are_ticks(&[7, 9, 9, 13]) && are_ticks(&[0, 2]));
        assert!(
            !are_ticks(&[])
                && !are_ticks(&[5])
                && !are_ticks(&[5, 5])
                && !are_ticks(&[7, 9, 9, 12])
        );
    }
}
