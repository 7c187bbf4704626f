//! Defect 8: a file of anybody's making is read as a pool: its lengths lie, it names slots twice or slots that
//! there are not. What cannot be the state of a pool is refused, without memory that the input does not
//! justify; and a pool that is read is sound and of use, whatever it was read from.
//!
//! (Of the reasons that are given, and of files of the first version, see `tests/pools/saved_pools.rs`.)

use serde_json::{Value as Json, json};

use crate::allocations::during;
use crate::common::Counted;
use crate::subject::{
    Form, Key, LOOKED_AT_MAX, Nothing, Plan, Saved, Saves, Value, for_one_of_each,
    for_one_of_each_place, is_justified, play, use_pool,
};

/// Reads bytes as a pool and as a snapshot; whether they are a pool's.
fn reads<T: Value>(kind: &dyn Saves<T>, form: Form, bytes: &[u8]) -> bool {
    let (read, allocations) = during(|| kind.read(form, bytes).unwrap());
    assert!(is_justified(&allocations, bytes.len()), "{allocations:?} for {}", bytes.len());
    let is_large = read.as_ref().is_ok_and(|pool| pool.capacity() > LOOKED_AT_MAX);
    if let Some(Ok(past)) = kind.read_past(form, bytes).filter(|_| !is_large) {
        past.validate().unwrap();
    }
    read.is_ok_and(|mut pool| {
        if pool.capacity() <= LOOKED_AT_MAX {
            use_pool::<T, _>(&mut *pool);
        }
        true
    })
}

/// What is written of a pool that was in use, some of whose slots have retired.
fn sample<T: Value>(kind: &dyn Saves<T>, capacity: usize, form: Form) -> Option<Vec<u8>> {
    let plan = Plan { lifetimes: Some(3), ..Plan::of(kind.facts().capacity.unwrap_or(capacity)) };
    let mut pool: Box<dyn Saved<T>> = kind.make(plan);
    play(&mut *pool, 5, 40);
    let bytes = pool.write(form)?;
    assert!(reads(kind, form, &bytes), "as it was written, it is good");
    Some(bytes)
}

/// Cut off, changed at every place, or with a number in every place that is the largest there is.
fn bad_bytes(kind: &dyn Saves<Counted>) {
    for form in Form::ALL {
        for capacity in [6, 70] {
            let Some(bytes) = sample(kind, capacity, form) else { return };
            // Long ones have long lists of the like: some of their places are enough.
            let step = 1 + bytes.len() / 25;
            for at in (0..bytes.len()).step_by(step) {
                reads(kind, form, &bytes[..at]);
                for flip in [1, 0x40, 0x80] {
                    let mut bytes = bytes.clone();
                    bytes[at] ^= flip;
                    reads(kind, form, &bytes);
                }
                let largest: [&[u8]; 2] = match form {
                    Form::Json | Form::Boasting => [b"4294967295", b"18446744073709551615"],
                    Form::Postcard => {
                        [b"\xff\xff\xff\xff\x0f", b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"]
                    }
                };
                for number in largest {
                    let bytes = [&bytes[..at], number, &bytes[at + 1..]].concat();
                    reads(kind, form, &bytes);
                }
            }
        }
    }
}

/// All that is in a document, the document itself first, as paths.
fn places(of: &Json, path: &str, places: &mut Vec<String>) {
    places.push(path.to_owned());
    match of {
        Json::Array(list) => (0..)
            .zip(list)
            .for_each(|(at, part): (usize, _)| self::places(part, &format!("{path}/{at}"), places)),
        Json::Object(map) => {
            map.iter().for_each(|(key, part)| self::places(part, &format!("{path}/{key}"), places));
        }
        _ => {}
    }
}

/// A sensible document with something else in every place of it.
fn every_place_replaced(kind: &dyn Saves<Counted>) {
    let Some(bytes) = sample(kind, 6, Form::Json) else { return };
    let whole: Json = serde_json::from_slice(&bytes).unwrap();
    let mut all = Vec::new();
    places(&whole, "", &mut all);
    let read = |changed: &Json| reads(kind, Form::Json, &Form::Json.write(changed));
    for place in &all {
        let mut others = vec![json!(null), json!("0v1"), json!([]), json!({})];
        others.extend(
            [0, 1, 7, 70_000, 1 << 25, 1 << 31, u64::from(u32::MAX), u64::MAX].map(|n| json!(n)),
        );
        others.extend([json!([[0, u32::MAX]]), json!([[0, 1], [0, 1]]), json!([1, 1, 1])]);
        for other in others {
            let mut changed = whole.clone();
            *changed.pointer_mut(place).unwrap() = other;
            read(&changed);
        }
        // What it was, with the bit that marks dead slots in memory: no generation has it.
        if let Some(number) = whole.pointer(place).and_then(Json::as_u64) {
            let mut changed = whole.clone();
            *changed.pointer_mut(place).unwrap() = json!(number | 1 << 31);
            assert!(!read(&changed) || !place.contains("/generations/"), "{place}: {number}");
        }
        // A list with an element more, an element less, and in the other order.
        let changes: [fn(&mut Vec<Json>); 3] = [
            |list| list.extend(list.last().cloned()),
            |list| drop(list.pop()),
            |list| list.reverse(),
        ];
        for change in changes {
            let mut changed = whole.clone();
            if let Some(Json::Array(list)) = changed.pointer_mut(place) {
                change(list);
                read(&changed);
            }
        }
    }
}

/// Every handle in a file is that of a slot which there is, and which it names once: any other is
/// refused.
fn handles_of_other_slots_are_refused(kind: &dyn Saves<Counted>) {
    // Of a pool in parts, each part is tried as a kind of its own.
    if kind.facts().written_in_parts {
        return;
    }
    let Some(bytes) = sample(kind, 6, Form::Json) else { return };
    let text = String::from_utf8(bytes).unwrap();
    let pool = kind.read(Form::Json, text.as_bytes()).unwrap().unwrap();
    let handles: Vec<Key> = pool.iter().map(|(handle, _)| handle).collect();
    let named = |index: usize, generation: u32| format!("\"{index}v{generation}\"");
    for handle in &handles {
        let own = named(handle.index(), handle.generation());
        assert!(text.contains(&own), "{own} in {text}");
        let mut others = vec![pool.capacity(), pool.capacity() + 1, u32::MAX as usize - 1];
        others.extend(handles.iter().map(|other| other.index()).filter(|i| *i != handle.index()));
        for index in others {
            let changed = text.replace(&own, &named(index, handle.generation()));
            assert!(!reads(kind, Form::Json, changed.as_bytes()), "{own}: {changed}");
        }
        // And it names the lifetime that its slot is in.
        for generation in [0, handle.generation() + 1, handle.generation() + 2, u32::MAX] {
            let changed = text.replace(&own, &named(handle.index(), generation));
            assert!(!reads(kind, Form::Json, changed.as_bytes()), "{own}: {changed}");
        }
    }
}

/// A reader that says of each list that it is a long one: no room is made for what is not there.
fn boasted_lengths_cost_nothing(kind: &dyn Saves<Counted>) {
    for capacity in [0, 6, 70] {
        // Which reads it.
        let _ = sample(kind, capacity, Form::Boasting);
    }
}

/// Values without a size cost nothing to list.
fn values_without_a_size_are_not_endless(kind: &dyn Saves<Nothing>) {
    let Some(bytes) = sample(kind, 6, Form::Postcard) else { return };
    for at in 0..bytes.len() {
        let endless = [&bytes[..at], b"\xff\xff\xff\xff\x0f", &bytes[at + 1..]].concat();
        reads(kind, Form::Postcard, &endless);
    }
}

for_one_of_each! {
    bad_bytes, boasted_lengths_cost_nothing, every_place_replaced, handles_of_other_slots_are_refused,
}

for_one_of_each_place! { values_without_a_size_are_not_endless }
