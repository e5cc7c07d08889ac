package io.stele.engine.catalog;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.SchemaHistory;
import io.stele.protocol.schema.TableSchema;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A catalog entry of a table, with its schema, its state, its earlier columns, and the table that
 * replaced it.
 *
 * @param schema the present schema
 * @param history the columns of earlier schema versions
 * @param successor the table that replaced this one; present only in state REPLACED
 */
public record TableEntry(
        @JsonProperty("schema") TableSchema schema,
        @JsonProperty("state") TableState state,
        @JsonProperty("history") SchemaHistory history,
        @JsonInclude(JsonInclude.Include.NON_ABSENT) @JsonProperty("successor")
                Optional<Successor> successor) {
    /**
     * The prefix of the names of storage tables of materialized views; no table of state STORAGE is
     * found by name.
     */
    public static final String STORAGE_PREFIX = "storage$";

    public TableEntry {
        requireNonNull(schema, "schema is null");
        requireNonNull(state, "state is null");
        // Absent in catalogs of format versions 1 and 2, whose tables never changed.
        history = requireNonNullElse(history, SchemaHistory.of(schema));
        successor = requireNonNullElse(successor, Optional.<Successor>empty());
        if (successor.isPresent() != (state == TableState.REPLACED)) {
            throw new IllegalArgumentException(
                    "Expected a successor of a replaced table only, found state %s and %s"
                            .formatted(state, successor));
        }
    }

    /**
     * The table that replaced another one.
     *
     * @param lsn at which the table was replaced
     */
    public record Successor(
            @JsonProperty("tableId") TableId tableId, @JsonProperty("lsn") Lsn lsn) {
        public Successor {
            requireNonNull(tableId, "tableId is null");
            requireNonNull(lsn, "lsn is null");
        }
    }

    /** A table that is not replaced. */
    public TableEntry(TableSchema schema, TableState state, SchemaHistory history) {
        this(schema, state, history, Optional.empty());
    }

    /** A table that never changed. */
    public TableEntry(TableSchema schema, TableState state) {
        this(schema, state, SchemaHistory.of(schema));
    }

    /** The entry after another table has replaced this one. */
    TableEntry replacedBy(TableId tableId, Lsn lsn) {
        List<IndexSchema> ready =
                schema.options().indexes().stream().filter(IndexSchema::ready).toList();
        return new TableEntry(
                schema.withOptions(schema.options().withIndexes(ready)),
                TableState.REPLACED,
                history,
                Optional.of(new Successor(tableId, lsn)));
    }

    /** The entry with another retention. */
    TableEntry retained(long millis) {
        return new TableEntry(
                schema.withOptions(schema.options().withRetentionMillis(OptionalLong.of(millis))),
                state,
                history,
                successor);
    }
}
