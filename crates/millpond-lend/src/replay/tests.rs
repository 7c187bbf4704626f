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

/// Numbers below a limit, the same on every run.
fn random(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |limit| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % limit
    }
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
    let mut random = random(7);
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

#[test]
fn rates_are_those_of_one_of_a_burst_and_of_an_even_row() {
    let of = |asks: &[(u64, u64)]| {
        let plan = plan(&trace(asks.iter().copied()), &question(0));
        (plan.rate_per_s, plan.asked_over_us, plan.busy, plan.over_us)
    };
    assert_eq!(of(&[(7, 10_000)]), (None, 0, 1.0, 10_000), "one alone has no rate");
    let burst: Vec<_> = (0..48).map(|n| (n % 2, 10_000)).collect();
    let (rate, over_us, busy, _) = of(&sorted(&burst));
    assert_eq!((rate, over_us), (None, 1), "within a microsecond");
    assert!((47.9..=48.0).contains(&busy), "never more than there are: {busy}");
    let even: Vec<_> = (0..10).map(|n| (n * 50_000, 2_000)).collect();
    let (rate, over_us, busy, busy_over_us) = of(&even);
    assert_eq!((rate, over_us), (Some(20.0), 450_000));
    assert_eq!((busy, busy_over_us), (20.0 / 452.0, 452_000));
    // Twenty at once, ten times a second.
    let bursts: Vec<_> = (0..200).map(|n| (n / 20 * 100_000, 2_000)).collect();
    assert_eq!(of(&bursts).0, Some(200.0));
    // So many that all are out at once, for longer than they come.
    let long: Vec<_> = (0..10).map(|n| (n * 50_000, 600_000)).collect();
    let (rate, _, busy, _) = of(&long);
    assert!(rate == Some(20.0) && busy < 10.0, "{busy}");
    // A replay has no rate of one, either.
    let one = plan(&trace([(0, 10_000)]), &question(0)).capacities[0].in_advance;
    assert_eq!((one.rate_per_s, one.over_us, one.busy), (None, 10_000, 1.0));
    let two = plan(&trace([(0, 10_000); 2]), &question(0)).capacities[0].in_advance;
    assert_eq!((two.rate_per_s, two.over_us), (Some(100.0), 20_000));
}

fn sorted(asks: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut asks = asks.to_vec();
    asks.sort_unstable();
    asks
}

/// Openings that take longer than the ledger has patience for are given up, all but one: the replay goes on.
#[test]
fn openings_that_are_given_up_do_not_stop_a_replay() {
    let question = Question { wait_p99_us: 5_000, open_us: 900_000, ..Question::default() };
    let slow = plan(&trace([(0, 2_000); 20]), &question);
    // The first object serves them all, one after the other, before another one is there.
    let Waits { p50_us, max_us, .. } = slow.capacities[3].as_needed.waits;
    assert_eq!((p50_us, max_us), (918_000, 938_000));
}

/// One caller at a time with one object, and three callers who think for 20 µs and hold for 10: with one
/// object, a caller who is slowed down asks later, so nobody waits for more than two loans.
#[test]
fn callers_who_think_ask_later_when_they_wait() {
    // Recorded with three objects: rounds of 30 µs, all three at once.
    let rounds = (0..100).flat_map(|round| [(round * 30, 10); 3]);
    let trace = trace(rounds);
    let closed = Question { callers: Some(0), ..question(0) };
    let [open, closed] = [question(0), closed].map(|question| plan(&trace, &question));
    assert_eq!((open.callers, closed.callers), (None, Some(3)), "at least the three of the trace");
    // As many asks as one object can just serve: waits of 0, 10 and 20 in every round.
    assert_eq!(open.capacities[0].in_advance.waits.max_us, 20);
    // They queue up once; from then on each comes when the one before it returns.
    let one = closed.capacities[0].in_advance;
    assert_eq!((one.waits.p99_us, one.waits.max_us), (0, 20));
    assert_eq!(one.waits.p50_us, 0);
    // With three objects all is as recorded.
    let three = closed.capacities[2].in_advance;
    assert_eq!((three.waits.max_us, three.busy.round()), (0, 1.0));
    assert!(closed.deviation() < 0.01, "{}", closed.deviation());
}

/// Against an independent reference: callers with a list of what they do each, and N counters.
#[test]
fn closed_replays_agree_with_a_reference_for_every_capacity() {
    const CALLERS: usize = 12;
    let mut random = random(3);
    let mut now_us = 0;
    let rows: Vec<(u64, u64)> = (0..2_000)
        .map(|_| {
            // So long that no two events fall on the same microsecond.
            now_us += 1 + random(2_000_000);
            (now_us, 1 + random(7_000_000))
        })
        .collect();
    let trace = trace(rows.iter().copied());
    let question = Question { callers: Some(CALLERS), ..question(100) };
    let closed = plan(&trace, &question);
    assert_eq!(closed.callers, Some(CALLERS));
    assert_eq!(closed.capacities.len(), CALLERS);
    // Who does what: the caller who was free first in the recording.
    let mut scripts: Vec<Vec<(u64, u64)>> = vec![Vec::new(); CALLERS];
    let mut free_us = [0; CALLERS];
    let start_us = rows[0].0;
    for (index, (asked_us, hold_us)) in rows.iter().enumerate() {
        let caller = if index < CALLERS {
            index
        } else {
            (0..CALLERS).min_by_key(|caller| free_us[*caller]).expect("twelve")
        };
        let since_us = if index < CALLERS { start_us } else { free_us[caller] };
        scripts[caller].push((asked_us - since_us, *hold_us));
        free_us[caller] = asked_us + hold_us;
    }
    for at in &closed.capacities {
        let mut counters = vec![0_u64; at.capacity];
        let mut next = [0; CALLERS];
        let mut asks_us: Vec<u64> = scripts.iter().map(|script| script[0].0).collect();
        let mut waits = Vec::new();
        while let Some(caller) = (0..CALLERS)
            .filter(|caller| next[*caller] < scripts[*caller].len())
            .min_by_key(|caller| asks_us[*caller])
        {
            let asked_us = asks_us[caller];
            let counter = counters.iter_mut().min().expect("at least one");
            let got_us = (*counter).max(asked_us);
            let returned_us = got_us + scripts[caller][next[caller]].1;
            *counter = returned_us;
            waits.push(got_us - asked_us);
            next[caller] += 1;
            if let Some((think_us, _)) = scripts[caller].get(next[caller]) {
                asks_us[caller] = returned_us + think_us;
            }
        }
        waits.sort_unstable();
        let run = at.in_advance;
        assert_eq!(waits.len(), rows.len());
        let quantile = |percent: usize| waits[(waits.len() * percent).div_ceil(100) - 1];
        let reference = [quantile(50), quantile(90), quantile(99), quantile(100)];
        let planned = [run.waits.p50_us, run.waits.p90_us, run.waits.p99_us, run.waits.max_us];
        assert_eq!(planned, reference, "capacity {}", at.capacity);
    }
    // Where callers wait they ask less: fewer loans a second, and shorter waits than if they came anyway.
    let open = plan(&trace, &super::Question { callers: None, ..question });
    let (one, open_one) = (closed.capacities[0].in_advance, open.capacities[0].in_advance);
    assert!(one.waits.p50_us < open_one.waits.p50_us);
    assert!(one.rate_per_s < closed.capacities[7].in_advance.rate_per_s);
    assert!(closed.deviation() < 0.01, "{}", closed.deviation());
}

/// Twenty callers at once, each for 2 ms, five times. Opening takes 50 ms: of one hundred callers twenty wait
/// for it. No later wait is as long as an opening, but together they are.
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
    // served in rounds of two from 50 ms on. While they wait, further openings pay, until all seven are open.
    let Waits { p50_us, p99_us, max_us, .. } = seven.as_needed.waits;
    assert_eq!((p50_us, p99_us, max_us, seven.as_needed.opened), (4_000, 68_000, 68_000, 7));
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
