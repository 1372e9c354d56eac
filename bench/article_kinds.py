# SPDX-License-Identifier: Apache-2.0
"""The kinds of query of B5: the same question in RQL and in the SQL of each peer, with its values.

Rookery answers a page with the exact total. A peer is asked for the page and, apart, for the total.
"""

import dataclasses
import datetime
import random

PAGE = 25
VIEWS_END = 1_000_000
SPAN_SECONDS = 1 << 28  # of PublishedAt, from 2015 on


@dataclasses.dataclass
class Kind:
    name: str
    rql: str
    sqlite: tuple  # (page, total), or None
    postgres: tuple
    values: list  # of dicts
    is_ordered: bool  # then the ids are compared, else how many there are, and the total
    bound: str  # what its cost depends on, for the report
    counts_rows: bool = True  # the total is that of the rows, not of what they were made from


def both(where, order="", offset=""):
    """The same text for both peers."""
    each = sql_of(where, order, offset)
    return {"sqlite": each, "postgres": each}


def sql_of(where, order="", offset="", source="articles"):
    condition = f" WHERE {where}" if where else ""
    return (f"SELECT id, body FROM {source}{condition}{order} LIMIT {PAGE}{offset}",
            f"SELECT count(*) FROM {source}{condition}")


def date_of(seconds):
    return (datetime.datetime(2015, 1, 1) + datetime.timedelta(seconds=seconds)).strftime(
        "%Y-%m-%dT%H:%M:%S.0000000")


class Facts:
    """What of the data the questions are made of."""

    def __init__(self, sqlite, articles):
        def names(sql):
            return [row[0] for row in sqlite.database.execute(sql)]

        self.count = articles.count
        self.categories = names("SELECT category FROM articles GROUP BY 1 ORDER BY count(*) DESC")
        self.authors = names("SELECT author FROM articles GROUP BY 1 ORDER BY count(*) DESC"
                             " LIMIT 400")[100:]
        self.tags = names("SELECT tag FROM tags GROUP BY 1 ORDER BY count(*) DESC")
        self.words = articles.words(2000)


def make_kinds(facts, asked):
    """`asked` values for each kind; the same in every run."""
    rng = random.Random(7)

    def many(make):
        return [make() for _ in range(asked)]

    def views(share):
        low = rng.randrange(int(VIEWS_END * (1 - share)))
        return {"low": low, "high": low + int(VIEWS_END * share)}

    def dates(share):
        low = rng.randrange(int(SPAN_SECONDS * (1 - share)))
        return {"low": date_of(low), "high": date_of(low + int(SPAN_SECONDS * share))}

    def category():
        return rng.choice(facts.categories[2:10])

    def words(low, high):
        return rng.sample(facts.words[low:high], 2)

    def reference(pattern):
        return "".join(rng.choice("0123456789abcdef") if c == "x" else c for c in pattern)

    match = "words @@ to_tsquery('simple', :pg)"
    searched = {
        "sqlite": ("SELECT articles.id, articles.body FROM words JOIN articles"
                   " ON articles.n = words.rowid WHERE words MATCH :fts ORDER BY words.rank"
                   f" LIMIT {PAGE}", "SELECT count(*) FROM words WHERE words MATCH :fts"),
        "postgres": sql_of(match, " ORDER BY ts_rank(words, to_tsquery('simple', :pg)) DESC")}

    def search_values(low, high, operator):
        chosen = words(low, high)
        sign = "|" if operator == "OR" else "&"
        return {"words": " ".join(chosen), "fts": f" {operator} ".join(chosen),
                "pg": f" {sign} ".join(chosen)}

    newest = " ORDER BY published DESC"
    page = f" limit {PAGE}"
    deep = facts.count // 2
    few = min(0.5, 100 / facts.count)
    return [
        Kind("equality", "from Articles where Category = $c" + page, **both("category = :c"),
             values=many(lambda: {"c": category()}), is_ordered=False, bound="page"),
        Kind("equality, rare", "from Articles where Author.Id = $a" + page, **both("author = :a"),
             values=many(lambda: {"a": rng.choice(facts.authors)}), is_ordered=False,
             bound="page"),
        Kind("in, 3 of 20", "from Articles where Category in ($a, $b, $c)" + page,
             **both("category IN (:a, :b, :c)"),
             values=many(lambda: dict(zip("abc", rng.sample(facts.categories[2:12], 3)))),
             is_ordered=False, bound="page"),
        Kind("range of 100", "from Articles where Views between $low and $high" + page,
             **both("views BETWEEN :low AND :high"), values=many(lambda: views(few)),
             is_ordered=False, bound="matches"),
        Kind("range of 1 %", "from Articles where Views between $low and $high" + page,
             **both("views BETWEEN :low AND :high"), values=many(lambda: views(0.01)),
             is_ordered=False, bound="matches"),
        Kind("range of 1 %, by itself",
             "from Articles where PublishedAt between $low and $high order by PublishedAt desc"
             + page, **both("published BETWEEN :low AND :high", newest),
             values=many(lambda: dates(0.01)), is_ordered=True, bound="matches"),
        Kind("range of 10 %, by another",
             "from Articles where Views between $low and $high order by PublishedAt desc" + page,
             **both("views BETWEEN :low AND :high", newest), values=many(lambda: views(0.1)),
             is_ordered=True, bound="matches"),
        Kind("and", "from Articles where Category = $c and Tags = $t" + page,
             sqlite=sql_of("category = :c AND n IN (SELECT n FROM tags WHERE tag = :t)"),
             postgres=sql_of("category = :c AND tags @> ARRAY[:t::text]"),
             values=many(lambda: {"c": category(), "t": rng.choice(facts.tags[5:40])}),
             is_ordered=False, bound="the smaller side"),
        Kind("or", "from Articles where Author.Id = $a or Views < $low" + page,
             **both("author = :a OR views < :low"),
             values=many(lambda: {"a": rng.choice(facts.authors),
                                  "low": rng.randrange(2000, 8000)}),
             is_ordered=False, bound="matches"),
        Kind("order by", "from Articles order by PublishedAt desc" + page, **both("", newest),
             values=many(dict), is_ordered=True, bound="page"),
        Kind("equality, order by",
             "from Articles where Category = $c order by PublishedAt desc" + page,
             **both("category = :c", newest), values=many(lambda: {"c": category()}),
             is_ordered=True, bound="page"),
        Kind("search, any of 2", "from Articles where search(Body, $words)" + page,
             **searched, values=many(lambda: search_values(200, 2000, "OR")), is_ordered=False,
             bound="matches"),
        Kind("search, all of 2", "from Articles where search(Body, $words, and)" + page,
             **searched, values=many(lambda: search_values(20, 200, "AND")), is_ordered=False,
             bound="the smaller side"),
        Kind("startsWith", "from Articles where startsWith(Reference, $p)" + page,
             sqlite=sql_of("reference GLOB :glob"), postgres=sql_of("reference LIKE :like"),
             values=many(lambda: (lambda p: {"p": p, "glob": p + "*", "like": p + "%"})(
                 reference("xx"))), is_ordered=False, bound="matches"),
        Kind("endsWith", "from Articles where endsWith(Reference, $p)" + page,
             sqlite=sql_of("reference GLOB :glob"), postgres=sql_of("reference LIKE :like"),
             values=many(lambda: (lambda p: {"p": p, "glob": "*" + p, "like": "%" + p})(
                 reference("xxx"))), is_ordered=False, bound="terms"),
        Kind("regex", "from Articles where regex(Reference, $p)" + page,
             sqlite=sql_of("reference GLOB :glob"), postgres=sql_of("reference ~ :p"),
             values=many(lambda: (lambda a, b: {"p": f"^[0-9]{{2}}{a}.*{b}$",
                                                "glob": f"[0-9][0-9]{a}*{b}"})(
                 reference("x"), reference("x"))), is_ordered=False, bound="terms"),
        Kind("distinct", "from Articles select distinct Category" + page,
             sqlite=(f"SELECT DISTINCT category, 0 FROM articles LIMIT {PAGE}",
                     "SELECT count(DISTINCT category) FROM articles"),
             postgres=(f"SELECT DISTINCT category, 0 FROM articles LIMIT {PAGE}",
                       "SELECT count(DISTINCT category) FROM articles"),
             values=many(dict), is_ordered=False, bound="documents", counts_rows=False),
        Kind("deep page", f"from Articles order by PublishedAt desc{page} offset {deep}",
             **both("", newest, f" OFFSET {deep}"), values=many(dict), is_ordered=True,
             bound="depth"),
    ]
