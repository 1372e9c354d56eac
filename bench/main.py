# SPDX-License-Identifier: Apache-2.0
"""Runs one benchmark: interleaved pairs, the median of ratios, histograms. Called by bench/run."""

import argparse
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import article_bench  # noqa: E402
import peers  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
READ_KEYS = 138_000


class Run:
    """What one run of a benchmark shares: sizes, folders, the lines of its report."""

    def __init__(self, options):
        self.toy = options.toy
        self.pairs = options.pairs or (1 if self.toy else 5)
        self.seconds = options.seconds or (0.3 if self.toy else 5)
        self.tools = pathlib.Path(os.environ.get("RK_BENCH_BUILD", ROOT / "build/release/bench"))
        self.sizes = options.size
        needs_server = options.name in ("B1", "B1r", "B4", "B5")
        self.server = find_server(self.tools) if needs_server else None
        base = pathlib.Path(os.environ.get("RK_BENCH_FOLDER", "/var/tmp/rookery-bench"))
        self.folder = base / f"{options.name}-{os.getpid()}"
        self.lines = []

    def say(self, text=""):
        self.lines.append(text)
        print(text, flush=True)

    def log(self, text):
        """Progress, which is no part of the report."""
        print(f"  ({text})", file=sys.stderr, flush=True)

    def postgres(self, name="postgres"):
        if peers.Postgres.binaries() is None:
            if not self.toy:
                raise peers.BenchFailed("PostgreSQL isn't installed (scripts/deps --bench)")
            return None
        return peers.Postgres(self.folder / name, "128MB" if self.toy else "2GB")


def find_server(tools):
    named = os.environ.get("RK_SERVER_BINARY")
    if named:
        return pathlib.Path(named)
    for path in tools.parent.rglob("rookery"):
        if path.is_file() and os.access(path, os.X_OK):
            return path
    raise peers.BenchFailed(f"no server binary under {tools.parent}")


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True,
                          check=False).stdout.strip()


def describe_machine(run):
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
                  if line.startswith("model name")), platform.machine())
    mount = subprocess.run(["df", "--output=fstype", str(run.folder)], capture_output=True,
                           text=True, check=True).stdout.split()[-1]
    dirty = " with changes" if git("status", "--porcelain") else ""
    run.say(f"commit {git('rev-parse', '--short', 'HEAD')}{dirty}, {os.cpu_count()} cores"
            f" ({model}), Linux {platform.release()}, data on {mount},"
            f" load average {os.getloadavg()[0]:.1f} at the start")
    run.say(f"{run.pairs} interleaved pairs of {run.seconds} s after a warm-up"
            + (", TOY SIZE: the figures mean nothing" if run.toy else ""))
    run.say()


# Measuring --------------------------------------------------------------------------------------


def measured(peer, **options):
    """One load, with the CPU that the server used meanwhile and its peak memory so far."""
    before = peers.cpu_seconds(peer.pid)
    result = peer.load(**options)
    result["server_cpu_us"] = (peers.cpu_seconds(peer.pid) - before) / result["requests"] * 1e6
    result["server_memory_mib"] = peers.peak_memory_mib(peer.pid)
    return result


def interleaved(run, contenders, warm_up=True):
    """{name: [result, ...]}: contenders is [(name, function(round) -> result)]."""
    results = {name: [] for name, _ in contenders}
    if warm_up:
        for _, function in contenders:
            function(0)
    for round_number in range(1, run.pairs + 1):
        for name, function in contenders:
            results[name].append(function(round_number))
    return results


def median_of(results, key):
    return statistics.median(result[key] for result in results)


def ratio(results, ours, theirs):
    """Median over the pairs of ours / theirs, with the smallest and the largest."""
    each = sorted(a["per_second"] / b["per_second"]
                  for a, b in zip(results[ours], results[theirs], strict=True))
    return statistics.median(each), each[0], each[-1]


def table(run, results):
    run.say("| | per second | p50 ms | p99 ms | p99.9 ms | max ms | server CPU us/op |"
            " client CPU us/op | peak MiB |")
    run.say("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name, rows in results.items():
        client = statistics.median(r["cpu_seconds"] / r["requests"] * 1e6 for r in rows)
        times = " | ".join(f"{median_of(rows, key) / 1000:.3f}"
                           for key in ("p50_us", "p99_us", "p999_us"))
        run.say(f"| {name} | {median_of(rows, 'per_second'):,.0f} | {times}"
                f" | {max(r['max_us'] for r in rows) / 1000:.3f}"
                f" | {median_of(rows, 'server_cpu_us'):.1f} | {client:.1f}"
                f" | {max(r['server_memory_mib'] for r in rows):.0f} |")
    run.say()


def histogram(run, results):
    """All rounds of each contender together, by powers of two, as shares."""
    folded = {}
    for name, rows in results.items():
        total = {}
        for row in rows:
            for bound, count in row["buckets"]:
                power = max(10, bound.bit_length())
                total[power] = total.get(power, 0) + count
        folded[name] = total
    powers = sorted({power for total in folded.values() for power in total})
    run.say("```")
    run.say("latency below " + "".join(f"{name:>20}" for name in folded))
    for power in powers:
        cells = []
        for total in folded.values():
            share = total.get(power, 0) / sum(total.values())
            cells.append(f"{share * 100:7.3f}% {'#' * round(share * 10):<10}"[:19])
        run.say(f"{(1 << power) / 1e6:>10.3f} ms " + "".join(f"{cell:>20}" for cell in cells))
    run.say("```")
    run.say()


def say_ratio(run, what, results, ours, theirs, aim):
    middle, low, high = ratio(results, ours, theirs)
    run.say(f"**{what}: {middle:.2f} x** (pairs {low:.2f} to {high:.2f}; aim {aim})")
    run.say()


# Benchmarks -------------------------------------------------------------------------------------


def better_protocol(run, postgres, mode, connections, keys):
    """PostgreSQL's better figure counts: simple or prepared, whichever is quicker here."""
    rates = {}
    for protocol in ("simple", "prepared"):
        rates[protocol] = postgres.load(mode, connections, min(run.seconds, 2), keys=keys, seed=99,
                                        protocol=protocol)["per_second"]
    return max(rates, key=rates.get)


def b1(run):
    """Durable single-document PUT over HTTP keep-alive, 0.7 KB, against PostgreSQL inserts."""
    aims = {1: 1.5, 10: 4, 100: 5}
    if run.toy:
        del aims[100]  # a busy machine may not even start so many in a toy's third of a second
    rookery = peers.Rookery(run.server, run.folder / "rookery", run.tools)
    postgres = run.postgres()
    nothing = peers.Nothing(run.tools)
    acknowledged = {"Rookery": 0, "PostgreSQL": 0}
    try:
        for connections, aim in aims.items():
            def put(peer, round_number, **more):
                result = measured(peer, mode="put", connections=connections, seconds=run.seconds,
                                  seed=connections * 1000 + round_number, **more)
                if peer.name in acknowledged:
                    acknowledged[peer.name] += result["requests"]
                return result

            contenders = [("Rookery", lambda n: put(rookery, n))]
            if postgres is not None:
                protocol = better_protocol(run, postgres, "put", connections, 1)
                contenders.append(("PostgreSQL", lambda n: put(postgres, n, protocol=protocol)))
            contenders.append(("do-nothing Beast", lambda n: put(nothing, n)))
            results = interleaved(run, contenders)
            run.say(f"### durable PUT, {connections} connections"
                    + (f" (PostgreSQL: {protocol})" if postgres else ""))
            run.say()
            table(run, results)
            if postgres is not None:
                say_ratio(run, "Rookery / PostgreSQL", results, "Rookery", "PostgreSQL",
                          f">= {aim}")
            histogram(run, results)
            open_loop(run, rookery, median_of(results["Rookery"], "per_second") / 2, "put",
                      connections)
        check_counts(run, rookery, acknowledged)
    finally:
        stop_all(rookery, postgres, nothing)


def check_counts(run, rookery, acknowledged):
    """Every acknowledged document is one that the server counts; the open loops' ones besides."""
    count = rookery.document_count()
    run.say(f"Rookery acknowledged {acknowledged['Rookery']:,} documents in the closed loops and"
            f" counts {count:,} in all.")
    if count < acknowledged["Rookery"]:
        raise peers.BenchFailed("documents are missing")


def check_sample(rookery, keys):
    """What is about to be read quickly is also read rightly."""
    for key in range(0, keys, max(1, keys // 50)):
        document = rookery.request("GET", f"/databases/bench/docs?id=orders/{key}")["Results"][0]
        if len(document["Note"]) != 300 or len(document["Lines"]) != 3:
            raise peers.BenchFailed(f"orders/{key} isn't what was stored")


def open_loop(run, peer, rate, mode, connections, **more):
    """Latency at half of the closed loop's rate, waiting for a free connection included."""
    rate = max(1, int(rate))
    result = measured(peer, mode=mode, connections=connections, seconds=run.seconds, rate=rate,
                      seed=connections * 1000 + 999, **more)
    run.say(f"Open loop, {rate:,} a second: p50 {result['p50_us'] / 1000:.3f} ms,"
            f" p99 {result['p99_us'] / 1000:.3f}, p99.9 {result['p999_us'] / 1000:.3f},"
            f" max {result['max_us'] / 1000:.3f}; {result['unsent']} not sent in time")
    run.say()


def b1r(run):
    """GET by id over HTTP, 10 connections, against the do-nothing server and prepared reads."""
    keys = 2_000 if run.toy else READ_KEYS
    connections = 10
    rookery = peers.Rookery(run.server, run.folder / "rookery", run.tools)
    postgres = run.postgres()
    nothing = peers.Nothing(run.tools)
    try:
        rookery.load(mode="load", connections=4, keys=keys)
        if rookery.document_count() < keys:
            raise peers.BenchFailed("not every document was loaded")
        check_sample(rookery, keys)

        def get(peer, round_number, **more):
            return measured(peer, mode="get", connections=connections, seconds=run.seconds,
                            keys=keys, seed=round_number, **more)

        contenders = [("Rookery", lambda n: get(rookery, n)),
                      ("do-nothing Beast", lambda n: get(nothing, n))]
        if postgres is not None:
            postgres.fill(keys)
            contenders.append(("PostgreSQL", lambda n: get(postgres, n, protocol="prepared")))
        results = interleaved(run, contenders)
        run.say(f"### GET by id, {connections} connections, {keys:,} documents")
        run.say()
        table(run, results)
        say_ratio(run, "Rookery / do-nothing", results, "Rookery", "do-nothing Beast", ">= 0.8")
        if postgres is not None:
            say_ratio(run, "Rookery / PostgreSQL", results, "Rookery", "PostgreSQL", ">= 1")
        histogram(run, results)
        open_loop(run, rookery, median_of(results["Rookery"], "per_second") / 2, "get", connections,
                  keys=keys)
    finally:
        stop_all(rookery, postgres, nothing)


def store_commit(run):
    """One durable commit of the store, one writer, against a raw O_DSYNC append as long."""
    folder = run.folder / "store"
    folder.mkdir()
    done = subprocess.run(
        [str(run.tools / "bench_store_commit"), "--folder", str(folder), "--rounds",
         str(run.pairs), "--commits", "20" if run.toy else "2000"], capture_output=True, text=True,
        check=False)
    if done.returncode != 0:
        raise peers.BenchFailed(done.stderr.strip())
    result = json.loads(done.stdout)
    run.say(f"A commit writes {result['commit_bytes']} bytes; raw appends with"
            f" {'O_DIRECT and ' if result['direct'] else ''}O_DSYNC.")
    run.say()
    run.say("| | p50 us | p99 us | p99.9 us | max us |")
    run.say("|---|---:|---:|---:|---:|")
    for name in ("store", "raw"):
        row = result[name]
        run.say(f"| {name} | {row['p50_us']:.1f} | {row['p99_us']:.1f} | {row['p999_us']:.1f}"
                f" | {row['max_us']:.1f} |")
    run.say()
    ratios = sorted(r["store_p50_us"] / r["raw_p50_us"] for r in result["rounds"])
    run.say(f"**store / raw: {statistics.median(ratios):.2f} x** (rounds {ratios[0]:.2f} to"
            f" {ratios[-1]:.2f}; aim <= 1.15)")
    run.say()
    histogram(run, {name: [result[name]] for name in ("store", "raw")})


def databases(run):
    """Creating and dropping a database, and what an idle one costs. No peer: figures alone."""
    done = subprocess.run(
        [str(run.tools / "bench_databases"), "--folder", str(run.folder), "--count",
         "5" if run.toy else "1000"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise peers.BenchFailed(done.stderr.strip())
    result = json.loads(done.stdout)
    run.say("| | syncs | p50 ms | p99 ms | p99.9 ms | max ms |")
    run.say("|---|---:|---:|---:|---:|---:|")
    for name in ("create", "drop"):
        times = " | ".join(f"{result[name][key] / 1000:.2f}"
                           for key in ("p50_us", "p99_us", "p999_us", "max_us"))
        run.say(f"| {name} | {result['syncs_' + name]} | {times} |")
    run.say()
    run.say("Syncs are counted on a simulated disk, beside one durable write of the record; those"
            " of a drop include the deletion of its files, which nobody waits for.")
    run.say(f"Each of {result['databases']} open, idle databases: {result['threads_each']:.2f}"
            f" threads, {result['descriptors_each']:.1f} descriptors, {result['maps_each']:.1f}"
            f" maps, {result['resident_kib_each']:.0f} KiB resident.")
    run.say()
    histogram(run, {name: [result[name]] for name in ("create", "drop")})


def terms10m(run):
    """endsWith and regex over ten million unique terms, and the memory they take. No peer."""
    done = subprocess.run(
        [str(run.tools / "bench_terms"), "--folder", str(run.folder / "index"), "--terms",
         str(run.sizes[0] if run.sizes else 20_000 if run.toy else 10_000_000), "--limit-mib",
         "64"], capture_output=True, text=True, check=False)
    if not done.stdout:
        raise peers.BenchFailed(done.stderr.strip())
    result = json.loads(done.stdout)
    run.say(f"{result['terms']:,} unique terms put in within {result['fill_seconds']:.1f} s, a file"
            f" of {result['file_bytes'] / (1 << 20):,.0f} MiB; most memory meanwhile, mapped pages"
            f" counted, {result['filling_peak_kib'] / 1024:,.0f} MiB.")
    run.say()
    run.say("| | seconds | found | terms looked at | anonymous before, MiB | at most beyond, MiB |")
    run.say("|---|---:|---:|---:|---:|---:|")
    for row in result["questions"]:
        run.say(f"| {row['name']} | {row['seconds']:.2f} | {row['found']:,} | {row['terms']:,}"
                f" | {row['before_kib'] / 1024:.1f} | {row['extra_kib'] / 1024:.1f} |")
    run.say()
    run.say(f"**{result['extra_kib'] / 1024:.1f} MiB beyond what was there, at most** (aim < 64;"
            f" {result['file_pages_kib'] / 1024:,.0f} MiB of mapped file pages in memory at the"
            " end, which the kernel takes back when it likes)")
    run.say()
    if done.returncode != 0:
        raise peers.BenchFailed(done.stderr.strip())


def stop_all(*running):
    for peer in running:
        if peer is not None:
            peer.stop()


BENCHMARKS = {"B1": b1, "B1r": b1r, "B3commit": store_commit, "B4": article_bench.b4,
              "B5": article_bench.b5, "databases": databases, "terms10m": terms10m}


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="?", default="", choices=["", *BENCHMARKS])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--toy", action="store_true")
    parser.add_argument("--no-deps", action="store_true")
    parser.add_argument("--pairs", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--size", type=int, action="append",
                        help="documents (B4, B5) or terms (terms10m); may be given several times")
    options = parser.parse_args(arguments)
    if options.list or not options.name:
        for name, function in BENCHMARKS.items():
            print(f"{name:<9} {function.__doc__}")
        return 0
    started = time.monotonic()
    try:
        run = Run(options)
        run.folder.mkdir(parents=True)
        run.folder.chmod(0o755)
        run.say(f"## {options.name}: {BENCHMARKS[options.name].__doc__}")
        run.say()
        describe_machine(run)
        try:
            BENCHMARKS[options.name](run)
        finally:
            shutil.rmtree(run.folder, ignore_errors=True)
    except peers.BenchFailed as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    run.say(f"{time.monotonic() - started:.0f} s in all.")
    if not run.toy:
        report = ROOT / "build/bench" / f"{options.name}.md"
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_text("\n".join(run.lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
