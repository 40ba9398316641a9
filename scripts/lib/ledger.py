#!/usr/bin/env python3
"""Reads the order ledger of consumers/ledger from its store, for scripts/quickstart.

  ledger.py figures EVENTS        effects and order, compared with the published file, as JSON
  ledger.py kill-at N COMMAND…    runs COMMAND, and kills it with SIGKILL once the ledger holds N effects

The store is the one that TOPO_STORE_URL names: sqlite:FILE, or postgres://… through psql.
"""

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.parse


class Sqlite:
    def __init__(self, path):
        self.connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)

    def rows(self, query):
        return [tuple(map(str, row)) for row in self.connection.execute(query)]


class Postgres:
    def __init__(self, url, schema):
        # Through the environment, because everybody can read a command line.
        parts = urllib.parse.urlsplit(url)
        self.environment = dict(
            os.environ,
            PGHOST=parts.hostname or "",
            PGPORT=str(parts.port or 5432),
            PGUSER=urllib.parse.unquote(parts.username or ""),
            PGPASSWORD=urllib.parse.unquote(parts.password or ""),
            PGDATABASE=urllib.parse.unquote(parts.path.lstrip("/")),
            PGOPTIONS=f"-c search_path={schema}",
        )
        self.command = [os.environ.get("PSQL", "psql"), "--no-psqlrc", "--csv", "--tuples-only", "--command"]

    def rows(self, query):
        answer = subprocess.run(
            [*self.command, query], env=self.environment, stdout=subprocess.PIPE, text=True, check=True
        )
        return [tuple(row) for row in csv.reader(answer.stdout.splitlines())]


def store():
    url = os.environ["TOPO_STORE_URL"]
    if url.startswith("sqlite:"):
        return Sqlite(url[len("sqlite:"):])
    return Postgres(url, os.environ.get("TOPO_STORE_SCHEMA", "topo"))


def number(ledger, query):
    return int(ledger.rows(query)[0][0])


def effects(ledger):
    return number(ledger, "SELECT count(*) FROM order_status_changes")


def figures(events_file):
    ledger = store()
    sent = {}
    with open(events_file, encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            sent.setdefault(event["aggregateId"], []).append(event["messageId"])
    applied = {}
    for order, message in ledger.rows(
        "SELECT order_id, message_id FROM order_status_changes ORDER BY order_id, sequence"
    ):
        applied.setdefault(order, []).append(message)
    return {
        "effects": effects(ledger),
        "processed": number(ledger, "SELECT count(*) FROM processed_messages WHERE consumer = 'ledger'"),
        "orders": number(ledger, "SELECT count(*) FROM orders"),
        # Two judges: the ledger's own view, and the published file itself.
        "violations": number(ledger, "SELECT count(*) FROM order_violations"),
        "orders_differing_from_file": sum(applied.get(order) != messages for order, messages in sent.items()),
        "orders_not_in_file": len(applied.keys() - sent.keys()),
    }


def kill_at(wanted, command):
    ledger = store()
    deadline = time.monotonic() + 120
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        try:
            while effects(ledger) < wanted and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.005)
        finally:
            process.kill()
    if process.returncode != -signal.SIGKILL:
        sys.exit(f"the consumer ended with {process.returncode} before it could be killed")
    if effects(ledger) < wanted:
        sys.exit(f"the ledger did not reach {wanted} effects within 120 s")


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "figures":
        print(json.dumps(figures(arguments[1])))
    elif len(arguments) > 2 and arguments[0] == "kill-at":
        kill_at(int(arguments[1]), arguments[2:])
    else:
        sys.exit(__doc__)


main(sys.argv[1:])
