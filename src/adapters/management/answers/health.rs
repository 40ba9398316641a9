//! Answers about nodes, alarms, flags, limits and users.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::Value as Json;

use crate::domain::doctor::facts::{Flag, Node, Permissions, Placement, User};

/// Columns that [`placements`] needs.
pub const PLACEMENT_COLUMNS: &str = "name,leader,node,members,online";

/// Nodes, of `/nodes`.
///
/// # Errors
/// No such JSON.
pub fn nodes(body: &str) -> Result<Vec<Node>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Entry {
        name: String,
        #[serde(default)]
        running: Option<bool>,
        #[serde(default)]
        applications: Json,
    }
    let entries: Vec<Entry> = serde_json::from_str(body)?;
    let node = |entry: Entry| {
        let applications = entry.applications.as_array().into_iter().flatten();
        let rabbit = applications.into_iter().find(|app| app["name"] == "rabbit");
        Node {
            name: entry.name,
            running: entry.running.unwrap_or_default(),
            version: rabbit.and_then(|app| app["version"].as_str()).map(str::to_owned),
        }
    };
    Ok(entries.into_iter().map(node).collect())
}

/// What is short, of `/health/checks/alarms`, which answers with an error while something is.
///
/// # Errors
/// No such JSON.
pub fn alarms(body: &str) -> Result<Vec<String>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Answer {
        #[serde(default)]
        status: Option<String>,
        #[serde(default)]
        reason: Option<String>,
        #[serde(default)]
        alarms: Json,
    }
    let answer: Answer = serde_json::from_str(body)?;
    if answer.status.as_deref() == Some("ok") {
        return Ok(Vec::new());
    }
    let text = |alarm: &Json| Some(format!("{} on {}", alarm["resource"].as_str()?, alarm["node"].as_str()?));
    let named: Vec<_> = answer.alarms.as_array().into_iter().flatten().filter_map(text).collect();
    let unnamed = || vec![answer.reason.unwrap_or_else(|| "an alarm that is not named".to_owned())];
    Ok(if named.is_empty() { unnamed() } else { named })
}

/// Feature flags that are not enabled, of `/feature-flags`.
///
/// # Errors
/// No such JSON.
pub fn disabled_flags(body: &str) -> Result<Vec<Flag>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Entry {
        name: String,
        #[serde(default)]
        state: Option<String>,
        #[serde(default)]
        stability: Option<String>,
    }
    let entries: Vec<Entry> = serde_json::from_str(body)?;
    let disabled = entries.into_iter().filter(|entry| entry.state.as_deref() == Some("disabled"));
    let flag = |entry: Entry| Flag {
        name: entry.name,
        experimental: entry.stability.as_deref() == Some("experimental"),
    };
    Ok(disabled.map(flag).collect())
}

/// Where queues live, of `/queues/VHOST`.
///
/// # Errors
/// No such JSON.
pub fn placements(body: &str) -> Result<BTreeMap<String, Placement>, serde_json::Error> {
    let entries: Vec<Fields> = serde_json::from_str(body)?;
    let texts = |json: &Json| -> Vec<String> {
        json.as_array().into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect()
    };
    let placement = |Fields(entry): Fields| {
        let field = |name: &str| entry.get(name).unwrap_or(&Json::Null);
        let name = field("name").as_str()?.to_owned();
        let leader = field("leader").as_str().or(field("node").as_str()).map(str::to_owned);
        let (members, online) = (texts(field("members")), texts(field("online")));
        Some((name, Placement { leader, members, online }))
    };
    Ok(entries.into_iter().filter_map(placement).collect())
}

/// An object in which a field may stand twice: the first one counts. On a cluster the queue's own `members` and
/// `online` are followed by what a node remembers from the time when it led the queue, which can be long ago.
struct Fields(BTreeMap<String, Json>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Firsts;

        impl<'de> Visitor<'de> for Firsts {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = BTreeMap::new();
                while let Some((name, value)) = map.next_entry::<String, Json>()? {
                    fields.entry(name).or_insert(value);
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(Firsts)
    }
}

/// The limit of queues, of `/vhost-limits/VHOST`.
///
/// # Errors
/// No such JSON.
pub fn max_queues(body: &str) -> Result<Option<i64>, serde_json::Error> {
    let limits: Json = serde_json::from_str(body)?;
    let mut entries = limits.as_array().into_iter().flatten();
    Ok(entries.find_map(|entry| entry["value"]["max-queues"].as_i64()))
}

/// Who asks, of `/whoami`. Tags are a list, or one text on old versions.
///
/// # Errors
/// No such JSON.
pub fn user(body: &str) -> Result<User, serde_json::Error> {
    #[derive(Deserialize)]
    struct Answer {
        name: String,
        #[serde(default)]
        tags: Json,
    }
    let answer: Answer = serde_json::from_str(body)?;
    let tags = match &answer.tags {
        Json::String(text) => text.split(',').filter(|tag| !tag.is_empty()).map(str::to_owned).collect(),
        tags => tags.as_array().into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect(),
    };
    Ok(User { name: answer.name, tags })
}

/// The permissions on `vhost`, of `/users/USER/permissions`; none at all when it has no entry.
///
/// # Errors
/// No such JSON.
pub fn permissions(body: &str, vhost: &str) -> Result<Permissions, serde_json::Error> {
    #[derive(Deserialize)]
    struct Entry {
        vhost: String,
        configure: String,
        write: String,
        read: String,
    }
    let entries: Vec<Entry> = serde_json::from_str(body)?;
    let ours = entries.into_iter().find(|entry| entry.vhost == vhost);
    Ok(ours.map_or_else(Permissions::default, |entry| Permissions {
        configure: entry.configure,
        write: entry.write,
        read: entry.read,
    }))
}

/// Seconds since the Unix epoch of an HTTP date such as `Mon, 30 Nov 2026 23:27:01 GMT`.
#[must_use]
pub fn date(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let words: Vec<&str> = text.split_whitespace().collect();
    let [_, day, month, year, time, "GMT"] = words.as_slice() else { return None };
    let month = i64::try_from(MONTHS.iter().position(|name| name == month)?).ok()? + 1;
    let (day, year): (i64, i64) = (day.parse().ok()?, year.parse().ok()?);
    let mut parts = time.split(':').map(str::parse::<i64>);
    let (hours, minutes, seconds) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
    // Days since 1970-01-01 of the Gregorian calendar, counted in years that begin in March.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719_468;
    Some(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
}
