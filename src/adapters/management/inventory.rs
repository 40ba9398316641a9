//! Everything around an exchange, for whoever does not know the names of its queues.

use async_trait::async_trait;

use super::{answers, client::ManagementClient};
use crate::{
    domain::import::Survey,
    ports::{inventory::Inventory, link::LinkError},
};

#[async_trait]
impl Inventory for ManagementClient {
    async fn survey(&self, exchange: &str) -> Result<Survey, LinkError> {
        let overview = self.http.get(&self.http.target.url(&["overview"])).await?.unwrap_or_default();
        let broker_version = self.read("an overview", answers::version(&overview))?;
        let exchanges = self.list("exchanges", answers::EXCHANGE_COLUMNS).await?;
        let details = self.read("a list of exchanges", answers::exchanges(&exchanges))?.remove(exchange);
        let queues = self.list("queues", answers::QUEUE_COLUMNS).await?;
        let queues = self.read("a list of queues", answers::queues(&queues))?;
        let bindings = self.list("bindings", "").await?;
        let bindings = self.read("a list of bindings", answers::bindings(&bindings))?;
        Ok(Survey { exchange: exchange.to_owned(), broker_version, details, queues, bindings })
    }
}
