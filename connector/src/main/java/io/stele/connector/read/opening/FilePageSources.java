package io.stele.connector.read.opening;

import static io.airlift.units.DataSize.Unit.KILOBYTE;
import static io.airlift.units.DataSize.Unit.MEGABYTE;
import static io.stele.connector.handle.SteleColumnHandle.FILE_MODIFIED_TIME_ID;
import static io.stele.connector.handle.SteleColumnHandle.MERGE_ROW_ID;
import static io.stele.connector.handle.SteleColumnHandle.PATH_ID;
import static io.stele.connector.handle.SteleColumnHandle.SHARD_ID;
import static io.trino.memory.context.AggregatedMemoryContext.newSimpleAggregatedMemoryContext;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.airlift.units.DataSize;
import io.stele.columnfile.metadata.ChecksummedFile;
import io.stele.connector.error.SteleErrorCode;
import io.stele.connector.error.SteleErrors;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.read.cache.DecodedColumnCache;
import io.stele.connector.read.cache.DecodedColumnScan;
import io.stele.connector.read.file.FileDataSources;
import io.stele.connector.read.file.FileFooter;
import io.stele.connector.read.file.FileMetadataCache;
import io.stele.connector.read.file.StripePrefetch;
import io.stele.connector.read.file.WarehouseOrcDataSource;
import io.stele.connector.read.page.DeferredPageSource;
import io.stele.connector.read.page.ScaledDoubles;
import io.stele.connector.read.page.ScanChannel;
import io.stele.connector.read.page.VisibleRows;
import io.stele.connector.read.page.WantedFields;
import io.stele.connector.read.prune.FileBitmapIndexes;
import io.stele.connector.read.prune.SampledRowGroups;
import io.stele.connector.read.prune.SelectedRowGroups;
import io.stele.connector.read.prune.SplitLimits;
import io.stele.connector.type.BlockEvolution;
import io.stele.connector.type.NativeValues;
import io.stele.connector.type.OrcColumns;
import io.stele.connector.type.OrcTypes;
import io.stele.connector.type.ScanPredicates;
import io.stele.connector.type.TrinoTypes;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.HiddenColumns;
import io.stele.protocol.row.InitialRow;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.IdentifiedType;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.TimestampType;
import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.orc.OrcColumn;
import io.trino.orc.OrcCorruptionException;
import io.trino.orc.OrcDataSource;
import io.trino.orc.OrcPredicate;
import io.trino.orc.OrcReader;
import io.trino.orc.OrcReaderOptions;
import io.trino.orc.OrcRecordReader;
import io.trino.orc.TupleDomainOrcPredicate;
import io.trino.orc.TupleDomainOrcPredicate.TupleDomainOrcPredicateBuilder;
import io.trino.spi.TrinoException;
import io.trino.spi.block.Block;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.FixedPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.CharType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeUtils;
import io.trino.spi.type.VarcharType;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/** Opens column files for scans. Thread-safe. */
public final class FilePageSources {
    /**
     * The size to which trino-orc grows anyway; a first page of one row only costs a short query
     * another page.
     */
    private static final int INITIAL_BATCH_SIZE = 8 * 1024;

    /** A row group of eight-byte numbers has this size. */
    private static final DataSize SPARSE_READ = DataSize.of(64, KILOBYTE);

    /**
     * Below this size the latency of a request exceeds its transfer time, so the stripe is read
     * whole.
     */
    private static final DataSize TINY_STRIPE = DataSize.of(1, MEGABYTE);

    /**
     * Bytes of length before each chunk of a compressed stream (ORC specification, Compression).
     */
    private static final int CHUNK_HEADER = 3;

    /** If more than one row group in this many is wanted, one long read is less work. */
    private static final int SPARSE_SHARE = 3;

    private final FileMetadataCache fileMetadata;
    private final DecodedColumnCache decodedColumns;
    private final FileBitmapIndexes bitmapIndexes;
    private final TrinoTypes types;
    private final Executor opening;
    private final OrcReaderOptions options = new OrcReaderOptions();

    /**
     * For files whose pages are cached nearby: trino-orc reads the bytes between wanted columns, up
     * to 1 MB, and stripes up to 8 MB whole, which would fetch pages that are not needed.
     */
    private final OrcReaderOptions optionsOfPages =
            new OrcReaderOptions()
                    .withMaxMergeDistance(SPARSE_READ)
                    .withTinyStripeThreshold(TINY_STRIPE);

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
     * @param constraint row groups outside it are skipped
     * @param use of the caches of this node
     */
    public ConnectorPageSource open(
            SteleTableHandle table,
            SteleFileSplit split,
            List<SteleColumnHandle> columns,
            TupleDomain<SteleColumnHandle> constraint,
            ScanCaches use,
            MemoryContext memory) {
        try {
            if (!fileMetadata.isPrefetching(split, use.pages())) {
                return openNow(table, split, columns, constraint, use, memory).source();
            }
            return new DeferredPageSource(
                    CompletableFuture.supplyAsync(
                                    () -> openNow(table, split, columns, constraint, use, memory),
                                    opening)
                            .thenCompose(Opened::whenReady));
        } catch (IOException e) {
            throw failed(split.path(), e);
        }
    }

    /**
     * Starts to fetch the file metadata of a split, if it is not cached yet. The reader that opens
     * the split finds it, or waits for it.
     *
     * @param constraint stripes outside it are left out
     */
    public void openAhead(
            SteleTableHandle table,
            SteleFileSplit split,
            TupleDomain<SteleColumnHandle> constraint,
            ScanCaches use) {
        // One with bitmap indexes may not even be opened
        if (constraint.isNone()
                || split.bitmapIndexBytes().isPresent()
                || fileMetadata.isKnown(split)) {
            return;
        }
        try {
            opening.execute(() -> openAheadNow(table, split, constraint, use));
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
                new Opening(table, split, List.of(), Optional.empty(), use, optionsOfPages)
                        .fetchMetadata(constraint);
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

    private Opened openNow(
            SteleTableHandle table,
            SteleFileSplit split,
            List<SteleColumnHandle> columns,
            TupleDomain<SteleColumnHandle> constraint,
            ScanCaches use,
            MemoryContext memory) {
        try {
            if (constraint.isNone()) {
                return nothing();
            }
            Optional<RoaringBitmap> selected =
                    bitmapIndexes.select(table.table(), split, constraint);
            if (selected.isPresent() && selected.get().isEmpty()) {
                return nothing(); // and the file is not even opened
            }
            Opening opened =
                    new Opening(
                            table,
                            split,
                            columns,
                            selected,
                            use,
                            fileMetadata.isPrefetching(split, use.pages())
                                    ? optionsOfPages
                                    : options);
            if (opened.selected.isPresent() && opened.isSparse(opened.selected.get())) {
                opened = new Opening(table, split, columns, selected, use, opened.sparseOptions());
            }
            return opened.open(constraint, memory);
        } catch (SteleException e) {
            throw SteleErrors.translate(e);
        } catch (IOException e) {
            throw failed(split.path(), e);
        }
    }

    /**
     * Streams are read piece by piece, and what lies between chosen row groups is not. A piece
     * holds what was compressed together, or trino-orc takes the file for malformed: files of other
     * writers than ours may have larger chunks.
     *
     * @param chunkBytes most bytes that are compressed together in the file
     */
    private static OrcReaderOptions sparseOptions(int chunkBytes) {
        DataSize piece =
                DataSize.ofBytes(Math.max(SPARSE_READ.toBytes(), (long) chunkBytes + CHUNK_HEADER));
        return new OrcReaderOptions()
                .withMaxBufferSize(piece)
                .withStreamBufferSize(piece)
                .withMaxMergeDistance(SPARSE_READ);
    }

    private static TrinoException failed(String path, IOException e) {
        if (e instanceof OrcCorruptionException) {
            return new TrinoException(
                    SteleErrorCode.STELE_CORRUPT_DATA,
                    "Expected a readable ORC file, found in %s: %s".formatted(path, e.getMessage()),
                    e);
        }
        return SteleErrors.storeFailed("read", path, e);
    }

    /** The choice of ORC columns for one page source. */
    private final class Opening {
        private final SteleTableHandle table;
        private final SteleFileSplit split;
        private final Optional<RoaringBitmap> selected;
        private final WarehouseOrcDataSource dataSource;
        private final OrcDataSource streams;
        private final OrcReaderOptions recordOptions;
        private final FileFooter footer;
        private final OrcReader reader;
        private final Map<Integer, OrcColumn> fileColumns;
        private final Map<String, OrcColumn> hiddenColumns;
        private final Map<Integer, ScaledDoubles> scaled;
        private final Map<Integer, ColumnSchema> written = new HashMap<>();
        private final Map<Integer, OrcColumn> narrowedColumns = new HashMap<>();
        private final List<OrcColumn> readColumns = new ArrayList<>();
        private final List<Type> readTypes = new ArrayList<>();
        private final Map<Integer, ScaledDoubles> readScaled = new HashMap<>(); // by channel
        private final List<SteleColumnHandle> columns;
        private final WantedFields fields;
        private final ScanCaches use;
        private boolean rowNumbers;

        Opening(
                SteleTableHandle table,
                SteleFileSplit split,
                List<SteleColumnHandle> columns,
                Optional<RoaringBitmap> selected,
                ScanCaches use,
                OrcReaderOptions readerOptions)
                throws IOException {
            this.table = table;
            this.split = split;
            this.use = use;
            this.columns = columns;
            this.fields = WantedFields.of(table.table(), columns);
            FileDataSources reads =
                    FileDataSources.of(
                            fileMetadata.open(split, use.pages(), use.footers()),
                            fileMetadata,
                            use.footers(),
                            readerOptions);
            this.dataSource = reads.source();
            this.streams = reads.streams();
            this.recordOptions = reads.options();
            this.footer = reads.footer();
            this.reader = footer.reader();
            this.selected =
                    table.selection()
                            .sample()
                            .map(sample -> SampledRowGroups.of(sample, split, reader))
                            .map(
                                    sampled ->
                                            selected.map(rows -> RoaringBitmap.and(rows, sampled))
                                                    .orElse(sampled))
                            .or(() -> selected);
            this.fileColumns = new HashMap<>();
            this.hiddenColumns = new HashMap<>();
            for (OrcColumn column : reader.getRootColumn().getNestedColumns()) {
                String id = column.getAttributes().get(OrcColumns.ID_ATTRIBUTE);
                if (id != null && Integer.parseInt(id) > 0) {
                    fileColumns.put(Integer.parseInt(id), column);
                } else {
                    hiddenColumns.put(column.getColumnName(), column);
                }
            }
            this.scaled = ScaledDoubles.of(reader, fileColumns);
        }

        Opened open(TupleDomain<SteleColumnHandle> constraint, MemoryContext memory)
                throws IOException {
            // The row number comes after all read columns: find out first how many these are
            List<ScanChannel> channels = columns.stream().map(this::channel).toList();
            int lsnChannel =
                    split.filterLsn() && split.ingestLsn().isEmpty()
                            ? read(hidden(HiddenColumns.LSN_NAME), BIGINT)
                            : VisibleRows.NO_CHANNEL;
            channels = channels.stream().map(this::placeRowNumber).toList();
            if (selected.isPresent() && selected.get().isEmpty()) {
                return nothing();
            }
            Optional<StripePrefetch> prefetch = prefetch();
            try {
                return open(constraint, channels, lsnChannel, prefetch, memory);
            } catch (IOException | RuntimeException e) {
                prefetch.ifPresent(StripePrefetch::close);
                throw e;
            }
        }

        private Opened open(
                TupleDomain<SteleColumnHandle> constraint,
                List<ScanChannel> channels,
                int lsnChannel,
                Optional<StripePrefetch> prefetch,
                MemoryContext memory)
                throws IOException {
            CompletableFuture<Void> ready =
                    prefetch.map(
                                    ahead ->
                                            ahead.start(
                                                    split.start(),
                                                    split.length(),
                                                    predicate(constraint)))
                            .orElse(CompletableFuture.completedFuture(null));
            AggregatedMemoryContext readerMemory = newSimpleAggregatedMemoryContext();
            OrcRecordReader records =
                    footer.records(
                            streams,
                            recordOptions,
                            readColumns,
                            storedTypes(),
                            rowNumbers,
                            selectedRowGroups(predicate(constraint)),
                            split.start(),
                            split.length(),
                            readerMemory,
                            INITIAL_BATCH_SIZE,
                            failure -> translate(failure));
            FilePageSource source =
                    new FilePageSource(
                            records,
                            dataSource,
                            prefetch,
                            decoding(constraint),
                            new DecodedColumnScan(
                                    decodedColumns,
                                    use.columns(),
                                    split.path(),
                                    decodedScanColumns(constraint)),
                            new VisibleRows(
                                    unwantedRows(), lsnChannel, split.fromLsn(), table.readLsn()),
                            isDirect(channels) ? Optional.empty() : Optional.of(channels),
                            readerMemory,
                            memory);
            return new Opened(source, ready);
        }

        /** Starts to fetch the stripes' row indexes and footers, but no column. */
        void fetchMetadata(TupleDomain<SteleColumnHandle> constraint) {
            new StripePrefetch(
                            dataSource.file(),
                            fileMetadata,
                            use.footers(),
                            reader,
                            optionsOfPages,
                            List.of(),
                            Optional.empty(),
                            opening)
                    .start(split.start(), split.length(), predicate(constraint));
        }

        /**
         * Not where few row groups are wanted, or few rows: then most of it would not be read at
         * all.
         */
        private Optional<StripePrefetch> prefetch() throws IOException {
            ChecksummedFile file = dataSource.file();
            if (!file.unchecked().isPrefetching()
                    || selected.isPresent()
                    || SplitLimits.ofFile(table).isPresent()) {
                return Optional.empty();
            }
            return Optional.of(
                    new StripePrefetch(
                            file,
                            fileMetadata,
                            use.footers(),
                            reader,
                            optionsOfPages,
                            readColumns,
                            fileMetadata.readingAhead(use.pages()),
                            opening));
        }

        /** The types of the columns that are read, in the file. */
        private List<Type> storedTypes() {
            List<Type> stored = new ArrayList<>(readTypes);
            readScaled.keySet().forEach(channel -> stored.set(channel, BIGINT));
            return stored;
        }

        /** Doubles of what is read as whole numbers; the row number comes behind all columns. */
        private Optional<List<ScanChannel>> decoding(TupleDomain<SteleColumnHandle> constraint) {
            if (readScaled.isEmpty()) {
                return Optional.empty();
            }
            Set<OrcColumn> filtered = filteredColumns(constraint);
            List<ScanChannel> decoding = new ArrayList<>();
            for (int channel = 0; channel < readColumns.size() + (rowNumbers ? 1 : 0); channel++) {
                ScaledDoubles doubles = readScaled.get(channel);
                if (doubles == null) {
                    decoding.add(new ScanChannel.Direct(channel));
                } else {
                    boolean isFiltered = filtered.contains(doubles.column());
                    decoding.add(
                            new ScanChannel.Scaled(
                                    channel, isFiltered ? doubles.filtered() : doubles));
                }
            }
            return Optional.of(List.copyOf(decoding));
        }

        /** The columns that the scan leaves rows out by, as they are read. */
        private Set<OrcColumn> filteredColumns(TupleDomain<SteleColumnHandle> constraint) {
            Set<OrcColumn> filtered = new HashSet<>();
            for (SteleColumnHandle column : constraint.getDomains().orElseThrow().keySet()) {
                ScaledDoubles doubles = scaled.get(column.id());
                filtered.add(doubles == null ? fileColumns.get(column.id()) : doubles.column());
            }
            return filtered;
        }

        private List<DecodedColumnScan.Column> decodedScanColumns(
                TupleDomain<SteleColumnHandle> constraint) {
            Set<OrcColumn> filtered = filteredColumns(constraint);
            List<DecodedColumnScan.Column> columns = new ArrayList<>();
            for (int channel = 0; channel < readColumns.size(); channel++) {
                OrcColumn column = readColumns.get(channel);
                columns.add(
                        new DecodedColumnScan.Column(
                                column.getColumnId().getId(),
                                readTypes.get(channel),
                                filtered.contains(column)));
            }
            return columns;
        }

        private ScanChannel channel(SteleColumnHandle column) {
            return switch (column.id()) {
                case HiddenColumns.LSN -> lsn();
                case HiddenColumns.ROW_ID -> rowId();
                case MERGE_ROW_ID -> mergeRowId();
                case PATH_ID, FILE_MODIFIED_TIME_ID -> ScanChannel.ofFile(column, split);
                case SHARD_ID -> ScanChannel.shard(split.shard());
                default ->
                        column.isField()
                                ? fields.channel(column, rowColumn(column.id()))
                                : userColumn(column.id(), column.type());
            };
        }

        private ScanChannel userColumn(int columnId, Type type) {
            OrcColumn column = fileColumns.get(columnId);
            if (column == null) {
                // The file is older than the column
                return new ScanChannel.Constant(initialBlock(presentColumn(columnId), type));
            }
            ColumnSchema written = written(columnId, column);
            if (type instanceof VarcharType || type instanceof CharType) {
                // Longer text, where it is that, has the same bytes
                return new ScanChannel.Text(read(column, types.toTrino(written.type())));
            }
            IdentifiedType present = IdentifiedType.of(presentColumn(columnId));
            OrcTypes.Mapping mapping =
                    BlockEvolution.mapping(IdentifiedType.of(written), present, types);
            return new ScanChannel.FromSource(read(columnId, column, mapping.fileType()), mapping);
        }

        /** Of doubles the whole numbers are read where they are there. */
        private int read(int columnId, OrcColumn column, Type type) {
            ScaledDoubles doubles = scaled.get(columnId);
            if (doubles == null || type != DOUBLE) {
                return read(column, type);
            }
            int channel = read(doubles.column(), type);
            readScaled.put(channel, doubles);
            return channel;
        }

        /** A row column, of which only some fields may be read. */
        private ScanChannel rowColumn(int columnId) {
            IdentifiedType present = fields.read(columnId);
            OrcColumn column = fileColumns.get(columnId);
            if (column == null) {
                return older(present);
            }
            IdentifiedType then = IdentifiedType.of(written(columnId, column));
            Optional<IdentifiedType> kept = fields.kept(columnId, then);
            if (kept.isEmpty()) {
                return older(present);
            }
            OrcTypes.Mapping mapping = BlockEvolution.mapping(kept.get(), present, types);
            OrcColumn narrowed =
                    narrowedColumns.computeIfAbsent(
                            columnId, _ -> WantedFields.narrowed(column, then, kept.get()));
            return new ScanChannel.FromSource(read(narrowed, mapping.fileType()), mapping);
        }

        /**
         * The value of a column in a file that is older than the column, or than all wanted fields.
         */
        private ScanChannel older(IdentifiedType type) {
            return new ScanChannel.Constant(nullBlock(types.toTrino(type.type())));
        }

        private ColumnSchema presentColumn(int columnId) {
            return table.table().column(columnId);
        }

        /** The column as it was when the file was written. */
        private ColumnSchema written(int columnId, OrcColumn column) {
            return written.computeIfAbsent(columnId, id -> OrcColumns.written(column));
        }

        private ScanChannel lsn() {
            if (split.ingestLsn().isPresent()) {
                return new ScanChannel.Constant(
                        TypeUtils.writeNativeValue(BIGINT, split.ingestLsn().getAsLong()));
            }
            return new ScanChannel.FromSource(
                    read(hidden(HiddenColumns.LSN_NAME), BIGINT),
                    OrcTypes.mapping(ScalarType.BIGINT, BIGINT));
        }

        private ScanChannel rowId() {
            if (split.firstRowId().isPresent()) {
                rowNumbers = true;
                return new ScanChannel.RowNumber(0, split.firstRowId().getAsLong());
            }
            return new ScanChannel.FromSource(
                    read(hidden(HiddenColumns.ROW_ID_NAME), BIGINT),
                    OrcTypes.mapping(ScalarType.BIGINT, BIGINT));
        }

        private ScanChannel mergeRowId() {
            List<ScanChannel> fields = new ArrayList<>();
            fields.add(ScanChannel.shard(split.shard()));
            if (table.table().hasPrimaryKey()) {
                for (ColumnSchema column : table.table().primaryKeyColumns()) {
                    fields.add(userColumn(column.id(), types.toTrino(column.type())));
                }
            } else {
                fields.add(rowId());
            }
            return new ScanChannel.RowOf(List.copyOf(fields));
        }

        private OrcColumn hidden(String name) {
            OrcColumn column = hiddenColumns.get(name);
            if (column == null) {
                throw new TrinoException(
                        SteleErrorCode.STELE_CORRUPT_DATA,
                        "Expected a column %s, found none in %s".formatted(name, split.path()));
            }
            return column;
        }

        /** Adds a column to those read, unless it is there already; returns its channel. */
        private int read(OrcColumn column, Type type) {
            int channel = readColumns.indexOf(column);
            if (channel < 0) {
                channel = readColumns.size();
                readColumns.add(column);
                readTypes.add(type);
            }
            return channel;
        }

        private ScanChannel placeRowNumber(ScanChannel channel) {
            return switch (channel) {
                case ScanChannel.RowNumber(_, long base) ->
                        new ScanChannel.RowNumber(readColumns.size(), base);
                case ScanChannel.RowOf(List<ScanChannel> parts) ->
                        new ScanChannel.RowOf(parts.stream().map(this::placeRowNumber).toList());
                case ScanChannel.FromSource _,
                        ScanChannel.FieldOf _,
                        ScanChannel.Text _,
                        ScanChannel.Scaled _,
                        ScanChannel.Direct _,
                        ScanChannel.ChangeType _,
                        ScanChannel.TimeOfLsn _,
                        ScanChannel.Computed _,
                        ScanChannel.ShardOf _,
                        ScanChannel.Constant _ ->
                        channel;
            };
        }

        private boolean isDirect(List<ScanChannel> channels) {
            if (rowNumbers || channels.size() != readColumns.size()) {
                return false;
            }
            for (int index = 0; index < channels.size(); index++) {
                if (!(channels.get(index)
                                instanceof
                                ScanChannel.FromSource(int channel, OrcTypes.Mapping mapping)
                        && channel == index
                        && mapping.isIdentity())) {
                    return false;
                }
            }
            return true;
        }

        /** Whether few of the file's row groups have any of the rows. */
        boolean isSparse(RoaringBitmap rows) {
            int groupRows = reader.getFooter().getRowsInRowGroup().orElse(Integer.MAX_VALUE);
            long groups = 0;
            long next = 0;
            long allRows = reader.getFooter().getNumberOfRows();
            while (next < allRows) {
                long row = rows.nextValue((int) next);
                if (row < 0) {
                    break;
                }
                groups++;
                next = (row / groupRows + 1) * groupRows;
            }
            return groups * groupRows * SPARSE_SHARE <= allRows;
        }

        OrcReaderOptions sparseOptions() {
            return FilePageSources.sparseOptions(reader.getBufferSize());
        }

        private OrcPredicate selectedRowGroups(OrcPredicate statistics) {
            return selected.isEmpty()
                    ? statistics
                    : new SelectedRowGroups(
                            statistics, selected.get(), reader, split.start(), split.length());
        }

        /** Rows that are deleted, and those that a bitmap index excludes. */
        private @Nullable RoaringBitmap unwantedRows() throws IOException {
            RoaringBitmap deleted = deletedRows();
            if (selected.isEmpty()) {
                return deleted;
            }
            RoaringBitmap unwanted =
                    RoaringBitmap.flip(selected.get(), 0L, reader.getFooter().getNumberOfRows());
            if (deleted != null) {
                unwanted.or(deleted);
            }
            return unwanted;
        }

        private OrcPredicate predicate(TupleDomain<SteleColumnHandle> constraint) {
            if (constraint.isAll()) {
                return OrcPredicate.TRUE;
            }
            TupleDomainOrcPredicateBuilder builder = TupleDomainOrcPredicate.builder();
            constraint
                    .getDomains()
                    .orElseThrow()
                    .forEach(
                            (column, domain) -> {
                                OrcColumn fileColumn = fileColumns.get(column.id());
                                if (fileColumn != null) {
                                    addDomain(builder, column, fileColumn, domain);
                                }
                            });
            return builder.build();
        }

        /** For the file's statistics, where these are of values as they are now. */
        private void addDomain(
                TupleDomainOrcPredicateBuilder builder,
                SteleColumnHandle column,
                OrcColumn fileColumn,
                Domain domain) {
            ColumnSchema then = written(column.id(), fileColumn);
            Optional<OrcColumn> found = WantedFields.find(fileColumn, then, column.path());
            Optional<DataType> stored = ScanPredicates.stored(table.table(), column);
            if (found.isEmpty() || stored.isEmpty()) {
                return;
            }
            boolean isAlike =
                    IdentifiedType.of(then)
                            .at(column.path())
                            .filter(type -> isAlike(type.type(), stored.get()))
                            .isPresent();
            if (isAlike) {
                OrcTypes.fileDomain(stored.get(), column.type(), domain)
                        .ifPresent(
                                fileDomain ->
                                        builder.addColumn(found.get().getColumnId(), fileDomain));
                ScaledDoubles doubles = scaled.get(column.id());
                if (doubles != null && !column.isField()) {
                    // Row groups have statistics of the columns alone that are read
                    builder.addColumn(doubles.column().getColumnId(), doubles.domain(domain));
                }
            }
        }

        private static boolean isAlike(DataType written, DataType present) {
            boolean isTimestamp = present instanceof TimestampType;
            return written.kind() == present.kind()
                    && (!isTimestamp || written.form() == present.form());
        }

        private @Nullable RoaringBitmap deletedRows() throws IOException {
            if (split.deletedRows().length == 0) {
                return null;
            }
            RoaringBitmap deleted = new RoaringBitmap();
            deleted.deserialize(new DataInputStream(new ByteArrayInputStream(split.deletedRows())));
            return deleted;
        }

        private RuntimeException translate(Exception failure) {
            return switch (failure) {
                case TrinoException known -> known;
                case SteleException stele -> SteleErrors.translate(stele);
                case IOException io -> failed(split.path(), io);
                case RuntimeException other -> other;
                default -> new TrinoException(SteleErrorCode.STELE_INTERNAL, failure);
            };
        }
    }

    private static Block initialBlock(ColumnSchema column, Type type) {
        return TypeUtils.writeNativeValue(
                type, InitialRow.of(column).map(row -> NativeValues.at(row, 0)).orElse(null));
    }

    private static Block nullBlock(Type type) {
        return TypeUtils.writeNativeValue(type, null);
    }
}
