package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.TableId;
import java.util.Optional;

/**
 * The definition of a view or materialized view, stored in the catalog; Stele does not interpret
 * its query. Immutable; checked by its constructor.
 *
 * @param revision changes with the definition, and is never reused for a view of the name
 * @param definition the query and its settings, in the form of the client that created the view; 1
 *     to {@value #MAX_DEFINITION_LENGTH} characters
 * @param storageTable the table with the rows of a materialized view
 * @param refresh the description of the sources of a materialized view's rows, in the form of the
 *     client that refreshed it; empty: never refreshed
 */
public record ViewSchema(
        @JsonProperty("schemaName") String schemaName,
        @JsonProperty("viewName") String viewName,
        @JsonProperty("revision") long revision,
        @JsonProperty("definition") String definition,
        @JsonProperty("storageTable") Optional<TableId> storageTable,
        @JsonProperty("refresh") Optional<String> refresh) {
    /**
     * The longest definition, and the longest description of a refresh, in characters, as Trino's
     * longest query.
     */
    public static final int MAX_DEFINITION_LENGTH = 1_000_000;

    public ViewSchema {
        requireNonNull(storageTable, "storageTable is null");
        requireNonNull(refresh, "refresh is null");
        TableSchema.checkName("schema", schemaName);
        TableSchema.checkName("view", viewName);
        check(revision >= 1, "a revision >= 1", revision);
        checkLength("the definition of view '" + viewName + "'", definition);
        refresh.ifPresent(text -> checkLength("the refresh of view '" + viewName + "'", text));
        check(
                refresh.isEmpty() || storageTable.isPresent(),
                "a refresh of materialized views only",
                "one of view '" + viewName + "'");
    }

    private static void checkLength(String what, String text) {
        check(
                !text.isEmpty() && text.length() <= MAX_DEFINITION_LENGTH,
                "1 to " + MAX_DEFINITION_LENGTH + " characters of " + what,
                text.length());
    }

    /** {@code schema.view}. */
    public String qualifiedName() {
        return schemaName + "." + viewName;
    }

    @JsonIgnore
    public boolean isMaterialized() {
        return storageTable.isPresent();
    }

    /** This view with another name. */
    public ViewSchema withName(String newSchemaName, String newViewName) {
        return new ViewSchema(
                newSchemaName, newViewName, revision, definition, storageTable, refresh);
    }

    /** This view with another definition. */
    public ViewSchema withDefinition(long newRevision, String newDefinition) {
        return new ViewSchema(
                schemaName, viewName, newRevision, newDefinition, storageTable, refresh);
    }

    /** This materialized view after a refresh from other sources. */
    public ViewSchema withRefresh(String newRefresh) {
        return new ViewSchema(
                schemaName, viewName, revision, definition, storageTable, Optional.of(newRefresh));
    }
}
