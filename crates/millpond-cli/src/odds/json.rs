//! The odds as JSON, for programs.

use super::{CaseOdds, Exhausted, LayoutOdds, Odds, RetireOdds, Simulated};
use crate::output::json::Json;

/// All of it as one JSON object. The same options give the same text.
pub(crate) fn json(odds: &Odds) -> String {
    let mut json = Json::default();
    json.object(|json| {
        json.key("millpond").text(env!("CARGO_PKG_VERSION"));
        json.key("slots").count(odds.slots);
        json.key("rounds").count(odds.rounds);
        json.key("seed").count(odds.seed);
        json.key("agree").flag(odds.agree());
        json.key("layouts").array(&odds.layouts, layout);
    });
    json.into_text()
}

fn layout(json: &mut Json, layout: &LayoutOdds) {
    json.object(|json| {
        json.key("layout").text(&layout.layout);
        json.key("slots_max").count(layout.slots_max);
        json.key("lifetimes_per_slot").count(layout.lifetimes_per_slot);
        json.key("wrap").array(&layout.wrap, case);
        match &layout.retire {
            Some(odds) => retire(json.key("retire"), odds),
            None => json.key("retire").null(),
        }
    });
}

fn case(json: &mut Json, case: &CaseOdds) {
    json.object(|json| {
        json.key("case").text(case.case);
        json.key("free").count(case.mix.free);
        json.key("busy").count(case.mix.busy);
        json.key("handles_in_play").count(case.handles_in_play);
        json.key("odds").number(case.odds);
        match &case.simulated {
            Some(counts) => simulated(json.key("simulated"), counts),
            None => json.key("simulated").null(),
        }
    });
}

fn simulated(json: &mut Json, simulated: &Simulated) {
    json.object(|json| {
        json.key("handles_met").count(simulated.handles_met);
        json.key("rounds").count(simulated.rounds);
        json.key("matches").count(simulated.matches);
        json.key("odds").number(simulated.odds);
        json.key("sigmas").number(simulated.sigmas);
    });
}

fn retire(json: &mut Json, retire: &RetireOdds) {
    json.object(|json| {
        json.key("odds").number(retire.odds);
        json.key("first_slot_gone_after").count(retire.first_slot_gone_after);
        json.key("last_slot_gone_after").count(retire.last_slot_gone_after);
        match &retire.simulated {
            Some(counts) => exhausted(json.key("simulated"), counts),
            None => json.key("simulated").null(),
        }
    });
}

fn exhausted(json: &mut Json, exhausted: &Exhausted) {
    json.object(|json| {
        json.key("first_slot_lifetimes").count(exhausted.first_slot_lifetimes);
        json.key("lifetimes").count(exhausted.lifetimes);
        json.key("repeated").count(exhausted.repeated);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::odds::{Options, compute};

    #[test]
    fn programs_get_every_layout_with_its_odds() {
        let text = json(&compute(&Options { slots: 20, rounds: 10_000, seed: 42 }));
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
