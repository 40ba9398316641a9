//! Every vector of docs/hash-vectors.json against our hashes (per-key-order: all producers must agree).

use serde_json::Value;
use topo::domain::hash::HashKind;

struct Vector {
    key: String,
    utf8: String,
    hex: [String; 3],
    shards: [Vec<u32>; 3],
}

fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

fn numbers(value: &Value) -> Vec<u32> {
    let number = |v: &Value| u32::try_from(v.as_u64().expect("an integer")).expect("32 bits");
    value.as_array().expect("an array").iter().map(number).collect()
}

/// The shard counts of the file, and its vectors with hashes in the order of `HashKind::ALL`.
fn vectors() -> (Vec<u32>, Vec<Vector>) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/hash-vectors.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(file["format"], 1);
    assert_eq!(file["seed"], 0);
    let vector = |v: &Value| Vector {
        key: text(&v["key"]),
        utf8: text(&v["utf8"]),
        hex: HashKind::ALL.map(|kind| text(&v[kind.as_str()])),
        shards: HashKind::ALL.map(|kind| numbers(&v["shards"][kind.as_str()])),
    };
    (numbers(&file["counts"]), file["vectors"].as_array().expect("an array").iter().map(vector).collect())
}

#[test]
fn per_key_order_every_vector_has_our_hash_and_shard() {
    let (counts, vectors) = vectors();
    for vector in &vectors {
        let bytes: String = vector.key.bytes().map(|b| format!("{b:02x}")).collect();
        assert_eq!(bytes, vector.utf8, "{:?}", vector.key);
        for (index, kind) in HashKind::ALL.into_iter().enumerate() {
            let hash = kind.hash(&vector.key);
            assert_eq!(hash.hex(), vector.hex[index], "{kind} of {:?}", vector.key);
            let shards: Vec<u32> = counts.iter().map(|&count| hash.shard(count)).collect();
            assert_eq!(shards, vector.shards[index], "{kind} of {:?} mod {counts:?}", vector.key);
        }
    }
}

#[test]
fn the_vectors_enter_every_branch() {
    let (_, vectors) = vectors();
    assert!(vectors.len() >= 200, "{} vectors", vectors.len());
    for length in 1..=64 {
        assert!(vectors.iter().any(|v| v.key.len() == length), "no key of {length} bytes");
    }
    // Lengths at which XXH3 changes its way: 128, 240, one block of 1024, several blocks.
    for length in [128, 129, 240, 241, 1024, 1025, 2049] {
        assert!(vectors.iter().any(|v| v.key.len() == length), "no key of {length} bytes");
    }
    for (index, kind) in HashKind::ALL.into_iter().enumerate() {
        let top = if kind == HashKind::JavaString { 8 } else { 0 };
        let high = vectors.iter().filter(|v| v.hex[index].as_bytes()[top] >= b'8').count();
        assert!(high >= 8, "{kind}: {high} hashes with the top bit set");
    }
    let minimum = vectors.iter().find(|v| v.hex[2] == "0000000080000000");
    assert!(minimum.is_some(), "no key whose Java hash is -2^31");
    let surrogates = vectors.iter().filter(|v| v.key.chars().any(|c| u32::from(c) > 0xffff)).count();
    assert!(surrogates >= 10, "{surrogates} keys outside the BMP");
}
