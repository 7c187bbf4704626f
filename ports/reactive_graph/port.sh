# The reactive graph of leptos: a slot map with a key type of its own, for all values of a program.
CRATE=reactive_graph
VERSION=0.2.14
WHAT='the heart of leptos'
REPLACES='a `SlotMap` with its own key type'

rows() {
    measure '10,000 signals made and dropped' 200 signals
    measure 'a chain of 1,000 memos brought up to date' 40 memos
    measure 'one of 100,000 signals set and read' 300000 set
}
