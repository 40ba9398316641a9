//! Error codes: small stable numbers to branch and search on.
//!
//! The first two digits group by subject: 01 files and arguments, 02 plan and apply, 03 publish,
//! 04 consume, 05 store, 06 broker connection. A code is never reused for another meaning.

use std::fmt;

macro_rules! codes {
    ($($name:ident = $number:literal, $title:literal, $help:literal;)*) => {
        /// What went wrong, as a number that stays the same across releases.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = $title] $name,)*
        }

        impl Code {
            /// Every code, in ascending order.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The number behind `TOPO`.
            #[must_use]
            pub const fn number(self) -> u16 {
                match self { $(Self::$name => $number),* }
            }

            /// One line: what it means.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title),* }
            }

            /// One paragraph: what to do about it.
            #[must_use]
            pub const fn help(self) -> &'static str {
                match self { $(Self::$name => $help),* }
            }
        }
    };
}

codes! {
    FileMissing = 101, "a file can't be read", "Name the file with --file, or write a three-line topology.yaml: topology, shards, key.";
    FileInvalid = 102, "a file has problems", "Every problem is listed with file, line and column. `topo check` judges the files offline; `topo schema` prints the JSON schema.";
    Usage = 103, "the arguments don't fit", "`topo COMMAND --help` lists the flags.";
    HandlerInvalid = 104, "a handler can't be used", "The place is named below, or by `topo check`, which also runs handlers that have cases. SQL handlers bind :message_id :key :type :shard :sequence :correlation_id :published_at :body :headers.";
    UnknownConsumer = 105, "no such consumer in the topology", "List it below `consumers:` in topology.yaml and put its files in consumers/NAME/.";
    NotSupported = 106, "this version can't do that yet", "The message names what is missing.";
    WouldOverwrite = 107, "a file is already there", "Nothing was written. Name another directory, or move the file away.";
    CaseFailed = 108, "a case of a consumer does not come out as expected", "The text below shows what the tables hold after the case's messages. consumers/README.md describes the format.";
    PlanPending = 201, "the live objects differ from the file", "`topo plan` shows the difference, `topo apply` makes it so.";
    Immutable = 202, "an existing object can't be changed to what the file says", "Its arguments are fixed at declaration. Change the file back, or give the topology another name or generation, move the messages and remove the old object yourself. Nothing was changed.";
    ConfirmNeeded = 203, "a confirmation is needed and there is no terminal to ask on", "Add --yes when the shown plan is what you want.";
    StepFailed = 204, "a step of the plan failed", "The steps before it are done. It is safe to run `topo apply` again: it does only what is left.";
    Exposed = 205, "the topology is not what the file says after apply", "Somebody else may be changing it. `topo plan` shows what differs.";
    ForeignBinding = 206, "a binding that the file does not know leads into the topology", "Messages that it brings may belong to another shard and would be applied out of order; in a dead-letter queue they look like failures. Remove it, or find out who needs it. topo leaves it alone.";
    ShardRule = 207, "number of shards, hash and key of a generation are fixed", "Another count, hash or key moves keys to other queues while their earlier messages wait in the old ones. Change the file back; or give the topology another name, apply that, and let the old one drain. Nothing was changed.";
    PlanStale = 208, "the saved plan is not the plan of now", "The broker, the store or the files changed since it was saved. The text below names what differs. Make a new plan, look at it, and apply that.";
    MessagesRemain = 209, "messages remain in queues that would be deleted", "The counts are below. Let the consumers drain the queues first; --discard-messages deletes them with their messages.";
    InUse = 210, "consumers are attached to queues that would be deleted", "Stop them first; the text below names the queues.";
    AlternateExchange = 211, "an alternate exchange hides messages that no queue takes", "With one, a message without a route counts as routed: publish gets a confirm and the message is elsewhere. Remove the policy, or keep it from matching this exchange.";
    PolicyDrops = 212, "a policy makes a queue drop messages", "A length limit without overflow reject-publish drops the oldest messages in silence. Change the policy named below, or keep it from matching.";
    PolicyExpires = 213, "a policy makes messages or queues expire", "Expired messages and queues are deleted whether they were processed or not. Remove message-ttl and expires from the policy named below, or keep it from matching.";
    PolicyDelays = 214, "a policy makes returned messages wait aside", "While a message waits its followers pass, which breaks the order of its key. Remove the delayed-retry keys from the policy named below.";
    PolicyLimits = 215, "a policy sets another limit than the file", "The lower of both numbers applies. Change the policy named below or the file.";
    PolicyReorders = 216, "a policy makes a queue give up the order of messages", "Without a finite delivery limit a returned message goes to the tail, and priorities let others pass. Change the policy named below.";
    PolicyDeadLetters = 217, "a policy changes where dead-lettered messages go", "They would not reach the dead-letter queue of the topology, or could be lost on the way. Change the policy named below.";
    Orphan = 218, "a queue of another generation or of a removed consumer is still there", "Nothing looks after it. `topo apply --prune` deletes it when it is empty and unused; otherwise drain it first.";
    DefaultQueueType = 219, "the default queue type of the vhost is not the one that the file asks for", "Queues of this topology always name their type; queues made by others without a type become something else. Nothing has to be done for this topology.";
    ForeignRoute = 220, "a binding that the file does not know takes messages from the exchange", "Its queue or exchange gets copies, or takes messages that have no shard queue yet, so that a missing route is not noticed. Remove it, or find out who needs it. topo leaves it alone.";
    ArgumentHazard = 221, "a queue argument does not belong on an ordered shard", "The text names the argument, what it would do, and the versions that know it. `topo check --broker-version` judges for one version.";
    CantImport = 222, "a live topology can't be written as a topology.yaml", "Each reason is listed. What can't be expressed stays as it is; nothing was changed.";
    RoutingUnproven = 223, "a probe message did not reach its shard", "The bindings are there and the message was not seen. On a cluster a new binding may need a moment on every node: `topo apply --probe` probes again.";
    BrokerVersionBad = 230, "the broker's version has a known defect", "The text names it and the version that mends it.";
    MixedVersions = 231, "the nodes of the cluster run different versions", "Behaviour follows the oldest. Finish the upgrade; don't reshard meanwhile.";
    BrokerAlarm = 232, "a resource alarm of the broker is in force", "Publishers are blocked until memory or disk is free again.";
    FewMembers = 233, "a queue has too few replicas", "With fewer than three members of a quorum queue, or a classic queue on a cluster, one lost node stops the shard. `rabbitmq-queues grow` adds members.";
    LeadersUneven = 234, "the leaders of the queues are not spread", "`rabbitmq-queues rebalance quorum` spreads them.";
    PermissionMissing = 235, "the user lacks a permission", "`topo permissions` prints what each role needs.";
    StoreWeak = 236, "a setting of the store weakens the promise", "After a crash of the database a committed effect can be gone while its message was acknowledged. The text names the setting.";
    ClockSkew = 237, "clocks differ", "Ages and deadlines in logs and reports are off by that much. Run a time service on both machines.";
    FeatureFlag = 238, "a feature flag of the broker is not enabled", "`rabbitmqctl enable_feature_flag all` enables what this version knows.";
    Unchecked = 239, "something could not be checked", "The text says why, and what is needed to check it.";
    Heartbeat = 240, "the heartbeat that the broker's URL asks for is extreme", "5 to 20 s notice a dead peer soon and let a pause pass. Leave heartbeat out of broker.url to get 10 s.";
    QueueLimit = 241, "the vhost may not hold as many queues as the topology needs", "`rabbitmqctl set_vhost_limits -p VHOST '{\"max-queues\": N}'` raises the limit; an administrator does it.";
    NodeDown = 242, "a node of the cluster does not run", "Start it again; `rabbitmqctl cluster_status` shows what the others know of it.";
    StoreUnfit = 243, "the store can't do what topo needs of it", "The text names the setting.";
    PublishIncomplete = 301, "some lines were not confirmed", "The report names the lines. With message.id configured, the same input can be published again: consumers skip what they already processed. Without it, publish only the lines named.";
    ExchangeMissing = 302, "the exchange does not exist", "`topo apply` creates it.";
    Oversized = 303, "the broker refused a message", "Lower publish.max_body below the broker's max_message_size.";
    QueueMissing = 401, "a queue does not exist", "`topo apply` creates the queues of the topology.";
    Blocked = 402, "a shard waits for a message that can't be processed", "Mend the handler or the data and start the consumer again; the message keeps its place.";
    NotSingleActive = 403, "a queue is not single-active-consumer", "Without x-single-active-consumer order is lost at every consumer crash. Create a new queue with it: it can't be added later.";
    NoConsumer = 404, "messages wait and nobody consumes them", "`topo consume` starts a consumer; one that runs elsewhere may have lost its connection.";
    DeadLettered = 405, "messages were moved to a dead-letter queue", "They were returned more often than queues.delivery_limit allows, and the order of their keys is broken. Look at them, mend the cause, and publish them again.";
    StoreUnreachable = 501, "the store can't be reached", "Check store.url (TOPO_STORE_URL) and that the server runs.";
    StoreRefused = 502, "the store refused the login or the database is missing", "Check user, password and database name of store.url.";
    SchemaMissing = 503, "the store has no tables yet", "`topo apply` creates them.";
    SchemaNewer = 504, "the store's schema is newer than this program", "Install a newer topo; this one changed nothing.";
    StoreFailed = 505, "the store failed", "The cause is below. Running again is safe: the claim removes what was done before.";
    BrokerUnreachable = 601, "the broker can't be reached", "Check broker.url (TOPO_BROKER_URL) and that RabbitMQ runs.";
    BrokerRefused = 602, "the broker refused the login", "Check user and password of broker.url, and the user's permissions on the vhost.";
    VhostMissing = 603, "the vhost does not exist or is closed to this user", "`rabbitmqctl add_vhost NAME` and set_permissions create it. In a URL the vhost / is written %2f.";
    BrokerProtocol = 604, "the broker answered with an error", "The cause below is the broker's own text.";
    ManagementFailed = 605, "the management API answered with an error", "Check broker.management_url and that the user has the management tag; AMQP alone also works.";
    TlsFailed = 606, "TLS could not be set up", "Check broker.tls and that the port speaks TLS.";
    Internal = 901, "a bug in topo", "Please report it with the text below.";
    TimedOut = 902, "not finished within --timeout", "What was done is done. Run again, with a longer --timeout or without one.";
    OutputFailed = 903, "standard output can't be written", "The work itself may be done: look at the log above.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TOPO{:04}", self.number())
    }
}
