use super::*;

fn id(n: u64) -> String {
    format!("m{n}")
}

/// The client library's bookkeeping: one queue of returns, one taken per completed confirm.
#[derive(Default)]
struct Library {
    returns: VecDeque<String>,
}

impl Library {
    fn complete(&mut self, confirms: &mut Confirms, sequence: Sequence) {
        let carried = self.returns.pop_front().map(|id| (id, "NO_ROUTE".to_owned()));
        confirms.resolve(sequence, sequence, id(sequence), true, carried);
    }
}

#[test]
fn an_ack_that_is_resolved_before_its_return_is_not_believed_yet() {
    let mut confirms = Confirms::default();
    let mut library = Library::default();
    let (lost, other) = (confirms.sent(), confirms.sent());
    // The broker returned both, in order, then the library completes the second one first.
    library.returns.extend([id(lost), id(other)]);
    library.complete(&mut confirms, other);
    assert_eq!(confirms.believed(), [], "the return of the second is still in the library's queue");
    library.complete(&mut confirms, lost);
    let outcomes: Vec<_> = confirms.believed().into_iter().map(|v| v.outcome).collect();
    assert_eq!(outcomes, vec![Outcome::Returned("NO_ROUTE".to_owned()); 2]);
}

#[test]
fn a_later_publish_does_not_hold_back_what_was_resolved_before_it() {
    let mut confirms = Confirms::default();
    let first = confirms.sent();
    confirms.resolve(first, 7, id(0), true, None);
    confirms.sent();
    assert_eq!(confirms.believed(), [Verdict { ticket: 7, outcome: Outcome::Confirmed }]);
}

proptest::proptest! {
    /// Random sends, returns and completions in any order: every verdict is right (T2).
    #[test]
    fn every_verdict_is_about_its_own_message(steps in proptest::collection::vec((0_u8..4, proptest::num::u64::ANY), 1..400)) {
        let mut confirms = Confirms::default();
        let mut library = Library::default();
        let (mut open, mut unroutable) = (Vec::new(), BTreeSet::new());
        let mut verdicts = Vec::new();
        for (kind, random) in steps {
            match kind {
                0 | 1 => {
                    let sequence = confirms.sent();
                    // A return precedes the confirm of its own message, however much later that comes.
                    if random % 3 == 0 {
                        unroutable.insert(sequence);
                        library.returns.push_back(id(sequence));
                    }
                    open.push(sequence);
                }
                _ if !open.is_empty() => {
                    let index = usize::try_from(random % u64::try_from(open.len()).unwrap()).unwrap();
                    library.complete(&mut confirms, open.swap_remove(index));
                }
                _ => {}
            }
            verdicts.extend(confirms.believed());
        }
        for sequence in open {
            library.complete(&mut confirms, sequence);
        }
        verdicts.extend(confirms.believed());
        for verdict in verdicts {
            let returned = matches!(verdict.outcome, Outcome::Returned(_));
            proptest::prop_assert_eq!(returned, unroutable.contains(&verdict.ticket));
        }
        proptest::prop_assert!(confirms.returned.is_empty(), "a return was matched to nobody");
    }
}
