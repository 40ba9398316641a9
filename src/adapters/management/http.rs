//! Requests and their failures: one request, with a deadline, by what the caller can do about it.

use std::{error::Error as StdError, io, sync::Arc, time::Duration};

use reqwest::{Client, RequestBuilder, StatusCode, header::DATE, redirect::Policy};
use rustls::ClientConfig;

use super::target::Target;
use crate::ports::link::{LinkError, LinkKind};

const CONNECT_DEADLINE: Duration = Duration::from_secs(5);
/// Longest time of a whole request; lists of thousands of queues take a second or two.
const REQUEST_DEADLINE: Duration = Duration::from_secs(30);

/// A client for one target.
#[derive(Debug)]
pub(super) struct Http {
    client: Client,
    pub(super) target: Target,
}

/// An answer, whatever it is.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    /// The server's clock.
    pub(super) date: Option<String>,
    pub(super) body: String,
}

impl Http {
    pub(super) fn new(target: Target, tls: Option<&Arc<ClientConfig>>) -> Result<Self, LinkError> {
        let builder = Client::builder()
            .connect_timeout(CONNECT_DEADLINE)
            .timeout(REQUEST_DEADLINE)
            // A broker is not behind the proxy that the environment names for the web.
            .no_proxy()
            .redirect(Policy::none());
        let builder = match tls {
            Some(config) => builder.tls_backend_preconfigured(ClientConfig::clone(config)),
            // Without a configuration the client would look for a process-wide provider and panic.
            None if target.base().starts_with("https") => {
                return Err(LinkError::new(LinkKind::Tls, "https needs a TLS configuration"));
            }
            None => builder.tls_backend_preconfigured(no_tls()?),
        };
        let client = builder
            .build()
            .map_err(|e| LinkError::because(LinkKind::Protocol, "can't make an HTTP client", e))?;
        Ok(Self { client, target })
    }

    /// The body of a resource, whose URL [`Target::url`] made; `None` when it does not exist.
    pub(super) async fn get(&self, url: &str) -> Result<Option<String>, LinkError> {
        self.send(self.client.get(url)).await
    }

    /// Creates or replaces a resource.
    pub(super) async fn put(&self, url: &str, body: String) -> Result<(), LinkError> {
        let request = self.client.put(url).header("content-type", "application/json").body(body);
        self.send(request).await.map(|_| ())
    }

    /// Deletes a resource; one that does not exist is as good.
    pub(super) async fn delete(&self, url: &str) -> Result<(), LinkError> {
        self.send(self.client.delete(url)).await.map(|_| ())
    }

    /// Any answer to reading a resource: what some statuses mean is for the caller to say.
    pub(super) async fn ask(&self, url: &str) -> Result<Answer, LinkError> {
        self.answer(self.client.get(url)).await
    }

    /// The body of a good answer; `None` for a resource that does not exist.
    pub(super) fn judge(&self, answer: Answer) -> Result<Option<String>, LinkError> {
        let (target, Answer { status, body, .. }) = (&self.target, answer);
        match status {
            StatusCode::OK | StatusCode::CREATED | StatusCode::NO_CONTENT => Ok(Some(body)),
            StatusCode::NOT_FOUND => Ok(None),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(LinkError::new(
                LinkKind::Refused,
                format!(
                    "the management API at {} refused {}: {}",
                    target.base(),
                    target.user(),
                    brief(&body)
                ),
            )),
            _ => Err(LinkError::new(
                LinkKind::Protocol,
                format!("the management API at {} answered {status}: {}", target.base(), brief(&body)),
            )),
        }
    }

    async fn send(&self, request: RequestBuilder) -> Result<Option<String>, LinkError> {
        self.judge(self.answer(request).await?)
    }

    async fn answer(&self, request: RequestBuilder) -> Result<Answer, LinkError> {
        let request = request.basic_auth(self.target.user(), Some(self.target.password()));
        let answer = request.send().await.map_err(|e| self.failed(e))?;
        let status = answer.status();
        let date = answer.headers().get(DATE).and_then(|date| date.to_str().ok()).map(str::to_owned);
        let body = answer.text().await.map_err(|e| self.failed(e))?;
        Ok(Answer { status, date, body })
    }

    fn failed(&self, error: reqwest::Error) -> LinkError {
        let base = self.target.base();
        // The URL stands in our own text.
        let error = error.without_url();
        if is_tls(&error) {
            LinkError::because(LinkKind::Tls, format!("TLS with the management API at {base} failed"), error)
        } else if error.is_timeout() {
            let text = format!("no answer in time from the management API at {base}");
            LinkError::because(LinkKind::Unreachable, text, error)
        } else {
            let text = format!("can't reach the management API at {base}");
            LinkError::because(LinkKind::Unreachable, text, error)
        }
    }
}

/// A configuration that trusts nobody, for plain HTTP.
fn no_tls() -> Result<ClientConfig, LinkError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| LinkError::because(LinkKind::Tls, "TLS is not available in this build", e))?
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth())
}

fn is_tls(error: &reqwest::Error) -> bool {
    let mut cause: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(error) = cause {
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if error.is::<rustls::Error>() || inner.is_some_and(|inner| inner.is::<rustls::Error>()) {
            return true;
        }
        cause = error.source();
    }
    false
}

/// The reason in an error body, or its first characters.
fn brief(body: &str) -> String {
    super::answers::reason(body).unwrap_or_else(|| body.chars().take(120).collect())
}
