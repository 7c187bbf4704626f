/// What a pool does for its debug aids, of `storage` and `core`.
macro_rules! watch_methods {
    () => {
        /// Watches the slots from now on, if any aid is enabled.
        pub(crate) fn watch(
            &mut self,
            aids: crate::reports::debug::DebugAids,
        ) -> Result<(), crate::base::memory::OutOfMemory> {
            let watch = crate::reports::debug::Watch::try_new(self.name(), aids, self.capacity())?;
            self.storage.watch(watch);
            Ok(())
        }

        /// Stops watching.
        pub(crate) fn unwatch(&mut self) {
            self.storage.unwatch();
        }

        /// Inspects the slot that comes next, if there is one.
        #[track_caller]
        #[inline]
        fn inspect_next(&mut self) {
            if self.storage.watched().is_some() {
                if let Some(handle) = self.core.peek(&self.storage) {
                    self.storage.inspect(handle.index() as usize);
                }
            }
        }

        /// The caller inserted an object into this slot.
        #[track_caller]
        #[inline]
        fn note_origin(&mut self, index: usize) {
            if let Some(watch) = self.storage.watched_mut() {
                watch.inserted(index);
            }
        }

        /// A removal was refused.
        #[track_caller]
        #[inline]
        fn note_refused_removal(&self, handle: H) {
            if let Some(watch) = self.storage.watched() {
                watch.removal_refused(handle, self.explain(handle));
            }
        }
    };
}
pub(crate) use watch_methods;
