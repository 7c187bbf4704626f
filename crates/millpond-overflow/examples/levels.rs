//! A game whose levels have their own pools: the sizes, and what a full pool does, are in a file.
//!
//! Run it: `cargo run -p millpond-overflow --features toml --example levels`

use millpond_overflow::budget::{Budget, BudgetError};
use millpond_overflow::{Overflow, PolicyPool};

/// A real game reads it at start-up: `millpond plan --budget` writes such a file.
const BUDGET: &str = r#"
[limits]
holes = 1000

[scenario.cellar]
holes = { capacity = 2, on_full = "evict-oldest" }
voices = { capacity = 2, on_full = "evict-least" }

[scenario.harbour]
holes = { capacity = 4, on_full = "spill", spill = 2 }
voices = 3
"#;

struct Voice {
    sound: &'static str,
    loudness: u32,
}

/// Plays one of the levels, and says what is left at its end.
pub(crate) fn play(level: &str) -> Result<String, BudgetError> {
    let budget = Budget::from_toml(BUDGET)?;
    let level = budget.scenario(level)?;
    let mut holes: PolicyPool<u32> = level.policy_pool("holes")?;
    let mut voices: PolicyPool<Voice> = level.policy_pool("voices")?;
    let mut refused = 0;
    for shot in 1..=5 {
        refused += u32::from(holes.insert_by(shot, |_, shot| *shot).is_err());
    }
    for (sound, loudness) in [("rain", 5), ("shot", 90), ("wind", 10), ("bell", 40)] {
        let voice = Voice { sound, loudness };
        refused += u32::from(voices.insert_by(voice, |_, voice| voice.loudness).is_err());
    }
    let mut sounds: Vec<_> = voices.iter().map(|(_, voice)| voice.sound).collect();
    sounds.sort_unstable();
    let mut shots: Vec<_> = holes.iter().map(|(_, shot)| *shot).collect();
    shots.sort_unstable();
    let rule = if holes.policy() == Overflow::Spill { ", which may spill" } else { "" };
    Ok(format!("{}: holes {shots:?}{rule}; {sounds:?}; {refused} refused", level.name()))
}

fn main() -> Result<(), BudgetError> {
    for level in ["cellar", "harbour"] {
        println!("{}", play(level)?);
    }
    Ok(())
}
