# SPDX-License-Identifier: Apache-2.0
"""Runs tenstride-mpi-tests by mpirun, on 1 to 8 ranks, and with ranks that fail.

`--allow-run-as-root` and `--oversubscribe` let it run in containers and on fewer processors than ranks.
"""

import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

PROGRAM = Path(sys.argv[sys.argv.index("--bin") + 1]).resolve() / "tenstride-mpi-tests"
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]


def run(ranks, fails=None):
    """The completed program on some ranks; a rank that waits for ever fails the test."""
    # Open MPI never frees some of its own memory; what tenstride leaves open is counted by the program.
    options = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    environment = os.environ | {"ASAN_OPTIONS": options} | ({"TENSTRIDE_TEST_FAILS": fails} if fails else {})
    command = [*MPIRUN, "-n", str(ranks), str(PROGRAM), "--gtest_brief=1"]
    return subprocess.run(command, capture_output=True, text=True, timeout=900, env=environment)


class MpiTest(unittest.TestCase):
    def test_each_rank_gets_what_it_is_to_hold(self):
        for ranks in (1, 2, 3, 4, 8):
            with self.subTest(ranks=ranks):
                done = run(ranks)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual(done.stdout.count("PASSED"), ranks, done.stdout)

    def test_a_rank_that_dies_ends_all(self):
        done = run(4, fails="dies")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("signal 9", done.stdout + done.stderr)

    def test_an_error_of_one_rank_ends_all_with_its_message(self):
        done = run(4, fails="fails")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("rank 3: out of memory", done.stderr)

    def test_an_error_that_unwinds_one_rank_is_caught_there(self):
        done = run(4, fails="throws")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("caught: no such file", done.stderr)


if __name__ == "__main__":
    if not PROGRAM.exists() or shutil.which("mpirun") is None:
        print("skipped: this build has no MPI (install openmpi-bin and libopenmpi-dev, then configure anew)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
