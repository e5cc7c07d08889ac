package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.Lsn;

/**
 * A manifest's reference to the stored deletion vector of a column file, with a summary of its
 * contents.
 *
 * @param cardinality the number of rows that it marks as deleted
 * @param maxLsn LSN of its newest deletion; later deletions are replayed from the log
 */
public record DeletionVectorFile(
        @JsonProperty("path") String path,
        @JsonProperty("sizeBytes") long sizeBytes,
        @JsonProperty("cardinality") int cardinality,
        @JsonProperty("maxLsn") Lsn maxLsn) {
    public DeletionVectorFile {
        requireNonNull(path, "path is null");
        requireNonNull(maxLsn, "maxLsn is null");
        if (sizeBytes <= 0 || cardinality < 0) {
            throw new IllegalArgumentException(
                    "Expected a size > 0 and a cardinality >= 0, found "
                            + sizeBytes
                            + " and "
                            + cardinality
                            + " for "
                            + path);
        }
    }
}
