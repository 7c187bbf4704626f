//! Scripts: operations as short text.
//!
//! | text | operation |
//! | --- | --- |
//! | `i`, `i70` | insert the next object; how loud it is, or for how many frames it lives |
//! | `r3` | remove object 3, by the handle that its insertion returned |
//! | `g3` | look that handle up |
//! | `c3` | remove whatever object is in the slot of object 3 now, and insert the next one |
//! | `t` | one frame: the particles move |
//! | `m` | measure the odds that a kept handle is issued again |
//! | `~` | a random operation |
//! | `60x~` | 60 of them, one after the other |
//!
//! They are separated by dots: `5xi.r1.i.g1`.

use std::fmt;

/// An operation on all pools of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Insert the next object, with a number whose meaning depends on the world.
    Insert(Option<u32>),
    /// Remove an object by its handle.
    Remove(u32),
    /// Look a handle up.
    Get(u32),
    /// Remove what is in an object's slot, and insert the next object.
    Cycle(u32),
    /// One frame.
    Tick,
    /// Measure odds.
    Measure,
    /// A random operation.
    Random,
}

/// What is wrong with a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptError(pub(crate) String);

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ScriptError {}

/// As many operations as a script may have: a link must not keep a page busy.
const OPS_MAX: u64 = 1_000_000;

/// As many objects as a script may name.
const OBJECTS_MAX: u32 = 1_000_000;

/// The operations of a script, each with how often it is repeated.
///
/// # Errors
/// If a part is none of the operations, or if there are too many.
pub fn parse(script: &str) -> Result<Vec<(u32, Op)>, ScriptError> {
    let mut ops = Vec::new();
    let mut count = 0_u64;
    for part in script.split('.').filter(|part| !part.is_empty()) {
        let (times, op) = part_of(part).ok_or_else(|| {
            let shown: String = part.chars().filter(|c| !c.is_control()).take(20).collect();
            ScriptError(format!(
                "`{shown}` is not an operation, expected such as i, r3, g3 or 60x~"
            ))
        })?;
        count += u64::from(times);
        if count > OPS_MAX {
            return Err(ScriptError(format!("a script has at most {OPS_MAX} operations")));
        }
        ops.push((times, op));
    }
    Ok(ops)
}

fn part_of(part: &str) -> Option<(u32, Op)> {
    let (times, op) = match part.split_once('x') {
        Some((times, op)) => (number(times)?, op),
        None => (1, part),
    };
    let mut chars = op.chars();
    let letter = chars.next()?;
    let rest = chars.as_str();
    let object = || number(rest).filter(|number| *number < OBJECTS_MAX);
    let op = match letter {
        'i' if rest.is_empty() => Op::Insert(None),
        'i' => Op::Insert(Some(object()?)),
        'r' => Op::Remove(object()?),
        'g' => Op::Get(object()?),
        'c' => Op::Cycle(object()?),
        't' if rest.is_empty() => Op::Tick,
        'm' if rest.is_empty() => Op::Measure,
        '~' if rest.is_empty() => Op::Random,
        _ => return None,
    };
    Some((times, op))
}

/// Digits alone: no sign.
fn number(text: &str) -> Option<u32> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_its_text() {
        let ops = parse("5xi.i70.r1.g2.c3.t.m.~.60x~").unwrap();
        assert_eq!(
            ops,
            [
                (5, Op::Insert(None)),
                (1, Op::Insert(Some(70))),
                (1, Op::Remove(1)),
                (1, Op::Get(2)),
                (1, Op::Cycle(3)),
                (1, Op::Tick),
                (1, Op::Measure),
                (1, Op::Random),
                (60, Op::Random),
            ]
        );
        assert!(parse("").unwrap().is_empty());
    }

    #[test]
    fn foreign_text_is_refused() {
        for text in [
            "z",
            "r",
            "r-1",
            "i+5",
            "xi",
            "5x",
            "t1",
            "g99999999",
            "999999999999xi",
            "2000000xi",
            "é",
            "i.\u{7}",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
