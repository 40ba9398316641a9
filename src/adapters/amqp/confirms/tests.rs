use super::*;

fn id(n: u64) -> Identity {
    Identity { message_id: format!("m{n}"), routing_key: "r".to_owned() }
}

/// The client library's bookkeeping: one queue of returns, one taken per completed confirm.
#[derive(Default)]
struct Library {
    returns: VecDeque<Identity>,
}

impl Library {
    fn complete(&mut self, confirms: &mut Confirms, sequence: Sequence) {
        let carried = self.returns.pop_front().map(|id| (id, "NO_ROUTE".to_owned()));
        confirms.resolve(sequence, sequence, id(sequence), true, carried);
    }
}

#[test]
fn an_ack_that_carries_a_foreign_return_waits_for_its_own() {
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
fn a_confirm_that_never_comes_does_not_hold_back_the_others() {
    let mut confirms = Confirms::default();
    confirms.sent();
    let second = confirms.sent();
    confirms.resolve(second, 7, id(second), true, None);
    assert_eq!(confirms.believed(), [Verdict { ticket: 7, outcome: Outcome::Confirmed }]);
}

#[test]
fn one_id_on_two_routes_is_two_messages() {
    let mut confirms = Confirms::default();
    let (lost, stored) = (confirms.sent(), confirms.sent());
    let on = |route: &str| Identity { message_id: "same".to_owned(), routing_key: route.to_owned() };
    confirms.resolve(stored, stored, on("bound"), true, Some((on("unbound"), "NO_ROUTE".to_owned())));
    confirms.resolve(lost, lost, on("unbound"), true, None);
    let outcomes: BTreeMap<_, _> = confirms.believed().into_iter().map(|v| (v.ticket, v.outcome)).collect();
    assert_eq!(outcomes[&stored], Outcome::Confirmed);
    assert_eq!(outcomes[&lost], Outcome::Returned("NO_ROUTE".to_owned()));
}

proptest::proptest! {
    /// Random sends, returns and completions in any order, booked in any order within a drain: every
    /// verdict is right (T2).
    #[test]
    fn every_verdict_is_about_its_own_message(
        steps in proptest::collection::vec((0_u8..6, proptest::num::u64::ANY), 1..400),
    ) {
        let mut confirms = Confirms::default();
        let mut returns: VecDeque<Sequence> = VecDeque::new();
        let (mut open, mut unroutable) = (Vec::new(), BTreeSet::new());
        let mut completed: Vec<(Sequence, Option<Sequence>)> = Vec::new();
        let mut verdicts = Vec::new();
        let mut drain = |confirms: &mut Confirms, completed: &mut Vec<(Sequence, Option<Sequence>)>, random: u64| {
            while !completed.is_empty() {
                let index = usize::try_from(random % u64::try_from(completed.len()).unwrap()).unwrap();
                let (sequence, carried) = completed.swap_remove(index);
                let carried = carried.map(|c| (id(c), "NO_ROUTE".to_owned()));
                confirms.resolve(sequence, sequence, id(sequence), true, carried);
            }
            verdicts.extend(confirms.believed());
        };
        for (kind, random) in steps {
            match kind {
                0 | 1 => {
                    let sequence = confirms.sent();
                    // A return precedes the confirm of its own message, however much later that comes.
                    if random % 3 == 0 {
                        unroutable.insert(sequence);
                        returns.push_back(sequence);
                    }
                    open.push(sequence);
                }
                2..=4 if !open.is_empty() => {
                    let index = usize::try_from(random % u64::try_from(open.len()).unwrap()).unwrap();
                    completed.push((open.swap_remove(index), returns.pop_front()));
                }
                _ => drain(&mut confirms, &mut completed, random),
            }
        }
        for sequence in open {
            completed.push((sequence, returns.pop_front()));
        }
        drain(&mut confirms, &mut completed, 0);
        for verdict in verdicts {
            let returned = matches!(verdict.outcome, Outcome::Returned(_));
            proptest::prop_assert_eq!(returned, unroutable.contains(&verdict.ticket));
        }
        proptest::prop_assert!(confirms.resolved.is_empty(), "every confirm gets a verdict in the end");
        proptest::prop_assert!(confirms.returned.is_empty(), "a return was matched to nobody");
    }
}
