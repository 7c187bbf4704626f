//! Iterators over values in several blocks.

crate::pools::faces::iterators!(BlockValues, BlockValuesMut);
