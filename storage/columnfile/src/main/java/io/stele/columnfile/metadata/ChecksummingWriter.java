package io.stele.columnfile.metadata;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import io.stele.protocol.api.write.WrittenFile;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * An object writer of a column file that computes its {@link FileChecksums} on the way to the
 * store. The caller stores them; with {@link #create}, this stores them beside the file just before
 * the file becomes visible. The checksums cover the bytes from the ORC library, so reads also
 * detect damage on the way to the store. Confined to one thread.
 */
public final class ChecksummingWriter extends ObjectWriter {
    private final ObjectStore store;
    private final String path;
    private final ObjectWriter file;
    private final boolean beside;
    private final CRC32C crc = new CRC32C();
    private int[] sums = new int[64];
    private int blocks;
    private int inBlock;

    private ChecksummingWriter(ObjectStore store, String path, ObjectWriter file, boolean beside) {
        this.store = store;
        this.path = path;
        this.file = file;
        this.beside = beside;
    }

    /** Starts a file whose checksums are stored beside it. */
    public static ChecksummingWriter create(ObjectStore store, String path) throws IOException {
        requireNonNull(store, "store is null");
        requireNonNull(path, "path is null");
        return new ChecksummingWriter(store, path, store.create(path), true);
    }

    /** Starts a file whose {@link #checksums} the caller stores. */
    public static ChecksummingWriter createAlone(ObjectStore store, String path)
            throws IOException {
        requireNonNull(store, "store is null");
        requireNonNull(path, "path is null");
        return new ChecksummingWriter(store, path, store.create(path), false);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int position = offset;
        int end = offset + length;
        while (position < end) {
            int count = Math.min(end - position, FileChecksums.BLOCK_BYTES - inBlock);
            crc.update(bytes, position, count);
            position += count;
            inBlock += count;
            if (inBlock == FileChecksums.BLOCK_BYTES) {
                endBlock();
            }
        }
        file.write(bytes, offset, length);
    }

    private void endBlock() {
        if (blocks == sums.length) {
            sums = Arrays.copyOf(sums, 2 * blocks);
        }
        sums[blocks++] = (int) crc.getValue();
        crc.reset();
        inBlock = 0;
    }

    @Override
    public long position() {
        return file.position();
    }

    @Override
    public void commit() throws IOException {
        if (inBlock > 0) {
            endBlock();
        }
        if (beside) {
            store.put(WrittenFile.checksumsPath(path), checksums());
        }
        file.commit();
    }

    /** The encoded {@link FileChecksums} of a committed file. */
    public byte[] checksums() {
        return FileChecksums.encode(file.position(), Arrays.copyOf(sums, blocks));
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
