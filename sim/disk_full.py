#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills the disk below a serving rookery, over HTTP, and shows what docs/disk-full.md promises of
documents and of an index on them.

  disk_full.py --binary PATH tmpfs   a tmpfs
  disk_full.py --binary PATH ext4    loop-mounted ext4 without reserved blocks (mkfs -m 0)
  disk_full.py --binary PATH thin    ext4 on a device that has less space than it says
  disk_full.py --binary PATH all

The server runs as nobody. Needs root, e2fsprogs and util-linux. Prints its seed and a table of
facts; exits 1 at the first promise that is broken, leaving the files behind.
"""
import argparse
import errno
import hashlib
import http.client
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from power_cut import MEGABYTE, run

NOBODY = 65534
VOLUME_BYTES = 160 * MEGABYTE
FILLER_BYTES = 24 * MEGABYTE  # somebody else's file
DOCUMENT_BYTES_MAX = 64 * 1024
WRITERS = 4
THIN_DELETES = 50
PATIENCE_S = 30
ERROR_KEYS = {"Error", "Message", "Type", "Url"}
# Of the index, whose terms take about a kilobyte a document.
QUERY = "from Fillers where number >= 20000 and startsWith(filler, 'a') select number"
# There is no index with this field as well.
WIDER_QUERY = "from Fillers where number = 1 and other = 2 select number"


class Broken(Exception):
    """A promise that was not kept."""


def require(condition, text):
    if not condition:
        raise Broken(text)


class Tmpfs:
    thin = False

    def __init__(self, directory):
        self.mount_point = self.pool = os.path.join(directory, "mnt")
        os.makedirs(self.mount_point)
        run("mount", "-t", "tmpfs", "-o", f"size={VOLUME_BYTES}", "rookery", self.mount_point)

    def close(self):
        run("umount", "--lazy", self.mount_point)


class Ext4:
    """In a file, through a loop device. Whose space runs out: its own."""

    thin = False

    def __init__(self, directory, size=VOLUME_BYTES):
        self.mount_point = self.pool = os.path.join(directory, "mnt")
        self.image = os.path.join(directory, "ext4.img")
        os.makedirs(self.mount_point)
        with open(self.image, "wb") as image:
            image.truncate(size)
        run("mkfs.ext4", "-q", "-b", "4096", "-m", "0", "-E",
            "lazy_itable_init=0,lazy_journal_init=0", self.image)
        self.prepare()
        run("mount", "-o", "loop", self.image, self.mount_point)

    def prepare(self):
        pass

    def close(self):
        run("umount", self.mount_point)


class Thin(Ext4):
    """A pool (a tmpfs) that has half of what the device on it promises. What ext4 needs for itself
    is given to it beforehand, and once more before the pool is full: else it turns read-only, as on
    any thin device, and no database could go on."""

    thin = True

    def __init__(self, directory):
        pool = os.path.join(directory, "pool")
        os.makedirs(pool)
        run("mount", "-t", "tmpfs", "-o", f"size={VOLUME_BYTES}", "rookery", pool)
        try:
            super().__init__(pool, size=2 * VOLUME_BYTES)
        except BaseException:
            run("umount", "--lazy", pool)
            raise
        self.pool = pool

    def prepare(self):
        layout = run("dumpe2fs", self.image).stdout
        block_bytes = int(re.search(r"Block size:\s+(\d+)", layout).group(1))
        extents = run("debugfs", "-R", "stat <8>", self.image).stdout
        own = re.findall(r"\(\d+(?:-\d+)?\):(\d+)(?:-(\d+))?", extents)  # the journal
        own += re.findall(r"(?:superblock|descriptors|GDT blocks|bitmap|table) at (\d+)(?:-(\d+))?",
                          layout)
        require(len(own) > 3, "dumpe2fs and debugfs said nothing that this script understands")
        with open(self.image, "r+b") as image:
            for first, last in own:
                begin = int(first) * block_bytes
                length = (int(last or first) + 1 - int(first)) * block_bytes
                # Reading a hole and writing its zeros gives it blocks.
                os.pwrite(image.fileno(), os.pread(image.fileno(), length, begin), begin)

    def close(self):
        super().close()
        run("umount", "--lazy", self.pool)


class Filler:
    """Somebody else's file in the same pool of space."""

    def __init__(self, pool, name):
        self.path = os.path.join(pool, name)

    def write(self, most=None):
        """So many bytes more, or all that there is room for."""
        written = 0
        with open(self.path, "ab", buffering=0) as file:
            os.fchown(file.fileno(), NOBODY, NOBODY)
            for size in (MEGABYTE, 4096, 512, 1):
                try:
                    while most is None or written < most:
                        written += file.write(b"\1" * size)
                except OSError as error:
                    require(error.errno == errno.ENOSPC, f"filling failed: {error}")

    def remove(self):
        os.unlink(self.path)


class Server:
    def __init__(self, binary, folder, *more):
        began = time.monotonic()
        self.process = subprocess.Popen(
            [binary, "serve", f"--DataDir={folder}", "--ServerUrl=http://127.0.0.1:0",
             "--Setup.Mode=None", "--License.Eula.Accepted=true", "--Logs.Mode=None",
             f"--Testing.ParentProcessId={os.getpid()}", *more],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            user=NOBODY, group=NOBODY, extra_groups=[], cwd="/")
        line = self.process.stdout.readline()
        match = re.match(r"Server available on: http://([^:]+):(\d+)", line)
        require(match, f"the server didn't start: '{line.strip()}', {self.process.poll()}")
        self.address = (match.group(1), int(match.group(2)))
        self.start_s = time.monotonic() - began

    def connect(self):
        return http.client.HTTPConnection(*self.address, timeout=PATIENCE_S)

    def stop(self):
        """Seconds; a stop that isn't clean is a broken promise."""
        began = time.monotonic()
        self.process.stdin.write("shutdown no-confirmation")
        self.process.stdin.flush()
        try:
            code = self.process.wait(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise Broken(f"the server didn't stop within {PATIENCE_S} s") from None
        require(code == 0, f"the server ended with {code}")
        return time.monotonic() - began

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def request(connection, method, path, body=None):
    connection.request(method, path, body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    return response.status, response.read()


def document(identifier):
    return f"/databases/full/docs?id={identifier}"


def fingerprint(text):
    return hashlib.sha256(text.encode()).hexdigest()


def is_asked_for(number, filler):
    """As QUERY says."""
    return number >= 20000 and filler.startswith("a")


def client_error(body):
    """What a client makes of an answer that is none."""
    text = body.decode(errors="replace")
    try:
        error = json.loads(text)
    except ValueError:
        raise Broken(f"the error isn't JSON: {text}") from None
    require(set(error) == ERROR_KEYS, f"not the client's error: {text}")
    require(error["Error"].startswith(error["Type"] + ": "), f"Error without its Type: {text}")
    return error


class Refusals:
    """Every answer that wasn't 201; each must be the client's error, 507."""

    def __init__(self):
        self.count = 0
        self.first = None

    def add(self, status, body):
        require(status == 507, f"a full disk was answered with {status}: {body}")
        error = client_error(body)
        self.count += 1
        self.first = self.first or error


class Run:
    """One server on one volume, and what it was told and answered."""

    def __init__(self, binary, volume, seed):
        self.binary = binary
        self.volume = volume
        self.chance = random.Random(seed)
        self.folder = os.path.join(volume.mount_point, "data")
        os.makedirs(self.folder)
        os.chown(self.folder, NOBODY, NOBODY)
        self.mutex = threading.Lock()
        self.stored = {}  # id: fingerprint, of what was acknowledged and not deleted since
        self.asked_for = {}  # id: whether QUERY finds it, of the same
        self.absent = set()  # refused or deleted
        self.refusals = Refusals()
        self.server = None
        self.facts = {}

    def put(self, connection, chance, identifier, size=None):
        """Whether it was stored."""
        # Incompressible, or the journal's compression would hide the growth.
        size = size or chance.randrange(64, DOCUMENT_BYTES_MAX)
        filler = chance.randbytes(size // 2).hex()
        body = json.dumps({"filler": filler, "number": len(filler),
                           "@metadata": {"@collection": "Fillers"}})
        status, answer = request(connection, "PUT", document(identifier), body)
        with self.mutex:
            if status == 201:
                self.stored[identifier] = fingerprint(filler)
                self.asked_for[identifier] = is_asked_for(len(filler), filler)
                self.absent.discard(identifier)
                return True
            self.refusals.add(status, answer)
            if identifier not in self.stored:  # else what was there before stays
                self.absent.add(identifier)
            return False

    def fill(self, name, seed, until_free):
        """One writer: until it was refused three times running, or so many bytes are free. Names
        come again at the next call: then it overwrites."""
        chance = random.Random(seed)
        connection = self.server.connect()
        refused = number = 0
        while refused < 3 and (until_free is None or self.free_bytes() > until_free):
            refused = 0 if self.put(connection, chance, f"{name}-{number}") else refused + 1
            number += 1
        connection.close()

    def fill_up(self, until_free=None):
        broken = []

        def writer(name, seed):
            try:
                self.fill(name, seed, until_free)
            except (Broken, OSError, http.client.HTTPException) as error:
                broken.append(error)

        threads = [threading.Thread(target=writer, args=(f"fill/{i}", self.chance.random()))
                   for i in range(WRITERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if broken:
            raise Broken(f"while filling: {broken[0]}")

    def check_documents(self):
        """Everything acknowledged is there and whole, nothing that was refused or deleted is."""
        connection = self.server.connect()
        for identifier, expected in self.stored.items():
            status, body = request(connection, "GET", document(identifier))
            require(status == 200, f"{identifier}, which was stored, reads as {status}: {body}")
            found = fingerprint(json.loads(body)["Results"][0]["filler"])
            require(found == expected, f"{identifier} reads as something else")
        for identifier in self.absent:
            status, body = request(connection, "GET", document(identifier))
            require(status == 404, f"{identifier}, refused or deleted, reads as {status}")
        connection.close()

    def delete_some(self, one_in):
        """On a thin device only as many as its reserve is good for anyway."""
        chosen = [one for one in self.stored if self.chance.randrange(one_in) == 0]
        if self.volume.thin:
            chosen = chosen[:THIN_DELETES]
        refused = self.delete_each(chosen)
        require(refused is None, f"a delete was answered with {refused}")
        return len(chosen)

    def delete_each(self, chosen):
        """Until one is refused; what it was answered, or None."""
        connection = self.server.connect()
        refused = None
        for identifier in chosen:
            status, body = request(connection, "DELETE", document(identifier))
            if status != 204:
                refused = f"{status}: {body}"
                break
            del self.stored[identifier], self.asked_for[identifier]
            self.absent.add(identifier)
        connection.close()
        return refused

    def wait_until_written(self, name, size=None):
        """Seconds until a write succeeds; nobody tells the server anything."""
        connection = self.server.connect()
        began = time.monotonic()
        number = 0
        while not self.put(connection, self.chance, f"{name}-{number}", size):
            require(time.monotonic() - began < PATIENCE_S,
                    f"{name}: no write was taken within {PATIENCE_S} s")
            number += 1
            time.sleep(0.02)  # so that the attempts don't fill the log
        connection.close()
        return time.monotonic() - began

    def query(self, text, wait_s=None):
        connection = self.server.connect()
        body = {"Query": text, "WaitForNonStaleResults": wait_s is not None,
                "WaitForNonStaleResultsTimeout": int(1000 * (wait_s or 0.2))}
        status, answer = request(connection, "POST", "/databases/full/queries", json.dumps(body))
        connection.close()
        return status, answer

    def check_answer(self, answer):
        """Whether it said that it was stale; else it must be right."""
        if answer["IsStale"]:
            return True
        found = sorted(row["@metadata"]["@id"] for row in answer["Results"])
        expected = sorted(one for one, asked_for in self.asked_for.items() if asked_for)
        require(found == expected and answer["TotalResults"] == len(expected),
                f"the index finds {len(found)} documents ({answer['TotalResults']}), and should "
                f"find {len(expected)}")
        return False

    def ask(self, text=QUERY):
        """What a query is answered without waiting: right, stale, or an error."""
        status, body = self.query(text)
        if status == 200:
            answer = json.loads(body)
            is_stale = self.check_answer(answer) if text == QUERY else answer["IsStale"]
            return "stale" if is_stale else "right"
        return f"{status} {client_error(body)['Type'].rpartition('.')[2]}"

    def wait_until_indexed(self):
        """Seconds until the index has caught up; nobody tells the server anything."""
        began = time.monotonic()
        status, body = self.query(QUERY, PATIENCE_S)
        require(status == 200, f"waiting for the index: {status} {body}")
        require(not self.check_answer(json.loads(body)), "the index is stale after waiting")
        return time.monotonic() - began

    def start(self):
        self.server = Server(self.binary, self.folder)
        return self.server.start_s

    def free_bytes(self):
        space = os.statvfs(self.volume.pool)
        return space.f_bavail * space.f_frsize

    def go(self):
        facts = self.facts
        filler, rest = Filler(self.volume.pool, "foreign"), Filler(self.volume.pool, "rest")
        filler.write(FILLER_BYTES)
        self.start()
        connection = self.server.connect()
        status, body = request(connection, "PUT", "/admin/databases?name=full&replicationFactor=1",
                               json.dumps({"DatabaseName": "full"}))
        connection.close()
        require(status in (200, 201), f"creating the database: {status} {body}")
        facts["s to make the index"] = self.wait_until_indexed()

        if self.volume.thin:
            self.fill_up(until_free=VOLUME_BYTES // 4)
            run("sync", "--file-system", self.volume.mount_point)
            rest.write()
        self.fill_up()
        facts["stored until full"] = len(self.stored)
        facts["refusal"] = f"507 {self.refusals.first['Type'].rpartition('.')[2]}"
        self.check_documents()
        facts["read while full"] = len(self.stored)
        facts["query while full"] = self.ask()
        facts["query for a new index while full"] = self.ask(WIDER_QUERY)
        facts["deleted while full"] = self.delete_some(3)
        if not self.volume.thin:  # there, what deletes free cannot be synced before there is space
            facts["s until deletes made room"] = self.wait_until_written("after/deletes", 1024)

        # Not a byte is left: what the deletes freed lies within the data file.
        rest.write()
        facts["bytes free"] = self.free_bytes()
        self.fill_up()
        facts["stored until full again"] = len(self.stored)
        facts["deleted at zero bytes"] = self.delete_some(10)
        self.check_documents()
        facts["query at zero bytes"] = self.ask()
        facts["s to stop"] = self.server.stop()
        rest.write()  # the stop may have given something back
        facts["bytes free at the start"] = self.free_bytes()
        facts["s to start"] = self.start()
        self.check_documents()
        facts["query after the start"] = self.ask()
        facts["deleted after the start"] = self.delete_some(10)
        if self.volume.thin:
            before = len(self.stored)
            refused = self.delete_each(list(self.stored))
            require(refused is None or refused.startswith("507"), f"a delete: {refused}")
            facts["deleted until the reserve was used up"] = before - len(self.stored)

        filler.remove()
        if self.volume.thin:  # all that was written since the last sync needs room now
            rest.remove()
        facts["s until space came back"] = self.wait_until_written("after/space")
        facts["s until the index caught up"] = self.wait_until_indexed()
        self.fill_up()
        facts["stored then"] = len(self.stored)
        facts["query then"] = self.ask()
        self.server.stop()
        verified = run(self.binary, "verify", self.folder, check=False)
        require(verified.returncode == 0, f"verify: {verified.stdout}")
        facts["verify"] = "clean"
        self.start()
        self.check_documents()
        facts["query at the end"] = self.ask()
        self.server.stop()
        facts["there at the end"] = len(self.stored)
        facts["refused in all"] = self.refusals.count


def show(kind, seed, facts):
    print(f"{kind} (seed {seed}): every promise was kept")
    width = max(len(name) for name in facts)
    for name, value in facts.items():
        print(f"  {name:<{width}}  {value:.2f}" if isinstance(value, float)
              else f"  {name:<{width}}  {value}", flush=True)


def one_round(kind, binary, seed):
    directory = tempfile.mkdtemp(prefix="rookery-full-")
    os.chmod(directory, 0o755)
    # nobody may not be allowed where the binary was built
    local = shutil.copy(binary, os.path.join(directory, "rookery"))
    volume = {"tmpfs": Tmpfs, "ext4": Ext4, "thin": Thin}[kind](directory)
    filling = Run(local, volume, seed)
    try:
        filling.go()
    except (Broken, OSError, http.client.HTTPException) as error:
        print(f"BROKEN ({kind}, seed {seed}): {error}\nleft as it is: {directory}")
        for name, value in filling.facts.items():
            print(f"  {name}: {value}")
        if filling.server is not None:
            filling.server.kill()
        sys.exit(1)
    volume.close()
    shutil.rmtree(directory)
    show(kind, seed, filling.facts)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--binary", required=True, help="rookery")
    parser.add_argument("--rounds", type=int, default=1, help="of each; seeds count up")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 1 << 31))
    parser.add_argument("mode", choices=("tmpfs", "ext4", "thin", "all"))
    args = parser.parse_args()
    print(f"seed {args.seed} (repeat with --seed)", flush=True)
    for number in range(args.rounds):
        for kind in ("tmpfs", "ext4", "thin") if args.mode == "all" else (args.mode,):
            one_round(kind, args.binary, args.seed + number)


if __name__ == "__main__":
    main()
