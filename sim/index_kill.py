#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills a serving rookery while it stores documents, indexes them and answers queries.

  index_kill.py --binary PATH [--rounds N] [--seed N]

SIGKILL comes at the n-th system call of a kind, in whichever thread gets there first. Then the
server starts again, with indexing held back: everything acknowledged must be there, and an answer
that calls itself up to date must be what the documents say. Then indexing goes on, and every answer
must be. In the end everything is verified offline.

The server runs as nobody. Needs root and strace. Prints its seed and a summary; exits 1 at the
first promise that is broken, leaving the files behind.
"""
import argparse
import collections
import http.client
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from disk_full import NOBODY, PATIENCE_S, Broken, Server, request, require
from power_cut import KILL_AT, run

WRITERS = 3
IDS_A_WRITER = 40
ACKS_UNTIL_KILLED = 500  # where the n-th call of its kind has not come by then
CALLS_MAX = 300
ROUNDS_A_FOLDER = 6
# All writers rest so long after so many writes, so that indexes are up to date now and then.
BURST = 50
REST_S = 0.4
DATABASE = "/databases/kill"
NAMES = ("Ann", "ANN", "bob", "Bob", "Cid", "\u00c4rger", "", "Zoe")
TAGS = ("red", "green", "blue")
PAUSED = "--Indexing.IndexStartupBehavior=Pause"


def number(value):
    return isinstance(value, int)


# What is asked, and the same of a document. In this order, so that indexes are widened.
QUERIES = (
    ("from Users where x = 3", lambda d: d.get("x") == 3),
    ("from Users where name >= 'b' and x < 3",
     lambda d: d.get("name", "").lower() >= "b" and "name" in d and number(d.get("x"))
     and d["x"] < 3),
    ("from Users where tags = 'red' or n >= 100",
     lambda d: "red" in d["tags"] or d["n"] >= 100),
    ("from Users where exists(name) and not (x in (0, 1, 2))",
     lambda d: "name" in d and d.get("x") not in (0, 1, 2)),
    ("from Users where endsWith(name, 'n') order by n as long desc",
     lambda d: d.get("name", "").lower().endswith("n")),
    ("from Users where search(bio, 'quick') and tags = 'blue'",
     lambda d: "quick" in d["bio"] and "blue" in d["tags"]),
)


class Gone(Exception):
    """The server has died under a request."""


class Client:
    def __init__(self, server):
        self.connection = server.connect()

    def call(self, method, path, body=None):
        try:
            return request(self.connection, method, path, body)
        except (OSError, http.client.HTTPException) as error:
            raise Gone from error

    def query(self, text, wait_s=None):
        """The answer. Without a wait, new indexes are waited for briefly."""
        body = {"Query": text, "WaitForNonStaleResults": wait_s is not None,
                "WaitForNonStaleResultsTimeout": int(1000 * (wait_s or 0.05))}
        status, answer = self.call("POST", DATABASE + "/queries", json.dumps(body))
        require(status == 200, f"{text}: {status} {answer}")
        return json.loads(answer)


class Round:
    """One life of the server: what it was asked to store, and what it acknowledged."""

    def __init__(self, server, stored, seed):
        self.server = server
        self.stored = stored  # id: (collection, body), acknowledged
        self.pending = {}  # id: the same, or None for a deletion; asked and not answered
        self.seed = seed
        self.acks = self.queries = self.stale = 0
        self.rest_until = 0
        self.broken = []
        self.mutex = threading.Lock()

    def write(self, writer):
        chance = random.Random(f"{self.seed} writer {writer}")
        client = Client(self.server)
        while True:
            time.sleep(max(0, self.rest_until - time.monotonic()))
            identifier = f"users/{writer}-{chance.randrange(IDS_A_WRITER)}"
            document = None if chance.randrange(4) == 0 else self.document(chance)
            with self.mutex:
                self.pending[identifier] = document
            path = f"{DATABASE}/docs?id={identifier}"
            if document is None:
                status, answer = client.call("DELETE", path)
            else:
                collection, body = document
                status, answer = client.call(
                    "PUT", path, json.dumps({**body, "@metadata": {"@collection": collection}}))
            require(status in (201, 204), f"{path}: {status} {answer}")
            with self.mutex:
                self.acks += 1
                if self.acks % BURST == 0:
                    self.rest_until = time.monotonic() + REST_S
                del self.pending[identifier]
                if document is None:
                    self.stored.pop(identifier, None)
                else:
                    self.stored[identifier] = document

    def document(self, chance):
        with self.mutex:
            body = {"n": self.acks, "tags": chance.sample(TAGS, chance.randrange(3)),
                    "bio": " ".join(chance.choices(("the", "quick", "fox", "lazy"), k=4))}
        if chance.randrange(4):
            body["x"] = chance.randrange(6)
        if chance.randrange(5):
            body["name"] = chance.choice(NAMES)
        return ("Dogs" if chance.randrange(6) == 0 else "Users"), body

    def ask(self):
        chance = random.Random(f"{self.seed} asker")
        client = Client(self.server)
        known = 1
        while True:
            text, _ = QUERIES[chance.randrange(known)]
            answer = client.query(text)
            with self.mutex:
                self.queries += 1
                self.stale += answer["IsStale"]
            if chance.randrange(12) == 0:
                known = min(known + 1, len(QUERIES))
            if chance.randrange(40) == 0:
                status, body = client.call(chance.choice(("RESET", "DELETE")),
                                           f"{DATABASE}/indexes?name={answer['IndexName']}")
                # Another query may have replaced it meanwhile.
                require(status in (200, 204, 404), f"removing an index: {status} {body}")

    def live(self, kill):
        """Until the server is dead; `kill` sees to that."""
        def guarded(work, *more):
            try:
                work(*more)
            except Gone:
                pass
            except (Broken, KeyError, ValueError) as error:
                self.broken.append(error)

        threads = [threading.Thread(target=guarded, args=(self.write, i)) for i in range(WRITERS)]
        threads.append(threading.Thread(target=guarded, args=(self.ask,)))
        for thread in threads:
            thread.start()
        kill(self)
        for thread in threads:
            thread.join()
        if self.broken:
            raise self.broken[0]


def attached(pid):
    """Whether a tracer has every thread of the process."""
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status", encoding="ascii", errors="replace") as status:
            if "TracerPid:\t0\n" in status.read():
                return False
    return True


class Killer:
    """Has the server killed at the n-th call of a kind, counted from now on, by thread."""

    def __init__(self, server, call, n):
        self.server = server
        pid = server.process.pid
        self.tracer = subprocess.Popen(
            ("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e",
             f"inject={call}:signal=SIGKILL:when={n}", "-p", str(pid)),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE_S
        while not attached(pid):
            require(time.monotonic() < deadline, "strace did not attach")
            time.sleep(0.01)  # there is nothing to wait on but /proc
        self.outlived = False

    def __call__(self, one):
        while self.server.process.poll() is None:
            if one.acks >= ACKS_UNTIL_KILLED or one.broken:
                self.outlived = True
                break
            time.sleep(0.005)
        self.server.kill()
        self.tracer.wait()


def stored_now(client):
    found = {}
    for collection in ("Users", "Dogs"):
        for row in client.query(f"from {collection}")["Results"]:
            metadata = row.pop("@metadata")
            found[metadata["@id"]] = (collection, row)
    return found


def check_documents(client, one):
    """What is there: what was acknowledged, or what was asked and not answered."""
    found = stored_now(client)
    for identifier in {*found, *one.stored, *one.pending}:
        allowed = [one.stored.get(identifier)]
        if identifier in one.pending:
            allowed.append(one.pending[identifier])
        require(found.get(identifier) in allowed,
                f"{identifier} is {found.get(identifier)}, and may be {allowed}")
    return found


def check_answers(client, found, wait_s):
    """How many answers said that they were stale; the others must be right."""
    stale = 0
    users = {identifier: body for identifier, (collection, body) in found.items()
             if collection == "Users"}
    for text, matches in QUERIES:
        answer = client.query(text, wait_s)
        if answer["IsStale"]:
            require(wait_s is None, f"{text} is stale after waiting")
            stale += 1
            continue
        expected = sorted(identifier for identifier, body in users.items() if matches(body))
        rows = sorted(row["@metadata"]["@id"] for row in answer["Results"])
        require(rows == expected and answer["TotalResults"] == len(expected),
                f"{text} finds {rows} ({answer['TotalResults']}), and not {expected}")
    return stale


class Run:
    def __init__(self, args, binary, directory):
        self.args = args
        self.binary = binary
        self.directory = directory
        self.chance = random.Random(args.seed)
        self.facts = collections.Counter()
        self.killed_at = collections.Counter()
        self.folder = None
        self.stored = {}

    def new_folder(self):
        if self.folder is not None:
            shutil.rmtree(self.folder)
        self.folder = os.path.join(self.directory, "data")
        os.makedirs(self.folder)
        os.chown(self.folder, NOBODY, NOBODY)
        self.stored = {}

    def one_round(self, index):
        if index % ROUNDS_A_FOLDER == 0:
            self.new_folder()
        server = Server(self.binary, self.folder)
        client = Client(server)
        if index % ROUNDS_A_FOLDER == 0:
            status, body = client.call("PUT", "/admin/databases?name=kill&replicationFactor=1",
                                       json.dumps({"DatabaseName": "kill"}))
            require(status in (200, 201), f"creating the database: {status} {body}")
        else:
            client.query("from Users")  # so that opening is not counted
        call = self.chance.choice(KILL_AT)
        n = int(math.exp(self.chance.uniform(0, math.log(CALLS_MAX))))
        one = Round(server, self.stored, f"{self.args.seed} {index}")
        killer = Killer(server, call, n)
        one.live(killer)
        self.facts["acknowledged"] += one.acks
        self.facts["queries"] += one.queries
        self.facts["queries answered as stale"] += one.stale
        self.facts["killed after enough acks"] += killer.outlived
        self.killed_at[call] += not killer.outlived
        self.check(one)

    def check(self, one):
        server = Server(self.binary, self.folder, PAUSED)
        try:
            client = Client(server)
            found = check_documents(client, one)
            self.stored = found
            self.note_indexes(client)
            stale = check_answers(client, found, None)
            self.facts["answers after a kill"] += len(QUERIES)
            self.facts["of them stale"] += stale
            status, body = client.call("POST", DATABASE + "/admin/indexes/start")
            require(status in (200, 204), f"starting the indexes: {status} {body}")
            check_answers(client, found, PATIENCE_S)
            server.stop()
        except Gone:
            raise Broken("the server died while it was checked") from None
        finally:
            server.kill()
        verified = run(self.binary, "verify", self.folder, check=False)
        require(verified.returncode == 0, f"verify: {verified.stdout}")
        self.facts["documents at the end"] = len(found)
        self.facts["environments verified"] += int(verified.stdout.split()[-5])

    def note_indexes(self, client):
        """How the kill left them."""
        status, body = client.call("GET", DATABASE + "/indexes/stats")
        require(status == 200, f"statistics of indexes: {status} {body}")
        for one in json.loads(body)["Results"]:
            self.facts["indexes after a kill"] += 1
            require(one["State"] != "Error", f"{one['Name']} is {one['State']}")
            if one["EntriesCount"] > 0:
                self.facts["of them partly built and behind"] += one["IsStale"]
                self.facts["of them up to date"] += not one["IsStale"]

    def go(self):
        for index in range(self.args.rounds):
            self.one_round(index)
            self.facts["rounds"] += 1
            if index % 10 == 9:
                print(f"{index + 1} rounds: {dict(self.facts)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--binary", required=True, help="rookery")
    parser.add_argument("--rounds", type=int, default=24)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 1 << 31))
    args = parser.parse_args()
    print(f"seed {args.seed} (repeat with --seed)", flush=True)
    directory = tempfile.mkdtemp(prefix="rookery-kill-")
    os.chmod(directory, 0o755)
    # nobody may not be allowed where the binary was built
    binary = shutil.copy(args.binary, os.path.join(directory, "rookery"))
    killing = Run(args, binary, directory)
    try:
        killing.go()
    except (Broken, OSError, http.client.HTTPException) as error:
        print(f"BROKEN (seed {args.seed}, round {killing.facts['rounds']}): {error}\n"
              f"left as it is: {directory}")
        sys.exit(1)
    shutil.rmtree(directory)
    print("every promise was kept")
    for name, value in killing.facts.items():
        print(f"  {name}: {value}")
    print("  killed at: " + ", ".join(f"{call} {count}"
                                      for call, count in sorted(killing.killed_at.items())))


if __name__ == "__main__":
    main()
