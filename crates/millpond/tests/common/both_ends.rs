//! What every iterator that can be used from both ends must do.

use std::fmt::Debug;

use super::Random;

/// Takes from both ends at random; at each step the size is exact.
pub(crate) fn from_both_ends<I>(mut iter: I, expected: &[I::Item], random: &mut Random)
where
    I: DoubleEndedIterator + ExactSizeIterator,
    I::Item: PartialEq + Debug,
{
    let (mut front, mut back) = (0, expected.len());
    loop {
        assert_eq!(iter.size_hint(), (back - front, Some(back - front)));
        assert_eq!(iter.len(), back - front);
        if front == back {
            break;
        }
        if random.below(2) == 0 {
            assert_eq!(iter.next().as_ref(), Some(&expected[front]));
            front += 1;
        } else {
            back -= 1;
            assert_eq!(iter.next_back().as_ref(), Some(&expected[back]));
        }
    }
    for _ in 0..3 {
        assert!(iter.next().is_none() && iter.next_back().is_none(), "fused");
    }
}

/// A clone of a half-used iterator, stepped and folded, gives what is left.
pub(crate) fn half_used<I>(iter: I, expected: &[I::Item])
where
    I: DoubleEndedIterator + Clone,
    I::Item: PartialEq + Debug,
{
    for front in [0, 1, 2, 63, 64, 65] {
        for back in [0, 1, 64] {
            let Some(left) = expected.len().checked_sub(front + back) else { continue };
            let mut used = iter.clone();
            for item in &expected[..front] {
                assert_eq!(used.next().as_ref(), Some(item));
            }
            for _ in 0..back {
                used.next_back().unwrap();
            }
            let expected = &expected[front..front + left];
            let mut folded = Vec::new();
            used.clone().for_each(|item| folded.push(item));
            assert_eq!(folded, expected);
            let mut backward: Vec<_> = used.clone().rev().collect();
            backward.reverse();
            assert_eq!(backward, expected);
            assert_eq!(used.clone().count(), left);
            assert_eq!(used.clone().last().as_ref(), expected.last());
            assert_eq!(used.collect::<Vec<_>>(), expected, "the clones took nothing from it");
        }
    }
}

/// The same of an iterator that has no clones, with so many items taken from the front and from the back.
pub(crate) fn half_used_and_folded<I>(
    mut iter: I,
    (front, back): (usize, usize),
    expected: &[I::Item],
) where
    I: DoubleEndedIterator,
    I::Item: PartialEq + Debug,
{
    let Some(until) = expected.len().checked_sub(back).filter(|until| front <= *until) else {
        return;
    };
    for item in &expected[..front] {
        assert_eq!(iter.next().as_ref(), Some(item));
    }
    for item in expected[until..].iter().rev() {
        assert_eq!(iter.next_back().as_ref(), Some(item));
    }
    // One more from the front, so that the two have met in a word or a block.
    assert_eq!(iter.next().as_ref(), expected[front..until].first());
    let mut folded = Vec::new();
    iter.for_each(|item| folded.push(item));
    assert_eq!(folded, expected[front..until].get(1..).unwrap_or(&[]));
}
