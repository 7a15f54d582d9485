# SPDX-License-Identifier: MIT
"""Evaluations on workers that somebody else keeps: executors, Dask clusters, joblib, Ray.

A pool has `width()` (evaluations it can make at a time, asked again and again: workers may come and go), `submit(ticket, fun, args)`,
`wait(seconds)` (a list of (ticket, handle), perhaps empty), `result(handle)` (what `fun` returned, or its exception) and `drop()`. None of the
packages is imported unless one of its objects is given.
"""
import concurrent.futures
import os
import queue
import time


class WorkersLost(RuntimeError):
    """The workers are gone as a whole (a broken pool, a scheduler that died): no evaluation failed, and the run can be resumed."""

    def __init__(self, why):
        super().__init__(f"{why}. No evaluation was counted as failed; with store= every answer is kept: call again with resume=True")


class _Futures:
    """Whatever gives futures that call back: concurrent.futures, mpi4py.futures, loky."""

    def __init__(self, executor):
        self.executor, self.done, self.open = executor, queue.SimpleQueue(), {}

    def width(self):
        for name in ("_max_workers", "num_workers"):
            count = getattr(self.executor, name, None)
            if isinstance(count, int) and count > 0:
                return count
        return os.cpu_count() or 1

    def start(self, fun, args):
        return self.executor.submit(fun, *args)

    def submit(self, ticket, fun, args):
        try:
            future = self.start(fun, args)
        except concurrent.futures.BrokenExecutor as error:
            raise WorkersLost(f"the pool of workers is broken: {error}") from error
        except RuntimeError as error:  # "cannot schedule new futures after shutdown"
            raise WorkersLost(f"the executor takes no more work: {error}") from error
        self.open[ticket] = future
        future.add_done_callback(lambda f: self.done.put((ticket, f)))

    def wait(self, seconds):
        found = []
        try:
            found.append(self.done.get(timeout=seconds))
            while True:
                found.append(self.done.get_nowait())
        except queue.Empty:
            pass
        # What was dropped before may still call back.
        return [(ticket, future) for ticket, future in found if self.open.pop(ticket, None) is future]

    def result(self, future):
        try:
            return future.result()
        except (concurrent.futures.BrokenExecutor, concurrent.futures.CancelledError) as error:
            raise WorkersLost(f"the pool of workers is broken: {error or 'the evaluation was cancelled'}") from error

    def drop(self):
        for future in self.open.values():
            future.cancel()
        self.open.clear()


class _Dask(_Futures):
    """A worker that dies costs its evaluation, which Dask runs again elsewhere; a scheduler that dies ends the run."""

    patience = 10.0  # seconds without a scheduler

    def __init__(self, client):
        super().__init__(client)
        self.last_seen = time.monotonic()
        self.sent = None, None  # the function goes to the cluster once

    def width(self):
        if self.executor.status != "running":  # asking would wait for half a minute
            return 1
        try:
            return max(1, sum(self.executor.nthreads().values()))
        except Exception:  # the scheduler is gone, or about to be: wait() decides
            return 1

    def start(self, fun, args):
        import distributed
        if self.executor.status not in ("running", "connecting"):
            raise WorkersLost("the Dask scheduler is gone")
        try:
            # pure: two evaluations of one point with one seed are two evaluations.
            return self.executor.submit(fun, *args, pure=False)
        except (OSError, distributed.comm.CommClosedError) as error:
            raise WorkersLost(f"the Dask scheduler is gone: {error}") from error

    def wait(self, seconds):
        if self.executor.status == "running":
            self.last_seen = time.monotonic()
        elif time.monotonic() - self.last_seen > self.patience or self.executor.status in ("closing", "closed"):
            raise WorkersLost(f"the Dask scheduler is gone (the client is {self.executor.status})")
        return super().wait(seconds)

    def result(self, future):
        from distributed.scheduler import KilledWorker
        try:
            return future.result()
        except KilledWorker as error:
            raise RuntimeError(f"the workers that ran this evaluation died, one after the other: {error}") from None
        except concurrent.futures.CancelledError as error:
            raise WorkersLost("the Dask cluster dropped an evaluation: its scheduler died, or the client was closed") from error
        except (OSError, TimeoutError) as error:
            if self.executor.status == "running":
                raise
            raise WorkersLost(f"the Dask scheduler is gone: {error}") from error

    def drop(self):
        if self.open and self.executor.status == "running":
            self.executor.cancel(list(self.open.values()))
        self.open.clear()


def _guarded(fun, args):
    """joblib stops everything at the first exception: here one is a failed evaluation."""
    try:
        return True, fun(*args)
    except Exception as error:
        return False, error


class _Joblib:
    """joblib.Parallel takes a batch and gives it back as a whole."""

    def __init__(self, parallel):
        import joblib
        if not isinstance(parallel, joblib.Parallel):
            parallel = joblib.Parallel(n_jobs=parallel.effective_n_jobs(-1), backend=parallel)
        self.parallel, self.todo = parallel, []

    def width(self):
        import joblib
        return joblib.effective_n_jobs(self.parallel.n_jobs or 1) * 4  # a batch of several each: they take what is next

    def submit(self, ticket, fun, args):
        self.todo.append((ticket, fun, args))

    def wait(self, seconds):
        import joblib
        todo, self.todo = self.todo, []
        try:
            done = list(self.parallel(joblib.delayed(_guarded)(fun, args) for _, fun, args in todo))
        except concurrent.futures.BrokenExecutor as error:
            raise WorkersLost(f"joblib's workers died: {error}") from error
        return [(ticket, outcome) for (ticket, _, _), outcome in zip(todo, done, strict=True)]

    def result(self, outcome):
        good, value = outcome
        if not good:
            raise value
        return value

    def drop(self):
        self.todo = []


class _Ray:
    """A ray.util.ActorPool, whose actors have a method evaluate(x, seed) instead of `fun`; or the module ray, for tasks."""

    def __init__(self, pool):
        import ray
        self.ray, self.open, self.remote = ray, {}, None
        self.idle = None
        if pool is not ray:
            self.idle = list(pool._idle_actors)
            self.actors = len(self.idle)
            if not self.idle:
                raise ValueError("workers is a ray ActorPool without idle actors")

    def width(self):
        return self.actors if self.idle is not None else max(1, int(self.ray.cluster_resources().get("CPU", 1)))

    def submit(self, ticket, fun, args):
        actor = None
        if self.idle is not None:
            actor = self.idle.pop()
            handle = actor.evaluate.remote(*args)
        else:
            if self.remote is None:
                self.remote = self.ray.remote(fun)
            handle = self.remote.remote(*args)
        self.open[handle] = ticket, actor

    def wait(self, seconds):
        ready, _ = self.ray.wait(list(self.open), num_returns=1, timeout=seconds)
        found = []
        for handle in ready:
            ticket, actor = self.open.pop(handle)
            if actor is not None:
                self.idle.append(actor)
            found.append((ticket, handle))
        return found

    def result(self, handle):
        try:
            return self.ray.get(handle)
        except self.ray.exceptions.RayTaskError as error:
            raise error.cause if isinstance(error.cause, Exception) else error from None
        except (self.ray.exceptions.RayActorError, self.ray.exceptions.RaySystemError) as error:
            raise WorkersLost(f"Ray lost an actor or itself: {error}") from error

    def drop(self):
        for handle in self.open:
            self.ray.cancel(handle, force=False)
        self.open.clear()


def pool_for(workers):
    """The pool for what was given as workers=, or None if it is none that we know."""
    if isinstance(workers, concurrent.futures.Executor):
        return _Futures(workers)
    home = getattr(workers, "__module__", None) or getattr(workers, "__name__", "") or ""
    package = (type(workers).__module__ if home == "" else str(home)).split(".")[0]
    kinds = {base.__module__.split(".")[0] + "." + base.__name__ for base in type(workers).__mro__}
    if "distributed.Client" in kinds:
        if workers.asynchronous:
            raise TypeError("workers is an asynchronous Dask client; give one made with asynchronous=False")
        return _Dask(workers)
    if kinds & {"joblib.Parallel", "joblib.ParallelBackendBase"}:
        return _Joblib(workers)
    if "ray.ActorPool" in kinds or (package == "ray" and getattr(workers, "__name__", "") == "ray"):
        return _Ray(workers)
    return None
