use super::Pool;
use crate::handle::HandleLayout;
use crate::slots::reuse::ReuseOrder;

crate::pools::shell::default_without_slots!([T, R: ReuseOrder, H: HandleLayout] Pool<T, R, H>);
crate::pools::shell::full_from_iterator!(
    [T, R: ReuseOrder, H: HandleLayout] Pool<T, R, H>, example "Pool"
);
