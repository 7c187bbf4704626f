//! Takes the place of `heap` without the feature `alloc`: only a [`StaticPool`](crate::StaticPool) is built, which has no
//! default.

pub(super) type DefaultOrder = crate::slots::reuse::InlineRoster;

pub(super) type DefaultPlace<R> = crate::slots::Inline<(), (R, u32, u32), 0>;
