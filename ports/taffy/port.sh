# Layout of user interfaces: three slot maps in step and a secondary map.
CRATE=taffy
VERSION=0.15.1
WHAT='layout of user interfaces'
REPLACES='three `SlotMap`s in step, a secondary map'

rows() {
    measure 'relayout of 10,000 nodes' 30 relayout
    measure 'a subtree of 100 nodes goes and comes' 3000 churn
    measure 'clone of 10,000 nodes' 50 clone
    measure 'building 10,000 nodes' 50 build
    measure '4,166 trees of 24 nodes' 2 small
    # What glibc gives back to the system in between depends on the size of the largest array.
    export MALLOC_TRIM_THRESHOLD_=4000000000 MALLOC_MMAP_THRESHOLD_=30000000
    measure 'building 10,000 nodes, the allocator keeps the memory' 50 build
}
