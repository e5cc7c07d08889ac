package io.stele.storage.shard;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.row.BinaryRow;
import java.util.Optional;

/**
 * What one operation makes of one key, once it is known what was there.
 *
 * @param key the encoded primary key
 * @param oldRow the row before; empty: none, or the check said it does not need it
 * @param newRow the row afterwards; empty: it is deleted
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Change(byte[] key, Optional<BinaryRow> oldRow, Optional<BinaryRow> newRow) {
    public Change {
        requireNonNull(key, "key is null");
        requireNonNull(oldRow, "oldRow is null");
        requireNonNull(newRow, "newRow is null");
    }
}
