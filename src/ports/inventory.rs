//! Looking at everything around an exchange, whoever made it. AMQP can't: it lists nothing.

use async_trait::async_trait;

use super::link::LinkError;
use crate::domain::import::Survey;

/// A broker that can list queues and bindings.
#[async_trait]
pub trait Inventory: Send + Sync {
    /// Reports the exchange and every queue and binding of its vhost. An exchange that does not exist is no
    /// error.
    ///
    /// After an error: nothing was changed. Twice: a new look. Dropped: nothing was changed.
    async fn survey(&self, exchange: &str) -> Result<Survey, LinkError>;
}
