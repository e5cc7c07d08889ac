package io.stele.sidecar.postgresql.wire;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * A received message of PostgreSQL's protocol, whose fields are decoded in order from memory.
 * Numbers are big-endian; texts are UTF-8 and end with a zero byte. Confined to one thread. A read
 * beyond the end throws PROTOCOL_VIOLATION.
 *
 * @see <a href="https://www.postgresql.org/docs/15/protocol-message-formats.html">PostgreSQL 15,
 *     Message Formats</a>
 */
public final class Message {
    /** The type of the messages, without a type byte, that a client sends before its login. */
    public static final char STARTUP = 0;

    /** The character that a lenient decoder puts in the place of bytes that are not UTF-8. */
    private static final char REPLACEMENT = '\uFFFD';

    private final char type;
    private final ByteBuffer bytes;

    Message(char type, byte[] payload) {
        this.type = type;
        this.bytes = ByteBuffer.wrap(payload);
    }

    public char type() {
        return type;
    }

    public int remaining() {
        return bytes.remaining();
    }

    public int getByte() {
        require(1);
        return bytes.get() & 0xFF;
    }

    public int getShort() {
        require(2);
        return bytes.getShort() & 0xFFFF;
    }

    public int getInt() {
        require(4);
        return bytes.getInt();
    }

    /** The next {@code length} bytes. */
    public byte[] getBytes(int length) {
        require(length);
        byte[] read = new byte[length];
        bytes.get(read);
        return read;
    }

    /** A text up to its zero byte. */
    public String getText() {
        int start = bytes.position();
        int end = start;
        while (true) {
            if (end == bytes.limit()) {
                throw malformed("a text that ends with a zero byte", "the end");
            }
            if (bytes.get(end) == 0) {
                break;
            }
            end++;
        }
        String text = decode(bytes.slice(start, end - start));
        bytes.position(end + 1);
        return text;
    }

    /**
     * A count of items of at least {@code minBytes} bytes each, checked against the remaining
     * bytes.
     */
    public int getCount(int minBytes) {
        int count = getShort();
        if ((long) count * minBytes > bytes.remaining()) {
            throw malformed("a count that the message can hold", Integer.toString(count));
        }
        return count;
    }

    /** Checks that all bytes were read. */
    public void end() {
        if (bytes.hasRemaining()) {
            throw malformed("the end", bytes.remaining() + " more bytes");
        }
    }

    /** Decodes bytes, which must be UTF-8, to their end. */
    public static String decode(ByteBuffer utf8) {
        if (utf8.hasArray()) {
            int from = utf8.arrayOffset() + utf8.position();
            String text = new String(utf8.array(), from, utf8.remaining(), StandardCharsets.UTF_8);
            if (text.indexOf(REPLACEMENT) < 0) { // else some bytes may not be UTF-8
                utf8.position(utf8.limit());
                return text;
            }
        }
        return decodeStrictly(utf8);
    }

    private static String decodeStrictly(ByteBuffer utf8) {
        try {
            CharBuffer text =
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .onMalformedInput(CodingErrorAction.REPORT)
                            .onUnmappableCharacter(CodingErrorAction.REPORT)
                            .decode(utf8);
            return text.toString();
        } catch (CharacterCodingException e) {
            throw new PostgresException(
                    SqlState.PROTOCOL_VIOLATION, "Expected text in UTF-8, found other bytes");
        }
    }

    private void require(int length) {
        if (length < 0 || length > bytes.remaining()) {
            throw malformed(length + " more bytes", Integer.toString(bytes.remaining()));
        }
    }

    private PostgresException malformed(String expected, String found) {
        return new PostgresException(
                SqlState.PROTOCOL_VIOLATION,
                "Expected %s in a message of type '%s' at byte %s, found %s"
                        .formatted(
                                expected,
                                type == STARTUP ? "startup" : String.valueOf(type),
                                bytes.position(),
                                found));
    }
}
