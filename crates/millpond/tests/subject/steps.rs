//! What can be done with a pool, one step at a time, beside a model of it that is plain and obviously
//! right: for each slot, which lifetime it is in and what lives there, and which slot comes next.

use millpond::{InsertAtErrorKind, Refusal};

use super::walk::ExactWalk;
use super::{
    Claimed, Fate, Key, Makes, Past, Plan, Rank, Recorder, Subject, WAYS_BACK, WAYS_TO_SORT,
    WRITTEN, agreed, recorder,
};
use crate::common::edited::{MOST, with_number};
use crate::common::{Counted, Ledger, Vacant, panics, quiet_panic};

/// One step. Live objects, slots and generations are named relative to what there is, so that any
/// sequence of any steps makes sense, and still does when some are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Insert,
    /// Until the pool is full.
    Fill,
    InsertWith,
    InsertWithPanics,
    /// An entry that is dropped; the next insertion takes the handle that it promised.
    Promise,
    /// A handle of this slot, so many generations after the one that comes next.
    InsertAt(u8, i8),
    /// A handle of this slot, so many generations after the latest that it had.
    Revive(u8, i8),
    Remove(u8),
    /// The drop of the removed value panics.
    RemovePanics(u8),
    /// Every handle that ever was, and some that never were: it is refused wherever it must be, with the reason.
    Refused,
    Overwrite(u8),
    /// The n-th object that the function comes to stays if bit n of the mask is set.
    Retain(u16),
    /// Of as many objects none stays, then the function panics.
    RetainPanics(u8),
    Extract(u16),
    /// So many are taken, and the rest dropped.
    Drain(u8),
    DrainBack(u8),
    /// So many are taken, and the rest leaked.
    LeakDrain(u8),
    LeakDrainBack(u8),
    Clear,
    /// The drop of this object's value panics.
    ClearPanics(u8),
    /// The key of a value is what it says, with these bits flipped.
    Evict(u8),
    EvictPanics(u8),
    /// Two objects at once, unless they are the same.
    BorrowTwo(u8, u8),
    /// Goes on with the pool that came back in one of its ways.
    Copy(u8),
    /// Goes on with what is read of its file, which says that as many were inserted or refused as it may, in each part; or is
    /// refused, because it says more.
    Counted(u8),
    /// Takes this snapshot of two, or writes over it.
    Save(u8),
    /// Goes back to this snapshot, if it was taken.
    Restore(u8),
    /// The same in a new pool, after so many insertions and what the bits say.
    RestoreElsewhere(u8, u8),
    /// An object goes out of the pool, which keeps its slot.
    Detach(u8),
    /// Another one takes its place.
    Reattach(u8),
    /// None does.
    FreeDetached(u8),
    /// Goes on in a new pool, which may have more slots, after so many insertions.
    Migrate(u8),
    /// Room for so many more.
    Reserve(u8),
    Shrink,
    /// Objects move to the lowest slots; when so many have moved, the function panics.
    Compact(u8),
    /// So many values at once, if there is room for them.
    Extend(u8),
    /// Every value is lent in this way of several; the n-th is another one afterwards if bit n of the mask is set.
    Lend(u8, u16),
    /// The values in another order, in this way of several.
    Sort(u8),
    /// In lots of so many births: the n-th object dies if bit n of the mask is set, and bears another if bit n + 1 is.
    Update(u8, u16),
    /// A recorder is attached, or detached.
    Record(bool),
}

#[derive(Clone, Debug)]
struct Slot {
    /// The object's handle and what its value says.
    live: Option<(Key, u64)>,
    /// The generation of the live object, or else of the next one; `None` if there will be none.
    generation: Option<u32>,
    /// The object is out of the pool, which has no generation of the slot meanwhile.
    detached: Option<Key>,
}

impl Slot {
    const NEW: Self = Self { live: None, generation: Some(1), detached: None };
}

/// How many lifetimes have begun and ended, the most that were live at once, and what was refused and evicted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Counts {
    inserted: u64,
    removed: u64,
    peak: usize,
    refused: u64,
    evicted: u64,
}

/// A snapshot beside its model.
struct Saved {
    past: Box<dyn Past>,
    slots: Vec<Slot>,
    vacant: Option<Vacant>,
    there: usize,
    counts: Counts,
    sum: Option<u64>,
}

/// A kind of pool that can be run beside its model.
pub(crate) type KindToRun = dyn Makes<dyn Subject<Counted>>;

/// A way to claim a handle.
type Claim = fn(&mut dyn Subject<Counted>, Key, Counted) -> Claimed<Counted>;

/// A pool beside its model.
pub(crate) struct Run<'k> {
    kind: &'k KindToRun,
    plan: Plan,
    ledger: Ledger,
    pool: Box<dyn Subject<Counted>>,
    slots: Vec<Slot>,
    /// The slots in the order in which they come, while it is known: in some kinds until a slot is vacant again.
    vacant: Option<Vacant>,
    /// How many of the slots the pool has now, if it grows.
    there: usize,
    recorder: Option<Recorder>,
    counts: Counts,
    saved: [Option<Saved>; 2],
    /// Every handle that was ever issued or asked for.
    known: Vec<Key>,
    /// What the next value says.
    next_id: u64,
}

impl<'k> Run<'k> {
    pub(crate) fn new(kind: &'k KindToRun, plan: Plan) -> Self {
        let pool = kind.make(plan);
        let slots = vec![Slot::NEW; pool.capacity()];
        let there = pool.there();
        let vacant = kind.facts().order.map(|order| Vacant::new(order, there));
        let ledger = Ledger::default();
        let (counts, saved, known) = (Counts::default(), [None, None], Vec::new());
        Self {
            kind,
            plan,
            ledger,
            pool,
            slots,
            vacant,
            there,
            recorder: None,
            counts,
            saved,
            known,
            next_id: 0,
        }
    }

    /// Follows a pool that has grown or shrunk.
    fn follow_size(&mut self) {
        let was = std::mem::replace(&mut self.there, self.pool.there());
        if let Some(vacant) = &mut self.vacant {
            let new = (was..self.there).filter(|index| self.slots[*index].generation.is_some());
            vacant.grow(new);
            vacant.shrink(self.there);
        }
    }

    fn live(&self) -> Vec<(Key, u64)> {
        self.slots.iter().filter_map(|slot| slot.live).collect()
    }

    /// What the values say that the snapshots hold.
    fn saved_ids(&self) -> impl Iterator<Item = u64> {
        let slots = self.saved.iter().flatten().flat_map(|saved| &saved.slots);
        slots.filter_map(|slot| slot.live).map(|(_, id)| id)
    }

    /// Whether there is such a snapshot.
    pub(crate) fn has_saved(&self, n: u8) -> bool {
        self.saved[n as usize % self.saved.len()].is_some()
    }

    /// One of the live objects.
    fn nth(&self, n: u8) -> Option<(Key, u64)> {
        let live = self.live();
        (!live.is_empty()).then(|| live[n as usize % live.len()])
    }

    /// How many objects are live.
    pub(crate) fn len(&self) -> usize {
        self.live().len()
    }

    fn retired(&self) -> usize {
        self.slots.iter().filter(|slot| slot.generation.is_none()).count()
    }

    fn is_full(&self) -> bool {
        self.live().len() + self.retired() == self.slots.len()
    }

    /// The generation that follows; `None`: the slot retires.
    fn after(&self, generation: u32) -> Option<u32> {
        if generation < self.lifetimes() {
            Some(generation + 1)
        } else {
            self.wraps().then_some(self.kind.facts().wraps_to)
        }
    }

    fn lifetimes(&self) -> u32 {
        (self.kind.facts().lifetimes)(self.plan)
    }

    fn wraps(&self) -> bool {
        (self.kind.facts().wraps)(self.plan)
    }

    fn value(&mut self) -> Counted {
        self.next_id += 1;
        self.ledger.value(self.next_id)
    }

    /// The pool has issued this handle, of the slot that comes next, for the latest value.
    fn inserted(&mut self, handle: Key) {
        self.follow_size();
        if let Some(vacant) = &mut self.vacant {
            assert_eq!(vacant.take(), Some(handle.index()), "the slot that comes next");
        }
        self.began(handle);
    }

    fn began(&mut self, handle: Key) {
        let slot = &mut self.slots[handle.index()];
        assert!(slot.live.is_none(), "{handle:?} was issued while its slot is live");
        assert_eq!(slot.generation, Some(handle.generation()), "the lifetime that comes next");
        slot.live = Some((handle, self.next_id));
        self.known.push(handle);
        self.counts.inserted += 1;
        self.counts.peak = self.counts.peak.max(self.len());
    }

    fn removed(&mut self, handle: Key) {
        let generation = self.after(handle.generation());
        let slot = &mut self.slots[handle.index()];
        assert_eq!(slot.live.map(|(live, _)| live), Some(handle));
        slot.live = None;
        slot.generation = generation;
        self.freed(handle.index());
        self.counts.removed += 1;
    }

    /// This slot is free now, unless it has retired.
    fn freed(&mut self, index: usize) {
        if self.kind.facts().order.is_none() {
            self.vacant = None;
        } else if let (Some(vacant), Some(_)) = (&mut self.vacant, self.slots[index].generation) {
            vacant.give_back(index);
        }
    }

    /// One of the objects that are out of the pool.
    fn nth_detached(&self, n: u8) -> Option<Key> {
        let out: Vec<_> = self.slots.iter().filter_map(|slot| slot.detached).collect();
        (!out.is_empty()).then(|| out[n as usize % out.len()])
    }

    /// The model follows the values: what was dropped is no longer live.
    fn dropped(&mut self) {
        for (handle, id) in self.live() {
            if self.ledger.count(id) == self.saved_ids().filter(|saved| *saved == id).count() {
                self.removed(handle);
            }
        }
    }

    /// The slots have been cleared: they come from the lowest on.
    fn reset(&mut self) {
        self.follow_size();
        let facts = self.kind.facts();
        if facts.clear_starts_from_the_lowest {
            let slots = self.slots.iter().take(self.there).enumerate();
            let vacant = slots.filter(|(_, slot)| slot.live.is_none() && slot.generation.is_some());
            let mut slots = Vacant::new(facts.order.unwrap_or_default(), 0);
            slots.reset(vacant.map(|(index, _)| index));
            self.vacant = Some(slots);
        }
    }

    /// The generation that comes next in the handle's slot, or why the handle's can begin in no lifetime of it.
    fn next(&self, handle: Key) -> Result<u32, InsertAtErrorKind> {
        let slot = self.slots.get(handle.index()).ok_or(InsertAtErrorKind::OutOfRange)?;
        if slot.detached.is_some() {
            return Err(InsertAtErrorKind::Occupied);
        }
        let next = slot.generation.ok_or(InsertAtErrorKind::Retired)?;
        if slot.live.is_some() {
            Err(InsertAtErrorKind::Occupied)
        } else if handle.generation() > self.lifetimes() {
            Err(InsertAtErrorKind::BeyondLifetimes)
        } else {
            Ok(next)
        }
    }

    /// Why a handle cannot be claimed, if it cannot.
    fn refuses_claim(&self, handle: Key) -> Option<InsertAtErrorKind> {
        match self.next(handle) {
            Ok(next) if !self.wraps() && handle.generation() < next => {
                Some(InsertAtErrorKind::Stale)
            }
            next => next.err(),
        }
    }

    /// Why a handle cannot be revived, if it cannot: it must be the slot's latest.
    fn refuses_revival(&self, handle: Key) -> Option<InsertAtErrorKind> {
        let generation = handle.generation();
        match self.next(handle) {
            Ok(1) if self.wraps() && generation == self.lifetimes() => {
                Some(InsertAtErrorKind::Wrapped)
            }
            Ok(next) if generation >= next => Some(InsertAtErrorKind::NeverLived),
            Ok(next) if generation + 1 < next => Some(InsertAtErrorKind::Stale),
            next => next.err(),
        }
    }

    /// Why a handle that names no live object is refused.
    fn refusal(&self, handle: Key) -> Refusal {
        let Some(slot) = self.slots.get(handle.index()) else { return Refusal::OutOfRange };
        let was_live = match slot.generation {
            None => handle.generation() <= self.lifetimes(),
            // It may have been live before it started again.
            Some(_) if slot.live.is_none() && self.wraps() => true,
            Some(now) => handle.generation() < now,
        };
        if was_live { Refusal::Stale } else { Refusal::NeverIssued }
    }

    /// The live objects with the highest numbers are in the lowest free slots; those slots that are behind all live objects
    /// are no more, unless the function panics at this move.
    fn compact(&mut self, panics_at: usize) -> bool {
        let mut moves = Vec::new();
        let mut has_it = true;
        let pool = &mut self.pool;
        let panicked = panics(|| {
            has_it = pool.compact(&mut |old, new, value| {
                if moves.len() == panics_at {
                    quiet_panic();
                }
                moves.push((old, new, value.id()));
            });
        });
        let last_id = self.next_id;
        for (old, new, id) in moves {
            assert_eq!(self.live().last(), Some(&(old, id)), "the last one moves");
            assert_eq!(Some(new.index()), self.free_before(old.index()), "to the first free slot");
            self.removed(old);
            if let Some(vacant) = &mut self.vacant {
                vacant.claim(new.index());
            }
            self.next_id = id;
            self.began(new);
            self.next_id = last_id;
        }
        let last = self.live().last().map(|(handle, _)| handle.index());
        let is_free = self.free_before(last.unwrap_or(0)).is_some();
        assert_eq!(
            has_it && is_free,
            panicked,
            "it goes on until no free slot is before a live one"
        );
        let kept =
            self.slots.iter().rposition(|slot| slot.live.is_some() || slot.detached.is_some());
        if has_it && !panicked {
            assert_eq!(
                self.pool.there(),
                kept.map_or(0, |last| last + 1),
                "the others are no more"
            );
        }
        has_it
    }

    /// The first slot before this one that is free and has not retired.
    fn free_before(&self, index: usize) -> Option<usize> {
        let is_free = |slot: &Slot| slot.live.is_none() && slot.generation.is_some();
        self.slots[..index].iter().position(is_free)
    }

    /// Takes a step on both sides and compares them. `false`: this pool has no such operation, or there
    /// is nothing that it could be done with.
    pub(crate) fn take(&mut self, step: Step) -> bool {
        let is_step = self.take_and_follow(step);
        self.follow_size();
        is_step
    }

    fn take_and_follow(&mut self, step: Step) -> bool {
        match step {
            Step::Insert => {
                let value = self.value();
                match self.pool.insert(value) {
                    Ok(handle) => self.inserted(handle),
                    Err(value) => {
                        assert!(self.is_full(), "refused while not full");
                        assert_eq!(value.id(), self.next_id);
                        self.counts.refused += 1;
                    }
                }
            }
            Step::Fill => {
                while !self.is_full() {
                    self.take_and_follow(Step::Insert);
                }
            }
            Step::InsertWith => {
                let mut value = Some(self.value());
                let mut promised = None;
                let result = self.pool.insert_with(&mut |handle| {
                    promised = Some(handle);
                    value.take().unwrap()
                });
                match result {
                    Some(Ok(handle)) => {
                        assert_eq!(promised, Some(handle));
                        self.inserted(handle);
                    }
                    Some(Err(())) => {
                        assert!(self.is_full() && promised.is_none());
                        self.counts.refused += 1;
                    }
                    None => return false,
                }
            }
            Step::InsertWithPanics => {
                let is_full = self.is_full();
                let mut has_it = true;
                let pool = &mut self.pool;
                let panicked =
                    panics(|| has_it = pool.insert_with(&mut |_| quiet_panic()).is_some());
                assert_eq!(panicked, has_it && !is_full);
                self.counts.refused += u64::from(has_it && is_full);
                return panicked;
            }
            Step::Promise => {
                let Some(promised) = self.pool.promised() else { return false };
                assert_eq!(promised.is_none(), self.is_full());
                let value = self.value();
                assert_eq!(self.pool.insert(value).ok(), promised);
                match promised {
                    Some(handle) => self.inserted(handle),
                    None => {
                        self.counts.refused += 1 + u64::from(self.kind.facts().asking_is_refused);
                    }
                }
            }
            Step::InsertAt(slot, ahead) => return self.claim(slot, i32::from(ahead) % 4, false),
            Step::Revive(slot, ahead) => return self.claim(slot, i32::from(ahead) % 3 - 1, true),
            Step::Remove(n) => {
                let Some((handle, id)) = self.nth(n) else { return false };
                assert_eq!(self.pool.remove(handle).map(|value| value.id()), Some(id));
                self.removed(handle);
            }
            Step::RemovePanics(n) => {
                let Some((handle, id)) = self.nth(n) else { return false };
                self.ledger.panic_in_drop_of(id);
                assert!(panics(|| drop(self.pool.remove(handle))));
                self.removed(handle);
            }
            Step::Refused => self.refused(),
            Step::Overwrite(n) => {
                let Some((handle, _)) = self.nth(n) else { return false };
                let value = self.value();
                *self.pool.get_mut(handle).unwrap() = value;
                self.slots[handle.index()].live = Some((handle, self.next_id));
            }
            Step::Retain(mask) => {
                let mut gone = Vec::new();
                let mut n = 0;
                let has_it = self.pool.retain(&mut |handle, _| {
                    n += 1;
                    let stays = mask >> ((n - 1) % 16) & 1 != 0;
                    gone.extend((!stays).then_some(handle));
                    stays
                });
                assert!(!has_it || n == self.len(), "it comes to each object once");
                gone.into_iter().for_each(|handle| self.removed(handle));
                return has_it;
            }
            Step::RetainPanics(count) => {
                let mut gone = Vec::new();
                let mut has_it = true;
                let panics_at = count as usize % 5;
                let reached = panics_at < self.len();
                let pool = &mut self.pool;
                let panicked = panics(|| {
                    has_it = pool.retain(&mut |handle, _| {
                        if gone.len() == panics_at {
                            quiet_panic();
                        }
                        gone.push(handle);
                        false
                    });
                });
                assert_eq!(panicked, has_it && reached);
                gone.into_iter().for_each(|handle| self.removed(handle));
                return has_it;
            }
            Step::Extract(mask) => {
                let mut n = 0;
                let mut choose = |_: Key, _: &mut Counted| {
                    n += 1;
                    mask >> ((n - 1) % 16) & 1 != 0
                };
                let Some(extracted) = self.pool.extract_if(&mut choose) else { return false };
                let taken: Vec<_> = extracted.collect();
                assert_eq!(n, self.len(), "it comes to each object once");
                taken.iter().for_each(|(handle, _)| self.removed(*handle));
            }
            Step::Drain(count)
            | Step::DrainBack(count)
            | Step::LeakDrain(count)
            | Step::LeakDrainBack(count) => {
                let leaks = matches!(step, Step::LeakDrain(_) | Step::LeakDrainBack(_));
                let first = |mut drain: ExactWalk<'_, Counted>| -> Vec<_> {
                    let taken = drain.by_ref().take(count as usize % 8).collect();
                    if leaks {
                        drain.forget();
                    }
                    taken
                };
                let in_index_order = self.pool.runs().is_some();
                let taken = match step {
                    Step::Drain(_) | Step::LeakDrain(_) => self.pool.drain().map(first),
                    _ => self.pool.drain_back().map(first),
                };
                let Some(taken) = taken else { return false };
                taken.iter().for_each(|(handle, _)| self.removed(*handle));
                drop(taken);
                if !leaks {
                    self.dropped();
                    assert!(self.live().is_empty());
                    if !in_index_order {
                        // The rest was dropped in an order of its own.
                        self.vacant = None;
                    }
                }
            }
            Step::Clear => {
                self.pool.clear();
                self.dropped();
                self.started_anew();
                self.reset();
            }
            Step::ClearPanics(n) => {
                let Some((_, id)) = self.nth(n) else { return false };
                self.ledger.panic_in_drop_of(id);
                assert!(panics(|| self.pool.clear()));
                self.dropped();
                if self.kind.facts().panicking_clear_does_too {
                    self.reset();
                }
            }
            Step::Evict(flip) => return self.evict(u64::from(flip)),
            Step::EvictPanics(n) => {
                let Some((_, victim)) = self.nth(n) else { return false };
                if !self.evictable().iter().any(|(_, id)| *id == victim) || !self.is_full() {
                    return false;
                }
                let value = self.value();
                let has_it = self.kind.facts().evicts;
                let panicked = panics(|| {
                    drop(self.pool.insert_or_evict(value, &mut |value| {
                        if value.id() == victim { quiet_panic() } else { Rank::of(value.id()) }
                    }));
                });
                assert_eq!(panicked, has_it);
                return has_it;
            }
            Step::BorrowTwo(a, b) => {
                let Some(((a, id_a), (b, id_b))) = self.nth(a).zip(self.nth(b)) else {
                    return false;
                };
                match self.pool.disjoint([a, b]) {
                    Some(Some([value_a, value_b])) => {
                        assert_eq!([value_a.id(), value_b.id()], [id_a, id_b]);
                        assert_ne!(a, b);
                    }
                    Some(None) => assert_eq!(a, b),
                    None => return false,
                }
            }
            Step::Detach(n) => {
                let Some((handle, id)) = self.nth(n) else { return false };
                let Some(value) = self.pool.detach(handle) else { return false };
                assert_eq!(value.map(|value| value.id()), Some(id));
                self.slots[handle.index()] =
                    Slot { live: None, generation: None, detached: Some(handle) };
                self.vacant = self.vacant.take().filter(|_| self.kind.facts().order.is_some());
                self.counts.removed += 1;
            }
            Step::Reattach(n) => {
                let Some(handle) = self.nth_detached(n) else { return false };
                let value = self.value();
                self.pool.reattach(handle, value).unwrap().map_err(|(why, _)| why).unwrap();
                let generation = Some(handle.generation());
                self.slots[handle.index()] = Slot { live: None, generation, detached: None };
                self.began(handle);
            }
            Step::FreeDetached(n) => {
                let Some(handle) = self.nth_detached(n) else { return false };
                assert_eq!(self.pool.free_detached(handle), Some(true));
                let generation = self.after(handle.generation());
                self.slots[handle.index()] = Slot { live: None, generation, detached: None };
                self.freed(handle.index());
            }
            // A pool is not written meanwhile.
            Step::Copy(n)
                if WRITTEN.contains(&(n % WAYS_BACK)) && self.nth_detached(0).is_some() =>
            {
                return false;
            }
            Step::Copy(n) => {
                let Some((_, copy)) = self.pool.came_back(n) else { return false };
                self.pool = copy;
                self.note_counts();
            }
            Step::Counted(_) if self.nth_detached(0).is_some() => return false,
            Step::Counted(n) => {
                let count = [MOST, MOST - 1, MOST - 2, 1 << 61, MOST + 1][n as usize % 5];
                let name = ["inserted", "refused"][n as usize / 5 % 2];
                let edit = |text: &str| with_number(text, name, |was| was.max(count));
                match (self.pool.read_edited(&edit), count > MOST) {
                    (Some(Ok(pool)), false) => self.pool = pool,
                    // A table has no counts.
                    (Some(Ok(_)), true) => assert!(self.pool.stats().is_none()),
                    (Some(Err(_)), true) => {}
                    (Some(Err(why)), false) => panic!("{name} {count}: {why}"),
                    (None, _) => return false,
                }
                let before = self.counts;
                self.counts = Counts { inserted: u64::MAX, refused: u64::MAX, ..before };
                self.note_counts();
                assert!(self.counts.inserted >= before.inserted.min(MOST));
            }
            Step::Save(n) => return self.save(n),
            Step::Restore(n) => return self.restore(n),
            Step::RestoreElsewhere(n, bits) => {
                if !self.has_saved(n) {
                    return false;
                }
                let mut other = self.kind.make(self.plan);
                let mut handles = Vec::new();
                for _ in 0..bits % 4 {
                    handles.extend(other.insert(self.value()).ok());
                }
                if bits & 4 != 0 {
                    handles.pop().map(|handle| other.remove(handle));
                }
                if bits & 8 != 0 {
                    other.reserve(usize::from(bits >> 5));
                }
                if bits & 16 != 0 {
                    other.shrink();
                }
                self.pool = other;
                self.restore(n);
            }
            Step::Migrate(n) => return self.migrate(n as usize % 3, n as usize / 4 % 4),
            Step::Reserve(n) => {
                let additional = n as usize % (self.slots.len() + 2);
                let room = self.slots.len() - self.len() - self.retired();
                match self.pool.reserve(additional) {
                    Some(done) => assert_eq!(done, additional <= room, "{additional} of {room}"),
                    None => return false,
                }
            }
            Step::Shrink => return self.pool.shrink(),
            Step::Compact(n) => return self.compact(n as usize % 8),
            Step::Extend(n) => {
                let room = self.slots.len() - self.len() - self.retired();
                let first_id = self.next_id + 1;
                let values = (0..room.min(n as usize % 6)).map(|_| self.value()).collect();
                if !self.pool.extend(values) {
                    return false;
                }
                let new = self.pool.iter().map(|(handle, value)| (value.id(), handle));
                let mut new: Vec<_> = new.filter(|(id, _)| *id >= first_id).collect();
                new.sort_unstable_by_key(|(id, _)| *id);
                let last_id = self.next_id;
                assert!(new.iter().map(|(id, _)| *id).eq(first_id..=last_id));
                for (id, handle) in new {
                    self.next_id = id;
                    self.inserted(handle);
                }
                self.next_id = last_id;
            }
            Step::Lend(way, mask) => return self.lend(way, mask),
            Step::Sort(way) => {
                let flip = u64::from(way);
                let way = way % (WAYS_TO_SORT + 1);
                if !self.pool.sort(way, &mut |value| value.id() ^ flip) {
                    return false;
                }
                let ranks: Vec<_> = self.pool.iter().map(|(_, value)| value.id() ^ flip).collect();
                assert!(way == WAYS_TO_SORT || ranks.is_sorted(), "{ranks:?}");
            }
            Step::Update(births, mask) => return self.update(births as usize % 3, mask),
            Step::Record(on) => {
                let recorder = on.then(|| &*self.recorder.get_or_insert_with(recorder));
                return self.pool.record(recorder);
            }
        }
        true
    }

    fn lend(&mut self, way: u8, mask: u16) -> bool {
        let (mut n, mut lent, ledger) = (0, Vec::new(), self.ledger.clone());
        let mut next_id = self.next_id;
        let mut each = |value: &mut Counted| {
            let before = value.id();
            if mask >> (n % 16) & 1 != 0 {
                next_id += 1;
                *value = ledger.value(next_id);
            }
            n += 1;
            lent.push((before, value.id()));
        };
        let has_it = match way % 3 {
            0 => self.pool.lend_values(&mut each),
            1 => self.pool.lend_runs(&mut each),
            _ => match self.pool.iter_mut_both_ends() {
                Some(mut iter) => {
                    if way % 2 == 0 {
                        iter.next_back().into_iter().for_each(|(_, value)| each(value));
                    }
                    iter.for_each(|(_, value)| each(value));
                    true
                }
                None => false,
            },
        };
        self.next_id = next_id;
        lent.sort_unstable();
        let mut live: Vec<_> =
            self.slots.iter_mut().filter_map(|slot| slot.live.as_mut()).collect();
        live.sort_unstable_by_key(|(_, id)| *id);
        assert!(!has_it || lent.len() == live.len(), "it comes to each object once");
        for ((before, after), (_, id)) in lent.into_iter().zip(live) {
            assert_eq!(before, std::mem::replace(id, after));
        }
        has_it
    }

    fn update(&mut self, births: usize, mask: u16) -> bool {
        let (mut n, mut gone, mut children, ledger) = (0, Vec::new(), 0, self.ledger.clone());
        let first_id = self.next_id + 1;
        let born = self.pool.update(births, &mut |handle, _| {
            let bit = |n: u32| mask >> (n % 16) & 1 != 0;
            n += 1;
            let fate = match (bit(n - 1), n % 2 == 0) {
                (false, _) => Fate::Stays,
                (true, false) => Fate::Dies,
                (true, true) => Fate::IsKilled,
            };
            gone.extend((fate != Fate::Stays).then_some(handle));
            let child = bit(n).then(|| {
                children += 1;
                ledger.value(first_id + children - 1)
            });
            (fate, child)
        });
        let Some(born) = born else { return false };
        assert_eq!(n as usize, self.len(), "it comes to each object once");
        let last_id = self.next_id + children;
        for handle in born {
            // Those that are left in a lot keep their places in the order.
            if let Some(vacant) = &mut self.vacant {
                let is_next = vacant.next() == Some(handle.index());
                let _ = if is_next {
                    vacant.take()
                } else {
                    vacant.claim(handle.index());
                    None
                };
            }
            let value = self.pool.get(handle).expect("it has settled");
            self.next_id = value.id();
            self.began(handle);
        }
        self.next_id = last_id;
        gone.into_iter().for_each(|handle| self.removed(handle));
        true
    }

    fn save(&mut self, n: u8) -> bool {
        let place = &mut self.saved[n as usize % 2];
        let past = match place.take() {
            Some(Saved { mut past, .. }) => {
                self.pool.save_into(&mut *past);
                Some(past)
            }
            None => self.pool.take_snapshot(),
        };
        let Some(past) = past else { return false };
        past.validate().unwrap();
        let sum = self.pool.sum();
        assert_eq!(Some(past.sum()), sum);
        let (slots, vacant) = (self.slots.clone(), self.vacant.clone());
        let there = self.there;
        *place = Some(Saved { past, slots, vacant, there, counts: self.counts, sum });
        true
    }

    fn restore(&mut self, n: u8) -> bool {
        let Some(saved) = &self.saved[n as usize % 2] else { return false };
        self.pool.restore(&*saved.past);
        self.slots.clone_from(&saved.slots);
        self.vacant.clone_from(&saved.vacant);
        self.there = saved.there;
        self.counts = saved.counts;
        assert_eq!(self.pool.sum(), saved.sum);
        true
    }

    /// The snapshots are of the pool as it was: of a larger one, there are none yet.
    fn migrate(&mut self, more: usize, own: usize) -> bool {
        let facts = self.kind.facts();
        let more = if facts.capacity.is_some() { 0 } else { more };
        let plan = Plan { capacity: self.plan.capacity + more, ..self.plan };
        let own = (0..own).map(|_| self.value()).collect();
        if self.nth_detached(0).is_some() {
            return false;
        }
        let Some(pool) = self.pool.migrated(plan, own) else { return false };
        self.pool = pool;
        if more > 0 {
            self.saved = [None, None];
        }
        self.plan = plan;
        self.note_counts();
        self.slots.resize(self.pool.capacity(), Slot::NEW);
        // Where nothing says which slot comes next, it may be another one.
        self.vacant = self.vacant.take().filter(|_| facts.order.is_some());
        true
    }

    /// Counts beyond those that a file may say, and that another pool takes over, are the pool's to say from now on.
    fn note_counts(&mut self) {
        let Some(stats) = self.pool.stats() else { return };
        if self.counts.inserted > MOST {
            assert!(stats.inserted >= MOST - 2 || self.counts.inserted == u64::MAX);
            self.counts.inserted = stats.inserted;
            self.counts.removed = stats.inserted - self.len() as u64;
        }
        if self.counts.refused > MOST {
            self.counts.refused = stats.refused;
        }
    }

    /// Begins, or begins again, a lifetime of this slot, so many after the one that comes next.
    fn claim(&mut self, slot: u8, ahead: i32, is_revival: bool) -> bool {
        let index = slot as usize % (self.slots.len() + 1);
        let next = self.slots.get(index).and_then(|slot| slot.generation).unwrap_or(1);
        let generation = next.saturating_add_signed(ahead);
        let Some(handle) = self.kind.facts().handle(index, generation) else { return false };
        let value = self.value();
        let (claimed, refused) = if is_revival {
            (self.pool.revive(handle, value), self.refuses_revival(handle))
        } else {
            (self.pool.insert_at(handle, value), self.refuses_claim(handle))
        };
        match claimed {
            None => return false,
            Some(Ok(())) => {
                assert_eq!(refused, None, "{handle:?} was given out");
                self.follow_size();
                self.slots[index].generation = Some(generation);
                match &mut self.vacant {
                    Some(vacant) if self.kind.facts().order.is_some() => vacant.claim(index),
                    _ => self.vacant = None,
                }
                self.began(handle);
            }
            Some(Err((kind, value))) => {
                assert_eq!(Some(kind), refused, "{handle:?}");
                assert_eq!(value.id(), self.next_id);
            }
        }
        true
    }

    fn refused(&mut self) {
        for handle in self.universe() {
            if !self.live().iter().any(|(live, _)| *live == handle) {
                assert!(self.pool.get_mut(handle).is_none() && self.pool.remove(handle).is_none());
                assert!(!matches!(self.pool.disjoint([handle]), Some(Some(_))), "{handle:?}");
            }
            if !self.slots.iter().any(|slot| slot.detached == Some(handle)) {
                assert_ne!(self.pool.free_detached(handle), Some(true));
                if let Some(reattached) = self.pool.reattach(handle, self.ledger.value(0)) {
                    let slot =
                        self.slots.get(handle.index()).filter(|_| handle.index() < self.there);
                    let expected = match slot {
                        None => InsertAtErrorKind::OutOfRange,
                        Some(Slot { live: Some(_), .. }) => InsertAtErrorKind::Occupied,
                        Some(_) => InsertAtErrorKind::Stale,
                    };
                    assert_eq!(reattached.unwrap_err().0, expected, "{handle:?}");
                }
            }
            let insert_at: Claim = |pool, handle, value| pool.insert_at(handle, value);
            let revive: Claim = |pool, handle, value| pool.revive(handle, value);
            let (claim, revival) = (self.refuses_claim(handle), self.refuses_revival(handle));
            for (claim, kind) in [(insert_at, claim), (revive, revival)] {
                let Some(kind) = kind else { continue };
                let claimed = claim(&mut *self.pool, handle, self.ledger.value(0));
                let refused = claimed.map(|claimed| claimed.unwrap_err());
                let refused = refused.map(|(why, value)| (why, value.id()));
                assert!(
                    refused.is_none_or(|refused| refused == (kind, 0)),
                    "{handle:?}: {refused:?}"
                );
            }
        }
    }

    /// The live objects whose slots will be used again.
    fn evictable(&self) -> Vec<(Key, u64)> {
        let mut live = self.live();
        live.retain(|(handle, _)| self.after(handle.generation()).is_some());
        live
    }

    fn evict(&mut self, flip: u64) -> bool {
        if !self.kind.facts().evicts {
            return false;
        }
        let victim = self.evictable().into_iter().min_by_key(|(_, id)| id ^ flip);
        let is_full = self.is_full();
        if is_full && victim.is_none() {
            return false;
        }
        let value = self.value();
        let is_least = is_full && victim.is_some_and(|(_, id)| id ^ flip > value.id() ^ flip);
        let mut key = |value: &Counted| Rank::of(value.id() ^ flip);
        // The form that compares the newcomer refuses it if it is the least; else either form inserts it.
        let compared = match is_least || self.next_id % 2 == 0 {
            true => self.pool.insert_unless_least(value, &mut key),
            false => Some(Err(value)),
        };
        let (handle, evicted) = match compared {
            Some(Ok(inserted)) => {
                assert!(!is_least, "the least was inserted");
                inserted
            }
            Some(Err(value)) => {
                assert!(is_least || self.next_id % 2 == 1, "what is not the least was refused");
                self.counts.refused += u64::from(is_least);
                self.pool.insert_or_evict(value, &mut key).unwrap()
            }
            None => {
                let value = self.value();
                self.pool.insert_or_evict(value, &mut key).unwrap()
            }
        };
        let evicted = evicted.map(|(handle, value)| (handle, value.id()));
        assert_eq!(evicted, victim.filter(|_| is_full));
        if let Some((evicted, _)) = evicted {
            self.removed(evicted);
            self.counts.evicted += 1;
        }
        self.inserted(handle);
        true
    }

    /// Some pools start all over when they are cleared.
    fn started_anew(&mut self) {
        if !self.kind.facts().lasting {
            self.slots.iter_mut().for_each(|slot| slot.generation = Some(1));
        }
    }

    /// Handles that were issued, and in a small pool all that can be, and some beyond.
    fn universe(&self) -> Vec<Key> {
        let mut handles = self.known.clone();
        let indices = if self.slots.len() <= 4 { 0..self.slots.len() + 1 } else { 0..0 };
        for index in indices {
            for generation in (0..6).chain([self.kind.facts().layout.generation_max]) {
                handles.extend(self.kind.facts().handle(index, generation));
            }
        }
        handles
    }

    /// Whether the pool is what the model says, as far as can be asked.
    pub(crate) fn check(&self) {
        let live = agreed(&*self.pool);
        assert_eq!(live, self.live());
        assert_eq!(self.pool.there(), self.there);
        // Those of slots that are no more are known to the pool, but not counted.
        let there = &self.slots[..self.there];
        let retired = there.iter().filter(|slot| slot.generation.is_none()).count();
        assert_eq!(self.pool.retired(), retired);
        assert_eq!(self.pool.is_full(), self.is_full());
        if let Some(stats) = self.pool.stats() {
            let facts = self.kind.facts();
            let Counts { inserted, removed, peak, refused, evicted } = self.counts;
            assert_eq!((stats.inserted, stats.removed), (inserted, removed));
            assert_eq!((stats.live, stats.evicted), (live.len(), evicted));
            assert!(stats.peak == peak || !facts.knows_peak, "peak {}", stats.peak);
            assert!(
                stats.refused == refused || !facts.counts_refusals,
                "refused {}",
                stats.refused
            );
        }
        let expected = live.len() + self.saved_ids().count();
        assert_eq!(self.ledger.alive(), expected, "a value was lost, or is there twice");
        for handle in self.universe() {
            let slot = self.slots.get(handle.index());
            let expected = slot.and_then(|slot| slot.live).filter(|(live, _)| *live == handle);
            let got = self.pool.get(handle).map(|value| (handle, value.id()));
            assert_eq!(got, expected, "{handle:?}");
            assert_eq!(self.pool.contains(handle), expected.is_some());
            if let Some(checked) = self.pool.check(handle) {
                assert_eq!(
                    checked.err(),
                    expected.is_none().then(|| self.refusal(handle)),
                    "{handle:?}"
                );
            }
        }
    }

    /// The pool goes, and with it all of its values; those of its snapshots go before it.
    pub(crate) fn end(self) {
        drop(self.saved);
        drop(self.pool);
        assert_eq!(self.ledger.alive(), 0, "nothing leaks");
    }
}
