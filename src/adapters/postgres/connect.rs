//! One connection: its TLS, its settings, and the task that drives it.

use std::{
    fmt,
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{task::JoinHandle, time};
use tokio_postgres::{
    AsyncMessage, Client, Config, Connection as Driver, NoTls, Socket,
    config::{SslMode, TargetSessionAttrs},
    error::SqlState,
    tls::TlsStream,
    types::Type,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{
    error::{connect_error, store_error},
    url::{self, TlsFiles},
};
use crate::{
    adapters::net::tls::{TlsError, client_config},
    domain::secret::Secret,
    ports::store::{StoreError, StoreKind},
};

/// From the first packet to a usable session.
const CONNECT_LIMIT: Duration = Duration::from_secs(30);

/// Makes connections to one database.
pub(super) struct Connector {
    config: Config,
    tls: TlsFiles,
    statement_timeout: Duration,
    shown: String,
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").field("url", &self.shown).finish_non_exhaustive()
    }
}

/// An open connection; dropping it ends the session on the server, and with it its transaction.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) client: Client,
    driver: JoinHandle<()>,
    warnings: Arc<AtomicU64>,
}

impl Connection {
    /// Number of plain warnings so far. A commit that could not wait for its standby answers with success
    /// and one of these (T119).
    pub(super) fn warnings(&self) -> u64 {
        self.warnings.load(Ordering::SeqCst)
    }

    /// Closes the socket at once, whatever still runs on it.
    pub(super) fn abort(&self) {
        self.driver.abort();
    }
}

impl Connector {
    /// Reads the URL.
    pub(super) fn new(url: &Secret, statement_timeout: Duration) -> Result<Self, StoreError> {
        let (config, tls) = url::parse(url)?;
        Ok(Self { config, tls, statement_timeout, shown: url.masked() })
    }

    /// How long one statement may take.
    pub(super) const fn statement_timeout(&self) -> Duration {
        self.statement_timeout
    }

    /// Connects and settles the session's settings. The library's own limit ends with the TCP handshake; a
    /// server that says nothing after it would be awaited for ever.
    pub(super) async fn connect(&self) -> Result<Connection, StoreError> {
        self.connect_within(&self.config).await
    }

    /// The same to a server that takes no writes, too: for looking only.
    pub(super) async fn connect_to_any(&self) -> Result<Connection, StoreError> {
        let mut config = self.config.clone();
        config.target_session_attrs(TargetSessionAttrs::Any);
        self.connect_within(&config).await
    }

    async fn connect_within(&self, config: &Config) -> Result<Connection, StoreError> {
        time::timeout(CONNECT_LIMIT, self.connect_and_set(config)).await.unwrap_or_else(|_| {
            let text = format!("can't connect to {}: no answer for {CONNECT_LIMIT:?}", self.shown);
            Err(StoreError::new(StoreKind::Unreachable, text))
        })
    }

    async fn connect_and_set(&self, config: &Config) -> Result<Connection, StoreError> {
        let connection = match self.tls()? {
            None => {
                let (client, driver) =
                    config.connect(NoTls).await.map_err(|e| connect_error(&self.shown, e))?;
                Connection::start(client, driver)
            }
            Some(tls) => {
                let (client, driver) =
                    config.connect(tls).await.map_err(|e| connect_error(&self.shown, e))?;
                Connection::start(client, driver)
            }
        };
        let timeout = self.statement_timeout.as_millis().max(1).to_string();
        connection
            .client
            // Unnamed: through a pooler named statements of several sessions meet (T120).
            .query_typed(include_str!("queries/settings.sql"), &[(&timeout, Type::TEXT)])
            .await
            .map_err(|e| store_error("can't set up a connection to the store", e))?;
        Ok(connection)
    }

    /// The TLS side; `None` when it is switched off, or merely preferred on a machine without roots.
    fn tls(&self) -> Result<Option<MakeRustlsConnect>, StoreError> {
        let mode = self.config.get_ssl_mode();
        if mode == SslMode::Disable {
            return Ok(None);
        }
        let cert = self.tls.cert.as_deref().zip(self.tls.key.as_deref());
        match client_config(self.tls.ca.as_deref(), cert) {
            Ok(config) => Ok(Some(MakeRustlsConnect::new(Arc::unwrap_or_clone(config)))),
            Err(TlsError::NoRoots) if mode == SslMode::Prefer => Ok(None),
            Err(error) => {
                Err(StoreError::because(StoreKind::Refused, "TLS to the store can't be set up", error))
            }
        }
    }
}

impl Connection {
    /// Drives the connection on a task of its own until either side closes it.
    fn start<T>(client: Client, mut driver: Driver<Socket, T>) -> Self
    where
        T: TlsStream + Unpin + Send + 'static,
    {
        let warnings = Arc::new(AtomicU64::new(0));
        let count = warnings.clone();
        let driver = tokio::spawn(async move {
            // An error here reaches every waiting call as "closed".
            while let Some(Ok(message)) = poll_fn(|cx| driver.poll_message(cx)).await {
                if let AsyncMessage::Notice(notice) = message
                    && *notice.code() == SqlState::WARNING
                {
                    count.fetch_add(1, Ordering::SeqCst);
                }
            }
        });
        Self { client, driver, warnings }
    }
}
