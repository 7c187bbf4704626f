//! A rollback session with pools: two players over loopback UDP with artificial latency and loss, some
//! thousand bullets, and every frame's checksum compared.
//!
//! `cargo run --release -p millpond-rollback-demo` plays 3,000 frames and prints what they cost. Exit code
//! 1: the players' states differ. `--frames N` plays so many; `--desync FRAME` breaks one player's game on
//! purpose in that frame, to see how the difference is found. `--lots` lets the bullets fly in lots, which is another game;
//! `--threads N` is the same game with the second player's bullets, and those of the SyncTest, on so many threads.

mod allocations;
mod flight;
mod game;
mod network;
mod objects;
mod player;
mod random;

use std::io::Write;
use std::process::ExitCode;

use crate::game::{Input, PLAYERS, Threads};
use crate::network::Conditions;
use crate::player::{Cost, Player, Rollback};

#[global_allocator]
static COUNTING: allocations::Counting = allocations::Counting;

/// How many frames can be predicted before a player waits for the other.
const PREDICTED_MAX: usize = 8;

const CONDITIONS: Conditions = Conditions { steps_min: 2, steps_max: 6, lost_percent: 10 };

/// Prints a line. A reader that has closed the pipe has seen enough.
macro_rules! say {
    ($($part:tt)*) => {
        let _ = writeln!(std::io::stdout(), $($part)*);
    };
}

const FRAMES_MAX: i32 = 1_000_000;
const THREADS_MAX: i32 = 1024;

struct Arguments {
    frames: i32,
    desync: Option<i32>,
    /// How the bullets of the two players fly.
    threads: [Threads; PLAYERS],
}

fn arguments() -> Result<Arguments, String> {
    let mut parsed = Arguments { frames: 3000, desync: None, threads: [Threads::None; PLAYERS] };
    let mut given = std::env::args().skip(1);
    while let Some(name) = given.next() {
        let mut number = |what: &str, least: i32, most: i32| {
            let text = given.next().unwrap_or_default();
            let wanted =
                format!("{name} {text:?}: expected a number of {what} from {least} to {most}");
            text.parse().ok().filter(|number| (least..=most).contains(number)).ok_or(wanted)
        };
        match &name[..] {
            "--frames" => parsed.frames = number("frames", 1, FRAMES_MAX)?,
            "--desync" => parsed.desync = Some(number("frames", 0, FRAMES_MAX)?),
            "--lots" => parsed.threads = [Threads::Lots(0); PLAYERS],
            "--threads" => {
                let threads = number("threads", 1, THREADS_MAX)? as usize;
                parsed.threads = [Threads::Lots(0), Threads::Lots(threads)];
            }
            _ => {
                return Err(format!(
                    "{name}: expected --frames N, --desync FRAME, --lots or --threads N"
                ));
            }
        }
    }
    Ok(parsed)
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("millpond-rollback-demo: {message}");
            return ExitCode::from(2);
        }
    };
    match play(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("millpond-rollback-demo: {message}");
            ExitCode::FAILURE
        }
    }
}

fn play(arguments: &Arguments) -> Result<(), String> {
    let [_, threads] = arguments.threads;
    synctest(arguments.frames.min(600), threads)?;
    two_players(arguments)
}

/// One player who rolls back every frame and plays the last seven again: finds what was not saved.
fn synctest(frames: i32, threads: Threads) -> Result<(), String> {
    let mut session = ggrs::SessionBuilder::<Rollback>::new()
        .with_num_players(PLAYERS)
        .map_err(|error| error.to_string())?
        .with_check_distance(PREDICTED_MAX - 1)
        .start_synctest_session()
        .map_err(|error| error.to_string())?;
    let mut player = Player::new(threads, None)?;
    for frame in 0..frames {
        for handle in 0..PLAYERS {
            let input = Input::of(frame, handle);
            session.add_local_input(handle, input).map_err(|error| error.to_string())?;
        }
        let requests = session.advance_frame().map_err(|error| format!("SyncTest: {error}"))?;
        player.handle(requests)?;
    }
    say!(
        "SyncTest: {frames} frames, each played {} times, all sums equal, the last {:016x}",
        PREDICTED_MAX,
        player.last_sum(),
    );
    Ok(())
}

fn two_players(arguments: &Arguments) -> Result<(), String> {
    let sockets = network::pair(CONDITIONS).map_err(|error| format!("loopback UDP: {error}"))?;
    let addresses = [sockets[0].address(), sockets[1].address()];
    let mut sessions = Vec::new();
    for (me, socket) in sockets.into_iter().enumerate() {
        let mut builder = ggrs::SessionBuilder::<Rollback>::new()
            .with_num_players(PLAYERS)
            .map_err(|error| error.to_string())?
            .with_max_prediction_window(PREDICTED_MAX)
            .with_input_delay(0)
            .with_desync_detection_mode(ggrs::DesyncDetection::On { interval: 10 });
        for (handle, address) in addresses.into_iter().enumerate() {
            let kind = match handle == me {
                true => ggrs::PlayerType::Local,
                false => ggrs::PlayerType::Remote(address),
            };
            builder = builder.add_player(kind, handle).map_err(|error| error.to_string())?;
        }
        sessions.push(builder.start_p2p_session(socket).map_err(|error| error.to_string())?);
    }
    let [left, right] = arguments.threads;
    let mut players = [Player::new(left, None)?, Player::new(right, arguments.desync)?];

    let begin = std::time::Instant::now();
    while sessions.iter().any(|session| session.confirmed_frame() < arguments.frames) {
        if begin.elapsed().as_secs() > 120 {
            return Err("the players did not get through in two minutes".into());
        }
        for (me, (session, player)) in sessions.iter_mut().zip(&mut players).enumerate() {
            session.poll_remote_clients();
            for event in session.events() {
                if let ggrs::GgrsEvent::DesyncDetected { frame, .. } = event {
                    player.note_desync(frame);
                }
            }
            if session.current_state() != ggrs::SessionState::Running {
                std::thread::sleep(std::time::Duration::from_millis(1));
                continue;
            }
            let input = Input::of(session.current_frame(), me);
            session.add_local_input(me, input).map_err(|error| error.to_string())?;
            match session.advance_frame() {
                Ok(requests) => player.handle(requests)?,
                Err(ggrs::GgrsError::PredictionThreshold) => {} // waits for the other
                Err(error) => return Err(error.to_string()),
            }
        }
        let [left, right] = &players;
        compare(left, right, sessions.iter().map(|s| s.confirmed_frame()).min().unwrap_or(0))?;
    }
    report(&players, arguments, begin.elapsed())
}

/// Compares the sums of all frames that both players have confirmed and not compared yet.
fn compare(left: &Player, right: &Player, confirmed: i32) -> Result<(), String> {
    let Some(frame) = left.first_difference(right, confirmed) else {
        return Ok(());
    };
    let mut message = format!("the players' states differ in frame {frame}\n");
    left.describe_differences(right, frame, &mut message);
    Err(message)
}

fn report(
    players: &[Player; 2],
    arguments: &Arguments,
    time: std::time::Duration,
) -> Result<(), String> {
    let [left, right] = players;
    let frames = arguments.frames;
    let compared = left.compared(right, frames);
    say!(
        "two players: {frames} frames over UDP in {:.1} s, {} to {} steps late, {} % lost",
        time.as_secs_f32(),
        CONDITIONS.steps_min,
        CONDITIONS.steps_max,
        CONDITIONS.lost_percent,
    );
    say!(
        "checksums compared: {compared}, all equal; desyncs seen by ggrs: {}",
        left.desyncs() + right.desyncs()
    );
    let Cost { bullets_peak, .. } = left.cost();
    say!("bullets at once, at most: {bullets_peak}");
    for (name, player) in ["left", "right"].into_iter().zip(players) {
        say!("{name:>5}: {}", player.cost());
    }
    if compared < frames as usize || left.desyncs() + right.desyncs() > 0 {
        return Err("not every frame was compared, or ggrs has seen a desync".into());
    }
    let costs = [left.cost(), right.cost()];
    // A session in which nothing happens proves nothing.
    let rollbacks: usize = costs.iter().map(|cost| cost.rollbacks).sum();
    if rollbacks < frames as usize / 10 || costs.iter().any(|cost| cost.bullets_peak < 2000) {
        return Err("too few rollbacks or bullets for a test of anything".into());
    }
    // Where other threads help, they are woken by rayon, which takes memory to do so.
    let alone = |threads: &Threads| matches!(threads, Threads::None | Threads::Lots(0));
    let mut on_own_thread =
        costs.iter().zip(&arguments.threads).filter(|(_, threads)| alone(threads));
    if on_own_thread.any(|(cost, _)| cost.allocations > 0) {
        return Err("saving, restoring or playing has taken memory".into());
    }
    Ok(())
}
