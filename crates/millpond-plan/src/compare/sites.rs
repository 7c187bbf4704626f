//! What a recording's objects are when it stands beside another: by call site and size, or by class.

use std::collections::HashMap;

use crate::error::Fault;
use crate::input::Source;
use crate::plan::{FINE_TICKS_MIN, Lengths};
use crate::progress::Silent;
use crate::trace::{self, Event, Frames, Summary, Watch};

/// The number of stretches of time by which the course of a recording is compared.
pub(super) const STRETCHES: usize = 50;

/// Objects of one call site and size, or of one class.
#[derive(Debug, Clone)]
pub struct Site {
    /// The function that allocates, or the class.
    pub name: String,
    /// The size of a block, in recordings of a heap; of the largest object, in lifetime traces with sizes.
    pub bytes: Option<u64>,
    /// How many were born.
    pub births: u64,
    /// The most that were alive at once.
    pub peak: u32,
    /// The tick in which that was first so.
    pub peak_tick: u32,
    /// How many were alive at the end.
    pub left: u32,
    /// The median length of a life, in ticks or frames.
    pub life: Option<u64>,
    /// The same, counted in the births of all sites meanwhile, which do not depend on the machine's pace.
    pub(super) life_in_births: Option<u64>,
    /// The most that were alive in each stretch: of the recording's own time, of that of the longer one of both, and of the births
    /// of all sites.
    pub(super) courses: [Vec<u32>; 3],
}

/// A recording of which the summary was read.
#[derive(Debug)]
pub struct Opened<'s> {
    /// Its summary.
    pub summary: Summary,
    source: &'s Source,
}

impl<'s> Opened<'s> {
    /// Reads a recording once.
    ///
    /// # Errors
    /// If it cannot be used, or has no times.
    pub fn of(source: &'s Source) -> Result<Self, Fault> {
        let summary = trace::read(trace::open(source)?, &mut Nobody, &mut Silent)?;
        summary.expect_times("a comparison")?;
        Ok(Self { summary, source })
    }

    /// Whether its clock is fine enough for a comparison of times.
    pub(super) fn has_fine_clock(&self) -> bool {
        self.summary.ticks() >= FINE_TICKS_MIN
    }

    /// Whether it has frames in which lives can be told.
    pub(super) fn has_frames(&self) -> bool {
        self.summary.frames.as_ref().is_some_and(Frames::are_ticks)
    }

    /// Its length, in frames if they are wanted and there are any, else in ticks.
    pub(super) fn length(&self, in_frames: bool) -> u64 {
        match self.frames(in_frames) {
            Some(frames) => frames.count() + 1,
            None => self.summary.ticks(),
        }
    }

    fn frames(&self, in_frames: bool) -> Option<&Frames> {
        self.summary.frames.as_ref().filter(|_| in_frames)
    }

    /// Reads it again, and counts its objects by site. Lives are in frames, if they are wanted and there are any. `longer` is the
    /// length of the longer one of the recordings that are compared.
    ///
    /// # Errors
    /// If it has changed meanwhile.
    pub fn sites(&self, in_frames: bool, longer: u64) -> Result<Vec<Site>, Fault> {
        let Self { summary, source } = self;
        let (names, of_kind) = names(summary);
        let lengths = [self.length(in_frames), longer, summary.births];
        let frames = self.frames(in_frames);
        let mut counting =
            Counting::new(names.len(), &of_kind, summary.first_tick, lengths, frames);
        if trace::read(trace::open(source)?, &mut counting, &mut Silent)? != *summary {
            return Err(Fault::whole("changed while being read, expected a finished trace"));
        }
        Ok(counting.finish(names))
    }
}

/// The name and the size of each site, and the site of each kind of allocation.
fn names(summary: &Summary) -> (Vec<(String, Option<u64>)>, Vec<u32>) {
    let Some(allocations) = &summary.allocations else {
        let names = summary.classes.iter().map(|class| (class.clone(), None)).collect();
        return (names, (0..summary.classes.len() as u32).collect());
    };
    let places = allocations.places(&[]);
    let mut numbers: HashMap<(String, u64), u32> = HashMap::new();
    let mut names = Vec::new();
    let mut of_kind = Vec::new();
    for (kind, (class, _)) in allocations.kinds().enumerate() {
        let bytes = allocations.sizes()[class as usize];
        let place = &places.places[places.of_kind[kind] as usize];
        let site = place.call_site();
        let number = *numbers.entry((site.clone(), bytes)).or_insert_with(|| {
            names.push((site, Some(bytes)));
            names.len() as u32 - 1
        });
        of_kind.push(number);
    }
    (names, of_kind)
}

/// A site while it is counted.
#[derive(Debug, Clone)]
struct Counts {
    births: u64,
    bytes: Option<u64>,
    live: u32,
    peak: u32,
    peak_tick: u32,
    /// The lives that have ended, and the others: in time, and in births.
    ended: [Lengths; 2],
    left: [Lengths; 2],
    /// The most alive in each stretch so far, the current one included.
    courses: [Vec<u32>; 3],
}

struct Counting<'r> {
    of_kind: &'r [u32],
    frames: Option<&'r Frames>,
    first_tick: u32,
    /// The times and the births that are divided into stretches.
    lengths: [u64; 3],
    /// The current tick, and its time: the tick, or its frame.
    tick: u32,
    time: u32,
    stretches: [usize; 3],
    sites: Vec<Counts>,
    /// How many births there were, of all sites.
    births: u32,
    /// The time of birth, how many births there were before it, and the site of each live object, by key.
    born: Vec<([u32; 2], u32)>,
}

impl<'r> Counting<'r> {
    fn new(
        sites: usize,
        of_kind: &'r [u32],
        first_tick: u32,
        lengths: [u64; 3],
        frames: Option<&'r Frames>,
    ) -> Self {
        let none = Counts {
            births: 0,
            bytes: None,
            live: 0,
            peak: 0,
            peak_tick: 0,
            ended: Default::default(),
            left: Default::default(),
            courses: Default::default(),
        };
        Self {
            of_kind,
            frames,
            first_tick,
            lengths,
            tick: u32::MAX,
            time: 0,
            stretches: [0; 3],
            sites: vec![none; sites],
            births: 0,
            born: Vec::new(),
        }
    }

    fn turn_to(&mut self, tick: u32) {
        if tick != self.tick {
            self.tick = tick;
            self.time = match self.frames {
                Some(frames) => frames.at(tick).unwrap_or(0) as u32,
                None => tick,
            };
            let since = match self.frames {
                Some(_) => u64::from(self.time),
                None => u64::from(tick.saturating_sub(self.first_tick)),
            };
            let [own, longer, _] = self.lengths;
            self.stretches[0] = stretch(since, own);
            self.stretches[1] = stretch(since, longer);
        }
    }

    /// How long an object has lived until now, in time and in births, and its site.
    fn life(&self, key: u32) -> ([u32; 2], u32) {
        let ([time, births], site) = self.born[key as usize];
        ([self.time.saturating_sub(time), self.births.saturating_sub(births)], site)
    }

    fn finish(self, names: Vec<(String, Option<u64>)>) -> Vec<Site> {
        let sites = self.sites.into_iter().zip(names).filter(|(of, _)| of.births > 0);
        sites
            .map(|(mut of, (name, bytes))| {
                of.note([STRETCHES - 1; 3]);
                let life = |unit: usize| {
                    of.ended[unit].quantile(&of.left[unit], 0.5).map(|length| length.ticks)
                };
                Site {
                    name,
                    bytes: bytes.or(of.bytes),
                    births: of.births,
                    peak: of.peak,
                    peak_tick: of.peak_tick,
                    left: of.live,
                    life: life(0),
                    life_in_births: life(1),
                    courses: of.courses,
                }
            })
            .collect()
    }
}

/// The stretch in which this is, of so much.
fn stretch(since: u64, all: u64) -> usize {
    let stretch = (since * STRETCHES as u64 / all.max(1)) as usize;
    stretch.min(STRETCHES - 1)
}

impl Counts {
    /// Notes how many are alive, in all stretches up to this one.
    fn note(&mut self, stretches: [usize; 3]) {
        for (course, stretch) in self.courses.iter_mut().zip(stretches) {
            if course.len() <= stretch {
                course.resize(stretch + 1, self.live);
            }
        }
    }
}

impl Watch for Counting<'_> {
    fn birth(&mut self, event: Event) {
        self.turn_to(event.tick);
        let site = self.of_kind.get(event.kind as usize).copied().unwrap_or(0);
        let key = event.key as usize;
        if key >= self.born.len() {
            self.born.resize(key + 1, ([0; 2], 0));
        }
        self.born[key] = ([self.time, self.births], site);
        self.stretches[2] = stretch(self.births.into(), self.lengths[2]);
        self.births = self.births.saturating_add(1);
        let of = &mut self.sites[site as usize];
        of.note(self.stretches);
        of.births += 1;
        of.bytes = of.bytes.max(event.bytes);
        of.live += 1;
        for (course, stretch) in of.courses.iter_mut().zip(self.stretches) {
            course[stretch] = course[stretch].max(of.live);
        }
        if of.live > of.peak {
            (of.peak, of.peak_tick) = (of.live, event.tick);
        }
    }

    fn death(&mut self, event: Event) {
        self.turn_to(event.tick);
        let (life, site) = self.life(event.key);
        let of = &mut self.sites[site as usize];
        of.note(self.stretches);
        of.live -= 1;
        of.ended.iter_mut().zip(life).for_each(|(ended, life)| ended.add(life));
    }

    fn left(&mut self, _: u32, key: u32, last_tick: u32) {
        self.turn_to(last_tick);
        let (life, site) = self.life(key);
        let of = &mut self.sites[site as usize];
        of.left.iter_mut().zip(life).for_each(|(left, life)| left.add(life));
    }
}

/// Watches nothing: only the summary is wanted.
struct Nobody;

impl Watch for Nobody {
    fn birth(&mut self, _: Event) {}
    fn death(&mut self, _: Event) {}
    fn left(&mut self, _: u32, _: u32, _: u32) {}
}
