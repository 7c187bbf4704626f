//! What a reader took from a recording, and what it passed over: a plan says both, and so does `--json`.
//!
//! A reader that leaves something out without a word lets its plan say more than the recording does. So whatever an
//! importer does not turn into an event, and whoever recorded it might have meant as one, is counted here by its reason.

use serde::Serialize;

use crate::output::figures::number_of;

/// Why an importer passes something over. Each importer has its own, as constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    /// Its name in JSON, such as `free-of-unknown-block`.
    pub name: &'static str,
    /// What was passed over, behind the number 1: `free of a block that …`.
    pub one: &'static str,
    /// The same behind other numbers: `frees of blocks that …`.
    pub many: &'static str,
}

/// How often something was passed over for one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassedOver {
    /// The reason.
    pub reason: &'static Reason,
    /// How often.
    pub count: u64,
}

/// What a reader took from a recording, and what it passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// What the recording consists of, in the singular: `line`, `record`, `call site`.
    pub unit: &'static str,
    /// How many of them there are, those that were passed over included.
    pub read: u64,
    passed_over: Vec<PassedOver>,
}

impl Default for Reading {
    fn default() -> Self {
        Self::of("line")
    }
}

impl Reading {
    /// Nothing so far, of a recording that consists of these units.
    #[must_use]
    pub const fn of(unit: &'static str) -> Self {
        Self { unit, read: 0, passed_over: Vec::new() }
    }

    /// Counts one thing that is passed over.
    pub fn pass_over(&mut self, reason: &'static Reason) {
        self.pass_over_many(reason, 1);
    }

    /// Counts this many things that are passed over.
    pub fn pass_over_many(&mut self, reason: &'static Reason, count: u64) {
        if count == 0 {
            return;
        }
        match self.passed_over.iter_mut().find(|known| known.reason == reason) {
            Some(known) => known.count = known.count.saturating_add(count),
            None => self.passed_over.push(PassedOver { reason, count }),
        }
    }

    /// What was passed over, by reason, in the order in which the reasons were met.
    #[must_use]
    pub fn passed_over(&self) -> &[PassedOver] {
        &self.passed_over
    }

    /// How often this was passed over.
    #[must_use]
    pub fn count(&self, reason: &Reason) -> u64 {
        self.passed_over.iter().find(|known| known.reason == reason).map_or(0, |known| known.count)
    }

    /// The same in a sentence: `12 lines read, none passed over.`
    #[must_use]
    pub fn sentence(&self) -> String {
        let read = number_of(self.read, self.unit);
        if self.passed_over.is_empty() {
            return format!("{read} read, none passed over.");
        }
        let parts: Vec<String> = self.passed_over.iter().map(PassedOver::words).collect();
        format!("{read} read. Passed over: {}.", parts.join("; "))
    }
}

impl PassedOver {
    /// `3 frees of blocks that …`.
    #[must_use]
    pub fn words(&self) -> String {
        let what = if self.count == 1 { self.reason.one } else { self.reason.many };
        format!("{} {what}", crate::output::figures::count(self.count))
    }
}

/// What a reader took and passed over, as JSON.
#[derive(Debug, Serialize)]
pub struct ReadingJson {
    /// What the recording consists of: `line`, `record`, `call site`.
    unit: &'static str,
    /// How many there are, those that were passed over included.
    read: u64,
    passed_over: Vec<PassedOverJson>,
}

#[derive(Debug, Serialize)]
struct PassedOverJson {
    /// The reason's name, such as `free-of-unknown-block`.
    reason: &'static str,
    count: u64,
}

impl From<&Reading> for ReadingJson {
    fn from(reading: &Reading) -> Self {
        let of = |of: &PassedOver| PassedOverJson { reason: of.reason.name, count: of.count };
        let passed_over = reading.passed_over.iter().map(of).collect();
        Self { unit: reading.unit, read: reading.read, passed_over }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: Reason = Reason { name: "free", one: "free of a ghost", many: "frees of ghosts" };
    const STATS: Reason = Reason { name: "stats", one: "line of stats", many: "lines of stats" };

    #[test]
    fn each_reason_is_counted_and_said() {
        let mut reading = Reading { read: 4000, ..Reading::of("record") };
        assert_eq!(reading.sentence(), "4,000 records read, none passed over.");
        reading.pass_over(&STATS);
        reading.pass_over_many(&FREE, 1200);
        reading.pass_over_many(&STATS, 0);
        reading.pass_over(&FREE);
        assert_eq!((reading.count(&FREE), reading.count(&STATS)), (1201, 1));
        assert_eq!(
            reading.sentence(),
            "4,000 records read. Passed over: 1 line of stats; 1,201 frees of ghosts."
        );
        let json = serde_json::to_string(&ReadingJson::from(&reading)).expect("plain fields");
        assert_eq!(
            json,
            "{\"unit\":\"record\",\"read\":4000,\"passed_over\":[{\"reason\":\"stats\",\"count\":1},\
             {\"reason\":\"free\",\"count\":1201}]}"
        );
    }
}
