package io.stele.paimon.procedure;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * The procedures {@code create_tag} and {@code delete_tag}, which change a table's tags through
 * Paimon's library on the coordinator. Thread-safe.
 */
public final class TagProcedures {
    private final ProcedureCalls calls;

    TagProcedures(ProcedureCalls calls) {
        this.calls = requireNonNull(calls, "calls is null");
    }

    /** Creates a tag of a snapshot; without a snapshot id, of the latest snapshot. */
    public void create(
            String schema, String table, @Nullable String tag, @Nullable Long snapshotId) {
        calls.run(
                "create_tag",
                schema,
                table,
                (name, found) -> {
                    String newTag = ProcedureCalls.name("tag", tag);
                    if (newTag.chars().allMatch(Character::isDigit)) {
                        throw ProcedureCalls.bad(
                                "Expected a name of a tag that is not a number, as snapshots have,"
                                        + " found '%s'",
                                newTag);
                    }
                    if (found.tagManager().tagExists(newTag)) {
                        throw ProcedureCalls.bad(
                                "Expected a tag that %s does not have, found '%s'", name, newTag);
                    }
                    if (snapshotId == null) {
                        found.createTag(newTag);
                    } else {
                        SnapshotProcedures.checkExists(name, found, snapshotId);
                        found.createTag(newTag, snapshotId);
                    }
                });
    }

    /** Deletes a tag. */
    public void delete(String schema, String table, @Nullable String tag) {
        calls.run(
                "delete_tag",
                schema,
                table,
                (name, found) -> {
                    String oldTag = ProcedureCalls.name("tag", tag);
                    SnapshotProcedures.checkTag(name, found, oldTag);
                    found.deleteTag(oldTag);
                });
    }
}
