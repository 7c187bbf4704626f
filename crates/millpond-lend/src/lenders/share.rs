//! How the places of the total move: to tenants with less than their share, in the order in which they began to wait.

use std::cmp::Reverse;
use std::sync::Arc;

use super::Inner;
use crate::ledger::Demand;
use crate::lender::shared::{Books, Boxed, Shared, Turn};
use crate::maker::Maker;
use crate::quiet::drop_all;

/// A tenant's state, for sharing the total.
struct Standing<M: Maker> {
    shared: Arc<Shared<M>>,
    demand: Demand,
    idle_for_us: Option<u64>,
    /// Its number in the line; the largest if it is not in it.
    turn: u64,
    /// Whether it is closed and has no objects any more.
    is_finished: bool,
}

impl<M: Maker> Standing<M> {
    /// How many places the tenant has given up since the last look, and its state.
    fn of(shared: Arc<Shared<M>>, turns: &mut u64) -> (usize, Self) {
        let kept = Arc::clone(&shared);
        shared.with(|books, now_us| {
            let given_up = books.ledger.take_given_up() + books.ledger.give_up_unused(now_us);
            let demand = books.ledger.demand(now_us);
            let standing = Self {
                shared: kept,
                idle_for_us: demand.idle_since_us.map(|since_us| now_us.saturating_sub(since_us)),
                turn: turn_of(books, &demand, turns),
                is_finished: books.ledger.is_finished(),
                demand,
            };
            (given_up, standing)
        })
    }

    fn is_in_need(&self) -> bool {
        self.demand.lacks > 0
    }

    /// Whether it has less than it should, with this share for each.
    fn is_short(&self, share: usize) -> bool {
        self.is_in_need() && self.demand.places < share.max(self.demand.wants).max(1)
    }

    /// How many places it may give up, with this share for each.
    fn surplus(&self, share: usize, head: &Self) -> usize {
        let is_head = self.turn == head.turn;
        let keeps = if is_head || (self.demand.wants > 1 && self.turn < head.turn) {
            // What its first caller waits for is being gathered.
            share.max(self.demand.wants)
        } else if head.demand.places >= share.max(1) {
            // The first in line wants several at once, more than its share: it has them for one turn.
            0
        } else {
            share
        };
        self.demand.places.saturating_sub(self.demand.closing + keeps)
    }
}

/// The tenant's number in the line. A tenant that has got what it waited for begins anew; a caller who wants several
/// objects keeps its place in the line until it has all.
fn turn_of<M: Maker>(books: &mut Books<M>, demand: &Demand, turns: &mut u64) -> u64 {
    let wants_several = demand.wants > 1;
    if demand.lacks == 0 && !wants_several {
        books.turn = None;
        return u64::MAX;
    }
    let is_other = |turn: &Turn| wants_several && turn.caller != demand.first;
    if books.turn.as_ref().is_none_or(is_other) {
        *turns += 1;
        books.turn = Some(Turn { number: *turns, caller: demand.first });
    }
    books.turn.map_or(u64::MAX, |turn| turn.number)
}

impl<K, M: Maker> Inner<K, M> {
    /// Moves places of the total to tenants in need; returns whether a place has moved. Tenants wake callers
    /// and keepers, which is users' code, so the table is locked only in between.
    pub(super) fn share(&self) -> bool {
        let table = self.lock();
        let tenants = table.sharing.clone();
        let mut turns = table.turns;
        drop(table);
        let mut given_up = 0;
        let (finished, mut standings): (Vec<_>, Vec<_>) = tenants
            .into_iter()
            .map(|shared| {
                let (places, standing) = Standing::of(shared, &mut turns);
                given_up += places;
                standing
            })
            .partition(|standing| standing.is_finished);
        let busy = standings.iter().filter(|standing| standing.demand.is_busy).count();
        let share = self.total / busy.max(1);
        standings.sort_by_key(|standing| (!standing.is_short(share), standing.turn));
        let line: Vec<_> = standings.iter().filter(|standing| standing.is_in_need()).collect();

        let mut table = self.lock();
        let is_finished =
            |shared: &Arc<_>| finished.iter().any(|gone| Arc::ptr_eq(&gone.shared, shared));
        table.sharing.retain(|shared| !is_finished(shared));
        table.turns = turns;
        table.granted = table.granted.saturating_sub(given_up);
        let free = self.total.saturating_sub(table.granted);
        let lacking: usize = line.iter().map(|standing| standing.demand.lacks).sum();
        table.granted += free.min(lacking);
        drop(table);

        grant(&line, free);
        if free == 0 || lacking == 0 {
            self.free_places(&standings, &line, share);
        }
        free > 0 && lacking > 0
    }

    /// Has tenants give up places for those in line, and says in which cases they must.
    fn free_places(&self, standings: &[Standing<M>], line: &[&Standing<M>], share: usize) {
        let lacks = |standings: &mut dyn Iterator<Item = &&Standing<M>>| -> usize {
            standings.map(|standing| standing.demand.lacks).sum()
        };
        let closing: usize = standings.iter().map(|standing| standing.demand.closing).sum();
        let lacking = lacks(&mut line.iter()).saturating_sub(closing);
        let coming = closing + free_idle(standings, lacking);
        let short = line.iter().filter(|standing| standing.is_short(share));
        let mut lacking = lacks(&mut short.clone()).saturating_sub(coming);
        let head = short.clone().next().copied();
        if let Some(head) = head {
            let of_head = head.demand.lacks.saturating_sub(coming).min(lacking);
            lacking -= free_reserved(standings, head, share, of_head);
        }
        self.lacking.set(lacking);
        for standing in standings {
            let surplus = head.map_or(0, |head| standing.surplus(share, head));
            standing.shared.with(|books, _| {
                books.ledger.give_up_returned(surplus.min(lacking));
                books.ledger.others_need(!line.is_empty());
            });
        }
    }
}

/// Gives free places to those in line.
fn grant<M: Maker>(line: &[&Standing<M>], mut free: usize) {
    for standing in line {
        let places = standing.demand.lacks.min(free);
        if places == 0 {
            return;
        }
        free -= places;
        standing.shared.with(|books, now_us| {
            if standing.demand.wants <= 1 {
                books.turn = None;
            }
            books.ledger.allow(now_us, places);
        });
    }
}

/// Closes up to `most` of the objects that have been idle longest, one for each tenant; returns how many.
fn free_idle<M: Maker>(standings: &[Standing<M>], most: usize) -> usize {
    if most == 0 {
        return 0;
    }
    let mut idle: Vec<_> = standings
        .iter()
        .filter(|standing| !standing.is_in_need() && standing.idle_for_us.is_some())
        .collect();
    idle.sort_by_key(|standing| Reverse(standing.idle_for_us));
    let mut freed = 0;
    for standing in idle {
        if freed == most {
            break;
        }
        freed += usize::from(free_with(standing, |books, now_us, to_drop| {
            books.ledger.give_up_idle(now_us, to_drop)
        }));
    }
    freed
}

/// Takes back up to `most` objects for the first in line from callers who still lack others; returns how many.
fn free_reserved<M: Maker>(
    standings: &[Standing<M>],
    head: &Standing<M>,
    share: usize,
    most: usize,
) -> usize {
    let mut freed = 0;
    for standing in standings.iter().filter(|standing| standing.turn > head.turn) {
        let surplus = standing.surplus(share, head).min(standing.demand.reserved).min(most - freed);
        for _ in 0..surplus {
            freed += usize::from(free_with(standing, |books, now_us, to_drop| {
                books.ledger.give_up_reserved(now_us, to_drop)
            }));
        }
    }
    freed
}

/// Has a tenant give up a place, and drops what it no longer keeps.
fn free_with<M: Maker>(
    standing: &Standing<M>,
    free: impl FnOnce(&mut Books<M>, u64, &mut Vec<Boxed<M>>) -> bool,
) -> bool {
    let mut to_drop = Vec::new();
    let is_freed = standing.shared.with(|books, now_us| free(books, now_us, &mut to_drop));
    drop_all(to_drop);
    is_freed
}
