package io.stele.storage.catalog;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.schema.TableSchema;

/** A table in the catalog. */
public record TableEntry(
        @JsonProperty("schema") TableSchema schema, @JsonProperty("state") TableState state) {
    public TableEntry {
        requireNonNull(schema, "schema is null");
        requireNonNull(state, "state is null");
    }
}
