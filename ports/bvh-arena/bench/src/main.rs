//! Volumes in trees: `bvh-arena-bench SCENARIO ROUNDS`.

mod peak;

use std::hint::black_box;

use bvh_arena::volumes::Aabb;
use bvh_arena::{Bvh, VolumeHandle};

const VOLUMES: usize = 10_000;

/// A square somewhere in a field, the same for the same number.
fn square(number: usize) -> Aabb<2> {
    let x = (number * 7919 % 10_007) as f32 / 10.0;
    let y = (number * 6271 % 9973) as f32 / 10.0;
    Aabb::from_min_max([x, y], [x + 4.0, y + 4.0])
}

/// A tree of so many squares.
fn tree(count: usize) -> (Bvh<usize, Aabb<2>>, Vec<VolumeHandle>) {
    let mut bvh = Bvh::default();
    let handles = (0..count).map(|number| bvh.insert(number, square(number))).collect();
    (bvh, handles)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let scenario = arguments.next().expect("a scenario");
    let rounds: usize = arguments.next().expect("rounds").parse().expect("a number of rounds");
    match scenario.as_str() {
        "move" => {
            let (mut bvh, mut handles) = tree(VOLUMES);
            for round in 0..rounds {
                for number in (round % 10..VOLUMES).step_by(10) {
                    bvh.remove(handles[number]).unwrap();
                    handles[number] = bvh.insert(number, square(number + round));
                }
            }
        }
        "overlaps" => {
            let (bvh, _) = tree(VOLUMES);
            let mut found = 0;
            for round in 0..rounds {
                for number in (round % 10..VOLUMES).step_by(10) {
                    bvh.for_each_overlaps(&square(number), |_| found += 1);
                }
            }
            assert!(found >= rounds);
        }
        "trees" => {
            let mut trees: Vec<_> = (0..2_000).map(|_| tree(20)).collect();
            for _ in 0..rounds {
                trees.iter_mut().for_each(|one| *one = tree(20));
            }
            black_box(trees);
        }
        other => panic!("no scenario {other}"),
    }
    peak::print();
}
