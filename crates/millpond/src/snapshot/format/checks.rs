//! Checks that what was read can be the state of a pool.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::super::State;
use super::new_pool::{NewPool, ObjectsFor};
use super::read::{Objects, Refused};
use super::state::{COUNT_MAX, Form};
use crate::handle::{HandleLayout, Word};
use crate::slots::AnyCycle;
use crate::slots::saved::{Checked, OrderOf};

/// The state of a pool, and its values with their slots.
pub(crate) type CheckedPool<H, T> = (Checked<WordOf<H>>, Vec<(usize, T)>);
type WordOf<H> = <H as HandleLayout>::Word;
type CheckedPoolOf<P> = CheckedPool<<P as State>::Handle, <P as State>::Value>;

/// What must hold of the slots of a kind of pool.
#[derive(Clone, Copy)]
struct Rules {
    counts: bool,
    dead_have_values: bool,
    order_of: OrderOf,
    reuse: &'static str,
}

impl Rules {
    const fn of<P: NewPool>() -> Self {
        let (dead_have_values, order_of) = (P::DEAD_HAVE_VALUES, P::ORDER_OF);
        Self { counts: P::COUNTS, dead_have_values, order_of, reuse: P::REUSE }
    }
}

/// Checks all, and sorts the values by slot. `capacity`: the number of slots, if they are not all listed. `generation_max`:
/// the pool's largest generation.
pub(crate) fn check<P: NewPool>(
    state: &Form,
    capacity: Option<u64>,
    objects: ObjectsFor<P>,
    generation_max: u32,
) -> Result<CheckedPoolOf<P>, Refused> {
    check_labels::<P>(state)?;
    let listed = state.listed();
    let slots = capacity.unwrap_or(listed as u64);
    let fits = usize::try_from(slots).ok().filter(|slots| *slots <= P::Handle::CAPACITY_MAX);
    let slots = fits.ok_or_else(|| Refused::too_many_slots(slots))?;
    if slots < listed {
        return Err(Refused::new(format!("{listed} slots are listed, but there are {slots}")));
    }
    agree(
        capacity.is_none() || state.peak <= listed as u64,
        "the peak is more than the slots that are listed",
    )?;
    let rules = Rules::of::<P>();
    let cycle = check_cycle(rules, state, generation_max)?;
    let (mut checked, values) = check_slots(state, cycle, objects, rules, listed)?;
    checked.slots = slots;
    Ok((checked, values))
}

fn check_labels<P: NewPool>(state: &Form) -> Result<(), Refused> {
    // Handles alone, which are a pool of `()`, were once of a kind of their own.
    let pool = if state.pool == "HandleAllocator" { "Pool" } else { &state.pool };
    if pool != P::KIND {
        return Err(Refused::other("kind", P::KIND));
    }
    if state.reuse != P::REUSE {
        return Err(Refused::other("reuse order", P::REUSE));
    }
    Ok(())
}

/// Checks all of a pool that has a limit, and only the first slots `there` now.
pub(super) fn check_growing<P: NewPool>(
    mut state: Form,
    (capacity_max, there): (u64, u64),
    objects: ObjectsFor<P>,
) -> Result<CheckedPoolOf<P>, Refused> {
    check_labels::<P>(&state)?;
    let known = state.listed();
    let limit = usize::try_from(capacity_max).ok();
    let Some(limit) = limit.filter(|slots| *slots <= P::Handle::CAPACITY_MAX) else {
        return Err(Refused::new(format!(
            "a limit of {capacity_max} slots is more than the handle layout can name"
        )));
    };
    let Some(there) = usize::try_from(there).ok().filter(|there| *there <= known) else {
        let why = format!("{there} slots exist, but {known} have a generation");
        return Err(Refused::new(why));
    };
    let rules = Rules::of::<P>();
    let cycle = check_cycle(rules, &state, P::Handle::LIFETIMES_MAX)?;
    if known > limit {
        return Err(Refused::too_many_slots(known as u64));
    }
    let former = state.generations.split_off(there);
    let former = check_generations::<P::Handle>(rules, &former, &cycle)?;
    let (mut checked, values) = check_slots(&state, cycle, objects, rules, limit)?;
    checked.former = former;
    Ok((checked, values))
}

/// Checks everything except the kind of pool. The order lists these slots. There were at most
/// `capacity` slots.
fn check_slots<H: HandleLayout, T>(
    state: &Form,
    cycle: AnyCycle,
    objects: Objects<H, T>,
    rules: Rules,
    capacity: usize,
) -> Result<CheckedPool<H, T>, Refused> {
    let mut words = check_generations::<H>(rules, &state.generations, &cycle)?;
    let values = place_objects(rules, objects, &mut words)?;
    let live = words.iter().filter(|word| !word.is_dead()).count();
    let order = check_order(state, &words, live, rules.order_of)?;
    let peak = usize::try_from(state.peak).unwrap_or(usize::MAX);
    let Form { inserted, refused, evicted, .. } = *state;
    if rules.counts {
        check_counters(state, live, capacity)?;
    }
    let checked = Checked {
        reuse: rules.reuse,
        cycle,
        slots: words.len(),
        words,
        former: Vec::new(),
        slots_max: capacity,
        order,
        inserted,
        refused,
        evicted,
        peak,
    };
    Ok((checked, values))
}

fn check_counters(state: &Form, live: usize, capacity: usize) -> Result<(), Refused> {
    let Form { inserted, refused, evicted, peak, .. } = *state;
    let removed = inserted.checked_sub(live as u64);
    agree(removed.is_some(), "fewer were inserted than are live")?;
    agree(live as u64 <= peak, "the peak is less than what is live")?;
    agree(peak <= capacity as u64, "the peak is more than the capacity")?;
    agree(peak <= inserted, "the peak is more than what was inserted")?;
    agree(Some(evicted) <= removed, "more were evicted than removed")?;
    agree(inserted <= COUNT_MAX && refused <= COUNT_MAX, "a count is 2^62 or more")
}

pub(super) fn agree(holds: bool, rule: &'static str) -> Result<(), Refused> {
    if holds { Ok(()) } else { Err(Refused::new(format!("the counters do not agree: {rule}"))) }
}

fn check_cycle(rules: Rules, state: &Form, max: u32) -> Result<AnyCycle, Refused> {
    let Form { first, last, wraps, .. } = *state;
    let own = if rules.counts { 1..=max } else { 0..=max };
    if !own.contains(&first) || !own.contains(&last) {
        let why = "the first or last generation is out of the handle layout's range";
        return Err(Refused::new(why.into()));
    }
    Ok(AnyCycle::from_to(first, last, max, wraps))
}

/// The words of the slots, all of them dead.
fn check_generations<H: HandleLayout>(
    rules: Rules,
    generations: &[u32],
    cycle: &AnyCycle,
) -> Result<Vec<H::Word>, Refused> {
    let slots = generations.len();
    if slots > H::CAPACITY_MAX {
        return Err(Refused::too_many_slots(slots as u64));
    }
    let mut words = Vec::new();
    words.try_reserve_exact(slots).map_err(|_| Refused::out_of_memory(slots))?;
    for (slot, &generation) in generations.iter().enumerate() {
        let is_own = match generation {
            0 => !(rules.counts && cycle.wraps()),
            _ if rules.counts => cycle.contains(generation),
            _ => generation <= cycle.largest(),
        };
        if !is_own {
            return Err(Refused::generation(slot, generation));
        }
        words.push(H::Word::from_generation(generation).as_dead());
    }
    Ok(words)
}

/// Makes the slots that have objects live.
fn place_objects<H: HandleLayout, T>(
    rules: Rules,
    objects: Objects<H, T>,
    words: &mut [H::Word],
) -> Result<Vec<(usize, T)>, Refused> {
    let mut make_live = |slot: u64| -> Result<usize, Refused> {
        let index = usize::try_from(slot).map_err(|_| Refused::not_listed(slot))?;
        let word = words.get_mut(index).ok_or_else(|| Refused::not_listed(slot))?;
        if !word.is_dead() {
            return Err(Refused::twice(index));
        }
        if *word == H::Word::RETIRED {
            return Err(Refused::new(format!("slot {index} is live and has retired")));
        }
        *word = word.as_live();
        Ok(index)
    };
    let mut placed = Vec::new();
    match objects {
        Objects::Named(named) => {
            let count = named.len();
            for (at, (handle, value)) in named.into_iter().enumerate() {
                let index = match handle {
                    Some(handle) => {
                        let index = make_live(u64::from(handle.index()))?;
                        if rules.dead_have_values && index != at {
                            return Err(Refused::twice(index));
                        }
                        index
                    }
                    None => at,
                };
                placed.push((index, handle, value));
            }
            if rules.dead_have_values && count != words.len() {
                return Err(Refused::object_count(words.len(), count));
            }
            let expected = |index: usize| words[index].generation();
            for (index, handle, _) in &placed {
                let slot = *index;
                if handle.is_some_and(|handle| handle.generation() != expected(slot)) {
                    let why = format!(
                        "the object in slot {slot} has another generation than {}",
                        expected(slot)
                    );
                    return Err(Refused::new(why));
                }
            }
            let mut values: Vec<_> = placed.into_iter().map(|(i, _, value)| (i, value)).collect();
            values.sort_unstable_by_key(|(index, _)| *index);
            Ok(values)
        }
        Objects::Counted { live, values } => {
            for (first, count) in live {
                for slot in 0..u64::from(count) {
                    make_live(u64::from(first) + slot)?;
                }
            }
            let has_value = |index: &usize| rules.dead_have_values || !words[*index].is_dead();
            let expected = (0..words.len()).filter(has_value).count();
            if values.len() != expected {
                return Err(Refused::object_count(expected, values.len()));
            }
            Ok((0..words.len()).filter(has_value).zip(values).collect())
        }
    }
}

/// The slots that the order lists, if they are those that it must list.
fn check_order<W: Word>(
    state: &Form,
    words: &[W],
    live: usize,
    order_of: OrderOf,
) -> Result<Vec<u32>, Refused> {
    let vacant = words.iter().filter(|word| word.is_dead() && **word != W::RETIRED);
    let expected = match order_of {
        OrderOf::Nothing => 0,
        OrderOf::Vacant => vacant.clone().count(),
        OrderOf::All => words.len(),
        OrderOf::Homes => return check_homes(&state.order, words.len()),
    };
    let until_retired = live + vacant.count();
    let mut listed = vec![false; words.len()];
    let mut order = Vec::new();
    for &(first, count) in &state.order {
        for slot in u64::from(first)..u64::from(first) + u64::from(count) {
            let index = slot as usize;
            let word = *words.get(index).ok_or_else(|| Refused::not_listed(slot))?;
            if core::mem::replace(&mut listed[index], true) {
                return Err(Refused::order_of("in it twice", index));
            }
            let part = match order_of {
                OrderOf::Nothing | OrderOf::Homes => return Err(Refused::order_length(0, 1)),
                OrderOf::Vacant => live..until_retired,
                OrderOf::All if order.len() < live => 0..live,
                OrderOf::All if order.len() < until_retired => live..until_retired,
                OrderOf::All => until_retired..words.len(),
            };
            let (state, own) = if !word.is_dead() {
                ("live", 0..live)
            } else if word == W::RETIRED {
                ("retired", until_retired..words.len())
            } else {
                ("vacant", live..until_retired)
            };
            if part != own {
                return Err(Refused::order_of(state, index));
            }
            order.push(index as u32);
        }
    }
    if order.len() != expected {
        return Err(Refused::order_length(expected, order.len()));
    }
    Ok(order)
}

/// Where each home looks first: in one of the words of the slots.
fn check_homes(order: &[(u32, u32)], slots: usize) -> Result<Vec<u32>, Refused> {
    let words = slots.div_ceil(64).max(1);
    let mut homes = Vec::new();
    for &(first, count) in order {
        for word in u64::from(first)..u64::from(first) + u64::from(count) {
            if word >= words as u64 {
                return Err(Refused::no_such_slot(word * 64));
            }
            if homes.len() == words {
                return Err(Refused::order_length(words, words + 1));
            }
            homes.push(word as u32);
        }
    }
    match homes.is_empty() {
        true => Err(Refused::order_length(1, 0)),
        false => Ok(homes),
    }
}
