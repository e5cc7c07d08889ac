package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * What has a name, and an open read point.
 *
 * @param relation as it is at the read point or later, so that reads of both agree
 * @param readPoint empty if nothing has the name
 */
public record OpenTableReply(RelationReply relation, Optional<ReadPointReply> readPoint) {
    public OpenTableReply {
        requireNonNull(relation, "relation is null");
        requireNonNull(readPoint, "readPoint is null");
    }
}
