use core::cmp::Ordering;

/// A floating-point number as a key, in the total order of IEEE 754: −0 is less than 0, NaN is
/// greater than every number, and a negative NaN is less.
///
/// The keys by which a full pool [evicts](crate::Pool::insert_or_evict) must be `Ord`, which
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

macro_rules! ordered {
    ($($float:ty)*) => {$(
        impl Ord for Total<$float> {
            #[inline]
            fn cmp(&self, other: &Self) -> Ordering {
                self.0.total_cmp(&other.0)
            }
        }

        impl PartialOrd for Total<$float> {
            #[inline]
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl PartialEq for Total<$float> {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other).is_eq()
            }
        }

        impl Eq for Total<$float> {}
    )*};
}
ordered!(f32 f64);

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
