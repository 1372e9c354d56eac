# SPDX-License-Identifier: Apache-2.0
"""The servers that a benchmark compares: how each is started, measured and stopped."""

import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import time
import urllib.request

TICKS = os.sysconf("SC_CLK_TCK")


class BenchFailed(Exception):
    pass


def process_tree(pid):
    """The process and all below it."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    tree, todo = [], [pid]
    while todo:
        tree.append(todo.pop())
        todo += children.get(tree[-1], [])
    return tree


def cpu_seconds(pid):
    """Of the tree, with what its reaped children used."""
    ticks = 0
    for each in process_tree(pid):
        try:
            fields = pathlib.Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(int(field) for field in fields[11:15])
    return ticks / TICKS


def peak_memory_mib(pid):
    """Sum of the tree's peaks, shared pages counted once a process (so too high for PostgreSQL)."""
    kib = 0
    for each in process_tree(pid):
        try:
            match = re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{each}/status").read_text())
        except OSError:
            continue
        kib += int(match.group(1)) if match else 0
    return kib / 1024


def wait_for_address(process, name):
    for line in process.stdout:
        match = re.match(r"Server available on: http://127\.0\.0\.1:(\d+)", line)
        if match:
            return int(match.group(1))
    raise BenchFailed(f"{name} ended before it listened")


class HttpPeer:
    """A server that speaks the document protocol; driven by bench_http_load."""

    def __init__(self, name, command, tools):
        self.name = name
        self.tools = tools
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        text=True)
        self.pid = self.process.pid
        self.port = wait_for_address(self.process, name)

    def load(self, **options):
        command = [str(self.tools / "bench_http_load"), "--port", str(self.port), "--buckets"]
        for key, value in options.items():
            command.append(f"--{key.replace('_', '-')}")
            if value is not True:
                command.append(str(value))
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise BenchFailed(f"{self.name}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Rookery(HttpPeer):
    def __init__(self, binary, folder, tools):
        folder.mkdir(parents=True)
        super().__init__("Rookery", [
            str(binary), "--ServerUrl=http://127.0.0.1:0", f"--DataDir={folder}",
            "--Setup.Mode=None", "--License.Eula.Accepted=true", "--Logs.Mode=None"], tools)
        self.request("PUT", "/admin/databases?name=bench&replicationFactor=1",
                     {"DatabaseName": "bench"})

    def request(self, method, target, body=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{target}", method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.loads(response.read() or b"{}")

    def document_count(self):
        return self.request("GET", "/databases/bench/stats")["CountOfDocuments"]


class Nothing(HttpPeer):
    def __init__(self, tools):
        super().__init__("do-nothing Beast", [str(tools / "bench_nothing_server"), "2"], tools)


# The same order as bench/order.h, as one expression over pgbench's variables.
ORDER_SQL = """jsonb_build_object(
  'Company', 'companies/' || (:r % 1000), 'Employee', 'employees/' || (:r % 100),
  'Freight', (:r % 10000) / 10.0, 'OrderedAt', '2026-01-' || (10 + :r % 20) || 'T00:00:00.0000000',
  'ShipTo', jsonb_build_object('City', 'City ' || (:r % 500), 'Country', 'Country ' || (:r % 50),
                               'PostalCode', (10000 + :r % 90000)::text),
  'Lines', jsonb_build_array(
    jsonb_build_object('Product', 'products/' || (:r % 2000), 'Quantity', :r % 100,
                       'PricePerUnit', :r % 300),
    jsonb_build_object('Product', 'products/' || (:r % 1999), 'Quantity', :r % 99,
                       'PricePerUnit', :r % 299),
    jsonb_build_object('Product', 'products/' || (:r % 1998), 'Quantity', :r % 98,
                       'PricePerUnit', :r % 298)),
  'Note', repeat((1000000000 + :r % 9000000000)::text, 30))""".replace("\n", " ")


class Postgres:
    """PostgreSQL 15 on a Unix socket, durable commits, driven by pgbench; needs the binaries."""

    name = "PostgreSQL"

    @staticmethod
    def binaries():
        folders = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
        return folders[-1] if folders else None

    def __init__(self, folder, shared_buffers="2GB"):
        self.folder = folder
        self.loads = 0
        self.bin = Postgres.binaries()
        folder.mkdir(parents=True)
        # PostgreSQL refuses to run as root.
        self.user = "postgres" if os.getuid() == 0 else None
        if self.user:
            entry = pwd.getpwnam(self.user)
            os.chown(folder, entry.pw_uid, entry.pw_gid)
        self.data, self.socket = folder / "data", folder
        self.run([str(self.bin / "initdb"), "-D", str(self.data), "-A", "trust", "-U", "bench",
                  "-E", "UTF8", "--no-locale"])
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as conf:
            conf.write(f"listen_addresses=''\nunix_socket_directories='{self.socket}'\n"
                       f"shared_buffers={shared_buffers}\nsynchronous_commit=on\nfsync=on\n"
                       "max_connections=150\nmax_wal_size=8GB\ncheckpoint_timeout=15min\n")
        self.process = subprocess.Popen(
            self.as_user([str(self.bin / "postgres"), "-D", str(self.data)]),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.pid = self.process.pid
        self.wait_until_ready()
        self.sql("CREATE TABLE orders(id text PRIMARY KEY, body jsonb NOT NULL)")

    def as_user(self, command):
        if self.user is None:
            return command
        return ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--init-groups",
                *command]

    def run(self, command):
        done = subprocess.run(self.as_user(command), cwd=self.folder, capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            raise BenchFailed(f"{command[0]}: {done.stderr.strip()[-600:]}")
        return done.stdout

    def wait_until_ready(self):
        deadline = time.monotonic() + 30
        while subprocess.run([str(self.bin / "pg_isready"), "-q", "-h", str(self.socket)],
                             check=False).returncode != 0:
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise BenchFailed("PostgreSQL didn't start")
            time.sleep(0.1)

    def sql(self, text):
        return self.run([str(self.bin / "psql"), "-h", str(self.socket), "-U", "bench", "-d",
                         "postgres", "-qAt", "-v", "ON_ERROR_STOP=1", "-c", text]).strip()

    def fill(self, keys):
        order = ORDER_SQL.replace(":r", "i")
        self.sql(f"INSERT INTO orders SELECT 'orders/' || i, {order}"
                 f" FROM generate_series(0::bigint, {keys - 1}) AS i")
        self.sql("VACUUM ANALYZE orders")

    def document_count(self):
        return int(self.sql("SELECT count(*) FROM orders"))

    def load(self, mode, connections, seconds, keys=1, seed=1, protocol="prepared"):
        """Returns what bench_http_load returns, from pgbench's transaction log."""
        self.loads += 1  # part of the ids, so that no load inserts what another did
        if mode == "put":
            script = ("\\set r random(0, 9000000000000000000)\n"
                      f"INSERT INTO orders VALUES ('orders/{self.loads}-' || :client_id || '-'"
                      f" || :r::bigint, {ORDER_SQL.replace(':r', ':r::bigint')});\n")
        else:
            script = (f"\\set k random(0, {keys - 1})\n"
                      "SELECT body FROM orders WHERE id = 'orders/' || :k;\n")
        work = self.folder / "pgbench"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        if self.user:
            shutil.chown(work, self.user)
        (work / "script.sql").write_text(script, encoding="utf-8")
        before = os.times()
        out = self.run([
            str(self.bin / "pgbench"), "-h", str(self.socket), "-U", "bench", "-n", "-M", protocol,
            "-c", str(connections), "-j", str(min(2, connections)),
            "-T", str(max(1, round(seconds))), "--random-seed", str(seed),
            "-f", str(work / "script.sql"), "--log", "--log-prefix", str(work / "log"),
            "postgres"])
        after = os.times()
        failed = re.search(r"number of failed transactions: (\d+)", out)
        if failed and failed.group(1) != "0":
            raise BenchFailed(out)
        latencies = []
        for log in work.glob("log*"):
            with open(log, encoding="ascii") as lines:
                latencies += [int(line.split(" ", 3)[2]) for line in lines]
        latencies.sort()
        if not latencies:
            # Its time runs while it connects: many connections on a busy machine can use it up.
            if seconds < 16:
                return self.load(mode, connections, max(2, seconds * 2), keys, seed, protocol)
            raise BenchFailed("pgbench logged no transaction: " + out)

        def at(share):
            return float(latencies[min(len(latencies) - 1, int(share * len(latencies)))])

        return {"requests": len(latencies),
                "per_second": float(re.search(r"tps = ([\d.]+)", out).group(1)),
                "p50_us": at(0.5), "p90_us": at(0.9), "p99_us": at(0.99), "p999_us": at(0.999),
                "max_us": float(latencies[-1]), "buckets": bucketed(latencies),
                "cpu_seconds": after.children_user + after.children_system
                - before.children_user - before.children_system}

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=60)


def bucketed(latencies_us):
    """As bench_http_load's buckets, coarser: [upper bound in ns, count] by powers of two."""
    counts = {}
    for latency in latencies_us:
        bound = 1 << (latency * 1000).bit_length()
        counts[bound] = counts.get(bound, 0) + 1
    return sorted(counts.items())
