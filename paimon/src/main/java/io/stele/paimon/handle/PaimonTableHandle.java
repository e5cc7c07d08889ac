package io.stele.paimon.handle;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.predicate.TupleDomain;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A table as one query reads it: pinned to a snapshot and a schema, with the pushed-down
 * operations.
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
        OptionalLong limit)
        implements ConnectorTableHandle {
    public PaimonTableHandle {
        requireNonNull(name, "name is null");
        requireNonNull(location, "location is null");
        requireNonNull(branch, "branch is null");
        requireNonNull(snapshot, "snapshot is null");
        requireNonNull(tag, "tag is null");
        requireNonNull(constraint, "constraint is null");
        requireNonNull(enforced, "enforced is null");
        requireNonNull(limit, "limit is null");
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
                OptionalLong.empty());
    }

    /** A copy with narrower conditions. */
    public PaimonTableHandle with(
            TupleDomain<PaimonColumnHandle> newConstraint,
            TupleDomain<PaimonColumnHandle> newEnforced) {
        return copy(newConstraint, newEnforced, limit);
    }

    /** A copy with a limit. */
    public PaimonTableHandle withLimit(long newLimit) {
        return copy(constraint, enforced, OptionalLong.of(newLimit));
    }

    private PaimonTableHandle copy(
            TupleDomain<PaimonColumnHandle> newConstraint,
            TupleDomain<PaimonColumnHandle> newEnforced,
            OptionalLong newLimit) {
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
                newLimit);
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
        return text.toString();
    }
}
