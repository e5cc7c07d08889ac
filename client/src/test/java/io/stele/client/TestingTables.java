package io.stele.client;

import io.stele.protocol.TableId;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.VarcharType;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The tables that the client is tested with: {@code s.t} with an id and a name, and variants. */
final class TestingTables {
    private static final ColumnSchema ID =
            new ColumnSchema(1, "id", ScalarType.BIGINT, false, Optional.empty());
    private static final ColumnSchema NAME =
            new ColumnSchema(2, "name", VarcharType.VARCHAR, true, Optional.empty());
    private static final ColumnSchema NOTE =
            new ColumnSchema(3, "note", VarcharType.VARCHAR, true, Optional.empty());

    private TestingTables() {}

    static TableSchema keyed(long id, int version) {
        return table(id, version, List.of(ID, NAME), List.of(1));
    }

    static TableSchema keyedWithNote(long id, int version) {
        return table(id, version, List.of(ID, NAME, NOTE), List.of(1));
    }

    static TableSchema unkeyed(long id) {
        return table(id, 1, List.of(ID, NAME), List.of());
    }

    static RowLayout layout(TableSchema schema) {
        return RowLayout.of(schema.columns());
    }

    /** Id to name of encoded rows of {@link #keyed}. */
    static TreeMap<Long, String> contents(Collection<byte[]> rows) {
        RowLayout layout = layout(keyed(1, 1));
        TreeMap<Long, String> contents = new TreeMap<>();
        for (byte[] row : rows) {
            List<@Nullable Object> values = Rows.toObjects(new BinaryRow(layout).wrap(row));
            contents.put((Long) values.get(0), String.valueOf(values.get(1)));
        }
        return contents;
    }

    private static TableSchema table(
            long id, int version, List<ColumnSchema> columns, List<Integer> primaryKey) {
        return TableSchema.builder("s", "t")
                .id(new TableId(id))
                .schemaVersion(version)
                .columns(columns)
                .primaryKey(primaryKey)
                .shardCount(4)
                .build();
    }
}
