package io.stele.connector.read.file;

import static io.trino.memory.context.AggregatedMemoryContext.newSimpleAggregatedMemoryContext;
import static java.util.Objects.requireNonNull;

import io.airlift.slice.Slices;
import io.stele.columnfile.metadata.ChecksummedFile;
import io.stele.objectstore.retrieval.ReadAheadBalance;
import io.stele.objectstore.retrieval.ReadingAhead;
import io.trino.orc.OrcColumn;
import io.trino.orc.OrcDataSourceId;
import io.trino.orc.OrcDecompressor;
import io.trino.orc.OrcPredicate;
import io.trino.orc.OrcReader;
import io.trino.orc.OrcReaderOptions;
import io.trino.orc.metadata.OrcColumnId;
import io.trino.orc.metadata.OrcMetadataReader;
import io.trino.orc.metadata.Stream;
import io.trino.orc.metadata.StripeFooter;
import io.trino.orc.metadata.StripeInformation;
import io.trino.orc.stream.OrcChunkLoader;
import io.trino.orc.stream.OrcInputStream;
import java.io.IOException;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * An asynchronous prefetch, into the data page cache or else into memory, of the parts of a column
 * file that a scan will read. First come the row indexes and footers of all its stripes at once.
 * Then come their columns, whose positions the footers give, as many stripes ahead as the {@link
 * ReadAheadBalance} has room for. So the scan waits for the warehouse about twice, not several
 * times per stripe. A scan that computes more than it reads holds no more than it needs.
 *
 * <p>The scan itself still reads through the same reader: it finds the bytes, or waits for those in
 * flight. Its methods are called by the scan's thread and by tasks of the executor; guarded by
 * itself.
 *
 * <p>Invariant: stripes are begun in order, each once. Invariant: room taken from the balance is
 * returned when the scan has reached the stripe, or with {@link #close}.
 */
public final class StripePrefetch implements AutoCloseable {
    private final ChecksummedFile file;
    private final FileMetadataCache fileMetadata;
    private final boolean cachesStripes;
    private final OrcReader reader;
    private final OrcMetadataReader metadata;
    private final long maxGap;
    private final Map<OrcColumn, Set<OrcColumnId>> columns = new LinkedHashMap<>();
    private final DecodedColumns decoded;
    private final Executor executor;
    private final Optional<ReadingAhead> balance;
    private final Optional<ReadAheadBalance.Processor> processor;
    private final List<Ahead> stripes = new ArrayList<>(); // the stripes of the split, in order
    private int begun;
    private int reached;

    /**
     * @param cachesStripes whether the stripes' row indexes and footers are cached in {@code
     *     fileMetadata}
     * @param options the options that the scan reads with
     * @param maxGap the greatest gap in bytes between columns that are fetched by one request
     * @param columns the columns that the scan reads
     * @param decoded the columns that need not be fetched
     * @param balance between fetching and processing; empty: all is fetched at once
     * @param executor runs tasks that wait for the warehouse
     */
    public StripePrefetch(
            ChecksummedFile file,
            FileMetadataCache fileMetadata,
            boolean cachesStripes,
            OrcReader reader,
            OrcReaderOptions options,
            long maxGap,
            Collection<OrcColumn> columns,
            DecodedColumns decoded,
            Optional<ReadingAhead> balance,
            Executor executor) {
        this.file = requireNonNull(file, "file is null");
        this.fileMetadata = requireNonNull(fileMetadata, "fileMetadata is null");
        this.cachesStripes = cachesStripes;
        this.reader = requireNonNull(reader, "reader is null");
        this.metadata = new OrcMetadataReader(options);
        this.maxGap = maxGap;
        this.executor = requireNonNull(executor, "executor is null");
        this.balance = requireNonNull(balance, "balance is null");
        // Not on the thread of the scan that returns room, because it holds the lock of its own
        // prefetch
        this.processor =
                balance.map(
                        present -> present.balance().open(() -> executor.execute(this::beginNext)));
        this.decoded = requireNonNull(decoded, "decoded is null");
        for (OrcColumn column : columns) {
            Set<OrcColumnId> ids = new HashSet<>();
            include(column, ids);
            this.columns.put(column, ids);
        }
    }

    private static void include(OrcColumn column, Set<OrcColumnId> ids) {
        ids.add(column.getColumnId());
        column.getNestedColumns().forEach(nested -> include(nested, ids));
    }

    /** The columns whose values are in memory already. */
    @FunctionalInterface
    public interface DecodedColumns {
        DecodedColumns NONE = (_, _, _) -> false;

        /**
         * Whether the rows of a stripe are likely to need no byte of a column.
         *
         * @param firstRow of the stripe in the file
         * @param rowCount the most rows of the first page
         */
        boolean contain(OrcColumn column, long firstRow, int rowCount);
    }

    /** A range of the file. */
    private record Range(long offset, long length) {}

    /** A stripe that the scan is going to read. */
    private static final class Ahead {
        private final StripeInformation stripe;
        private final long endRow;
        private final CompletableFuture<Void> here = new CompletableFuture<>();
        private Optional<List<Range>> wanted = Optional.empty(); // set when the footer was read
        private long room;

        Ahead(StripeInformation stripe, long endRow) {
            this.stripe = stripe;
            this.endRow = endRow;
        }
    }

    /**
     * Begins with the stripes of a split that statistics do not rule out.
     *
     * @return completes when the first stripe was fetched or its fetch has failed; never fails
     */
    public CompletableFuture<Void> start(
            long splitStart, long splitLength, OrcPredicate statistics) {
        List<Ahead> wanted = wanted(splitStart, splitLength, statistics);
        synchronized (this) {
            stripes.addAll(wanted);
        }
        fetchMetadata(wanted);
        return wanted.isEmpty() ? CompletableFuture.completedFuture(null) : wanted.getFirst().here;
    }

    /** Completes when the fetches of all stripes have ended; never fails. */
    public synchronized CompletableFuture<Void> whenFetched() {
        return CompletableFuture.allOf(
                stripes.stream().map(ahead -> ahead.here).toArray(CompletableFuture<?>[]::new));
    }

    /**
     * Fetches row indexes and footers. The footer of a stripe and the index of the next stripe are
     * adjacent, and take one request.
     */
    private void fetchMetadata(List<Ahead> wanted) {
        CompletableFuture<Void> before = CompletableFuture.completedFuture(null);
        long fetchedTo = 0;
        for (int number = 0; number < wanted.size(); number++) {
            Ahead ahead = wanted.get(number);
            StripeInformation stripe = ahead.stripe;
            if (isCached(stripe)) {
                whenHere(ahead, CompletableFuture.completedFuture(null));
                continue;
            }
            CompletableFuture<Void> index =
                    fetchedTo > stripe.getOffset()
                            ? before
                            : fetch(new Range(stripe.getOffset(), stripe.getIndexLength()));
            long footer = RawStripeMetadata.footerOffset(stripe);
            fetchedTo = footer + stripe.getFooterLength();
            if (number + 1 < wanted.size()) {
                StripeInformation next = wanted.get(number + 1).stripe;
                if (next.getOffset() == fetchedTo && !isCached(next)) {
                    fetchedTo += next.getIndexLength();
                }
            }
            before = fetch(new Range(footer, fetchedTo - footer));
            whenHere(ahead, CompletableFuture.allOf(index, before));
        }
    }

    private boolean isCached(StripeInformation stripe) {
        return cachesStripes && fileMetadata.hasStripe(file, stripe);
    }

    private void whenHere(Ahead ahead, CompletableFuture<Void> ends) {
        ends.thenRunAsync(() -> findColumns(ahead), executor)
                .exceptionally(
                        _ -> {
                            ahead.here.complete(null); // the scan requests it itself
                            return null;
                        });
    }

    private void findColumns(Ahead ahead) {
        List<Range> ranges = ranges(ahead.stripe, wantedColumns(ahead));
        synchronized (this) {
            ahead.wanted = Optional.of(ranges);
        }
        beginNext();
    }

    /** Starts to fetch the columns of the next stripes, as long as there is room. */
    private void beginNext() {
        Optional<Ahead> next = next();
        while (next.isPresent()) {
            Ahead ahead = next.get();
            List<CompletableFuture<Void>> fetches =
                    ahead.wanted.orElseThrow().stream().map(this::fetch).toList();
            CompletableFuture<Void> all =
                    CompletableFuture.allOf(fetches.toArray(CompletableFuture<?>[]::new));
            all.thenRun(() -> ahead.here.complete(null));
            next = next();
        }
    }

    /** The next stripe, if the positions of its columns are loaded and there is room for them. */
    private synchronized Optional<Ahead> next() {
        if (begun == stripes.size()) {
            return Optional.empty();
        }
        Ahead ahead = stripes.get(begun);
        if (ahead.wanted.isEmpty()) {
            return Optional.empty();
        }
        long bytes = ahead.wanted.get().stream().mapToLong(Range::length).sum();
        if (begun >= reached && processor.isPresent()) {
            if (!processor.get().begin(bytes)) {
                return Optional.empty();
            }
            ahead.room = bytes;
        }
        begun++;
        return Optional.of(ahead);
    }

    private CompletableFuture<Void> fetch(Range range) {
        if (balance.isEmpty()) {
            return file.prefetch(range.offset(), range.length()).thenAccept(_ -> {});
        }
        ReadAheadBalance.Fetch fetch = balance.get().balance().fetching();
        return file.prefetch(range.offset(), range.length()).thenAccept(fetch::ended);
    }

    /**
     * Records how far the scan has read, and starts the fetches that it makes room for.
     *
     * @param row of the file that it reads next
     * @param readBytes that it has read since it began
     * @param waitedNanos nanoseconds that it spent reading since it began
     */
    public void advance(long row, long readBytes, long waitedNanos) {
        synchronized (this) {
            processor.ifPresent(
                    present -> {
                        present.resumes();
                        present.processed(readBytes, waitedNanos);
                    });
            while (reached < stripes.size()
                    && (reached == 0 || stripes.get(reached - 1).endRow <= row)) {
                Ahead ahead = stripes.get(reached);
                processor.ifPresent(present -> present.reached(ahead.room));
                if (reached > 0) {
                    file.unchecked().release(end(stripes.get(reached - 1).stripe));
                }
                reached++;
            }
        }
        beginNext();
    }

    /**
     * Completes when the scan can read the stripe of a row without waiting for the warehouse.
     *
     * @param row of the file that it reads next
     * @param readBytes that it has read since it began
     */
    public synchronized CompletableFuture<Void> ready(long row, long readBytes) {
        boolean isNext =
                reached > 0 && reached < stripes.size() && stripes.get(reached - 1).endRow <= row;
        CompletableFuture<Void> here =
                isNext ? stripes.get(reached).here : CompletableFuture.completedFuture(null);
        // A stripe whose fetch was not started is read by the scan itself
        if (here.isDone() || begun <= reached) {
            return CompletableFuture.completedFuture(null);
        }
        processor.ifPresent(present -> present.waits(readBytes));
        return here;
    }

    private static long end(StripeInformation stripe) {
        return RawStripeMetadata.footerOffset(stripe) + stripe.getFooterLength();
    }

    /**
     * Returns the room, and the memory of what was not read; fetches in flight still fill pages of
     * the cache.
     */
    @Override
    public void close() {
        processor.ifPresent(ReadAheadBalance.Processor::close);
        synchronized (this) {
            begun = stripes.size();
        }
        file.unchecked().release(Long.MAX_VALUE);
    }

    private List<Ahead> wanted(long splitStart, long splitLength, OrcPredicate statistics) {
        List<StripeInformation> all = reader.getFooter().getStripes();
        List<Ahead> wanted = new ArrayList<>();
        long endRow = 0;
        for (int index = 0; index < all.size(); index++) {
            StripeInformation stripe = all.get(index);
            endRow += stripe.getNumberOfRows();
            if (splitStart <= stripe.getOffset()
                    && stripe.getOffset() < splitStart + splitLength
                    && mayMatch(index, stripe, statistics)) {
                wanted.add(new Ahead(stripe, endRow));
            }
        }
        return wanted;
    }

    private boolean mayMatch(int index, StripeInformation stripe, OrcPredicate statistics) {
        var ofStripes = reader.getMetadata().getStripeStatsList();
        return index >= ofStripes.size()
                || ofStripes
                        .get(index)
                        .map(
                                known ->
                                        statistics.matches(
                                                stripe.getNumberOfRows(),
                                                known.getColumnStatistics()))
                        .orElse(true);
    }

    private Set<OrcColumnId> wantedColumns(Ahead ahead) {
        long stripeRows = ahead.stripe.getNumberOfRows();
        int groupRows = reader.getFooter().getRowsInRowGroup().orElse(Integer.MAX_VALUE);
        int rowCount = (int) Math.min(stripeRows, groupRows);
        Set<OrcColumnId> wanted = new HashSet<>();
        columns.forEach(
                (column, ids) -> {
                    if (!decoded.contain(column, ahead.endRow - stripeRows, rowCount)) {
                        wanted.addAll(ids);
                    }
                });
        return wanted;
    }

    /**
     * The ranges of the data of the scan's columns in a stripe, without row indexes, which are
     * fetched already; none if the footer cannot be read.
     */
    private List<Range> ranges(StripeInformation stripe, Set<OrcColumnId> wanted) {
        List<Range> ranges = new ArrayList<>();
        try {
            long position = stripe.getOffset();
            long data = position + stripe.getIndexLength();
            long start = data;
            long end = data;
            // The reader of the scan merges row indexes that it reads itself with the columns
            boolean isOpen = !cachesStripes;
            for (Stream stream : footer(stripe).getStreams()) {
                boolean isWanted = position >= data && wanted.contains(stream.getColumnId());
                if (stream.getLength() > 0 && isWanted) {
                    if (!isOpen || position - end > maxGap) {
                        add(ranges, start, end);
                        start = position;
                    }
                    isOpen = true;
                    end = position + stream.getLength();
                }
                position += stream.getLength();
            }
            add(ranges, start, end);
        } catch (IOException | RuntimeException e) {
            // The reader of the stripe gets the same failure, and reports it
        }
        return List.copyOf(ranges);
    }

    private static void add(List<Range> ranges, long start, long end) {
        if (end > start) {
            ranges.add(new Range(start, end - start));
        }
    }

    private StripeFooter footer(StripeInformation stripe) throws IOException {
        RawStripeMetadata ends =
                cachesStripes && RawStripeMetadata.isCacheable(stripe)
                        ? fileMetadata.stripe(file, stripe)
                        : RawStripeMetadata.read(file, stripe);
        OrcDataSourceId id = new OrcDataSourceId(file.path());
        OrcChunkLoader chunks =
                OrcChunkLoader.create(
                        id,
                        Slices.wrappedBuffer(ends.footer()),
                        OrcDecompressor.createOrcDecompressor(
                                id, reader.getCompressionKind(), reader.getBufferSize()),
                        newSimpleAggregatedMemoryContext());
        try (OrcInputStream input = new OrcInputStream(chunks)) {
            return metadata.readStripeFooter(reader.getFooter().getTypes(), input, ZoneOffset.UTC);
        }
    }
}
