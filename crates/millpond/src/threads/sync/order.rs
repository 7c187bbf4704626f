//! The order of each atomic access that is not `Relaxed`, with its reason.
//!
//! A model of `models` fails for each of them when it is weakened alone: `ci/loom` tries them all. Accesses that are
//! `Relaxed` in the code do not synchronise: counters, hints, first loads that a compare-exchange confirms, and words
//! that only the owner of a slot can read.

use crate::base::orders::orders;

orders! {
    /// The free bit is cleared: after everything that was done to the slot before its bit was set, among it the
    /// end of the value that was there.
    claim: Acquire, weaker Relaxed;

    /// The word of a new lifetime is stored: after the value was written.
    publish: Release, weaker Relaxed;

    /// A guard is added: before the value is read, which was written before the word was stored.
    add_guard: Acquire, weaker Relaxed;

    /// A guard goes: after all reads through it, which the end of the value must not overtake.
    drop_guard: Release, weaker Relaxed;

    /// The fence of the thread that dropped the last guard of a doomed value: before the value
    /// ends, the reads through all other guards are over, and what was done before the removal is
    /// visible.
    last_guard: Acquire, weaker Relaxed;

    /// A value is doomed. Acquire: if there is no guard, it ends at once, after the write that made it and after
    /// all reads through guards. Release: if there are guards, the last of them ends it, and its destructor sees
    /// what this thread did before.
    doom: AcqRel, weaker Acquire | Release;

    /// The free bit is set: after the end of the value.
    give_back: Release, weaker Relaxed;

    /// `&mut` reads a word: before the value is written, or ends in `settle`, all reads through
    /// guards are over.
    exclusive: Acquire, weaker Relaxed;

    /// A pool that is dropped closes a word of free bits: everything done to the free slots is over
    /// before their memory is freed.
    shut: Acquire, weaker Relaxed;

    /// A pool that is dropped dooms a value. Acquire: as for `doom`. Release: as for `doom`.
    doom_at_close: AcqRel, weaker Acquire | Release;

    /// Shares of the pool's memory are given up. Release: after the last access to it. Acquire: the
    /// thread that gives up the last share frees the memory after all those accesses.
    leave: AcqRel, weaker Acquire | Release;

    /// An object of a recycler is claimed: after the thread that had it before is done with it, and
    /// after its reset.
    acquire: Acquire, weaker Relaxed;

    /// An object of a recycler is given back: after its reset. Sequentially consistent because of
    /// the line; see `line_up`.
    release: SeqCst, weaker Relaxed;

    /// The fence of a thread that has counted itself as waiting, and then looks for an object. With
    /// `release` and `look_for_waiting`: either this thread finds the object that another thread
    /// frees at that time, or the other thread sees it waiting.
    line_up: SeqCst, weaker Relaxed;

    /// A thread has freed an object and checks whether any thread waits; see `line_up`.
    look_for_waiting: SeqCst, weaker Relaxed;
}

/// Called between the release of an object and the check whether any thread waits. Does nothing in
/// a program, where both are sequentially consistent. loom treats them as release and acquire, so
/// in its models a fence replaces them.
#[inline(always)]
pub(super) fn between_release_and_look() {
    #[cfg(all(test, loom))]
    super::atomics::fence(look_for_waiting());
}
