//! Moving the objects into the lowest slots.

use super::VecPool;
use crate::handle::HandleLayout;
use crate::pools::doubling::next_move;
use crate::slots::reuse::ReuseOrder;

impl<T, R: ReuseOrder, H: HandleLayout> VecPool<T, R, H> {
    /// Moves objects from the last slots into the first free ones, until no free slot comes before a live one, and frees the
    /// slots behind them as [`shrink_to_fit`](Self::shrink_to_fit) does; returns how many. Each object that moves gets a
    /// new handle, and its old one is stale from then on: `moved` is called before with both and with the value, so that
    /// whatever holds the handle can follow.
    ///
    /// At most as many objects move as there are free slots below the last live one, each once; the others keep their
    /// slots and handles. For the slots, a move is a removal and an insertion: both are counted and recorded, and an object
    /// in the last [lifetime](crate::PoolBuilder::lifetimes) of its slot leaves a retired slot. Slots of
    /// [detached](Self::detach) objects and retired slots stay where they are.
    ///
    /// If `moved` panics, the object of that call and all others keep the handles that they have then, and no slot is freed.
    ///
    /// **Time**: O(capacity), plus `moved` and the copy of one value for each object that moves. **Memory**: while it frees,
    /// the smaller block beside the larger one. Afterwards, each freed slot that was ever used still takes 4 bytes, as
    /// after `shrink_to_fit`.
    ///
    /// ```
    /// use millpond::{Handle, SideTable, VecPool};
    ///
    /// struct Node {
    ///     parent: Option<Handle<Node>>,
    /// }
    /// let mut tree = VecPool::new();
    /// let nodes: Vec<_> = (0..100).map(|_| tree.push(Node { parent: None })).collect();
    /// let mut names = SideTable::new();
    /// names.insert(nodes[98], "root").unwrap();
    /// tree[nodes[99]].parent = Some(nodes[98]);
    /// for node in &nodes[..98] {
    ///     tree.remove(*node);
    /// }
    /// assert_eq!(tree.shrink_to_fit(), 28); // of 128: a live slot keeps all before it
    ///
    /// let mut new_handles = SideTable::with_limit(usize::MAX); // far slots come first
    /// tree.compact(|old, new, _| {
    ///     new_handles.insert(old, new).unwrap();
    ///     if let Some(name) = names.remove(old) {
    ///         names.insert(new, name).unwrap(); // a table follows
    ///     }
    /// });
    /// for node in tree.values_mut() {
    ///     let parent = node.parent.and_then(|old| new_handles.get(old).copied());
    ///     node.parent = parent.or(node.parent); // and so do the links
    /// }
    /// assert_eq!(tree.capacity(), 2);
    /// let child = new_handles[nodes[99]];
    /// let root = tree[child].parent.unwrap();
    /// assert_eq!(names[root], "root");
    /// assert!(!tree.contains(nodes[98]) && !tree.contains(nodes[99]));
    /// ```
    #[track_caller]
    pub fn compact(&mut self, mut moved: impl FnMut(H, H, &mut T)) -> usize {
        let mut between = 0..self.capacity();
        while let Some((from, new)) =
            next_move::<H>(&mut between, |index| self.storage.words().get(index))
        {
            let (old, value) = self.object_at_mut(from).expect("a live slot");
            moved(old, new, value);
            let value = self.remove_at(from).expect("a live slot");
            let inserted = self.insert_at(new, value);
            debug_assert!(inserted.is_ok(), "a free slot has the lifetime that comes next");
            let to = new.index() as usize;
            self.watched().into_iter().for_each(|watch| watch.moved(from, to));
        }
        self.shrink_to_fit()
    }
}
