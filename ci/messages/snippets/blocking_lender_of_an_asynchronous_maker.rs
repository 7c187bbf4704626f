// says: for an asynchronous `Maker`, such as those of tokio-postgres, deadpool and bb8, use a `Lender`
use std::convert::Infallible;

use millpond_lend::{BlockingLender, Maker};

struct Files;

impl Maker for Files {
    type Object = u32;
    type Error = Infallible;

    async fn open(&self) -> Result<u32, Infallible> {
        Ok(7)
    }

    async fn check(&self, _: &mut u32) -> Result<(), Infallible> {
        Ok(())
    }
}

fn main() {
    drop(BlockingLender::builder(Files));
}
