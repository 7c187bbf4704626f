//! The places of a total that several lenders share: allowed, needed, and given up for others.

use std::sync::Arc;

use super::queue::WaiterHandle;
use super::{Ledger, Why};
use crate::sync::AtomicUsize;
use crate::sync::Ordering::Relaxed;

/// How many places lenders of a total lack and wait for: one number for all of them. A returned object gives up its
/// place only if it can take one of them, so that no more objects are closed than there are lenders in need.
#[derive(Debug, Clone, Default)]
pub struct Lacking(Arc<AtomicUsize>);

impl Lacking {
    /// Sets how many places are lacking.
    pub fn set(&self, places: usize) {
        self.0.store(places, Relaxed);
    }

    fn take_one(&self) -> bool {
        self.0.fetch_update(Relaxed, Relaxed, |places| places.checked_sub(1)).is_ok()
    }
}

/// What a lender has of a total, and what it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Demand {
    /// How many places it is allowed.
    pub places: usize,
    /// How many of these it gives up as soon as objects are closed.
    pub closing: usize,
    /// Whether callers wait, or loans are out.
    pub is_busy: bool,
    /// Since when the longest idle object has been idle.
    pub idle_since_us: Option<u64>,
    /// The first waiting caller.
    pub first: Option<WaiterHandle>,
    /// How many objects that caller requested.
    pub wants: usize,
    /// How many are already reserved for it.
    pub reserved: usize,
    /// How many more places it needs now; 0 if an opening would not pay, or is under way.
    pub lacks: usize,
}

impl<T, W, E> Ledger<T, W, E> {
    /// Gives this lender `places` more of the total that it shares with others.
    pub fn allow(&mut self, now_us: u64, places: usize) {
        self.allowance = self.allowance.saturating_add(places);
        self.serve(now_us);
    }

    /// Makes the lender share a total with others: it may have no objects until
    /// [`allow`](Self::allow) is called.
    pub fn share_total(&mut self, lacking: Lacking) {
        self.allowance = 0;
        self.lacking = lacking;
    }

    /// Returns what the lender has of the total, and what it needs.
    #[must_use]
    pub fn demand(&self, now_us: u64) -> Demand {
        let front = self.queue.front();
        let (wants, reserved) = front.map_or((0, 0), |front| (front.want, front.has()));
        let on_their_way = self.openings.now + self.checking;
        let lacks = if self.needs_allowance(now_us) {
            wants.saturating_sub(reserved + on_their_way).clamp(1, self.capacity - self.allowance)
        } else {
            0
        };
        Demand {
            places: self.allowance,
            closing: self.giving_up,
            is_busy: self.out > 0 || self.queue.len() > 0,
            idle_since_us: self.idle.front().and_then(|idle| Some(self.slot(*idle)?.since_us)),
            first: self.queue.first(),
            wants,
            reserved,
            lacks,
        }
    }

    /// Sets whether other lenders need places, so that the keeper checks when one may be free.
    pub fn others_need(&mut self, is_so: bool) {
        self.others_need = is_so;
    }

    /// Closes the longest idle object and gives up its place, for another lender. Returns `false`
    /// if none is idle. The place is free once [`take_given_up`](Self::take_given_up) has counted
    /// it.
    pub fn give_up_idle(&mut self, now_us: u64, to_drop: &mut Vec<T>) -> bool {
        let Some(handle) = self.idle.front().copied() else { return false };
        self.giving_up += 1;
        to_drop.extend(self.doom(now_us, handle, Why::Capacity));
        true
    }

    /// Closes an object that is reserved for the first waiting caller, who needs more than that, and
    /// gives up its place. Returns `false` if there is none.
    pub fn give_up_reserved(&mut self, now_us: u64, to_drop: &mut Vec<T>) -> bool {
        let Some(handle) = self.queue.take_from_first() else { return false };
        let Some(object) = self.slot_mut(handle).and_then(|slot| slot.object.take()) else {
            return false;
        };
        self.giving_up += 1;
        to_drop.extend(self.close_object(now_us, handle, object, Why::Capacity));
        // The caller lacks one more now, and an idle object that has to be checked may be for it.
        self.serve(now_us);
        true
    }

    /// Sets how many of the next objects that are returned may give up their places, as long as
    /// other lenders [lack](Lacking) some.
    pub fn give_up_returned(&mut self, most: usize) {
        self.giving_up_next = most;
    }

    /// Whether the next place that could be free is for another lender.
    pub(super) fn gives_up_next(&mut self) -> bool {
        let gives = self.giving_up_next > 0 && self.lacking.take_one();
        self.giving_up_next -= usize::from(gives);
        gives
    }

    /// Gives up places that are allowed and that no opening is going to use now, and returns how
    /// many.
    #[must_use]
    pub fn give_up_unused(&mut self, now_us: u64) -> usize {
        if self.allowance == usize::MAX {
            return 0;
        }
        let on_their_way = self.openings.now + self.checking;
        let lacks = self.queue.missing().saturating_sub(on_their_way);
        // After a failure, the place is of more use to another lender until the next attempt.
        let is_of_use = self.has_keeper && !self.is_closed && !self.is_paused(now_us);
        let unused = self.allowance.saturating_sub(self.slots.len());
        let unused = unused.saturating_sub(if is_of_use { lacks } else { 0 });
        self.allowance -= unused;
        unused
    }

    /// Returns how many places have become free for others since the last call.
    #[must_use]
    pub fn take_given_up(&mut self) -> usize {
        std::mem::take(&mut self.given_up)
    }
}
