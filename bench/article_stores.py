# SPDX-License-Identifier: Apache-2.0
"""The same articles in Rookery, SQLite and PostgreSQL: filled, indexed, asked.

Each store has fill(), the two builds of an index (field terms, full text) with its size and its
removal, and ask(kind, values) -> (nanoseconds of the page, nanoseconds of the total, ids, total).
All are driven from here, one question at a time; what is timed is the call alone, so that this
program's speed hardly counts (a few microseconds a question, most of it for Rookery's socket)."""

import json
import pathlib
import re
import shutil
import socket
import sqlite3
import subprocess
import threading
import time

import libpq
import peers

FIELDS = ("Category", "Author.Id", "Tags", "Views", "Rating", "PublishedAt", "Reference")
FIELDS_QUERY = ("from Articles where Category = 'x' and Author.Id = 'x' and Tags = 'x' and"
                " Views = 1 and Rating = 1 and PublishedAt = 'x' and Reference = 'x'")
# The server closes a connection that is idle for long: one that might be is not used again.
IDLE_SECONDS = 5


class Articles:
    """The lines that the stores other than Rookery are filled from."""

    def __init__(self, tools, folder, count):
        self.count = count
        self.tool = str(tools / "bench_articles")
        self.path = folder / f"articles-{count}.tsv"
        with open(self.path, "wb") as out:
            subprocess.run([self.tool, "--count", str(count)], stdout=out, check=True)
        self.path.chmod(0o644)
        self.text_bytes = self.path.stat().st_size

    def lines(self):
        with open(self.path, encoding="ascii") as lines:
            for line in lines:
                yield line.rstrip("\n").split("\t")

    def words(self, count):
        return subprocess.run([self.tool, "--words", str(count)], capture_output=True, text=True,
                              check=True).stdout.split()

    def remove(self):
        self.path.unlink()


def allocated_bytes(folder):
    total = 0
    for path in pathlib.Path(folder).rglob("*"):
        try:
            total += path.stat().st_blocks * 512 if path.is_file() else 0
        except FileNotFoundError:
            pass
    return total


class MemoryWatch:
    """The most anonymous memory of a process, in MiB, while the block runs."""

    def __init__(self, pid):
        self.pid = pid
        self.most = 0
        self.done = threading.Event()

    def look(self):
        text = pathlib.Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        self.most = max(self.most, int(re.search(r"RssAnon:\s+(\d+)", text).group(1)) / 1024)

    def watch(self):
        while not self.done.wait(0.1):
            self.look()

    def __enter__(self):
        self.look()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()


class Store:
    """What they share."""

    folder = None

    def remove_files(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class Rookery(Store):
    name = "Rookery"

    def __init__(self, binary, folder, tools):
        self.folder = folder
        self.server = peers.Rookery(binary, folder, tools)
        self.pid = self.server.pid
        self.indexes = folder / "Databases/bench/Indexes"
        self.connect()

    def connect(self):
        self.socket = socket.create_connection(("127.0.0.1", self.server.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.used_at = time.monotonic()

    def fill(self, articles):
        self.server.load(mode="load", connections=4, keys=articles.count, articles=True)
        if self.server.document_count() < articles.count:
            raise peers.BenchFailed("not every article was loaded")

    def cpu_seconds(self):
        return peers.cpu_seconds(self.pid)

    def exchange(self, body, or_late=False):
        """(nanoseconds, the answer's bytes) of one query over the open connection; with `or_late`,
        None for the bytes if the index didn't catch up in the time that the query gave it."""
        request = (b"POST /databases/bench/queries HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                   b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
                   + body)
        if time.monotonic() - self.used_at > IDLE_SECONDS:
            self.socket.close()
            self.connect()
        begun = time.perf_counter_ns()
        self.socket.sendall(request)
        answer, end = b"", None
        while end is None or len(answer) < end:
            got = self.socket.recv(1 << 20)
            if not got:
                raise peers.BenchFailed("Rookery closed the connection")
            answer += got
            if end is None and (head := answer.find(b"\r\n\r\n")) >= 0:
                end = head + 4 + int(re.search(rb"\r\nContent-Length: (\d+)", answer).group(1))
        spent = time.perf_counter_ns() - begun
        self.used_at = time.monotonic()
        if or_late and b"it still is stale" in answer:
            return spent, None
        if not answer.startswith(b"HTTP/1.1 200"):
            raise peers.BenchFailed(answer[:800].decode("utf-8", "replace"))
        return spent, answer[answer.index(b"\r\n\r\n") + 4:]

    def ask(self, kind, values):
        body = json.dumps({"Query": kind.rql, "QueryParameters": values}).encode()
        spent, answer = self.exchange(body)
        # What the documents themselves say can't look like this: their texts have no quotes.
        ids = re.findall(rb'"@id":"([^"]*)"', answer)
        total = int(re.search(rb'"TotalResults":(\d+)', answer).group(1))
        if b'"IsStale":true' in answer:
            raise peers.BenchFailed("the index is stale")
        return spent, 0, [each.decode() for each in ids], total

    def counters(self, kind, values):
        body = json.dumps({"Query": kind.rql + " include timings()",
                           "QueryParameters": values}).encode()
        return json.loads(self.exchange(body)[1])["Counters"]

    def build(self, query):
        """Makes the auto-index that the query needs and waits until it has caught up."""
        body = {"Query": query + " limit 0", "WaitForNonStaleResults": True,
                "WaitForNonStaleResultsTimeout": "00:00:20"}
        before, begun = self.cpu_seconds(), time.monotonic()
        with MemoryWatch(self.pid) as memory:
            # A connection doesn't wait for its answer as long as a big index takes.
            while (answer := self.exchange(json.dumps(body).encode(), or_late=True)[1]) is None:
                pass
        self.index = json.loads(answer)["IndexName"]
        return {"seconds": time.monotonic() - begun, "cpu": self.cpu_seconds() - before,
                "memory_mib": memory.most}

    def build_fields(self):
        return self.build(FIELDS_QUERY)

    def build_text(self):
        return self.build("from Articles where search(Title, 'x') or search(Body, 'x')")

    def build_all(self):
        return self.build(FIELDS_QUERY + " and search(Body, 'x')")

    def index_bytes(self):
        """All files of the index, once what it wrote has settled; its journals among them."""
        last = -1
        while (now := allocated_bytes(self.indexes)) != last:
            last = now
            time.sleep(1)
        return last

    def drop_index(self):
        self.server.request("DELETE", f"/databases/bench/indexes?name={self.index}")
        deadline = time.monotonic() + 60
        while any(self.indexes.iterdir()):
            if time.monotonic() > deadline:
                raise peers.BenchFailed("the deleted index's files stay")
            time.sleep(0.05)

    def stop(self):
        self.socket.close()
        self.server.stop()


COLUMNS = ("n integer PRIMARY KEY, id text, category text, author text, tags text, views integer,"
           " rating double precision, published text, reference text, title text, text text,"
           " body text")
PLAIN_COLUMNS = ("category", "author", "views", "rating", "published", "reference")


class Sqlite(Store):
    """SQLite 3 in this process, by its prepared statements; durable at each commit."""

    name = "SQLite"

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True)
        self.database = sqlite3.connect(folder / "articles.db", isolation_level=None,
                                        cached_statements=500)
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "cache_size=-2000000",
                       "mmap_size=0", "case_sensitive_like=ON"):
            self.database.execute(f"PRAGMA {pragma}")
        self.database.execute(f"CREATE TABLE articles({COLUMNS})")
        self.database.execute("CREATE TABLE tags(tag text, n integer)")

    def fill(self, articles):
        self.database.execute("BEGIN")
        self.database.executemany(f"INSERT INTO articles VALUES({','.join('?' * 12)})",
                                  articles.lines())
        self.database.executemany(
            "INSERT INTO tags VALUES(?, ?)",
            ((tag, line[0]) for line in articles.lines() for tag in line[4][1:-1].split(",")))
        self.database.execute("COMMIT")

    def cpu_seconds(self):
        return time.process_time()

    def used_bytes(self):
        pages = self.value("PRAGMA page_count") - self.value("PRAGMA freelist_count")
        return pages * self.value("PRAGMA page_size")

    def value(self, sql, values=()):
        return self.database.execute(sql, values).fetchone()[0]

    def timed(self, statements):
        self.before_bytes = self.used_bytes()
        before, begun = self.cpu_seconds(), time.monotonic()
        for statement in statements:
            self.database.execute(statement)
        return {"seconds": time.monotonic() - begun, "cpu": self.cpu_seconds() - before}

    def build_fields(self):
        return self.timed(["BEGIN"] + [f"CREATE INDEX by_{c} ON articles({c})"
                                       for c in PLAIN_COLUMNS]
                          + ["CREATE INDEX by_tag ON tags(tag, n)", "COMMIT"])

    def build_words(self, columns):
        return self.timed([
            "BEGIN", f"CREATE VIRTUAL TABLE words USING fts5({columns}, content='articles',"
            " content_rowid='n', tokenize='unicode61 remove_diacritics 0')",
            "INSERT INTO words(words) VALUES('rebuild')", "COMMIT"])

    def build_text(self):
        return self.build_words("title, text")

    def build_all(self):
        self.build_fields()
        self.build_words("text")
        self.database.execute("ANALYZE")

    def index_bytes(self):
        return self.used_bytes() - self.before_bytes

    def drop_index(self):
        for column in PLAIN_COLUMNS:
            self.database.execute(f"DROP INDEX IF EXISTS by_{column}")
        self.database.execute("DROP INDEX IF EXISTS by_tag")
        self.database.execute("DROP TABLE IF EXISTS words")
        self.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def ask(self, kind, values):
        if kind.sqlite is None:
            return None
        page, total = kind.sqlite
        begun = time.perf_counter_ns()
        rows = self.database.execute(page, values).fetchall()
        middle = time.perf_counter_ns()
        count = self.value(total, values)
        return middle - begun, time.perf_counter_ns() - middle, [row[0] for row in rows], count

    def stop(self):
        self.database.close()


class Postgres(Store):
    """PostgreSQL 15: columns, not jsonb paths, and a stored tsvector for queries: its best case."""

    name = "PostgreSQL"

    def __init__(self, server):
        self.folder = server.folder
        self.server = server
        self.pid = server.pid
        self.connection = libpq.Connection(server.socket, "bench")
        self.connection.execute("SET client_min_messages=warning")
        self.connection.execute("SET maintenance_work_mem='1GB'")
        self.connection.execute("SET work_mem='256MB'")
        columns = COLUMNS.replace("tags text", "tags text[]")
        self.connection.execute(f"CREATE TABLE articles({columns})")

    def fill(self, articles):
        self.connection.execute(f"COPY articles FROM '{articles.path}'")
        self.connection.execute("VACUUM ANALYZE articles")

    def cpu_seconds(self):
        return peers.cpu_seconds(self.pid)

    def timed(self, statements):
        before, begun = self.cpu_seconds(), time.monotonic()
        for statement in statements:
            self.connection.execute(statement)
        return {"seconds": time.monotonic() - begun, "cpu": self.cpu_seconds() - before}

    def build_fields(self):
        return self.timed([f"CREATE INDEX by_{c} ON articles({c})" for c in PLAIN_COLUMNS]
                          + ["CREATE INDEX by_tag ON articles USING gin(tags)"])

    def build_text(self):
        return self.timed(["CREATE INDEX words ON articles USING"
                           " gin(to_tsvector('simple', title || ' ' || text))"])

    def build_all(self):
        self.connection.execute("ALTER TABLE articles ADD words tsvector GENERATED ALWAYS AS"
                                " (to_tsvector('simple', text)) STORED")
        self.build_fields()
        self.connection.execute("CREATE INDEX words ON articles USING gin(words)")
        self.connection.execute("VACUUM ANALYZE articles")

    def index_bytes(self):
        return int(self.connection.ask(
            "SELECT sum(pg_relation_size(indexrelid)) FROM pg_index"
            " WHERE indrelid = 'articles'::regclass AND NOT indisprimary", [])[1][0])

    def drop_index(self):
        for name in [*PLAIN_COLUMNS, "tag"]:
            self.connection.execute(f"DROP INDEX IF EXISTS by_{name}")
        self.connection.execute("DROP INDEX IF EXISTS words")

    @staticmethod
    def numbered(sql, values):
        """`:name` as $1 and so on, and the values in that order."""
        order = []

        def number(match):
            if match.group(1) not in order:
                order.append(match.group(1))
            return f"${order.index(match.group(1)) + 1}"

        # Not the second colon of a cast.
        return re.sub(r"(?<!:):([a-z]\w*)", number, sql), [values[name] for name in order]

    def ask(self, kind, values):
        if kind.postgres is None:
            return None
        page, total = (self.numbered(sql, values) for sql in kind.postgres)
        page_ns, ids = self.connection.ask(*page)
        total_ns, count = self.connection.ask(*total)
        return page_ns, total_ns, ids, int(count[0])

    def stop(self):
        self.connection.close()
        self.server.stop()


def open_all(run, count):
    """Those that are installed, empty; a toy does without PostgreSQL."""
    stores = [Rookery(run.server, run.folder / f"rookery-{count}", run.tools),
              Sqlite(run.folder / f"sqlite-{count}")]
    server = run.postgres(f"postgres-{count}")
    if server is not None:
        stores.append(Postgres(server))
    return stores
