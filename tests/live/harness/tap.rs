//! A TCP proxy that reads along: counts what a program asks a broker for, and can hold the program up right
//! before its N-th changing request, so that it can be killed at a known place.

use std::{collections::BTreeMap, net::SocketAddr, sync::Arc};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
    task::{JoinHandle, JoinSet},
};

use super::wait::wait_for;

/// What is read along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    Amqp,
    /// Requests of which each begins with a write of its own.
    Http,
}

#[derive(Debug, Default)]
struct Seen {
    calls: BTreeMap<String, usize>,
    changes: usize,
    hold_after: Option<usize>,
    held: bool,
}

/// A running tap; ends with its value, and its connections with it.
#[derive(Debug)]
pub(crate) struct Tap {
    port: u16,
    seen: Arc<watch::Sender<Seen>>,
    acceptor: JoinHandle<()>,
}

impl Tap {
    /// Listens on a free port and connects to the server on `server_port`.
    pub(crate) async fn start(server_port: u16, protocol: Protocol) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let seen = Arc::new(watch::Sender::new(Seen::default()));
        let server = SocketAddr::from(([127, 0, 0, 1], server_port));
        let acceptor = tokio::spawn(accept(listener, server, protocol, seen.clone()));
        Self { port, seen, acceptor }
    }

    /// The port to connect to.
    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// Lets `changes` changing requests pass and holds back what follows.
    pub(crate) fn hold_after(&self, changes: usize) {
        self.seen.send_modify(|seen| seen.hold_after = Some(changes));
    }

    /// Waits until a request is held back; false when `ended` comes true first.
    pub(crate) async fn held(&self, mut ended: impl FnMut() -> bool) -> bool {
        wait_for("a request that is held back", std::time::Duration::from_secs(60), async || {
            if self.seen.borrow().held {
                return Some(true);
            }
            ended().then_some(false)
        })
        .await
    }

    /// Lets everything pass again.
    pub(crate) fn release(&self) {
        self.seen.send_modify(|seen| (seen.hold_after, seen.held) = (None, false));
    }

    /// Forgets what was counted.
    pub(crate) fn reset(&self) {
        self.seen.send_modify(|seen| (seen.calls, seen.changes) = (BTreeMap::new(), 0));
    }

    /// How many requests could change something.
    pub(crate) fn changes(&self) -> usize {
        self.seen.borrow().changes
    }

    /// How often each kind of request was made.
    pub(crate) fn calls(&self) -> BTreeMap<String, usize> {
        self.seen.borrow().calls.clone()
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.acceptor.abort();
    }
}

async fn accept(
    listener: TcpListener,
    server: SocketAddr,
    protocol: Protocol,
    seen: Arc<watch::Sender<Seen>>,
) {
    // Ended with this task.
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        // A server that is down shows as a closed connection.
        let Ok(server) = TcpStream::connect(server).await else { continue };
        let (client_read, mut client_write) = client.into_split();
        let (mut server_read, server_write) = server.into_split();
        let seen = seen.clone();
        connections.spawn(async move {
            tokio::select! {
                () = pump(client_read, server_write, protocol, seen) => {}
                _ = copy(&mut server_read, &mut client_write) => {}
            }
        });
    }
}

/// Copies requests, one by one.
async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    protocol: Protocol,
    seen: Arc<watch::Sender<Seen>>,
) {
    let mut pending: Vec<u8> = Vec::new();
    let mut buffer = vec![0; 16 * 1024];
    let mut begun = protocol == Protocol::Http;
    loop {
        let Ok(count @ 1..) = from.read(&mut buffer).await else { return };
        pending.extend_from_slice(&buffer[..count]);
        loop {
            let length = match protocol {
                Protocol::Http => pending.len(),
                // The protocol header comes before the first frame.
                Protocol::Amqp if !begun => 8,
                Protocol::Amqp => frame_length(&pending).unwrap_or(usize::MAX),
            };
            if length == 0 || pending.len() < length {
                break;
            }
            let request: Vec<u8> = pending.drain(..length).collect();
            let call = match protocol {
                Protocol::Http => http_call(&request),
                Protocol::Amqp if !begun => None,
                Protocol::Amqp => amqp_call(&request),
            };
            begun = true;
            if let Some((name, changes)) = call {
                pass(&seen, name, changes).await;
            }
            if to.write_all(&request).await.is_err() {
                return;
            }
        }
    }
}

/// Counts a request, once it may pass.
async fn pass(seen: &watch::Sender<Seen>, name: String, changes: bool) {
    let mut watching = seen.subscribe();
    let blocks = |seen: &Seen| changes && seen.hold_after.is_some_and(|limit| seen.changes >= limit);
    loop {
        let mut held = false;
        seen.send_if_modified(|seen| {
            held = blocks(seen);
            if held {
                return !std::mem::replace(&mut seen.held, true);
            }
            *seen.calls.entry(name.clone()).or_default() += 1;
            seen.changes += usize::from(changes);
            true
        });
        if !held || watching.wait_for(|seen| !blocks(seen)).await.is_err() {
            return;
        }
    }
}

/// Type, channel, size of the payload, payload, end.
fn frame_length(bytes: &[u8]) -> Option<usize> {
    let size = bytes.get(3..7)?;
    Some(7 + u32::from_be_bytes(size.try_into().expect("four bytes")) as usize + 1)
}

/// Name of the method, and whether it can change something; `None` for what is no method.
fn amqp_call(frame: &[u8]) -> Option<(String, bool)> {
    let (1, payload) = (frame[0], &frame[7..frame.len() - 1]) else { return None };
    let number = |at: usize| u16::from_be_bytes([payload[at], payload[at + 1]]);
    // Behind a reserved number stand short texts, then the flags; the first says passive.
    let passive = |texts: usize| {
        let flags = (0..texts).fold(6, |at, _| at + 1 + usize::from(payload[at]));
        payload[flags] & 1 == 1
    };
    let (name, changes) = match (number(0), number(2)) {
        (40, 10) if passive(2) => ("exchange.look", false),
        (40, 10) => ("exchange.declare", true),
        (40, 20) => ("exchange.delete", true),
        (50, 10) if passive(1) => ("queue.look", false),
        (50, 10) => ("queue.declare", true),
        (50, 20) => ("queue.bind", true),
        (50, 40) => ("queue.delete", true),
        (50, 50) => ("queue.unbind", true),
        (60, 40) => ("basic.publish", true),
        (60, 20) => ("basic.consume", false),
        (60, 80) => ("basic.ack", true),
        (20, 10) => ("channel.open", false),
        _ => ("other", false),
    };
    Some((name.to_owned(), changes))
}

fn http_call(request: &[u8]) -> Option<(String, bool)> {
    let line = String::from_utf8_lossy(request.split(|byte| *byte == b'\r').next()?).into_owned();
    let method = line.split(' ').next()?.to_owned();
    match method.as_str() {
        "GET" => Some((method, false)),
        "PUT" | "POST" | "DELETE" => Some((method, true)),
        _ => None,
    }
}
