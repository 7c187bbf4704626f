use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

use millpond::BuildError;

use crate::Overflow;

/// What is wrong with a budget, and in which entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetError {
    // Boxed, so that results stay small.
    place: Box<Place>,
    kind: BudgetErrorKind,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Place {
    line: Option<usize>,
    scenario: Option<String>,
    /// A pool of the scenario, or a pool's limit.
    pool: Option<String>,
    /// The existing names, of which one was expected.
    names: String,
}

/// What is wrong with an entry of a budget.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BudgetErrorKind {
    /// There is no such scenario, or no such pool in it.
    Missing,
    /// The scenario already has a pool of this name.
    Duplicate,
    /// A pool or a limit of 0 slots.
    Zero,
    /// The policy is to spill, but no slots to spill into are given; or the other way round.
    SpillWithoutSlots,
    /// The policy is to grow, but no number of slots to grow to is given; or the other way round.
    GrowWithoutMax,
    /// The pool is [untouched](super::Entry::untouched), and has this policy.
    UntouchedWithPolicy(Overflow),
    /// A pool may grow to fewer slots than its capacity, or, if it is untouched, has fewer than are planned to be used.
    MaxBelowCapacity {
        /// The number of slots that it may grow to or has.
        max: usize,
        /// Its capacity.
        capacity: usize,
    },
    /// More slots than the pool's limit.
    AboveLimit {
        /// The number of slots in the entry.
        slots: usize,
        /// The limit.
        limit: usize,
    },
    /// The entry has this policy, but the program builds a pool that refuses.
    PolicyIgnored(Overflow),
    /// The pool cannot be built.
    Build(BuildError),
    /// The text is not TOML, lacks the table `scenario` or an entry's `capacity`, or has something
    /// that does not belong in a budget; the message says what, and what was expected.
    Text(String),
}

impl BudgetError {
    #[inline]
    pub(super) fn new(kind: BudgetErrorKind) -> Self {
        Self { place: Box::default(), kind }
    }

    pub(super) fn missing<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let mut error = Self::new(BudgetErrorKind::Missing);
        error.place.names = listed(names);
        error
    }

    #[inline]
    pub(super) fn in_scenario(mut self, scenario: &str) -> Self {
        self.place.scenario = Some(scenario.into());
        self
    }

    #[inline]
    pub(super) fn at(mut self, scenario: &str, pool: &str) -> Self {
        self.place.pool = Some(pool.into());
        self.in_scenario(scenario)
    }

    #[inline]
    pub(super) fn limit_of(mut self, pool: &str) -> Self {
        self.place.pool = Some(pool.into());
        self
    }

    pub(super) fn in_line(mut self, line: usize) -> Self {
        self.place.line = Some(line);
        self
    }

    /// Returns what is wrong.
    #[must_use]
    #[inline]
    pub fn kind(&self) -> &BudgetErrorKind {
        &self.kind
    }

    /// Returns the scenario that the error is in.
    #[must_use]
    #[inline]
    pub fn scenario(&self) -> Option<&str> {
        self.place.scenario.as_deref()
    }

    /// Returns the pool that the error is about.
    #[must_use]
    #[inline]
    pub fn pool(&self) -> Option<&str> {
        self.place.pool.as_deref()
    }

    /// Returns the line of the text that the error is in, counted from 1.
    #[must_use]
    #[inline]
    pub fn line(&self) -> Option<usize> {
        self.place.line
    }
}

/// The most names that a message repeats.
const NAMES_MAX: usize = 12;

/// `a, b, c`.
pub(super) fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut text = String::new();
    for (place, name) in names.enumerate() {
        if place == NAMES_MAX {
            text.push_str(", …");
            break;
        }
        if place > 0 {
            text.push_str(", ");
        }
        text.extend(shown(name));
    }
    text
}

/// The most characters of a foreign name that a message repeats.
const NAME_CHARS_MAX: usize = 80;

/// A name as a message may repeat it: in one line, without control characters, cut if long.
#[inline]
fn shown(name: &str) -> impl Iterator<Item = char> {
    let is_cut = name.chars().nth(NAME_CHARS_MAX).is_some();
    let harmless = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    name.chars().take(NAME_CHARS_MAX).map(harmless).chain(is_cut.then_some('…'))
}

/// A name in quotes.
pub(super) struct Quoted<'n>(pub(super) &'n str);

impl fmt::Display for Quoted<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        f.write_char('"')?;
        shown(self.0).try_for_each(|c| f.write_char(c))?;
        f.write_char('"')
    }
}

impl fmt::Display for BudgetError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, scenario, pool, names } = &*self.place;
        if let Some(line) = line {
            write!(f, "line {line}: ")?;
        }
        let pool = pool.as_deref().map(Quoted);
        match (scenario.as_deref().map(Quoted), pool) {
            (Some(scenario), Some(pool)) => write!(f, "scenario {scenario}, pool {pool}: ")?,
            (Some(scenario), None) => write!(f, "scenario {scenario}: ")?,
            (None, Some(pool)) => write!(f, "limit of pool {pool}: ")?,
            (None, None) => {}
        }
        match &self.kind {
            BudgetErrorKind::Missing if names.is_empty() => f.write_str("is missing"),
            BudgetErrorKind::Missing => write!(f, "is missing, expected one of {names}"),
            BudgetErrorKind::Duplicate => f.write_str("is given twice"),
            BudgetErrorKind::Zero => f.write_str("0 slots, expected at least 1"),
            BudgetErrorKind::SpillWithoutSlots => f.write_str(
                "`on_full = \"spill\"` and `spill` (slots) need each other: expected both or neither",
            ),
            BudgetErrorKind::GrowWithoutMax => f.write_str(
                "`on_full = \"grow\"` and `max` (slots) need each other: expected both or neither",
            ),
            BudgetErrorKind::UntouchedWithPolicy(policy) => write!(
                f,
                "`untouched` (slots) is for a pool that refuses, and `on_full` says {policy}"
            ),
            BudgetErrorKind::MaxBelowCapacity { max, capacity } => {
                write!(f, "may have {max} slots, less than its capacity of {capacity}")
            }
            BudgetErrorKind::AboveLimit { slots, limit } => {
                write!(f, "{slots} slots are more than its limit of {limit}")
            }
            BudgetErrorKind::PolicyIgnored(policy) => write!(
                f,
                "the budget says {policy} and the program builds a pool that refuses: build it \
                 with `policy_pool`"
            ),
            BudgetErrorKind::Build(error) => error.fmt(f),
            BudgetErrorKind::Text(message) => f.write_str(message),
        }
    }
}

impl core::error::Error for BudgetError {}
