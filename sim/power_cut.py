#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cuts the power below a committing environment, on real file systems; checks what is left.

  power_cut.py --binary PATH ext4|xfs   loop-mounted image, shut down by ioctl without a log flush
  power_cut.py --binary PATH thin       ext4 on a device that runs out of space under write-back
  power_cut.py --binary PATH kill       SIGKILL at the n-th system call of a kind, n sweeping

Needs root, e2fsprogs, xfsprogs and strace. Prints its seed and a summary; exits 1 at the first
round that lost something, leaving the image behind.
"""
import argparse
import collections
import fcntl
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

GOING_DOWN = 0x8004587D  # EXT4_IOC_SHUTDOWN and XFS_IOC_GOINGDOWN alike
NO_LOG_FLUSH = 2
MEGABYTE = 1024 * 1024


def run(*command, check=True):
    return subprocess.run(command, check=check, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)


class Round:
    """What one writer said before it died."""

    def __init__(self, stored):
        # Until it has opened, nothing is attempted: what the last check left must still be there.
        self.acknowledged = self.attempted = stored
        self.acks = 0
        self.opened = False
        self.failures = 0  # writes that came back with an error

    def hear(self, line):
        word, _, number = line.partition(" ")
        if word == "open":
            self.opened = True
            self.acknowledged = self.attempted = int(number)
        elif word == "try":
            self.attempted = max(self.attempted, int(number))
        elif word == "ack":
            self.acknowledged = max(self.acknowledged, int(number))
            self.acks += 1
        elif word in ("lost", "maintain", "error"):
            self.failures += 1


class Totals:
    def __init__(self):
        self.rounds = self.replayed = self.torn = self.acks = self.failed = self.unopened = 0
        self.stored = 0  # transactions in the folder after the last check

    def add(self, one, found):
        words = found.split()
        self.stored = int(words[1]) + 1  # the check commits one more, to see that service resumes
        if not one.opened:
            self.unopened += 1
            return
        self.rounds += 1
        self.acks += one.acks
        self.failed += one.failures > 0
        self.replayed += int(words[3]) > 0
        self.torn += int(words[5])

    def __str__(self):
        share = 100 * self.replayed / max(1, self.rounds)
        return (f"{self.rounds} rounds and {self.unopened} cuts while opening; {self.acks} commits "
                f"acknowledged; {self.replayed} rounds ({share:.0f}%) had commits to replay, "
                f"{self.torn} a torn tail; in {self.failed} a write failed first")


def start_writer(args, folder, prefix=()):
    command = [*prefix, args.binary, "write", "--folder", folder, "--seed", str(args.seed)]
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def check(args, folder, one):
    result = run(args.binary, "check", "--folder", folder, "--seed", str(args.seed),
                 "--acknowledged", str(one.acknowledged), "--attempted", str(one.attempted),
                 check=False)
    if result.returncode != 0:
        print(f"LOST (seed {args.seed}): acknowledged {one.acknowledged}, "
              f"attempted {one.attempted}\n{result.stdout}")
        sys.exit(1)
    return result.stdout.strip().splitlines()[-1]


class Image:
    """A file system in a file, mounted through a loop device."""

    def __init__(self, kind, directory, size):
        self.kind = kind
        self.file = os.path.join(directory, f"{kind}.img")
        self.mount_point = os.path.join(directory, "mnt")
        self.folder = os.path.join(self.mount_point, "env")
        os.makedirs(self.mount_point, exist_ok=True)
        with open(self.file, "wb") as image:
            image.truncate(size)
        options = ["-E", "lazy_itable_init=1"] if kind == "ext4" else []
        run(f"mkfs.{kind}", "-q", *options, self.file)

    def mount(self):
        run("mount", "-o", "loop", self.file, self.mount_point)

    def unmount(self):
        run("umount", self.mount_point)

    def cut(self):
        descriptor = os.open(self.mount_point, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, GOING_DOWN, struct.pack("I", NO_LOG_FLUSH))
        finally:
            os.close(descriptor)


def listen(writer, one, until_acks=None):
    """Hears the writer until it has said so many acks, or to its end."""
    for line in writer.stdout:
        one.hear(line.strip())
        if until_acks is not None and one.acks >= until_acks:
            return


def shut_down_rounds(args, directory, totals, chance):
    image = Image(args.mode, directory, 512 * MEGABYTE)
    for number in range(args.rounds):
        image.mount()
        if chance.random() < 0.1 and os.path.isdir(image.folder):
            shutil.rmtree(image.folder)  # creation is cut, too
            args.seed += 1
            totals.stored = 0
        one = Round(totals.stored)
        writer = start_writer(args, image.folder)
        listen(writer, one, until_acks=chance.choice([1, 5, 20, 60, 150]))
        image.cut()
        listen(writer, one)
        writer.wait()
        image.unmount()
        image.mount()
        totals.add(one, check(args, image.folder, one))
        image.unmount()
        if number % 10 == 9:
            print(f"{args.mode}: {totals}", flush=True)


def leave_room(mount_point, room):
    """Shrinks a tmpfs to what it holds and so many bytes; it may fill while we look."""
    while True:
        used = os.statvfs(mount_point)
        size = (used.f_blocks - used.f_bfree) * used.f_frsize + room
        if run("mount", "-o", f"remount,size={size}", mount_point, check=False).returncode == 0:
            return
        room += MEGABYTE


def thin_rounds(args, directory, totals, chance):
    backing = os.path.join(directory, "backing")
    os.makedirs(backing)
    run("mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", backing)
    try:
        for _ in range(args.rounds):
            run("mount", "-o", "remount,size=256m", backing)
            image = Image("ext4", backing, 200 * MEGABYTE)
            image.mount()
            one = Round(0)
            writer = start_writer(args, image.folder)
            listen(writer, one, until_acks=chance.randint(20, 60))
            leave_room(backing, chance.randint(1, 4) * MEGABYTE)
            listen(writer, one, until_acks=one.acks + 3000)
            writer.kill()
            listen(writer, one)
            writer.wait()
            # The device dies with what it could not write back; then it is given space again.
            image.cut()
            image.unmount()
            run("mount", "-o", "remount,size=256m", backing)
            run("fsck.ext4", "-fy", image.file, check=False)
            image.mount()
            totals.add(one, check(args, image.folder, one))
            image.unmount()
            args.seed += 1
            print(f"thin: {totals}", flush=True)
    finally:
        run("umount", backing)


# Often the writes; now and then a call that creates, names or removes a file.
KILL_AT = ("pwrite64", "pwrite64", "pwritev", "fdatasync", "fsync", "fallocate", "rename", "unlink",
           "openat")


def kill_children(pid):
    """Kills what strace runs; strace then ends by itself."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as children:
            for child in children.read().split():
                os.kill(int(child), signal.SIGKILL)
    except (FileNotFoundError, ProcessLookupError):
        pass  # it has ended


ACKS_UNTIL_KILLED = 400  # where the n-th call of its kind has not come by then


def traced(log, *more):
    return ("strace", "-f", "-qq", "-o", log, *more)


def count_calls(args, folder):
    """The calls of each kind of the thread that makes most: before the first ack, and in all.

    By thread, because strace counts the n-th call so.
    """
    log = folder + ".calls"
    kinds = sorted(set(KILL_AT))
    before, after = dict.fromkeys(kinds, 0), dict.fromkeys(kinds, 0)
    # Twice: the second writer has something to recover.
    for _ in range(2):
        writer = start_writer(args, folder, traced(log, "-e", "trace=write," + ",".join(kinds)))
        listen(writer, Round(0), until_acks=ACKS_UNTIL_KILLED)
        kill_children(writer.pid)
        writer.wait()
        counted = collections.Counter()
        acknowledged = False
        with open(log, encoding="ascii", errors="replace") as lines:
            for line in lines:
                thread, _, rest = line.partition(" ")
                call = rest.strip().partition("(")[0]
                acknowledged = acknowledged or '"ack ' in rest
                if call in after:
                    counted[thread, call] += 1
                    most = before if not acknowledged else after
                    most[call] = max(most[call], counted[thread, call])
    os.remove(log)
    shutil.rmtree(folder)
    return before, after


def kill_rounds(args, directory, totals, chance):
    folder = os.path.join(directory, "env")
    before, after = count_calls(args, folder)
    print("calls until the first ack and in all: " +
          ", ".join(f"{call} {before[call]} {after[call]}" for call in before), flush=True)
    # Nineteen rounds of twenty take n from the calls after the first ack, sweeping them once; the
    # other one from those before, where there may be nothing yet to replay.
    share = {call: KILL_AT.count(call) / len(KILL_AT) * args.rounds for call in before}
    at = dict.fromkeys(before, 0.0)
    outlived = 0
    while totals.rounds < args.rounds:
        if chance.random() < 0.05 and os.path.isdir(folder):
            shutil.rmtree(folder)  # creation is killed, too
            args.seed += 1
            totals.stored = 0
        call = chance.choice(KILL_AT)
        if chance.random() < 0.05:
            n = chance.randint(1, max(1, before[call]))
        else:
            span = max(1, after[call] - before[call])
            at[call] = (at[call] + 2 * chance.random() * span / share[call]) % span
            n = before[call] + 1 + int(at[call])
        prefix = traced("/dev/null", "-e", f"trace={call}", "-e",
                        f"inject={call}:signal=SIGKILL:when={n}")
        one = Round(totals.stored)
        writer = start_writer(args, folder, prefix)
        listen(writer, one, until_acks=ACKS_UNTIL_KILLED)
        outlived += one.acks >= ACKS_UNTIL_KILLED
        kill_children(writer.pid)
        listen(writer, one)
        writer.wait()
        totals.add(one, check(args, folder, one))
        if one.opened and totals.rounds % 20 == 0:
            print(f"kill: {totals}; {outlived} had made fewer than n calls and were killed "
                  f"after {ACKS_UNTIL_KILLED} acks", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--binary", required=True, help="rookery-power")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 1 << 31))
    parser.add_argument("mode", choices=("ext4", "xfs", "thin", "kill"))
    args = parser.parse_args()
    print(f"seed {args.seed} (repeat with --seed)", flush=True)
    chance = random.Random(args.seed)
    totals = Totals()
    directory = tempfile.mkdtemp(prefix="rookery-power-")
    rounds = {"ext4": shut_down_rounds, "xfs": shut_down_rounds, "thin": thin_rounds,
              "kill": kill_rounds}[args.mode]
    rounds(args, directory, totals, chance)
    shutil.rmtree(directory, ignore_errors=True)
    print(f"{args.mode}: {totals}: nothing lost")


if __name__ == "__main__":
    main()
