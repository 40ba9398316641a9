#!/usr/bin/env python3
"""Prints a JSON report of topo in one line, without what it says per shard."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
print(json.dumps({name: value for name, value in report.items() if name != "per_shard"}))
