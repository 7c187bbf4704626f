//! The invariants, for tests.

use super::{Answer, Ledger, State};

impl<T, W, E> Ledger<T, W, E> {
    /// Checks every invariant. O(capacity + waiters).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), String> {
        if let Some(fault) = self.queue.fault() {
            return Err(fault);
        }
        let count = |state| self.slots.values().filter(|slot| slot.state == state).count();
        let counts = [
            ("opening", count(State::Opening), self.openings.now),
            ("idle", count(State::Idle), self.idle.len()),
            ("out", count(State::Out) + count(State::Promised), self.out),
            ("checking", count(State::Checking), self.checking),
            ("closing", count(State::Closing), self.closing),
        ];
        for (name, is, said) in counts {
            if is != said {
                return Err(format!("{is} are {name}, but the ledger counts {said}"));
            }
        }
        if counts.iter().map(|(_, is, _)| is).sum::<usize>() != self.slots.len() {
            return Err("the states do not add up".into());
        }
        for (handle, slot) in self.slots.iter() {
            let is_inside = matches!(slot.state, State::Idle | State::Promised);
            if slot.object.is_some() != is_inside {
                return Err(format!("{handle} is {:?}, its object is elsewhere", slot.state));
            }
            if slot.state == State::Idle && slot.doomed.is_some() {
                return Err(format!("{handle} is marked for closing but idle"));
            }
        }
        for handle in &self.idle {
            if self.slot(*handle).is_none_or(|slot| slot.state != State::Idle) {
                return Err(format!("{handle} is listed as idle but is not"));
            }
        }
        if self.giving_up > self.slots.len() {
            return Err("more places are to be given up than there are objects".into());
        }
        self.validate_promises()?;
        let missing = self.queue.missing();
        if missing > self.checking && !self.idle.is_empty() {
            return Err(format!("{missing} are missing, {} idle", self.idle.len()));
        }
        if !self.idle.is_empty() && self.slots.len() > self.capacity() + self.closing {
            return Err(format!("{} exist, some idle", self.slots.len()));
        }
        if self.is_closed && self.queue.len() + self.idle.len() > 0 {
            return Err("the ledger is closed, but has waiters or idle objects".into());
        }
        Ok(())
    }

    fn validate_promises(&self) -> Result<(), String> {
        let mut promised = Vec::new();
        for (handle, waiter) in self.queue.all() {
            match waiter.answer {
                Answer::Served if waiter.has() != waiter.want => {
                    return Err(format!("waiter {handle} is served but lacks an object"));
                }
                Answer::Failed(_) if waiter.has() > 0 => {
                    return Err(format!("an object is reserved for waiter {handle}, which failed"));
                }
                _ => {
                    for kept in waiter.first.iter().chain(&waiter.rest) {
                        if self.slot(*kept).is_none_or(|slot| slot.promised_to != Some(handle)) {
                            return Err(format!(
                                "{kept} is reserved for {handle} but does not record it"
                            ));
                        }
                        promised.push(*kept);
                    }
                }
            }
        }
        promised.sort_unstable();
        let mut kept: Vec<_> = self
            .slots
            .iter()
            .filter(|(_, slot)| slot.state == State::Promised)
            .map(|(handle, _)| handle.relabel())
            .collect();
        kept.sort_unstable();
        (promised == kept).then_some(()).ok_or_else(|| format!("kept {kept:?} for {promised:?}"))
    }
}
