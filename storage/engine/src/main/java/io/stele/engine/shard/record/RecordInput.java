package io.stele.engine.shard.record;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.ByteBuffer;

/**
 * A cursor over the payload of a log record. Numbers are big-endian; a value that does not fit is
 * CORRUPT_DATA with what was expected, what was found and at which byte. Confined to one thread.
 */
final class RecordInput {
    private final String record;
    private final ByteBuffer in;

    RecordInput(String record, ByteBuffer payload) {
        this.record = record;
        this.in = payload.slice();
    }

    byte octet(String what) {
        need(what, Byte.BYTES);
        return in.get();
    }

    long number(String what) {
        need(what, Long.BYTES);
        return in.getLong();
    }

    int integer(String what) {
        need(what, Integer.BYTES);
        return in.getInt();
    }

    boolean hasMore() {
        return in.hasRemaining();
    }

    /** A count of things of at least {@code leastBytes} each; CORRUPT_DATA when they cannot fit. */
    int count(String things, int leastBytes) {
        need("a count of " + things, Integer.BYTES);
        int count = in.getInt();
        int most = in.remaining() / leastBytes;
        check(count >= 0 && count <= most, "0 to " + most + " " + things, count);
        return count;
    }

    /** The bytes behind a length, uncopied. */
    ByteBuffer piece(String what) {
        need("the length of " + what, Integer.BYTES);
        int length = in.getInt();
        check(
                length >= 0 && length <= in.remaining(),
                what + " of 0 to " + in.remaining() + " bytes",
                length);
        ByteBuffer piece = in.slice(in.position(), length);
        in.position(in.position() + length);
        return piece;
    }

    String text(String what) {
        return UTF_8.decode(piece(what)).toString();
    }

    /** Throws CORRUPT_DATA when bytes follow. */
    void end() {
        check(!in.hasRemaining(), "the end", in.remaining() + " more bytes");
    }

    void check(boolean condition, String expected, Object found) {
        if (!condition) {
            throw corrupt(expected, found);
        }
    }

    SteleException corrupt(String expected, Object found) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Damaged "
                        + record
                        + " record: expected "
                        + expected
                        + ", found "
                        + found
                        + ", before byte "
                        + in.position()
                        + " of "
                        + in.limit());
    }

    /** The failure for a part of the record, ending here, that its own reader refused. */
    SteleException corrupt(Exception refusal) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Damaged "
                        + record
                        + " record before byte "
                        + in.position()
                        + " of "
                        + in.limit()
                        + ": "
                        + refusal.getMessage(),
                refusal);
    }

    private void need(String what, int bytes) {
        check(in.remaining() >= bytes, what + " of " + bytes + " bytes", in.remaining());
    }
}
