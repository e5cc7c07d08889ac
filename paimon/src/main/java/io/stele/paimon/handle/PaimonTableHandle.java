package io.stele.paimon.handle;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.predicate.NullableValue;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Type;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Trino's handle of a table as one query reads it: pinned to a snapshot and a schema, with the
 * pushed-down operations.
 *
 * @param location the full location of the table's directory
 * @param branch {@code main}, or the branch that the table's name gave
 * @param schemaId the schema with which the query sees the rows
 * @param schemaMillis when that schema was made, in epoch milliseconds, since a table that was
 *     dropped and created again at the same location has other schemas under the same ids
 * @param snapshot empty: the table has no snapshot, so no rows
 * @param tag the tag that preserves the snapshot, if the query named one
 * @param constraint conditions of which scans may use any part
 * @param enforced conditions on partition columns, which every row of a scan satisfies
 * @param limit the number of rows that are enough
 * @param columns the columns that a scan reads; empty: it may read any
 * @param aggregates the values of the scan's only row, with the columns of {@link #aggregate};
 *     empty: the scan has the table's rows
 */
public record PaimonTableHandle(
        SchemaTableName name,
        String location,
        String branch,
        long schemaId,
        long schemaMillis,
        Optional<PinnedSnapshot> snapshot,
        Optional<String> tag,
        TupleDomain<PaimonColumnHandle> constraint,
        TupleDomain<PaimonColumnHandle> enforced,
        OptionalLong limit,
        Optional<List<PaimonColumnHandle>> columns,
        Optional<List<NullableValue>> aggregates)
        implements ConnectorTableHandle {
    /** No field of Paimon has a negative id, and the row id has -1. */
    private static final int FIRST_AGGREGATE = -100;

    public PaimonTableHandle {
        requireNonNull(name, "name is null");
        requireNonNull(location, "location is null");
        requireNonNull(branch, "branch is null");
        requireNonNull(snapshot, "snapshot is null");
        requireNonNull(tag, "tag is null");
        requireNonNull(constraint, "constraint is null");
        requireNonNull(enforced, "enforced is null");
        requireNonNull(limit, "limit is null");
        columns = requireNonNull(columns, "columns is null").map(List::copyOf);
        aggregates = requireNonNull(aggregates, "aggregates is null").map(List::copyOf);
    }

    /** The whole table. */
    public PaimonTableHandle(
            SchemaTableName name,
            String location,
            String branch,
            long schemaId,
            long schemaMillis,
            Optional<PinnedSnapshot> snapshot,
            Optional<String> tag) {
        this(
                name,
                location,
                branch,
                schemaId,
                schemaMillis,
                snapshot,
                tag,
                TupleDomain.all(),
                TupleDomain.all(),
                OptionalLong.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** A copy with narrower conditions. */
    public PaimonTableHandle with(
            TupleDomain<PaimonColumnHandle> newConstraint,
            TupleDomain<PaimonColumnHandle> newEnforced) {
        return copy(newConstraint, newEnforced, limit, columns);
    }

    /** A copy with a limit. */
    public PaimonTableHandle withLimit(long newLimit) {
        return copy(constraint, enforced, OptionalLong.of(newLimit), columns);
    }

    /** A copy for a scan of these columns. */
    public PaimonTableHandle withColumns(List<PaimonColumnHandle> newColumns) {
        return copy(constraint, enforced, limit, Optional.of(newColumns));
    }

    /** A copy for a scan whose only row has these values. */
    public PaimonTableHandle withAggregates(List<NullableValue> values) {
        return new PaimonTableHandle(
                name,
                location,
                branch,
                schemaId,
                schemaMillis,
                snapshot,
                tag,
                constraint,
                enforced,
                limit,
                columns,
                Optional.of(values));
    }

    /** The column of one of the {@link #aggregates}. */
    public static PaimonColumnHandle aggregate(int index, Type type) {
        return new PaimonColumnHandle(FIRST_AGGREGATE - index, "$aggregate_" + index, type);
    }

    /** The value of a column of {@link #aggregate}. */
    public NullableValue aggregate(PaimonColumnHandle column) {
        return aggregates.orElseThrow().get(FIRST_AGGREGATE - column.id());
    }

    private PaimonTableHandle copy(
            TupleDomain<PaimonColumnHandle> newConstraint,
            TupleDomain<PaimonColumnHandle> newEnforced,
            OptionalLong newLimit,
            Optional<List<PaimonColumnHandle>> newColumns) {
        return new PaimonTableHandle(
                name,
                location,
                branch,
                schemaId,
                schemaMillis,
                snapshot,
                tag,
                newConstraint,
                newEnforced,
                newLimit,
                newColumns,
                aggregates);
    }

    /** The id of the snapshot; empty: the table has none. */
    public OptionalLong snapshotId() {
        return snapshot.stream().mapToLong(PinnedSnapshot::id).findAny();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(name.toString());
        if (!branch.equals("main")) {
            text.append(" branch ").append(branch);
        }
        snapshot.ifPresent(found -> text.append(" snapshot ").append(found.id()));
        tag.ifPresent(called -> text.append(" tag ").append(called));
        if (!constraint.isAll()) {
            text.append(" constraint on ")
                    .append(
                            constraint
                                    .getDomains()
                                    .map(domains -> domains.keySet().toString())
                                    .orElse("nothing"));
        }
        limit.ifPresent(rows -> text.append(" limit ").append(rows));
        aggregates.ifPresent(values -> text.append(" aggregates from metadata"));
        return text.toString();
    }
}
