package io.stele.connector.read;

import static io.trino.memory.context.AggregatedMemoryContext.newSimpleAggregatedMemoryContext;
import static java.util.Objects.requireNonNull;

import io.airlift.slice.Slices;
import io.stele.storage.format.ChecksummedFile;
import io.stele.storage.objectstore.ObjectReader;
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
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Begins to fetch what a scan is going to read of a file, so that it waits for the warehouse about
 * twice and not several times a stripe: first the ends of its stripes, all at once; when one has
 * come, the columns of its stripe, as its footer says where they are.
 *
 * <p>Nothing is read for the scan itself here: it finds the pages, or waits for those on their way.
 * What is fetched ahead is limited by the data page cache. Used by one thread; its tasks run on the
 * executor.
 */
final class StripePrefetch {
    private final ChecksummedFile file;
    private final FileTails tails;
    private final boolean keepsStripes;
    private final ObjectReader pages;
    private final OrcReader reader;
    private final OrcMetadataReader metadata;
    private final long maxGap;
    private final Set<OrcColumnId> columns = new HashSet<>();
    private final Executor executor;

    /**
     * @param keepsStripes whether the ends of stripes come from {@code tails}
     * @param options those that the scan reads with
     * @param columns those that the scan reads
     * @param executor runs tasks that wait for the warehouse
     */
    StripePrefetch(
            ChecksummedFile file,
            FileTails tails,
            boolean keepsStripes,
            OrcReader reader,
            OrcReaderOptions options,
            Collection<OrcColumn> columns,
            Executor executor) {
        this.file = requireNonNull(file, "file is null");
        this.tails = requireNonNull(tails, "tails is null");
        this.keepsStripes = keepsStripes;
        this.pages = file.unchecked();
        this.reader = requireNonNull(reader, "reader is null");
        this.metadata = new OrcMetadataReader(options);
        this.maxGap = options.getMaxMergeDistance().toBytes();
        this.executor = requireNonNull(executor, "executor is null");
        include(columns);
    }

    private void include(Collection<OrcColumn> more) {
        for (OrcColumn column : more) {
            columns.add(column.getColumnId());
            include(column.getNestedColumns());
        }
    }

    /**
     * Begins with the stripes of a split that statistics do not rule out.
     *
     * @return completes when the first of them has come, or came to nothing; never fails
     */
    CompletableFuture<Void> start(long splitStart, long splitLength, OrcPredicate statistics) {
        CompletableFuture<Void> first = CompletableFuture.completedFuture(null);
        boolean begun = false;
        for (StripeInformation stripe : wanted(splitStart, splitLength, statistics)) {
            CompletableFuture<Void> whole =
                    ends(stripe)
                            .thenApplyAsync(_ -> fetchColumns(stripe), executor)
                            .thenCompose(columnsOfStripe -> columnsOfStripe)
                            .exceptionally(_ -> null);
            if (!begun) {
                first = whole;
                begun = true;
            }
        }
        return first;
    }

    private List<StripeInformation> wanted(
            long splitStart, long splitLength, OrcPredicate statistics) {
        List<StripeInformation> stripes = reader.getFooter().getStripes();
        List<StripeInformation> wanted = new ArrayList<>();
        for (int index = 0; index < stripes.size(); index++) {
            StripeInformation stripe = stripes.get(index);
            if (splitStart <= stripe.getOffset()
                    && stripe.getOffset() < splitStart + splitLength
                    && mayMatch(index, stripe, statistics)) {
                wanted.add(stripe);
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

    private CompletableFuture<Void> ends(StripeInformation stripe) {
        if (keepsStripes && tails.hasStripe(file, stripe)) {
            return CompletableFuture.completedFuture(null);
        }
        return CompletableFuture.allOf(
                pages.prefetch(stripe.getOffset(), stripe.getIndexLength()),
                pages.prefetch(StripeEnds.footerOffset(stripe), stripe.getFooterLength()));
    }

    private CompletableFuture<Void> fetchColumns(StripeInformation stripe) {
        List<CompletableFuture<Void>> begun = new ArrayList<>();
        try {
            long position = stripe.getOffset();
            long start = position;
            long end = position;
            for (Stream stream : footer(stripe).getStreams()) {
                if (stream.getLength() > 0 && columns.contains(stream.getColumnId())) {
                    if (position - end > maxGap) {
                        begun.add(pages.prefetch(start, end - start));
                        start = position;
                    }
                    end = position + stream.getLength();
                }
                position += stream.getLength();
            }
            begun.add(pages.prefetch(start, end - start));
        } catch (IOException | RuntimeException e) {
            // Whoever reads the stripe meets the same, and says so
        }
        return CompletableFuture.allOf(begun.toArray(CompletableFuture<?>[]::new));
    }

    private StripeFooter footer(StripeInformation stripe) throws IOException {
        StripeEnds ends =
                keepsStripes && StripeEnds.isKept(stripe)
                        ? tails.stripe(file, stripe)
                        : StripeEnds.read(file, stripe);
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
