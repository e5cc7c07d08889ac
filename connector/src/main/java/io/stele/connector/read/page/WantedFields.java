package io.stele.connector.read.page;

import static java.util.Objects.requireNonNull;

import io.stele.connector.handle.SteleColumnHandle;
import io.stele.protocol.api.scan.ColumnFields;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.IdentifiedType;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.TypeKind;
import io.trino.orc.OrcColumn;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The projection of a scan's row columns to the fields that it wants. A column that is also wanted
 * as a whole is read as a whole. A column of which more than {@link ColumnFields#MAX_PATHS} fields
 * are wanted is also read as a whole. Immutable.
 */
public final class WantedFields {
    private final TableSchema table;
    private final Map<Integer, List<List<Integer>>> paths;

    private WantedFields(TableSchema table, Map<Integer, List<List<Integer>>> paths) {
        this.table = requireNonNull(table, "table is null");
        this.paths = Map.copyOf(paths);
    }

    public static WantedFields of(TableSchema table, List<SteleColumnHandle> columns) {
        Map<Integer, List<List<Integer>>> paths = new HashMap<>();
        Set<Integer> whole = new HashSet<>();
        for (SteleColumnHandle column : columns) {
            if (column.isField()) {
                paths.computeIfAbsent(column.id(), _ -> new ArrayList<>()).add(column.path());
            } else {
                whole.add(column.id());
            }
        }
        paths.keySet().removeAll(whole);
        paths.values().removeIf(wanted -> wanted.size() > ColumnFields.MAX_PATHS);
        return new WantedFields(table, paths);
    }

    /** The fields requested in a stream of the sidecar; empty: whole columns only. */
    public Optional<ColumnFields> ofStream() {
        return paths.isEmpty() ? Optional.empty() : Optional.of(new ColumnFields(paths));
    }

    /** A column as the scan reads it: its type now, with the wanted fields. */
    public IdentifiedType read(int columnId) {
        return kept(columnId, IdentifiedType.of(table.column(columnId)))
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "Expected fields of column %s, found ids %s"
                                                .formatted(columnId, paths.get(columnId))));
    }

    /**
     * The wanted part of a type that the column has or had; empty if the type has no wanted field.
     */
    public Optional<IdentifiedType> kept(int columnId, IdentifiedType type) {
        List<List<Integer>> wanted = paths.get(columnId);
        return wanted == null ? Optional.of(type) : type.keeping(wanted);
    }

    /** The wanted column, from the channel that reads its column, given by {@link #read}. */
    public ScanChannel channel(SteleColumnHandle column, ScanChannel whole) {
        if (!column.isField()) {
            return whole;
        }
        List<Integer> positions = new ArrayList<>();
        IdentifiedType type = read(column.id());
        for (int id : column.path()) {
            int position = position(type, id);
            positions.add(position);
            type = type.children().get(position).type();
        }
        return new ScanChannel.FieldOf(whole, List.copyOf(positions));
    }

    /**
     * A file's column with some of its fields only, so that the streams of other fields are not
     * read.
     *
     * @param written the column's type in the file
     * @param kept the part of the type to read
     */
    public static OrcColumn narrowed(
            OrcColumn column, IdentifiedType written, IdentifiedType kept) {
        if (written.equals(kept)) {
            return column;
        }
        List<OrcColumn> fields = new ArrayList<>();
        for (IdentifiedType.Child field : kept.children()) {
            int position = position(written, field.id());
            fields.add(
                    narrowed(
                            column.getNestedColumns().get(position),
                            written.children().get(position).type(),
                            field.type()));
        }
        return new OrcColumn(
                column.getPath(),
                column.getColumnId(),
                column.getColumnName(),
                column.getColumnType(),
                column.getOrcDataSourceId(),
                fields,
                column.getAttributes());
    }

    /** The file's column of a field; empty if the file has none. */
    public static Optional<OrcColumn> find(
            OrcColumn column, ColumnSchema written, List<Integer> path) {
        OrcColumn found = column;
        IdentifiedType type = IdentifiedType.of(written);
        for (int id : path) {
            int position = type.type().kind() == TypeKind.ROW ? position(type, id) : -1;
            if (position < 0) {
                return Optional.empty();
            }
            found = found.getNestedColumns().get(position);
            type = type.children().get(position).type();
        }
        return Optional.of(found);
    }

    private static int position(IdentifiedType row, int fieldId) {
        for (int position = 0; position < row.children().size(); position++) {
            if (row.children().get(position).id() == fieldId) {
                return position;
            }
        }
        return -1;
    }
}
