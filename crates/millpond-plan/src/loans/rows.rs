//! Loans by pool while they are read, up to a limit.

use std::collections::HashMap;

use millpond_lend::TraceRow;
use millpond_lend::replay::PoolTrace;

/// The maximum number of loans in a trace. All of them are in memory at once, and a small compressed file may have very
/// many.
const LOANS_MAX: usize = 1 << 23;

/// The maximum number of pools in a trace.
const POOLS_MAX: usize = 1 << 12;

/// The loans of each pool.
#[derive(Debug)]
pub(super) struct Rows {
    numbers: HashMap<String, usize>,
    pools: Vec<PoolTrace>,
    /// The number of loans that may still be added.
    left: usize,
}

impl Default for Rows {
    fn default() -> Self {
        Self::up_to(LOANS_MAX)
    }
}

impl Rows {
    fn up_to(loans_max: usize) -> Self {
        Self { numbers: HashMap::new(), pools: Vec::new(), left: loans_max }
    }

    /// Makes room for a loan that is [pushed](Self::push) later. Returns the number of its pool.
    pub(super) fn reserve(&mut self, pool: &str) -> Result<usize, String> {
        let left = self.left.checked_sub(1);
        self.left = left.ok_or_else(|| {
            format!("more than {LOANS_MAX} loans, expected a shorter trace: plan a part of it")
        })?;
        if let Some(&number) = self.numbers.get(pool) {
            return Ok(number);
        }
        let number = self.pools.len();
        if number == POOLS_MAX {
            return Err(format!("more than {POOLS_MAX} pools"));
        }
        self.numbers.insert(pool.to_owned(), number);
        self.pools.push(PoolTrace { pool: pool.to_owned(), rows: Vec::new() });
        Ok(number)
    }

    /// The name of a pool.
    pub(super) fn name(&self, pool: usize) -> &str {
        &self.pools[pool].pool
    }

    /// Adds a loan for which there is room to a pool.
    pub(super) fn push(&mut self, pool: usize, row: TraceRow) {
        self.pools[pool].rows.push(row);
    }

    /// The pools in the order of their names, the loans of each in the order of the requests.
    pub(super) fn into_pools(self) -> Vec<PoolTrace> {
        let mut pools = self.pools;
        pools.sort_by(|a, b| a.pool.cmp(&b.pool));
        pools.iter_mut().for_each(|pool| pool.rows.sort_by_key(|row| row.asked_us));
        pools
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(asked_us: u64) -> TraceRow {
        TraceRow { asked_us, got_us: None, ended_us: asked_us + 1 }
    }

    #[test]
    fn loans_and_pools_are_bounded() {
        let mut rows = Rows::up_to(2);
        assert_eq!([rows.reserve("a"), rows.reserve("a")], [Ok(0), Ok(0)]);
        assert!(rows.reserve("a").unwrap_err().starts_with("more than 8388608 loans"));
        let mut rows = Rows::default();
        for pool in 0..POOLS_MAX {
            assert_eq!(rows.reserve(&pool.to_string()), Ok(pool));
        }
        assert_eq!(rows.reserve("7"), Ok(7), "there is one of this name");
        assert_eq!(rows.reserve("one more"), Err("more than 4096 pools".to_owned()));
    }

    #[test]
    fn pools_are_in_the_order_of_their_names_and_loans_in_that_of_the_requests() {
        let mut rows = Rows::default();
        for (pool, asked_us) in [("b", 5), ("a", 9), ("b", 3), ("b", 4)] {
            let number = rows.reserve(pool).expect("there is room");
            rows.push(number, row(asked_us));
        }
        let asked = |pool: &PoolTrace| pool.rows.iter().map(|row| row.asked_us).collect();
        let pools: Vec<(String, Vec<u64>)> =
            rows.into_pools().iter().map(|pool| (pool.pool.clone(), asked(pool))).collect();
        assert_eq!(pools, [("a".to_owned(), vec![9]), ("b".to_owned(), vec![3, 4, 5])]);
    }
}
