package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.utils.SerializationUtils;
import org.jspecify.annotations.Nullable;

/**
 * The format of a persisted image: a local file that is written once and opened by its index, with
 * blocks read when they are needed. All numbers are big endian.
 *
 * <pre>
 * header   int64 magic | int32 version | int32 CRC32C of the text of Paimon's file schema
 * blocks   byte * ...            one after the other, compressed
 * index    table                 utf location | utf branch
 *          snapshot              int64 id | utf base list | utf delta list | utf user
 *                                | int64 commit identifier | int64 time
 *          slices                int32 arity | int32 count | count * slice
 *          blocks                int32 count | count * block
 * footer   int64 offset of the index | int32 size of the index | int32 CRC32C of the index
 *          | int32 CRC32C of the 16 bytes before
 *
 * slice    int32 size of the partition, -1: that of the slice before | its bytes
 *          | int32 bucket | int32 total buckets | int32 files | int64 rows | int64 bytes
 * block    int32 files | int32 size before compression | int32 size | int32 CRC32C | int64 rows
 *          | int64 schema | int32 level | row min key | int64 sequence number | utf file name
 *          | bool has keys | row min | row max
 * row      int32 size | bytes with the arity, as Paimon's manifests have them
 * utf      as DataOutputStream has it
 * </pre>
 */
final class ImageFile {
    static final long MAGIC = 0x5354_4c50_494d_4731L; // "STLPIMG1"

    /** Images of version 1 may have one file's metadata in place of another's. */
    static final int VERSION = 2;

    private static final int HEADER_BYTES = 16;
    private static final int FOOTER_BYTES = 20;
    // An index has about 300 bytes a block and 40 a slice: 1 GiB is far beyond any table.
    private static final int MAX_INDEX_BYTES = 1 << 30;

    private ImageFile() {}

    /** Writes an image to a new file. */
    static void write(Path path, TableImage image) throws IOException {
        ByteArrayOutputStream index = new ByteArrayOutputStream();
        DataOutputStream data = new DataOutputStream(index);
        writeIdentity(data, image);
        writeSlices(data, image.slices());
        data.writeInt(image.blocks().size());
        try (OutputStream out =
                Files.newOutputStream(
                        path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            out.write(header());
            long offset = HEADER_BYTES;
            for (EntryBlock block : image.blocks()) {
                byte[] bytes = block.bytes();
                writeBlock(data, block, bytes);
                out.write(bytes);
                offset += bytes.length;
            }
            byte[] indexBytes = index.toByteArray();
            out.write(indexBytes);
            out.write(footer(offset, indexBytes));
        }
    }

    /** Opens an image. Reads its header, index and footer. */
    static TableImage open(Path path) throws IOException {
        MemorySegment file;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            if (channel.size() < HEADER_BYTES + FOOTER_BYTES) {
                throw new DamagedImageException(
                        "Expected a header and a footer, found %s bytes in %s"
                                .formatted(channel.size(), path));
            }
            // Unmapped with the last image that has blocks of the file; the file may be deleted
            // before.
            file = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), Arena.ofAuto());
        }
        byte[] header = bytes(file, 0, HEADER_BYTES);
        if (!java.util.Arrays.equals(header, header())) {
            throw new DamagedImageException("Expected the header of an image in " + path);
        }
        byte[] index = index(path, file);
        try {
            return new Reader(path, file, index).read();
        } catch (EOFException | RuntimeException e) {
            throw new DamagedImageException("Expected the index of an image in " + path, e);
        }
    }

    private static byte[] index(Path path, MemorySegment file) throws DamagedImageException {
        byte[] bytes = bytes(file, file.byteSize() - FOOTER_BYTES, FOOTER_BYTES);
        ByteBuffer footer = ByteBuffer.wrap(bytes);
        long offset = footer.getLong();
        int size = footer.getInt();
        int indexChecksum = footer.getInt();
        check(path, file.byteSize() - FOOTER_BYTES, crc(bytes, FOOTER_BYTES - 4), footer.getInt());
        if (size < 0
                || size > MAX_INDEX_BYTES
                || offset < HEADER_BYTES
                || offset + size + FOOTER_BYTES != file.byteSize()) {
            throw new DamagedImageException(
                    "Expected an index before the footer, found %s bytes at %s of %s in %s"
                            .formatted(size, offset, file.byteSize(), path));
        }
        byte[] index = bytes(file, offset, size);
        check(path, offset, crc(index, size), indexChecksum);
        return index;
    }

    private static void writeIdentity(DataOutputStream out, TableImage image) throws IOException {
        SnapshotIdentity snapshot = image.snapshot();
        out.writeUTF(image.table().location());
        out.writeUTF(image.table().branch());
        out.writeLong(snapshot.id());
        out.writeUTF(snapshot.baseManifestList());
        out.writeUTF(snapshot.deltaManifestList());
        out.writeUTF(snapshot.commitUser());
        out.writeLong(snapshot.commitIdentifier());
        out.writeLong(snapshot.timeMillis());
    }

    private static void writeSlices(DataOutputStream out, SliceDirectory slices)
            throws IOException {
        out.writeInt(slices.arity());
        out.writeInt(slices.sliceCount());
        for (int partition = 0; partition < slices.partitionCount(); partition++) {
            byte[] row = SliceKey.bytes(slices.partition(partition));
            for (int s = slices.firstSlice(partition); s < slices.endSlice(partition); s++) {
                if (s == slices.firstSlice(partition)) {
                    out.writeInt(row.length);
                    out.write(row);
                } else {
                    out.writeInt(-1);
                }
                SliceSums sums = slices.sums(s);
                out.writeInt(slices.bucket(s));
                out.writeInt(slices.totalBuckets(s));
                out.writeInt(sums.fileCount());
                out.writeLong(sums.rowCount());
                out.writeLong(sums.sizeBytes());
            }
        }
    }

    private static void writeBlock(DataOutputStream out, EntryBlock block, byte[] bytes)
            throws IOException {
        out.writeInt(block.count());
        out.writeInt(block.rawSizeBytes());
        out.writeInt(bytes.length);
        out.writeInt(crc(bytes, bytes.length));
        out.writeLong(block.rowCount());
        out.writeLong(block.schemaId());
        out.writeInt(block.first().level());
        writeRow(out, block.first().minKey());
        out.writeLong(block.first().minSequenceNumber());
        out.writeUTF(block.first().fileName());
        EntryBlock.KeyRange keys = block.keys();
        out.writeBoolean(keys != null);
        if (keys != null) {
            writeRow(out, keys.min());
            writeRow(out, keys.max());
        }
    }

    private static void writeRow(DataOutputStream out, BinaryRow row) throws IOException {
        byte[] bytes = SerializationUtils.serializeBinaryRow(row);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static byte[] header() {
        byte[] schema =
                DataFileMeta.SCHEMA.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
        return ByteBuffer.allocate(HEADER_BYTES)
                .putLong(MAGIC)
                .putInt(VERSION)
                .putInt(crc(schema, schema.length))
                .array();
    }

    private static byte[] footer(long offset, byte[] index) {
        ByteBuffer footer =
                ByteBuffer.allocate(FOOTER_BYTES)
                        .putLong(offset)
                        .putInt(index.length)
                        .putInt(crc(index, index.length));
        return footer.putInt(crc(footer.array(), FOOTER_BYTES - 4)).array();
    }

    private static int crc(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    private static void check(Path path, long offset, int computed, int stored)
            throws DamagedImageException {
        if (computed != stored) {
            throw new DamagedImageException(
                    "Expected checksum %08x, found %08x in %s at offset %s"
                            .formatted(stored, computed, path, offset));
        }
    }

    private static byte[] bytes(MemorySegment file, long offset, int size)
            throws DamagedImageException {
        try {
            return file.asSlice(offset, size).toArray(ValueLayout.JAVA_BYTE);
        } catch (InternalError | IndexOutOfBoundsException e) {
            // An InternalError is a page that cannot be read.
            throw new DamagedImageException("Expected %s bytes at %s".formatted(size, offset), e);
        }
    }

    /** A reader of an index whose checksum was verified. */
    private static final class Reader {
        private final Path path;
        private final MemorySegment file;
        private final DataInputStream in;

        Reader(Path path, MemorySegment file, byte[] index) {
            this.path = requireNonNull(path, "path is null");
            this.file = file;
            this.in = new DataInputStream(new ByteArrayInputStream(index));
        }

        TableImage read() throws IOException {
            TableId table = new TableId(in.readUTF(), in.readUTF());
            SnapshotIdentity snapshot =
                    new SnapshotIdentity(
                            in.readLong(),
                            in.readUTF(),
                            in.readUTF(),
                            in.readUTF(),
                            in.readLong(),
                            in.readLong());
            SliceDirectory slices = slices();
            int count = in.readInt();
            List<EntryBlock> blocks = new ArrayList<>();
            long offset = HEADER_BYTES;
            for (int i = 0; i < count; i++) {
                EntryBlock block = block(offset);
                blocks.add(block);
                offset += block.sizeBytes();
            }
            return new TableImage(table, snapshot, slices, blocks, null);
        }

        private SliceDirectory slices() throws IOException {
            SliceDirectory.Builder slices = new SliceDirectory.Builder(in.readInt());
            int count = in.readInt();
            byte[] partition = new byte[0];
            for (int i = 0; i < count; i++) {
                int size = in.readInt();
                if (size >= 0) {
                    partition = in.readNBytes(size);
                }
                slices.add(
                        new SliceKey(partition, in.readInt(), in.readInt()),
                        new SliceSums(in.readInt(), in.readLong(), in.readLong()));
            }
            return slices.build();
        }

        private EntryBlock block(long offset) throws IOException {
            int count = in.readInt();
            int rawSize = in.readInt();
            int size = in.readInt();
            int checksum = in.readInt();
            long rowCount = in.readLong();
            long schemaId = in.readLong();
            EntryPosition first =
                    new EntryPosition(in.readInt(), row(), in.readLong(), in.readUTF());
            EntryBlock.@Nullable KeyRange keys =
                    in.readBoolean() ? new EntryBlock.KeyRange(row(), row()) : null;
            return new EntryBlock(
                    count,
                    rawSize,
                    size,
                    rowCount,
                    schemaId,
                    first,
                    keys,
                    () -> block(offset, size, checksum));
        }

        private byte[] block(long offset, int size, int checksum) throws DamagedImageException {
            byte[] bytes = bytes(file, offset, size);
            check(path, offset, crc(bytes, size), checksum);
            return bytes;
        }

        private BinaryRow row() throws IOException {
            return SerializationUtils.deserializeBinaryRow(in.readNBytes(in.readInt()));
        }
    }
}
