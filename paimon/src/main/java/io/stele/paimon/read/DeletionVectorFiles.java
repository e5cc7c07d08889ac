package io.stele.paimon.read;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_BAD_DATA;
import static java.util.Objects.requireNonNull;

import io.stele.cache.SingleFlightCache;
import io.stele.paimon.handle.DeletionVectorLocation;
import io.stele.paimon.store.LakeFiles;
import io.trino.spi.TrinoException;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import org.apache.paimon.deletionvectors.Bitmap64DeletionVector;
import org.apache.paimon.deletionvectors.BitmapDeletionVector;
import org.apache.paimon.deletionvectors.DeletionVector;

/**
 * A reader of deletion vectors for scans on workers, with a cache of the index files that contain
 * them. The index file with the vectors of a bucket's files is read in one request and cached.
 * Thread-safe.
 *
 * <p>A vector in an index file consists of the length of its magic and bitmap (4 bytes,
 * big-endian), the magic (4 bytes, big-endian for 32-bit bitmaps and little-endian for 64-bit
 * ones), the bitmap, and the CRC-32 of magic and bitmap (4 bytes, big-endian). In Paimon's
 * metadata, the length of a 32-bit vector is that of magic and bitmap, and the length of a 64-bit
 * vector is that of all parts.
 */
final class DeletionVectorFiles {
    /** The bound of the cache; an index file has about 2 MiB. */
    static final long MAX_BYTES = 64L << 20;

    private static final int LENGTH_BYTES = 4;
    private static final int CHECKSUM_BYTES = 4;

    private final SingleFlightCache<String, byte[]> files;

    DeletionVectorFiles(long maxBytes) {
        files =
                new SingleFlightCache<>(
                        "paimon-deletion-vectors", maxBytes, bytes -> bytes.length + 64L);
    }

    /**
     * The vector at a location.
     *
     * @throws TrinoException if the bytes at the location are no intact vector
     */
    DeletionVector read(LakeFiles lake, DeletionVectorLocation location) throws IOException {
        byte[] file =
                files.<IOException>get(location.path(), () -> lake.readFully(location.path()));
        return decode(file, location);
    }

    /** The vector in the bytes of its index file. */
    static DeletionVector decode(byte[] file, DeletionVectorLocation location) throws IOException {
        requireNonNull(file, "file is null");
        long offset = location.offset();
        if (offset < 0 || offset + 2 * LENGTH_BYTES + CHECKSUM_BYTES > file.length) {
            throw damaged(location, "a vector", "a file of " + file.length + " bytes");
        }
        ByteBuffer bytes = ByteBuffer.wrap(file).position((int) offset);
        int length = bytes.getInt();
        int magic = bytes.getInt();
        long wantedLength = length(location, magic);
        if (length != wantedLength) {
            throw damaged(location, "length " + wantedLength, "" + length);
        }
        int body = (int) offset + LENGTH_BYTES;
        if (length < LENGTH_BYTES || body + (long) length + CHECKSUM_BYTES > file.length) {
            throw damaged(
                    location, length + " bytes", (file.length - body) + " bytes to the file's end");
        }
        CRC32 checksum = new CRC32();
        checksum.update(file, body, length);
        int written = bytes.getInt(body + length);
        if ((int) checksum.getValue() != written) {
            throw damaged(
                    location,
                    "checksum %08x".formatted(written),
                    "%08x".formatted((int) checksum.getValue()));
        }
        DeletionVector vector =
                DeletionVector.read(
                        new DataInputStream(
                                new ByteArrayInputStream(
                                        file,
                                        (int) offset,
                                        LENGTH_BYTES + length + CHECKSUM_BYTES)),
                        location.length());
        if (location.cardinality() >= 0 && vector.getCardinality() != location.cardinality()) {
            throw damaged(
                    location,
                    location.cardinality() + " deleted rows",
                    "" + vector.getCardinality());
        }
        return vector;
    }

    /** The length of magic and bitmap that the metadata gives. */
    private static long length(DeletionVectorLocation location, int magic) {
        if (magic == BitmapDeletionVector.MAGIC_NUMBER) {
            return location.length();
        }
        int littleEndian =
                ByteBuffer.allocate(4).putInt(0, magic).order(ByteOrder.LITTLE_ENDIAN).getInt(0);
        if (littleEndian == Bitmap64DeletionVector.MAGIC_NUMBER) {
            return location.length() - LENGTH_BYTES - CHECKSUM_BYTES;
        }
        throw damaged(
                location,
                "magic %08x or %08x"
                        .formatted(
                                BitmapDeletionVector.MAGIC_NUMBER,
                                Integer.reverseBytes(Bitmap64DeletionVector.MAGIC_NUMBER)),
                "%08x".formatted(magic));
    }

    private static TrinoException damaged(
            DeletionVectorLocation location, String expected, String found) {
        return new TrinoException(
                PAIMON_BAD_DATA,
                "Expected %s of a deletion vector, found %s in %s at offset %s"
                        .formatted(expected, found, location.path(), location.offset()));
    }
}
