package io.stele.paimon.read;

import static io.airlift.units.DataSize.Unit.KILOBYTE;
import static io.airlift.units.DataSize.Unit.MEGABYTE;
import static io.trino.memory.context.AggregatedMemoryContext.newSimpleAggregatedMemoryContext;

import io.airlift.units.DataSize;
import io.stele.paimon.handle.PaimonFileSplit;
import io.stele.paimon.type.FileColumns;
import io.stele.paimon.type.FileDomains;
import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.orc.OrcColumn;
import io.trino.orc.OrcPredicate;
import io.trino.orc.OrcReaderOptions;
import io.trino.orc.OrcRecordReader;
import io.trino.orc.TupleDomainOrcPredicate;
import io.trino.orc.TupleDomainOrcPredicate.TupleDomainOrcPredicateBuilder;
import io.trino.orc.metadata.StripeInformation;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import io.trino.spi.predicate.Domain;
import io.trino.spi.type.Type;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rows of an ORC file. */
final class OrcRows implements FileRows {
    /** Larger sets of values are taken as ranges. */
    private static final int MAX_BLOOM_VALUES = 1_000;

    /** Stripes whose indexes and footers are fetched at once when a split is opened. */
    private static final int MAX_STRIPES_AHEAD = 64;

    private static final OrcReaderOptions DIRECT =
            new OrcReaderOptions().withBloomFiltersEnabled(true);

    /**
     * For files whose pages are cached nearby: trino-orc would read the bytes between wanted
     * columns, and stripes of 8 MB whole, which fetches pages that are not needed.
     */
    private static final OrcReaderOptions PAGED =
            new OrcReaderOptions()
                    .withBloomFiltersEnabled(true)
                    .withMaxMergeDistance(DataSize.of(64, KILOBYTE))
                    .withTinyStripeThreshold(DataSize.of(1, MEGABYTE));

    private final OrcRecordReader reader;
    private final LakeOrcDataSource source;
    private final AggregatedMemoryContext memory;

    private OrcRows(
            OrcRecordReader reader, LakeOrcDataSource source, AggregatedMemoryContext memory) {
        this.reader = reader;
        this.source = source;
        this.memory = memory;
    }

    static OrcRows open(FileScan scan, FileMetadataCache footers) throws IOException {
        PaimonFileSplit split = scan.split();
        OrcFooter footer = footers.orc(split.path(), split.fileSize(), scan.file());
        List<OrcColumn> columns = new ArrayList<>();
        List<Type> types = new ArrayList<>();
        for (FileColumns.Stored stored : scan.columns().stored()) {
            columns.add(column(scan, footer, stored));
            types.add(stored.values().stored());
        }
        OrcPredicate predicate = predicate(scan, columns);
        OrcReaderOptions options = scan.file().isPrefetching() ? PAGED : DIRECT;
        LakeOrcDataSource source =
                new LakeOrcDataSource(split.path(), split.fileSize(), scan.file(), options);
        prefetchStripes(split, footer, predicate, source.ahead());
        AggregatedMemoryContext memory = newSimpleAggregatedMemoryContext();
        OrcRecordReader reader =
                footer.records(
                        source,
                        options,
                        columns,
                        types,
                        predicate,
                        split.start(),
                        split.length(),
                        memory,
                        scan.failures());
        return new OrcRows(reader, source, memory);
    }

    private static OrcColumn column(FileScan scan, OrcFooter footer, FileColumns.Stored stored) {
        return footer.reader().getRootColumn().getNestedColumns().stream()
                .filter(column -> column.getColumnName().equals(stored.file().name()))
                .findFirst()
                .orElseThrow(() -> scan.missing(stored.file().name()));
    }

    private static OrcPredicate predicate(FileScan scan, List<OrcColumn> columns) {
        TupleDomainOrcPredicateBuilder plain = TupleDomainOrcPredicate.builder();
        TupleDomainOrcPredicateBuilder bloom =
                TupleDomainOrcPredicate.builder()
                        .setBloomFiltersEnabled(true)
                        .setDomainCompactionThreshold(MAX_BLOOM_VALUES);
        Map<FileColumns.Stored, Domain> domains = scan.domains();
        if (domains.isEmpty()) {
            return OrcPredicate.TRUE;
        }
        domains.forEach(
                (stored, domain) -> {
                    OrcColumn column = columns.get(scan.columns().stored().indexOf(stored));
                    // In bloom filters, trino-orc looks for timestamps in a wrong unit
                    boolean hasBloom = FileDomains.hasOrcBloomFilter(stored.file().type());
                    (hasBloom ? bloom : plain).addColumn(column.getColumnId(), domain);
                });
        OrcPredicate first = plain.build();
        OrcPredicate second = bloom.build();
        return (rows, statistics) ->
                first.matches(rows, statistics) && second.matches(rows, statistics);
    }

    /** The row indexes and footers of the wanted stripes are fetched together. */
    private static void prefetchStripes(
            PaimonFileSplit split, OrcFooter footer, OrcPredicate predicate, ReadAhead ahead) {
        List<StripeInformation> stripes = footer.reader().getFooter().getStripes();
        var statistics = footer.reader().getMetadata().getStripeStatsList();
        List<ReadAhead.Range> ranges = new ArrayList<>();
        for (int i = 0; i < stripes.size() && ranges.size() < 2 * MAX_STRIPES_AHEAD; i++) {
            StripeInformation stripe = stripes.get(i);
            boolean isWanted =
                    split.start() <= stripe.getOffset()
                            && stripe.getOffset() < split.start() + split.length();
            boolean mayMatch =
                    i >= statistics.size()
                            || statistics
                                    .get(i)
                                    .map(
                                            known ->
                                                    predicate.matches(
                                                            stripe.getNumberOfRows(),
                                                            known.getColumnStatistics()))
                                    .orElse(true);
            if (isWanted && mayMatch) {
                long data = stripe.getOffset() + stripe.getIndexLength();
                ranges.add(new ReadAhead.Range(stripe.getOffset(), stripe.getIndexLength()));
                ranges.add(
                        new ReadAhead.Range(
                                data + stripe.getDataLength(), stripe.getFooterLength()));
            }
        }
        ahead.fetch(ranges);
    }

    @Override
    public @Nullable SourcePage next() throws IOException {
        return reader.nextPage();
    }

    @Override
    public long firstRow() {
        return reader.getFilePosition();
    }

    @Override
    public long readBytes() {
        return source.getReadBytes();
    }

    @Override
    public long readNanos() {
        return source.getReadTimeNanos();
    }

    @Override
    public long memoryBytes() {
        return memory.getBytes();
    }

    @Override
    public Metrics metrics() {
        return Metrics.EMPTY;
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
