//! The verbs: small loops over ports. Sequence only; decisions live in `domain`.
