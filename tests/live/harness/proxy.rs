//! A TCP proxy between program and server: cuts connections and stalls either direction.

use std::{net::SocketAddr, sync::Arc};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
    task::JoinHandle,
};

/// What the proxy lets through. Applies to open and to new connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Gate {
    /// Bytes from the program to the server flow.
    to_server: bool,
    /// Bytes from the server to the program flow.
    to_client: bool,
    /// New connections are taken; else they are closed at once.
    accepting: bool,
    /// Raised to end every connection of an earlier number.
    round: u64,
}

/// A running proxy; ends with its value.
#[derive(Debug)]
pub(crate) struct Proxy {
    port: u16,
    gate: Arc<watch::Sender<Gate>>,
    acceptor: JoinHandle<()>,
}

impl Proxy {
    /// Listens on a free port and connects to the server on `server_port`.
    pub(crate) async fn start(server_port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let open = Gate { to_server: true, to_client: true, accepting: true, round: 0 };
        let gate = Arc::new(watch::Sender::new(open));
        let server = SocketAddr::from(([127, 0, 0, 1], server_port));
        let acceptor = tokio::spawn(accept(listener, server, gate.clone()));
        Self { port, gate, acceptor }
    }

    /// The port to connect to.
    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// Ends every open connection; new ones are taken.
    pub(crate) fn cut(&self) {
        self.gate.send_modify(|gate| gate.round += 1);
    }

    /// Ends every open connection and refuses new ones until [`Self::resume`].
    pub(crate) fn refuse(&self) {
        self.gate.send_modify(|gate| {
            gate.accepting = false;
            gate.round += 1;
        });
    }

    /// Holds back bytes to the server, bytes to the program, or both; connections stay open.
    pub(crate) fn stall(&self, to_server: bool, to_client: bool) {
        self.gate.send_modify(|gate| (gate.to_server, gate.to_client) = (!to_server, !to_client));
    }

    /// Lets everything through again; what was held back is delivered.
    pub(crate) fn resume(&self) {
        self.gate.send_modify(|gate| {
            (gate.to_server, gate.to_client, gate.accepting) = (true, true, true);
        });
    }

    /// Number of open connections.
    pub(crate) fn connections(&self) -> usize {
        // Each direction of a connection watches the gate twice.
        self.gate.receiver_count() / 4
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.acceptor.abort();
        self.cut();
    }
}

async fn accept(listener: TcpListener, server: SocketAddr, gate: Arc<watch::Sender<Gate>>) {
    while let Ok((client, _)) = listener.accept().await {
        if !gate.borrow().accepting {
            continue;
        }
        // A server that is down shows as a closed connection.
        let Ok(server) = TcpStream::connect(server).await else { continue };
        let (client_read, client_write) = client.into_split();
        let (server_read, server_write) = server.into_split();
        tokio::spawn(pump(client_read, server_write, gate.subscribe(), |gate| gate.to_server));
        tokio::spawn(pump(server_read, client_write, gate.subscribe(), |gate| gate.to_client));
    }
}

/// Copies one direction until either side closes or the connection is cut.
async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut gate: watch::Receiver<Gate>,
    flows: fn(&Gate) -> bool,
) {
    let born = gate.borrow().round;
    let mut cut = gate.clone();
    let copy = async {
        let mut buffer = vec![0; 16 * 1024];
        while let Ok(count @ 1..) = from.read(&mut buffer).await {
            if gate.wait_for(flows).await.is_err() || to.write_all(&buffer[..count]).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = copy => {}
        _ = cut.wait_for(|gate| gate.round != born) => {}
    }
}
