package io.stele.engine.catalog;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.schema.ViewSchema;
import java.util.List;
import java.util.OptionalLong;

/**
 * The stored form of a {@link Catalog}: the JSON body of one catalog version, each list in its
 * natural order.
 *
 * @param epoch absent before version 7
 * @param givenUp absent where no version was given up, and before version 8
 * @param statements the last statements with an id, oldest first; absent if there are none
 */
record CatalogSnapshot(
        @JsonProperty("schemas") List<String> schemas,
        @JsonProperty("tableGroups") List<TableGroup> tableGroups,
        @JsonProperty("tables") List<TableEntry> tables,
        @JsonProperty("views") List<ViewSchema> views,
        @JsonProperty("nextTableId") long nextTableId,
        @JsonProperty("nextTableGroupId") int nextTableGroupId,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("epoch") OptionalLong epoch,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("givenUp")
                List<GivenUpIds> givenUp,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("statements")
                List<CompletedStatement> statements) {
    CatalogSnapshot {
        schemas = List.copyOf(schemas);
        tableGroups = List.copyOf(tableGroups);
        tables = List.copyOf(tables);
        views = List.copyOf(requireNonNullElse(views, List.of())); // absent before version 4
        givenUp = List.copyOf(requireNonNullElse(givenUp, List.of()));
        statements = List.copyOf(requireNonNullElse(statements, List.of()));
    }

    /**
     * The format version that a release must support to read this snapshot: a release that ignores
     * {@code givenUp} would consider lost tables as dropped, and delete their files.
     */
    int formatVersion() {
        return givenUp.isEmpty() ? 7 : 8;
    }
}
