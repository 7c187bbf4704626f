# Physics in two dimensions: an arena of its own, adapted from generational-arena, for bodies, colliders and joints.
CRATE=rapier2d
VERSION=0.36.1
WHAT='physics'
REPLACES='its own `Arena`'
TEST_ARGUMENTS=--release

rows() {
    measure 'a pyramid of 820 boxes' 150 pyramid
    measure '10,000 bodies that meet nothing' 60 free
    measure '1,000 of 10,000 bodies go and come' 300 churn
    measure '500 worlds of 20 bodies' 60 worlds
}
