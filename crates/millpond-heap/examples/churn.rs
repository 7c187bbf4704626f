//! A program that allocates a lot, recorded: `cargo run --example churn -p millpond-heap -- churn.heap`.
//! Without an argument it is not recorded, for comparison; a second one says how many sparks there are.

use std::collections::BTreeMap;

#[global_allocator]
static HEAP: millpond_heap::Heap = millpond_heap::Heap::system();

struct Spark {
    place: [f32; 4],
    age: u32,
}

#[inline(never)]
fn spawn(age: u32) -> Box<Spark> {
    Box::new(Spark { place: [age as f32; 4], age })
}

fn main() -> std::io::Result<()> {
    let sparks_in_all = std::env::args().nth(2).and_then(|n| n.parse().ok()).unwrap_or(400_000_u32);
    let path = std::env::args_os().nth(1).filter(|path| !path.is_empty());
    let recording = path.map(|path| HEAP.record(path)).transpose()?;
    let mut sparks = std::collections::VecDeque::new();
    let mut names = BTreeMap::new();
    let mut sum = 0.0;
    for n in 0..sparks_in_all {
        sparks.push_back(spawn(n));
        if sparks.len() > 500 {
            let spark: Box<Spark> = sparks.pop_front().expect("there are some");
            sum += spark.place[n as usize % 4] + spark.age as f32;
        }
        if n % 16 == 0 {
            let name = format!("spark number {}", n % 4096);
            *names.entry(name).or_insert(0) += 1;
        }
    }
    println!("{sum} {}", names.len());
    if let Some(recording) = recording {
        eprintln!("{:?}", recording.finish()?);
    }
    Ok(())
}
