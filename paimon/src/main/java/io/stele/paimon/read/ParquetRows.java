package io.stele.paimon.read;

import static io.airlift.units.DataSize.Unit.KILOBYTE;
import static io.trino.memory.context.AggregatedMemoryContext.newSimpleAggregatedMemoryContext;
import static org.joda.time.DateTimeZone.UTC;

import io.airlift.units.DataSize;
import io.stele.paimon.handle.PaimonFileSplit;
import io.stele.paimon.type.FileColumns;
import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.parquet.Column;
import io.trino.parquet.Field;
import io.trino.parquet.ParquetReaderOptions;
import io.trino.parquet.ParquetTypeUtils;
import io.trino.parquet.metadata.ParquetMetadata;
import io.trino.parquet.predicate.PredicateUtils;
import io.trino.parquet.predicate.TupleDomainParquetPredicate;
import io.trino.parquet.reader.ParquetReader;
import io.trino.parquet.reader.RowGroupInfo;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.io.MessageColumnIO;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the rows of one split of a Parquet file, by trino-parquet. Confined to one driver.
 */
final class ParquetRows implements FileRows {
    /** Larger sets of values are taken as ranges. */
    private static final int MAX_VALUES = 1_000;

    private static final ParquetReaderOptions OPTIONS =
            ParquetReaderOptions.builder()
                    .withFooterReadSize(DataSize.ofBytes(FileMetadata.FIRST_READ_BYTES))
                    .withUseColumnIndex(true)
                    .withBloomFilter(true)
                    .build();

    /** The options for files whose pages are cached nearby. */
    private static final ParquetReaderOptions PAGED =
            ParquetReaderOptions.builder(OPTIONS)
                    .withMaxMergeDistance(DataSize.of(64, KILOBYTE))
                    .build();

    private final ParquetReader reader;
    private final LakeParquetDataSource source;
    private final AggregatedMemoryContext memory;

    private ParquetRows(
            ParquetReader reader, LakeParquetDataSource source, AggregatedMemoryContext memory) {
        this.reader = reader;
        this.source = source;
        this.memory = memory;
    }

    static ParquetReaderOptions options(FileScan scan) {
        return scan.file().isPrefetching() ? PAGED : OPTIONS;
    }

    static LakeParquetDataSource source(FileScan scan) {
        return new LakeParquetDataSource(
                scan.split().path(), scan.split().fileSize(), scan.file(), options(scan));
    }

    /**
     * @param source owned from now on
     */
    static ParquetRows open(FileScan scan, ParquetMetadata metadata, LakeParquetDataSource source)
            throws IOException {
        PaimonFileSplit split = scan.split();
        ParquetReaderOptions options = options(scan);
        MessageType fileType = metadata.getFileMetaData().getSchema();
        MessageType wanted = wanted(scan, fileType);
        Map<List<String>, ColumnDescriptor> descriptors =
                ParquetTypeUtils.getDescriptors(fileType, wanted);
        TupleDomain<ColumnDescriptor> domain = domain(scan, descriptors);
        TupleDomainParquetPredicate predicate =
                PredicateUtils.buildPredicate(wanted, domain, descriptors, UTC);
        List<RowGroupInfo> rowGroups =
                PredicateUtils.getFilteredRowGroups(
                        split.start(),
                        split.length(),
                        source,
                        metadata,
                        List.of(domain),
                        List.of(predicate),
                        descriptors,
                        UTC,
                        MAX_VALUES,
                        options);
        AggregatedMemoryContext memory = newSimpleAggregatedMemoryContext();
        ParquetReader reader =
                new ParquetReader(
                        Optional.ofNullable(metadata.getFileMetaData().getCreatedBy()),
                        columns(scan, fileType, wanted),
                        false,
                        rowGroups.stream().filter(group -> mayHaveRows(scan, group)).toList(),
                        source,
                        UTC,
                        memory,
                        options,
                        scan.failures(),
                        // If it skips pages of a row group, trino-parquet loses the rows' numbers
                        split.deletions().isPresent()
                                        || scan.rows().selected().isPresent()
                                        || domain.isAll()
                                ? Optional.empty()
                                : Optional.of(predicate),
                        Optional.empty(),
                        Optional.empty());
        return new ParquetRows(reader, source, memory);
    }

    private static boolean mayHaveRows(FileScan scan, RowGroupInfo group) {
        return scan.rows()
                .mayHave(group.fileRowOffset(), group.prunedBlockMetadata().getRowCount());
    }

    /** The name of a column as trino-parquet has it, in lower case. */
    private static String name(FileColumns.Stored stored) {
        return stored.file().name().toLowerCase(Locale.ENGLISH);
    }

    private static MessageType wanted(FileScan scan, MessageType file) {
        List<org.apache.parquet.schema.Type> fields = new ArrayList<>();
        for (FileColumns.Stored stored : scan.columns().stored()) {
            if (!((GroupType) file).containsField(name(stored))) {
                throw scan.missing(stored.file().name());
            }
            fields.add(file.getType(name(stored)));
        }
        return new MessageType(file.getName(), fields);
    }

    private static List<Column> columns(FileScan scan, MessageType file, MessageType wanted) {
        MessageColumnIO io = ParquetTypeUtils.getColumnIO(file, wanted);
        List<Column> columns = new ArrayList<>();
        for (FileColumns.Stored stored : scan.columns().stored()) {
            String name = name(stored);
            Field field =
                    ParquetTypeUtils.constructField(stored.values().stored(), io.getChild(name))
                            .orElseThrow(() -> scan.missing(stored.file().name()));
            columns.add(new Column(name, field));
        }
        return columns;
    }

    private static TupleDomain<ColumnDescriptor> domain(
            FileScan scan, Map<List<String>, ColumnDescriptor> descriptors) {
        Map<ColumnDescriptor, Domain> domains = new HashMap<>();
        scan.domains()
                .forEach(
                        (stored, domain) -> {
                            ColumnDescriptor column = descriptors.get(List.of(name(stored)));
                            if (column != null) {
                                domains.put(column, domain);
                            }
                        });
        return TupleDomain.withColumnDomains(domains);
    }

    @Override
    public @Nullable SourcePage next() throws IOException {
        return reader.nextPage();
    }

    @Override
    public long firstRow() {
        return reader.lastBatchStartRow();
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
        return reader.getMetrics();
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
