# SPDX-License-Identifier: Apache-2.0
"""B4 (making indexes) and B5 (asking them) over the same articles in each store."""

import statistics
import time

import article_kinds
import article_stores
import peers

SIZES, TOY_SIZES = [10_000, 1_000_000], [300, 1_500]
# From here on one build is a round; below, as many as the run has pairs.
BIG = 300_000
# Latencies of one kind, of one store, in one round: until either is reached.
ASKED_MAX, ROUND_SECONDS, ASKED_MIN = 100, 0.6, 3
VALUES = 40
VERIFIED_SECONDS = 2.0


def mib(count):
    return f"{count / (1 << 20):,.1f}"


def stores_with(run, count):
    """The stores, filled; and what filling took."""
    articles = article_stores.Articles(run.tools, run.folder, count)
    stores = []
    try:
        stores = article_stores.open_all(run, count)
        rates = []
        for store in stores:
            begun = time.monotonic()
            store.fill(articles)
            rates.append(f"{store.name} {count / (time.monotonic() - begun):,.0f}")
        run.say(f"### {count:,} articles")
        run.say()
        run.say(f"{mib(articles.text_bytes)} MiB as text. Filled, documents a second (not compared:"
                f" batches of 100 over HTTP; one transaction; COPY): {', '.join(rates)}.")
        run.say()
    except BaseException:
        close_all(stores, articles)
        raise
    return stores, articles


def close_all(stores, articles):
    for store in stores:
        store.stop()
        store.remove_files()
    articles.remove()


# B4 ---------------------------------------------------------------------------------------------


def b4(run):
    """Making an index of field terms and one of full text, against SQLite and PostgreSQL."""
    for count in run.sizes or (TOY_SIZES if run.toy else SIZES):
        stores, articles = stores_with(run, count)
        try:
            for what, build in (("field terms", "build_fields"), ("full text", "build_text")):
                rounds = 1 if count >= BIG else run.pairs
                results = {store.name: [] for store in stores}
                for number in range(rounds + (0 if rounds == 1 else 1)):
                    for store in stores:
                        result = getattr(store, build)()
                        result["bytes"] = store.index_bytes()
                        store.drop_index()
                        if rounds == 1 or number > 0:  # the first of several is the warm-up
                            results[store.name].append(result)
                say_builds(run, what, count, results)
        finally:
            close_all(stores, articles)


def say_builds(run, what, count, results):
    run.say(f"**{what}**, {len(next(iter(results.values())))} rounds"
            + (", Title and Body" if what == "full text"
               else f": {', '.join(article_stores.FIELDS)}"))
    run.say()
    run.say("| | documents/s | seconds | CPU s | index MiB | bytes a document |"
            " anonymous memory, most MiB |")
    run.say("|---|---:|---:|---:|---:|---:|---:|")
    median = {}
    for name, rows in results.items():
        middle = {key: statistics.median(row[key] for row in rows)
                  for key in ("seconds", "cpu", "bytes")}
        median[name] = middle
        memory = max((row.get("memory_mib", 0) for row in rows))
        run.say(f"| {name} | {count / middle['seconds']:,.0f} | {middle['seconds']:.2f}"
                f" | {middle['cpu']:.2f} | {mib(middle['bytes'])}"
                f" | {middle['bytes'] / count:,.0f} | {f'{memory:.0f}' if memory else '-'} |")
    run.say()
    ours = results["Rookery"]
    for name, rows in results.items():
        if name != "Rookery":
            rates = sorted(theirs["seconds"] / mine["seconds"]
                           for mine, theirs in zip(ours, rows, strict=True))
            size = median["Rookery"]["bytes"] / median[name]["bytes"]
            run.say(f"**Rookery / {name}: {statistics.median(rates):.2f} x the rate** (pairs"
                    f" {rates[0]:.2f} to {rates[-1]:.2f}; aim >= 3), {size:.2f} x the size (aim"
                    " <= 1.2 of the smallest)")
            run.say()


# B5 ---------------------------------------------------------------------------------------------


def b5(run):
    """Queries by kind, a page of 25 with its exact total, against SQLite and PostgreSQL."""
    counters = {}
    for count in run.sizes or (TOY_SIZES if run.toy else SIZES):
        stores, articles = stores_with(run, count)
        try:
            for store in stores:
                begun = time.monotonic()
                store.build_all()
                run.log(f"{store.name}: indexed in {time.monotonic() - begun:.1f} s")
            sqlite = next(store for store in stores if store.name == "SQLite")
            kinds = article_kinds.make_kinds(article_kinds.Facts(sqlite, articles), VALUES)
            for kind in kinds:
                verify(run, kind, stores)
            measured = {kind.name: measure(run, kind, stores) for kind in kinds}
            say_latencies(run, measured)
            counters[count] = {kind.name: counters_of(stores[0], kind) for kind in kinds}
        finally:
            close_all(stores, articles)
    say_counters(run, kinds, counters)


def verify(run, kind, stores):
    """All that is asked later has been answered alike by all, once; this warms up, too."""
    ends = time.monotonic() + VERIFIED_SECONDS * len(stores)
    for number, values in enumerate(kind.values):
        if number >= ASKED_MIN and time.monotonic() > ends:
            break
        ours = stores[0].ask(kind, values)
        for store in stores[1:]:
            theirs = store.ask(kind, values)
            if theirs is None:
                continue
            same = (len(ours[2]) == len(theirs[2])
                    and (not kind.counts_rows or ours[3] == theirs[3])
                    and (not kind.is_ordered or ours[2] == theirs[2]))
            if not same:
                raise peers.BenchFailed(
                    f"{kind.name} {values}: {store.name} found {theirs[3]} and shows"
                    f" {theirs[2][:3]}, Rookery {ours[3]} and {ours[2][:3]}")
    run.log(f"{kind.name}: answered alike, {number + 1} values")


def measure(run, kind, stores):
    """{store: [a round's latencies in us: [(page, total), ...], ...]}"""
    rounds = {store.name: [] for store in stores}
    seconds = 0.05 if run.toy else ROUND_SECONDS
    for _ in range(run.pairs):
        for store in stores:
            latencies = []
            ends = time.monotonic() + seconds
            while len(latencies) < ASKED_MAX and (len(latencies) < ASKED_MIN
                                                  or time.monotonic() < ends):
                answer = store.ask(kind, kind.values[len(latencies) % len(kind.values)])
                latencies.append((answer[0] / 1000, answer[1] / 1000))
            rounds[store.name].append(latencies)
    return rounds


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def say_latencies(run, measured):
    """Ratios are of medians, pair by pair: with the peer's total, as ours has it, and without."""
    names = list(next(iter(measured.values())))
    others = names[1:]
    run.say("| us, p50 / p99 | Rookery | "
            + " | ".join(f"{name} page | {name} page + total" for name in others)
            + " | " + " | ".join(f"Rookery / {name} (page alone)" for name in others) + " |")
    run.say("|---" * (1 + len(names) + 2 * len(others)) + "|")
    for kind, rounds in measured.items():
        cells = [f"{kind}", p50_p99([page for each in rounds["Rookery"] for page, _ in each])]
        for name in others:
            cells.append(p50_p99([page for each in rounds[name] for page, _ in each]))
            cells.append(p50_p99([sum(pair) for each in rounds[name] for pair in each]))
        for name in others:
            with_total, alone = [], []
            for ours, theirs in zip(rounds["Rookery"], rounds[name], strict=True):
                mine = statistics.median(page for page, _ in ours)
                with_total.append(mine / statistics.median(sum(pair) for pair in theirs))
                alone.append(mine / statistics.median(page for page, _ in theirs))
            cells.append(f"**{statistics.median(with_total):.2f}**"
                         f" ({statistics.median(alone):.2f})")
        run.say("| " + " | ".join(cells) + " |")
    run.say()


def p50_p99(values):
    return f"{quantile(values, 0.5):,.0f} / {quantile(values, 0.99):,.0f}"


COUNTERS = ("Pages", "Terms", "Postings", "Entries", "Documents")


def counters_of(rookery, kind):
    """The most of each over ten values."""
    seen = [rookery.counters(kind, values) for values in kind.values[:10]]
    return {name: max(each[name] for each in seen) for name in COUNTERS}


def say_counters(run, kinds, counters):
    run.say("### What a page of 25 reads, the most of ten questions")
    run.say()
    sizes = list(counters)
    run.say("| kind | " + " | ".join(f"{name} at {' / '.join(f'{s:,}' for s in sizes)}"
                                     for name in COUNTERS) + " | grows with |")
    run.say("|---" * (2 + len(COUNTERS)) + "|")
    for kind in kinds:
        cells = [" / ".join(f"{counters[size][kind.name][name]:,}" for size in sizes)
                 for name in COUNTERS]
        run.say(f"| {kind.name} | " + " | ".join(cells) + f" | {kind.bound} |")
    run.say()
    run.say("`page`: bounded by the page, whatever the number of documents. The others grow because"
            " totals are exact (`matches`, `the smaller side`), because no order of terms helps"
            " (`terms`), because rows are made distinct as they are shown (`documents`), or with"
            " what is skipped (`depth`).")
    run.say()
