package io.stele.cache.page.segment;

import io.stele.cache.page.segment.CacheFiles.CacheFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code index} of a directory: appended to as pages come, and written anew when it has
 * grown to twice what it needs ({@link IndexJournal} has the bytes).
 *
 * <p>Not thread-safe: guarded by the directory's journal lock.
 */
final class IndexFile {
    static final String NAME = "index";
    static final String NEW_NAME = "index.new";

    private static final int BUFFER_BYTES = 64 << 10;

    /** So that a small cache does not write its index all the time. */
    private static final long SPARE_RECORDS = 1024;

    private final SegmentLayout layout;
    private final CacheFiles files;
    private @Nullable CacheFile file;
    private long position;
    private long records;

    IndexFile(SegmentLayout layout, CacheFiles files) {
        this.layout = layout;
        this.files = files;
    }

    /** Bytes of the file at present. */
    long sizeBytes() {
        return position;
    }

    /** Whether it can be appended to; if not, it must be written anew. */
    boolean isOpen() {
        return file != null;
    }

    /** Whether it is worth to be written anew, with {@code live} pages in it. */
    boolean isOvergrown(int live) {
        return records > 2L * live + SPARE_RECORDS;
    }

    /**
     * Gives all records of the file in order and makes it ready for more; returns whether there was
     * one that belongs to this layout.
     */
    boolean replay(Consumer<IndexJournal.Record> consumer) throws IOException {
        if (!files.list().contains(NAME)) {
            return false;
        }
        CacheFile found = files.open(NAME);
        try {
            long end = replay(found, consumer);
            if (end < 0) {
                found.close();
                return false;
            }
            position = end;
            file = found;
            return true;
        } catch (IOException e) {
            found.close();
            throw e;
        }
    }

    /** Returns the end of the last whole record, or -1. */
    private long replay(CacheFile found, Consumer<IndexJournal.Record> consumer)
            throws IOException {
        long size = found.sizeBytes();
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        long next = Math.min(size, buffer.remaining());
        found.read(buffer.limit((int) next), 0);
        buffer.flip();
        if (!IndexJournal.isHeader(layout.geometry(), layout.unitsPerSegment(), buffer)) {
            return -1;
        }
        while (true) {
            Optional<IndexJournal.Record> record = IndexJournal.read(buffer);
            if (record.isPresent()) {
                consumer.accept(record.orElseThrow());
                records++;
                continue;
            }
            if (next == size || buffer.remaining() > BUFFER_BYTES / 2) {
                return next - buffer.remaining();
            }
            buffer.compact();
            int count = (int) Math.min(size - next, buffer.remaining());
            found.read(buffer.limit(buffer.position() + count), next);
            buffer.flip();
            next += count;
        }
    }

    /** Appends one record; after a failure nothing more is appended until it is written anew. */
    void append(ByteBuffer record) throws IOException {
        CacheFile open = file;
        if (open == null) {
            throw new IOException("Expected an index that can be appended to, found none");
        }
        int length = record.remaining();
        try {
            open.write(record, position);
        } catch (IOException e) {
            closeFile();
            throw e;
        }
        position += length;
        records++;
    }

    /**
     * Where the records of a new file come from: fills the buffer, returns how many, 0 at the end.
     */
    @FunctionalInterface
    interface Source {
        int fill(ByteBuffer target);
    }

    /** Writes a new file with these records and takes it in the place of the old one. */
    void rewrite(Source source) throws IOException {
        CacheFile fresh = files.open(NEW_NAME);
        long end = 0;
        long count = 0;
        boolean done = false;
        try {
            ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
            IndexJournal.header(layout.geometry(), layout.unitsPerSegment(), buffer);
            int filled;
            do {
                filled = source.fill(buffer);
                count += filled;
                buffer.flip();
                int length = buffer.remaining();
                fresh.write(buffer, end);
                end += length;
                buffer.clear();
            } while (filled > 0);
            done = true;
        } finally {
            fresh.close();
            if (!done) {
                files.delete(NEW_NAME);
            }
        }
        closeFile();
        files.rename(NEW_NAME, NAME);
        file = files.open(NAME);
        position = end;
        records = count;
    }

    void close() {
        closeFile();
    }

    private void closeFile() {
        CacheFile open = file;
        file = null;
        if (open != null) {
            closeQuietly(open);
        }
    }

    /** Everything that matters was written before, and nothing here has to be durable. */
    private static void closeQuietly(CacheFile open) {
        try {
            open.close();
        } catch (IOException ignored) {
            // The file is given up.
        }
    }
}
