//! The tables of `docs/guide/coming-from.md`, kept true for pools written in Rust.
//!
//! The tests (`tests/coming_from`) call each public method of a peer and, beside it, what the page says that it becomes;
//! each is a function of the method's name. What this crate reads shows whether any is missing: [`peer`] the methods of
//! the peers as they are installed, [`page`] the tables, and [`program`] the functions and what they call.

pub mod page;
pub mod peer;
pub mod program;

/// A name as a test has it: `index_mut` for `IndexMut`, `dangling` for `DANGLING`.
fn snake(name: &impl ToString) -> String {
    let mut snake = String::new();
    let mut was_lower = false;
    for letter in name.to_string().chars() {
        if letter.is_uppercase() && was_lower {
            snake.push('_');
        }
        was_lower = letter.is_lowercase();
        snake.extend(letter.to_lowercase());
    }
    snake
}
