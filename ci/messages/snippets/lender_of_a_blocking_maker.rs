// says: `Lender::builder(Threaded::new(maker))`, which runs its calls on threads
use std::convert::Infallible;

use millpond_lend::{BlockingMaker, Lender};

struct Files;

impl BlockingMaker for Files {
    type Object = u32;
    type Error = Infallible;

    fn open(&self) -> Result<u32, Infallible> {
        Ok(7)
    }

    fn check(&self, _: &mut u32) -> Result<(), Infallible> {
        Ok(())
    }
}

fn main() {
    drop(Lender::builder(Files));
}
