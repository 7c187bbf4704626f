//! The documentation, the layers, and what every pool offers, as the files of the repository have them.

mod architecture;
mod circles;
mod documentation;
mod every_pool;
mod fuzzed;
mod layers;
mod methods;
mod steps;
