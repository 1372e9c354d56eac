# SPDX-License-Identifier: Apache-2.0
"""Prepared statements over PostgreSQL's client library, which its server package brings along."""

import ctypes
import time

COMMAND_OK, TUPLES_OK = 1, 2


class LibpqFailed(Exception):
    pass


def load():
    library = ctypes.CDLL("libpq.so.5")
    pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    for name, result, arguments in (
            ("PQconnectdb", pointer, [text]), ("PQstatus", number, [pointer]),
            ("PQerrorMessage", text, [pointer]), ("PQfinish", None, [pointer]),
            ("PQexec", pointer, [pointer, text]), ("PQresultStatus", number, [pointer]),
            ("PQprepare", pointer, [pointer, text, text, number, pointer]),
            ("PQexecPrepared", pointer, [pointer, text, number, ctypes.POINTER(text), pointer,
                                         pointer, number]),
            ("PQntuples", number, [pointer]), ("PQclear", None, [pointer]),
            ("PQgetvalue", text, [pointer, number, number])):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class Connection:
    def __init__(self, folder, user):
        self.library = load()
        self.connection = self.library.PQconnectdb(
            f"host={folder} user={user} dbname=postgres".encode())
        if self.library.PQstatus(self.connection) != 0:
            raise LibpqFailed(self.error())
        self.names = {}

    def error(self):
        return self.library.PQerrorMessage(self.connection).decode().strip()

    def checked(self, result):
        if self.library.PQresultStatus(result) not in (COMMAND_OK, TUPLES_OK):
            self.library.PQclear(result)
            raise LibpqFailed(self.error())
        return result

    def execute(self, sql):
        self.library.PQclear(self.checked(self.library.PQexec(self.connection, sql.encode())))

    def prepare(self, sql):
        """The statement's name; the same text is prepared once."""
        if sql not in self.names:
            name = f"s{len(self.names)}".encode()
            self.library.PQclear(self.checked(
                self.library.PQprepare(self.connection, name, sql.encode(), 0, None)))
            self.names[sql] = name
        return self.names[sql]

    def ask(self, sql, values):
        """(nanoseconds, first column of each row); reading the rows out isn't timed."""
        name = self.prepare(sql)
        given = (ctypes.c_char_p * max(1, len(values)))(*(str(v).encode() for v in values))
        begun = time.perf_counter_ns()
        result = self.library.PQexecPrepared(self.connection, name, len(values), given, None, None,
                                             0)
        spent = time.perf_counter_ns() - begun
        self.checked(result)
        rows = [self.library.PQgetvalue(result, row, 0).decode()
                for row in range(self.library.PQntuples(result))]
        self.library.PQclear(result)
        return spent, rows

    def close(self):
        self.library.PQfinish(self.connection)
