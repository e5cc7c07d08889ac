package io.stele.engine.row;

import static java.util.Objects.requireNonNull;

import io.stele.engine.manifest.FileEntry;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.RowMapping;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.SchemaHistory;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.TypeKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One version of a table's schema, with mappings to it from the rows of every earlier version. Rows
 * in memory and in files have the layout of the version with which they were written, and are
 * mapped when they are read. Immutable; safe for use by many threads.
 */
public final class TableVersions {
    private final TableSchema schema;
    private final SchemaHistory history;
    private final RowLayout layout;
    private final Map<Integer, RowMapping> mappings; // by version, created when first needed

    public TableVersions(TableSchema schema, SchemaHistory history) {
        this(schema, history, RowLayout.of(schema.columns()), new ConcurrentHashMap<>());
    }

    private TableVersions(
            TableSchema schema,
            SchemaHistory history,
            RowLayout layout,
            Map<Integer, RowMapping> mappings) {
        this.schema = requireNonNull(schema, "schema is null");
        this.history = requireNonNull(history, "history is null");
        this.layout = requireNonNull(layout, "layout is null");
        this.mappings = requireNonNull(mappings, "mappings is null");
    }

    /** A table that never changed. */
    public static TableVersions of(TableSchema schema) {
        return new TableVersions(schema, SchemaHistory.of(schema));
    }

    /** An earlier version, with the mappings to it from the versions before it. */
    public TableVersions earlier(int version) {
        return new TableVersions(
                schema.withColumns(version, history.columns(schema, version)), history);
    }

    /** The same version of the columns in a table of another name, or with other options. */
    public TableVersions renamed(TableSchema renamed) {
        if (!renamed.id().equals(schema.id()) || renamed.schemaVersion() != schemaVersion()) {
            throw new IllegalArgumentException(
                    "Expected the same columns of table " + schema.id() + ", found " + renamed);
        }
        return new TableVersions(renamed, history, layout, mappings);
    }

    /** The table. */
    public TableSchema schema() {
        return schema;
    }

    /** The layout of its rows. */
    public RowLayout layout() {
        return layout;
    }

    public int schemaVersion() {
        return schema.schemaVersion();
    }

    /**
     * The mapping of rows of a version to rows of this one.
     *
     * @throws io.stele.protocol.SteleException CORRUPT_DATA when the table never had the version,
     *     or has it only later
     */
    public RowMapping mapping(int fromVersion) {
        return mappings.computeIfAbsent(
                fromVersion,
                version ->
                        RowMapping.of(
                                version == schemaVersion()
                                        ? layout
                                        : RowLayout.of(history.columns(schema, version)),
                                layout));
    }

    /**
     * The statistics of a file in this version. A column that the file does not have has its
     * initial value in every row, or null. Bounds of a type with another encoding are omitted.
     */
    public Map<Integer, ColumnStats> statistics(FileEntry file) {
        if (file.schemaVersion() == schemaVersion()) {
            return file.columnStats();
        }
        List<ColumnSchema> before = mapping(file.schemaVersion()).from().columns();
        Map<Integer, ColumnStats> statistics = new HashMap<>();
        for (ColumnSchema column : schema.columns()) {
            Optional<ColumnSchema> written =
                    before.stream().filter(old -> old.id() == column.id()).findFirst();
            if (written.isEmpty()) {
                statistics.put(column.id(), InitialStatistics.of(column, file.rowCount()));
                continue;
            }
            ColumnStats known = file.columnStats().get(column.id());
            if (known != null) {
                boolean same = isEncodedAlike(written.get().type(), column.type());
                statistics.put(column.id(), same ? known : withoutBounds(known));
            }
        }
        return statistics;
    }

    private static ColumnStats withoutBounds(ColumnStats stats) {
        return new ColumnStats(
                Optional.empty(), Optional.empty(), stats.nullCount(), stats.hasNaN());
    }

    // A char is compared as if it had all its spaces.
    private static boolean isEncodedAlike(DataType one, DataType other) {
        return one.equals(other) || (one.form() == other.form() && one.kind() != TypeKind.CHAR);
    }
}
