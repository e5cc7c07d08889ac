"""Uses a Stele catalog as applications use databases: SQLAlchemy over Trino's Python client.

python sqlalchemy_check.py HOST PORT SCHEMA
"""
import datetime
import decimal
import sys

import trino
from sqlalchemy import MetaData, Table, create_engine, delete, func, insert, inspect, select, text, update

host, port, schema = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def expect(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: expected {expected!r}, found {found!r}")


# The driver alone
connection = trino.dbapi.connect(host=host, port=port, user="python", catalog="stele", schema=schema)
cursor = connection.cursor()
cursor.execute("SELECT 1, 'a', DECIMAL '1.5', DATE '2026-01-02'")
expect(cursor.fetchall(), [[1, "a", decimal.Decimal("1.5"), datetime.date(2026, 1, 2)]], "constants")

engine = create_engine(f"trino://python@{host}:{port}/stele/{schema}")
with engine.begin() as db:
    db.execute(text("DROP TABLE IF EXISTS py_items"))
    db.execute(text(
        "CREATE TABLE py_items (id bigint NOT NULL, name varchar(20) COMMENT 'what it is called', price decimal(12, 2), since date)"
        " COMMENT 'things' WITH (primary_key = ARRAY['id'])"))

inspector = inspect(engine)
expect(schema in inspector.get_schema_names(), True, "schemas")
expect("py_items" in inspector.get_table_names(schema), True, "tables")
expect([column["name"] for column in inspector.get_columns("py_items", schema)], ["id", "name", "price", "since"], "columns")
expect([column["nullable"] for column in inspector.get_columns("py_items", schema)], [False, True, True, True], "nullable columns")
expect(inspector.get_table_comment("py_items", schema), {"text": "things"}, "comment")
expect(inspector.has_table("py_items", schema), True, "has_table")
expect(inspector.has_table("no_items", schema), False, "has_table of none")

items = Table("py_items", MetaData(), autoload_with=engine, schema=schema)
with engine.begin() as db:
    db.execute(insert(items), [
        {"id": 1, "name": "bolt", "price": decimal.Decimal("0.25"), "since": datetime.date(2026, 1, 1)},
        {"id": 2, "name": "nut", "price": decimal.Decimal("0.10"), "since": None},
        {"id": 1, "name": "a bolt", "price": decimal.Decimal("0.30"), "since": datetime.date(2026, 1, 2)},
    ])
    db.execute(update(items).where(items.c.id == 2).values(name="a nut"))
    rows = db.execute(select(items).order_by(items.c.id)).all()
    expect(rows, [
        (1, "a bolt", decimal.Decimal("0.30"), datetime.date(2026, 1, 2)),
        (2, "a nut", decimal.Decimal("0.10"), None)], "rows")
    expect(db.execute(select(func.count(), func.sum(items.c.price))).one(), (2, decimal.Decimal("0.40")), "sums")
    db.execute(delete(items).where(items.c.name.like("%nut")))
    expect(db.execute(select(items.c.id)).scalars().all(), [1], "what is left")
    db.execute(text("DROP TABLE py_items"))
print("fine")
