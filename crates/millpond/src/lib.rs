//! Object pools for games and other real-time programs.
#![no_std]
