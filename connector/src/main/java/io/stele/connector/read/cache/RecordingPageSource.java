package io.stele.connector.read.cache;

import static java.util.Objects.requireNonNull;

import io.stele.connector.read.page.CachedResultMetrics;
import io.stele.connector.read.page.EnforcingPageSource;
import io.stele.connector.read.page.ForwardingPageSource;
import io.stele.protocol.api.status.CachedResultUse;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import io.trino.spi.type.Type;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A page source that passes on the filtered rows of another source, and puts a copy of all of them
 * into the filtered-rows cache at the end. They are not cached if they are too many, or most of the
 * rows read, because the decoded-column cache serves such rows too. Confined to one driver.
 */
final class RecordingPageSource extends ForwardingPageSource {
    /** A condition that keeps more than one row in this many is not worth a copy of the rows. */
    private static final int LEAST_SELECTIVITY = 4;

    /** Up to this number of bytes, a copy is always worth it. */
    private static final long SMALL_BYTES = 64L << 10;

    private final EnforcingPageSource rows;
    private final FilteredRowsCache cache;
    private final FilteredRowsKey key;
    private final List<Type> types;
    private final Optional<FilteredRows> expected;
    private final Memory memory;
    private @Nullable FilteredRowsRecorder recorder; // null when it has ended or was given up
    private long nanos;

    /** The memory of reading and recording together. Confined to one driver. */
    static final class Memory implements MemoryContext {
        private final MemoryContext whole;
        private long readBytes;
        private long recordedBytes;

        Memory(MemoryContext whole) {
            this.whole = requireNonNull(whole, "whole is null");
        }

        @Override
        public void setBytes(long bytes) {
            readBytes = bytes;
            whole.setBytes(readBytes + recordedBytes);
        }

        private void setRecordedBytes(long bytes) {
            recordedBytes = bytes;
            whole.setBytes(readBytes + recordedBytes);
        }
    }

    /**
     * @param key key of the rows, which this source has claimed unless rows are expected; it ends
     *     the claim
     * @param types of the columns of {@code rows}
     * @param expected the cached rows, to be compared; empty: the rows are to be cached
     * @param memory the memory account of {@code rows}
     */
    RecordingPageSource(
            EnforcingPageSource rows,
            FilteredRowsCache cache,
            FilteredRowsKey key,
            List<Type> types,
            Optional<FilteredRows> expected,
            Memory memory) {
        super(rows);
        this.rows = rows;
        this.cache = requireNonNull(cache, "cache is null");
        this.key = requireNonNull(key, "key is null");
        this.types = List.copyOf(types);
        this.expected = requireNonNull(expected, "expected is null");
        this.memory = requireNonNull(memory, "memory is null");
        this.recorder = new FilteredRowsRecorder(types, cache.rows().maxEntryBytes());
    }

    @Override
    public @Nullable SourcePage getNextSourcePage() {
        long start = cache.nanoTime();
        boolean done = false;
        try {
            SourcePage page = source().getNextSourcePage();
            if (page != null) {
                record(page);
            }
            done = true;
            nanos += cache.nanoTime() - start;
            if (source().isFinished()) {
                complete();
            }
            return page;
        } finally {
            if (!done) {
                giveUp(); // a failed source has also ended, but without its last rows
            }
        }
    }

    private void record(SourcePage page) {
        FilteredRowsRecorder target = recorder;
        if (target == null) {
            return;
        }
        boolean fits = target.add(page);
        memory.setRecordedBytes(target.bytes());
        boolean isMost =
                target.rows() > rows.scannedRows() / LEAST_SELECTIVITY
                        && target.bytes() > SMALL_BYTES
                        && expected.isEmpty();
        if (!fits && expected.isPresent()) {
            cache.mismatch(key, expected.get(), "more than fits");
        }
        if (!fits || isMost) {
            cache.rows().oversized(key);
            giveUp();
        }
    }

    private void complete() {
        FilteredRowsRecorder target = recorder;
        if (target == null) {
            return;
        }
        end();
        FilteredRows computed = target.finish();
        if (expected.isEmpty()) {
            cache.rows().finish(key, Optional.of(computed), nanos);
        } else if (!computed.isSame(expected.get(), types)) {
            cache.mismatch(key, expected.get(), computed.rowCount() + " rows");
        }
    }

    private void giveUp() {
        if (recorder == null) {
            return;
        }
        end();
        if (expected.isEmpty()) {
            cache.rows().finish(key, Optional.empty(), 0);
        }
    }

    private void end() {
        recorder = null;
        memory.setRecordedBytes(0);
    }

    @Override
    public Metrics getMetrics() {
        return super.getMetrics()
                .mergeWith(CachedResultMetrics.of(new CachedResultUse(0, 1, 0, 0)));
    }

    @Override
    public void close() throws IOException {
        if (source().isFinished()) {
            complete(); // there is no page to return
        }
        giveUp();
        super.close();
    }
}
