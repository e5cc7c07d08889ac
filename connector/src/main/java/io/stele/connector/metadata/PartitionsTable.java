package io.stele.connector.metadata;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_NANOSECOND;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slices;
import io.stele.connector.type.NativeValues;
import io.stele.connector.type.TrinoTypes;
import io.stele.protocol.api.PartitionFiles;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.Page;
import io.trino.spi.PageBuilder;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.FixedPageSource;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Chars;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeUtils;
import java.util.List;
import java.util.Optional;

/**
 * {@code "t$partitions"}: the partitions of a table that have column files, with what the files
 * hold now. Rows in memory are not counted.
 */
final class PartitionsTable implements SystemTable {
    static final String SUFFIX = "$partitions";

    private static final List<String> COUNTS = List.of("record_count", "file_count", "total_size");

    private final TableSchema table;
    private final CatalogRequests catalog;
    private final List<ColumnSchema> columns;
    private final List<Type> types;

    PartitionsTable(TableSchema table, CatalogRequests catalog, TrinoTypes trinoTypes) {
        this.table = requireNonNull(table, "table is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.columns = table.columns(table.partitionedBy());
        ImmutableList.Builder<Type> found = ImmutableList.builder();
        columns.forEach(column -> found.add(trinoTypes.toTrino(column.type())));
        COUNTS.forEach(_ -> found.add(BIGINT));
        this.types = found.build();
    }

    @Override
    public Distribution getDistribution() {
        return Distribution.SINGLE_COORDINATOR;
    }

    @Override
    public ConnectorTableMetadata getTableMetadata() {
        ImmutableList.Builder<ColumnMetadata> metadata = ImmutableList.builder();
        for (int channel = 0; channel < types.size(); channel++) {
            String name =
                    channel < columns.size()
                            ? columns.get(channel).name()
                            : COUNTS.get(channel - columns.size());
            metadata.add(new ColumnMetadata(name, types.get(channel)));
        }
        return new ConnectorTableMetadata(
                new SchemaTableName(table.schemaName(), table.tableName() + SUFFIX),
                metadata.build());
    }

    @Override
    public ConnectorPageSource pageSource(
            ConnectorTransactionHandle transactionHandle,
            ConnectorSession session,
            TupleDomain<Integer> constraint) {
        return new FixedPageSource(pages(catalog.partitions(table)));
    }

    private List<Page> pages(List<PartitionFiles> partitions) {
        KeyEncoder encoder = KeyEncoder.forColumns(table, table.partitionedBy());
        PageBuilder page = new PageBuilder(types);
        ImmutableList.Builder<Page> pages = ImmutableList.builder();
        for (PartitionFiles partition : partitions) {
            page.declarePosition();
            List<Optional<byte[]>> values = encoder.split(partition.partition());
            for (int channel = 0; channel < values.size(); channel++) {
                DataType stored = columns.get(channel).type();
                Object value = values.get(channel).map(bytes -> value(stored, bytes)).orElse(null);
                TypeUtils.writeNativeValue(
                        types.get(channel), page.getBlockBuilder(channel), value);
            }
            int channel = values.size();
            BIGINT.writeLong(page.getBlockBuilder(channel++), partition.rowCount());
            BIGINT.writeLong(page.getBlockBuilder(channel++), partition.fileCount());
            BIGINT.writeLong(page.getBlockBuilder(channel), partition.sizeBytes());
            if (page.isFull()) {
                pages.add(page.build());
                page.reset();
            }
        }
        pages.add(page.build());
        return pages.build();
    }

    private static Object value(DataType stored, byte[] encoded) {
        return switch (stored.kind()) {
            case VARCHAR, VARBINARY, UUID -> Slices.wrappedBuffer(encoded);
            case CHAR -> Chars.trimTrailingSpaces(Slices.wrappedBuffer(encoded));
            case TIME -> ValueCodec.of(stored).decodeLong(encoded) * PICOSECONDS_PER_NANOSECOND;
            case BOOLEAN,
                    TINYINT,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    REAL,
                    DOUBLE,
                    DECIMAL,
                    DATE,
                    TIMESTAMP,
                    TIMESTAMP_WITH_TIME_ZONE,
                    JSON,
                    ARRAY,
                    MAP,
                    ROW ->
                    NativeValues.decode(stored, encoded).orElseThrow();
        };
    }
}
