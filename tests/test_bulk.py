"""Work in bulk: the same files from one process, a pool and a cluster that loses a worker."""

from __future__ import annotations

import os
import signal
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from symattn import bulk
from symattn.bulk import call, in_order, workers, write_files
from symattn.errors import MachineError, UsageError
from symattn.press import Look, Order, print_order

LOOK = Look("markdown")


def jobs(count: int, look: Look = LOOK) -> list[Any]:
    return [
        partial(print_order, Order("scores", seed, documents=("sheet", "key")), look)
        for seed in range(count)
    ]


def alone(count: int) -> list[Any]:
    return list(in_order(call, jobs(count), None, 1))


def test_a_pool_gives_what_one_process_gives() -> None:
    with workers(2) as (executor, window):
        assert executor
        assert list(in_order(call, jobs(30), executor, window)) == alone(30)


def test_only_a_window_of_jobs_is_out() -> None:
    taken = []

    def endless() -> Any:
        for seed in range(10_000):
            taken.append(seed)
            yield partial(print_order, Order("scores", seed), LOOK)

    with workers(2) as (executor, window):
        made = in_order(call, endless(), executor, window)
        for _ in range(5):
            next(made)
        assert len(taken) <= window + 6
        made.close()


def die(_: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def test_a_worker_that_dies_is_one_message() -> None:
    with workers(2) as (executor, window), pytest.raises(MachineError, match="worker") as error:
        list(in_order(die, range(4), executor, window))
    assert "--resume" in error.value.hint


def test_files_are_whole_and_never_overwritten(tmp_path: Path) -> None:
    write_files([("a.txt", b"one")], tmp_path, force=False)
    with pytest.raises(MachineError, match="exists"):
        write_files([("a.txt", b"two")], tmp_path, force=False)
    assert (tmp_path / "a.txt").read_bytes() == b"one"
    write_files([("a.txt", b"three")], tmp_path, force=True)
    assert (tmp_path / "a.txt").read_bytes() == b"three"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_file_system_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    write_files([("a.txt", b"one")], tmp_path, force=False)
    with pytest.raises(MachineError, match="exists"):
        write_files([("a.txt", b"two")], tmp_path, force=False)
    assert (tmp_path / "a.txt").read_bytes() == b"one"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def slowly(job: Any) -> Any:
    time.sleep(0.05)
    return job()


def test_a_cluster_that_loses_a_worker_loses_no_sheet() -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        pids = [worker.pid for worker in cluster.workers.values()]
        with workers(1, cluster.scheduler_address) as (executor, window):
            assert window == 2 * bulk.WINDOW
            made = []
            for files in in_order(slowly, jobs(60), executor, window):
                made.append(files)
                if len(made) == 20:
                    os.kill(pids[0], signal.SIGKILL)
    assert made == alone(60)


def test_a_cluster_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(UsageError, match="distributed"), workers(1, "tcp://x:1"):
        pass
