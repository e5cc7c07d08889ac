package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The earlier schema versions of a table, by which rows and files of these versions, and past
 * snapshots, are read. Immutable.
 *
 * <p>Invariant: no id at or above {@code nextColumnId} was ever given to a column or field.
 *
 * @param nextColumnId the id of the next column or field; ids are never used twice
 * @param earlier the versions before the current one, oldest first
 * @param createdLsn the LSN at which the table was created or truncated, or the rows of its CREATE
 *     TABLE AS were committed; empty in older catalogs
 */
public record SchemaHistory(
        @JsonProperty("nextColumnId") int nextColumnId,
        @JsonProperty("earlier") List<Version> earlier,
        @JsonInclude(JsonInclude.Include.NON_ABSENT) @JsonProperty("createdLsn")
                Optional<Lsn> createdLsn) {
    /**
     * The most versions of a table: the catalog, which is written as a whole at every statement,
     * contains all of them.
     */
    public static final int MAX_VERSIONS = 1_024;

    public SchemaHistory {
        earlier = List.copyOf(earlier);
        createdLsn = requireNonNullElse(createdLsn, Optional.<Lsn>empty()); // of older peers
    }

    /**
     * The columns of one version of a table.
     *
     * @param schemaVersion the version
     * @param columns in their order
     * @param endedLsn the LSN of the next version; empty in older catalogs
     */
    public record Version(
            @JsonProperty("schemaVersion") int schemaVersion,
            @JsonProperty("columns") List<ColumnSchema> columns,
            @JsonInclude(JsonInclude.Include.NON_ABSENT) @JsonProperty("endedLsn")
                    Optional<Lsn> endedLsn) {
        public Version {
            columns = List.copyOf(columns);
            endedLsn = requireNonNullElse(endedLsn, Optional.<Lsn>empty());
        }

        private boolean hadEndedBy(Lsn lsn) {
            return endedLsn.isEmpty() || endedLsn.get().compareTo(lsn) <= 0;
        }
    }

    /**
     * A table as of an LSN.
     *
     * @param schema names and order of that time, with the present types, which have every earlier
     *     value
     * @param goneColumns ids of columns of that time that were dropped since, whose values are not
     *     readable any more
     */
    public record AsOf(TableSchema schema, List<Integer> goneColumns) {
        public AsOf {
            goneColumns = List.copyOf(goneColumns);
        }
    }

    /** The history of a table that never changed. */
    public static SchemaHistory of(TableSchema schema) {
        int highest = 0;
        for (ColumnSchema column : schema.columns()) {
            highest = Math.max(highest, column.id());
            for (int fieldId : column.nestedFieldIds()) {
                highest = Math.max(highest, fieldId);
            }
        }
        return new SchemaHistory(Math.addExact(highest, 1), List.of(), Optional.empty());
    }

    /**
     * The columns of rows of a version; throws CORRUPT_DATA for a version that never existed.
     *
     * @param current the present table
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

    /** The latest LSN at which the table was certainly changed; empty in older catalogs. */
    public Optional<Lsn> lastChangeLsn() {
        Optional<Lsn> last = createdLsn;
        for (Version version : earlier) {
            Optional<Lsn> ended = version.endedLsn();
            if (ended.isPresent() && (last.isEmpty() || last.get().compareTo(ended.get()) < 0)) {
                last = ended;
            }
        }
        return last;
    }

    /** The history of a new table. */
    public SchemaHistory created(Lsn now) {
        return new SchemaHistory(nextColumnId, earlier, Optional.of(now));
    }

    /**
     * The table as of an LSN.
     *
     * @param current the present table
     * @throws SteleException INVALID_ARGUMENT if the table did not exist then
     */
    public AsOf asOf(TableSchema current, Lsn lsn) {
        if (createdLsn.isPresent() && lsn.compareTo(createdLsn.get()) < 0) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected an LSN at or after %s, when table %s was created, truncated or replaced, found %s"
                            .formatted(
                                    createdLsn.get().withTime(),
                                    current.qualifiedName(),
                                    lsn.withTime()));
        }
        for (Version version : earlier) {
            if (!version.hadEndedBy(lsn)) {
                return asOf(current, version);
            }
        }
        return new AsOf(current, List.of());
    }

    private static AsOf asOf(TableSchema current, Version version) {
        List<ColumnSchema> columns = new ArrayList<>();
        List<Integer> gone = new ArrayList<>();
        for (ColumnSchema then : version.columns()) {
            Optional<ColumnSchema> now =
                    current.columns().stream().filter(one -> one.id() == then.id()).findFirst();
            columns.add(now.map(one -> one.withName(then.name())).orElse(then));
            if (now.isEmpty()) {
                gone.add(then.id());
            }
        }
        // Options may name columns that were added later; the actual read uses the present version
        TableSchema schema =
                current.withOptions(TableOptions.NONE)
                        .withColumns(current.schemaVersion(), columns);
        return new AsOf(schema, gone);
    }

    /**
     * Adds the version that ends; throws INVALID_ARGUMENT if the table has had too many.
     *
     * @param ended the table before the change
     * @param newNextColumnId the id for the next column or field after the change
     * @param now the LSN at which the version ends
     */
    public SchemaHistory with(TableSchema ended, int newNextColumnId, Lsn now) {
        check(
                earlier.size() + 1 < MAX_VERSIONS,
                "at most "
                        + MAX_VERSIONS
                        + " schema versions of table "
                        + ended.qualifiedName()
                        + " (copy it into a new table)",
                MAX_VERSIONS + 1);
        return withVersion(ended, newNextColumnId, now);
    }

    /**
     * Ends a version without changing its columns, because the following version numbers may have
     * been used already. It counts towards the limit, but is never refused because of it.
     */
    public SchemaHistory passedOver(TableSchema ended, Lsn now) {
        return withVersion(ended, nextColumnId, now);
    }

    private SchemaHistory withVersion(TableSchema ended, int newNextColumnId, Lsn now) {
        List<Version> versions = new ArrayList<>(earlier);
        versions.add(new Version(ended.schemaVersion(), ended.columns(), Optional.of(now)));
        return new SchemaHistory(newNextColumnId, versions, createdLsn);
    }
}
