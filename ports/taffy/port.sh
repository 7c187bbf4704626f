# Layout of user interfaces: three slot maps in step and a secondary map.
CRATE=taffy
VERSION=0.15.1

# What, how often, and the scenario of `bench`.
rows() {
    measure 'relayout of 10,000 nodes' 60 relayout
    measure 'a subtree of 100 nodes goes and comes' 6000 churn
    measure 'clone of 10,000 nodes' 300 clone
    measure 'building 10,000 nodes' 200 build
    measure '4,166 trees of 24 nodes' 3 small
}
