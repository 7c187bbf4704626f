use super::{Line, PoolTrace, Question, ReadError, Waits, parse_line, plan, read};
use crate::trace::{LIVE_HEADER, LiveStats, TraceRow};

fn trace(rows: impl IntoIterator<Item = (u64, u64)>) -> PoolTrace {
    let rows = rows
        .into_iter()
        .map(|(asked_us, hold_us)| TraceRow {
            asked_us,
            got_us: Some(asked_us),
            ended_us: asked_us + hold_us,
        })
        .collect();
    PoolTrace { pool: "orders".into(), rows }
}

fn question(wait_p99_us: u64) -> Question {
    Question { wait_p99_us, open_us: 0, ..Question::default() }
}

/// One at a time: the waits are those of a line at one counter, computed by hand.
#[test]
fn waits_are_those_of_a_single_counter() {
    let asks = [(0, 10), (0, 10), (5, 10), (100, 10), (101, 1)];
    let plan = plan(&trace(asks), &question(0));
    let one = plan.capacities[0];
    // Waits: 0, 10, 15, 0, 9.
    assert_eq!((one.in_advance.waits.p50_us, one.in_advance.waits.max_us), (9, 15));
    assert_eq!(plan.peak, 3);
    assert_eq!(plan.smallest, Some(3));
    assert!(plan.deviation() < 0.01, "{}", plan.deviation());
}

/// Against an independent reference: N counters, each caller takes the one that is free first.
#[test]
fn waits_agree_with_a_reference_for_every_capacity() {
    let mut seed = 7_u64;
    let mut random = |limit: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % limit
    };
    let mut now_us = 0;
    let rows: Vec<(u64, u64)> = (0..3_000)
        .map(|_| {
            now_us += random(300);
            (now_us, 1 + random(1_500))
        })
        .collect();
    let plan = plan(&trace(rows.iter().copied()), &question(100));
    assert!(plan.capacities.len() > 8);
    for at in &plan.capacities {
        let mut free_us = vec![0_u64; at.capacity];
        let mut waits: Vec<u64> = rows
            .iter()
            .map(|(asked_us, hold_us)| {
                let counter = free_us.iter_mut().min().expect("at least one");
                let got_us = (*counter).max(*asked_us);
                *counter = got_us + hold_us;
                got_us - asked_us
            })
            .collect();
        waits.sort_unstable();
        let reference = waits[(waits.len() * 99).div_ceil(100) - 1];
        // Opening takes no time, so it always pays.
        for run in [at.in_advance, at.as_needed] {
            assert_eq!(run.waits.p99_us, reference);
        }
        assert_eq!((at.in_advance.opened, at.as_needed.opened as usize), (0, at.capacity));
    }
    assert!(plan.deviation() < 0.01);
}

/// Twenty callers at once, each for 2 ms, five times. Opening takes 50 ms: of one hundred callers twenty wait
/// for it, and later no wait is long enough for a further opening to pay.
#[test]
fn a_short_recording_with_slow_openings_has_a_plan() {
    let bursts = (0..5).flat_map(|burst| (0..20).map(move |_| (burst * 1_000_000, 2_000)));
    let question = Question { wait_p99_us: 5_000, open_us: 50_000, ..Question::default() };
    let slow = plan(&trace(bursts), &question);
    assert_eq!((slow.smallest, slow.smallest_as_needed), (Some(7), None));
    let seven = slow.capacities[6];
    assert_eq!(seven.capacity, 7);
    // Opened in advance: rounds of seven, seven and six.
    let Waits { p99_us, max_us, .. } = seven.in_advance.waits;
    assert_eq!((p99_us, max_us, seven.in_advance.opened), (4_000, 4_000, 0));
    // As needed: two and then two more, before eight loans have said how long a hold is. The first twenty are
    // served in rounds of two from 50 ms on, the others in rounds of four.
    let Waits { p50_us, p99_us, max_us, .. } = seven.as_needed.waits;
    assert_eq!((p50_us, p99_us, max_us, seven.as_needed.opened), (6_000, 68_000, 68_000, 4));
    assert!(slow.deviation() < 0.01, "{}", slow.deviation());
    // Where opening takes no time, both are the same.
    let fast = plan(&trace([(0, 2_000); 20]), &Question { open_us: 0, ..question });
    assert_eq!(fast.smallest, fast.smallest_as_needed);
}

#[test]
fn says_when_more_will_not_help() {
    // The more are out, the longer each is held.
    let bursts = (0..100).flat_map(|burst| {
        let size = 1 + burst % 8;
        (0..size).map(move |_| (burst * 100_000, 1_000 * size))
    });
    let slow = plan(&trace(bursts), &question(1_000));
    assert!(slow.more_will_not_help(), "{:?}", slow.holds_grow);
    let even = (0..100).flat_map(|burst| (0..1 + burst % 8).map(move |_| (burst * 100_000, 1_000)));
    assert!(!plan(&trace(even), &question(1_000)).more_will_not_help());
}

#[test]
fn wrong_lines_are_named() {
    let what = |text: &str| match read(text.as_bytes()) {
        Err(ReadError::Line { number, what }) => format!("{number}: {what}"),
        other => format!("{other:?}"),
    };
    let with = |line: &str| what(&format!("asked_us,got_us,returned_us,pool\n1,2,3,a\n{line}\n"));
    assert_eq!(what("tick,event\n"), "1: expected asked_us,got_us,returned_us,pool");
    assert_eq!(with("1,2,3"), "3: expected four fields: asked_us,got_us,returned_us,pool");
    assert_eq!(with("x,2,3,a"), "3: asked_us is not a number of microseconds");
    assert_eq!(with("-1,2,3,a"), "3: asked_us is not a number of microseconds");
    assert_eq!(with("99999999999999999999,2,3,a"), "3: asked_us is not a number of microseconds");
    assert_eq!(with("5,4,6,a"), "3: got_us is before asked_us");
    assert_eq!(with("5,6,5,a"), "3: returned_us is before what came before it");
    assert_eq!(with("5,,4,a"), "3: returned_us is before what came before it");
    assert_eq!(with("1,2,3,a,b"), "3: more than four fields: asked_us,got_us,returned_us,pool");
    assert_eq!(with("1,,,a,8"), "3: expected the 15 numbers of a live trace's statistics");
    assert_eq!(with(&"1".repeat(5_000)), "3: longer than 4,096 bytes");
    assert!(matches!(read(&b"asked_us,got_us,returned_us,pool\n"[..]), Err(ReadError::Empty)));
    let bytes = b"asked_us,got_us,returned_us,pool\n1,2,3,\xff\n";
    assert!(matches!(read(&bytes[..]), Err(ReadError::Line { number: 2, what: "not UTF-8" })));
}

#[test]
fn pools_are_told_apart_and_the_unserved_count() {
    let text = "asked_us,got_us,returned_us,pool\n30,30,40,b\n1,,9,a\n2,3,5,a\n";
    let pools = read(text.as_bytes()).expect("a trace");
    assert_eq!(pools.iter().map(|pool| pool.pool.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    let plan = plan(&pools[0], &question(1_000));
    assert_eq!((plan.asks, plan.unserved), (2, 1));
}

#[test]
fn a_live_trace_is_a_trace_with_statistics_in_between() {
    let stats =
        LiveStats { at_us: 7, capacity: 8, waiting: 3, rows_lost: 2, ..LiveStats::default() };
    let row = TraceRow { asked_us: 1, got_us: Some(2), ended_us: 6 };
    let text =
        format!("{LIVE_HEADER}\n{}\n{}\n", row.with_pool("orders"), stats.with_pool("orders"));
    let fields = |line: &str| line.split(',').count();
    assert_eq!(fields(LIVE_HEADER), fields(text.lines().nth(2).expect("a third line")));
    assert_eq!(parse_line(text.lines().nth(1).unwrap_or("")), Ok(("orders", Line::Row(row))));
    assert_eq!(parse_line(text.lines().nth(2).unwrap_or("")), Ok(("orders", Line::Stats(stats))));
    assert_eq!(read(text.as_bytes()).expect("a trace")[0].rows, [row]);
}
