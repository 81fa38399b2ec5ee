"""Many sheets: on all cores or on a cluster, whole files only, and nothing done twice.

Work goes through `concurrent.futures.Executor`. A window of jobs is out at a time, so memory does
not grow with their number; results come in the order of the jobs; files are written here, not
where they are made.
"""

from __future__ import annotations

import os
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Final, TypeVar

from symattn.errors import MachineError, UsageError
from symattn.press import File

WINDOW: Final = 4
"""Jobs that are out for each worker."""

Job = TypeVar("Job")
Made = TypeVar("Made")


@contextmanager
def workers(count: int, scheduler: str = "") -> Iterator[tuple[Executor | None, int]]:
    """An executor and how many jobs it should have at a time; None works in this process.

    `scheduler` is the address of a Dask scheduler; that needs `pip install 'symattn[cluster]'`.
    MachineError where it cannot be reached.
    """
    if scheduler:
        with _cluster(scheduler) as found:
            yield found
    elif count <= 1:
        yield None, 1
    else:
        # A fresh interpreter in each worker: threads of the PDF compiler do not survive a fork.
        pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"))
        try:
            yield pool, count * WINDOW
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _cluster(address: str) -> Iterator[tuple[Executor, int]]:
    try:
        from distributed import Client
    except ImportError:
        raise UsageError(
            "--scheduler needs the package distributed", hint="pip install 'symattn[cluster]'"
        ) from None
    try:
        client = Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError) as error:
        raise MachineError(
            f"no scheduler answers at {address}: {error}",
            hint="Give the address that `dask scheduler` prints, such as tcp://host:8786.",
        ) from None
    try:
        threads = sum(client.nthreads().values()) or 1
        yield client.get_executor(), threads * WINDOW
    finally:
        client.close()


def call(job: Callable[[], Made]) -> Made:
    """The job itself as what is made of it: a partial function that can be sent elsewhere."""
    return job()


def in_order(
    make: Callable[[Job], Made], jobs: Iterable[Job], executor: Executor | None, window: int
) -> Iterator[Made]:
    """What `make` gives for each job, in their order. MachineError where a worker process dies."""
    if executor is None:
        yield from map(make, jobs)
        return
    out: deque[Future[Made]] = deque()
    try:
        for job in jobs:
            out.append(executor.submit(make, job))
            if len(out) >= window:
                yield out.popleft().result()
        while out:
            yield out.popleft().result()
    except BrokenProcessPool:
        raise MachineError(
            "a worker process died", hint="Run it again with --resume: what is written stays."
        ) from None
    finally:
        for future in out:
            future.cancel()


def write_files(files: Sequence[File], folder: Path, *, force: bool) -> None:
    """Write each file whole or not at all. MachineError where one is there already."""
    for name, data in files:
        target = folder / name
        try:
            with tempfile.NamedTemporaryFile(dir=folder, delete=False, prefix=".symattn-") as draft:
                draft.write(data)
            os.chmod(draft.name, 0o666 & ~_umask())
            try:
                _put(draft.name, target, data, force=force)
            finally:
                Path(draft.name).unlink(missing_ok=True)
        except FileExistsError:
            raise MachineError(
                f"{target} exists already", hint="Choose another folder with -o, or add --force."
            ) from None
        except OSError as error:
            raise MachineError(
                f"{target} cannot be written: {error.strerror}", hint="Choose another -o."
            ) from None


def _put(draft: str, target: Path, data: bytes, *, force: bool) -> None:
    """The draft in its place. FileExistsError where the target exists, unless `force`."""
    if force:
        os.replace(draft, target)
        return
    try:
        os.link(draft, target)
    except FileExistsError:
        raise
    except OSError:  # This file system has no hard links.
        with open(target, "xb") as file:
            file.write(data)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def folder_for(path: str, names: Iterable[str], *, force: bool, resume: bool) -> Path:
    """The folder, made if it is missing. MachineError where files would be overwritten."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MachineError(
            f"{folder} cannot be made: {error.strerror}", hint="Choose another -o."
        ) from None
    if not os.access(folder, os.W_OK):
        raise MachineError(f"{folder} cannot be written to", hint="Choose another -o.")
    if not force and not resume:
        there = [name for name in names if (folder / name).exists()]
        if there:
            more = f" and {len(there) - 1} more files" if len(there) > 1 else ""
            raise MachineError(
                f"{folder / there[0]}{more} would be overwritten",
                hint="Add --resume to make only what is missing, --force to overwrite, "
                "or choose another folder with -o.",
            )
    return folder
