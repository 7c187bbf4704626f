# Layout of user interfaces: three slot maps in step and a secondary map.
CRATE=taffy
VERSION=0.15.1

rows() {
    measure 'relayout of 10,000 nodes' 30 relayout
    measure 'a subtree of 100 nodes goes and comes' 3000 churn
    measure 'clone of 10,000 nodes' 100 clone
    measure 'building 10,000 nodes' 100 build
    measure '4,166 trees of 24 nodes' 2 small
}
