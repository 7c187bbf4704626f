use core::cmp::Ordering;

/// A floating-point number as a key, in the total order of IEEE 754: −0 is less than 0, NaN is
/// greater than every number, and a negative NaN is less.
///
/// The keys of [`EvictLeast`](super::EvictLeast) and `insert_or_evict` must be `Ord`, which
/// floating-point numbers such as loudness and distance are not.
///
/// ```
/// use millpond::Pool;
/// use millpond::overflow::Total;
///
/// let mut voices = Pool::new(1);
/// voices.insert(("crickets", 0.1_f32)).unwrap();
/// let (_, evicted) = voices.insert_or_evict(("thunder", 0.9), |_, voice| Total(voice.1));
/// assert_eq!(evicted.unwrap().1.0, "crickets");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Total<F>(pub F);

/// A floating-point type. No path leads to it from outside, so nobody else implements it.
#[doc(hidden)]
pub trait Float: Copy {
    fn order(self, other: Self) -> Ordering;
}

impl Float for f32 {
    #[inline]
    fn order(self, other: Self) -> Ordering {
        self.total_cmp(&other)
    }
}

impl Float for f64 {
    #[inline]
    fn order(self, other: Self) -> Ordering {
        self.total_cmp(&other)
    }
}

impl<F: Float> Ord for Total<F> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.order(other.0)
    }
}

impl<F: Float> PartialOrd for Total<F> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<F: Float> PartialEq for Total<F> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<F: Float> Eq for Total<F> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_total() {
        let mut keys =
            [Total(f32::NAN), Total(0.0), Total(-0.0), Total(-1.0), Total(f32::INFINITY)];
        keys.sort_unstable();
        assert_eq!(keys, [-1.0, -0.0, 0.0, f32::INFINITY, f32::NAN].map(Total));
        assert!(Total(-0.0_f64) < Total(0.0) && Total(f64::NAN) == Total(f64::NAN));
    }
}
