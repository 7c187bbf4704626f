use super::AnyPool;
use crate::handle::HandleLayout;
use crate::policies::lifetimes;
use crate::slots::reuse::ReuseOrder;

lifetimes! {
    [D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout]
    AnyPool<D, SLOT_BYTES, R, H>, H,
    last: |pool, handle| pool.slots.core().is_last(handle),
}
