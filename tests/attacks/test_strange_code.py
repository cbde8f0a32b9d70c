"""A stranger's program in the sandbox: it sees no answer, reaches nothing, and leaves nothing behind."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import sklearn
from sandboxes import SMALL, processes_with

from whatworked.references import conditions, table_path
from whatworked.sandbox import Execution
from whatworked.sandbox.supervision import Watch

Attack = Callable[..., Execution]

ATTEMPT = """
def attempt(what, *arguments):
    try:
        return f"DONE {what(*arguments)!r:.60}"
    except (OSError, ValueError) as error:
        return type(error).__name__
"""
STUBBORN = """
import signal, time
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
"""


def test_sees_no_folder_but_the_interpreters_and_its_packages(attack: Attack) -> None:
    done = attack(
        "import os\nfor folder, _, files in os.walk('/'):\n"
        "    for name in files:\n        print(folder, name, sep='/')",
        output_bytes=3_000_000,
    )
    assert (done.status, done.stdout_cut) == (0, 0)
    seen = [Path(line) for line in done.stdout.splitlines() if line]
    assert len(seen) > 3000
    assert {path.parts[1] for path in seen} - {"lib", "lib64"} == {
        *("dev", "packages", "python", "program.py", "preamble.py", "runner.py")
    }
    data = Path(sklearn.__file__).parent / "datasets" / "data"
    hidden = {path.name for path in data.iterdir()} - {"__init__.py", "__pycache__"}
    hidden |= {"iris.txt"} | {table_path(name).name for name in conditions()}
    assert len(hidden) > 40
    assert {path.name for path in seen} & hidden == set()
    assert [path for path in seen if "whatworked" in str(path)] == []


def test_cannot_open_what_it_knows_the_name_of(attack: Attack, root: Path) -> None:
    data = "sklearn/datasets/data/iris.csv"
    ours = [table_path("wine"), root / "README.md", Path.home(), sys.prefix, sys.executable, os.__file__]
    theirs = [Path(sklearn.__file__).parents[1] / data, f"/packages/{data}", "/etc/passwd", "/etc/mtab", "/sys/kernel"]
    processes = ["/proc/1/cmdline", "/proc/self/mountinfo", f"/proc/{os.getpid()}/environ", "/dev/mem", "/dev/tty"]
    secrets = [str(path) for path in (*ours, *theirs, *processes)]
    code = f"{ATTEMPT}\nimport os\nfor path in {secrets}:\n    print(attempt(os.stat, path))"
    assert attack(code).stdout.split("\n")[:-1] == ["FileNotFoundError"] * len(secrets)


def test_scikit_learn_works_without_its_data(attack: Attack) -> None:
    done = attack(
        "from sklearn.datasets import load_iris\nfrom sklearn.linear_model import Ridge\n"
        "print(Ridge(alpha=1e-12).fit([[0.0], [1.0]], [1.0, 3.0]).coef_.round(6))\nload_iris()",
        memory_bytes=2_000_000_000,
    )
    assert done.stdout == "[2.]\n"
    assert "FileNotFoundError" in done.stderr.splitlines()[-1]


def test_learns_nothing_from_environment_and_system(attack: Attack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHATWORKED_MIRROR", "/secret")
    done = attack(
        "import os, sys\nprint(*os.environ, os.getuid(), os.getpid(), os.uname().nodename, sys.argv, sys.prefix)"
    )
    threads = "OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS BLIS_NUM_THREADS"
    assert done.stdout == (
        f"HOME LANG LD_LIBRARY_PATH PATH TMPDIR TZ {threads} PWD 65534 2 sandbox ['/program.py'] /python\n"
    )


def test_opens_no_socket(attack: Attack) -> None:
    done = attack(
        f"{ATTEMPT}\nimport socket as s\n"
        "for family in (s.AF_INET, s.AF_INET6, s.AF_UNIX, s.AF_NETLINK, s.AF_PACKET):\n"
        "    print(attempt(s.socket, family, s.SOCK_RAW if family > 10 else s.SOCK_STREAM))\n"
        "print(attempt(s.create_connection, ('127.0.0.1', 80)), attempt(s.getaddrinfo, 'localhost', 80))\n"
        "left, right = s.socketpair()\n"
        "print(attempt(left.connect, b'\\0abstract'))"
    )
    assert done.stdout.split() == [*["PermissionError"] * 6, "gaierror", "ConnectionRefusedError"]


def test_starts_no_process(attack: Attack) -> None:
    done = attack(
        f"{ATTEMPT}\nimport os, subprocess\n"
        "print(attempt(os.fork), attempt(os.posix_spawn, '/python/bin/python3', ['python3'], {}))\n"
        "print(attempt(subprocess.run, ['/python/bin/python3']), attempt(os.execv, '/bin/sh', ['sh']))\n"
        "while True:\n    os.fork()"
    )
    assert done.stdout.split() == [*["PermissionError"] * 3, "FileNotFoundError"]
    assert (done.status, done.stderr.splitlines()[-1]) == (1, "PermissionError: [Errno 1] Operation not permitted")


def test_another_program_in_its_place_is_as_bound(attack: Attack) -> None:
    """The interpreter is the only program; started again it has the same limits and starts no process either."""
    again = "import os,resource; print(resource.getrlimit(resource.RLIMIT_CPU)); os.fork()"
    done = attack(
        f"import os\nos.execve('/python/bin/python3', ['/python/bin/python3', '-S', '-c', {again!r}], os.environ)"
    )
    assert done.stdout == f"({SMALL['cpu_seconds']}, {SMALL['cpu_seconds'] + 1})\n"
    assert done.stderr.endswith("PermissionError: [Errno 1] Operation not permitted\n")


def test_calls_that_reach_the_kernels_rarer_parts_are_refused(attack: Attack) -> None:
    """Through libc, with arguments that are valid or do not matter."""
    done = attack(
        "import ctypes, os\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "def error(name, *arguments):\n"
        "    return os.strerror(ctypes.get_errno()) if getattr(libc, name)(*arguments) == -1 else 'DONE'\n"
        "print({error(name, *arguments) for name, arguments in [\n"
        "    ('unshare', (0x10000000,)), ('setns', (0, 0)), ('mount', (b'', b'/work', b'tmpfs', 0, None)),\n"
        "    ('umount2', (b'/work', 0)), ('chroot', (b'/work',)), ('ptrace', (0, 0, None, None)),\n"
        "    ('shmget', (0, 1, 0o1600)), ('memfd_create', (b'x', 0)), ('personality', (0,)),\n"
        "    ('sched_setaffinity', (0, 8, bytes(8))),\n"
        "    ('sethostname', (b'x', 1)), ('reboot', (0,)), ('process_vm_readv', (1, None, 0, None, 0, 0)),\n"
        "]})\n"
    )
    assert done.stdout == "{'Operation not permitted'}\n"


def test_threads_without_end(attack: Attack) -> None:
    done = attack(
        "import threading, time\nthreading.stack_size(32768)\nwhile True:\n"
        "    threading.Thread(target=time.sleep, args=(100,), daemon=True).start()"
    )
    # The kernel refuses them at once, unless the caller is root: then they are counted from outside.
    assert done.limit == "threads" or done.stderr.endswith("RuntimeError: can't start new thread\n")


@pytest.mark.parametrize(
    "code",
    ["kept = []\nwhile True:\n    kept.append(bytearray(10_000_000))", "import numpy\nnumpy.ones(10**9)"],
    ids=["bytes", "array"],
)
def test_fills_memory(attack: Attack, code: str) -> None:
    done = attack(code)
    assert (done.status, done.limit) == (1, "memory")


def test_fills_every_folder_that_it_can_write_to(attack: Attack) -> None:
    done = attack(
        f"{ATTEMPT}\nimport os\nfor folder in ('/work', '/tmp', '/dev/shm'):\n"
        "    written = 0\n"
        "    try:\n"
        "        while True:\n"
        "            with open(f'{folder}/{written}', 'wb', buffering=0) as stream:\n"
        "                written += stream.write(bytes(500_000))\n"
        "    except OSError as error:\n"
        "        print(folder, written <= 4_000_000, error.strerror)\n"
        "    for name in os.listdir(folder):\n"
        "        os.truncate(f'{folder}/{name}', 0)\n"
        "try:\n"
        "    open('/work/large', 'wb').write(bytes(2_500_000))\n"
        "except OSError as error:\n"
        "    print(error.strerror)"
    )
    full = "True No space left on device"
    assert done.stdout.splitlines() == [f"/work {full}", f"/tmp {full}", f"/dev/shm {full}", "File too large"]


def test_writes_nowhere_else(attack: Attack) -> None:
    done = attack(
        f"{ATTEMPT}\nimport os\n"
        "places = [folder for folder, _, _ in os.walk('/') if folder not in ('/work', '/dev/shm')]\n"
        "said = [attempt(os.mkdir, f'{place}/new') for place in places]\n"
        "said += [attempt(open, path, 'a') for path in (os.__file__, '/program.py', '/python/bin/python3')]\n"
        "said += [attempt(os.chmod, '/program.py', 0o777), attempt(os.remove, '/runner.py')]\n"
        "said += [attempt(os.rename, '/work', '/other')]\n"
        "print(len(places), *sorted(set(said)))"
    )
    places, *said = done.stdout.split()
    assert int(places) > 400
    # Where the caller is not root, some files are also not the program's.
    assert set(said) <= {"OSError", "PermissionError"}


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_fills_the_output(attack: Attack, stream: str) -> None:
    done = attack(
        f"import sys\nsys.{stream}.write('begin')\nwhile True:\n    sys.{stream}.write('x' * 1000)", output_bytes=1000
    )
    text, cut = getattr(done, stream), getattr(done, f"{stream}_cut")
    assert (done.status, done.limit) == (None, "output")
    assert cut > 3_000_000
    assert text == f"begin{'x' * 495}\n[{cut} bytes left out]\n{'x' * 500}"


def test_ignores_every_signal_and_sleeps(attack: Attack) -> None:
    done = attack(f"{STUBBORN}\nprint('here', flush=True)\ntime.sleep(1000)", wall_seconds=4.0)
    assert (done.status, done.signal, done.limit, done.stdout) == (None, None, "wall", "here\n")


def test_ignores_every_signal_and_computes(attack: Attack) -> None:
    """The signal of the limit is ignored, the kill a second later is not."""
    done = attack(f"{STUBBORN}\nwhile True: pass", cpu_seconds=1)
    assert (done.status, done.signal, done.limit) == (None, "SIGKILL", "cpu")


def test_computes_past_the_limit(attack: Attack) -> None:
    done = attack("while True: pass", cpu_seconds=1)
    assert (done.status, done.signal, done.limit) == (None, "SIGXCPU", "cpu")


def test_kills_all_that_it_can(attack: Attack) -> None:
    done = attack(
        f"{ATTEMPT}\nimport ctypes, os, signal\n"
        "for process in (1, os.getppid(), -os.getpgid(1), -1):\n"
        "    for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM):\n"
        "        attempt(os.kill, process, number)\n"
        "for option in (1, 4, 23, 36):\n"
        "    ctypes.CDLL(None).prctl(option, 0, 0, 0, 0)\n"
        "print('alive', flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert (done.status, done.signal, done.limit, done.stdout) == (None, "SIGKILL", None, "alive\n")


def test_finds_no_descriptor_of_ours_and_closes_its_own(attack: Attack) -> None:
    """Four are open: input, which is empty, both outputs, and the one for its result."""
    done = attack(
        f"{ATTEMPT}\nimport os, sys\n"
        "print(sum(attempt(os.fstat, number)[:4] == 'DONE' for number in range(1024)), sys.stdin.read())\n"
        "sys.stdout.flush()\nos.closerange(0, 1024)\nresult = 1"
    )
    assert (done.stdout, done.result) == ("4 \n", None)


@pytest.mark.parametrize(
    ("bytes_written", "problem"),
    [
        ("b'[' * 100_000", "nested too deeply"),
        ("b'[NaN]'", "holds NaN"),
        ("b'1e999'", "too large for a float"),
        ("b'\\xff\\xfe'", "can't decode"),
        ('b\'{"a": 1, "a": 2}\'', "more than once"),
        ("b'import os'", "Expecting value"),
        ("b'[' + b'0,' * 400_000 + b'0]'", None),
    ],
    ids=["nested", "nan", "infinite", "no-utf8", "twice", "no-json", "long"],
)
def test_writes_what_it_likes_as_its_result(attack: Attack, bytes_written: str, problem: str | None) -> None:
    """It finds the descriptor; what it writes there by itself is taken as a text of a stranger, or not at all."""
    done = attack(
        f"import os, stat\ntext = {bytes_written}\n"
        "for number in range(3, 64):\n"
        "    try:\n"
        "        if stat.S_ISREG(os.fstat(number).st_mode):\n"
        "            os.pwrite(number, text, 0)\n"
        "    except OSError:\n"
        "        pass"
    )
    assert (done.status, done.stderr) == (0, "")
    if problem is None:
        assert done.result is not None
        assert (len(done.result), done.result_problem) == (800_003, None)
    else:
        assert done.result is None
        assert done.result_problem is not None
        assert problem in done.result_problem


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("['x' * 1000] * 3000", "bytes long; at most"),
        ("[float('nan')]", "Out of range float values"),
        ("{1, 2}", "a set cannot be delivered"),
        ("deep", "RecursionError"),
    ],
    ids=["large", "nan", "set", "nested"],
)
def test_a_result_that_cannot_be_taken_is_explained_to_the_program(attack: Attack, value: str, said: str) -> None:
    done = attack(f"deep = []\nfor _ in range(100_000):\n    deep = [deep]\nresult = {value}")
    assert (done.status, done.result, done.result_problem) == (0, None, None)
    assert done.stderr.startswith("`result` was not delivered: ")
    assert said in done.stderr


def test_files_of_other_kinds_in_the_work_folder(attack: Attack) -> None:
    """A result is no file: links, pipes and devices of that name are nothing to us, and go with the folder."""
    done = attack(
        f"{ATTEMPT}\nimport os\nos.mkfifo('result.json')\nos.symlink('/etc/passwd', 'result')\n"
        "print(attempt(os.mknod, 'device', 0o020666, os.makedev(1, 1)), attempt(open, 'result'))\nresult = {'0000': 1}"
    )
    assert (done.stdout, done.result) == ("PermissionError FileNotFoundError\n", '{"0000": 1}')


def test_escapes_and_broken_characters_are_data(attack: Attack) -> None:
    done = attack("import os\nos.write(1, b'\\x1b[2J\\xff\\x00\\r')")
    assert done.stdout == "\x1b[2J\ufffd\x00\r"


@pytest.mark.parametrize("moment", [0, 1, 10])
def test_ends_with_an_interrupted_host(attack: Attack, monkeypatch: pytest.MonkeyPatch, moment: int) -> None:
    """At once, while the sandbox is being made, and while the program runs."""
    looks = itertools.count()
    seen = Watch._look

    def interrupted(watch: Watch) -> None:
        if next(looks) == moment:
            raise KeyboardInterrupt
        seen(watch)

    with monkeypatch.context() as patched:
        patched.setattr(Watch, "_look", interrupted)
        with pytest.raises(KeyboardInterrupt):
            attack(f"{STUBBORN}\ntime.sleep(100)")


def test_ends_with_a_killed_host(attack: Attack, tmp_path: Path) -> None:
    """The kernel ends what is in the sandbox when the process that wanted it is gone."""
    mark = str(765_432_000 + os.getpid() % 1000)
    code = (
        "from whatworked.sandbox import BubblewrapSandbox, Limits\n"
        f"BubblewrapSandbox().run({STUBBORN!r} + 'time.sleep(100)', limits=Limits(file_bytes={mark}))"
    )
    host = subprocess.Popen([sys.executable, "-c", code])
    until(lambda: len(processes_with(mark)) >= 3)
    host.kill()
    host.wait()
    until(lambda: not processes_with(mark))


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds, at most a minute."""
    for _ in range(600):
        if holds():
            return
        time.sleep(0.1)
    raise AssertionError("it did not come about")
