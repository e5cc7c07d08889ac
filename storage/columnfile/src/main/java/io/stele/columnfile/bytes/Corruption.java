package io.stele.columnfile.bytes;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;

/**
 * A factory of CORRUPT_DATA errors for damaged stored bytes, which name the file, the offset, the
 * expected and the found value.
 */
public final class Corruption {
    private Corruption() {}

    public static SteleException checksum(String path, long offset, int expected, int found) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected checksum %08x, found %08x in %s at offset %d"
                        .formatted(expected, found, path, offset));
    }

    public static SteleException mismatch(
            String path, long offset, String what, Object expected, Object found) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected %s %s, found %s in %s at offset %d"
                        .formatted(what, expected, found, path, offset));
    }
}
