#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Imports documents while the importer and the server are killed, and counts what is left.

  import_kill.py --binary PATH [--documents N] [--seed N] [--kills N] [--folder PATH]
  import_kill.py --binary PATH --documents N --full-disk MB

First an import that nobody disturbs: its rate, and the peak memory of both sides. Then the same
into another database, with SIGKILL for the importer and for the server at moments of the seed; the
same command goes on each time, until it is through. Every document must be there once, with its
content, and every bad record must be listed once. At last the database is exported while somebody
writes to it, the export is restored into a third database, and the two are compared.
With --full-disk the import goes to a server on a tmpfs of so many MB instead (needs root): it must
end with an error, and go on when there is room.
Prints its seed and a table; exits 1 at the first promise that is broken, leaving the files behind.
"""
import argparse
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

PATIENCE_S = 600
BAD_ONE_IN = 997  # records that are none
WORDS = ("rook", "tower", "nest", "feather", "\u00e4lter", "\u9d09", "quote\"", "back\\slash",
         "tab\t")
BODIES = 5003  # different ones, beside their numbers
PAIRS = 20  # of documents that change together while they are exported


class Broken(Exception):
    """A promise that was not kept."""


def require(condition, text):
    if not condition:
        raise Broken(text)


class Records:
    """The input: a pure function of seed and number, quick enough for a million of them."""

    def __init__(self, seed, count):
        self.seed, self.count = seed, count
        chance = random.Random(seed)
        self.bodies = [self.body(chance) for _ in range(BODIES)]
        self.texts = [json.dumps(body, ensure_ascii=i % 2 == 0)[1:]
                      for i, body in enumerate(self.bodies)]
        self.bad = {n for n in range(1, count + 1) if n * 7919 % BAD_ONE_IN == seed % BAD_ONE_IN}

    @staticmethod
    def body(chance):
        words = [chance.choice(WORDS) for _ in range(chance.randrange(2, 24))]
        return {"score": chance.randrange(10**6) / 100, "words": words,
                "place": {"x": chance.randrange(100), "y": None}}

    def which(self, number):
        return (number * 104_729 + self.seed) % BODIES

    def document(self, number):
        return {"n": number, **self.bodies[self.which(number)]}

    def line(self, number):
        text = f'{{"n": {number}, {self.texts[self.which(number)]}'
        return text[:-2] if number in self.bad else text

    def write(self, path):
        with open(path, "w", encoding="utf-8") as out:
            for number in range(1, self.count + 1):
                out.write(self.line(number) + "\n")
        return os.path.getsize(path)


class Server:
    def __init__(self, binary, folder):
        self.binary, self.folder, self.url = binary, folder, "http://127.0.0.1:0"
        self.process = None
        self.peak_kb = 0

    def start(self):
        self.process = subprocess.Popen(
            [self.binary, f"--ServerUrl={self.url}", f"--DataDir={self.folder}",
             "--Logs.Mode=None"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        said = self.process.stdout.readline()
        match = re.match(r"Server available on: (\S+)$", said)
        require(match, f"the server did not start: {said}")
        self.url = match[1]  # the next start takes the same port

    def note_peak(self):
        for line in open(f"/proc/{self.process.pid}/status", encoding="ascii", errors="replace"):
            if line.startswith("VmHWM:"):
                self.peak_kb = max(self.peak_kb, int(line.split()[1]))

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        require(self.process.wait(PATIENCE_S) == 0, "the server did not stop well")

    def request(self, method, path, body=None):
        connection = http.client.HTTPConnection(urllib.parse.urlparse(self.url).netloc, timeout=60)
        connection.request(method, path, body)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        require(answer.status < 300, f"{method} {path}: {answer.status} {text[:500]}")
        return json.loads(text) if text else None

    def count(self, database):
        return self.request("GET", f"/databases/{database}/stats")["CountOfDocuments"]


class Command:
    """One of the program's commands, from its start to its end."""

    def __init__(self, server, database, *arguments):
        self.errors = tempfile.TemporaryFile("w+", encoding="utf-8")
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [server.binary, *arguments, "--url", server.url, "--database", database],
            stdin=subprocess.DEVNULL, stdout=self.errors, stderr=self.errors)

    def runs(self):
        return self.process.poll() is None

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        """Exit code, seconds, peak memory in kB, what it said."""
        _, status, usage = os.wait4(self.process.pid, 0)
        seconds = time.monotonic() - self.began
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.errors.seek(0)
        return self.process.returncode, seconds, usage.ru_maxrss, self.errors.read().strip()


class Run:
    def __init__(self, args, folder):
        self.args = args
        self.folder = pathlib.Path(folder)
        self.chance = random.Random(args.seed)
        self.records = Records(args.seed, args.documents)
        self.input = self.folder / "input.jsonl"
        self.rejects = self.folder / "rejects.jsonl"
        self.state = self.folder / "input.jsonl.import-state"
        self.server = Server(args.binary, self.folder / "data")
        self.facts = {}  # what note() has printed
        self.rounds_written = 0

    def note(self, name, value):
        self.facts[name] = value
        print(f"  {name:<26}{value:>12,}", flush=True)

    def importer(self, database):
        return Command(self.server, database, "import", str(self.input), "--create", "--collection",
                       "Docs", "--rejects", str(self.rejects), *self.args.option)

    def records_known(self):
        """How many the state file has; it is replaced as a whole, so it is never half there."""
        try:
            return json.loads(self.state.read_text())["Records"]
        except FileNotFoundError:
            return 0

    def import_undisturbed(self):
        code, seconds, peak_kb, said = self.importer("calm").end()
        require(code == (3 if self.records.bad else 0), f"an import ended with {code}: {said}")
        self.server.note_peak()
        self.note("documents a second", round(self.args.documents / seconds))
        self.note("importer, peak MB", peak_kb // 1024)
        self.note("server, peak MB", self.server.peak_kb // 1024)
        self.check("calm")

    def import_killed(self):
        moments = sorted(self.chance.randrange(self.args.documents) for _ in range(self.args.kills))
        importer_kills = server_kills = late = 0
        for at in moments:
            command = self.importer("killed")
            limit = time.monotonic() + PATIENCE_S
            while command.runs() and self.records_known() < at:
                require(time.monotonic() < limit, "the import stands still")
                time.sleep(0.001)  # so as not to take the machine from it
            time.sleep(self.chance.random() * 0.03)
            if not command.runs():
                code, _, _, said = command.end()
                require(code == (3 if self.records.bad else 0), f"it ended with {code}: {said}")
                late += 1
                break
            if self.chance.randrange(3) != 0:
                importer_kills += 1
                command.kill()
                continue
            server_kills += 1
            self.server.note_peak()
            self.server.kill()
            # The importer tries again for some seconds, or has died as well.
            if self.chance.randrange(2) == 0:
                command.kill()
            self.server.start()
            command.kill() if not command.runs() else self.let_live(command)
        if not late:
            code, _, _, said = self.importer("killed").end()
            require(code == (3 if self.records.bad else 0), f"the last run: {code}: {said}")
            require(importer_kills + server_kills == 0 or "going on behind them" in said,
                    f"the last run began anew: {said}")
        self.note("kills of the importer", importer_kills)
        self.note("kills of the server", server_kills)
        self.check("killed")

    def let_live(self, command):
        """Until it has got on after the server came back; then it dies as well."""
        before = self.records_known()
        limit = time.monotonic() + PATIENCE_S
        while command.runs() and self.records_known() <= before:
            require(time.monotonic() < limit, "the import does not go on after the server's start")
            time.sleep(0.001)
        if command.runs():
            command.kill()

    def check(self, database):
        """By what the server streams, not by what our own commands say."""
        require(not self.state.exists(), "the state file is still there")
        expected = self.records.count - len(self.records.bad)
        found = self.server.count(database)
        require(found == expected, f"{database}: {found} documents, {expected} were to be there")
        seen = bytearray(self.records.count + 1)
        connection = http.client.HTTPConnection(urllib.parse.urlparse(self.server.url).netloc)
        connection.request("GET", f"/databases/{database}/streams/docs?format=jsonl")
        for line in connection.getresponse():
            document = json.loads(line)
            metadata = document.pop("@metadata")
            number = document["n"]
            require(metadata["@id"] == f"Docs/{number}" and metadata["@collection"] == "Docs",
                    f"{metadata} has {document}")
            require(not seen[number] and number not in self.records.bad, f"{number} is there twice")
            require(document == self.records.document(number), f"{number} has another content")
            seen[number] = 1
        connection.close()
        require(sum(seen) == expected, f"{sum(seen)} documents were streamed")
        lines = [json.loads(line)["Line"] for line in self.rejects.read_text().splitlines()]
        require(lines == sorted(self.records.bad), "the list of rejects is not the bad records")
        self.rejects.unlink()

    def write_pairs(self, stop):
        """Two documents change in one batch: whoever sees one change sees the other."""
        while not stop.is_set():
            for pair in range(PAIRS):
                document = {"round": self.rounds_written, "@metadata": {"@collection": "Pairs"}}
                commands = [{"Type": "PUT", "Id": f"pairs/{pair}-{side}", "Document": document}
                            for side in "ab"]
                self.server.request("POST", "/databases/killed/bulk_docs",
                                    json.dumps({"Commands": commands}))
            self.rounds_written += 1
        self.note("batches while exporting", self.rounds_written * PAIRS)

    def export_and_restore(self):
        stop = threading.Event()
        trouble = []

        def write():
            try:
                self.write_pairs(stop)
            except (Broken, OSError, http.client.HTTPException) as error:
                trouble.append(error)

        writer = threading.Thread(target=write)
        writer.start()
        while not self.rounds_written and not trouble:
            time.sleep(0.001)
        out = self.folder / "export.jsonl"
        code, seconds, peak_kb, said = Command(self.server, "killed", "export", str(out)).end()
        stop.set()
        writer.join()
        require(code == 0 and not trouble, f"an export ended with {code}: {said} {trouble}")
        self.note("exported a second", round(self.args.documents / seconds))
        self.note("exporter, peak MB", peak_kb // 1024)
        pairs = {}
        for line in out.open(encoding="utf-8"):
            if '"Pairs"' in line:
                document = json.loads(line)
                pairs.setdefault(document["@metadata"]["@id"][:-2], []).append(document["round"])
        require(len(pairs) == PAIRS and all(len(p) == 2 and p[0] == p[1] for p in pairs.values()),
                f"the export is not of one moment: {pairs}")
        code, seconds, peak_kb, said = Command(self.server, "copy", "import", str(out),
                                               "--create").end()
        require(code == 0, f"the restore ended with {code}: {said}")
        self.note("restored a second", round(self.args.documents / seconds))
        self.note("restorer, peak MB", peak_kb // 1024)
        code, _, _, said = Command(self.server, "copy", "compare", str(out)).end()
        require(code == 0 and said.endswith("the same"), f"compare ended with {code}: {said}")
        self.server.note_peak()
        self.note("server in all, peak MB", self.server.peak_kb // 1024)

    def import_onto_full_disk(self, megabytes):
        os.makedirs(self.server.folder)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "rookery",
                        self.server.folder], check=True)
        try:
            self.server.start()
            code, _, _, said = self.importer("full").end()
            known = self.records_known()
            require(code == 1 and "the same command goes on" in said,
                    f"it ended with {code}: {said}")
            self.note("records until the disk was full", known)
            print(f"said: {said.splitlines()[-1]}", flush=True)
            require(0 < known < self.args.documents, "the disk was full before the first batch")
            room = f"remount,size={megabytes * 8 + self.facts['input, MB'] * 16}m"
            subprocess.run(["mount", "-o", room, self.server.folder], check=True)
            # The server looks for room about once a second.
            looked_until = time.monotonic() + 20
            code, _, _, said = self.importer("full").end()
            while code == 1 and "volume is full" in said and time.monotonic() < looked_until:
                code, _, _, said = self.importer("full").end()
            require(code == (3 if self.records.bad else 0) and "going on behind them" in said,
                    f"with room it ended with {code}: {said}")
            self.check("full")
            self.server.stop()
        finally:
            subprocess.run(["umount", "--lazy", self.server.folder], check=True)

    def go(self):
        began = time.monotonic()
        self.note("input, MB", self.records.write(self.input) // 2**20)
        self.note("bad records in it", len(self.records.bad))
        if self.args.full_disk:
            self.import_onto_full_disk(self.args.full_disk)
        else:
            self.server.start()
            self.import_undisturbed()
            self.import_killed()
            self.export_and_restore()
            self.server.stop()
        self.note("seconds in all", round(time.monotonic() - began))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--binary", required=True, help="rookery")
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 1 << 31))
    parser.add_argument("--folder", help="where the files lie, instead of a temporary one")
    parser.add_argument("--full-disk", type=int, metavar="MB")
    parser.add_argument("--option", action="append", default=[], help="of the import, as well")
    args = parser.parse_args()
    print(f"seed {args.seed} (repeat with --seed)", flush=True)
    folder = tempfile.mkdtemp(prefix="rookery-import-", dir=args.folder)
    run = Run(args, folder)
    try:
        run.go()
    except (Broken, OSError, http.client.HTTPException, subprocess.SubprocessError) as error:
        print(f"BROKEN (seed {args.seed}): {error}\nleft as it is: {folder}")
        if run.server.process is not None:
            run.server.process.kill()
        sys.exit(1)
    shutil.rmtree(folder)
    print(f"{args.documents} records: every promise was kept")


if __name__ == "__main__":
    main()
