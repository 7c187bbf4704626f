//! The documentation, the layers and the public surface, as the files of the repository have them.

mod documentation;
mod layers;
mod surface;
