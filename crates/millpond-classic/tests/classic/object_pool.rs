//! Design 4 for objects of the program's own type, which know that they are pooled.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use crate::common::Random;
use millpond_classic::{ObjectPool, Pooled};

/// A sound, which ends after some samples and keeps its clip alive until then.
#[derive(Debug)]
enum Voice {
    Playing { clip: Rc<u64>, samples_left: u32 },
    Unused { next: Option<u32> },
}

impl Voice {
    fn new(clip: &Rc<u64>, samples_left: u32) -> Self {
        Self::Playing { clip: Rc::clone(clip), samples_left }
    }

    /// Ends its own life.
    fn play(&mut self) {
        match self {
            Self::Playing { samples_left: 0 | 1, .. } => *self = Self::unused(Some(77)),
            Self::Playing { samples_left, .. } => *samples_left -= 1,
            Self::Unused { .. } => panic!("an unused voice is played"),
        }
    }

    fn samples_left(&self) -> u32 {
        match self {
            Self::Playing { clip, samples_left } => *samples_left * **clip as u32,
            Self::Unused { .. } => 0,
        }
    }
}

millpond_classic::pooled!(Voice, Unused);

/// "Either the objects know that they are pooled (their own state says whether they are in use) …": in-use state and
/// link are in the object's own memory, and the pool has nothing beside.
#[test]
fn objects_know_that_they_are_pooled_and_their_own_memory_holds_the_link() {
    let (more, fewer) = (size_of::<ObjectPool<Voice, 1000>>(), size_of::<ObjectPool<Voice, 500>>());
    assert_eq!((more - fewer) / 500, size_of::<Voice>());
    assert_eq!(size_of::<Voice>(), size_of::<(Rc<u64>, u32)>());
}

#[test]
fn it_says_which_objects_are_in_use_and_how_many_there_are() {
    let clip = Rc::new(1);
    let mut pool = ObjectPool::<Voice, 3>::new();
    assert_eq!(pool.capacity(), 3);
    let first = pool.create(Voice::new(&clip, 5)).unwrap().unwrap();
    let used: Vec<bool> = (0..4).map(|index| pool.in_use(index)).collect();
    assert_eq!(used, [first == 0, first == 1, first == 2, false]);
    assert!(format!("{pool:?}").contains("Playing"), "{pool:?}");
}

/// A model: which slots are in use for how long, and the free ones as a stack.
#[test]
fn objects_of_a_programs_own_type_live_and_die_as_in_a_model() {
    const N: usize = 9;
    let clip = Rc::new(1);
    let mut pool = ObjectPool::<Voice, N>::new();
    let mut free: Vec<usize> = (0..N).rev().collect();
    let mut left = [0; N];
    let mut random = Random(1);
    let (mut refused, mut clears) = (0, 0);
    for _ in 0..20_000 {
        match random.below(10) {
            0..6 => {
                let samples = 1 + random.below(6) as u32;
                match pool.create(Voice::new(&clip, samples)) {
                    Ok(index) => {
                        assert_eq!(index, free.pop());
                        left[index.unwrap()] = samples;
                    }
                    Err(full) => {
                        assert!(free.is_empty() && full.into_inner().in_use());
                        refused += 1;
                    }
                }
            }
            6 | 7 => {
                let mut expected =
                    (0..N).filter(|&index| left[index] > 0).collect::<Vec<_>>().into_iter();
                pool.update(|index, voice| {
                    assert_eq!(Some(index), expected.next());
                    voice.play();
                });
                assert_eq!(expected.next(), None);
                for (index, left) in left.iter_mut().enumerate().filter(|(_, left)| **left > 0) {
                    *left -= 1;
                    if *left == 0 {
                        free.push(index);
                    }
                }
            }
            8 => {
                let index = random.below(N + 1);
                let lives = left.get(index).is_some_and(|left| *left > 0);
                assert_eq!(pool.release(index), lives);
                if lives {
                    left[index] = 0;
                    free.push(index);
                }
            }
            _ if random.below(20) == 0 => {
                pool.clear();
                (left, free, clears) = ([0; N], (0..N).rev().collect(), clears + 1);
            }
            _ => {
                let index = random.below(N + 1);
                let seen = pool.update_at(index, |voice| voice.samples_left());
                assert_eq!(seen, left.get(index).copied().filter(|left| *left > 0));
            }
        }
        assert!(pool.available().eq(free.iter().rev().copied()));
        let expected = left.iter().enumerate().filter(|(_, left)| **left > 0);
        assert!(
            pool.iter()
                .map(|(index, voice)| (index, voice.samples_left()))
                .eq(expected.map(|(i, n)| (i, *n)))
        );
        assert_eq!((pool.len(), pool.is_empty()), (N - free.len(), free.len() == N));
        assert_eq!(Rc::strong_count(&clip), 1 + pool.len(), "the unused keep nothing alive");
        let stats = pool.stats();
        assert_eq!((stats.live as u64, stats.refused), (stats.inserted - stats.removed, refused));
    }
    assert!(refused > 100 && clears > 20);
}

/// "Where objects know their pool, only the pool may make them": what comes to life or is lost behind its back is
/// noticed, or harmless.
#[test]
fn object_that_lies_makes_its_pool_panic_and_nothing_worse() {
    /// In use as the test has it, with a link to nowhere.
    struct Liar {
        in_use: std::cell::Cell<bool>,
        next: Option<u32>,
    }
    impl Pooled for Liar {
        fn unused(next: Option<u32>) -> Self {
            Self { in_use: false.into(), next: next.map(|_| 1_000_000) }
        }
        fn in_use(&self) -> bool {
            self.in_use.get()
        }
        fn next_unused(&self) -> Option<u32> {
            self.next
        }
    }
    let live = || Liar { in_use: true.into(), next: Some(0) };
    let mut pool = ObjectPool::<Liar, 3>::new();
    assert_eq!(pool.available().collect::<Vec<_>>(), [0, 1_000_000], "as it says, and no further");
    assert_eq!(pool.create(live()).ok(), Some(Some(0)));
    assert!(catch_unwind(AssertUnwindSafe(|| pool.create(live()))).is_err());
    pool.get(0).unwrap().in_use.set(false);
    assert!(pool.get(0).is_none() && !pool.release(0));
    pool.clear();
    assert_eq!(pool.create(live()).ok(), Some(Some(0)));
}

#[test]
fn panic_while_an_object_changes_loses_no_slot() {
    let clip = Rc::new(1);
    let mut pool = ObjectPool::<Voice, 3>::new();
    for _ in 0..3 {
        pool.create(Voice::new(&clip, 2)).unwrap();
    }
    let end_and_panic = |pool: &mut ObjectPool<Voice, 3>| {
        pool.update(|index, voice| {
            if index == 1 {
                *voice = Voice::unused(None);
                panic!("on purpose");
            }
        });
    };
    assert!(catch_unwind(AssertUnwindSafe(|| end_and_panic(&mut pool))).is_err());
    assert_eq!((pool.len(), pool.in_use(1)), (2, false));
    assert!(pool.available().eq([1]));
    assert_eq!(pool.create(Voice::new(&clip, 1)).unwrap(), Some(1));
}

/// A shot that ends its own life by a flag, as the sample's particles do; its load may explode when it is dropped.
enum Shot {
    Flying { is_over: bool, _load: Load },
    Unused { next: Option<u32> },
}

struct Load(Rc<std::cell::Cell<bool>>);

impl Drop for Load {
    fn drop(&mut self) {
        assert!(!self.0.take(), "the load explodes");
    }
}

impl Pooled for Shot {
    fn unused(next: Option<u32>) -> Self {
        Self::Unused { next }
    }

    fn in_use(&self) -> bool {
        matches!(self, Self::Flying { is_over: false, .. })
    }

    fn next_unused(&self) -> Option<u32> {
        match self {
            Self::Unused { next } => *next,
            Self::Flying { .. } => None,
        }
    }
}

impl Shot {
    fn end(&mut self) {
        if let Self::Flying { is_over, .. } = self {
            *is_over = true;
        }
    }
}

#[test]
fn panic_in_the_drop_of_an_object_loses_no_slot() {
    let explodes = Rc::new(std::cell::Cell::new(false));
    let shot = || Shot::Flying { is_over: false, _load: Load(explodes.clone()) };
    let mut pool = ObjectPool::<Shot, 4>::new();
    let panics = |pool: &mut ObjectPool<Shot, 4>, work: &dyn Fn(&mut ObjectPool<Shot, 4>)| {
        explodes.set(true);
        assert!(catch_unwind(AssertUnwindSafe(|| work(pool))).is_err());
        assert!(!explodes.get(), "one load has exploded");
    };
    let fill = |pool: &mut ObjectPool<Shot, 4>| while pool.create(shot()).is_ok() {};

    fill(&mut pool);
    panics(&mut pool, &|pool| {
        pool.update(|index, shot| {
            if index == 2 {
                shot.end()
            }
        })
    });
    assert_eq!((pool.len(), pool.available().collect::<Vec<_>>()), (3, vec![2]));
    panics(&mut pool, &|pool| _ = pool.update_at(0, Shot::end));
    assert_eq!((pool.len(), pool.available().collect::<Vec<_>>()), (2, vec![0, 2]));
    panics(&mut pool, &|pool| _ = pool.release(3));
    assert_eq!((pool.len(), pool.available().collect::<Vec<_>>()), (1, vec![3, 0, 2]));

    fill(&mut pool);
    panics(&mut pool, &|pool| pool.clear());
    assert_eq!((pool.len(), pool.available().collect::<Vec<_>>()), (3, vec![0]));
    pool.clear();
    assert!(pool.is_empty() && pool.available().eq(0..4));
    let stats = pool.stats();
    assert_eq!((stats.inserted, stats.removed), (7, 7));
}

/// An unused object that has something to drop, and panics there, costs slots until the next `clear`; the free list is
/// never a circle, on which a place in use would be handed out.
#[test]
fn panic_in_the_drop_of_an_unused_object_makes_no_circle_of_the_list() {
    thread_local! {
        static EXPLODES: Rc<std::cell::Cell<bool>> = Rc::default();
    }
    struct Loaded {
        in_use: bool,
        next: Option<u32>,
        _load: Load,
    }
    impl Loaded {
        fn new(in_use: bool, next: Option<u32>) -> Self {
            Self { in_use, next, _load: Load(EXPLODES.with(Rc::clone)) }
        }
    }
    impl Pooled for Loaded {
        fn unused(next: Option<u32>) -> Self {
            Self::new(false, next)
        }
        fn in_use(&self) -> bool {
            self.in_use
        }
        fn next_unused(&self) -> Option<u32> {
            self.next
        }
    }
    let mut pool = ObjectPool::<Loaded, 3>::new();
    let fill = |pool: &mut ObjectPool<Loaded, 3>| {
        (0..4).filter(|_| pool.create(Loaded::new(true, None)).is_ok()).count()
    };
    assert_eq!(fill(&mut pool), 3);
    for index in 0..3 {
        assert!(pool.release(index));
    }
    assert!(pool.available().eq([2, 1, 0]));
    EXPLODES.with(|explodes| explodes.set(true));
    assert!(catch_unwind(AssertUnwindSafe(|| pool.clear())).is_err());
    assert!(pool.available().eq([2]));
    assert_eq!(fill(&mut pool), 1);
    pool.clear();
    assert_eq!(fill(&mut pool), 3);
}

#[test]
fn object_that_is_over_before_it_begins_takes_no_slot() {
    let mut pool = ObjectPool::<Voice, 2>::new();
    assert_eq!(pool.create(Voice::unused(Some(1))).unwrap(), None);
    assert_eq!((pool.len(), pool.stats().inserted), (0, 0));
    assert!(ObjectPool::<Voice, 0>::default().create(Voice::unused(None)).is_err());
}
