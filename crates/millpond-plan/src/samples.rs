//! Samples of a series whose length is not known in advance.

/// At most `max` samples, evenly spread over all that were added: when there are more, every other one is dropped, and
/// from then on only half as many are kept.
#[derive(Debug)]
pub struct Samples<T> {
    max: usize,
    kept: Vec<T>,
    /// One of this many samples is kept; and the number skipped since the last.
    stride: usize,
    skipped: usize,
}

impl<T> Samples<T> {
    /// `max` is even, so that the newest sample stays when every other one is dropped.
    pub fn new(max: usize) -> Self {
        debug_assert!(max.is_multiple_of(2), "{max}");
        Self { max, kept: Vec::new(), stride: 1, skipped: 0 }
    }

    /// Adds the next sample of the series.
    pub fn add(&mut self, sample: T) {
        self.skipped += 1;
        if self.skipped < self.stride {
            return;
        }
        self.skipped = 0;
        self.kept.push(sample);
        if self.kept.len() > self.max {
            let mut keep = false;
            self.kept.retain(|_| {
                keep = !keep;
                keep
            });
            self.stride *= 2;
        }
    }

    /// The kept samples, in order.
    pub fn kept(&self) -> &[T] {
        &self.kept
    }

    /// The samples that were kept.
    #[must_use]
    pub fn into_kept(self) -> Vec<T> {
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_bounded_and_evenly_spread() {
        for max in (2..20_usize).step_by(2) {
            let mut samples = Samples::new(max);
            for number in 0..1000_usize {
                samples.add(number);
                let kept = samples.kept();
                assert!(kept.len() <= max && kept.len() >= (max / 2).min(number + 1), "{kept:?}");
                let mut gaps = kept.windows(2).map(|two| two[1] - two[0]);
                let gap = gaps.next();
                assert!(gaps.all(|other| Some(other) == gap), "{kept:?}");
                assert!(gap.is_none_or(|gap| number - kept[kept.len() - 1] < gap), "{kept:?}");
            }
        }
    }
}
