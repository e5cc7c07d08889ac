package io.stele.engine.shard.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;

/**
 * The payload of a REFUSED record: a batch that was refused because of the present rows, and
 * changed nothing. It is logged so that the same batch, sent again, gets the same answer although
 * it might succeed by then.
 *
 * <pre>
 * writer id 16 | sequence 8 | code: length 4, UTF-8 | message: length 4, UTF-8
 * </pre>
 *
 * <p>Numbers are big-endian.
 */
public record RefusalRecord(UUID writerId, long sequence, ErrorCode code, String message) {
    private static final int MAX_MESSAGE_CHARACTERS = 1000; // keys can be 64 KiB

    public RefusalRecord {
        requireNonNull(writerId, "writerId is null");
        requireNonNull(code, "code is null");
        requireNonNull(message, "message is null");
    }

    public static RefusalRecord of(UUID writerId, long sequence, SteleException cause) {
        String message = String.valueOf(cause.getMessage());
        return new RefusalRecord(
                writerId,
                sequence,
                cause.code(),
                message.length() <= MAX_MESSAGE_CHARACTERS
                        ? message
                        : message.substring(0, MAX_MESSAGE_CHARACTERS) + "...");
    }

    public SteleException toException() {
        return new SteleException(code, message);
    }

    public List<ByteBuffer> encode() {
        byte[] codeBytes = code.name().getBytes(UTF_8);
        byte[] messageBytes = message.getBytes(UTF_8);
        ByteBuffer out = ByteBuffer.allocate(24 + 8 + codeBytes.length + messageBytes.length);
        out.putLong(writerId.getMostSignificantBits());
        out.putLong(writerId.getLeastSignificantBits());
        out.putLong(sequence);
        out.putInt(codeBytes.length).put(codeBytes);
        out.putInt(messageBytes.length).put(messageBytes);
        return List.of(out.flip());
    }

    /** Reads a payload; throws CORRUPT_DATA when these bytes are no REFUSED record. */
    public static RefusalRecord decode(ByteBuffer payload) {
        RecordInput in = new RecordInput("REFUSED", payload);
        UUID writerId = new UUID(in.number("a writer id"), in.number("a writer id"));
        long sequence = in.number("a sequence");
        String code = in.text("an error code");
        String message = in.text("a message");
        in.end();
        return new RefusalRecord(writerId, sequence, ErrorCode.of(code), message);
    }
}
