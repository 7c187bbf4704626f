//! Runs of values cut in two, for several threads. Invariant: that of `Cut`, which each half keeps, because the runs of the
//! two have no slot in common.

use super::{Cut, ValueRuns, ValueRunsMut};

impl<T, S> Cut<'_, T, S> {
    /// Splits the rest in two, if it is long enough.
    fn split(self) -> (Self, Option<Self>) {
        self.runs.split_into(|runs| Self { runs, ..self })
    }
}

impl<T> ValueRuns<'_, T> {
    /// Splits the rest in two, if it is long enough.
    pub(crate) fn split(self) -> (Self, Option<Self>) {
        let (left, right) = self.0.split();
        (Self(left), right.map(Self))
    }
}

impl<T> ValueRunsMut<'_, T> {
    /// Splits the rest in two, if it is long enough.
    pub(crate) fn split(self) -> (Self, Option<Self>) {
        let (left, right) = self.0.split();
        (Self(left), right.map(Self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pools::pool::Pool;
    use alloc::vec::Vec;

    fn increment(runs: ValueRunsMut<'_, u32>) -> usize {
        match runs.split() {
            (left, Some(right)) => increment(left) + increment(right),
            (whole, None) => {
                whole.for_each(|(_, run)| run.iter_mut().for_each(|value| *value += 1));
                1
            }
        }
    }

    fn sum(runs: ValueRuns<'_, u32>) -> u32 {
        match runs.split() {
            (left, Some(right)) => sum(left) + sum(right),
            (whole, None) => whole.flat_map(|(_, run)| run).sum(),
        }
    }

    #[test]
    fn each_value_is_in_one_of_the_parts() {
        let mut pool: Pool<u32> = Pool::new(300);
        let handles: Vec<_> = (0..300).map(|_| pool.insert(1).unwrap()).collect();
        handles.iter().step_by(7).for_each(|handle| assert!(pool.remove(*handle).is_some()));
        let live = pool.len() as u32;
        assert_eq!((increment(pool.runs_mut()), sum(pool.runs())), (5, 2 * live));
        assert!(pool.values().all(|value| *value == 2));
    }
}
