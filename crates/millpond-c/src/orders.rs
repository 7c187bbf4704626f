//! The types that the options name: of orders, and of handles.

use millpond::reuse::{Fifo, Lifo, LowestFirst, ReuseOrder, Roster};
use millpond::{Handle, Handle32, HandleAllocator, HandleLayout};

use crate::status::Status;

/// The slots of a pool.
pub(crate) type Slots<R> = HandleAllocator<R, Handle<()>>;

/// What is to be done with an order.
pub(crate) trait ForOrder {
    type Out;
    fn run<R: ReuseOrder>(self) -> Self::Out;
}

/// Does it with the order that the number names.
pub(crate) fn with_order<F: ForOrder>(order: u32, work: F) -> Result<F::Out, Status> {
    Ok(match order {
        0 => work.run::<Lifo>(),
        1 => work.run::<Fifo>(),
        2 => work.run::<LowestFirst>(),
        3 => work.run::<Roster>(),
        _ => return Err(Status::BAD_OPTIONS),
    })
}

/// The largest generation of handles with so many bits of index, and how many slots these can name. Every pool keeps
/// handles of eight bytes, and the header's functions make shorter ones of them where the options say so.
pub(crate) fn limits_of(index_bits: u32) -> Result<(u16, u32), Status> {
    fn limits<H: HandleLayout>() -> (u16, u32) {
        (H::LIFETIMES_MAX as u16, H::CAPACITY_MAX as u32)
    }
    match index_bits {
        16 => Ok(limits::<Handle32<(), 16>>()),
        20 => Ok(limits::<Handle32<(), 20>>()),
        24 => Ok(limits::<Handle32<(), 24>>()),
        _ => Err(Status::BAD_OPTIONS),
    }
}
