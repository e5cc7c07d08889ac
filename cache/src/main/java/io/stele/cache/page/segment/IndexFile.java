package io.stele.cache.page.segment;

import io.stele.cache.page.segment.CacheFiles.CacheFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The journal file of a cache directory's page index: each added page is appended, a start replays
 * it, and it is rewritten at twice its needed size. {@link IndexJournal} defines its bytes.
 *
 * <p>Not thread-safe: guarded by the directory's journal lock.
 */
final class IndexFile implements AutoCloseable {
    static final String NAME = "index";
    static final String NEW_NAME = "index.new";

    private static final int BUFFER_BYTES = 64 << 10;

    /** Spare records, so that a small cache does not rewrite its index all the time. */
    private static final long SPARE_RECORDS = 1024;

    private final SegmentStoreOptions options;
    private final CacheFiles files;
    private @Nullable CacheFile file;
    private long position;
    private long records;

    IndexFile(SegmentStoreOptions options, CacheFiles files) {
        this.options = options;
        this.files = files;
    }

    /** The present size of the file in bytes. */
    long sizeBytes() {
        return position;
    }

    /** Whether records can be appended; if not, the file must be rewritten. */
    boolean isOpen() {
        return file != null;
    }

    /** Whether the file should be rewritten if it has {@code live} present pages. */
    boolean isOvergrown(int live) {
        return records > 2L * live + SPARE_RECORDS;
    }

    /**
     * Passes the records of the file to the consumers and prepares it for appends: records of
     * tables in order, then records of pages, the newest first. So the consumer receives the newest
     * record of a page first, and can ignore older records without storing them.
     *
     * @return whether there was a file of this layout
     */
    boolean replay(Consumer<IndexJournal.Record> tables, Consumer<PutRecord> pages)
            throws IOException {
        CacheFile found = files.open(NAME);
        boolean replayed = false;
        try {
            List<Long> parts = parts(found, tables);
            if (parts.isEmpty()) {
                return false;
            }
            for (int i = parts.size() - 2; i >= 0; i--) {
                replay(found, parts.get(i), parts.get(i + 1), pages);
            }
            position = parts.getLast();
            file = found;
            replayed = true;
            return true;
        } finally {
            if (!replayed) {
                found.close();
            }
        }
    }

    /** Whether the file exists, in this layout or another. */
    boolean exists() throws IOException {
        return files.list().contains(NAME);
    }

    /**
     * The starts of parts that consist of whole records and fit into a buffer, and the end of the
     * last whole record; empty if the file does not have this layout.
     */
    private List<Long> parts(CacheFile found, Consumer<IndexJournal.Record> tables)
            throws IOException {
        long size = found.sizeBytes();
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        found.read(buffer.limit((int) Math.min(size, IndexJournal.HEADER_BYTES)), 0);
        if (!IndexJournal.isHeader(options.geometry(), options.unitsPerSegment(), buffer.flip())) {
            return List.of();
        }
        List<Long> parts = new ArrayList<>();
        long next = IndexJournal.HEADER_BYTES;
        parts.add(next);
        while (true) {
            buffer.clear().limit((int) Math.min(size - next, BUFFER_BYTES));
            found.read(buffer, next);
            buffer.flip();
            for (Optional<IndexJournal.Record> record = IndexJournal.read(buffer);
                    record.isPresent();
                    record = IndexJournal.read(buffer)) {
                records++;
                if (record.get().type() == IndexJournal.TABLE) {
                    tables.accept(record.get());
                }
            }
            if (buffer.position() == 0) {
                return parts; // the end, or a torn record
            }
            next += buffer.position();
            parts.add(next);
        }
    }

    private static void replay(CacheFile found, long start, long end, Consumer<PutRecord> pages)
            throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate((int) (end - start));
        found.read(buffer, start);
        buffer.flip();
        List<IndexJournal.Record> records = new ArrayList<>();
        for (Optional<IndexJournal.Record> record = IndexJournal.read(buffer);
                record.isPresent();
                record = IndexJournal.read(buffer)) {
            if (record.get().type() == IndexJournal.PAGE) {
                records.add(record.get());
            }
        }
        for (IndexJournal.Record record : records.reversed()) {
            pages.accept(record.page());
        }
    }

    /** Appends one record; after a failure, nothing is appended until the file is rewritten. */
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

    /** The source of a new file's records: fills the buffer, returns their number, 0 at the end. */
    @FunctionalInterface
    interface Source {
        int fill(ByteBuffer target);
    }

    /** Writes a new file with these records, and replaces the old file by it. */
    void rewrite(Source source) throws IOException {
        CacheFile fresh = files.open(NEW_NAME);
        long end = 0;
        long count = 0;
        boolean done = false;
        try {
            ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
            IndexJournal.header(options.geometry(), options.unitsPerSegment(), buffer);
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

    @Override
    public void close() {
        closeFile();
    }

    private void closeFile() {
        CacheFile open = file;
        file = null;
        if (open != null) {
            closeQuietly(open);
        }
    }

    /**
     * Closes a file and ignores a failure: all records were written before, and none has to be
     * durable.
     */
    private static void closeQuietly(CacheFile open) {
        try {
            open.close();
        } catch (IOException ignored) {
            // The file is not used any more.
        }
    }
}
