package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.Lsn;
import io.stele.protocol.predicate.ScanPredicate;

/**
 * The deletion of some partitions of a table: of every row in them, the versions below an LSN are
 * not visible from there on. Immutable.
 *
 * @param partitions domains of partition columns; {@link ScanPredicate#ALL}: every row
 */
public record RangeTombstone(
        @JsonProperty("lsn") Lsn lsn, @JsonProperty("partitions") ScanPredicate partitions) {
    public RangeTombstone {
        requireNonNull(lsn, "lsn is null");
        requireNonNull(partitions, "partitions is null");
    }
}
