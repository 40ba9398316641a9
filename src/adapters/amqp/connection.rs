//! Opening a connection: socket, TLS and AMQP handshake, each under a deadline.
//!
//! The socket is opened here, not by the client library, which ignores the connect time-out, sets no
//! keepalive and adds a CA file to the system's roots instead of replacing them (T83). Does not
//! reconnect: whoever needs another connection asks again.

use std::{
    fmt,
    str::FromStr,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_compat::Compat;
use lapin::{
    AsyncTcpStream, Connection, ConnectionProperties,
    tcp::RustlsConnector,
    types::ShortString,
    uri::{AMQPScheme, AMQPUri},
};
use rustls::ClientConfig;
use socket2::{SockRef, TcpKeepalive};
use tokio::{net::TcpStream, time::timeout};

use super::error;
use crate::{
    domain::secret::Secret,
    ports::link::{LinkError, LinkKind},
};

/// Longest time for TCP, TLS and handshake together.
const CONNECT_DEADLINE: Duration = Duration::from_secs(10);
/// Longest time that an orderly close may take (T84).
pub(super) const CLOSE_DEADLINE: Duration = Duration::from_secs(5);
/// Heartbeat asked for when the URL names none, in seconds (T30).
const HEARTBEAT_SECONDS: u16 = 10;

/// Where and how to connect.
#[derive(Clone)]
pub struct Endpoint {
    uri: AMQPUri,
    shown: String,
    name: String,
    tls: Option<Arc<ClientConfig>>,
}

impl fmt::Debug for Endpoint {
    // AMQPUri's own Debug prints the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("url", &self.shown).field("name", &self.name).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// Reads the URL. `name` is shown in the broker's list of connections. `tls` is used for `amqps`.
    ///
    /// # Errors
    /// The URL is no AMQP URL.
    pub fn new(
        url: &Secret,
        name: impl Into<String>,
        tls: Option<Arc<ClientConfig>>,
    ) -> Result<Self, LinkError> {
        let mut uri = AMQPUri::from_str(url.expose())
            .map_err(|text| LinkError::new(LinkKind::Protocol, format!("{}: {text}", url.masked())))?;
        uri.query.heartbeat.get_or_insert(HEARTBEAT_SECONDS);
        Ok(Self { uri, shown: url.masked(), name: name.into(), tls })
    }

    /// The URL with its password masked.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The vhost's name, decoded.
    #[must_use]
    pub fn vhost(&self) -> &str {
        &self.uri.vhost
    }

    /// Connects.
    ///
    /// # Errors
    /// By kind: unreachable, refused, vhost missing, TLS.
    pub async fn connect(&self) -> Result<Connection, LinkError> {
        match timeout(CONNECT_DEADLINE, self.handshake()).await {
            Ok(result) => result,
            Err(_) => Err(LinkError::new(
                LinkKind::Unreachable,
                format!("no AMQP answer from {} within {} s", self.shown, CONNECT_DEADLINE.as_secs()),
            )),
        }
    }

    async fn handshake(&self) -> Result<Connection, LinkError> {
        let stream = self.stream().await?;
        let slot = Arc::new(Mutex::new(Some(stream)));
        let runtime = lapin::runtime::default_runtime().map_err(|e| error::link_error("starting AMQP", e))?;
        let properties = ConnectionProperties::default().with_connection_name(self.name.as_str().into());
        let connect = async move |_uri, _runtime| {
            // Taken once: automatic recovery is off, so nobody asks for a second socket.
            let stream = slot.lock().ok().and_then(|mut slot| slot.take());
            stream.ok_or_else(|| std::io::Error::other("the socket was used already").into())
        };
        Connection::connector(self.uri.clone(), runtime, connect, properties)
            .await
            .map_err(|e| self.handshake_error(e))
    }

    fn handshake_error(&self, error: lapin::Error) -> LinkError {
        let kind = match error::kind(&error) {
            // The broker closes the socket without a word when it does not like the protocol.
            LinkKind::Lost => LinkKind::Unreachable,
            kind => kind,
        };
        let doing = match kind {
            LinkKind::Refused => format!("{} refused the login", self.shown),
            LinkKind::VhostMissing => {
                format!("vhost {:?} is missing or closed to this user at {}", self.uri.vhost, self.shown)
            }
            _ => format!("the AMQP handshake with {} failed", self.shown),
        };
        LinkError::because(kind, doing, error)
    }

    async fn stream(&self) -> Result<AsyncTcpStream<Compat<TcpStream>>, LinkError> {
        let address = (self.uri.authority.host.trim_matches(['[', ']']), self.uri.authority.port);
        let tcp = TcpStream::connect(address).await.map_err(|e| {
            LinkError::because(LinkKind::Unreachable, format!("can't reach the broker at {}", self.shown), e)
        })?;
        tune(&tcp).map_err(|e| LinkError::because(LinkKind::Unreachable, "can't set socket options", e))?;
        let plain = AsyncTcpStream::Plain(Compat::new(tcp));
        if self.uri.scheme != AMQPScheme::AMQPS {
            return Ok(plain);
        }
        let Some(config) = self.tls.clone() else {
            return Err(LinkError::new(LinkKind::Tls, "amqps needs a TLS configuration"));
        };
        let host = self.uri.authority.host.trim_matches(['[', ']']);
        plain.into_rustls(&RustlsConnector::from(config), host).await.map_err(|e| {
            LinkError::because(
                LinkKind::Tls,
                format!("TLS with {} failed: does this port speak TLS?", self.shown),
                e,
            )
        })
    }
}

/// Keepalive and a user timeout find a dead peer even while nothing is sent (T82).
fn tune(tcp: &TcpStream) -> std::io::Result<()> {
    tcp.set_nodelay(true)?;
    let socket = SockRef::from(tcp);
    let keepalive = TcpKeepalive::new()
        .with_time(Duration::from_secs(10))
        .with_interval(Duration::from_secs(5))
        .with_retries(3);
    socket.set_tcp_keepalive(&keepalive)?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(Duration::from_secs(30)))?;
    Ok(())
}

/// Closes in order, within a deadline; a connection that does not answer is dropped.
pub async fn close(connection: &Connection) {
    if connection.status().connected() && !connection.status().blocked() {
        let done = connection.close(200, ShortString::from("OK"));
        if !matches!(timeout(CLOSE_DEADLINE, done).await, Ok(Ok(()))) {
            tracing::debug!("the connection did not close in order");
        }
    }
}
