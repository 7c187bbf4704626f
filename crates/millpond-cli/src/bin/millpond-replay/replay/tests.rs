use millpond::reuse::Lifo;
use millpond::{Handle, Pool};

use super::contender::{Boxed, Contender, Pooled, Way};
use super::entrant::{Entrant, Kind, NAMES, entrant};
use super::object::{Object, SIZES, Value, size_of_bytes};
use super::run::{Lap, lap};
use super::*;
use millpond_plan::output::paint::Paint;

const LIMITS: Limits = Limits {
    bytes: None,
    bytes_default: 64,
    events_max: 1 << 20,
    memory_max: 1 << 30,
    walk: false,
};

/// A script of a trace in its own file.
fn script(test: &str, text: &str, limits: &Limits) -> Result<Script, String> {
    let path = std::env::temp_dir().join(format!("millpond-{}-{test}.csv", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let script = Script::of_trace(&path, limits).map_err(|failure| failure.to_string());
    std::fs::remove_file(&path).unwrap();
    script
}

/// A pool and the boxes: the code of the others would be built here a second time. Tests of the program replay through
/// all.
fn few(walks: bool) -> Vec<Entrant> {
    let mut few = vec![
        entrant::<Pooled<Lifo>>("Pool, Lifo", Kind::Pool, Way::Values),
        entrant::<Boxed>("Box", Kind::Box, Way::Values),
    ];
    if walks {
        few.insert(1, entrant::<Pooled<Lifo>>("Pool, Lifo; runs", Kind::Pool, Way::Runs));
    }
    few
}

fn replayed(script: &Script, rounds: usize) -> Outcome {
    replay_through(few(script.walks().count > 0), "a.csv", script, rounds)
}

const SIZED: &str = "tick,event,id,class,size\n0,alloc,1,A,40\n1,alloc,2,A,48\n2,alloc,3,B,9000\n\
                     3,free,1,A,\n3,alloc,4,A,48\n3,alloc,5,C,1\n4,free,3,B,\n";

#[test]
fn a_script_has_a_pool_for_each_class_and_ends_with_nothing_alive() {
    let script = script("sized", SIZED, &LIMITS).unwrap();
    let summary = script.summary();
    assert_eq!((summary.events_in_trace, summary.events, summary.lifetimes), (7, 10, 5));
    assert_eq!((summary.classes, summary.slots, summary.cut), (3, 4, 1));
    assert_eq!((summary.bytes_min, summary.bytes_max), (16, 4096));
    assert_eq!(summary.pool_bytes, 2 * 64 + 4096 + 16);
    assert_eq!(script.sum(), 1 + 2 + 3 + 4 + 5);
    let mut live = std::collections::HashSet::new();
    for step in script.steps() {
        let place = (step.size, step.store, step.place);
        assert!(
            (step.place as usize) < script.capacities(step.size.into())[usize::from(step.store)]
        );
        assert!(if step.is_birth { live.insert(place) } else { live.remove(&place) });
    }
    assert!(live.is_empty());
}

#[test]
fn the_user_decides_how_large_objects_are_and_how_many_events_count() {
    let bytes = Limits { bytes: Some(100), ..LIMITS };
    let summary = script("bytes", SIZED, &bytes).unwrap().summary();
    assert_eq!((summary.bytes_min, summary.bytes_max, summary.cut), (128, 128, 0));
    // Five events count; then the live objects die.
    let events = Limits { events_max: 5, ..LIMITS };
    let script_of_5 = script("events", SIZED, &events).unwrap();
    let summary = script_of_5.summary();
    assert_eq!((summary.events_in_trace, summary.events_taken, summary.events), (7, 5, 8));
    assert_eq!(script_of_5.sum(), 1 + 2 + 3 + 4);
    for events_max in 1..12 {
        let script = script("any", SIZED, &Limits { events_max, ..LIMITS }).unwrap();
        assert!(replayed(&script, 1).wrong().is_none(), "{events_max}");
    }
    let memory = Limits { memory_max: 4000, ..LIMITS };
    let refused = script("memory", SIZED, &memory).unwrap_err();
    assert!(refused.contains("its 4 slots take 4,240 B, expected at most 4,000 B"), "{refused}");
}

#[test]
fn sizes_are_rounded_up() {
    let size = |bytes| SIZES[usize::from(size_of_bytes(bytes))];
    assert_eq!([0, 1, 16, 17, 64, 65].map(size), [16, 16, 16, 32, 64, 128]);
    assert_eq!([4096, 4097, u64::MAX].map(size), [4096; 3]);
    assert_eq!(size_of::<Object<8>>(), 64);
    let mut object = Object::<8>::new(7);
    assert_eq!(object.number(), 7);
    object.renew(9);
    assert_eq!(object.number(), 9);
}

/// Now and then, returns the object after the requested one.
struct Confused;

impl Contender for Confused {
    type Store<T: Value> = Pool<T>;
    type Key<T: Value> = Handle<T>;

    fn new<T: Value>(capacity: usize) -> Pool<T> {
        Pool::new(capacity)
    }
    fn insert<T: Value>(store: &mut Pool<T>, number: u64) -> Option<Handle<T>> {
        store.insert(T::new(number)).ok()
    }
    fn remove<T: Value>(store: &mut Pool<T>, _key: Handle<T>) -> Option<u64> {
        let last = store.handles().next_back()?;
        store.remove(last).map(|object| object.number() + 1)
    }
    fn walk<T: Value>(store: &mut Pool<T>, _keys: &mut [Option<Handle<T>>], _way: Way) -> u64 {
        store.values_mut().map(Value::visit).sum()
    }
}

/// Skips the first object of each walk if it forgets.
struct Forgetful<const FORGETS: bool>;

impl<const FORGETS: bool> Contender for Forgetful<FORGETS> {
    type Store<T: Value> = Pool<T>;
    type Key<T: Value> = Handle<T>;

    fn new<T: Value>(capacity: usize) -> Pool<T> {
        Pool::new(capacity)
    }
    fn insert<T: Value>(store: &mut Pool<T>, number: u64) -> Option<Handle<T>> {
        store.insert(T::new(number)).ok()
    }
    fn remove<T: Value>(store: &mut Pool<T>, key: Handle<T>) -> Option<u64> {
        store.remove(key).map(|object| object.number())
    }
    fn walk<T: Value>(store: &mut Pool<T>, _keys: &mut [Option<Handle<T>>], _way: Way) -> u64 {
        store.values_mut().map(Value::visit).skip(usize::from(FORGETS)).sum()
    }
}

#[test]
fn a_pool_that_mixes_up_objects_is_found() {
    let script = script("confused", SIZED, &LIMITS).unwrap();
    let mut entrants = few(false);
    entrants.insert(1, entrant::<Confused>("Confused", Kind::Pool, Way::Values));
    let outcome = replay_through(entrants, "a.csv", &script, 1);
    assert_eq!(outcome.wrong().map(|wrong| wrong.name), Some("Confused"));
    assert_eq!(replayed(&script, 2).wrong().map(|wrong| wrong.name), None);
}

fn measured(name: &'static str, kind: Kind, ns: u64) -> Measured {
    let timer = Timer { nanoseconds: 0 };
    let times = Times::per_event(&[vec![ns]], 1);
    let latency = Latency::new(&mut [ns as u32, 10 * ns as u32], 1000, timer);
    Measured { name, kind, times, latency, right: true }
}

#[test]
fn the_sentence_follows_from_the_figures() {
    let recording = Recording { calls: 50_000, timed: 100_000, has_walks: false, time: None };
    let of = |results: &[Measured]| Verdict::of(results, &recording).unwrap();
    let lifo = |ns| measured("Pool, Lifo", Kind::Pool, ns);
    let fifo = |ns| measured("Pool, Fifo", Kind::Pool, ns);
    let recycler = |ns| measured("Recycler", Kind::Recycler, ns);
    let boxes = |ns| measured("Box", Kind::Box, ns);

    let verdict = of(&[lifo(10), fifo(8), recycler(8), boxes(24)]);
    assert_eq!(verdict.name, "Pool, Fifo");
    assert_eq!(
        verdict.sentence,
        "Use Pool, Fifo, which was measured to save 1.3 to 2.0 ms: 8.0 ns per insertion or removal, 3.0 times \
         as fast as Box (24.0 ns); the slowest takes 80 ns, with Box 240 ns."
    );
    // Too little of the time, or of a time that is not known: the best is named all the same.
    for (timed, ms, is_worth) in
        [(6_000, None, false), (6_000, Some(1e3), false), (6_000, Some(60.0), true)]
    {
        let time = ms.map(|ms| AllTime { ms, of: TimeOf::Recording });
        let recording = Recording { timed, time, ..recording };
        let verdict = Verdict::of(&[lifo(8), boxes(24)], &recording).unwrap();
        assert_eq!((verdict.name, verdict.is_worth), ("Pool, Lifo", is_worth));
        let beginning = match (is_worth, ms) {
            (true, _) => {
                "Use Pool, Lifo, which was measured to save 77 to 120 µs, up to 0.20 % of the recording's time: "
            }
            (false, None) => {
                "Nothing is worth pooling for time: no change saves 0.1 ms. The best is Pool, Lifo, which "
            }
            (false, Some(_)) => {
                "Nothing is worth pooling for time: no change saves 0.1 ms or 0.1 % of the recording's time. \
                                 The best is Pool, Lifo, which "
            }
        };
        assert!(verdict.sentence.starts_with(beginning), "{}", verdict.sentence);
    }
    // The first of those that are equally fast.
    let verdict = of(&[lifo(1000), fifo(980), boxes(1000)]);
    assert_eq!(verdict.name, "Pool, Lifo");
    assert!(verdict.sentence.contains(", as fast as Box (1000.0 ns)"), "{}", verdict.sentence);
    assert!(
        verdict.sentence.ends_with("; as fast within 3 %: Pool, Fifo."),
        "{}",
        verdict.sentence
    );
    // A pool may lose, and recycled objects may win.
    let verdict = of(&[lifo(30), fifo(40), recycler(5), boxes(15)]);
    assert!(verdict.sentence.contains("2.0 times as slow as Box"), "{}", verdict.sentence);
    assert!(verdict.sentence.ends_with("a Recycler takes 5.0 ns."), "{}", verdict.sentence);
    assert_eq!(Verdict::of(&[lifo(1)], &recording), None);
    assert_eq!(Verdict::of(&[boxes(1)], &recording), None);
}

#[test]
fn the_text_and_the_json_have_every_contender() {
    let script = script("shown", SIZED, &Limits { events_max: 5, ..LIMITS }).unwrap();
    let outcome = replay_through(few(false), "a\x1b.csv", &script, 3);
    assert_eq!(outcome.results.len(), 2);
    let (text, json) =
        (text(&outcome, Paint::new(false)), json(std::slice::from_ref(&outcome)).unwrap());
    for measured in &outcome.results {
        assert!(text.contains(measured.name) && json.contains(measured.name), "{}", measured.name);
    }
    assert!(
        text.contains("the first of 7 events") && text.contains("4096 bytes are used"),
        "{text}"
    );
    assert!(!text.contains('\x1b'), "{text}");
}

#[test]
fn figures_of_any_width_leave_a_line_with_the_whole_name_to_each_contender() {
    use millpond_plan::output::wrap::{COLUMNS, columns};
    let script = script("wide", SIZED, &LIMITS).unwrap();
    let mut outcome = replayed(&script, 1);
    for ns in (0..29).map(|power| 1 << power) {
        outcome.results = NAMES.iter().map(|&(name, kind)| measured(name, kind, ns)).collect();
        outcome.verdict = Verdict::of(
            &outcome.results,
            &Recording { has_walks: true, ..outcome.script.recording() },
        );
        let text = text(&outcome, Paint::new(false));
        assert!(text.lines().all(|line| columns(line) <= COLUMNS), "{text}");
        let mut lines = text.lines().skip_while(|line| !line.starts_with("pool "));
        let headings = lines.next().unwrap();
        assert!(headings.contains(" median ") && headings.contains(" worst"), "{text}");
        for measured in &outcome.results {
            let behind = lines.next().unwrap().strip_prefix(measured.name);
            assert!(behind.is_some_and(|figures| figures.starts_with("  ")), "{text}");
        }
        assert!(in_one_line(&text).contains(&outcome.verdict.as_ref().unwrap().sentence), "{text}");
    }
}

/// A text without its line breaks, which follow from the widths of figures.
fn in_one_line(text: &str) -> String {
    text.replace('\n', " ")
}

#[test]
fn each_tick_with_events_ends_with_a_walk_over_all_that_live() {
    let limits = Limits { walk: true, ..LIMITS };
    let script = script("walks", SIZED, &limits).unwrap();
    // Alive after the ticks: 1; 1 2; 1 2 3; 2 3 4 5; 2 4 5.
    assert_eq!((script.walks().count, script.walks().visits), (5, 13));
    assert_eq!(script.sum(), 15 + 1 + 3 + 6 + 14 + 11);
    assert_eq!((script.events(), script.steps().len()), (10, 15));
    let walks: Vec<usize> =
        (0..script.steps().len()).filter(|&at| script.steps()[at].is_walk()).collect();
    assert_eq!(walks, [1, 3, 5, 9, 11]);

    let outcome = replayed(&script, 2);
    assert_eq!(outcome.wrong().map(|wrong| wrong.name), None);
    let names: Vec<_> = outcome.results.iter().map(|measured| measured.name).collect();
    assert_eq!(names, ["Pool, Lifo", "Pool, Lifo; runs", "Box"]);
    let (text, json) =
        (text(&outcome, Paint::new(false)), json(std::slice::from_ref(&outcome)).unwrap());
    assert!(text.contains("5 walks over all objects, 13 visits"), "{text}");
    assert!(in_one_line(&text).contains(" ns per tick with its walk, "), "{text}");
    assert!(json.contains("\"ns_per_tick\"") && !json.contains("\"ns_per_event\""), "{json}");
}

#[test]
fn a_walk_that_misses_an_object_is_found() {
    let text = "tick,event,id,class\n0,alloc,1,A\n1,alloc,2,A\n2,free,1,A\n3,free,2,A\n";
    let script = script("missed", text, &Limits { walk: true, ..LIMITS }).unwrap();
    let right = |lap: Lap| lap.sum == script.sum();
    assert!(right(lap::<Forgetful<false>>(&script, 1, Way::Values)));
    assert!(!right(lap::<Forgetful<true>>(&script, 1, Way::Values)));
}
