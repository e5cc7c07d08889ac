package io.stele.protocol.api.scan;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.List;
import java.util.OptionalInt;

/**
 * The composite keys of a lookup, in a scan ticket. A predicate cannot list them, because it limits
 * each column separately. Immutable: the arrays are not copied and must not be changed.
 *
 * @param indexId the unique index of the keys, which then have the form of {@link
 *     io.stele.protocol.row.KeyEncoder#forColumns}; empty for the primary key
 * @param keys at most {@value #MAX_KEYS} distinct keys
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
