package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;

/**
 * What has a name, and an open read point.
 *
 * @param relation as it is at the read point or later, so that reads of both agree; without either
 *     if the caller has it and it is the same
 * @param readPoint empty if nothing has the name
 * @param changes what changed until the read point was opened or later, if the request said what is
 *     known
 * @param plans of the tables that the request named, except those that cannot be read with the
 *     schema version that it named; absent: none
 */
public record OpenTableReply(
        RelationReply relation,
        Optional<ReadPointReply> readPoint,
        Optional<MetadataChanges> changes,
        Optional<List<TablePlan>> plans) {
    public OpenTableReply {
        requireNonNull(changes, "changes is null");
        requireNonNull(relation, "relation is null");
        requireNonNull(readPoint, "readPoint is null");
        plans = plans.map(List::copyOf);
    }
}
