//! File formats: text to domain, collecting every problem with its place.
