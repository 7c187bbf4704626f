//! UDP over loopback, made worse.

use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};

use ggrs::{Message, NonBlockingSocket};

use crate::random::Random;

/// What happens to packets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditions {
    /// A packet arrives so many steps late, at least and at most.
    pub(crate) steps_min: u64,
    pub(crate) steps_max: u64,
    pub(crate) lost_percent: u64,
}

/// A socket that loses packets, and hands out the others late and in any order.
pub(crate) struct BadSocket {
    socket: UdpSocket,
    address: SocketAddr,
    conditions: Conditions,
    random: Random,
    step: u64,
    /// Packets that have arrived, and the step in which they are handed out.
    held: VecDeque<(u64, SocketAddr, Message)>,
}

/// Two sockets on free ports.
pub(crate) fn pair(conditions: Conditions) -> io::Result<[BadSocket; 2]> {
    Ok([BadSocket::bind(conditions, 1)?, BadSocket::bind(conditions, 2)?])
}

impl BadSocket {
    fn bind(conditions: Conditions, seed: u64) -> io::Result<Self> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        socket.set_nonblocking(true)?;
        let address = socket.local_addr()?;
        let (random, held) = (Random(seed), VecDeque::new());
        Ok(Self { socket, address, conditions, random, step: 0, held })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl NonBlockingSocket<SocketAddr> for BadSocket {
    fn send_to(&mut self, message: &Message, address: &SocketAddr) {
        // A packet that cannot be sent is a packet that is lost.
        if let Ok(bytes) = postcard::to_allocvec(message) {
            let _ = self.socket.send_to(&bytes, address);
        }
    }

    fn receive_all_messages(&mut self) -> Vec<(SocketAddr, Message)> {
        self.step += 1;
        let mut buffer = [0; 4096];
        while let Ok((length, from)) = self.socket.recv_from(&mut buffer) {
            let Conditions { steps_min, steps_max, lost_percent } = self.conditions;
            if self.random.below(100) < lost_percent {
                continue;
            }
            if let Ok(message) = postcard::from_bytes(&buffer[..length]) {
                let late = steps_min + self.random.below(steps_max - steps_min + 1);
                self.held.push_back((self.step + late, from, message));
            }
        }
        let (mut due, mut held) = (Vec::new(), VecDeque::new());
        for (step, from, message) in self.held.drain(..) {
            if step <= self.step {
                due.push((from, message));
            } else {
                held.push_back((step, from, message));
            }
        }
        self.held = held;
        due
    }
}
