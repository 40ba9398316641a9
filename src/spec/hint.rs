//! "Did you mean": the known word nearest to an unknown one, or none rather than a bad one.

/// The sentence for the nearest of `known`, when it is near enough to be a typing error.
pub(super) fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    // A third of the letters may differ, at least one; longer words than any key are never near.
    let allowed = (word.chars().count() / 3).max(1);
    if word.len() > 64 {
        return None;
    }
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| format!("did you mean {candidate:?}?"))
}
