//! Takes the place of `heap` without the feature `alloc`: only a [`StaticPool`](crate::StaticPool) is built, which has no
//! default, and no object can be out of its pool.

use crate::reports::errors::InsertAtErrorKind;

pub(super) type DefaultOrder = crate::slots::reuse::InlineRoster;

pub(super) type DefaultPlace<R> = crate::slots::Inline<(), (R, u32, u32), 0>;

/// No slots.
#[derive(Clone, Debug)]
pub(crate) struct Detached;

impl Detached {
    pub(crate) const NONE: Self = Self;

    pub(crate) fn as_slice(&self) -> &[(u32, u32)] {
        &[]
    }

    pub(crate) fn explain(&self, _: u32, why: InsertAtErrorKind) -> InsertAtErrorKind {
        why
    }

    pub(crate) fn retain(&mut self, _: impl Fn(usize) -> bool) {}

    pub(crate) fn add_from(&mut self, _: &Self, _: impl Fn(usize) -> bool) {}
}
