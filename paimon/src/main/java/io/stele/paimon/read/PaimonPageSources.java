package io.stele.paimon.read;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_BAD_DATA;
import static io.stele.paimon.error.PaimonErrorCode.PAIMON_SNAPSHOT_EXPIRED;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonFileSplit;
import io.stele.paimon.handle.PaimonMergedSplit;
import io.stele.paimon.handle.PaimonReaderSplit;
import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.image.TableSchemas;
import io.stele.paimon.table.LakeTables;
import io.stele.paimon.type.DomainPredicates;
import io.stele.paimon.type.IndexedColumns;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.ConnectorPageSourceProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorTableCredentials;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.DynamicFilter;
import io.trino.spi.connector.EmptyPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.predicate.TupleDomain;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.io.DataInputViewStreamWrapper;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowType;

/**
 * The provider of page sources on workers, which selects the raw, the merging or Paimon's own
 * reader by the kind of split. Thread-safe.
 */
public final class PaimonPageSources implements ConnectorPageSourceProvider {
    private final LakeTables tables;
    private final TableSchemas schemas;
    private final RawFilePageSources rawFiles;
    private final SortedFilePageSources sortedFiles;

    @Inject
    public PaimonPageSources(
            LakeTables tables,
            TableSchemas schemas,
            RawFilePageSources rawFiles,
            SortedFilePageSources sortedFiles) {
        this.sortedFiles = requireNonNull(sortedFiles, "sortedFiles is null");
        this.schemas = requireNonNull(schemas, "schemas is null");
        this.tables = requireNonNull(tables, "tables is null");
        this.rawFiles = requireNonNull(rawFiles, "rawFiles is null");
    }

    @Override
    public ConnectorPageSource createPageSource(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            ConnectorSplit split,
            ConnectorTableHandle tableHandle,
            Optional<ConnectorTableCredentials> credentials,
            List<ColumnHandle> columnHandles,
            DynamicFilter dynamicFilter) {
        return createPageSource(
                transaction,
                session,
                split,
                tableHandle,
                credentials,
                columnHandles,
                dynamicFilter,
                MemoryContext.NO_LIMIT);
    }

    @Override
    public ConnectorPageSource createPageSource(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            ConnectorSplit split,
            ConnectorTableHandle tableHandle,
            Optional<ConnectorTableCredentials> credentials,
            List<ColumnHandle> columnHandles,
            DynamicFilter dynamicFilter,
            MemoryContext memory) {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
        List<PaimonColumnHandle> columns =
                columnHandles.stream().map(PaimonColumnHandle.class::cast).toList();
        TupleDomain<PaimonColumnHandle> wanted =
                handle.constraint()
                        .intersect(
                                dynamicFilter
                                        .getCurrentPredicate()
                                        .transformKeys(PaimonColumnHandle.class::cast));
        if (wanted.isNone()) {
            return new EmptyPageSource();
        }
        FileStoreTable table = tables.table(handle);
        return switch (split) {
            case PaimonFileSplit file ->
                    rawFiles.open(
                            schemas.schema(table, file.schemaId()),
                            table.schema(),
                            file,
                            columns,
                            wanted,
                            memory);
            case PaimonMergedSplit sorted ->
                    sortedFiles.open(
                            table,
                            id -> schemas.schema(table, id),
                            sorted,
                            columns,
                            wanted,
                            memory);
            case PaimonReaderSplit merge -> merging(handle, table, merge, columns, wanted);
            default ->
                    throw new IllegalArgumentException(
                            "Expected a split of Paimon, found " + split);
        };
    }

    private ConnectorPageSource merging(
            PaimonTableHandle handle,
            FileStoreTable table,
            PaimonReaderSplit split,
            List<PaimonColumnHandle> columns,
            TupleDomain<PaimonColumnHandle> wanted) {
        List<DataField> fields = fields(table.rowType(), columns);
        ReadBuilder builder =
                withoutInexactIndexes(table).newReadBuilder().withReadType(new RowType(fields));
        Optional<Predicate> predicate = DomainPredicates.of(wanted, table.rowType());
        predicate.ifPresent(builder::withFilter);
        try {
            DataSplit dataSplit =
                    DataSplit.deserialize(
                            new DataInputViewStreamWrapper(
                                    new ByteArrayInputStream(split.split())));
            RecordReader<InternalRow> reader = builder.newRead().createReader(dataSplit);
            return new PaimonRowsPageSource(
                    reader,
                    fields.stream().map(DataField::type).toList(),
                    columns.stream().map(PaimonColumnHandle::type).toList(),
                    failure -> failure(handle, split, failure));
        } catch (IOException | RuntimeException e) {
            throw failure(handle, split, e);
        }
    }

    private static FileStoreTable withoutInexactIndexes(FileStoreTable table) {
        return IndexedColumns.mayPaimonRead(table)
                ? table
                : table.copy(Map.of(CoreOptions.FILE_INDEX_READ_ENABLED.key(), "false"));
    }

    private static List<DataField> fields(RowType rows, List<PaimonColumnHandle> columns) {
        Map<Integer, DataField> byId =
                rows.getFields().stream().collect(Collectors.toMap(DataField::id, field -> field));
        return columns.stream().map(column -> requireNonNull(byId.get(column.id()))).toList();
    }

    private static TrinoException failure(
            PaimonTableHandle handle, PaimonReaderSplit split, Exception cause) {
        if (cause instanceof TrinoException known) {
            return known;
        }
        Optional<Throwable> missing = ReadFailures.findMissing(cause);
        if (missing.isPresent()) {
            return new TrinoException(
                    PAIMON_SNAPSHOT_EXPIRED,
                    "A file of snapshot %s of %s is gone, which probably expired while the query ran: %s"
                            .formatted(
                                    handle.snapshotId().orElse(0),
                                    handle.name(),
                                    missing.get().getMessage()),
                    cause);
        }
        return new TrinoException(
                PAIMON_BAD_DATA,
                "Cannot read snapshot %s of %s in %s: %s"
                        .formatted(
                                handle.snapshotId().orElse(0),
                                handle.name(),
                                split.affinity(),
                                cause.getMessage()),
                cause);
    }
}
