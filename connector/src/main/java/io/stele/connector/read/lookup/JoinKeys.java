package io.stele.connector.read.lookup;

import static java.util.Objects.requireNonNull;

import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleIndexHandle;
import io.stele.connector.type.KeyRows;
import io.stele.connector.type.TrinoTypes;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.scan.LookupKeys;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.block.Block;
import io.trino.spi.connector.RecordCursor;
import io.trino.spi.predicate.Domain;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeUtils;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A reader of the keys that an index join looks up, in batches of the size of one request. Confined
 * to one driver.
 */
final class JoinKeys implements AutoCloseable {
    private final SteleIndexHandle index;
    private final RecordCursor cursor;
    private final List<Type> joinedTypes;
    private final int[] places; // of the join's columns in the key
    private final Block[] key; // one position each; columns that the join does not bring stay
    private final KeyRows rows;

    /**
     * @param joined the columns that the cursor has
     */
    JoinKeys(
            SteleIndexHandle index,
            List<SteleColumnHandle> joined,
            RecordCursor cursor,
            TrinoTypes types) {
        this.index = requireNonNull(index, "index is null");
        this.cursor = requireNonNull(cursor, "cursor is null");
        TableSchema table = index.table().table();
        List<ColumnSchema> columns = table.columns(index.keyColumns());
        this.joinedTypes = joined.stream().map(SteleColumnHandle::type).toList();
        this.places =
                joined.stream().mapToInt(one -> index.keyColumns().indexOf(one.id())).toArray();
        this.key = new Block[columns.size()];
        index.table()
                .constraint()
                .getDomains()
                .orElseThrow()
                .forEach(
                        (column, domain) -> {
                            int place = index.keyColumns().indexOf(column.id());
                            if (place >= 0 && domain.isSingleValue()) {
                                key[place] = value(column.type(), domain);
                            }
                        });
        this.rows =
                index.indexId().isEmpty()
                        ? KeyRows.ofPrimaryKey(table, types)
                        : KeyRows.ofIndex(table, columns, types);
    }

    /** The next keys; empty: there are none left. */
    Optional<LookupKeys> next() {
        List<byte[]> keys = new ArrayList<>();
        boolean isEnd = false;
        while (!isEnd && keys.size() < LookupKeys.MAX_KEYS) {
            isEnd = !cursor.advanceNextPosition();
            if (!isEnd && readKey()) {
                add(keys);
            }
        }
        return isEnd && keys.isEmpty()
                ? Optional.empty()
                : Optional.of(new LookupKeys(index.indexId(), keys));
    }

    /** Reads the cursor's key; false if a part is null, which equals nothing. */
    private boolean readKey() {
        for (int field = 0; field < places.length; field++) {
            if (cursor.isNull(field)) {
                return false;
            }
            Type type = joinedTypes.get(field);
            key[places[field]] = TypeUtils.writeNativeValue(type, value(type, field));
        }
        rows.read(key, 0);
        return true;
    }

    private void add(List<byte[]> keys) {
        try {
            keys.add(index.indexId().isEmpty() ? rows.key() : rows.sortKey());
        } catch (SteleException e) {
            if (e.code() != ErrorCode.KEY_TOO_LARGE) {
                throw e;
            }
            // No row has such a key
        }
    }

    private Object value(Type type, int field) {
        Class<?> form = type.getJavaType();
        if (form == boolean.class) {
            return cursor.getBoolean(field);
        }
        if (form == long.class) {
            return cursor.getLong(field);
        }
        if (form == double.class) {
            return cursor.getDouble(field);
        }
        return form == io.airlift.slice.Slice.class
                ? cursor.getSlice(field)
                : cursor.getObject(field);
    }

    private static Block value(Type type, Domain domain) {
        return TypeUtils.writeNativeValue(type, domain.getSingleValue());
    }

    @Override
    public void close() {
        cursor.close();
    }
}
