use super::{AnyPool, Iter, IterMut};
use crate::handle::HandleLayout;
use crate::pools::faces::operators;
use crate::slots::reuse::ReuseOrder;

operators! {
    [D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout] AnyPool<D, SLOT_BYTES, R, H>, D, H,
    iterators: Iter<'a, D, SLOT_BYTES, R, H>, IterMut<'a, D, R, H>,
    example: "AnyPool", " = AnyPool::<dyn std::any::Any, 16>::builder().name(\"bullets\").capacity(8).build()"
}

crate::pools::shell::default_without_slots!(
    [D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout] AnyPool<D, SLOT_BYTES, R, H>
);
