"""Typst sources to PDF, with Typst alone: python benchmarks/peers/typst_alone.py FILE …

Prints what each PDF hashes to. The median CPU seconds of all but the first, which warms up, go
to standard error.
"""

from __future__ import annotations

import hashlib
import json
import statistics
import sys
import time

import typst


def main(*paths: str) -> None:
    compiler = typst.Compiler(ignore_system_fonts=True)
    seconds = []
    for path in paths:
        with open(path, "rb") as file:
            source = file.read()
        start = time.process_time()
        made = compiler.compile(source, format="pdf", pdf_standards=["ua-1", "a-2a"], timestamp=0)
        seconds.append(time.process_time() - start)
        assert isinstance(made, bytes)
        print(hashlib.sha256(made).hexdigest())
    print(json.dumps({"seconds": statistics.median(seconds[1:] or seconds)}), file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
