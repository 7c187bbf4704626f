//! Whole frames: births and deaths as in a game, and in every tick one walk over every pool.
//!
//! That is how a game uses its pools: dozens of small ones, each as large as its class ever becomes, a few
//! objects live in each, and far more visits than births. The recorded games come first; generated scripts of
//! the same shape have 10, 100 and 1,000 pools. The player reads prepared events and keeps the handles in a
//! flat table; the row of the harness alone has the cost of that.
//!
//! `frames …, for` (and `for_each`, `runs`): each walk moves each live object by eight steps, if it is large enough; the
//! time is per visit.
//! `frames …, shared`: the walk only reads, of stores that nothing ever walks mutably; the time is per visit.
//! `frames …, births and deaths`: the same events without the walks, in a loop of their own; the time is per event.
//! `frames …, lookups`: the walk reads, and each object follows the handle that it got at its birth to another
//! object, in any pool; a stale handle is a miss. The time is per visit. The handles that objects follow are in a
//! table beside the objects, for all contenders, because a contender's key cannot be a part of its own value.

mod recording;
mod script;

use std::hint::black_box;
use std::marker::PhantomData;
use std::slice::Iter;
use std::sync::LazyLock;

pub(crate) use recording::recorded;
pub(crate) use script::Script;
use script::{Event, Target};

use crate::contender::Contender;
use crate::contenders::{Visitor, visit_frames};
use crate::measure::{Candidate, Clock, Lap, Task, Timed};
use crate::object::Object;
use crate::traces;
use crate::work::iterate::{For, ForEach, Form, Runs};

/// How the name of each work begins.
pub(crate) const PREFIX: &str = "frames ";
/// The walks, by the end of the work's name.
pub(crate) const WALKS: [&str; 3] = ["for", "for_each", "runs"];
pub(crate) const EVENTS: &str = "births and deaths";
pub(crate) const SHARED: &str = "shared";
pub(crate) const LOOKUPS: &str = "lookups";
/// The recorded games, as in the names of the works.
pub(crate) const GAMES: [&str; 2] = ["freedoom2-map01-8bots", "freedoom2-map15-solo"];
/// The numbers of pools of the generated scripts.
const GENERATED: [usize; 3] = [10, 100, 1_000];

/// The work's name.
pub(crate) fn work(script: &str, part: &str) -> String {
    format!("{PREFIX}{script}, {part}")
}

/// The names of the generated scripts.
pub(crate) fn generated() -> [String; 3] {
    GENERATED.map(|pools| format!("{pools} pools"))
}

/// The recorded games that the package brings along.
pub(crate) fn games() -> &'static [Script] {
    static GAMES_READ: LazyLock<Vec<Script>> = LazyLock::new(|| {
        let scripts =
            GAMES.into_iter().zip([traces::freedoom_bots_text, traces::freedoom_solo_text]);
        let scripts = scripts.map(|(name, text)| {
            Script::from_trace(name, &text()).expect("a trace of this package")
        });
        #[cfg(test)]
        let scripts = scripts.map(|script| script.shortened(300));
        scripts.collect()
    });
    &GAMES_READ
}

/// Scripts of the same shape.
pub(crate) fn generated_scripts() -> &'static [Script] {
    static SCRIPTS: LazyLock<Vec<Script>> =
        LazyLock::new(|| GENERATED.map(Script::generated).to_vec());
    &SCRIPTS
}

/// All that is done with scripts, by objects of `P` words of payload.
pub(crate) fn tasks<const P: usize>(
    scripts: &'static [Script],
    wants: &dyn Fn(&str) -> bool,
) -> Vec<Task> {
    scripts.iter().flat_map(|script| tasks_of::<P>(script, wants)).collect()
}

fn tasks_of<const P: usize>(script: &'static Script, wants: &dyn Fn(&str) -> bool) -> Vec<Task> {
    let tasks = [
        task::<Walk<For>, P>(script, "for"),
        task::<Walk<ForEach>, P>(script, "for_each"),
        task::<Walk<Runs>, P>(script, "runs"),
        task::<EventsOnly, P>(script, EVENTS),
        task::<Shared, P>(script, SHARED),
        task::<Lookups, P>(script, LOOKUPS),
    ];
    tasks.into_iter().filter(|task| wants(&task.work)).collect()
}

fn task<F: Play, const P: usize>(script: &'static Script, part: &str) -> Task {
    struct Collector<F, const P: usize>(&'static Script, Vec<Candidate>, PhantomData<F>);
    impl<F: Play, const P: usize> Visitor for Collector<F, P> {
        fn visit<C: Contender>(&mut self) {
            let script = self.0;
            let prepare = move || {
                let player = Player::<F, C, P>::new(script)?;
                Some(Box::new(player) as Box<dyn Lap>)
            };
            self.1.push(Candidate { name: C::NAME, kind: C::KIND, prepare: Box::new(prepare) });
        }
    }
    let mut collector = Collector::<F, P>(script, Vec::new(), PhantomData);
    visit_frames(&mut collector);
    Task {
        work: work(&script.name, part),
        object_bytes: size_of::<Object<P>>(),
        slots: script.slots(),
        candidates: collector.1,
    }
}

/// What is done with the live objects in each tick.
trait Play: 'static {
    /// Objects follow others.
    const LINKS: bool = false;
    /// There are walks, and the time is per visit. Without them the events are one loop, and the time is per event.
    const WALKS: bool = true;

    /// Whether the contender can do it.
    fn possible<C: Contender, const P: usize>(store: &mut C::Store<Object<P>>) -> bool;

    /// Walks over all pools; returns what that adds to the checksum.
    fn walk<C: Contender, const P: usize>(state: &mut State<C, P>) -> u64;
}

/// One walk that moves every object, written as `F`.
struct Walk<F>(PhantomData<F>);

impl<F: Form> Play for Walk<F> {
    fn possible<C: Contender, const P: usize>(store: &mut C::Store<Object<P>>) -> bool {
        F::walk::<C, P>(store, &[], Object::advance_all)
    }

    #[inline(always)]
    fn walk<C: Contender, const P: usize>(state: &mut State<C, P>) -> u64 {
        for store in &mut state.stores {
            F::walk::<C, P>(store, &[], Object::advance_all);
        }
        0
    }
}

/// No walk.
struct EventsOnly;

impl Play for EventsOnly {
    const WALKS: bool = false;

    fn possible<C: Contender, const P: usize>(_store: &mut C::Store<Object<P>>) -> bool {
        true
    }

    #[inline(always)]
    fn walk<C: Contender, const P: usize>(_state: &mut State<C, P>) -> u64 {
        0
    }
}

/// One walk that reads.
struct Shared;

impl Play for Shared {
    fn possible<C: Contender, const P: usize>(store: &mut C::Store<Object<P>>) -> bool {
        C::walk_shared(store, |_| {})
    }

    #[inline(always)]
    fn walk<C: Contender, const P: usize>(state: &mut State<C, P>) -> u64 {
        let mut sum = 0u64;
        for store in &state.stores {
            C::walk_shared(store, |object| sum = sum.wrapping_add(object.seen()));
        }
        sum
    }
}

/// One walk that reads, and from each object to the one that it follows.
struct Lookups;

impl Play for Lookups {
    const LINKS: bool = true;

    fn possible<C: Contender, const P: usize>(store: &mut C::Store<Object<P>>) -> bool {
        C::walk_shared(store, |_| {})
    }

    #[inline(always)]
    fn walk<C: Contender, const P: usize>(state: &mut State<C, P>) -> u64 {
        let State { stores, links, .. } = state;
        let mut sum = 0u64;
        for store in stores.iter() {
            C::walk_shared(store, |object| {
                let link = &links[object.life as usize];
                let target = C::find(&stores[usize::from(link.pool)], link.key);
                sum += target.map_or(MISS, |target| u64::from(target.x()));
            });
        }
        sum
    }
}

/// What a stale handle adds to the checksum.
const MISS: u64 = 1 << 40;

struct State<C: Contender, const P: usize> {
    stores: Vec<C::Store<Object<P>>>,
    /// The handles of the live objects, by place.
    keys: Vec<C::Key<Object<P>>>,
    /// The object that the one at the same place follows.
    links: Vec<Link<C::Key<Object<P>>>>,
    /// The number of births.
    births: u32,
    sum: u64,
}

#[derive(Clone, Copy)]
struct Link<K> {
    key: K,
    pool: u16,
}

/// A contender that plays a script.
struct Player<F, C: Contender, const P: usize> {
    script: &'static Script,
    state: State<C, P>,
    part: PhantomData<F>,
}

/// A lap has at least so many events, or visits.
const OPERATIONS_MIN: usize = if cfg!(test) { 1 } else { 100_000 };

/// A chunk of a lap has so many ticks, or so many events where there are no walks.
const TICKS: usize = 64;
const EVENTS_OF_CHUNK: usize = 4_096;

impl<F: Play, C: Contender, const P: usize> Player<F, C, P> {
    fn new(script: &'static Script) -> Option<Self> {
        (C::KEYS_LAST && C::REMOVES && C::WALKS_WITHOUT_KEYS).then_some(())?;
        let stores = script.capacities.iter().map(|&capacity| C::new::<Object<P>>(capacity));
        let stores = stores.collect::<Option<Vec<_>>>()?;
        // Any key fills the tables: a place is written before it is read.
        let mut spare = C::new::<Object<P>>(1)?;
        let key = C::insert(&mut spare, Object::new(0));
        F::possible::<C, P>(&mut spare).then_some(())?;
        C::remove(&mut spare, key);
        let keys = vec![key; script.places];
        let links = vec![Link { key, pool: 0 }; if F::LINKS { script.places } else { 0 }];
        let state = State { stores, keys, links, births: 0, sum: 0 };
        Some(Self { script, state, part: PhantomData })
    }

    /// All frames of the script.
    #[inline(never)]
    fn frames(&mut self, clock: &mut Clock) {
        let Self { script, state, .. } = self;
        let mut targets = script.targets.iter();
        let mut begin = 0;
        for ticks in script.ticks.chunks(TICKS) {
            for &end in ticks {
                let end = end as usize;
                Self::play(state, &script.events[begin..end], &mut targets);
                begin = end;
                let sum = F::walk(state);
                state.sum = state.sum.wrapping_add(sum);
                black_box(&mut state.stores);
            }
            clock.end_chunk();
        }
        Self::play(state, &script.events[begin..], &mut targets);
        clock.end_chunk();
    }

    /// Some of the script's events, and nothing else.
    #[inline(never)]
    fn events(&mut self, events: &[Event]) {
        Self::play(&mut self.state, events, &mut [].iter());
    }

    #[inline(always)]
    fn play(state: &mut State<C, P>, events: &[Event], targets: &mut Iter<'_, Target>) {
        for event in events {
            let store = &mut state.stores[usize::from(event.pool)];
            let place = event.place as usize;
            if event.birth {
                let mut object = Object::new(state.births);
                state.births = state.births.wrapping_add(1);
                if F::LINKS {
                    object.life = event.place;
                }
                state.keys[place] = C::insert(store, object);
                if F::LINKS
                    && let Some(target) = targets.next()
                {
                    let key = state.keys[target.place as usize];
                    state.links[place] = Link { key, pool: target.pool };
                }
            } else {
                let object = C::remove(store, state.keys[place]);
                state.sum = state.sum.wrapping_add(u64::from(object.x()));
            }
        }
    }

    /// What one pass counts.
    fn operations(&self) -> usize {
        if F::WALKS { self.script.visits } else { self.script.events.len() }
    }
}

impl<F: Play, C: Contender, const P: usize> Lap for Player<F, C, P> {
    fn lap(&mut self) -> Timed {
        let passes = OPERATIONS_MIN.div_ceil(self.operations().max(1));
        let script = self.script;
        let chunks = if F::WALKS {
            script.ticks.len().div_ceil(TICKS) + 1
        } else {
            script.events.len().div_ceil(EVENTS_OF_CHUNK)
        };
        let mut clock = Clock::start(passes * chunks);
        for _ in 0..passes {
            if F::WALKS {
                self.frames(&mut clock);
                continue;
            }
            for events in script.events.chunks(EVENTS_OF_CHUNK) {
                self.events(events);
                clock.end_chunk();
            }
        }
        black_box(self.state.sum);
        clock.stop(passes * self.operations())
    }

    fn checksum(&mut self) -> Option<u64> {
        C::UPDATES.then_some(self.state.sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contender::Kind;
    use crate::contenders::harness;
    use crate::measure;

    #[test]
    fn every_contender_ends_a_script_with_the_same_checksum_in_every_part() {
        let mut seen = 0;
        let mut all = tasks::<0>(games(), &|_| true);
        all.extend(tasks::<12>(generated_scripts(), &|_| true));
        for task in all {
            let cells = measure::run(&task, 2).unwrap();
            let names: Vec<_> = cells.iter().map(|cell| cell.contender.as_str()).collect();
            assert!(names.contains(&"Pool, Lifo"), "{}", task.work);
            let peers = cells
                .iter()
                .filter(|cell| matches!(cell.kind, Kind::Generational | Kind::GenerationalDense))
                .count();
            assert!(peers >= 9 || task.work.ends_with("runs"), "{}: {names:?}", task.work);
            let only_reads = task.work.ends_with(SHARED) || task.work.ends_with(LOOKUPS);
            assert_eq!(names.contains(&harness::NAME), !only_reads);
            seen += 1;
        }
        assert_eq!(seen, 30);
    }

    #[test]
    fn the_visits_that_a_script_names_are_those_that_a_walk_makes() {
        for script in generated_scripts().iter().chain(games()) {
            let (mut live, mut visits, mut begin) = (0, 0, 0);
            for &end in &script.ticks {
                for event in &script.events[begin..end as usize] {
                    live = if event.birth { live + 1 } else { live - 1 };
                }
                visits += live;
                begin = end as usize;
            }
            assert_eq!(visits, script.visits);
        }
    }

    #[test]
    fn the_recorded_games_have_the_objects_and_pools_that_their_description_names() {
        let bots = Script::from_trace("bots", &traces::freedoom_bots_text()).unwrap();
        assert_eq!((bots.capacities.len(), bots.places), (48, 276));
        assert_eq!((bots.targets.len(), bots.events.len()), (14_678, 2 * 14_678));
        let solo = Script::from_trace("solo", &traces::freedoom_solo_text()).unwrap();
        assert_eq!((solo.capacities.len(), solo.places), (49, 417));
        assert_eq!(solo.targets.len(), 4_507);
        let per_birth = solo.visits / solo.targets.len();
        assert!((100..2_000).contains(&per_birth), "{per_birth}");
    }
}
