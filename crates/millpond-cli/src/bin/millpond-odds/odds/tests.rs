//! The odds of the real pools.

use std::sync::LazyLock;

use super::{Odds, OddsArguments, Options, compute, table};
use millpond_plan::output::paint::Paint;

/// Few enough rounds for a debug build; enough for the byte-map pool at its best.
const OPTIONS: Options = Options { slots: 20, rounds: 60_000, seed: 42, mix: None };

pub(super) static ODDS: LazyLock<Odds> = LazyLock::new(|| compute(&OPTIONS));

fn case<'a>(odds: &'a Odds, layout: &str, case: &str) -> &'a super::CaseOdds {
    let layout = odds.layouts.iter().find(|entry| entry.layout == layout).expect("layout");
    layout.wrap.iter().find(|entry| entry.case == case).expect("case")
}

#[test]
fn the_byte_map_pool_meets_its_worst_and_best_case() {
    let odds = &*ODDS;
    let worst = case(odds, "byte-map pool", "worst");
    assert_eq!(worst.odds, 1.0 / (128.0 + 19.0));
    assert!(worst.simulated.as_ref().expect("simulated").sigmas.abs() < 5.0, "{worst:?}");
    let best = case(odds, "byte-map pool", "best");
    assert_eq!(best.odds, 1.0 / (20.0 * 128.0));
    assert!(best.simulated.as_ref().expect("simulated").sigmas.abs() < 5.0, "{best:?}");
}

#[test]
fn every_simulation_of_every_layout_agrees_with_its_formula() {
    let odds = &*ODDS;
    assert!(odds.agree(), "{odds:#?}");
    let simulated = odds.layouts.iter().flat_map(|layout| &layout.wrap);
    assert!(simulated.filter(|case| case.simulated.is_some()).count() >= 20);
}

#[test]
fn wrapping_is_met_with_the_fewest_lifetimes_of_a_usual_layout() {
    let odds = &*ODDS;
    let worst = case(odds, "Handle32<T, 24>", "worst");
    assert_eq!(worst.handles_in_play, 255 + 19);
    assert_eq!(worst.simulated.as_ref().expect("simulated").handles_met, 255 + 19);
}

#[test]
fn retiring_slots_are_used_up_and_no_handle_comes_twice() {
    let odds = &*ODDS;
    let layout =
        odds.layouts.iter().find(|entry| entry.layout == "Handle32<T, 24>").expect("layout");
    let retire = layout.retire.as_ref().expect("retires");
    let exhausted = retire.simulated.as_ref().expect("simulated");
    assert_eq!((exhausted.first_slot_lifetimes, exhausted.lifetimes), (255, 20 * 255));
    assert_eq!((exhausted.repeated, retire.odds), (0, 0.0));
}

#[test]
fn a_contradiction_is_reported() {
    let mut odds = ODDS.clone();
    let simulated = odds.layouts[0].wrap[0].simulated.as_mut().expect("simulated");
    simulated.handles_met -= 1;
    assert!(!odds.agree());
    assert!(table(&odds, Paint::new(false)).contains("CONTRADICTS"));
}

#[test]
fn the_same_seed_gives_the_same_answer_and_another_seed_another() {
    let of_seed = |seed| compute(&Options { rounds: 10_000, seed, ..OPTIONS });
    let odds = of_seed(42);
    assert_eq!(of_seed(42), odds);
    assert_ne!(of_seed(43).layouts, odds.layouts);
}

#[test]
fn layouts_that_cannot_name_the_slots_are_left_out() {
    let odds = compute(&Options { slots: 300, rounds: 1, seed: 1, mix: None });
    let narrow =
        odds.layouts.iter().find(|entry| entry.layout == "Handle32<T, 8>").expect("layout");
    assert!(narrow.wrap.is_empty() && narrow.retire.is_none());
    assert!(
        table(&odds, Paint::new(false)).contains("8 layouts with indices too small for 300 slots")
    );
}

#[test]
fn the_smallest_and_the_largest_pool_are_computed() {
    for slots in [1, OddsArguments::SLOTS_MAX] {
        assert!(compute(&Options { slots, rounds: 1, seed: 1, mix: None }).agree(), "{slots}");
    }
}

#[test]
fn the_table_names_the_classic_case() {
    let text = table(&ODDS, Paint::new(false));
    assert!(text.contains(" 147 ") && text.contains(" 2,560 "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}
