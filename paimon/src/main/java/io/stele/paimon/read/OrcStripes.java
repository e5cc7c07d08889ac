package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.trino.orc.OrcColumn;
import io.trino.orc.OrcDataSourceId;
import io.trino.orc.OrcPredicate;
import io.trino.orc.StreamId;
import io.trino.orc.metadata.ColumnMetadata;
import io.trino.orc.metadata.OrcColumnId;
import io.trino.orc.metadata.Stream;
import io.trino.orc.metadata.Stream.StreamKind;
import io.trino.orc.metadata.StripeInformation;
import io.trino.orc.metadata.statistics.ColumnStatistics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The selection of an ORC file's stripes and row groups for a scan, by metadata that comes from the
 * cache or is loaded into it. Confined to one driver.
 */
final class OrcStripes {
    private final FileScan scan;
    private final OrcFooter footer;
    private final FileMetadataCache metadata;
    private final OrcConditions conditions;
    private final Set<OrcColumnId> columns = new HashSet<>();
    private final List<StripeInformation> wanted;
    private final OrcDataSourceId id;
    private final ReadAhead ahead;

    OrcStripes(
            FileScan scan,
            OrcFooter footer,
            FileMetadataCache metadata,
            List<OrcColumn> columns,
            OrcConditions conditions) {
        this.scan = requireNonNull(scan, "scan is null");
        this.footer = requireNonNull(footer, "footer is null");
        this.metadata = requireNonNull(metadata, "metadata is null");
        this.conditions = requireNonNull(conditions, "conditions is null");
        this.id = new OrcDataSourceId(scan.split().path());
        this.ahead = new ReadAhead(scan.file());
        include(columns);
        this.wanted = wanted();
    }

    private void include(List<OrcColumn> read) {
        for (OrcColumn column : read) {
            columns.add(column.getColumnId());
            include(column.getNestedColumns());
        }
    }

    /** The stripes of the split that may have wanted rows, selected as by trino-orc. */
    private List<StripeInformation> wanted() {
        OrcPredicate predicate = conditions.predicate();
        var file = footer.reader().getFooter();
        boolean mayMatch =
                file.getFileStats()
                        .map(known -> predicate.matches(file.getNumberOfRows(), known))
                        .orElse(true);
        List<StripeInformation> stripes = file.getStripes();
        var statistics = footer.reader().getMetadata().getStripeStatsList();
        List<StripeInformation> result = new ArrayList<>();
        for (int i = 0; i < stripes.size() && mayMatch; i++) {
            StripeInformation stripe = stripes.get(i);
            boolean isOfSplit =
                    scan.split().start() <= stripe.getOffset()
                            && stripe.getOffset() < scan.split().start() + scan.split().length();
            boolean isWanted =
                    statistics.size() != stripes.size()
                            || statistics
                                    .get(i)
                                    .map(
                                            known ->
                                                    predicate.matches(
                                                            stripe.getNumberOfRows(),
                                                            known.getColumnStatistics()))
                                    .orElse(true);
            if (isOfSplit && isWanted) {
                result.add(stripe);
            }
        }
        result.sort(Comparator.comparingLong(StripeInformation::getOffset));
        return result;
    }

    /** The selected stripes, in the order of the file. */
    List<StripeInformation> wantedStripes() {
        return wanted;
    }

    private static long footerOffset(StripeInformation stripe) {
        return stripe.getOffset() + stripe.getIndexLength() + stripe.getDataLength();
    }

    /** Starts to fetch the footers and indexes of stripes that are not in the cache. */
    void fetchIndexes(List<StripeInformation> stripes) {
        List<ReadAhead.Range> ranges = new ArrayList<>();
        for (StripeInformation stripe : stripes) {
            if (!metadata.has(scan.split().path(), footerOffset(stripe))) {
                ranges.add(new ReadAhead.Range(stripe.getOffset(), stripe.getIndexLength()));
                ranges.add(new ReadAhead.Range(footerOffset(stripe), stripe.getFooterLength()));
            }
        }
        ahead.fetch(ranges);
    }

    /** Loads the metadata of a stripe and selects its row groups. */
    OrcStripe load(StripeInformation stripe) throws IOException {
        OrcStripeFooter stripeFooter =
                metadata.part(
                        scan.split().path(),
                        footerOffset(stripe),
                        OrcStripeFooter.class,
                        () ->
                                footer.stripeFooter(
                                        id,
                                        scan.file()
                                                .read(
                                                        footerOffset(stripe),
                                                        (int) stripe.getFooterLength())));
        Map<Stream, Long> indexes = indexes(stripe, stripeFooter);
        fetchMissing(indexes);
        Map<StreamId, OrcRowIndex> rowIndexes = new HashMap<>();
        Map<OrcColumnId, OrcBloomFilters> filters = new HashMap<>();
        for (Map.Entry<Stream, Long> index : indexes.entrySet()) {
            Stream stream = index.getKey();
            if (stream.getStreamKind() == StreamKind.ROW_INDEX) {
                rowIndexes.put(
                        new StreamId(stream),
                        part(
                                stream,
                                index.getValue(),
                                OrcRowIndex.class,
                                bytes -> footer.rowIndex(id, bytes)));
            } else {
                filters.put(
                        stream.getColumnId(),
                        part(
                                stream,
                                index.getValue(),
                                OrcBloomFilters.class,
                                bytes -> footer.bloomFilters(id, bytes)));
            }
        }
        int groupCount = groupCount(stripe, rowIndexes);
        return OrcStripe.of(
                footer,
                stripe,
                stripeFooter,
                columns,
                rowIndexes,
                select(stripe, groupCount, rowIndexes, filters),
                groupCount);
    }

    private interface Decoder<T> {
        T decode(byte[] bytes) throws IOException;
    }

    private <T extends FileMetadata> T part(
            Stream stream, long offset, Class<T> type, Decoder<T> decoder) throws IOException {
        return metadata.part(
                scan.split().path(),
                offset,
                type,
                () -> decoder.decode(scan.file().read(offset, stream.getLength())));
    }

    /**
     * The streams, with their offsets in the file, of the row indexes of all columns and of the
     * bloom filters of columns with a condition.
     */
    private Map<Stream, Long> indexes(StripeInformation stripe, OrcStripeFooter stripeFooter) {
        Map<Stream, Long> result = new HashMap<>();
        Map<OrcColumnId, Stream> filters = new HashMap<>();
        long offset = stripe.getOffset();
        for (Stream stream : stripeFooter.footer().getStreams()) {
            OrcColumnId column = stream.getColumnId();
            if (columns.contains(column) && stream.getLength() > 0) {
                if (stream.getStreamKind() == StreamKind.ROW_INDEX) {
                    result.put(stream, offset);
                } else if (conditions.usesBloomFilter(column, stream.getStreamKind())) {
                    // The filter of UTF-8 comes after the other filter, and is better
                    Stream other = filters.put(column, stream);
                    if (other != null) {
                        result.remove(other);
                    }
                    result.put(stream, offset);
                }
            }
            offset += stream.getLength();
        }
        return result;
    }

    private void fetchMissing(Map<Stream, Long> indexes) {
        List<ReadAhead.Range> missing = new ArrayList<>();
        indexes.forEach(
                (stream, offset) -> {
                    if (!metadata.has(scan.split().path(), offset)) {
                        missing.add(new ReadAhead.Range(offset, stream.getLength()));
                    }
                });
        ahead.fetch(missing);
    }

    private int groupCount(StripeInformation stripe, Map<StreamId, OrcRowIndex> rowIndexes) {
        int rows = footer.reader().getFooter().getRowsInRowGroup().orElse(0);
        return rows == 0 || rowIndexes.isEmpty()
                ? 1
                : (int) Math.ceilDiv(stripe.getNumberOfRows(), (long) rows);
    }

    private BitSet select(
            StripeInformation stripe,
            int groupCount,
            Map<StreamId, OrcRowIndex> rowIndexes,
            Map<OrcColumnId, OrcBloomFilters> filters) {
        BitSet selected = new BitSet(groupCount);
        selected.set(0, groupCount);
        if (groupCount == 1 || conditions.isEmpty()) {
            return selected;
        }
        int rows = footer.reader().getFooter().getRowsInRowGroup().orElseThrow();
        @Nullable ColumnStatistics[] statistics =
                new ColumnStatistics[footer.reader().getFooter().getTypes().size()];
        for (int group = 0; group < groupCount; group++) {
            for (Map.Entry<StreamId, OrcRowIndex> index : rowIndexes.entrySet()) {
                OrcColumnId column = index.getKey().getColumnId();
                if (conditions.has(column)) {
                    statistics[column.getId()] =
                            statistics(index.getValue(), filters.get(column), group);
                }
            }
            long count = Math.min(rows, stripe.getNumberOfRows() - (long) group * rows);
            selected.set(
                    group,
                    conditions
                            .predicate()
                            .matches(count, new ColumnMetadata<>(Arrays.asList(statistics))));
        }
        return selected;
    }

    private static ColumnStatistics statistics(
            OrcRowIndex index, @Nullable OrcBloomFilters filters, int group) {
        ColumnStatistics statistics = index.groups().get(group).getColumnStatistics();
        return filters == null || filters.filters().isEmpty()
                ? statistics
                : statistics.withBloomFilter(filters.filters().get(group));
    }

    /** The bloom filters of a column of a loaded stripe; empty if the scan does not use them. */
    OrcBloomFilters bloomFilters(OrcStripe stripe, StreamId stream) throws IOException {
        for (Map.Entry<Stream, Long> index :
                indexes(stripe.information(), stripe.footer()).entrySet()) {
            if (new StreamId(index.getKey()).equals(stream)) {
                return part(
                        index.getKey(),
                        index.getValue(),
                        OrcBloomFilters.class,
                        bytes -> footer.bloomFilters(id, bytes));
            }
        }
        return OrcBloomFilters.NONE;
    }
}
