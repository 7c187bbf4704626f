//! The counters of a lender.

use std::fmt;

/// How many buckets [`Stats::waits`] has.
pub const WAIT_BUCKETS: usize = 32;

/// How many objects were closed, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Closings {
    /// [`Loan::discard`](crate::Loan::discard).
    pub discarded: u64,
    /// They came back in the middle of an [`exchange`](crate::Loan::exchange), or from a thread that
    /// panicked.
    pub interrupted: u64,
    /// [`Maker::is_broken`](crate::Maker::is_broken) returned `true` for them.
    pub broken: u64,
    /// A check failed or took too long.
    pub check: u64,
    /// Their lifetime was over.
    pub lifetime: u64,
    /// They were idle for too long.
    pub idle: u64,
    /// [`evict_all`](crate::Lender::evict_all) or [`evict`](crate::Lender::evict).
    pub evicted: u64,
    /// The capacity shrank, or another tenant needed the place.
    pub capacity: u64,
    /// The lender was closed, or its keeper was dropped.
    pub closed: u64,
    /// [`Loan::detach`](crate::Loan::detach): not closed, but no longer the lender's.
    pub detached: u64,
}

impl Closings {
    /// Returns the sum of all reasons.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.discarded
            + self.interrupted
            + self.broken
            + self.check
            + self.lifetime
            + self.idle
            + self.evicted
            + self.capacity
            + self.closed
            + self.detached
    }
}

/// The counters of a lender: its objects by state, and its operations since it was built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Stats {
    /// How many objects may exist.
    pub capacity: usize,
    /// How many exist: opening, idle, out, checking and closing.
    pub existing: usize,
    /// How many are being opened.
    pub opening: usize,
    /// How many are idle.
    pub idle: usize,
    /// How many are lent.
    pub out: usize,
    /// How many are being checked.
    pub checking: usize,
    /// How many are being closed.
    pub closing: usize,
    /// How many callers are waiting.
    pub waiting: usize,
    /// The largest number of loans that were out at once.
    pub peak_out: usize,
    /// The largest number of callers that waited at once.
    pub peak_waiting: usize,
    /// How many objects were lent.
    pub loans: u64,
    /// How many callers waited for the whole acquire timeout.
    pub timed_out: u64,
    /// How many callers were refused because too many were waiting.
    pub refused: u64,
    /// How many callers gave up while they waited.
    pub cancelled: u64,
    /// How many openings succeeded.
    pub opened: u64,
    /// How many openings failed, took too long or panicked.
    pub open_failed: u64,
    /// How many checks began.
    pub checks: u64,
    /// Why objects were closed.
    pub closings: Closings,
    /// The mean time of a loan, the latest eight loans weighing most.
    pub mean_hold_us: u64,
    /// The mean time of an opening, the latest eight openings weighing most.
    pub mean_open_us: u64,
    /// How many rows of the [trace](crate::Lender::take_trace) were lost because they were not
    /// taken in time.
    pub trace_rows_lost: u64,
    /// How long callers waited: bucket 0 counts waits below 1 µs, bucket *n* those from
    /// 2<sup>*n*−1</sup> to below 2<sup>*n*</sup> µs, and the last one also all longer waits.
    pub waits: [u64; WAIT_BUCKETS],
}

impl Stats {
    /// The bucket of a wait.
    pub(crate) fn bucket(wait_us: u64) -> usize {
        let bits = u64::BITS - wait_us.leading_zeros();
        usize::try_from(bits).map_or(WAIT_BUCKETS - 1, |bits| bits.min(WAIT_BUCKETS - 1))
    }

    /// Returns a time in microseconds within which `share` of the callers got their loan: the upper
    /// bound of a bucket, so at most twice the exact figure. Returns 0 if no caller has got a loan.
    ///
    /// ```
    /// let stats = millpond_lend::Stats::default();
    /// assert_eq!(stats.wait_us_at(0.99), 0);
    /// ```
    #[must_use]
    pub fn wait_us_at(&self, share: f64) -> u64 {
        let total: u64 = self.waits.iter().sum();
        let mut below = 0;
        for (bucket, count) in self.waits.iter().enumerate() {
            below += count;
            if below > 0 && below as f64 >= share * total as f64 {
                return (1 << bucket) - 1;
            }
        }
        0
    }
}

/// The reasons that occurred, such as `2 broken, 1 idle`; `none` if nothing was closed.
impl fmt::Display for Closings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons = [
            (self.discarded, "discarded"),
            (self.interrupted, "interrupted"),
            (self.broken, "broken"),
            (self.check, "failed a check"),
            (self.lifetime, "too old"),
            (self.idle, "idle"),
            (self.evicted, "evicted"),
            (self.capacity, "for the capacity"),
            (self.closed, "with the lender"),
            (self.detached, "detached"),
        ];
        let mut separator = "";
        for (count, reason) in reasons.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, "{separator}{count} {reason}")?;
            separator = ", ";
        }
        if separator.is_empty() { f.write_str("none") } else { Ok(()) }
    }
}

/// One line for each of: objects, callers, openings and closings.
impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "objects: {} of {}: {} out (at most {} at once), {} idle, {} opening, {} checking, {} closing",
            self.existing,
            self.capacity,
            self.out,
            self.peak_out,
            self.idle,
            self.opening,
            self.checking,
            self.closing
        )?;
        writeln!(
            f,
            "callers: {} loans, 99 % of the waits below {} us; {} waiting (at most {} at once), \
             {} timed out, {} refused, {} gave up",
            self.loans,
            self.wait_us_at(0.99).saturating_add(1),
            self.waiting,
            self.peak_waiting,
            self.timed_out,
            self.refused,
            self.cancelled
        )?;
        writeln!(
            f,
            "openings: {} (mean {} us), {} failed; {} checks; mean loan {} us",
            self.opened, self.mean_open_us, self.open_failed, self.checks, self.mean_hold_us
        )?;
        write!(f, "closed: {}", self.closings)
    }
}
