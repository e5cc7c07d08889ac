package io.stele.protocol.api.snapshot;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.api.catalog.MetadataChanges;
import io.stele.protocol.api.catalog.RelationReply;
import io.stele.protocol.api.scan.TablePlan;
import java.util.List;
import java.util.Optional;

/**
 * The reply to {@link OpenTableRequest}: a relation and an open snapshot.
 *
 * @param relation as of the snapshot or later, so that metadata and rows match; without table and
 *     view if the caller has it unchanged
 * @param snapshot empty if no relation has the name
 * @param changes the changes until the snapshot was opened or later, if the request gave the
 *     version that the caller has
 * @param plans of the tables in the request, except tables that cannot be read with the request's
 *     schema version; absent: none
 */
public record OpenTableReply(
        RelationReply relation,
        Optional<SnapshotReply> snapshot,
        Optional<MetadataChanges> changes,
        Optional<List<TablePlan>> plans) {
    public OpenTableReply {
        requireNonNull(changes, "changes is null");
        requireNonNull(relation, "relation is null");
        requireNonNull(snapshot, "snapshot is null");
        plans = plans.map(List::copyOf);
    }
}
