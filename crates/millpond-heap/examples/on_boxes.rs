//! The skirmish of `crates/millpond/examples/on_boxes.rs`, recorded: `cargo run --example on_boxes -p millpond-heap --
//! on_boxes.heap`. It takes its twenty seconds.

#[path = "../../millpond/examples/on_boxes.rs"]
mod on_boxes;

#[global_allocator]
static HEAP: millpond_heap::Heap = millpond_heap::Heap::system();

fn main() -> std::io::Result<()> {
    let path =
        std::env::args_os().nth(1).ok_or_else(|| std::io::Error::other("expected a file"))?;
    let recording = HEAP.record(path)?;
    on_boxes::main();
    eprintln!("{:?}", recording.finish()?);
    Ok(())
}
