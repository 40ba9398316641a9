//! `topo route`: where keys go. Contacts nothing.

use std::{
    collections::BTreeMap,
    io::{self, Read as _},
    path::Path,
};

use crate::{
    cli::{
        args::RouteArgs,
        context::Process,
        exit::Exit,
        failure::Failure,
        input::{Source, feed},
        project::Project,
        view::{
            self,
            route::{HotKey, RouteRow, ShardSpread, Spread},
        },
    },
    domain::{code::Code, key::OrderingKey, route::ShardMap},
};

/// Keys listed as the hottest.
const HOT_KEYS: usize = 10;

/// Routes the keys, or shows the spread of a file.
///
/// # Errors
/// A text that is no key, or a file that can't be read.
pub(super) fn run(process: &Process, args: &RouteArgs) -> Result<Exit, Failure> {
    let project = process.project(false)?;
    let map = ShardMap::new(&project.topology);
    if let Some(file) = &args.simulate {
        let spread = spread(&project, &map, file)?;
        process.output.either(|| view::route::spread_text(&spread), || view::route::spread_json(&spread))?;
        return Ok(Exit::Done);
    }
    let rows =
        keys(&args.keys)?.into_iter().map(|key| row(&project, &map, &key)).collect::<Result<Vec<_>, _>>()?;
    process.output.either(|| view::route::text(&rows), || view::route::json(&rows))?;
    Ok(Exit::Done)
}

fn keys(arguments: &[String]) -> Result<Vec<String>, Failure> {
    let mut keys = Vec::new();
    for argument in arguments {
        if argument != "-" {
            keys.push(argument.clone());
            continue;
        }
        let mut text = String::new();
        io::stdin()
            .read_to_string(&mut text)
            .map_err(|error| Failure::of(Exit::Usage, Code::FileMissing, &error))?;
        keys.extend(text.lines().filter(|line| !line.is_empty()).map(str::to_owned));
    }
    Ok(keys)
}

fn row(project: &Project, map: &ShardMap, text: &str) -> Result<RouteRow, Failure> {
    let key = OrderingKey::new(text).map_err(|error| {
        Failure::usage(Code::Usage, format!("{text:?} is no ordering key")).because(Some(&error))
    })?;
    let route = map.route(&key);
    let topology = &project.topology;
    let queues = topology
        .consumers
        .keys()
        .map(|name| (name.as_str().to_owned(), topology.queue(name, route.shard)))
        .collect();
    Ok(RouteRow {
        key: text.to_owned(),
        hash: route.hash.hex(),
        shard: route.shard,
        routing_key: route.routing_key.to_owned(),
        queues,
    })
}

fn spread(project: &Project, map: &ShardMap, file: &Path) -> Result<Spread, Failure> {
    let sources = Source::all(&[file.as_os_str().to_owned()])?;
    let fields = project.fields();
    let mut spread = Spread {
        shards: (0..map.count()).map(|shard| ShardSpread { shard, ..ShardSpread::default() }).collect(),
        ..Spread::default()
    };
    let mut counts: BTreeMap<OrderingKey, u64> = BTreeMap::new();
    feed(&sources, project.topology.publish.max_body, |line| {
        match line.bytes.ok().and_then(|bytes| fields.key(&bytes).ok()) {
            Some(key) => *counts.entry(key).or_default() += 1,
            None => spread.invalid += 1,
        }
        true
    });
    let mut hot: Vec<(OrderingKey, u64)> = Vec::new();
    for (key, messages) in counts {
        spread.messages += messages;
        spread.keys += 1;
        let shard = usize::try_from(map.shard(key.as_str())).unwrap_or(usize::MAX);
        if let Some(part) = spread.shards.get_mut(shard) {
            part.messages += messages;
            part.keys += 1;
        }
        hot.push((key, messages));
    }
    // Ties stay in the order of the keys.
    hot.sort_by_key(|(_, messages)| std::cmp::Reverse(*messages));
    spread.hot_keys = hot
        .into_iter()
        .take(HOT_KEYS)
        .map(|(key, messages)| HotKey {
            shard: map.shard(key.as_str()),
            key: key.as_str().to_owned(),
            messages,
        })
        .collect();
    Ok(spread)
}
