# slotmap itself: its `SlotMap` as a thin face of a `VecPool`, so that slotmap's own tests and examples are run on it.
CRATE=slotmap
VERSION=1.1.1
WHAT='its `SlotMap` alone'
REPLACES='its own slots'
TEST_ARGUMENTS='--features serde'

rows() {
    measure 'random lookups of 1,000 values of 32 bytes' 200000 1000
    measure 'random lookups of 100,000 values of 32 bytes' 1000 100000
}
