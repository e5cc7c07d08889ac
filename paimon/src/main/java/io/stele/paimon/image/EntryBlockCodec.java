package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import io.airlift.compress.v3.MalformedInputException;
import io.airlift.compress.v3.zstd.ZstdCompressor;
import io.airlift.compress.v3.zstd.ZstdDecompressor;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.serializer.InternalRowSerializer;
import org.apache.paimon.data.serializer.InternalSerializers;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataFileMetaSerializer;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.memory.MemorySegment;

/**
 * The codec between the metadata of consecutive data files and a compressed block of an image.
 *
 * <p>A block holds Paimon's own binary rows of {@link DataFileMeta}, so nothing is lost and nothing
 * is translated. Before compression they are transposed: the first bytes of all rows, then the
 * second bytes of all rows. Rows of one table have the same form, so most runs of bytes are
 * constant, or equal to an earlier run where Paimon has a key three times.
 *
 * <pre>
 * int32 * count   the sizes of the rows, little endian
 * byte * ...      for each position: the bytes at it of all rows that are long enough
 * </pre>
 *
 * <p>Confined to one thread.
 */
final class EntryBlockCodec {
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private final DataFileMetaSerializer serializer = new DataFileMetaSerializer();
    private final InternalRowSerializer rows = InternalSerializers.create(DataFileMeta.SCHEMA);

    /** The decompressed rows of a block, from which single files are decoded. */
    final class Files {
        private final byte[] bytes;
        private final int[] offsets;

        private Files(byte[] bytes, int[] offsets) {
            this.bytes = bytes;
            this.offsets = offsets;
        }

        DataFileMeta file(int index) {
            BinaryRow row = new BinaryRow(DataFileMeta.SCHEMA.getFieldCount());
            row.pointTo(
                    MemorySegment.wrap(bytes), offsets[index], offsets[index + 1] - offsets[index]);
            return serializer.fromRow(row);
        }
    }

    /** The block of some entries in their order. */
    EntryBlock encode(List<ManifestEntry> entries, KeyColumns keys) {
        byte[] raw = transpose(entries.stream().map(entry -> row(entry.file())).toList());
        ZstdCompressor compressor = ZstdCompressor.create();
        byte[] buffer = new byte[compressor.maxCompressedLength(raw.length)];
        int size = compressor.compress(raw, 0, raw.length, buffer, 0, buffer.length);
        long schemaId = entries.getFirst().file().schemaId();
        long rowCount = 0;
        for (ManifestEntry entry : entries) {
            rowCount += entry.file().rowCount();
            if (entry.file().schemaId() != schemaId) {
                schemaId = EntryBlock.SEVERAL_SCHEMAS;
            }
        }
        return new EntryBlock(
                entries.size(),
                raw.length,
                rowCount,
                schemaId,
                EntryPosition.of(entries.getFirst().file()),
                keys.range(entries),
                Arrays.copyOf(buffer, size));
    }

    Files decode(EntryBlock block) throws DamagedImageException {
        byte[] bytes = block.bytes();
        byte[] raw = new byte[block.rawSizeBytes()];
        try {
            int size =
                    ZstdDecompressor.create()
                            .decompress(bytes, 0, bytes.length, raw, 0, raw.length);
            if (size != raw.length) {
                throw new DamagedImageException(
                        "Expected a block of %s bytes, found %s".formatted(raw.length, size));
            }
        } catch (MalformedInputException | IllegalArgumentException e) {
            throw new DamagedImageException("Expected a compressed block", e);
        }
        return transposeBack(raw, block.count());
    }

    private byte[] row(DataFileMeta file) {
        // The serializer uses one buffer for all rows, and toBytes() returns the buffer itself if
        // the row fills it.
        return requireNonNull(rows.toBinaryRow(serializer.toRow(file))).copy().toBytes();
    }

    private static byte[] transpose(List<byte[]> rows) {
        int count = rows.size();
        int total = Integer.BYTES * count;
        int longest = 0;
        for (byte[] row : rows) {
            total += row.length;
            longest = Math.max(longest, row.length);
        }
        byte[] raw = new byte[total];
        for (int i = 0; i < count; i++) {
            INT.set(raw, Integer.BYTES * i, rows.get(i).length);
        }
        int out = Integer.BYTES * count;
        for (int position = 0; position < longest; position++) {
            for (int i = 0; i < count; i++) {
                byte[] row = rows.get(i);
                if (position < row.length) {
                    raw[out++] = row[position];
                }
            }
        }
        return raw;
    }

    private Files transposeBack(byte[] raw, int count) throws DamagedImageException {
        int[] offsets = new int[count + 1];
        int shortest = Integer.MAX_VALUE;
        int longest = 0;
        for (int i = 0; i < count; i++) {
            int length = (int) INT.get(raw, Integer.BYTES * i);
            shortest = Math.min(shortest, length);
            longest = Math.max(longest, length);
            offsets[i + 1] = offsets[i] + length;
        }
        int in = Integer.BYTES * count;
        if (shortest < 0 || in + offsets[count] != raw.length) {
            throw new DamagedImageException(
                    "Expected the sizes of rows of %s bytes".formatted(raw.length));
        }
        byte[] bytes = new byte[offsets[count]];
        for (int i = 0; i < count; i++) {
            int out = offsets[i];
            for (int position = 0, from = in + i; position < shortest; position++, from += count) {
                bytes[out + position] = raw[from];
            }
        }
        in += shortest * count;
        for (int position = shortest; position < longest; position++) {
            for (int i = 0; i < count; i++) {
                if (position < offsets[i + 1] - offsets[i]) {
                    bytes[offsets[i] + position] = raw[in++];
                }
            }
        }
        return new Files(bytes, offsets);
    }
}
