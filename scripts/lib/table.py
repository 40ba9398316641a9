#!/usr/bin/env python3
"""Judges the files that scripts/quickstart left in the working directory and prints its table.

  table.py EVENTS ORDERS KILLS    ends with 1 when a figure is wrong
"""

import json
import sys


def load(name):
    with open(f"{name}.json", encoding="utf-8") as file:
        return json.load(file)


def main(events, orders, kills):
    sent = [load("sent-1"), load("sent-2")]
    received = [load("received-1"), load("received-2")]
    at_kill, *after = load("at-kill"), load("after-1"), load("after-2")
    again = after[1]["effects"] - after[0]["effects"]
    wrong = [max(state["violations"], state["orders_differing_from_file"] + state["orders_not_in_file"]) for state in after]
    rows = [
        ("sent", sent[0]["read"], sent[1]["read"]),
        ("confirmed", sent[0]["confirmed"], sent[1]["confirmed"]),
        ("effects", after[0]["effects"], again),
        ("duplicates skipped", received[0]["duplicates"], received[1]["duplicates"]),
        ("consumers killed", kills, 0),
        ("order violations", wrong[0], wrong[1] - wrong[0]),
    ]
    print(f"{'':20}{'the file':>12}{'again':>12}{'total':>12}")
    for name, first, second in rows:
        print(f"{name:20}{first:>12,}{second:>12,}{first + second:>12,}")

    checks = [
        ("every line was sent and confirmed", all(r["read"] == r["confirmed"] == events for r in sent)),
        ("every event has one effect", after[1]["effects"] == events),
        ("every event is recorded as processed", after[1]["processed"] == events),
        ("every order is there", after[1]["orders"] == orders),
        ("the killed consumers left work", 0 < at_kill["effects"] < events),
        ("what they had committed was not done again", received[0]["committed"] == events - at_kill["effects"]),
        ("sending again had no effect", again == 0 and received[1]["committed"] == 0),
        ("every resent event was skipped", received[1]["duplicates"] == events),
        ("every order's events were applied in the order of the file", wrong == [0, 0]),
    ]
    failed = [name for name, holds in checks if not holds]
    for name in failed:
        print(f"WRONG: {name}", file=sys.stderr)
    return 1 if failed else 0


sys.exit(main(*map(int, sys.argv[1:])))
