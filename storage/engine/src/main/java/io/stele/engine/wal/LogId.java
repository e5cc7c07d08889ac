package io.stele.engine.wal;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.nio.ByteBuffer;
import java.util.Locale;

/**
 * The identity of a log, in the header of each of its segments. A warehouse names the log that
 * belongs to it by this number, wherever the log lies.
 */
public record LogId(int value) {
    /**
     * The id of segments that were written before logs had ids, and of logs that no warehouse
     * names.
     */
    public static final LogId NONE = new LogId(0);

    private static final int INSTEAD_OF_NONE = 1;

    /**
     * The id of a log that is begun now. Two logs have the same id only by chance, one in four
     * thousand million.
     *
     * @param epoch of the engine that begins it
     * @param warehouse the location of the warehouse, since engines of two warehouses may have one
     *     epoch
     */
    public static LogId of(long epoch, String warehouse) {
        byte[] place = warehouse.getBytes(UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES + place.length).putLong(epoch).put(place);
        int value = Checksums.crc32c(bytes.flip(), 0, bytes.limit());
        return new LogId(value == NONE.value ? INSTEAD_OF_NONE : value);
    }

    /**
     * Parses the text of {@link #toString}.
     *
     * @throws IllegalArgumentException when the text is no id
     */
    @JsonCreator
    public static LogId parse(String text) {
        if (!text.matches("[0-9a-f]{8}")) {
            throw new IllegalArgumentException(
                    "Expected a log id of 8 hexadecimal digits, found '" + text + "'");
        }
        return new LogId(Integer.parseUnsignedInt(text, 16));
    }

    @JsonValue
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%08x", value);
    }
}
