//! Work for a `TaffyTree`: `taffy-bench SCENARIO ROUNDS`.

mod peak;

use std::hint::black_box;

use taffy::prelude::*;

const NODES: usize = 10_000;

fn style(number: usize) -> Style {
    Style {
        flex_direction: if number % 2 == 0 { FlexDirection::Row } else { FlexDirection::Column },
        flex_grow: (number % 3) as f32,
        padding: Rect::length((number % 4) as f32),
        ..Style::DEFAULT
    }
}

/// Adds a tree of so many nodes, of which each has up to eight children.
fn add(tree: &mut TaffyTree, nodes: usize) -> NodeId {
    if nodes == 1 {
        let size = Size::from_lengths((1 + nodes % 7) as f32, 10.0);
        return tree.new_leaf(Style { size, ..style(nodes) }).unwrap();
    }
    let below = nodes - 1;
    let count = below.min(8);
    let children: Vec<_> =
        (0..count).map(|child| add(tree, (below + child) / count)).collect();
    tree.new_with_children(style(nodes), &children).unwrap()
}

fn lay_out(tree: &mut TaffyTree, root: NodeId, round: usize) {
    let width = AvailableSpace::Definite(1000.0 + (round % 100) as f32);
    let height = AvailableSpace::Definite(800.0 + (round % 90) as f32);
    tree.compute_layout(root, Size { width, height }).unwrap();
    black_box(tree.layout(root).unwrap().size);
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let scenario = arguments.next().expect("a scenario");
    let rounds: usize = arguments.next().expect("rounds").parse().expect("a number of rounds");

    let mut tree: TaffyTree = TaffyTree::new();
    match scenario.as_str() {
        "relayout" => {
            let root = add(&mut tree, NODES);
            for round in 0..rounds {
                lay_out(&mut tree, root, round);
            }
        }
        "churn" => {
            let root = add(&mut tree, NODES);
            for _ in 0..rounds {
                let subtree = add(&mut tree, 100);
                tree.add_child(root, subtree).unwrap();
                remove(&mut tree, subtree);
            }
        }
        "clone" => {
            let root = add(&mut tree, NODES);
            lay_out(&mut tree, root, 0);
            for _ in 0..rounds {
                black_box(tree.clone());
            }
        }
        "build" => {
            for _ in 0..rounds {
                let mut tree: TaffyTree = TaffyTree::new();
                black_box(add(&mut tree, NODES));
            }
        }
        "small" => {
            for round in 0..rounds {
                let mut trees: Vec<TaffyTree> = (0..4166).map(|_| TaffyTree::new()).collect();
                for tree in &mut trees {
                    let root = add(tree, 24);
                    lay_out(tree, root, round);
                }
                black_box(trees);
            }
        }
        other => panic!("no scenario {other}"),
    }
    peak::print();
}

fn remove(tree: &mut TaffyTree, node: NodeId) {
    for child in tree.children(node).unwrap() {
        remove(tree, child);
    }
    tree.remove(node).unwrap();
}
