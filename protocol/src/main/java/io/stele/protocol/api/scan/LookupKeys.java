package io.stele.protocol.api.scan;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.List;
import java.util.OptionalInt;

/**
 * Keys to look up whose values no predicate can list, because they come in tuples. Immutable: the
 * arrays are not copied and must not be changed.
 *
 * @param indexId the unique index that has the keys, which are of {@link
 *     io.stele.protocol.row.KeyEncoder#forColumns} then; empty: the primary key
 * @param keys at most {@value #MAX_KEYS}, each once
 */
public record LookupKeys(OptionalInt indexId, List<byte[]> keys) {
    /** A request with its keys stays below a megabyte, and its rows in memory. */
    public static final int MAX_KEYS = 1_000;

    public LookupKeys {
        keys = List.copyOf(keys);
        if (keys.size() > MAX_KEYS) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected at most " + MAX_KEYS + " keys, found " + keys.size());
        }
    }
}
