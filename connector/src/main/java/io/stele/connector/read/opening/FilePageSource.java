package io.stele.connector.read.opening;

import static java.util.Objects.requireNonNull;

import io.stele.cache.ReadAccount;
import io.stele.connector.error.SteleErrors;
import io.stele.connector.read.cache.DecodedColumnScan;
import io.stele.connector.read.file.StripePrefetch;
import io.stele.connector.read.file.WarehouseOrcDataSource;
import io.stele.connector.read.page.ChannelSourcePage;
import io.stele.connector.read.page.ReadMetrics;
import io.stele.connector.read.page.ScanChannel;
import io.stele.connector.read.page.VisibleRows;
import io.stele.objectstore.ReadTally;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.status.ReadCounters;
import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.orc.OrcRecordReader;
import io.trino.plugin.base.metrics.LongCount;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A page source of the visible rows of a file split, from trino-orc's reader and the decoded-column
 * cache. If the file is wholly visible and its columns need no conversion, nothing is done per row.
 * Confined to one driver.
 */
final class FilePageSource implements ConnectorPageSource {
    private final OrcRecordReader reader;
    private final WarehouseOrcDataSource dataSource;
    private final Optional<StripePrefetch> prefetch;
    private final Optional<List<ScanChannel>> decoding;
    private final DecodedColumnScan decodedScan;
    private final VisibleRows visibleRows;
    private final Optional<List<ScanChannel>> channels;
    private final AggregatedMemoryContext readerMemory;
    private final MemoryContext memory;
    private final ReadAccount account;
    private final Consumer<ReadCounters> ended;
    private long nextRow;
    private boolean finished;

    /**
     * @param prefetch the prefetch of this scan; owned from now on
     * @param decoding the conversion of the reader's columns to their cached form; empty if they
     *     have it already
     * @param channels the wanted columns; empty if the reader's are the same, in order
     * @param account of the scan
     * @param ended called once, with the counters of the scan
     */
    FilePageSource(
            OrcRecordReader reader,
            WarehouseOrcDataSource dataSource,
            Optional<StripePrefetch> prefetch,
            Optional<List<ScanChannel>> decoding,
            DecodedColumnScan decodedScan,
            VisibleRows visibleRows,
            Optional<List<ScanChannel>> channels,
            AggregatedMemoryContext readerMemory,
            MemoryContext memory,
            ReadAccount account,
            Consumer<ReadCounters> ended) {
        this.reader = requireNonNull(reader, "reader is null");
        this.dataSource = requireNonNull(dataSource, "dataSource is null");
        this.prefetch = requireNonNull(prefetch, "prefetch is null");
        this.decoding = requireNonNull(decoding, "decoding is null");
        this.decodedScan = requireNonNull(decodedScan, "decodedScan is null");
        this.visibleRows = requireNonNull(visibleRows, "visibleRows is null");
        this.channels = requireNonNull(channels, "channels is null");
        this.readerMemory = requireNonNull(readerMemory, "readerMemory is null");
        this.memory = requireNonNull(memory, "memory is null");
        this.account = requireNonNull(account, "account is null");
        this.ended = requireNonNull(ended, "ended is null");
    }

    /** Blocked while the next stripe is in flight. */
    @Override
    public CompletableFuture<?> isBlocked() {
        return finished || prefetch.isEmpty()
                ? NOT_BLOCKED
                : prefetch.get().ready(nextRow, dataSource.getReadBytes());
    }

    @Override
    public @Nullable SourcePage getNextSourcePage() {
        try {
            prefetch.ifPresent(
                    ahead ->
                            ahead.advance(
                                    nextRow,
                                    dataSource.getReadBytes(),
                                    dataSource.getReadTimeNanos()));
            SourcePage page = reader.nextPage();
            memory.setBytes(
                    readerMemory.getBytes() + dataSource.file().unchecked().retainedBytes());
            if (page == null) {
                close();
                return null;
            }
            long firstRow = reader.getFilePosition();
            nextRow = firstRow + page.getPositionCount();
            SourcePage decoded =
                    decoding.isPresent() ? new ChannelSourcePage(page, decoding.get()) : page;
            SourcePage visible =
                    visibleRows.select(decodedScan.through(decoded, firstRow), firstRow);
            if (visible == null || channels.isEmpty()) {
                return visible;
            }
            return new ChannelSourcePage(visible, channels.get());
        } catch (IOException e) {
            closeAfter(e);
            throw SteleErrors.storeFailed("read", dataSource.getId().toString(), e);
        } catch (UncheckedIOException e) {
            closeAfter(e);
            throw SteleErrors.storeFailed(
                    "read",
                    dataSource.getId().toString(),
                    requireNonNull(e.getCause(), "cause is null"));
        } catch (SteleException e) {
            closeAfter(e);
            throw SteleErrors.translate(e);
        } catch (RuntimeException e) {
            closeAfter(e);
            throw e;
        }
    }

    @Override
    public long getCompletedBytes() {
        return dataSource.getReadBytes();
    }

    @Override
    public long getReadTimeNanos() {
        return dataSource.getReadTimeNanos();
    }

    @Override
    public Metrics getMetrics() {
        ReadTally tally = dataSource.tally();
        return decodedScan
                .metrics()
                .mergeWith(ReadMetrics.of(dataSource.counters(account)))
                .mergeWith(
                        new Metrics(
                                Map.of(
                                        "Bytes read of files",
                                        new LongCount(tally.readBytes()),
                                        "Waits for the warehouse",
                                        new LongCount(tally.waits()))));
    }

    @Override
    public boolean isFinished() {
        return finished;
    }

    @Override
    public void close() throws IOException {
        if (finished) {
            return;
        }
        finished = true;
        prefetch.ifPresent(StripePrefetch::close);
        dataSource.file().unchecked().release(Long.MAX_VALUE);
        ended.accept(dataSource.counters(account));
        reader.close();
        memory.setBytes(0);
    }

    private void closeAfter(Exception failure) {
        try {
            close();
        } catch (IOException | RuntimeException e) {
            failure.addSuppressed(e);
        }
    }
}
