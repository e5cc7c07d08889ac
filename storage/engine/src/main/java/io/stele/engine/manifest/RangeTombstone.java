package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.Lsn;
import io.stele.protocol.predicate.ScanPredicate;

/**
 * A deletion of all rows of some partitions of a table at one LSN, without a tombstone for each
 * row. Row versions with a lower LSN are not visible at or above it. Immutable.
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
