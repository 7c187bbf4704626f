# slotmap itself: its `SlotMap` as a thin face of a `BlockPool`, so that slotmap's own tests and examples are run on it.
CRATE=slotmap
VERSION=1.1.1
TEST_ARGUMENTS='--features serde'
