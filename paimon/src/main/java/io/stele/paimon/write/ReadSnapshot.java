package io.stele.paimon.write;

import static java.util.Objects.requireNonNull;

import java.util.OptionalLong;

/**
 * The snapshot that a statement has read, on which what it writes depends.
 *
 * @param id 0: the table had none
 * @param millis when it was committed, which tells it from another one of the same id after a
 *     rollback; empty: there was none
 * @param isOfRows whether rows were read, and not only the index of buckets
 */
public record ReadSnapshot(long id, OptionalLong millis, boolean isOfRows) {
    public ReadSnapshot {
        requireNonNull(millis, "millis is null");
    }
}
