//! The peak of a pool since a moment, watched from outside, beside the true one.

use millpond::{Handle, Peak, PeakMeter, Pool};

use crate::common::Random;

/// The true peak of each tick.
fn within_a_tick(random: &mut Random, pool: &mut Pool<u8>, live: &mut Vec<Handle<u8>>) -> usize {
    let mut peak = live.len();
    for _ in 0..random.below(12) {
        if random.below(100) < 50 {
            live.extend(pool.insert(0).ok());
        } else if !live.is_empty() {
            assert!(pool.remove(live.swap_remove(random.below(live.len()))).is_some());
        }
        peak = peak.max(live.len());
    }
    peak
}

#[test]
fn the_peak_is_between_its_bounds_and_in_the_tick_that_it_says() {
    let mut exact = 0;
    for seed in 0..200 {
        let mut random = Random(seed);
        let (mut pool, mut live, mut meter) = (Pool::new(40), Vec::new(), PeakMeter::default());
        let mut true_peaks: Vec<usize> = Vec::new();
        for tick in 0..40_u64 {
            if random.below(10) == 0 {
                meter.reset();
                true_peaks.clear();
                assert!(meter.peak().is_none());
            }
            // The first tick of a meter knows only how it ends.
            let peak = within_a_tick(&mut random, &mut pool, &mut live);
            true_peaks.push(if tick == 0 { live.len() } else { peak });
            meter.note(tick, &pool.stats());
            let Peak { at_least, at_most, tick: when } = meter.peak().unwrap();
            let true_peak = true_peaks.iter().copied().max().unwrap();
            assert!(true_peak <= at_most, "{true_peak}, {at_most}");
            let first = tick + 1 - true_peaks.len() as u64;
            let of_that_tick = true_peaks[(when - first) as usize];
            assert!((at_least..=at_most).contains(&of_that_tick), "{of_that_tick}");
            exact += u32::from(at_least == at_most);
        }
    }
    assert!(exact > 200, "{exact}");
}

#[test]
fn a_new_peak_of_the_pool_is_exact_whatever_came_after_it_in_its_tick() {
    let (mut pool, mut meter) = (Pool::new(10), PeakMeter::default());
    meter.note(1, &pool.stats());
    let handles: Vec<_> = (0..7).map(|value| pool.insert(value).unwrap()).collect();
    handles.into_iter().for_each(|handle| _ = pool.remove(handle));
    meter.note(2, &pool.stats());
    let peak = meter.peak().unwrap();
    assert_eq!(
        (peak, peak.to_string().as_str()),
        (Peak { at_least: 7, at_most: 7, tick: 2 }, "7 in tick 2")
    );
    // As many again: the first tick is kept.
    (0..7).for_each(|value| _ = pool.insert(value).unwrap());
    meter.note(3, &pool.stats());
    assert_eq!(meter.peak(), Some(peak));
    meter.reset();
    pool.clear();
    pool.insert(0).unwrap();
    meter.note(4, &pool.stats());
    assert_eq!(meter.peak().unwrap().to_string(), "7 to 7 in tick 4".replace("7 to 7", "7"));
    // Another pool's counters begin anew.
    meter.reset();
    meter.note(5, &Pool::<u8>::new(3).stats());
    assert_eq!(meter.peak(), Some(Peak { at_least: 0, at_most: 0, tick: 5 }));
}
