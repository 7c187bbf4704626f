use super::StaticPool;
use crate::handle::HandleLayout;

impl<T, const N: usize, H: HandleLayout> Default for StaticPool<T, N, H> {
    fn default() -> Self {
        Self::with_handle()
    }
}
