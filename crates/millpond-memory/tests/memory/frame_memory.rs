//! The memory that is lent for a frame, against a model: values of several types that refer to each other, frames that
//! are full, and frames that end by a panic.

use std::cell::Cell;
use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::allocations::{Allocations, during};
use crate::common::Random;
use crate::frame_pool::square::{LEAF_ACTORS_MAX, Point, Square};
use millpond_memory::{Frame, FrameMemory, FrameRef};

#[derive(Debug, Clone, Copy, PartialEq)]
struct Node<'frame> {
    key: u64,
    next: Option<FrameRef<'frame, Node<'frame>>>,
    mark: Option<FrameRef<'frame, Mark>>,
}

#[derive(Debug, PartialEq)]
struct Unit;

#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(128))]
struct Mark(u8);

/// What one frame is compared with.
#[derive(Default)]
struct Model<'frame> {
    nodes: Vec<(FrameRef<'frame, Node<'frame>>, Node<'frame>)>,
    marks: Vec<(FrameRef<'frame, Mark>, Mark)>,
    bytes: Vec<(FrameRef<'frame, u8>, u8)>,
}

impl<'frame> Model<'frame> {
    fn step(&mut self, frame: &mut Frame<'frame>, random: &mut Random) -> bool {
        let free = frame.free();
        match random.below(5) {
            0 => {
                let node = Node {
                    key: random.below(1000) as u64,
                    next: self.nodes.last().map(|last| last.0),
                    mark: self.marks.last().map(|last| last.0),
                };
                match frame.insert(node) {
                    Ok(link) => self.nodes.push((link, node)),
                    Err(full) => return self.refused(free, full.into_inner() == node, 24),
                }
            }
            1 => {
                let mark = Mark(random.below(256) as u8);
                match frame.insert(mark) {
                    Ok(link) => self.marks.push((link, mark)),
                    Err(full) => return self.refused(free, full.into_inner() == mark, 128),
                }
            }
            2 => match frame.insert(7_u8) {
                Ok(link) => self.bytes.push((link, 7)),
                Err(full) => return self.refused(free, full.into_inner() == 7, 1),
            },
            3 if !self.nodes.is_empty() => {
                let at = random.below(self.nodes.len());
                let (link, model) = &mut self.nodes[at];
                model.key += 1;
                frame[*link].key += 1;
                model.next = None;
                frame.get_mut(*link).next = None;
            }
            _ => {
                if let Some((link, model)) = self.bytes.last_mut() {
                    *model = model.wrapping_add(1);
                    frame[*link] = *model;
                }
            }
        }
        true
    }

    /// There was less room than the value needs, with the gap before it.
    fn refused(&self, free: usize, is_returned: bool, size: usize) -> bool {
        assert!(is_returned && free < 2 * size, "{free} bytes were free");
        false
    }

    fn check(&self, frame: &Frame<'frame>) {
        assert!(self.nodes.iter().all(|(link, node)| frame[*link] == *node));
        assert!(self.marks.iter().all(|(link, mark)| frame.get(*link) == mark));
        assert!(self.bytes.iter().all(|(link, byte)| frame[*link] == *byte));
        let links: HashSet<_> = self.nodes.iter().map(|(link, _)| link).collect();
        assert_eq!(links.len(), self.nodes.len());
        for (link, _) in &self.marks {
            assert!(std::ptr::from_ref(frame.get(*link)).addr() % 128 == 0);
        }
    }
}

#[test]
fn values_are_those_of_a_model_until_the_frame_is_full() {
    let mut random = Random(5);
    for bytes in [0, 1, 64, 65, 1_000, 40_000] {
        let mut memory = FrameMemory::new(bytes);
        assert_eq!(memory.capacity(), bytes.next_multiple_of(64));
        let mut refused = 0;
        for _ in 0..20 {
            memory.frame(|frame| {
                assert_eq!(frame.free(), bytes.next_multiple_of(64), "each frame begins empty");
                let mut model = Model::default();
                for _ in 0..400 {
                    refused += u64::from(!model.step(frame, &mut random));
                    model.check(frame);
                }
            });
        }
        assert_eq!(memory.refused(), refused);
        assert!(memory.peak() <= memory.capacity() && (refused > 0) == (bytes <= 1_000));
    }
}

#[test]
fn the_last_byte_is_used_and_the_next_one_refused() {
    let mut memory = FrameMemory::new(64);
    memory.frame(|frame| {
        assert!(frame.insert([1_u8; 57]).is_ok());
        assert_eq!(frame.insert(2_u64).unwrap_err().into_inner(), 2, "the gap leaves no room");
        assert!(frame.insert([3_u8; 8]).is_err());
        assert!(frame.insert([3_u8; 7]).is_ok());
        assert_eq!(frame.free(), 0);
        assert!(frame.insert(4_u8).is_err());
        let units = [frame.insert(Unit).unwrap(), frame.insert(Unit).unwrap()];
        assert_eq!(frame[units[0]], frame[units[1]], "what has no size fits into a full frame");
    });
    assert_eq!((memory.peak(), memory.refused()), (64, 3));
    memory.frame(|frame| assert!(frame.insert([1_u8; 64]).is_ok()));
    memory.frame(|frame| assert!(frame.insert(1_u8).is_ok()));
    assert_eq!(memory.peak(), 64, "of the fullest frame, not of the last one");
}

#[test]
fn a_frame_that_panics_counts_and_the_next_one_begins_empty() {
    let mut memory = FrameMemory::new(640);
    let panic = catch_unwind(AssertUnwindSafe(|| {
        memory.frame(|frame| {
            assert!(frame.insert([0_u8; 600]).is_ok() && frame.insert([0_u8; 600]).is_err());
            assert!(frame.free() > 600, "on purpose");
        });
    }));
    assert!(panic.is_err());
    assert_eq!((memory.peak(), memory.refused()), (600, 1));
    memory.frame(|frame| assert_eq!(frame.free(), 640));
}

#[test]
fn frames_take_no_memory_and_may_be_nested() {
    let (mut memories, start) = during(|| [FrameMemory::new(6400), FrameMemory::new(640)]);
    assert_eq!(start.taken, 2);
    let [outer, inner] = &mut memories;
    let (sum, frames) = during(|| {
        (0..100_u32).fold(0, |sum, number| {
            outer.frame(|first| {
                let one = first.insert(Cell::new(number)).unwrap();
                let doubled = inner.frame(|second| {
                    let two = second.insert(first[one].get()).unwrap();
                    second[two] *= 2;
                    second[two]
                });
                first[one].set(doubled);
                sum + first.get(one).get()
            })
        })
    });
    assert_eq!((sum, frames), (9900, Allocations::default()));
}

/// A value may borrow what lives outside of the frame.
#[test]
fn values_may_borrow_from_outside() {
    let names = ["a".to_owned(), "b".to_owned()];
    let longest = FrameMemory::new(640).frame(|frame| {
        let links: Vec<_> = names.iter().map(|name| frame.insert(name).unwrap()).collect();
        links.iter().map(|&link| frame[link].len()).max()
    });
    assert_eq!(longest, Some(1));
}

#[test]
fn links_that_differ_have_hashes_that_differ() {
    FrameMemory::new(64).frame(|frame| {
        let [one, other] = [3_u8, 3].map(|value| frame.insert(value).unwrap());
        let hash =
            |link: FrameRef<'_, u8>| BuildHasherDefault::<DefaultHasher>::new().hash_one(link);
        let copy = one;
        assert_eq!(hash(one), hash(copy));
        assert!(one != other && hash(one) != hash(other));
    });
}

#[test]
fn a_refusal_says_how_much_is_free_and_how_much_was_wanted() {
    FrameMemory::new(64).frame(|frame| {
        frame.insert([0_u8; 60]).unwrap();
        let said = frame.insert(7_u64).unwrap_err().to_string();
        assert_eq!(said, "the frame is full: 4 bytes are free, and a value has 8");
    });
}

#[test]
fn links_are_as_small_as_references_and_too_much_memory_is_refused() {
    assert_eq!(size_of::<Option<FrameRef<'_, [u64; 9]>>>(), size_of::<usize>());
    assert!(catch_unwind(|| FrameMemory::new(usize::MAX)).is_err());
    assert!(FrameMemory::try_new(usize::MAX).is_none());
}

/// A square of a quadtree: with the places in it, or with its quarters.
#[derive(Clone, Copy)]
struct Part<'frame> {
    square: Square,
    places: [Point; LEAF_ACTORS_MAX],
    count: usize,
    quarters: Option<[FrameRef<'frame, Self>; 4]>,
}

impl<'frame> Part<'frame> {
    fn empty(frame: &mut Frame<'frame>, square: Square) -> FrameRef<'frame, Self> {
        let places = [(0, 0); LEAF_ACTORS_MAX];
        frame.insert(Self { square, places, count: 0, quarters: None }).unwrap()
    }

    /// The part without quarters that has a place.
    fn leaf_of(
        frame: &Frame<'frame>,
        mut part: FrameRef<'frame, Self>,
        place: Point,
    ) -> FrameRef<'frame, Self> {
        while let Some(quarters) = frame[part].quarters {
            part = quarters[frame[part].square.quarter_of(place)];
        }
        part
    }

    fn add(frame: &mut Frame<'frame>, root: FrameRef<'frame, Self>, place: Point) {
        let leaf = Self::leaf_of(frame, root, place);
        let Self { square, places, count, .. } = frame[leaf];
        if count < places.len() {
            frame[leaf].places[count] = place;
            frame[leaf].count += 1;
            return;
        }
        let quarters = [0, 1, 2, 3].map(|quarter| Self::empty(frame, square.quarter(quarter)));
        frame[leaf].quarters = Some(quarters);
        for place in places.into_iter().chain([place]) {
            Self::add(frame, leaf, place);
        }
    }
}

/// "Motivating use: a quadtree for collision that is torn down and rebuilt from the same timber every frame at 60
/// frames a second": each place is found again, and no memory is taken.
#[test]
fn a_quadtree_is_rebuilt_in_each_frame_from_the_same_memory() {
    let mut memory = FrameMemory::new(400 * size_of::<Part<'_>>());
    let mut random = Random(11);
    for _ in 0..60 {
        let mut anywhere = || random.below(1 << 16) as i32 - (1 << 15);
        let mut places: Vec<Point> = (0..200).map(|_| (anywhere(), anywhere())).collect();
        places.sort_unstable();
        places.dedup();
        let ((), taken) = during(|| {
            memory.frame(|frame| {
                let root = Part::empty(frame, Square::WHOLE);
                places.iter().for_each(|&place| Part::add(frame, root, place));
                for place in &places {
                    let leaf = frame[Part::leaf_of(frame, root, *place)];
                    assert!(leaf.places[..leaf.count].contains(place));
                }
            });
        });
        assert_eq!(taken, Allocations::default());
    }
    assert!(memory.peak() > 60 * size_of::<Part<'_>>() && memory.refused() == 0);
}
