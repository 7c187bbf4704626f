//! One player: a game, its history, and what the session asks for.

use std::fmt;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use ggrs::{Config, Frame, GgrsRequest, PredictRepeatLast};

use crate::allocations;
use crate::game::{Game, GameHistory, Input, PLAYERS, Threads};

/// The session's types. The state stays with the player: the session only gets its sums.
#[derive(Debug)]
pub(crate) struct Rollback;

impl Config for Rollback {
    type Input = Input;
    type InputPredictor = PredictRepeatLast;
    type State = ();
    type Address = SocketAddr;
}

/// More frames than can be rolled back, so that a difference that is found late can still be described.
const HISTORY: usize = 64;

pub(crate) struct Player {
    game: Game,
    history: GameHistory,
    /// The sum of each frame, as it was saved last.
    sums: Vec<u64>,
    /// The frame in which to break the game on purpose.
    breaks_in: Option<Frame>,
    desyncs: usize,
    cost: Cost,
}

/// What a session has cost a player.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    pub(crate) rollbacks: usize,
    pub(crate) replayed: usize,
    pub(crate) saves: usize,
    pub(crate) bullets_peak: usize,
    /// Requests for memory while saving, restoring and playing.
    pub(crate) allocations: usize,
    saving: Duration,
    summing: Duration,
    restoring: Duration,
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = |time: Duration, count: usize| time.as_secs_f64() * 1e6 / count.max(1) as f64;
        write!(
            f,
            "{} rollbacks, {} frames replayed; {} saves, {:.1} µs each, and {:.1} µs for the sum; {:.1} µs per \
             restore; {} allocations",
            self.rollbacks,
            self.replayed,
            self.saves,
            each(self.saving, self.saves),
            each(self.summing, self.saves),
            each(self.restoring, self.rollbacks),
            self.allocations,
        )
    }
}

impl Player {
    pub(crate) fn new(threads: Threads, breaks_in: Option<Frame>) -> Result<Self, String> {
        let game = Game::new(threads)?;
        let history = GameHistory::new(HISTORY, &game);
        let cost = Cost::default();
        // Room for a long session: it must not take memory while it is played.
        let sums = Vec::with_capacity(1 << 20);
        Ok(Self { game, history, sums, breaks_in, desyncs: 0, cost })
    }

    pub(crate) fn cost(&self) -> &Cost {
        &self.cost
    }

    /// The sum of the frame that was saved last.
    pub(crate) fn last_sum(&self) -> u64 {
        self.sums.last().copied().unwrap_or(0)
    }

    pub(crate) fn note_desync(&mut self, _frame: Frame) {
        self.desyncs += 1;
    }

    pub(crate) fn desyncs(&self) -> usize {
        self.desyncs
    }

    /// Does what the session asks for: save, go back, play.
    pub(crate) fn handle(&mut self, requests: Vec<GgrsRequest<Rollback>>) -> Result<(), String> {
        let mut is_replay = false;
        for request in requests {
            let taken = allocations::taken();
            match request {
                GgrsRequest::SaveGameState { cell, frame } => {
                    let sum = self.save(frame)?;
                    self.cost.allocations += allocations::taken() - taken;
                    cell.save(frame, None, Some(u128::from(sum)));
                }
                GgrsRequest::LoadGameState { frame, .. } => {
                    let begin = Instant::now();
                    self.history
                        .rollback_to(frame, &mut self.game)
                        .map_err(|error| error.to_string())?;
                    self.cost.restoring += begin.elapsed();
                    self.cost.rollbacks += 1;
                    self.cost.allocations += allocations::taken() - taken;
                    is_replay = true;
                }
                GgrsRequest::AdvanceFrame { inputs } => {
                    let mut of_players = [Input::default(); PLAYERS];
                    for (input, (given, _)) in of_players.iter_mut().zip(&inputs) {
                        *input = *given;
                    }
                    self.game.advance(of_players);
                    if self.breaks_in == Some(self.game.frame()) {
                        self.game.break_something();
                    }
                    self.cost.replayed += usize::from(is_replay);
                    self.cost.bullets_peak = self.cost.bullets_peak.max(self.game.bullets());
                    self.cost.allocations += allocations::taken() - taken;
                }
            }
        }
        // The last frame was a new one.
        self.cost.replayed -= usize::from(is_replay);
        Ok(())
    }

    fn save(&mut self, frame: Frame) -> Result<u64, String> {
        assert_eq!(self.game.frame(), frame, "the session and the game agree on the frame");
        let begin = Instant::now();
        self.history.save(&self.game).map_err(|error| error.to_string())?;
        self.cost.saving += begin.elapsed();
        self.cost.saves += 1;
        let begin = Instant::now();
        let sum = self.game.checksum();
        self.cost.summing += begin.elapsed();
        self.sums.truncate(frame as usize);
        self.sums.push(sum);
        Ok(sum)
    }

    /// The first frame whose sums differ, of those that can no longer change.
    pub(crate) fn first_difference(&self, other: &Self, confirmed: Frame) -> Option<Frame> {
        // Frames compared before are equal still: only the last few can be new.
        let from = (confirmed as usize).saturating_sub(HISTORY - 1);
        let ours = self.sums.iter().enumerate().take(confirmed.max(0) as usize).skip(from);
        let mut differing = ours.filter(|(frame, sum)| other.sums.get(*frame) != Some(sum));
        differing.next().map(|(frame, _)| frame as Frame)
    }

    /// How many of the frames have equal sums.
    pub(crate) fn compared(&self, other: &Self, frames: Frame) -> usize {
        let pairs = self.sums.iter().zip(&other.sums).take(frames as usize);
        pairs.filter(|(left, right)| left == right).count()
    }

    pub(crate) fn describe_differences(&self, other: &Self, frame: Frame, lines: &mut String) {
        self.history.describe_differences(&other.history, frame, lines);
    }
}
