"""Uses a sidecar's PostgreSQL port as applications use databases: psycopg 3, asyncpg, and SQLAlchemy over psycopg.

python postgres_check.py HOST PORT SCHEMA

The password is the shared secret, of STELE_SHARED_SECRET. Statements without a fixed plan are run by Trino.
"""
import asyncio
import datetime
import decimal
import os
import sys
import threading
import uuid

import asyncpg
import psycopg
from psycopg.rows import dict_row
from sqlalchemy import MetaData, Table, URL, create_engine, delete, func, insert, inspect, select, text, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError

host, port, schema = sys.argv[1], int(sys.argv[2]), sys.argv[3]
password = os.environ["STELE_SHARED_SECRET"]
UTC = datetime.timezone.utc
MOMENT = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901)
ID = uuid.UUID("12345678-9abc-def0-1234-56789abcdef0")


def expect(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: expected {expected!r}, found {found!r}")


def expect_state(failure, expected, what):
    expect(failure.sqlstate, expected, f"{what} ({failure})")


def refused(state, what, action):
    try:
        action()
    except psycopg.Error as failure:
        expect_state(failure, state, what)
        return
    sys.exit(f"{what}: expected an error")


def connect(**more):
    return psycopg.connect(
        host=host, port=port, user="python", password=password, dbname="stele", options=f"-c search_path={schema}", **more)


def psycopg_types(binary):
    with connect(autocommit=True) as db, db.cursor(binary=binary) as cursor:
        cursor.execute("DELETE FROM py_types WHERE id = 1")
        row = (1, True, -3, 70000, 1.5, 2.25, decimal.Decimal("123.45"), "ä 'text'", b"\x00\xff", datetime.date(2026, 1, 2),
               datetime.time(3, 4, 5, 678901), MOMENT, MOMENT.replace(tzinfo=UTC), ID)
        cursor.execute(f"INSERT INTO py_types VALUES ({', '.join(['%b' if binary else '%t'] * len(row))})", row)
        cursor.execute("SELECT * FROM py_types WHERE id = 1")
        found = list(cursor.fetchone())
        found[12] = found[12].astimezone(UTC)
        expect(tuple(found), row, f"types, binary {binary}")
        expect([column.name for column in cursor.description][:3], ["id", "flag", "small"], "names of columns")
        nulls = (2,) + (None,) * (len(row) - 1)
        cursor.execute(f"INSERT INTO py_types VALUES ({', '.join(['%s'] * len(row))}) ON CONFLICT DO NOTHING", nulls)
        cursor.execute("SELECT * FROM py_types WHERE id = 2")
        expect(cursor.fetchone(), nulls, "nulls")


def psycopg_statements():
    with connect(autocommit=True, row_factory=dict_row) as db:
        # Prepared on the server from the first execution on, and used again
        for number in range(8):
            db.execute("INSERT INTO py_items (id, name, price) VALUES (%s, %s, %s)", (number, f"item {number}", number / 4), prepare=True)
        expect(db.execute("SELECT name FROM py_items WHERE id = %s", (3,), prepare=True).fetchone(), {"name": "item 3"}, "a lookup")
        expect([row["id"] for row in db.execute("SELECT id FROM py_items WHERE id = ANY(%s) ORDER BY id", ([5, 1, 99],))], [1, 5], "a list of keys")
        expect(db.execute("SELECT count(*) AS n, max(price) AS m FROM py_items WHERE id BETWEEN 2 AND 4").fetchone(), {"n": 3, "m": 1.0}, "a range")
        expect(
            db.execute("INSERT INTO py_items VALUES (3, 'new', 9) ON CONFLICT (id) DO UPDATE SET price = EXCLUDED.price RETURNING name, price").fetchone(),
            {"name": "item 3", "price": 9.0}, "an upsert")
        expect(db.execute("UPDATE py_items SET name = 'x' WHERE id = 7").rowcount, 1, "an update")
        expect(db.execute("DELETE FROM py_items WHERE id IN (6, 7, 8)").rowcount, 2, "a deletion")
        with db.cursor() as cursor:
            cursor.executemany("INSERT INTO py_items (id, name) VALUES (%s, %s)", [(100 + n, f"many {n}") for n in range(50)])
            expect(cursor.rowcount, 50, "many rows")
        with db.pipeline():
            cursors = [db.execute("SELECT name FROM py_items WHERE id = %s", (100 + n,)) for n in range(50)]
        expect([cursor.fetchone()["name"] for cursor in cursors], [f"many {n}" for n in range(50)], "a pipeline")
        refused("23505", "a key that is there", lambda: db.execute("INSERT INTO py_items (id) VALUES (1)"))
        refused("42P01", "no table", lambda: db.execute("SELECT * FROM py_nothing WHERE id = 1"))
        refused("42703", "no column", lambda: db.execute("SELECT nothing FROM py_items WHERE id = 1"))
        refused("42601", "no statement", lambda: db.execute("SELEC 1"))
        refused("22P02", "no number", lambda: db.execute("SELECT name FROM py_items WHERE id = 'x'"))
        # A failure inside a pipeline takes those after it along, and the connection goes on
        try:
            with db.pipeline():
                db.execute("SELECT name FROM py_items WHERE id = 1")
                db.execute("INSERT INTO py_items (id) VALUES (1)")
                db.execute("DELETE FROM py_items WHERE id = 1")
            sys.exit("a pipeline: expected an error")
        except psycopg.Error as failure:
            expect_state(failure, "23505", "a pipeline")
        expect(db.execute("SELECT count(*) AS n FROM py_items WHERE id = 1").fetchone(), {"n": 1}, "what a failed pipeline left")
    for row in psycopg_rows("SELECT name, count(*) FROM py_items a JOIN py_items b ON a.id = b.id GROUP BY name".replace("name", "a.name")):
        expect(row[1], 1, "a join, which Trino runs")


def psycopg_rows(sql):
    with connect(autocommit=True) as db:
        return db.execute(sql).fetchall()


def psycopg_transactions():
    with connect() as db:
        with db.transaction():
            db.execute("UPDATE py_items SET price = 1 WHERE id = 0")
            db.execute("UPDATE py_items SET price = 1 WHERE id = 1")
        try:
            with db.transaction():
                db.execute("UPDATE py_items SET price = 2 WHERE id = 0")
                raise ValueError("rolled back")
        except ValueError:
            pass
        expect(db.execute("SELECT price FROM py_items WHERE id IN (0, 1)").fetchall(), [(1.0,), (1.0,)], "a transaction")
        db.rollback()
        try:
            db.execute("INSERT INTO py_items (id) VALUES (1)")
            sys.exit("a duplicate: expected an error")
        except psycopg.errors.UniqueViolation:
            pass
        refused("25P02", "a block that has failed", lambda: db.execute("SELECT name FROM py_items WHERE id = 1"))
        db.rollback()
        expect(db.execute("SELECT name FROM py_items WHERE id = 1").fetchone(), ("item 1",), "after a rollback")


def psycopg_copies():
    with connect(autocommit=True) as db, db.cursor() as cursor:
        with cursor.copy("COPY py_items (id, name, price) FROM STDIN") as copy:
            for number in range(1000, 2000):
                copy.write_row((number, f"copied\t{number}" if number % 2 else None, number / 8))
        expect(cursor.rowcount, 1000, "a copy")
        with cursor.copy("COPY py_items (id, name, price) FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["int8", "varchar", "float8"])
            for number in range(2000, 2100):
                copy.write_row((number, f"binary {number}", number / 8))
        with cursor.copy("COPY (SELECT id, name, price FROM py_items WHERE id BETWEEN 1000 AND 2099) TO STDOUT (FORMAT BINARY)") as copy:
            copy.set_types(["int8", "varchar", "float8"])
            rows = sorted(copy.rows())
        expect(len(rows), 1100, "rows copied out")
        expect(rows[1], (1001, "copied\t1001", 1001 / 8), "a row copied out")
        try:
            with cursor.copy("COPY py_items (id, name) FROM STDIN") as copy:
                copy.write("3000\tgood\nthree\tbad\n")
            sys.exit("a copy of bad rows: expected an error")
        except psycopg.Error as failure:
            expect_state(failure, "22P02", "a copy of bad rows")
        expect(psycopg_rows("SELECT count(*) FROM py_items WHERE id = 3000"), [(0,)], "what a failed copy left")


def psycopg_cancels():
    with connect(autocommit=True) as db:
        timer = threading.Timer(1, db.cancel_safe)
        timer.start()
        refused("57014", "a cancelled query", lambda: db.execute(
            "SELECT count(*) FROM tpch.sf100.lineitem a JOIN tpch.sf100.lineitem b ON a.orderkey = b.orderkey AND a.comment < b.comment"))
        timer.join()
        expect(db.execute("SELECT name FROM py_items WHERE id = 1").fetchone(), ("item 1",), "after a cancellation")


async def asyncpg_all():
    db = await asyncpg.connect(
        host=host, port=port, user="python", password=password, database="stele", server_settings={"search_path": schema})
    row = (3, True, -3, 70000, 1.5, 2.25, decimal.Decimal("123.45"), "ä 'text'", b"\x00\xff", datetime.date(2026, 1, 2),
           datetime.time(3, 4, 5, 678901), MOMENT, MOMENT.replace(tzinfo=UTC), ID)
    parameters = ", ".join(f"${number + 1}" for number in range(len(row)))
    expect(await db.execute(f"INSERT INTO py_types VALUES ({parameters})", *row), "INSERT 0 1", "asyncpg's insert")
    expect(tuple(await db.fetchrow("SELECT * FROM py_types WHERE id = $1", 3)), row, "asyncpg's types")
    lookup = await db.prepare("SELECT name FROM py_items WHERE id = $1")
    expect([attribute.type.name for attribute in lookup.get_attributes()], ["text"], "asyncpg's columns")
    expect([await lookup.fetchval(number) for number in (0, 1, 99)], ["item 0", "item 1", None], "asyncpg's lookups")
    expect([row["id"] for row in await db.fetch("SELECT id FROM py_items WHERE id = ANY($1::bigint[]) ORDER BY id", [2, 0])], [0, 2], "asyncpg's list")
    await db.executemany("INSERT INTO py_items (id, name) VALUES ($1, $2)", [(4000 + n, f"async {n}") for n in range(200)])
    expect(await db.fetchval("SELECT count(*) FROM py_items WHERE id BETWEEN 4000 AND 4999"), 200, "asyncpg's many rows")
    copied = await db.copy_records_to_table(
        "py_items", schema_name=schema, columns=["id", "name", "price"], records=[(5000 + n, f"record {n}", n / 2) for n in range(500)])
    expect(copied, "COPY 500", "asyncpg's copy")
    try:
        async with db.transaction():
            await db.execute("UPDATE py_items SET price = 77 WHERE id = 5000")
            await db.execute("INSERT INTO py_items (id) VALUES (5001)")
        sys.exit("asyncpg's transaction: expected an error")
    except asyncpg.UniqueViolationError:
        pass
    expect(await db.fetchval("SELECT price FROM py_items WHERE id = 5000"), 0.0, "asyncpg's rollback")
    expect(await db.fetchval("SELECT count(*) FROM py_items a, py_items b WHERE a.id = b.id AND a.id = $1", 5000), 1, "asyncpg's join")
    pool = await asyncpg.create_pool(
        host=host, port=port, user="python", password=password, database="stele", server_settings={"search_path": schema}, min_size=4, max_size=4)
    names = await asyncio.gather(*(pool.fetchval("SELECT name FROM py_items WHERE id = $1", 5000 + n) for n in range(64)))
    expect(names, [f"record {n}" for n in range(64)], "asyncpg's pool")
    await pool.close()
    await db.close()


def sqlalchemy_all():
    engine = create_engine(
        URL.create("postgresql+psycopg", "python", password, host, port, "stele"),
        connect_args={"options": f"-c search_path={schema}"})
    inspector = inspect(engine)
    expect(schema in inspector.get_schema_names(), True, "schemas")
    expect("py_items" in inspector.get_table_names(schema), True, "tables")
    expect([(column["name"], column["nullable"]) for column in inspector.get_columns("py_items", schema)],
           [("id", False), ("name", True), ("price", True)], "columns")
    expect(inspector.get_pk_constraint("py_items", schema)["constrained_columns"], ["id"], "the key")
    expect(inspector.get_foreign_keys("py_items", schema), [], "foreign keys")
    expect(inspector.has_table("no_items", schema), False, "has_table of none")
    items = Table("py_items", MetaData(), autoload_with=engine, schema=schema)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
        db.execute(insert(items), [{"id": 6000 + n, "name": f"alchemy {n}", "price": n / 2} for n in range(100)])
        upsert = postgresql.insert(items).values(id=6000, name="again", price=1.5)
        db.execute(upsert.on_conflict_do_update(index_elements=[items.c.id], set_={"name": upsert.excluded.name}))
        db.execute(update(items).where(items.c.id == 6001).values(price=12.5))
        expect(db.execute(select(items).where(items.c.id.in_([6000, 6001])).order_by(items.c.id)).all(),
               [(6000, "again", 0.0), (6001, "alchemy 1", 12.5)], "rows")
        expect(db.execute(select(func.count()).where(items.c.id.between(6000, 6099))).scalar(), 100, "a count")
        expect(db.execute(delete(items).where(items.c.id == 6002)).rowcount, 1, "a deletion")
        expect(db.execute(text("SELECT n.name FROM tpch.tiny.nation n WHERE n.nationkey = :key"), {"key": 3}).scalar(), "CANADA", "another catalog")
    with engine.begin() as db:
        db.execute(update(items).where(items.c.id == 6003).values(name="in a block"))
        db.execute(insert(items).values(id=6200, name="in a block"))
        try:
            with db.begin_nested():
                db.execute(update(items).where(items.c.id == 6003).values(name="undone"))
                db.execute(insert(items).values(id=6200))
            sys.exit("a duplicate in a nested block: expected an error")
        except IntegrityError:
            pass
    with engine.connect() as db:
        expect(db.execute(select(func.count()).where(items.c.id.in_([6003, 6200]), items.c.name == "in a block")).scalar(), 2, "a block")
    engine.dispose()


with connect(autocommit=True) as setup:
    for table in ("py_items", "py_types"):
        setup.execute(f"DROP TABLE IF EXISTS {table}")
    setup.execute("CREATE TABLE py_items (id bigint NOT NULL, name varchar, price double) WITH (primary_key = ARRAY['id'], orientation = 'row')")
    setup.execute(
        "CREATE TABLE py_types (id bigint NOT NULL, flag boolean, small smallint, whole integer, single real, float double, exact decimal(12, 2),"
        " name varchar, bytes varbinary, day date, at time(6), moment timestamp(6), instant timestamp(6) with time zone, key uuid)"
        " WITH (primary_key = ARRAY['id'], orientation = 'row')")
for one in (False, True):
    psycopg_types(one)
psycopg_statements()
psycopg_transactions()
psycopg_copies()
psycopg_cancels()
asyncio.run(asyncpg_all())
sqlalchemy_all()
with connect(autocommit=True) as end:
    for table in ("py_items", "py_types"):
        end.execute(f"DROP TABLE {table}")
print("fine")
