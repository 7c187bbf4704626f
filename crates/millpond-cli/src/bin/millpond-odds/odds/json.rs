//! The odds as JSON, for programs. The types are the schema.

use serde::Serialize;

use super::{CaseOdds, Exhausted, LayoutOdds, Odds, RetireOdds, Simulated};
use millpond_plan::error::Failure;
use millpond_plan::output::json::{Number, json_text};

/// What `odds --json` prints.
#[derive(Serialize)]
struct OddsJson<'o> {
    /// The tool's version.
    millpond: &'static str,
    /// Slots of each pool.
    slots: u64,
    /// Comparisons of each simulation.
    rounds: u64,
    seed: u64,
    /// Whether every simulation agrees with its formula.
    agree: bool,
    layouts: Vec<LayoutJson<'o>>,
}

#[derive(Serialize)]
struct LayoutJson<'o> {
    /// Such as `Handle32<T, 20>`.
    layout: &'o str,
    slots_max: u64,
    lifetimes_per_slot: u64,
    /// Slots begin again after their last lifetime: `worst`, `half` and `best` case, and `mix` where one was asked for.
    wrap: Vec<CaseJson>,
    /// Slots retire after their last lifetime.
    retire: Option<RetireJson>,
}

#[derive(Serialize)]
struct CaseJson {
    case: &'static str,
    free: u64,
    busy: u64,
    handles_in_play: u64,
    odds: Number,
    /// `null` where so rare an event takes more rounds.
    simulated: Option<SimulatedJson>,
}

#[derive(Serialize)]
struct SimulatedJson {
    handles_met: u64,
    rounds: u64,
    matches: u64,
    odds: Number,
    /// How far `matches` is from what the formula expects, in standard deviations.
    sigmas: Number,
}

#[derive(Serialize)]
struct RetireJson {
    odds: Number,
    first_slot_gone_after: u64,
    last_slot_gone_after: u64,
    simulated: Option<ExhaustedJson>,
}

#[derive(Serialize)]
struct ExhaustedJson {
    first_slot_lifetimes: u64,
    lifetimes: u64,
    /// How many handles were issued more than once.
    repeated: u64,
}

/// All of it as one JSON object. The same options give the same text.
pub(crate) fn json(odds: &Odds) -> Result<String, Failure> {
    json_text(&OddsJson {
        millpond: env!("CARGO_PKG_VERSION"),
        slots: odds.slots,
        rounds: odds.rounds,
        seed: odds.seed,
        agree: odds.agree(),
        layouts: odds.layouts.iter().map(LayoutJson::from).collect(),
    })
}

impl<'o> From<&'o LayoutOdds> for LayoutJson<'o> {
    fn from(layout: &'o LayoutOdds) -> Self {
        Self {
            layout: &layout.layout,
            slots_max: layout.slots_max,
            lifetimes_per_slot: layout.lifetimes_per_slot,
            wrap: layout.wrap.iter().map(CaseJson::from).collect(),
            retire: layout.retire.as_ref().map(RetireJson::from),
        }
    }
}

impl From<&CaseOdds> for CaseJson {
    fn from(case: &CaseOdds) -> Self {
        Self {
            case: case.case,
            free: case.mix.free,
            busy: case.mix.busy,
            handles_in_play: case.handles_in_play,
            odds: Number(case.odds),
            simulated: case.simulated.as_ref().map(SimulatedJson::from),
        }
    }
}

impl From<&Simulated> for SimulatedJson {
    fn from(simulated: &Simulated) -> Self {
        Self {
            handles_met: simulated.handles_met,
            rounds: simulated.rounds,
            matches: simulated.matches,
            odds: Number(simulated.odds),
            sigmas: Number(simulated.sigmas),
        }
    }
}

impl From<&RetireOdds> for RetireJson {
    fn from(retire: &RetireOdds) -> Self {
        Self {
            odds: Number(retire.odds),
            first_slot_gone_after: retire.first_slot_gone_after,
            last_slot_gone_after: retire.last_slot_gone_after,
            simulated: retire.simulated.as_ref().map(ExhaustedJson::from),
        }
    }
}

impl From<&Exhausted> for ExhaustedJson {
    fn from(exhausted: &Exhausted) -> Self {
        Self {
            first_slot_lifetimes: exhausted.first_slot_lifetimes,
            lifetimes: exhausted.lifetimes,
            repeated: exhausted.repeated,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::odds::tests::ODDS;

    #[test]
    fn programs_get_every_layout_with_its_odds() {
        let text = json(&ODDS).expect("JSON");
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["agree"], true);
        let byte_map = &value["layouts"][0];
        assert_eq!(byte_map["layout"], "byte-map pool");
        assert_eq!(byte_map["wrap"][0]["handles_in_play"], 128 + 19);
        assert_eq!(byte_map["wrap"][0]["simulated"]["handles_met"], 128 + 19);
        assert_eq!(byte_map["retire"]["simulated"]["repeated"], 0);
        assert_eq!(value["layouts"].as_array().map(Vec::len), Some(33));
    }
}
