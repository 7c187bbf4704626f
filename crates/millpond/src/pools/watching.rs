//! What pools tell their debug aids. Without the feature, nothing that is behind `cfg!` is generated for a pool's values.

/// Implements it for a pool that can say what watches over it: `watched`.
macro_rules! watching {
    ([$($generics:tt)*] $pool:ty, $handle:ty) => {
        impl<$($generics)*> $pool {
            /// The caller inserted an object into this slot.
            #[track_caller]
            #[inline]
            pub(in crate::pools) fn note_origin(&self, index: usize) {
                if cfg!(feature = "debug-aids") {
                    if let Some(watch) = self.watched() {
                        watch.inserted(index);
                    }
                }
            }

            /// The caller wants to remove an object. Panics if the pool refuses that, and an aid is to report it.
            #[track_caller]
            #[inline]
            pub(in crate::pools) fn note_removal(&self, handle: $handle) {
                if cfg!(feature = "debug-aids") {
                    if let Some(watch) = self.watched() {
                        match self.contains(handle) {
                            true => watch.removed(handle),
                            false => {
                                let (why, now) = (self.explain(handle), self.live_in(handle));
                                watch.removal_refused(handle, why, now);
                            }
                        }
                    }
                }
            }

            /// Whether it stores where objects were removed.
            pub(in crate::pools) fn remembers_removals(&self) -> bool {
                self.watched().is_some_and(|watch| watch.remembers_removals())
            }

            /// The caller is about to remove all objects.
            #[track_caller]
            #[inline]
            pub(in crate::pools) fn note_removal_of_all(&self) {
                if cfg!(feature = "debug-aids") && self.remembers_removals() {
                    for handle in self.handles() {
                        self.note_removal(handle);
                    }
                }
            }

            /// The caller begins an iteration that removes objects.
            #[track_caller]
            #[inline]
            pub(in crate::pools) fn note_iteration(&self) {
                if cfg!(feature = "debug-aids") {
                    if let Some(watch) = self.watched() {
                        watch.iterated();
                    }
                }
            }

            /// The iteration removes the object in this slot.
            #[inline]
            pub(in crate::pools) fn note_removal_in_iteration(&self, index: usize) {
                if cfg!(feature = "debug-aids") {
                    if let (Some(watch), Some(handle)) = (self.watched(), self.handle_at(index)) {
                        watch.removed_in_iteration(handle);
                    }
                }
            }

            /// Panics because this handle is refused, and says what removed its object, if that is known.
            #[cold]
            #[inline(never)]
            #[track_caller]
            pub(in crate::pools) fn refuse_handle(&self, handle: $handle) -> ! {
                let why = self.explain(handle);
                if let Some(watch) = self.watched() {
                    watch.tell_removal(handle, why, self.live_in(handle));
                }
                crate::reports::errors::refuse(self.name(), handle, why)
            }

            /// What is live in the handle's slot.
            pub(in crate::pools) fn live_in(&self, handle: $handle) -> Option<crate::handle::Explanation> {
                self.handle_at(handle.index() as usize).map(|live| self.explain(live))
            }
        }
    };
}
pub(crate) use watching;
