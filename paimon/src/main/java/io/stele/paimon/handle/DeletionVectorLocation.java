package io.stele.paimon.handle;

import static java.util.Objects.requireNonNull;

/**
 * The place of the deletion vector of one data file in an index file of deletion vectors.
 *
 * @param path the full location of the index file
 * @param offset of the vector's length field in the index file, as Paimon's {@code DeletionFile}
 * @param length of the vector in bytes, as Paimon's {@code DeletionFile}
 * @param cardinality the number of deleted rows; negative: unknown
 */
public record DeletionVectorLocation(String path, long offset, long length, long cardinality) {
    public DeletionVectorLocation {
        requireNonNull(path, "path is null");
    }
}
