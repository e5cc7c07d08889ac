package io.stele.connector.read.opening;

import static io.trino.memory.context.AggregatedMemoryContext.newSimpleAggregatedMemoryContext;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.stele.cache.ReadAccount;
import io.stele.columnfile.metadata.ChecksummedFile;
import io.stele.connector.error.SteleErrors;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.read.cache.DecodedColumnCache;
import io.stele.connector.read.cache.DecodedColumnScan;
import io.stele.connector.read.file.FileMetadataCache;
import io.stele.connector.read.file.StripePrefetch;
import io.stele.connector.read.page.DeferredPageSource;
import io.stele.connector.read.page.VisibleRows;
import io.stele.connector.read.prune.FileBitmapIndexes;
import io.stele.connector.read.prune.SelectedRows;
import io.stele.connector.read.prune.SplitLimits;
import io.stele.connector.type.TrinoTypes;
import io.stele.objectstore.PrefetchBuffer;
import io.stele.objectstore.retrieval.RetrievalReport;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.status.ReadCounters;
import io.stele.protocol.schema.TableSchema;
import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.orc.OrcColumn;
import io.trino.orc.OrcPredicate;
import io.trino.orc.OrcReaderOptions;
import io.trino.orc.OrcRecordReader;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.FixedPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.predicate.TupleDomain;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.roaringbitmap.RoaringBitmap;

/** A factory of page sources over column files. Thread-safe. */
public final class FilePageSources {
    /**
     * The size to which trino-orc grows anyway; a first page of one row only costs a short query
     * another page.
     */
    private static final int INITIAL_BATCH_SIZE = 8 * 1024;

    private final FileMetadataCache fileMetadata;
    private final DecodedColumnCache decodedColumns;
    private final FileBitmapIndexes bitmapIndexes;
    private final TrinoTypes types;
    private final Executor opening;
    private final AheadAccounts ahead = new AheadAccounts();

    /**
     * @param opening runs tasks that wait for the warehouse
     */
    public FilePageSources(
            FileMetadataCache fileMetadata,
            DecodedColumnCache decodedColumns,
            FileBitmapIndexes bitmapIndexes,
            TrinoTypes types,
            Executor opening) {
        this.opening = requireNonNull(opening, "opening is null");
        this.fileMetadata = requireNonNull(fileMetadata, "fileMetadata is null");
        this.decodedColumns = requireNonNull(decodedColumns, "decodedColumns is null");
        this.bitmapIndexes = requireNonNull(bitmapIndexes, "bitmapIndexes is null");
        this.types = requireNonNull(types, "types is null");
    }

    /** Registers the present name of a table, under which its cache accesses are counted. */
    void reading(TableSchema table) {
        fileMetadata.uses().reading(table);
        decodedColumns.uses().reading(table);
    }

    /**
     * The wanted columns of a split's visible rows.
     *
     * @param queryId the query that reads them
     * @param constraint row groups outside it are skipped
     * @param use of the caches of this node
     * @param ended called once, with the counters of the scan, unless it needs no read or fails to
     *     open
     */
    public ConnectorPageSource open(
            String queryId,
            SteleTableHandle table,
            SteleFileSplit split,
            List<SteleColumnHandle> columns,
            TupleDomain<SteleColumnHandle> constraint,
            ScanCaches use,
            MemoryContext memory,
            Consumer<ReadCounters> ended) {
        ReadAccount account = ahead.take(queryId, split);
        Scan scan = new Scan(table, split, columns, constraint, use, account, ended);
        try {
            if (!fileMetadata.isPrefetching(split, use.pages())) {
                return account.call(() -> openNow(scan, memory)).source();
            }
            return new DeferredPageSource(
                    CompletableFuture.supplyAsync(
                                    () -> account.call(() -> openNow(scan, memory)), opening)
                            .thenCompose(Opened::whenReady));
        } catch (IOException e) {
            throw FileFailures.failed(split.path(), e);
        }
    }

    /**
     * Starts to fetch the file metadata of a split, if it is not cached yet. The reader that opens
     * the split finds it, or waits for it, and its scan counts what was fetched.
     *
     * @param queryId the query that will probably read the split
     * @param constraint stripes outside it are left out
     */
    public void openAhead(
            String queryId,
            SteleTableHandle table,
            SteleFileSplit split,
            TupleDomain<SteleColumnHandle> constraint,
            ScanCaches use) {
        // A file with bitmap indexes may not even be opened
        if (constraint.isNone()
                || split.bitmapIndexBytes().isPresent()
                || fileMetadata.isLoaded(split)) {
            return;
        }
        try {
            ReadAccount account = ahead.open(queryId, split);
            opening.execute(() -> account.run(() -> openAheadNow(table, split, constraint, use)));
        } catch (RejectedExecutionException e) {
            // The catalog is being closed
        }
    }

    private void openAheadNow(
            SteleTableHandle table,
            SteleFileSplit split,
            TupleDomain<SteleColumnHandle> constraint,
            ScanCaches use) {
        try {
            if (fileMetadata.isPrefetching(split, use.pages())) {
                fetchMetadata(table, split, constraint, use);
            }
        } catch (IOException | RuntimeException e) {
            // The reader that opens the split gets the same failure, and reports it
        }
    }

    /**
     * A page source, and when it can begin without waiting for the warehouse.
     *
     * @param ready never fails
     */
    private record Opened(ConnectorPageSource source, CompletableFuture<Void> ready) {
        CompletableFuture<ConnectorPageSource> whenReady() {
            return ready.thenApply(_ -> source);
        }
    }

    private static Opened nothing() {
        return new Opened(
                new FixedPageSource(ImmutableList.of()), CompletableFuture.completedFuture(null));
    }

    /** The scan of a split: the arguments of {@link #open}. */
    private record Scan(
            SteleTableHandle table,
            SteleFileSplit split,
            List<SteleColumnHandle> columns,
            TupleDomain<SteleColumnHandle> constraint,
            ScanCaches use,
            ReadAccount account,
            Consumer<ReadCounters> ended) {}

    private Opened openNow(Scan scan, MemoryContext memory) {
        try {
            if (scan.constraint().isNone()) {
                return nothing();
            }
            Optional<RoaringBitmap> indexed =
                    bitmapIndexes.select(scan.table().table(), scan.split(), scan.constraint());
            if (indexed.isPresent() && indexed.get().isEmpty()) {
                scan.ended().accept(RetrievalReport.counters(scan.account()));
                return nothing(); // and the file is not even opened
            }
            OpenedFile file =
                    OpenedFile.open(
                            fileMetadata,
                            scan.split(),
                            scan.use(),
                            fileMetadata.isPrefetching(scan.split(), scan.use().pages())
                                    ? FileReaderOptions.PAGED
                                    : FileReaderOptions.DIRECT);
            return openNow(scan, file, indexed, memory);
        } catch (SteleException e) {
            throw SteleErrors.translate(e);
        } catch (IOException e) {
            throw FileFailures.failed(scan.split().path(), e);
        }
    }

    private Opened openNow(
            Scan scan, OpenedFile opened, Optional<RoaringBitmap> indexed, MemoryContext memory)
            throws IOException {
        OpenedFile file = opened;
        boolean isOwned = false; // by the page source
        try {
            SelectedRows rows =
                    SelectedRows.of(
                            scan.split(),
                            file.reader(),
                            scan.table().selection().sample(),
                            indexed);
            if (rows.isSparse()) {
                file.release();
                OrcReaderOptions sparse = FileReaderOptions.sparse(file.reader().getBufferSize());
                file = OpenedFile.open(fileMetadata, scan.split(), scan.use(), sparse);
            }
            Opened source = openNow(scan, file, rows, memory);
            isOwned = source.source() instanceof FilePageSource;
            return source;
        } finally {
            if (!isOwned) {
                file.release();
            }
        }
    }

    private Opened openNow(Scan scan, OpenedFile file, SelectedRows rows, MemoryContext memory)
            throws IOException {
        FileChannels channels =
                new FileChannels(scan.table(), scan.split(), scan.columns(), file, types);
        if (rows.isNone()) {
            scan.ended().accept(file.sources().source().counters(scan.account()));
            return nothing();
        }
        OrcPredicate predicate =
                new FilePredicate(scan.table().table(), file).of(scan.constraint());
        DecodedColumnScan decodedScan =
                new DecodedColumnScan(
                        decodedColumns,
                        scan.use().columns(),
                        scan.split().path(),
                        channels.read().cacheable(scan.constraint()));
        Optional<StripePrefetch> prefetch =
                prefetch(scan, file, rows, channels.read().columns(), decodedScan);
        try {
            CompletableFuture<Void> ready =
                    prefetch.map(
                                    ahead ->
                                            ahead.start(
                                                    scan.split().start(),
                                                    scan.split().length(),
                                                    predicate))
                            .orElse(CompletableFuture.completedFuture(null));
            return new Opened(
                    source(scan, file, rows, predicate, channels, decodedScan, prefetch, memory),
                    ready);
        } catch (IOException | RuntimeException e) {
            prefetch.ifPresent(StripePrefetch::close);
            throw e;
        }
    }

    private FilePageSource source(
            Scan scan,
            OpenedFile file,
            SelectedRows rows,
            OrcPredicate predicate,
            FileChannels channels,
            DecodedColumnScan decodedScan,
            Optional<StripePrefetch> prefetch,
            MemoryContext memory)
            throws IOException {
        SteleFileSplit split = scan.split();
        ReadColumns read = channels.read();
        AggregatedMemoryContext readerMemory = newSimpleAggregatedMemoryContext();
        OrcRecordReader records =
                file.sources()
                        .footer()
                        .records(
                                file.sources().streams(),
                                file.sources().options(),
                                read.columns(),
                                read.storedTypes(),
                                read.hasRowNumbers(),
                                rows.rowGroups(predicate),
                                split.start(),
                                split.length(),
                                readerMemory,
                                INITIAL_BATCH_SIZE,
                                failure -> FileFailures.translate(split.path(), failure));
        return new FilePageSource(
                records,
                file.sources().source(),
                prefetch,
                read.decoding(scan.constraint()),
                decodedScan,
                new VisibleRows(
                        rows.unwanted(),
                        channels.lsnChannel(),
                        split.fromLsn(),
                        scan.table().readLsn()),
                channels.wanted(),
                readerMemory,
                memory,
                scan.account(),
                scan.ended());
    }

    /**
     * The prefetch of a scan; empty if few row groups or few rows are wanted, because most of the
     * fetched data would not be read.
     */
    private Optional<StripePrefetch> prefetch(
            Scan scan,
            OpenedFile file,
            SelectedRows rows,
            List<OrcColumn> columns,
            DecodedColumnScan decodedScan)
            throws IOException {
        ChecksummedFile bytes = file.sources().source().file();
        if (!bytes.unchecked().isPrefetching()
                || file.sources().isInMemory()
                || !rows.isAll()
                || SplitLimits.ofFile(scan.table()).isPresent()) {
            return Optional.empty();
        }
        return Optional.of(
                new StripePrefetch(
                        bytes,
                        fileMetadata,
                        scan.use().footers(),
                        file.reader(),
                        FileReaderOptions.PAGED,
                        FileReaderOptions.gapBytes(bytes),
                        columns,
                        (column, firstRow, rowCount) ->
                                decodedScan.contains(
                                        column.getColumnId().getId(),
                                        firstRow,
                                        Math.min(rowCount, INITIAL_BATCH_SIZE)),
                        fileMetadata.readingAhead(scan.use().pages()),
                        opening));
    }

    /** Starts to fetch the stripes' row indexes and footers, but no column. */
    private void fetchMetadata(
            SteleTableHandle table,
            SteleFileSplit split,
            TupleDomain<SteleColumnHandle> constraint,
            ScanCaches use)
            throws IOException {
        OpenedFile file = OpenedFile.open(fileMetadata, split, use, FileReaderOptions.PAGED);
        boolean isFetching = false; // and released when it was fetched
        try {
            boolean isCached =
                    use.footers()
                            || !(file.sources().source().file().unchecked()
                                    instanceof PrefetchBuffer);
            if (!file.sources().isInMemory() && isCached) {
                fetchMetadata(
                        split, file, new FilePredicate(table.table(), file).of(constraint), use);
                isFetching = true;
            }
        } finally {
            if (!isFetching) {
                file.release();
            }
        }
    }

    private void fetchMetadata(
            SteleFileSplit split, OpenedFile file, OrcPredicate statistics, ScanCaches use) {
        StripePrefetch metadata =
                new StripePrefetch(
                        file.sources().source().file(),
                        fileMetadata,
                        use.footers(),
                        file.reader(),
                        FileReaderOptions.PAGED,
                        FileReaderOptions.gapBytes(file.sources().source().file()),
                        List.of(),
                        StripePrefetch.DecodedColumns.NONE,
                        Optional.empty(),
                        opening);
        metadata.start(split.start(), split.length(), statistics);
        metadata.whenFetched().thenRun(metadata::close);
    }
}
