package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.ArrayList;
import java.util.List;

/**
 * The columns that a table had before: what rows of earlier schema versions are read by. Immutable.
 *
 * <p>Invariant: no id at or above {@code nextColumnId} was ever given to a column or field.
 *
 * @param nextColumnId the id of the next column or field; ids are never used twice
 * @param earlier the versions before the current one, oldest first
 */
public record SchemaHistory(
        @JsonProperty("nextColumnId") int nextColumnId,
        @JsonProperty("earlier") List<Version> earlier) {
    /** Most versions of a table: the catalog, written whole at every statement, has them all. */
    public static final int MAX_VERSIONS = 1_024;

    public SchemaHistory {
        earlier = List.copyOf(earlier);
    }

    /**
     * The columns of one version of a table.
     *
     * @param schemaVersion the version
     * @param columns in their order
     */
    public record Version(
            @JsonProperty("schemaVersion") int schemaVersion,
            @JsonProperty("columns") List<ColumnSchema> columns) {
        public Version {
            columns = List.copyOf(columns);
        }
    }

    /** Of a table that never changed. */
    public static SchemaHistory of(TableSchema schema) {
        int highest = 0;
        for (ColumnSchema column : schema.columns()) {
            highest = Math.max(highest, column.id());
            for (int fieldId : column.nestedFieldIds()) {
                highest = Math.max(highest, fieldId);
            }
        }
        return new SchemaHistory(Math.addExact(highest, 1), List.of());
    }

    /**
     * The columns that rows of a version have; CORRUPT_DATA for a version that never was.
     *
     * @param current the table as it is
     */
    public List<ColumnSchema> columns(TableSchema current, int schemaVersion) {
        if (schemaVersion == current.schemaVersion()) {
            return current.columns();
        }
        for (Version version : earlier) {
            if (version.schemaVersion() == schemaVersion) {
                return version.columns();
            }
        }
        throw new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected a schema version of table %s up to %d, found %d"
                        .formatted(
                                current.qualifiedName(), current.schemaVersion(), schemaVersion));
    }

    /**
     * With the version that ends; INVALID_ARGUMENT if the table has had too many.
     *
     * @param ended the table as it was
     * @param newNextColumnId the id of the next column or field after the change
     */
    public SchemaHistory with(TableSchema ended, int newNextColumnId) {
        check(
                earlier.size() + 1 < MAX_VERSIONS,
                "at most "
                        + MAX_VERSIONS
                        + " schema versions of table "
                        + ended.qualifiedName()
                        + " (copy it into a new table)",
                MAX_VERSIONS + 1);
        List<Version> versions = new ArrayList<>(earlier);
        versions.add(new Version(ended.schemaVersion(), ended.columns()));
        return new SchemaHistory(newNextColumnId, versions);
    }
}
