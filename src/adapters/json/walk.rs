//! One pass over a text along the tree of names.
//!
//! The visitor walks text and tree together, keeps the raw text where a pointer ends, and skips
//! everything else without building values. A name of the tree that occurs twice in one object ends the
//! walk, also when it is only a parent of a pointer's last name, whatever the two values are.

use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;

use super::pointers::{Branch, Seen, Slot};

/// What the walk has seen so far.
pub(super) struct State<'a> {
    pub seen: Vec<Seen<'a>>,
    /// Set when a name was repeated, which ends the walk.
    pub twice: Option<Slot>,
}

/// The visitor of one value at one branch.
pub(super) struct Walk<'t, 's, 'a> {
    pub branch: &'t Branch,
    pub state: &'s mut State<'a>,
}

impl<'a> DeserializeSeed<'a> for Walk<'_, '_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        if !self.branch.ends {
            return deserializer.deserialize_any(self);
        }
        let raw = <&'a RawValue>::deserialize(deserializer)?.get();
        if let Some(seen) = self.state.seen.get_mut(self.branch.number) {
            *seen = Seen::Value(raw);
        }
        if self.branch.children.is_empty() || !raw.starts_with(['{', '[']) {
            return Ok(());
        }
        // One pointer leads through the value of another: the value is walked once more.
        serde_json::Deserializer::from_str(raw).deserialize_any(self).map_err(D::Error::custom)
    }
}

impl<'a> Visitor<'a> for Walk<'_, '_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { branch, state } = self;
        while let Some(child) = map.next_key_seed(Name(branch))? {
            let Some(child) = child else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            match state.seen.get_mut(child.number) {
                // A text leads to each branch at most once, unless a name is repeated.
                Some(seen @ Seen::Never) => *seen = Seen::Passed,
                _ => {
                    state.twice = Some(child.first());
                    return Err(A::Error::custom("a name is repeated"));
                }
            }
            map.next_value_seed(Walk { branch: child, state: &mut *state })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut seq: A) -> Result<(), A::Error> {
        let Self { branch, state } = self;
        for at in 0_usize.. {
            let child = branch.children.iter().find(|(segment, _)| segment.index == Some(at));
            let more = match child {
                Some((_, child)) => {
                    seq.next_element_seed(Walk { branch: child, state: &mut *state })?.is_some()
                }
                None => seq.next_element::<IgnoredAny>()?.is_some(),
            };
            if !more {
                break;
            }
        }
        Ok(())
    }

    // A pointer that goes on below a plain value leads nowhere.

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
}

/// Which child of the branch an object's name leads to.
struct Name<'t>(&'t Branch);

impl<'a, 't> DeserializeSeed<'a> for Name<'t> {
    type Value = Option<&'t Branch>;

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'t> Visitor<'_> for Name<'t> {
    type Value = Option<&'t Branch>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.children.iter().find(|(segment, _)| segment.name == name).map(|(_, child)| child))
    }
}
