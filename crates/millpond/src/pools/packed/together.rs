//! Mutable references to several values at once, some of which may be missing.

use crate::reports::errors::GetDisjointMutError;

/// Mutable references to the elements at these positions, which are in range, if no two are the same.
pub(crate) fn each_mut<T, const N: usize>(
    mut slice: &mut [T],
    positions: [Option<usize>; N],
) -> Result<[Option<&mut T>; N], GetDisjointMutError> {
    let mut ascending: [usize; N] = core::array::from_fn(|at| at);
    ascending.sort_unstable_by_key(|&at| (positions[at], at));
    let mut found = [const { None }; N];
    let mut first = 0;
    for at in ascending {
        let Some(position) = positions[at] else { continue };
        let Some(skipped) = position.checked_sub(first) else {
            return Err(GetDisjointMutError::Overlapping { position: at });
        };
        let rest = core::mem::take(&mut slice).get_mut(skipped..);
        let Some((element, rest)) = rest.and_then(<[T]>::split_first_mut) else { continue };
        found[at] = Some(element);
        slice = rest;
        first = position + 1;
    }
    Ok(found)
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;

    #[test]
    fn each_element_is_lent_once_in_the_order_that_was_asked_for() {
        let mut elements = [10, 11, 12, 13];
        let lent = each_mut(&mut elements, [Some(3), None, Some(0), Some(2)]).unwrap();
        assert_eq!(lent, [Some(&mut 13), None, Some(&mut 10), Some(&mut 12)]);
        let error = each_mut(&mut elements, [Some(1), Some(0), None, Some(1), None]).unwrap_err();
        assert_eq!(error, GetDisjointMutError::Overlapping { position: 3 });
        assert_eq!(each_mut(&mut elements, []).unwrap(), []);
        assert_eq!(each_mut(&mut elements, [Some(2), Some(4)]).unwrap(), [Some(&mut 12), None]);
    }
}
