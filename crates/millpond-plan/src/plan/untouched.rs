//! Where an untouched capacity fits: a pool with many slots, whose memory the system provides as they are first used.

use super::{BYTES_DEFAULT, Class, TracePlan};
use crate::trace::Format;

/// Why the slots that a pool needs are far from those that it usually has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsure {
    /// In 99 % of the ticks, there were at most so many, and at the peak far more.
    RarePeak {
        /// How many.
        usual: u32,
    },
    /// The number still rose when the recording ended.
    Grows,
    /// It was full, and refused objects.
    Refused,
}

/// A pool with an untouched capacity, in place of one that is all touched when it is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Untouched {
    /// Why.
    pub why: Unsure,
    /// Its slots.
    pub slots: u32,
    /// The bytes of its objects that are touched until the peak comes, if it is rare.
    pub bytes_before: Option<u64>,
    /// Those that are touched when there were as many as in the recording.
    pub bytes_at_peak: u64,
    /// The bytes of all its slots, which are addresses.
    pub bytes_of_addresses: u64,
    /// Whether the trace says how large the objects are. Otherwise they count as small ones.
    pub is_sized: bool,
}

/// A peak is rare if there are at least so many times the usual slots.
const RARE_TIMES: u32 = 4;

/// Where nobody knows the peak, so many times the slots that were seen.
const ROOM_TIMES: u32 = 16;

/// No more slots than a budget may name.
const SLOTS_MAX: u32 = 1 << 24;

/// Memory of less than this is no reason for page faults while the program runs.
const BYTES_MIN: u64 = 1 << 20;

/// The system provides memory in pages.
const PAGE_BYTES: u64 = 4096;

impl Untouched {
    /// Where one fits this class.
    pub(crate) fn of(class: &Class, plan: &TracePlan) -> Option<Self> {
        let (statistics, summary) = (&class.statistics, &plan.summary);
        let is_sized = statistics.bytes_max.is_some();
        let size = statistics.bytes_max.unwrap_or(BYTES_DEFAULT);
        let bytes = |slots: u32| {
            size.saturating_mul(slots.into()).div_ceil(PAGE_BYTES).saturating_mul(PAGE_BYTES)
        };
        let peak = statistics.peak_live;
        let usual = class.p99_live.filter(|usual| *usual > 0);
        let is_rare = |usual: &u32| {
            usual.saturating_mul(RARE_TIMES) <= peak
                && bytes(class.capacity) - bytes(*usual) >= BYTES_MIN
        };
        let room = peak.saturating_mul(ROOM_TIMES).min(SLOTS_MAX).next_power_of_two();
        let was_full = summary.format == Format::Lifetimes && summary.full.contains(&class.name);
        let why = if was_full && bytes(room) >= BYTES_MIN {
            Unsure::Refused
        } else if let Some(usual) = usual.filter(is_rare) {
            Unsure::RarePeak { usual }
        } else if summary.has_times() && still_grows(class, plan) && bytes(peak) >= BYTES_MIN {
            Unsure::Grows
        } else {
            return None;
        };
        let slots = match why {
            Unsure::RarePeak { .. } => class.capacity,
            Unsure::Grows | Unsure::Refused => room.max(class.capacity),
        };
        let bytes_before = match why {
            Unsure::RarePeak { usual } => Some(bytes(usual)),
            _ => None,
        };
        let (bytes_at_peak, bytes_of_addresses) = (bytes(peak), bytes(slots));
        Some(Self { why, slots, bytes_before, bytes_at_peak, bytes_of_addresses, is_sized })
    }
}

/// Whether the peak came in the last twentieth of the recording, most of it was still there at the end, and in half of the time
/// there was at most half of it: so it is that of the recording, and not of the program.
fn still_grows(class: &Class, plan: &TracePlan) -> bool {
    let (statistics, summary) = (&class.statistics, &plan.summary);
    let (peak, left) = (u64::from(statistics.peak_live), u64::from(statistics.live));
    let from_end = u64::from(summary.last_tick.saturating_sub(statistics.peak_tick));
    let half = u64::from(statistics.live_quantile(0.5));
    summary.ticks() >= 20
        && from_end <= summary.ticks() / 20
        && left * 10 >= peak * 9
        && half * 2 <= peak
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Source;
    use crate::output::plan_text::untouched_sentence;
    use crate::plan::{Rules, plan};

    /// A recording of so many milliseconds with so many blocks at once in each.
    fn planned(bytes: u64, ms: u32, at_once: impl Fn(u32) -> u32) -> TracePlan {
        let mut text = "ms,event,address,size,stack\n".to_owned();
        let mut live = 0;
        for now in 0..ms {
            let wanted = at_once(now);
            (live..wanted).for_each(|at| {
                text += &format!("{now},alloc,{:x},{bytes},spawn;main\n", at + 1);
            });
            (wanted..live).for_each(|at| text += &format!("{now},free,{:x}\n", at + 1));
            live = wanted;
        }
        let source = Source::from_memory(text.leak().as_bytes());
        plan("a.csv", &source, &Rules::default()).expect("a good trace")
    }

    fn of(plan: &TracePlan) -> Option<Untouched> {
        plan.classes[0].untouched(plan)
    }

    #[test]
    fn a_peak_that_is_rare_and_large_has_one() {
        let burst = |peak| move |now| if now == 150 { peak } else { 20 + now % 2 };
        let rare = planned(8192, 300, burst(400));
        let found = of(&rare).expect("rare");
        assert_eq!((found.why, found.slots), (Unsure::RarePeak { usual: 21 }, 500));
        assert_eq!(
            untouched_sentence(&rare, &rare.classes[0], &found),
            "The peak of blocks of 8192 bytes is rare: in 99 % of the time at most 21. With an untouched capacity (`untouched`) of 500 \
             slots, its pool takes memory as it fills: 168 KiB until that peak comes, and 3.1 MiB from then on, of 3.9 MiB \
             of address space."
        );
        assert_eq!(of(&planned(8192, 300, burst(80))), None, "less than four times as many");
        assert_eq!(of(&planned(64, 300, burst(400))), None, "less than a megabyte");
        let half = |now| if now % 2 == 0 { 400 } else { 20 };
        assert_eq!(of(&planned(8192, 300, half)), None, "a peak as usual as the rest");
    }

    #[test]
    fn a_number_that_still_grows_has_one() {
        let growing = planned(8192, 300, |now| now + 1);
        let found = of(&growing).expect("it grows");
        assert_eq!((found.why, found.slots), (Unsure::Grows, 8192));
        assert_eq!(
            untouched_sentence(&growing, &growing.classes[0], &found),
            "The number of blocks of 8192 bytes still rose when the recording ended. With an untouched capacity (`untouched`) of 8,192 slots, its pool \
             takes memory as it fills: 2.3 MiB for 300 at once, of 64.0 MiB of address space."
        );
        assert_eq!(of(&planned(64, 300, |now| now + 1)), None, "less than a megabyte");
        assert_eq!(
            of(&planned(8192, 300, |now| (now + 1).min(200 - now % 2))),
            None,
            "it has ended"
        );
        assert_eq!(of(&planned(8192, 300, |now| 280 + now / 15)), None, "it hardly grows");
    }
}
