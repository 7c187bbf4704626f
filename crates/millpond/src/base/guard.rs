//! Code that runs at the end of a scope, even if user code panics.

use core::ops::{Deref, DerefMut};

/// A value that is finished when the guard is dropped: at the end of the scope, or by a panic. Made by [`guard`].
#[allow(missing_debug_implementations, reason = "no value of it is public")]
pub struct Guard<T, F: FnMut(&mut T)> {
    value: T,
    finish: F,
}

/// Guards `value`: dropping the guard calls `finish` with it.
///
/// While user code runs, `value` may be in a state that nobody else may see; `finish` ends this state.
#[inline(always)]
pub fn guard<T, F: FnMut(&mut T)>(value: T, finish: F) -> Guard<T, F> {
    Guard { value, finish }
}

/// Ends a guard without a call of `finish`, because no user code has panicked.
#[inline(always)]
pub fn defuse<T, F: FnMut(&mut T)>(guard: Guard<T, F>) {
    const { assert!(!core::mem::needs_drop::<T>() && !core::mem::needs_drop::<F>(), "a leak") };
    core::mem::forget(guard);
}

/// Calls `work`, and once more while unwinding if it panics: to continue after a value whose drop has panicked.
#[inline]
pub fn continue_after_panic<T>(value: &mut T, work: impl Fn(&mut T)) {
    let mut value = guard(value, |value| work(value));
    work(&mut value);
    defuse(value);
}

/// A place where a state is half written, in what a guard keeps whole: tests panic here (`tests::panics_half_way`).
#[inline(always)]
pub fn half_way() {
    #[cfg(test)]
    tests::pass_half_way();
}

impl<T, F: FnMut(&mut T)> Drop for Guard<T, F> {
    #[inline]
    fn drop(&mut self) {
        (self.finish)(&mut self.value);
    }
}

impl<T, F: FnMut(&mut T)> Deref for Guard<T, F> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T, F: FnMut(&mut T)> DerefMut for Guard<T, F> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    use super::{continue_after_panic, defuse, guard};

    fn panics(work: impl FnOnce()) -> bool {
        catch_unwind(AssertUnwindSafe(work)).is_err()
    }

    fn panic_quietly() -> ! {
        resume_unwind(std::boxed::Box::new("on purpose"))
    }

    std::thread_local! {
        /// How many places are passed before the one that panics.
        static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
    }

    pub(super) fn pass_half_way() {
        match LEFT.take() {
            Some(0) => panic_quietly(),
            left => LEFT.set(left.map(|left| left - 1)),
        }
    }

    /// Does this once for each [place](super::half_way) that it passes, and panics there: `work` gets a new state each time,
    /// and `check` sees it afterwards. Returns how many places there are.
    pub(crate) fn panics_half_way<S>(
        mut state: impl FnMut() -> S,
        mut work: impl FnMut(&mut S),
        mut check: impl FnMut(&mut S),
    ) -> usize {
        for places in 0.. {
            let mut now = state();
            LEFT.set(Some(places));
            let panicked = panics(|| work(&mut now));
            let is_last = LEFT.take().is_some();
            check(&mut now);
            if is_last {
                assert!(!panicked, "it panicked elsewhere");
                return places;
            }
            assert!(panicked);
        }
        unreachable!("there are not so many places")
    }

    #[test]
    fn a_value_is_finished_once_at_the_end_or_by_a_panic_unless_defused() {
        let mut steps = [0; 3];
        let mut at_end = guard(&mut steps[0], |step| **step += 10);
        **at_end += 1;
        drop(at_end);
        assert!(panics(|| {
            let mut by_panic = guard(&mut steps[1], |step| **step += 10);
            **by_panic += 1;
            panic_quietly();
        }));
        let mut defused = guard(&mut steps[2], |step| **step += 10);
        **defused += 1;
        defuse(defused);
        assert_eq!(steps, [11, 11, 1]);
    }

    #[test]
    fn work_continues_once_after_a_panic() {
        let count = |panic_at: &[u32]| {
            let (mut next, mut calls) = (0, std::cell::Cell::new(0));
            let panicked = panics(|| {
                continue_after_panic(&mut next, |next| {
                    calls.set(calls.get() + 1);
                    while *next < 5 {
                        *next += 1;
                        if panic_at.contains(next) {
                            panic_quietly();
                        }
                    }
                });
            });
            (panicked, next, *calls.get_mut())
        };
        assert_eq!(count(&[]), (false, 5, 1));
        assert_eq!(count(&[1]), (true, 5, 2));
        assert_eq!(count(&[5]), (true, 5, 2));
    }
}
