package io.stele.engine.manifest;

import static io.stele.engine.manifest.PackedFileEntry.DELETION_VECTOR;
import static io.stele.engine.manifest.PackedFileEntry.check;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.stele.columnfile.bytes.ByteSink;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.util.Arrays;
import java.util.Optional;

/**
 * The binary codec of a {@link FileEntry} without its sketches, as manifest bases store it. The
 * last part is the array that the entry has in memory, since a start decodes the entries of all
 * files: it is checked and copied, and not taken apart.
 *
 * <pre>
 * kind 1 (0: SST file, 1: column file) | flags | table id | level | schema version
 * | size | row count | min LSN | max LSN - min LSN
 * | flag 1 << 14: deletion vector: varint length, path in UTF-8 | size | cardinality | max LSN
 * | the rest, to the end, with its flags: {@link PackedFileEntry}
 * </pre>
 *
 * Numbers are varints. A field that is added needs another {@link #FORMAT}: nothing can be skipped.
 */
public final class FileEntryCodec {
    /** The number of this layout, in the manifest's reference to a base ({@link ManifestBase}). */
    public static final int FORMAT = 1;

    private FileEntryCodec() {}

    /** Appends an entry. */
    public static void encode(FileEntry entry, ByteSink sink) {
        Optional<DeletionVectorFile> deletions = entry.deletionVector();
        sink.writeByte(number(entry.kind()));
        sink.writeVarint(entry.packedFlags() | (deletions.isPresent() ? DELETION_VECTOR : 0));
        sink.writeVarint(entry.tableId().value());
        sink.writeVarint(entry.level());
        sink.writeVarint(Integer.toUnsignedLong(entry.schemaVersion()));
        sink.writeVarint(entry.sizeBytes());
        sink.writeVarint(entry.rowCount());
        sink.writeVarint(entry.minLsn().value());
        sink.writeVarint(entry.maxLsn().value() - entry.minLsn().value());
        if (deletions.isPresent()) {
            sink.writeSizedBytes(deletions.get().path().getBytes(UTF_8));
            sink.writeVarint(deletions.get().sizeBytes());
            sink.writeVarint(deletions.get().cardinality());
            sink.writeVarint(deletions.get().maxLsn().value());
        }
        byte[] packed = entry.packed();
        sink.writeBytes(packed, 0, packed.length);
    }

    /**
     * Decodes the entry in a part of an array.
     *
     * @param path of the object that has the entry, for messages
     * @param row of the entry there
     * @throws SteleException CORRUPT_DATA unless it is an entry
     */
    public static FileEntry decode(byte[] bytes, int offset, int length, String path, long row) {
        try {
            return decode(new PackedBytes(bytes, offset), bytes, offset + length);
        } catch (IllegalArgumentException | IndexOutOfBoundsException broken) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected the entry of a file, found in row %d of %s: %s"
                            .formatted(row, path, broken.getMessage()),
                    broken);
        }
    }

    private static FileEntry decode(PackedBytes in, byte[] bytes, int end) {
        int kindByte = in.readByte();
        check(kindByte == 0 || kindByte == 1, "kind 0 or 1", kindByte);
        FileKind kind = kindByte == 0 ? FileKind.ROW : FileKind.COLUMN;
        long flags = in.readNumber();
        check((flags & ~(PackedFileEntry.FLAGS | DELETION_VECTOR)) == 0, "known flags", flags);
        long tableId = in.readNumber();
        check(tableId > 0, "a table id > 0", tableId);
        int level = readInt(in, "a level in [0, 2^31)");
        long schemaVersion = in.readNumber();
        check(schemaVersion >>> Integer.SIZE == 0, "a schema version of 32 bits", schemaVersion);
        long sizeBytes = in.readNumber();
        check(sizeBytes > 0, "a size > 0", sizeBytes);
        long rowCount = in.readNumber();
        check(rowCount > 0, "a row count > 0", rowCount);
        long minLsn = in.readNumber();
        long maxLsn = minLsn + in.readNumber();
        check(minLsn >= 0 && minLsn <= maxLsn, "LSNs from 0 on, the least first", minLsn);
        Optional<DeletionVectorFile> deletions =
                (flags & DELETION_VECTOR) == 0
                        ? Optional.empty()
                        : Optional.of(
                                new DeletionVectorFile(
                                        in.readText(),
                                        in.readNumber(),
                                        readInt(in, "a cardinality in [0, 2^31)"),
                                        new Lsn(in.readNumber())));
        check(in.position() <= end, "an entry to its end", end);
        byte[] packed = Arrays.copyOfRange(bytes, in.position(), end);
        int packedFlags = (int) flags & PackedFileEntry.FLAGS;
        PackedFileEntry.check(kind, packedFlags, packed);
        return new FileEntry(
                tableId,
                kind,
                level,
                (int) schemaVersion,
                sizeBytes,
                rowCount,
                minLsn,
                maxLsn,
                packedFlags,
                packed,
                deletions);
    }

    private static int number(FileKind kind) {
        return switch (kind) {
            case ROW -> 0;
            case COLUMN -> 1;
        };
    }

    private static int readInt(PackedBytes in, String expected) {
        long number = in.readNumber();
        check(number >= 0 && number <= Integer.MAX_VALUE, expected, number);
        return (int) number;
    }
}
