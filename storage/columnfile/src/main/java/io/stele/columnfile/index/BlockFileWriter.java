package io.stele.columnfile.index;

import static java.util.Objects.requireNonNull;

import io.airlift.compress.v3.Compressor;
import io.airlift.compress.v3.lz4.Lz4JavaCompressor;
import io.airlift.compress.v3.zstd.ZstdJavaCompressor;
import io.stele.columnfile.bytes.ByteSink;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A writer of block files, the common container of SST files, key indexes and deletion vectors:
 * header, blocks, footer block, tail. No byte between them is without a checksum.
 *
 * <pre>
 * header 16: magic 8 | version 4 | CRC32C 4 of the 12 bytes before
 * blocks     (see BlockFrame), the last of them the footer
 * tail 28:   footer offset 8 | footer length 4 | version 4 | CRC32C 4 of the 16 bytes before | magic 8
 * </pre>
 *
 * The file is visible to readers only after {@link #finish}; {@link #close} without it publishes
 * nothing. Confined to one thread.
 */
public final class BlockFileWriter implements AutoCloseable {
    static final int HEADER_LENGTH = 16;
    static final int TAIL_LENGTH = 28;

    /** 1 MiB: few calls to the store, and small beside the blocks' own memory. */
    private static final int FLUSH_BYTES = 1 << 20;

    private final FileFormat format;
    private final ObjectWriter output;
    private final ByteSink pending = new ByteSink(FLUSH_BYTES + (FLUSH_BYTES >> 2));

    /** Reused, because each has a table of 16 KiB or more. */
    private final Map<Compression, Compressor> compressors = new EnumMap<>(Compression.class);

    private long position;

    private BlockFileWriter(FileFormat format, ObjectWriter output) {
        this.format = format;
        this.output = output;
        byte[] header = header(format);
        pending.writeBytes(header, 0, header.length);
        position = header.length;
    }

    public static BlockFileWriter create(ObjectStore store, String path, FileFormat format)
            throws IOException {
        requireNonNull(format, "format is null");
        return new BlockFileWriter(format, store.create(path));
    }

    static byte[] header(FileFormat format) {
        ByteSink sink = new ByteSink(HEADER_LENGTH);
        sink.writeBytes(format.magic(), 0, 8);
        sink.writeInt(format.version());
        sink.writeInt(crc(sink.array(), 0, 12));
        return sink.toByteArray();
    }

    /** Bytes written so far, buffered ones included. */
    long position() {
        return position;
    }

    public BlockHandle writeBlock(byte[] raw, int length, Compression compression)
            throws IOException {
        long offset = position;
        int framed =
                BlockFrame.encode(
                        compressor(compression), offset, raw, length, compression, pending);
        position += framed;
        if (pending.size() >= FLUSH_BYTES) {
            flush();
        }
        return new BlockHandle(offset, framed);
    }

    /**
     * Writes the footer and the tail and makes the file durable and visible; returns its size in
     * bytes.
     */
    public long finish(byte[] footer) throws IOException {
        BlockHandle handle = writeBlock(footer, footer.length, Compression.NONE);
        ByteSink tail = new ByteSink(TAIL_LENGTH);
        tail.writeLong(handle.offset());
        tail.writeInt(handle.length());
        tail.writeInt(format.version());
        tail.writeInt(crc(tail.array(), 0, 16));
        tail.writeBytes(format.magic(), 0, 8);
        pending.writeBytes(tail.array(), 0, tail.size());
        position += tail.size();
        flush();
        output.commit();
        return position;
    }

    @Override
    public void close() throws IOException {
        output.close();
    }

    static int crc(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    private @Nullable Compressor compressor(Compression compression) {
        return switch (compression) {
            case NONE -> null;
            case LZ4, PACKED ->
                    compressors.computeIfAbsent(Compression.LZ4, _ -> new Lz4JavaCompressor());
            case ZSTD -> compressors.computeIfAbsent(compression, _ -> new ZstdJavaCompressor());
        };
    }

    private void flush() throws IOException {
        output.write(pending.array(), 0, pending.size());
        pending.clear();
    }
}
