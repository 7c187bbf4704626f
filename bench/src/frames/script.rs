//! What happens in the frames of a game: births, deaths and ticks, prepared so that playing them costs little.

use std::collections::HashMap;

use crate::random::Random;

/// Something is born or dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// The object's place in the table of handles, which holds one handle for each live object.
    pub(crate) place: u32,
    /// The pool that the object lives in.
    pub(crate) pool: u16,
    pub(crate) birth: bool,
}

/// An object that another one follows: the pool and the place in the table of handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) place: u32,
    pub(crate) pool: u16,
}

/// Frames, ready to be played by any contender, again and again: nothing is live at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Script {
    /// As in the names of the works.
    pub(crate) name: String,
    /// The slots of each pool.
    pub(crate) capacities: Vec<usize>,
    pub(crate) events: Vec<Event>,
    /// For each tick, the number of events up to its end. The deaths that end the script come after the last tick.
    pub(crate) ticks: Vec<u32>,
    /// For each birth, in order, which object the new one follows: the youngest other live object, or itself if it
    /// is alone.
    pub(crate) targets: Vec<Target>,
    /// The length of the table of handles: the number of objects that are live at once at most.
    pub(crate) places: usize,
    /// The number of visits that one walk over all pools in every tick makes.
    pub(crate) visits: usize,
}

impl Script {
    /// The slots of all pools.
    pub(crate) fn slots(&self) -> usize {
        self.capacities.iter().sum()
    }

    /// Reads `tick,event,id,class`: one pool for each class, as large as the class's own peak. An error names the line.
    pub(crate) fn from_trace(name: &str, text: &str) -> Result<Self, String> {
        let mut builder = Builder::default();
        let mut pools: HashMap<&str, u16> = HashMap::new();
        let mut live: HashMap<&str, usize> = HashMap::new();
        let mut tick: Option<u32> = None;
        for (number, line) in text.lines().enumerate().skip(1) {
            let fault = |what: &str| format!("line {}: {what}", number + 1);
            let mut fields = line.split(',');
            let now = fields.next().and_then(|tick| tick.parse::<u32>().ok());
            let now = now.ok_or_else(|| fault("expected a tick first"))?;
            let passed = now.checked_sub(tick.unwrap_or(now));
            let passed = passed.ok_or_else(|| fault("the tick is less than the one before"))?;
            if builder.script.ticks.len() + passed as usize > TICKS_MAX {
                return Err(fault("more ticks than a game has in a day"));
            }
            // A tick without events is walked, too.
            (0..passed).for_each(|_| builder.end_tick());
            tick = Some(now);
            let (event, id, class) = (fields.next(), fields.next(), fields.next());
            let id = id.ok_or_else(|| fault("expected an id as the third field"))?;
            match event {
                Some("alloc") => {
                    let class =
                        class.ok_or_else(|| fault("expected a class as the fourth field"))?;
                    let count = u16::try_from(pools.len());
                    let count = count.map_err(|_| fault("more than 65,536 classes"))?;
                    let pool = *pools.entry(class).or_insert(count);
                    if live.insert(id, builder.birth(pool)).is_some() {
                        return Err(fault("this id is alive already"));
                    }
                }
                Some("free") => {
                    let lifetime = live.remove(id);
                    builder.death(lifetime.ok_or_else(|| fault("nothing of this id is alive"))?);
                }
                _ => return Err(fault("expected alloc or free as the second field")),
            }
        }
        builder.end_tick();
        let peaks = builder.peaks.clone();
        let script = builder.finish(name, peaks);
        if script.visits == 0 { Err("nothing lives for a tick".into()) } else { Ok(script) }
    }

    /// `pools` pools of 4 to 256 slots, most of them small, with one to eight live objects each on average; some
    /// two births or deaths for each hundred visits, as in the recorded games. The same for the same `pools`.
    pub(crate) fn generated(pools: usize) -> Self {
        let mut random = Random::new(pools as u64);
        let capacities: Vec<usize> = (0..pools).map(|_| log_uniform(&mut random)).collect();
        let means: Vec<usize> =
            capacities.iter().map(|&capacity| 1 + random.below(capacity.min(8))).collect();
        let mut builder = Builder::default();
        let mut live: Vec<Vec<usize>> = vec![Vec::new(); pools];
        for (pool, &mean) in means.iter().enumerate() {
            live[pool].extend((0..mean).map(|_| builder.birth(pool as u16)));
        }
        let all: usize = means.iter().sum();
        let ticks = (VISITS / all).max(20);
        let mut due = 0;
        for _ in 0..ticks {
            due += all * EVENTS_PER_1000_VISITS;
            while due >= 1000 {
                due -= 1000;
                let pool = random.below(pools);
                let few = live[pool].len() < means[pool];
                let birth = match random.below(3) {
                    0 => !few,
                    _ => few,
                };
                if birth && live[pool].len() < capacities[pool] {
                    live[pool].push(builder.birth(pool as u16));
                } else if !live[pool].is_empty() {
                    let victim = random.below(live[pool].len());
                    builder.death(live[pool].swap_remove(victim));
                }
            }
            builder.end_tick();
        }
        builder.finish(&format!("{pools} pools"), capacities)
    }

    /// The first `ticks` ticks, for tests.
    #[cfg(test)]
    pub(crate) fn shortened(&self, ticks: usize) -> Self {
        let mut builder = Builder::default();
        let mut births: HashMap<u32, usize> = HashMap::new();
        let mut start = 0;
        for &end in self.ticks.iter().take(ticks) {
            for event in &self.events[start..end as usize] {
                if event.birth {
                    births.insert(event.place, builder.birth(event.pool));
                } else {
                    builder.death(births[&event.place]);
                }
            }
            builder.end_tick();
            start = end as usize;
        }
        builder.finish(&self.name, self.capacities.clone())
    }
}

/// More than a day at 60 Hz.
const TICKS_MAX: usize = 6_000_000;

/// The visits of a generated script, about.
const VISITS: usize = if cfg!(test) { 4_000 } else { 300_000 };
const EVENTS_PER_1000_VISITS: usize = 20;

/// 4 to 256, each doubling as likely as the others.
fn log_uniform(random: &mut Random) -> usize {
    let low = 4 << random.below(6);
    low + random.below(low + 1)
}

#[derive(Default)]
struct Builder {
    script: Script,
    /// By lifetime: the place in the table of handles while live, and the pool.
    lifetimes: Vec<(Option<u32>, u16)>,
    /// Places in the table of handles that can be used again.
    free: Vec<u32>,
    /// Lifetimes in order of birth; dead ones are removed when they come to the top.
    young: Vec<usize>,
    live: Vec<usize>,
    peaks: Vec<usize>,
}

impl Builder {
    fn birth(&mut self, pool: u16) -> usize {
        let index = usize::from(pool);
        let pools = self.peaks.len().max(index + 1);
        self.peaks.resize(pools, 0);
        self.live.resize(pools, 0);
        self.live[index] += 1;
        self.peaks[index] = self.peaks[index].max(self.live[index]);
        let place = self.free.pop().unwrap_or_else(|| {
            self.script.places += 1;
            self.script.places as u32 - 1
        });
        while self.young.last().is_some_and(|&last| self.lifetimes[last].0.is_none()) {
            self.young.pop();
        }
        let youngest = self.young.last().map(|&last| self.lifetimes[last]);
        let target = match youngest {
            Some((Some(place), pool)) => Target { place, pool },
            _ => Target { place, pool },
        };
        self.script.targets.push(target);
        self.script.events.push(Event { place, pool, birth: true });
        self.lifetimes.push((Some(place), pool));
        self.young.push(self.lifetimes.len() - 1);
        self.lifetimes.len() - 1
    }

    fn death(&mut self, lifetime: usize) {
        let (place, pool) = self.lifetimes[lifetime];
        let place = place.expect("still live");
        self.lifetimes[lifetime].0 = None;
        self.free.push(place);
        self.live[usize::from(pool)] -= 1;
        self.script.events.push(Event { place, pool, birth: false });
    }

    fn end_tick(&mut self) {
        self.script.ticks.push(self.script.events.len() as u32);
        self.script.visits += self.live.iter().sum::<usize>();
    }

    /// Ends all that is live.
    fn finish(mut self, name: &str, capacities: Vec<usize>) -> Script {
        for lifetime in 0..self.lifetimes.len() {
            if self.lifetimes[lifetime].0.is_some() {
                self.death(lifetime);
            }
        }
        Script { name: name.to_owned(), capacities, ..self.script }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "tick,event,id,class\n\
        3,alloc,0,Imp\n3,alloc,1,Puff\n3,alloc,2,Puff\n4,free,1,Puff\n4,alloc,3,Imp\n7,free,0,Imp\n7,alloc,4,Puff\n";

    #[test]
    fn a_trace_becomes_events_by_pool_and_place_in_the_table_of_handles() {
        let script = Script::from_trace("short", TRACE).unwrap();
        let event = |place, pool, birth| Event { place, pool, birth };
        let expected = [
            event(0, 0, true),
            event(1, 1, true),
            event(2, 1, true),
            event(1, 1, false),
            event(1, 0, true),
            event(0, 0, false),
            event(0, 1, true),
            // What the trace leaves alive dies after the last tick.
            event(2, 1, false),
            event(1, 0, false),
            event(0, 1, false),
        ];
        assert_eq!(script.events, expected);
        // Ticks 3 to 7; nothing happens in 5 and 6.
        assert_eq!(script.ticks, [3, 5, 5, 5, 7]);
        assert_eq!(script.visits, 5 * 3);
        assert_eq!((script.capacities.as_slice(), script.places), ([2, 2].as_slice(), 3));
        let targets: Vec<_> = script.targets.iter().map(|target| target.place).collect();
        assert_eq!(targets, [0, 0, 1, 2, 1]);
        let pools: Vec<_> = script.targets.iter().map(|target| target.pool).collect();
        assert_eq!(pools, [0, 0, 1, 1, 0]);
    }

    #[test]
    fn what_is_wrong_with_a_trace_is_told_with_its_line() {
        for (lines, why) in [
            ("x,alloc,0,Imp", "line 2: expected a tick first"),
            ("1,alloc,0,Imp\n0,free,0,Imp", "line 3: the tick is less than the one before"),
            ("0,alloc,0,Imp\n4294967295,free,0,Imp", "line 3: more ticks than a game has in a day"),
            ("0,alloc", "line 2: expected an id as the third field"),
            ("0,alloc,0", "line 2: expected a class as the fourth field"),
            ("0,moved,0,Imp", "line 2: expected alloc or free as the second field"),
            ("0,free,0,Imp", "line 2: nothing of this id is alive"),
            ("0,alloc,0,Imp\n0,alloc,0,Imp", "line 3: this id is alive already"),
            ("", "nothing lives for a tick"),
        ] {
            let read = Script::from_trace("wrong", &format!("tick,event,id,class\n{lines}"));
            assert_eq!(read, Err(why.to_owned()), "{lines}");
        }
    }

    #[test]
    fn generated_scripts_are_the_same_every_time_and_stay_within_their_capacities() {
        for pools in [10, 100, 1_000] {
            let script = Script::generated(pools);
            assert_eq!(script, Script::generated(pools));
            assert_eq!(script.capacities.len(), pools);
            assert!(script.capacities.iter().all(|capacity| (4..=256).contains(capacity)));
            let mut live = vec![0; pools];
            let mut taken = vec![false; script.places];
            for event in &script.events {
                let was = std::mem::replace(&mut taken[event.place as usize], event.birth);
                assert_ne!(was, event.birth);
                let pool = usize::from(event.pool);
                live[pool] = if event.birth { live[pool] + 1 } else { live[pool] - 1 };
                assert!(live[pool] <= script.capacities[pool]);
            }
            assert!(live.iter().all(|&live| live == 0));
        }
    }

    #[test]
    fn the_sizes_of_generated_pools_are_spread_over_the_doublings() {
        let mut random = Random::new(1);
        let sizes: Vec<usize> = (0..6_000).map(|_| log_uniform(&mut random)).collect();
        for low in [4, 8, 16, 32, 64, 128] {
            let count = sizes.iter().filter(|size| (low..2 * low).contains(*size)).count();
            assert!((700..1_300).contains(&count), "{count} from {low}");
        }
    }
}
