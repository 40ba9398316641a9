//! `topo destroy`: what the topology owns is shown, confirmed, deleted.
//!
//! Invariant: plan-is-what-runs (only what was shown is approved).

use crate::{
    cli::{
        args::{DestroyArgs, OutputFormat},
        context::Process,
        exit::Exit,
        failure::Failure,
        project::Project,
        view,
    },
    domain::{
        code::Code,
        plan::Plan,
        stores::stores,
        teardown::{Refusal, Teardown},
    },
    flows::{
        apply::StepError,
        destroy::{DestroyError, Destroyed, destroy, look},
        world::World,
    },
    ports::link::LinkKind,
};

/// Destroys.
///
/// # Errors
/// Messages or consumers are there, nobody confirmed, a step fails, or something of others keeps the exchange.
pub(super) async fn run(process: &Process, args: &DestroyArgs) -> Result<Exit, Failure> {
    let project = process.project(true)?;
    let name = &project.topology.name;
    if let Some(given) = args.confirm.as_ref().filter(|given| *given != name.as_str()) {
        let text = format!(
            "--confirm names {given:?}, the topology is {name:?}; nothing was deleted",
            name = name.as_str()
        );
        return Err(Failure::new(Exit::Refused, Code::ConfirmNeeded, text));
    }
    let (amqp, management) = (project.topology_broker()?, project.management()?);
    // The stores stay, so they need not be there.
    let world =
        World { topology: &project.topology, amqp: &amqp, management: Some(&management), stores: &[] };
    let result = work(&project, &world, args).await;
    amqp.close().await;
    result
}

async fn work(project: &Project, world: &World<'_>, args: &DestroyArgs) -> Result<Exit, Failure> {
    let Process { output, clock, .. } = &project.process;
    let mut down = look(world, clock.as_ref(), args.discard_messages).await?;
    down.kept.extend(stays(project));
    show(project, &down)?;
    if let Some(refusal) = &down.refusal {
        return Err(refused(refusal, "nothing was deleted"));
    }
    let (shown, in_use) = (down.clone(), down.exchange_in_use);
    let Some(approved) = down.approve().filter(|approved| approved.plan().has_work()) else {
        output.either(|| "nothing to do\n".to_owned(), || view::destroy::json(&shown, Some(0)))?;
        return if in_use { Err(exchange_stays(project)) } else { Ok(Exit::Done) };
    };
    if !confirmed(project, args, &shown)? {
        return Err(Failure::new(Exit::Refused, Code::ConfirmNeeded, "not confirmed; nothing was deleted"));
    }
    let watch = &project.watch;
    let result =
        destroy(world, clock.as_ref(), &approved, |done, total, step| watch.step(done, total, step)).await;
    watch.finish();
    let Destroyed { steps, exchange_in_use } = result.map_err(|error| {
        if let (DestroyError::Refused { counts, .. }, OutputFormat::Text) = (&error, output.format) {
            output.talk(&view::destroy::counts(counts));
        }
        Failure::from(&error)
    })?;
    output.either(|| format!("done: {steps} steps\n"), || view::destroy::json(&shown, Some(steps)))?;
    if exchange_in_use { Err(exchange_stays(project)) } else { Ok(Exit::Done) }
}

/// What stays on purpose, and why it matters when the topology is made again.
fn stays(project: &Project) -> Vec<String> {
    let topology = &project.topology;
    if stores(topology).is_empty() {
        return Vec::new();
    }
    vec![format!(
        "processed ids, effects and the shard rule of generation {} in the store; before the next apply raise \
         shards.generation",
        topology.shards.generation
    )]
}

/// Shows it: as part of the result; or, when the result is one JSON document, as talk if somebody has to
/// be asked. A refusal is a result too.
fn show(project: &Project, down: &Teardown) -> Result<(), Failure> {
    let Process { output, global, .. } = &project.process;
    let text = || view::destroy::text(project.topology.name.as_str(), down);
    match output.format {
        OutputFormat::Text => output.result(&text()),
        OutputFormat::Json if down.refusal.is_some() => output.result(&view::destroy::json(down, None)),
        OutputFormat::Json => {
            if !global.yes && down.plan.has_work() {
                output.talk(&text());
            }
            Ok(())
        }
    }
}

/// `--yes` is enough as long as no message is lost; otherwise the name has to be given.
fn confirmed(project: &Project, args: &DestroyArgs, down: &Teardown) -> Result<bool, Failure> {
    let Process { output, global, .. } = &project.process;
    let name = project.topology.name.as_str();
    if !args.discard_messages {
        return Ok(global.yes || output.confirm(&format!("Delete these objects of {name}?"))?);
    }
    if args.confirm.is_some() {
        return Ok(true);
    }
    let messages: u64 = down.counts.iter().map(|count| count.messages()).sum();
    let queues = down.counts.len();
    output.typed(&format!("Delete {queues} queues with {messages} messages? Type {name} to confirm:"), name)
}

fn refused(refusal: &Refusal, state: &str) -> Failure {
    Failure::new(Exit::Refused, refusal.code(), format!("{refusal}; {state}"))
}

fn exchange_stays(project: &Project) -> Failure {
    let text = format!("exchange {} stays: bindings of others use it", project.topology.exchange.name);
    Failure::new(Exit::No, Code::ForeignRoute, text)
}

impl From<&DestroyError> for Failure {
    fn from(error: &DestroyError) -> Self {
        match error {
            DestroyError::Step { done, total, source, .. } => {
                let below = match source {
                    // Somebody put something in or attached to it after the last count.
                    StepError::Broker(link) if link.kind == LinkKind::Precondition => {
                        Self::of(Exit::Refused, Code::MessagesRemain, link)
                    }
                    StepError::Broker(link) => Self::from(link),
                    StepError::Store(store) => Self::from(store),
                    StepError::Stale => Self::of(Exit::Failed, Code::Internal, source),
                };
                let left = total.saturating_sub(*done);
                let details = vec![format!("done: {done} steps, left: {left} steps")];
                Self { details, ..below.below(error) }
            }
            DestroyError::Refused { refusal, .. } => Self::of(Exit::Refused, refusal.code(), error)
                .help("The bindings are removed, so nothing new comes. Drain what is left or use --discard-messages, and run it again; `topo apply` makes everything as it was."),
            DestroyError::Look { source, .. } => Self::from(source).below(error),
            DestroyError::Unsettled(left) => {
                let Plan { changes, .. } = &left.plan;
                let details = view::plan::differences(changes);
                Self { details, ..Self::of(Exit::Failed, Code::Exposed, error) }
            }
        }
    }
}
