//! What calls to an allocator cost, and what pools cost instead: the prices by which proposals are ranked.
//!
//! A price is for one object from its birth to its death, in nanoseconds. It has a low end, for calls in a row with
//! everything in the caches, and a high end, for calls between which a program does other work. Both ends are measured
//! in the same way for all prices, so that low ends are compared with low ends, and high ends with high ends.
//!
//! This module knows no clock: [`measure::Laps`](crate::measure::Laps) measure prices on a machine that has one.

use std::fmt;

/// By how much a program may differ from what the prices say, as a share. In the case studies, programs save up to a
/// fifth more than any replay says.
pub(crate) const MARGIN: f64 = 0.25;

/// The largest price that is accepted: a second.
const NS_MAX: f64 = 1e9;

/// The largest number of other allocators.
const OTHERS_MAX: usize = 8;

/// Blocks of up to this many bytes are small: allocators find a free one without dividing or merging others.
pub const SMALL_BYTES_MAX: u64 = 128;

/// The price of one object, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Price {
    /// With calls in a row.
    pub low: f64,
    /// With other work between calls.
    pub high: f64,
}

/// The price of copying a KiB into a larger block: with both in a cache, and with both in memory. It differs less between
/// machines than the other prices do.
pub(crate) const COPYING_KIB: Price = Price::new(20.0, 100.0);

impl Price {
    const fn new(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    /// The lower of both, end by end.
    fn least(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.min(other.high) }
    }

    /// What is left without another price, end by end.
    pub(crate) fn beyond(self, other: Self) -> Self {
        let low = (self.low - other.low).max(0.0);
        Self { low, high: (self.high - other.high).max(low) }
    }

    /// The price of this many objects.
    pub(crate) fn times(self, objects: f64) -> Self {
        Self { low: self.low * objects, high: self.high * objects }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self { low: self.low + other.low, high: self.high + other.high }
    }

    /// Parses `9` or `9..14`.
    fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| {
            let number: f64 = text.trim().parse().ok()?;
            (0.0..=NS_MAX).contains(&number).then_some(number)
        };
        let (low, high) = match text.split_once("..") {
            Some((low, high)) => (number(low)?, number(high)?),
            None => (number(text)?, number(text)?),
        };
        Some(Self { low, high })
    }
}

impl fmt::Display for Price {
    /// As [`Prices::parse`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1}..{:.1}", self.low, self.high)
    }
}

/// What no call costs on a machine that does nothing else: prices beyond that are disturbed. An allocator that
/// something else watches, such as a recorder, costs more, too.
const PLAUSIBLE_NS: [f64; 3] = [200.0, 1_000.0, 3_000.0];

/// The prices of an allocator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AllocatorPrices {
    /// Of a block that it has at hand, because one of the same bin was freed shortly before.
    pub at_hand: Price,
    /// Of another block of up to [`SMALL_BYTES_MAX`] bytes.
    pub small: Price,
    /// Of a larger block.
    pub large: Price,
}

impl AllocatorPrices {
    /// Parses three prices, such as `8/9/12..20`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let prices = text.split('/').map(Price::parse).collect::<Option<Vec<_>>>()?;
        let [at_hand, small, large] = prices.try_into().ok()?;
        Some(Self { at_hand, small, large })
    }

    /// The dearest of all.
    #[must_use]
    pub fn dearest_ns(&self) -> f64 {
        [self.at_hand, self.small, self.large].iter().map(|price| price.high).fold(0.0, f64::max)
    }

    /// Whether calls may cost this: something, and no more than calls do.
    #[must_use]
    pub fn are_plausible(&self) -> bool {
        let all = [self.at_hand, self.small, self.large].into_iter().zip(PLAUSIBLE_NS);
        let is_plausible = |(price, most): (Price, f64)| price.low > 0.0 && price.high <= most;
        all.into_iter().all(is_plausible)
    }

    /// The lower of both, price by price and end by end.
    #[must_use]
    pub fn least(self, other: Self) -> Self {
        Self {
            at_hand: self.at_hand.least(other.at_hand),
            small: self.small.least(other.small),
            large: self.large.least(other.large),
        }
    }
}

impl fmt::Display for AllocatorPrices {
    /// As [`parse`](Self::parse) reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.at_hand, self.small, self.large)
    }
}

/// The prices of a slot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlotPrices {
    /// For an object for which the allocator would have had a block at hand: then the slot has been in use shortly before,
    /// too.
    pub at_hand: Price,
    /// For another object.
    pub others: Price,
}

impl SlotPrices {
    const fn new(both: Price) -> Self {
        Self { at_hand: both, others: both }
    }

    fn least(self, other: Self) -> Self {
        Self { at_hand: self.at_hand.least(other.at_hand), others: self.others.least(other.others) }
    }

    /// Parses a price, or two, such as `3/4..6`.
    fn parse(text: &str) -> Option<Self> {
        match text.split_once('/') {
            Some((at_hand, others)) => {
                Some(Self { at_hand: Price::parse(at_hand)?, others: Price::parse(others)? })
            }
            None => Price::parse(text).map(Self::new),
        }
    }
}

impl fmt::Display for SlotPrices {
    /// As `parse` reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.at_hand != self.others {
            write!(f, "{}/", self.at_hand)?;
        }
        write!(f, "{}", self.others)
    }
}

/// All prices.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices {
    /// Of the allocator that the recorded program uses.
    pub system: AllocatorPrices,
    /// Of a slot of a pool.
    pub pool: SlotPrices,
    /// Of a slot of an allocator of size classes, which finds it by the size.
    pub classes: SlotPrices,
    /// Of an object in an arena.
    pub arena: Price,
    /// Of other allocators that are installed, by name.
    pub others: Vec<(String, AllocatorPrices)>,
    /// Whether they were measured on this machine.
    pub are_measured: bool,
}

impl Prices {
    /// The prices of glibc 2.36 on one machine with a clock of about 3 GHz: for output that is the same everywhere.
    pub const REFERENCE: Self = Self {
        system: AllocatorPrices {
            at_hand: Price::new(12.0, 17.0),
            small: Price::new(20.0, 36.0),
            large: Price::new(40.0, 90.0),
        },
        pool: SlotPrices::new(Price::new(4.0, 8.0)),
        classes: SlotPrices::new(Price::new(6.0, 10.0)),
        arena: Price::new(2.0, 4.0),
        others: Vec::new(),
        are_measured: false,
    };

    /// The lower of both, price by price and end by end, but for the other allocators.
    pub(crate) fn least(self, again: Self) -> Self {
        Self {
            system: self.system.least(again.system),
            pool: self.pool.least(again.pool),
            classes: self.classes.least(again.classes),
            arena: self.arena.least(again.arena),
            ..self
        }
    }

    /// Parses `reference`, or prices by name, such as `at-hand=9..14,small=25,pool=4..6,mimalloc=8/9/12`. Those that
    /// are not named are those of [`REFERENCE`](Self::REFERENCE). The three prices of another allocator are separated
    /// by `/`, as are the two of a pool and of size classes if they differ.
    ///
    /// # Errors
    /// What is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut prices = Self::REFERENCE;
        if text == "reference" {
            return Ok(prices);
        }
        for part in text.split(',') {
            let expected = "expected `reference`, or prices in ns, such as `at-hand=9..14,pool=4`";
            let (name, value) = part.split_once('=').ok_or_else(|| expected.to_owned())?;
            let wrong = || format!("{name}: {expected}");
            let price = || Price::parse(value).ok_or_else(wrong);
            let of_slots = || SlotPrices::parse(value).ok_or_else(wrong);
            match name.trim() {
                "at-hand" => prices.system.at_hand = price()?,
                "small" => prices.system.small = price()?,
                "large" => prices.system.large = price()?,
                "pool" => prices.pool = of_slots()?,
                "classes" => prices.classes = of_slots()?,
                "arena" => prices.arena = price()?,
                name if is_plain_name(name) && value.contains('/') => {
                    let Some(other) = AllocatorPrices::parse(value) else {
                        return Err(format!("{name}: expected three prices, such as `8/9/12..20`"));
                    };
                    if prices.others.len() == OTHERS_MAX {
                        return Err(format!("expected at most {OTHERS_MAX} other allocators"));
                    }
                    prices.others.push((name.to_owned(), other));
                }
                name => {
                    return Err(format!(
                        "no price is named `{}`, expected at-hand, small, large, pool, classes, arena, or another \
                         allocator with three prices",
                        crate::error::shown(name.as_bytes())
                    ));
                }
            }
        }
        Ok(prices)
    }
}

fn is_plain_name(name: &str) -> bool {
    (1..=20).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

impl fmt::Display for Prices {
    /// As [`parse`](Self::parse) reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AllocatorPrices { at_hand, small, large } = self.system;
        let (pool, classes, arena) = (self.pool, self.classes, self.arena);
        write!(f, "at-hand={at_hand},small={small},large={large},")?;
        write!(f, "pool={pool},classes={classes},arena={arena}")?;
        self.others.iter().try_for_each(|(name, of)| write!(f, ",{name}={of}"))
    }
}

/// The calls to an allocator for some of a program's objects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Calls {
    /// The births.
    pub births: u64,
    /// Those that the allocator served with a block at hand.
    pub at_hand: u64,
    /// Those that it did not, for more than [`SMALL_BYTES_MAX`] bytes.
    pub large: u64,
    /// The deaths.
    pub deaths: u64,
}

impl Calls {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            births: self.births + other.births,
            at_hand: self.at_hand + other.at_hand,
            large: self.large + other.large,
            deaths: self.deaths + other.deaths,
        }
    }

    /// The price of objects that never die is half of that of others.
    fn lives(&self) -> f64 {
        (1.0 + self.deaths as f64 / self.births.max(1) as f64) / 2.0
    }

    /// What the allocator takes for them, in nanoseconds. Without the `order` of events, it may have had a block at hand
    /// for all of them, or for none.
    pub(crate) fn cost(&self, prices: &AllocatorPrices, order: bool) -> Price {
        let others = self.births - self.at_hand.min(self.births);
        let large = self.large.min(others);
        let none_at_hand =
            prices.small.times((others - large) as f64).plus(prices.large.times(large as f64));
        let cost = none_at_hand.plus(prices.at_hand.times(self.at_hand as f64));
        let low = match order {
            true => cost.low,
            false => cost.low.min(prices.at_hand.low * self.births as f64),
        };
        Price { low, ..cost }.times(self.lives())
    }

    /// What slots take for them.
    pub(crate) fn cost_of_slots(&self, prices: SlotPrices) -> Price {
        let at_hand = self.at_hand.min(self.births);
        let others = prices.others.times((self.births - at_hand) as f64);
        others.plus(prices.at_hand.times(at_hand as f64)).times(self.lives())
    }
}

/// The time saved by following a proposal.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TimeSaved {
    /// The number of calls to the allocator that are served in another way.
    pub calls: u64,
    /// The least time saved in the whole recording, in milliseconds; negative if time is lost.
    pub low_ms: f64,
    /// The most time saved in the whole recording, in milliseconds.
    pub high_ms: f64,
    /// Whether it was measured by replaying the recording, rather than computed from prices.
    pub is_measured: bool,
}

impl TimeSaved {
    /// The difference of two costs in nanoseconds, with a margin at both ends.
    pub(crate) fn of_costs(calls: u64, before: Price, after: Price) -> Self {
        let (one, other) = (before.low - after.low, before.high - after.high);
        Self::with_margin(calls, one.min(other) / 1e6, one.max(other) / 1e6, false)
    }

    /// A range with a margin at both ends.
    #[must_use]
    pub fn with_margin(calls: u64, low_ms: f64, high_ms: f64, is_measured: bool) -> Self {
        Self { calls, low_ms: lower(low_ms), high_ms: -lower(-high_ms), is_measured }
    }

    /// What it is ranked by: if it was tried, what is certain; prices alone are certain of nothing, so the middle of their
    /// range is all that they are worth.
    #[must_use]
    pub fn rank_ms(&self) -> f64 {
        match self.is_measured {
            true => self.low_ms,
            false => self.low_ms.midpoint(self.high_ms),
        }
    }
}

/// What a saving may be if it is lower than computed by the margin.
fn lower(ms: f64) -> f64 {
    if ms > 0.0 { ms / (1.0 + MARGIN) } else { ms * (1.0 + MARGIN) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_widens_a_range_and_never_changes_its_signs() {
        let widened = |low, high| {
            let time = TimeSaved::with_margin(1, low, high, false);
            (time.low_ms, time.high_ms)
        };
        assert_eq!(widened(2.0, 4.0), (1.6, 5.0));
        assert_eq!(widened(-2.0, 4.0), (-2.5, 5.0));
        assert_eq!(widened(-4.0, -2.0), (-5.0, -1.6));
        assert_eq!(widened(0.0, 0.0), (0.0, 0.0));
    }

    #[test]
    fn prices_are_parsed_as_they_are_written() {
        let text = "at-hand=9.0..14.0,small=25.0..25.0,large=40.0..90.0,pool=3.0..3.0/4.0..6.5,classes=6.0..10.0,\
                    arena=2.0..4.0,mimalloc=8.0..8.0/9.0..9.0/12.0..20.0";
        let prices = Prices::parse("at-hand=9..14,small=25,pool=3/4..6.5,mimalloc=8/9/12..20");
        assert_eq!(prices.as_ref().map(ToString::to_string), Ok(text.to_owned()));
        assert_eq!(Prices::parse(text), prices);
        assert_eq!(Prices::parse("reference"), Ok(Prices::REFERENCE));
        for wrong in [
            "",
            "9",
            "pool",
            "pool=",
            "pool=-1",
            "pool=nan",
            "pool=1e99",
            "gold=3",
            "x=1/2",
            "pool=1/2/3",
        ] {
            let why = Prices::parse(wrong).expect_err(wrong);
            assert!(!why.contains('\n') && why.contains("expected"), "{why}");
        }
    }

    #[test]
    fn the_lower_of_two_measurements_counts_end_by_end() {
        let prices = Prices::parse("at-hand=9..40,pool=4..8,arena=3..5").expect("prices");
        let again = Prices::parse("at-hand=10..14,pool=8..9,arena=2..6").expect("prices");
        let least = Prices::parse("at-hand=9..14,pool=4..8,arena=2..5").expect("prices");
        assert_eq!(prices.least(again), least);
    }

    #[test]
    fn prices_of_a_disturbed_machine_are_not_plausible() {
        let of = |text| AllocatorPrices::parse(text).expect("prices");
        assert!(Prices::REFERENCE.system.are_plausible());
        assert!(of("40..90/150/400..900").are_plausible(), "a slow machine");
        for text in ["10820/25/60", "9..286/25/60", "0/25/60", "9/2000/60", "9/25/4000"] {
            assert!(!of(text).are_plausible(), "{text}");
        }
        assert_eq!(of("9..14/20..36/40..90").dearest_ns(), 90.0);
    }

    #[test]
    fn what_is_beyond_another_price_is_no_less_than_nothing() {
        let beyond = |other| Price::new(9.0, 14.0).beyond(other);
        assert_eq!(beyond(Price::new(2.0, 3.0)), Price::new(7.0, 11.0));
        assert_eq!(beyond(Price::new(2.0, 9.0)), Price::new(7.0, 7.0));
        assert_eq!(beyond(Price::new(10.0, 15.0)), Price::new(0.0, 0.0));
    }

    #[test]
    fn costs_follow_from_counts() {
        let prices = Prices::REFERENCE.system;
        let calls = Calls { births: 10, at_hand: 4, large: 1, deaths: 10 };
        assert_eq!(calls.cost(&prices, true).low, 4.0 * 12.0 + 5.0 * 20.0 + 40.0);
        // Nothing is known of the order.
        assert_eq!(Calls { at_hand: 0, ..calls }.cost(&prices, false).low, 10.0 * 12.0);
        // Objects that never die are freed by nobody.
        assert_eq!(Calls { deaths: 0, ..calls }.cost(&prices, true).low, 188.0 / 2.0);
        let slots = SlotPrices { at_hand: Price::new(1.0, 2.0), others: Price::new(3.0, 4.0) };
        assert_eq!(calls.cost_of_slots(slots), Price::new(4.0 + 18.0, 8.0 + 24.0));
        let time = TimeSaved::of_costs(10, Price::new(5e6, 9e6), Price::new(1e6, 3e6));
        assert_eq!((time.low_ms, time.high_ms), (4.0 / 1.25, 7.5));
        assert_eq!(time.rank_ms(), (3.2 + 7.5) / 2.0);
        assert_eq!(TimeSaved { is_measured: true, ..time }.rank_ms(), 3.2);
    }
}
