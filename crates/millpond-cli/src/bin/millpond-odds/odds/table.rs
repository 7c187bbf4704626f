//! The odds as tables for the terminal.

use super::{CaseOdds, LayoutOdds, Mix, Odds, RetireOdds};
use millpond_plan::output::figures::{count, number_of};
use millpond_plan::output::paint::Paint;
use millpond_plan::output::table::Table;

/// The event in a few lines, then one table for slots that begin again and one for slots that
/// retire.
pub(crate) fn table(odds: &Odds, paint: Paint) -> String {
    let slots = count(odds.slots);
    let fitting: Vec<&LayoutOdds> =
        odds.layouts.iter().filter(|layout| !layout.wrap.is_empty()).collect();
    let too_small = odds.layouts.len() - fitting.len();
    let verdict = if odds.agree() {
        paint.good("Every simulation is within 5 standard deviations of its formula.")
    } else {
        paint.bad("A simulation CONTRADICTS its formula.")
    };
    let title = paint.strong(&format!("Odds that a handle is not unique, pools of {slots} slots"));
    let mut text = format!(
        "{title}\n\n\
         A program kept an old handle. It is with equal probability any handle in play: one for\n\
         each lifetime of each free slot, and one for each live slot. The odds that the pool\n\
         issues an equal handle next are\n\
         1 / (free slots × lifetimes per slot + live slots). \"Met\" shows what a real pool did.\n\
         A handle that is kept for exactly all lifetimes of its slot always matches, because\n\
         generations count up.\n\n\
         Wrapping: a slot starts over after its last lifetime. The worst case is a full pool in\n\
         which one slot is removed and reused repeatedly; the best is an empty pool being filled.\n{}\
         –  too rare for {} rounds (see --rounds)\n\n\
         Retiring: a slot is not reused after its last lifetime, so the odds are 0. The\n\
         table shows after how many lifetimes the first and the last slot are gone, and how\n\
         many handles a real pool issued twice. A millpond::Pool retires slots by default.\n{}\
         –  takes too long to simulate\n\n{verdict}\n",
        wrap_table(&fitting).render(paint),
        count(odds.rounds),
        retire_table(&fitting).render(paint),
    );
    if let Some(Mix { free, busy }) = mix_of(&fitting) {
        text += &format!("mix: {} free and {} live slots.\n", count(free), count(busy));
    }
    if too_small > 0 {
        text += &format!(
            "Left out: {} with indices too small for {slots} slots.\n",
            number_of(too_small as u64, "layout")
        );
    }
    text
}

/// The mix of slots that was asked for.
fn mix_of(layouts: &[&LayoutOdds]) -> Option<Mix> {
    let mut cases = layouts.iter().flat_map(|layout| &layout.wrap);
    cases.find(|case| case.case == "mix").map(|case| case.mix)
}

fn wrap_table(layouts: &[&LayoutOdds]) -> Table {
    let has_mix = mix_of(layouts).is_some();
    let mut table = match has_mix {
        true => Table::new(&["<handles", "lifetimes", "mix: 1 in", "met"]),
        false => Table::new(&["<handles", "lifetimes", "worst: 1 in", "met", "best: 1 in", "met"]),
    };
    // A terminal has no room for all.
    let is_shown = |case| if has_mix { case == "mix" } else { case != "half" };
    for layout in layouts {
        let mut row = vec![layout.layout.clone(), count(layout.lifetimes_per_slot)];
        for case in layout.wrap.iter().filter(|case| is_shown(case.case)) {
            row.extend([count(case.handles_in_play), met(case)]);
        }
        table.row(row);
    }
    table
}

fn retire_table(layouts: &[&LayoutOdds]) -> Table {
    let mut table =
        Table::new(&["<handles", "slots at most", "first gone", "last gone", "met", "twice"]);
    for layout in layouts {
        let Some(retire) = &layout.retire else {
            continue;
        };
        let [met, twice] = exhausted(retire);
        table.row(vec![
            layout.layout.clone(),
            count(layout.slots_max),
            count(retire.first_slot_gone_after),
            count(retire.last_slot_gone_after),
            met,
            twice,
        ]);
    }
    table
}

fn met(case: &CaseOdds) -> String {
    match &case.simulated {
        None => "–".to_owned(),
        Some(simulated) if simulated.matches == 0 => "never".to_owned(),
        Some(simulated) => count((1.0 / simulated.odds).round() as u64),
    }
}

fn exhausted(retire: &RetireOdds) -> [String; 2] {
    retire.simulated.as_ref().map_or(["–".to_owned(), "–".to_owned()], |exhausted| {
        [count(exhausted.lifetimes), count(exhausted.repeated)]
    })
}
