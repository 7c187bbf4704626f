//! Budgets from TOML. The parser keeps the positions of what it reads, so that errors can name
//! lines, and limits the nesting of values.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::by_name::ByName;
use super::error::{Quoted, listed};
use super::{Budget, BudgetError, BudgetErrorKind, Entry};
use crate::Overflow;

/// A key or a value, and where it is.
type Name<'t> = Spanned<Cow<'t, str>>;
type Value<'t> = Spanned<DeValue<'t>>;

impl Budget {
    /// Reads a budget in the format that `millpond plan --budget` writes.
    ///
    /// ```toml
    /// [limits]                  # optional: no scenario may ask for more slots
    /// bullets = 4096
    ///
    /// [scenario.e1m1]
    /// bullets = 512             # slots; a full pool refuses
    /// decals = { capacity = 64, on_full = "evict-oldest" }
    /// orders = { capacity = 64, on_full = "spill", spill = 16 }
    /// trees = { capacity = 64, on_full = "grow", max = 256 }
    /// chunks = { capacity = 4096, untouched = 1_000_000 }   # memory for 4096, addresses for a million
    /// ```
    ///
    /// ```
    /// use millpond_overflow::Budget;
    ///
    /// let budget = Budget::from_toml("scenario.e1m1.bullets = 512")?;
    /// assert_eq!(budget.scenario("e1m1")?.capacity("bullets")?, 512);
    ///
    /// let error = Budget::from_toml("[scenario.e1m1]\nbullets = 0").unwrap_err();
    /// let expected = "line 2: scenario \"e1m1\", pool \"bullets\": 0 slots, expected at least 1";
    /// assert_eq!(error.to_string(), expected);
    /// # Ok::<(), millpond_overflow::budget::BudgetError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the text is not TOML, lacks the table `scenario` or an entry's `capacity`, has a key or a
    /// value that does not belong in a budget, or has an entry that [`insert`](Self::insert) or
    /// [`limit`](Self::limit) refuses. A text can set limits up to
    /// [`LIMIT_DEFAULT`](Self::LIMIT_DEFAULT); a program may raise them afterwards.
    pub fn from_toml(text: &str) -> Result<Self, BudgetError> {
        let table = DeTable::parse(text).map_err(|error| {
            let line = error.span().map_or(1, |span| line_of(text, span.start));
            wrong(error.message().to_string()).in_line(line)
        })?;
        let mut budget = Self::new();
        let (mut limits, mut scenarios) = (None, None);
        for (key, value) in table.get_ref() {
            match &**key.get_ref() {
                "limits" => limits = Some(value),
                "scenario" => scenarios = Some(value),
                _ => return Err(unknown_key(key, &["limits", "scenario"]).in_line(at(text, key))),
            }
        }
        if let Some(limits) = limits {
            for (pool, slots) in entries(limits).map_err(|e| e.in_line(at(text, limits)))? {
                budget.limit_from(pool, slots).map_err(|e| e.in_line(at(text, slots)))?;
            }
        }
        let Some(scenarios) = scenarios else {
            return Err(wrong("there is no table `scenario`".to_string()));
        };
        for (scenario, pools) in entries(scenarios).map_err(|e| e.in_line(at(text, scenarios)))? {
            let name = scenario.get_ref();
            let pools = entries(pools).map_err(|e| e.in_scenario(name).in_line(at(text, pools)))?;
            // Also a scenario without pools: it exists.
            budget.scenarios.or_insert(name, ByName::default());
            for (pool, value) in pools {
                let added = entry(value)
                    .map_err(|error| error.at(name, pool.get_ref()))
                    .and_then(|entry| budget.insert(name, pool.get_ref(), entry));
                added.map_err(|error| error.in_line(at(text, value)))?;
            }
        }
        Ok(budget)
    }

    fn limit_from(&mut self, pool: &Name<'_>, slots: &Value<'_>) -> Result<(), BudgetError> {
        let pool = pool.get_ref();
        let slots = number(slots).map_err(|error| error.limit_of(pool))?;
        if slots > Self::LIMIT_DEFAULT {
            let kind = BudgetErrorKind::AboveLimit { slots, limit: Self::LIMIT_DEFAULT };
            return Err(BudgetError::new(kind).limit_of(pool));
        }
        self.limit(pool, slots)
    }
}

/// A number of slots, or a table that says more.
fn entry(value: &Value<'_>) -> Result<Entry, BudgetError> {
    let DeValue::Table(table) = value.get_ref() else {
        return number(value).map(Entry::new);
    };
    let (mut capacity, mut on_full, mut spill, mut max) = (None, None, None, None);
    let mut untouched = None;
    for (key, value) in table {
        match &**key.get_ref() {
            "capacity" => capacity = Some(number(value)?),
            "on_full" => on_full = Some(policy(value)?),
            "spill" => spill = Some(number(value)?),
            "max" => max = Some(number(value)?),
            "untouched" => untouched = Some(number(value)?),
            _ => {
                return Err(unknown_key(
                    key,
                    &["capacity", "on_full", "spill", "max", "untouched"],
                ));
            }
        }
    }
    let capacity = capacity.ok_or_else(|| wrong("`capacity` is missing".to_string()))?;
    let mut entry = Entry::new(capacity);
    if let Some(slots) = spill {
        entry = entry.spill(slots);
    }
    if let Some(max) = max {
        entry = entry.grow(max);
    }
    if let Some(max) = untouched {
        entry = entry.untouched(max);
    }
    if let Some(policy) = on_full {
        entry = entry.on_full(policy);
    }
    Ok(entry)
}

fn number(value: &Value<'_>) -> Result<usize, BudgetError> {
    let number = match value.get_ref() {
        DeValue::Integer(integer) => usize::from_str_radix(integer.as_str(), integer.radix()).ok(),
        other => return Err(wrong(format!("{}, expected a number of slots", found(other)))),
    };
    number.ok_or_else(|| wrong("expected a number of slots, at least 1".to_string()))
}

fn policy(value: &Value<'_>) -> Result<Overflow, BudgetError> {
    let DeValue::String(name) = value.get_ref() else {
        let found = found(value.get_ref());
        return Err(wrong(format!("`on_full` is {found}, expected the name of a policy")));
    };
    name.parse().map_err(|error| wrong(format!("`on_full` is {}: {error}", Quoted(name))))
}

/// The entries of a table, by name. Whether the table keeps them like this, a feature of the parser decides, and a
/// budget takes them faster.
fn entries<'v, 't>(
    value: &'v Value<'t>,
) -> Result<Vec<(&'v Name<'t>, &'v Value<'t>)>, BudgetError> {
    let DeValue::Table(table) = value.get_ref() else {
        return Err(wrong(format!("{}, expected a table", found(value.get_ref()))));
    };
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_unstable_by_key(|(name, _)| *name);
    Ok(entries)
}

/// What kind of value it is.
fn found(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

fn unknown_key(key: &Name<'_>, known: &[&str]) -> BudgetError {
    let known = listed(known.iter().copied());
    wrong(format!("unknown key {}, expected {known}", Quoted(key.get_ref())))
}

fn wrong(message: String) -> BudgetError {
    BudgetError::new(BudgetErrorKind::Text(message))
}

fn at<V>(text: &str, what: &Spanned<V>) -> usize {
    line_of(text, what.span().start)
}

fn line_of(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
}
