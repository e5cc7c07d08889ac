"""Uses a Stele sidecar as applications use databases: ADBC over Flight SQL, with PyArrow.

python flight_sql_check.py HOST PORT SCHEMA [trino]

The secret is in STELE_SHARED_SECRET; with "trino" the sidecar hands statements on to Trino.
"""
import datetime
import decimal
import os
import sys

import adbc_driver_flightsql.dbapi
import pyarrow
from adbc_driver_flightsql import DatabaseOptions

host, port, schema = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def expect(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: expected {expected!r}, found {found!r}")


def expect_failure(run, text, what):
    try:
        run()
    except adbc_driver_flightsql.dbapi.Error as error:
        if text not in str(error):
            sys.exit(f"{what}: expected '{text}', found {error}")
        return
    sys.exit(f"{what}: expected a failure, found none")


def connect(**more):
    return adbc_driver_flightsql.dbapi.connect(
        f"grpc://{host}:{port}",
        db_kwargs={
            "username": "python",
            "password": os.environ["STELE_SHARED_SECRET"],
            DatabaseOptions.RPC_CALL_HEADER_PREFIX.value + "schema": schema,
        },
        **more)


rows = pyarrow.table({
    "id": pyarrow.array(range(10_000), pyarrow.int64()),
    "name": pyarrow.array([f"item {i}" for i in range(10_000)]),
    "price": pyarrow.array([decimal.Decimal(i) / 100 for i in range(10_000)], pyarrow.decimal128(12, 2)),
    "since": pyarrow.array([datetime.date(2026, 1, 1)] * 10_000),
    "tags": pyarrow.array([["a", None, str(i)] for i in range(10_000)], pyarrow.list_(pyarrow.string())),
})

with connect(autocommit=True) as connection, connection.cursor() as cursor:
    cursor.execute("SELECT 1 AS one, 'a' AS text")
    expect(cursor.fetchall(), [(1, "a")], "constants")

    # A table is made with its rows, appended to, and replaced
    expect(cursor.adbc_ingest("fsql_items", rows, mode="create", db_schema_name=schema), 10_000, "create")
    expect_failure(
        lambda: cursor.adbc_ingest("fsql_items", rows, mode="create", db_schema_name=schema),
        "Expected no table", "create again")
    expect(cursor.adbc_ingest("fsql_items", rows.slice(0, 5), mode="append", db_schema_name=schema), 5, "append")
    cursor.execute("SELECT * FROM fsql_items LIMIT 100000")
    found = cursor.fetch_arrow_table()
    expect(found.num_rows, 10_005, "rows")
    expect(found.schema.field("price").type, pyarrow.decimal128(12, 2), "type of price")
    expect(found.sort_by("id").slice(9_000).select(rows.column_names).to_pylist(),
           pyarrow.concat_tables([rows, rows.slice(0, 5)]).sort_by("id").slice(9_000).to_pylist(), "rows as they were")
    expect(cursor.adbc_ingest("fsql_items", rows.slice(7, 1), mode="replace", db_schema_name=schema), 1, "replace")
    cursor.execute("SELECT id, name FROM fsql_items")
    expect(cursor.fetchall(), [(7, "item 7")], "replaced")

    # Parameters, also NULL, which Arrow sends without a type
    cursor.execute("INSERT INTO fsql_items (id, name, price) VALUES (?, ?, ?)", (8, None, decimal.Decimal("1.25")))
    cursor.execute("SELECT name, price FROM fsql_items WHERE id = ?", (8,))
    expect(cursor.fetchall(), [(None, decimal.Decimal("1.25"))], "a row of parameters")
    cursor.executemany("INSERT INTO fsql_items (id, name) VALUES (?, ?)", [(i, f"many {i}") for i in range(100, 1_100)])
    cursor.execute("SELECT count(*), max(id) FROM fsql_items WHERE id >= ?", (100,))
    expect(cursor.fetchall(), [(1_000, 1_099)], "many rows of parameters")
    with connection.cursor() as failing:
        expect_failure(lambda: failing.execute("SELECT nothing FROM fsql_items"), "'nothing'", "an unknown column")

    catalogs = connection.adbc_get_objects(depth="columns", db_schema_filter=schema).read_all().to_pylist()
    tables = {
        table["table_name"]: [column["column_name"] for column in table["table_columns"]]
        for catalog in catalogs for found in catalog["catalog_db_schemas"] for table in found["db_schema_tables"]
    }
    expect(tables.get("fsql_items"), rows.column_names, "columns")
    expect(connection.adbc_get_info()["vendor_name"], "Stele", "vendor")
    expect(connection.adbc_get_table_schema("fsql_items", db_schema_filter=schema).names, rows.column_names, "schema")

    if "trino" in sys.argv[4:]:
        cursor.execute("SELECT a.id, count(*) AS n FROM fsql_items a JOIN fsql_items b ON a.id = b.id WHERE a.id = ? GROUP BY a.id", (7,))
        expect(cursor.fetchall(), [(7, 1)], "a join, by Trino")
        cursor.execute("DROP TABLE fsql_items")
        expect_failure(lambda: cursor.execute("SELECT id FROM fsql_items WHERE id = 1"), "fsql_items", "a dropped table")
    else:
        with connection.cursor() as failing:
            expect_failure(
                lambda: failing.execute("SELECT a.id FROM fsql_items a JOIN fsql_items b ON a.id = b.id"),
                "Statements by key run here", "a join")

# Without autocommit, the connection is one transaction after the other
if "trino" not in sys.argv[4:]:
    with connect() as connection, connect(autocommit=True) as other, connection.cursor() as cursor, other.cursor() as reader:
        def seen(item):
            reader.execute("SELECT name FROM fsql_items WHERE id = ?", (item,))
            return reader.fetchall()

        cursor.execute("INSERT INTO fsql_items (id, name) VALUES (50, 'kept')")
        expect(seen(50), [], "before the commit")
        connection.commit()
        expect(seen(50), [("kept",)], "after the commit")
        with connection.cursor() as more:
            more.execute("INSERT INTO fsql_items (id, name) VALUES (51, 'given up')")
        connection.rollback()
        expect(seen(51), [], "after the rollback")
print("fine")
