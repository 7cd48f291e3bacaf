# SPDX-License-Identifier: Apache-2.0
"""Runs one command in a memory control group after the caches were dropped, and says what it took."""

import os
import pathlib
import signal
import subprocess
import time

ROOT = pathlib.Path("/sys/fs/cgroup")
NAME = "tenstride-large-files"
POLL_SECONDS = 0.02
IO_KEYS = ("rchar", "wchar", "read_bytes", "write_bytes")


class MemoryGroup:
    """A control group of version 1 or 2 with a limit of memory, page cache included, and no swap.

    Raises OSError where none can be made: without root, or without the controller."""

    def __init__(self, limit):
        self.limit = limit
        if (ROOT / "memory").is_dir():
            self.version = 1
            lines = pathlib.Path("/proc/self/cgroup").read_text().splitlines()
            own = next(line.split(":", 2)[2] for line in lines if ":memory:" in line)
            self.path = ROOT / "memory" / own.lstrip("/") / NAME
        else:
            self.version = 2
            self.path = ROOT / NAME
        self.make()

    def make(self):
        self.path.mkdir(exist_ok=True)
        if self.version == 1:
            self.write("memory.limit_in_bytes", self.limit)
            self.write("memory.swappiness", 0)
            self.try_write("memory.memsw.limit_in_bytes", self.limit)
        else:
            self.try_write("../cgroup.subtree_control", "+memory")
            self.write("memory.max", self.limit)
            self.try_write("memory.swap.max", 0)

    def write(self, name, value):
        (self.path / name).write_text(str(value))

    def try_write(self, name, value):
        try:
            self.write(name, value)
        except OSError:
            pass

    def read(self, name):
        return (self.path / name).read_text()

    def numbers(self, name):
        return {key: int(value) for key, value in (line.split()[:2] for line in self.read(name).splitlines())}

    def processes(self):
        return [int(line) for line in self.read("cgroup.procs").split()]

    def renew(self):
        """An empty group whose peak and whose count of kills begin anew."""
        self.close()
        self.make()

    def peak(self):
        """The most memory charged to the group, page cache included; None on kernels that do not say."""
        try:
            return int(self.read("memory.max_usage_in_bytes" if self.version == 1 else "memory.peak"))
        except OSError:
            return None

    def anonymous(self):
        return self.numbers("memory.stat")["total_rss" if self.version == 1 else "anon"]

    def kills(self):
        try:
            return self.numbers("memory.oom_control" if self.version == 1 else "memory.events").get("oom_kill", 0)
        except (OSError, ValueError):
            return 0

    def close(self):
        for _ in range(50):
            try:
                self.path.rmdir()
                return
            except OSError:
                time.sleep(0.1)


def drop_caches():
    os.sync()
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")


def resident_peak(pid):
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM:")), 0)


def process_io(pid):
    """What the process and the children that it waited for read and wrote; it may have ended, but not been waited for."""
    try:
        lines = pathlib.Path(f"/proc/{pid}/io").read_text().splitlines()
    except OSError:
        return {}
    return {key: int(value) for key, value in (line.split(": ") for line in lines) if key in IO_KEYS}


def has_ended(pid):
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def kill_all(process, group):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    for pid in group.processes() if group else []:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def flush(folder):
    """Seconds until the file system of `folder` has everything on the disk."""
    start = time.monotonic()
    subprocess.run(["sync", "-f", str(folder)], check=True)
    return time.monotonic() - start


def measure(command, folder, log, group=None, timeout=None, environment=None):
    """Runs `command` with its output in the file `log`, and gives a dict:

    status           done, failed, killed (for memory) or timed out
    seconds          from its start to its end
    flush_seconds    of the flush of the file system of `folder` after that
    resident_peak    the most bytes resident at a time in one process, mapped pages of files included
    anonymous_peak   the most bytes of memory with no file behind it, of all processes in the group
    group_peak       the most bytes charged to the group: page cache included, the limit at most
    io               bytes by system calls (rchar, wchar) and between disk and memory (read_bytes, write_bytes)"""
    if group:
        drop_caches()
        group.renew()
    enter = 'if [ -n "$0" ]; then echo $$ > "$0/cgroup.procs" || exit 125; fi; exec "$@"'
    place = str(group.path) if group else ""
    peaks, anonymous, late = {}, 0, False
    with open(log, "wb") as output:
        start = time.monotonic()
        process = subprocess.Popen(["/bin/sh", "-c", enter, place, *map(str, command)], stdout=output,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
                                   env={**os.environ, **(environment or {})})
        try:
            while not has_ended(process.pid):
                for pid in group.processes() if group else [process.pid]:
                    peaks[pid] = max(peaks.get(pid, 0), resident_peak(pid))
                anonymous = max(anonymous, group.anonymous()) if group else 0
                if timeout and time.monotonic() - start > timeout:
                    late = True
                    break
                time.sleep(POLL_SECONDS)
            seconds = time.monotonic() - start
            io = process_io(process.pid)
        finally:
            kill_all(process, group)
            process.wait()
    if late:
        status = "timed out"
    elif process.returncode == 0:
        status = "done"
    else:
        status = "killed" if group and group.kills() else "failed"
    return {"status": status, "exit_code": process.returncode, "seconds": seconds, "flush_seconds": flush(folder),
            "resident_peak": max(peaks.values(), default=0), "anonymous_peak": anonymous if group else None,
            "group_peak": group.peak() if group else None, "io": io, "timeout_seconds": timeout}
