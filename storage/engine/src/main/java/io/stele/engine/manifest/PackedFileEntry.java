package io.stele.engine.manifest;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stele.columnfile.bytes.ByteSink;
import io.stele.protocol.predicate.ColumnStats;
import java.util.Arrays;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * A reader of the byte array that has the keys, names, rare numbers and column statistics of a
 * {@link FileEntry}. Entries of all files are in memory, and objects would need three times as
 * much. It is created for one look-up, and confined to its thread.
 *
 * <p>Manifest bases have the same bytes and flags ({@link FileEntryCodec}), so a change here is a
 * new {@link FileEntryCodec#FORMAT}.
 *
 * <pre>
 * KEYS:             min key | max key         each: varint length | bytes
 * PARTITION:        partition                 varint length | bytes
 * of each number with its flag, by flag:      varint
 * UUID_AS_ID:       file id, 16 bytes         else: varint length | UTF-8
 * ID_IN_PATH:       the path before the file id | after it      else: the path; each: varint length | UTF-8
 * KEY_INDEX_APART:  path of the key index     varint length | UTF-8; else it is beside the file, if there is any
 * column statistics                           {@link PackedColumnStats}
 * </pre>
 */
final class PackedFileEntry {
    // Numbers, as the bits of their flags
    static final int INGEST_LSN = 0;
    static final int FIRST_ROW_ID = 1;
    static final int INDEX_ID = 2;
    static final int BITMAP_INDEX_BYTES = 3;
    static final int CHECKSUM_BLOCK_BYTES = 4;
    static final int ENDS_LSN = 5;
    static final int KEY_INDEX_BYTES = 6;
    static final int KEY_INDEX_METADATA_BYTES = 7;

    private static final int NUMBERS = 8;
    private static final int KEYS = 1 << NUMBERS;
    private static final int PARTITION = 1 << 9;
    private static final int UUID_AS_ID = 1 << 10;
    private static final int ID_IN_PATH = 1 << 11;
    private static final int KEY_INDEX_APART = 1 << 12;

    /** Of the entry itself: its commit refuses keys that have a row. */
    static final int INSERTS = 1 << 13;

    /** All flags. */
    static final int FLAGS = (INSERTS << 1) - 1;

    /** Of a stored entry alone ({@link FileEntryCodec}), where it has a deletion vector. */
    static final int DELETION_VECTOR = INSERTS << 1;

    private static final int UUID_BYTES = 2 * Long.BYTES;
    private static final int UUID_LENGTH = 36; // as text

    private final int flags;
    private final byte[] packed;
    private final PackedBytes in;

    PackedFileEntry(int flags, byte[] packed) {
        this.flags = flags;
        this.packed = packed;
        this.in = new PackedBytes(packed, 0);
    }

    /**
     * Checks stored bytes, so that every look-up finds what its caller may rely on.
     *
     * @throws IllegalArgumentException if they are not those of an entry
     * @throws IndexOutOfBoundsException if they end within a value
     */
    static void check(FileKind kind, int flags, byte[] packed) {
        PackedFileEntry entry = new PackedFileEntry(flags, packed);
        if (entry.has(KEYS)) {
            entry.checkKeys();
        }
        entry.skipPartition();
        entry.checkNumbers(kind);
        if (entry.has(UUID_AS_ID)) {
            entry.skipFileId();
        } else {
            int length = entry.in.readLength();
            check(length > 0, "a file id of a length > 0", length);
            entry.in.skip(length);
        }
        entry.skipPath();
        if (entry.has(KEY_INDEX_APART)) {
            entry.in.skipSizedBytes();
        }
        PackedColumnStats.check(packed, entry.in.position());
    }

    private void checkKeys() {
        int minLength = in.readLength();
        int min = in.position();
        in.skip(minLength);
        int maxLength = in.readLength();
        int max = in.position();
        in.skip(maxLength);
        check(
                Arrays.compareUnsigned(packed, min, min + minLength, packed, max, max + maxLength)
                        <= 0,
                "minKey <= maxKey, each before byte",
                in.position());
    }

    private void checkNumbers(FileKind kind) {
        long keyIndexBytes = 0;
        for (int bit = 0; bit < NUMBERS; bit++) {
            if (!has(1 << bit)) {
                continue;
            }
            long number = in.readNumber();
            switch (bit) {
                case INGEST_LSN -> check(number >= 0, "an ingest LSN >= 0", number);
                case INDEX_ID ->
                        check(
                                kind == FileKind.ROW && number > 0 && number <= Integer.MAX_VALUE,
                                "an index id > 0 on an SST file only",
                                number);
                case CHECKSUM_BLOCK_BYTES ->
                        check(number >>> Integer.SIZE == 0, "a block size of 32 bits", number);
                case KEY_INDEX_BYTES -> {
                    check(number > 0, "a key index size > 0", number);
                    keyIndexBytes = number;
                }
                case KEY_INDEX_METADATA_BYTES ->
                        check(
                                number > 0
                                        && number <= Math.min(keyIndexBytes, Integer.MAX_VALUE)
                                        && !has(KEY_INDEX_APART),
                                "metadata within a key index beside the file",
                                number);
                default -> {}
            }
        }
        check(
                keyIndexBytes > 0 || !has(KEY_INDEX_APART),
                "the size of a key index that has a path",
                keyIndexBytes);
    }

    /**
     * @param expected not put together for the call, since there are many calls for each entry
     */
    static void check(boolean condition, String expected, long found) {
        if (!condition) {
            throw new IllegalArgumentException("Expected " + expected + ", found " + found);
        }
    }

    /** Whether {@code key} is between the smallest and the largest key; true without keys. */
    boolean mayContain(byte[] key) {
        return !has(KEYS) || (in.compareSizedBytes(key) <= 0 && in.compareSizedBytes(key) >= 0);
    }

    /** Whether the file, which has keys, may have one from {@code least} to {@code greatest}. */
    boolean overlaps(byte[] least, byte[] greatest) {
        if (!has(KEYS)) {
            throw new NoSuchElementException("Expected a file with keys, found one without");
        }
        return in.compareSizedBytes(greatest) <= 0 && in.compareSizedBytes(least) >= 0;
    }

    Optional<byte[]> minKey() {
        return has(KEYS) ? Optional.of(in.readSizedBytes()) : Optional.empty();
    }

    Optional<byte[]> maxKey() {
        if (!has(KEYS)) {
            return Optional.empty();
        }
        in.skipSizedBytes();
        return Optional.of(in.readSizedBytes());
    }

    Optional<byte[]> partition() {
        skipKeys();
        return has(PARTITION) ? Optional.of(in.readSizedBytes()) : Optional.empty();
    }

    OptionalLong number(int bit) {
        if (!has(1 << bit)) {
            return OptionalLong.empty();
        }
        skipKeys();
        skipPartition();
        skipNumbersBelow(bit);
        return OptionalLong.of(in.readNumber());
    }

    OptionalInt integer(int bit) {
        OptionalLong number = number(bit);
        return number.isPresent() ? OptionalInt.of((int) number.getAsLong()) : OptionalInt.empty();
    }

    String fileId() {
        skipToNames();
        return readFileId();
    }

    String path() {
        skipToNames();
        if (!has(ID_IN_PATH)) {
            skipFileId();
            return in.readText();
        }
        String fileId = readFileId();
        return in.readText() + fileId + in.readText();
    }

    /** The path of the key index, if it is not that of a key index beside the file. */
    Optional<String> keyIndexPath() {
        if (!has(KEY_INDEX_APART)) {
            return Optional.empty();
        }
        skipToNames();
        skipFileId();
        skipPath();
        return Optional.of(in.readText());
    }

    Map<Integer, ColumnStats> columnStats() {
        skipToNames();
        skipFileId();
        skipPath();
        if (has(KEY_INDEX_APART)) {
            in.skipSizedBytes();
        }
        return PackedColumnStats.at(packed, in.position());
    }

    private boolean has(int flag) {
        return (flags & flag) != 0;
    }

    private void skipToNames() {
        skipKeys();
        skipPartition();
        skipNumbersBelow(NUMBERS);
    }

    private void skipKeys() {
        if (has(KEYS)) {
            in.skipSizedBytes();
            in.skipSizedBytes();
        }
    }

    private void skipPartition() {
        if (has(PARTITION)) {
            in.skipSizedBytes();
        }
    }

    private void skipNumbersBelow(int bit) {
        for (int i = Integer.bitCount(flags & ((1 << bit) - 1)); i > 0; i--) {
            in.readNumber();
        }
    }

    private String readFileId() {
        if (!has(UUID_AS_ID)) {
            return in.readText();
        }
        UUID id = new UUID(in.readLong(), in.readLong());
        return id.toString();
    }

    private void skipFileId() {
        if (has(UUID_AS_ID)) {
            in.skip(UUID_BYTES);
        } else {
            in.skipSizedBytes();
        }
    }

    private void skipPath() {
        in.skipSizedBytes();
        if (has(ID_IN_PATH)) {
            in.skipSizedBytes();
        }
    }

    /** The encoder of one byte array; its methods are called in the order of the array. */
    static final class Writer {
        private final ByteSink sink = new ByteSink(256);
        private int flags;

        Writer keys(Optional<byte[]> min, Optional<byte[]> max) {
            if (min.isPresent()) {
                flags |= KEYS;
                sink.writeSizedBytes(min.get());
                sink.writeSizedBytes(max.orElseThrow());
            }
            return this;
        }

        Writer partition(Optional<byte[]> partition) {
            if (partition.isPresent()) {
                flags |= PARTITION;
                sink.writeSizedBytes(partition.get());
            }
            return this;
        }

        /** Adds a number; those with a lower bit were added before. */
        Writer number(int bit, OptionalLong number) {
            if (number.isPresent()) {
                flags |= 1 << bit;
                sink.writeVarint(number.getAsLong());
            }
            return this;
        }

        Writer integer(int bit, OptionalInt number) {
            return number.isPresent()
                    ? number(bit, OptionalLong.of(Integer.toUnsignedLong(number.getAsInt())))
                    : this;
        }

        /**
         * @param keyIndexPath empty: there is no key index, or it is beside the file
         */
        Writer names(String fileId, String path, Optional<String> keyIndexPath) {
            Optional<UUID> uuid = uuid(fileId);
            if (uuid.isPresent()) {
                flags |= UUID_AS_ID;
                writeLong(uuid.get().getMostSignificantBits());
                writeLong(uuid.get().getLeastSignificantBits());
            } else {
                writeText(fileId);
            }
            int at = path.indexOf(fileId);
            if (at >= 0) {
                flags |= ID_IN_PATH;
                writeText(path.substring(0, at));
                writeText(path.substring(at + fileId.length()));
            } else {
                writeText(path);
            }
            if (keyIndexPath.isPresent()) {
                flags |= KEY_INDEX_APART;
                writeText(keyIndexPath.get());
            }
            return this;
        }

        /** The UUID whose text an id is. */
        private static Optional<UUID> uuid(String id) {
            if (id.length() != UUID_LENGTH) {
                return Optional.empty();
            }
            try {
                return Optional.of(UUID.fromString(id)).filter(it -> it.toString().equals(id));
            } catch (IllegalArgumentException other) {
                return Optional.empty();
            }
        }

        Writer columnStats(Map<Integer, ColumnStats> columnStats) {
            PackedColumnStats.write(sink, columnStats);
            return this;
        }

        private void writeText(String text) {
            sink.writeSizedBytes(text.getBytes(UTF_8));
        }

        private void writeLong(long value) {
            for (int shift = Long.SIZE - 8; shift >= 0; shift -= 8) {
                sink.writeByte((int) (value >>> shift));
            }
        }

        int flags() {
            return flags;
        }

        byte[] toByteArray() {
            return sink.toByteArray();
        }
    }
}
