package io.stele.paimon.read;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_BAD_DATA;
import static io.stele.paimon.error.PaimonErrorCode.PAIMON_SNAPSHOT_EXPIRED;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.paimon.field.FieldPageSource;
import io.stele.paimon.field.ScanColumns;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonFileSplit;
import io.stele.paimon.handle.PaimonMergedSplit;
import io.stele.paimon.handle.PaimonReaderSplit;
import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.image.TableSchemas;
import io.stele.paimon.table.LakeTables;
import io.stele.paimon.type.DomainPredicates;
import io.stele.paimon.type.IndexedColumns;
import io.stele.paimon.type.ReadSchemas;
import io.trino.spi.Page;
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
import io.trino.spi.connector.FixedPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.predicate.TupleDomain;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.io.DataInputViewStreamWrapper;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.TableSchema;
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
    private static final long MAX_PAGE_ROWS = 1 << 17;

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
                                PaimonColumnHandle.ofWholeColumns(
                                        dynamicFilter.getCurrentPredicate()));
        if (wanted.isNone()) {
            return new EmptyPageSource();
        }
        if (split instanceof PaimonFileSplit file
                && columns.isEmpty()
                && wanted.isAll()
                && file.visibleRows().isPresent()) {
            // The first part of a file stands for all of them
            return rows(file.start() == 0 ? file.visibleRows().getAsLong() : 0);
        }
        FileStoreTable table = tables.table(handle);
        if (split instanceof PaimonFileSplit file) {
            return raw(table, file, columns, wanted, memory);
        }
        // Merged rows are those of whole columns
        ScanColumns whole = ScanColumns.whole(table.rowType(), columns);
        return switch (split) {
            case PaimonMergedSplit sorted ->
                    select(
                            sortedFiles.open(
                                    table,
                                    id -> schemas.schema(table, id),
                                    sorted,
                                    whole.read(),
                                    wanted,
                                    memory),
                            whole);
            case PaimonReaderSplit merge ->
                    select(merging(handle, table, merge, whole, wanted), whole);
            default ->
                    throw new IllegalArgumentException(
                            "Expected a split of Paimon, found " + split);
        };
    }

    /** Rows without columns, of which a {@code count(*)} needs the number alone. */
    private static ConnectorPageSource rows(long count) {
        List<Page> pages = new ArrayList<>();
        for (long left = count; left > 0; left -= MAX_PAGE_ROWS) {
            pages.add(new Page((int) Math.min(left, MAX_PAGE_ROWS)));
        }
        return new FixedPageSource(pages);
    }

    /** The rows of one file, of whose row columns only the wanted fields are read. */
    private ConnectorPageSource raw(
            FileStoreTable table,
            PaimonFileSplit file,
            List<PaimonColumnHandle> columns,
            TupleDomain<PaimonColumnHandle> wanted,
            MemoryContext memory) {
        TableSchema fileSchema = schemas.schema(table, file.schemaId());
        TableSchema readSchema = table.schema();
        ScanColumns read = ScanColumns.pruned(table.rowType(), columns);
        if (!read.isAsRead()) {
            TableSchema pruned = withFields(readSchema, read.fields());
            if (RawFilePageSources.canRead(file.format(), fileSchema, pruned, read.read())) {
                readSchema = pruned;
            } else {
                read = ScanColumns.whole(table.rowType(), columns);
            }
        }
        return select(
                rawFiles.open(fileSchema, readSchema, file, read.read(), wanted, memory), read);
    }

    private static ConnectorPageSource select(ConnectorPageSource source, ScanColumns columns) {
        return columns.isAsRead() ? source : new FieldPageSource(source, columns.wanted());
    }

    /** The schema with some of its columns read in part. */
    private static TableSchema withFields(TableSchema schema, List<DataField> read) {
        Map<Integer, DataField> byId =
                read.stream().collect(Collectors.toMap(DataField::id, field -> field));
        return ReadSchemas.withFields(
                schema,
                schema.fields().stream()
                        .map(field -> byId.getOrDefault(field.id(), field))
                        .toList());
    }

    private ConnectorPageSource merging(
            PaimonTableHandle handle,
            FileStoreTable table,
            PaimonReaderSplit split,
            ScanColumns columns,
            TupleDomain<PaimonColumnHandle> wanted) {
        ReadBuilder builder =
                withoutInexactIndexes(table)
                        .newReadBuilder()
                        .withReadType(new RowType(columns.fields()));
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
                    columns.fields().stream().map(DataField::type).toList(),
                    columns.read().stream().map(PaimonColumnHandle::type).toList(),
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
