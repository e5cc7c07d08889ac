package io.stele.storage.catalog;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.schema.SchemaHistory;
import io.stele.protocol.schema.TableSchema;

/**
 * A table in the catalog.
 *
 * @param schema the table as it is
 * @param history the columns it had before
 */
public record TableEntry(
        @JsonProperty("schema") TableSchema schema,
        @JsonProperty("state") TableState state,
        @JsonProperty("history") SchemaHistory history) {
    /** Names of tables with the rows of materialized views begin so; nothing finds them by name. */
    public static final String STORAGE_PREFIX = "storage$";

    public TableEntry {
        requireNonNull(schema, "schema is null");
        requireNonNull(state, "state is null");
        // Absent in catalogs of format versions 1 and 2, whose tables never changed.
        history = requireNonNullElse(history, SchemaHistory.of(schema));
    }

    /** A table that never changed. */
    public TableEntry(TableSchema schema, TableState state) {
        this(schema, state, SchemaHistory.of(schema));
    }
}
