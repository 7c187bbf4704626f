//! The odds as tables for the terminal.

use super::{CaseOdds, LayoutOdds, Odds, RetireOdds};
use crate::output::figures::count;
use crate::output::paint::Paint;
use crate::output::table::Table;

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
         Somebody kept a handle, equally likely any that is in play: all lifetimes of each free slot,\n\
         one handle of each busy slot. The odds are that the pool issues an equal one next:\n\
         1 / (free slots × lifetimes per slot + busy slots). Under \"met\" is what a real pool did.\n\
         Generations count up: a handle kept for exactly all lifetimes of its slot is sure to match.\n\n\
         Under wrap, where a slot begins again after its last lifetime. The worst case is a full pool\n\
         with one slot released and taken again and again, the best an empty pool being filled.\n{}\
         –  too rare to be met in {} rounds; --rounds sets more\n\n\
         Under retire, where a slot is gone after its last lifetime: the odds are 0. \"Gone after\" counts\n\
         lifetimes. A millpond::Pool retires unless it is told to wrap.\n{}\
         –  takes too long to be met here\n\n{verdict}\n",
        wrap_table(&fitting).render(paint),
        count(odds.rounds),
        retire_table(&fitting).render(paint),
    );
    if too_small > 0 {
        text += &format!("Left out: {too_small} layouts that cannot name {slots} slots.\n");
    }
    text
}

fn wrap_table(layouts: &[&LayoutOdds]) -> Table {
    let mut table = Table::new(&[
        "<handles",
        "lifetimes",
        "worst case: 1 in",
        "met: 1 in",
        "best case: 1 in",
        "met: 1 in",
    ])
    .of_any_width();
    for layout in layouts {
        let mut row = vec![layout.layout.clone(), count(layout.lifetimes_per_slot)];
        for case in layout.wrap.iter().filter(|case| case.case != "half") {
            row.extend([count(case.handles_in_play), met(case)]);
        }
        table.row(row);
    }
    table
}

fn retire_table(layouts: &[&LayoutOdds]) -> Table {
    let mut table = Table::new(&[
        "<handles",
        "slots at most",
        "first gone after",
        "last gone after",
        "met",
        "issued twice",
    ])
    .of_any_width();
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
