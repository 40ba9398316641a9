//! A list of shards as an argument: `0-3,7`.

use std::{collections::BTreeSet, str::FromStr};

use crate::domain::topology::SHARDS_MAX;

/// Shard numbers, each once, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardList(BTreeSet<u32>);

/// Why a text is no list of shards.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShardListError {
    /// Neither a number nor a range.
    #[error("{0:?} is neither a shard number nor a range such as 0-3")]
    Item(String),
    /// The range runs backwards.
    #[error("the range {0} runs backwards")]
    Backwards(String),
    /// No topology has such a shard.
    #[error("shard {0} is beyond the largest possible shard, {max}", max = SHARDS_MAX - 1)]
    Beyond(u32),
}

impl ShardList {
    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().copied()
    }
}

impl FromStr for ShardList {
    type Err = ShardListError;

    fn from_str(text: &str) -> Result<Self, ShardListError> {
        let mut shards = BTreeSet::new();
        for item in text.split(',').map(str::trim) {
            let number =
                |text: &str| text.trim().parse::<u32>().map_err(|_| ShardListError::Item(item.to_owned()));
            let (first, last) = match item.split_once('-') {
                Some((first, last)) => (number(first)?, number(last)?),
                None => (number(item)?, number(item)?),
            };
            if last < first {
                return Err(ShardListError::Backwards(item.to_owned()));
            }
            // Checked before counting up to it.
            if last >= SHARDS_MAX {
                return Err(ShardListError::Beyond(last));
            }
            shards.extend(first..=last);
        }
        Ok(Self(shards))
    }
}
