package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import io.stele.cache.SingleFlightCache;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.FileStoreTable;

/**
 * A cache, bounded in bytes, of earlier schemas of tables, with which old data files were written;
 * it reads missing schemas from the store.
 *
 * <p>A schema never changes, so it is cached for good. A table that was dropped and created again
 * has a current schema of another time, so the old table's schemas are not found for it.
 *
 * <p>Thread-safe.
 */
public final class TableSchemas {
    // Field, name, type and comment of a column, by the objects of Paimon's schema.
    private static final long COLUMN_BYTES = 400;
    private static final long SCHEMA_BYTES = 1_000;

    private record Key(TableId table, long currentId, long currentTimeMillis, long id) {
        Key {
            requireNonNull(table, "table is null");
        }
    }

    private final SingleFlightCache<Key, TableSchema> schemas;

    public TableSchemas(long maxBytes) {
        this.schemas =
                new SingleFlightCache<>(
                        "paimon-schemas",
                        maxBytes,
                        schema -> SCHEMA_BYTES + COLUMN_BYTES * schema.fields().size());
    }

    /** The schema of a table with this id; its file is read once. */
    public TableSchema schema(FileStoreTable table, long id) {
        TableSchema current = table.schema();
        if (id == current.id()) {
            return current;
        }
        return schemas.get(
                new Key(TableId.of(table), current.id(), current.timeMillis(), id),
                () -> table.schemaManager().schema(id));
    }
}
