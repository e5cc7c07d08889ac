package io.stele.paimon.write;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.read.PaimonPageSources;
import io.stele.paimon.table.LakeTables;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.ConnectorPageSourceProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorTableCredentials;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.DynamicFilter;
import io.trino.spi.connector.MemoryContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The connector's page source provider on workers, which adds row ids to the scans that request the
 * column of {@link MergeRowIds}. Thread-safe.
 */
public final class MergeRowPageSources implements ConnectorPageSourceProvider {
    private final PaimonPageSources sources;
    private final LakeTables tables;

    @Inject
    public MergeRowPageSources(PaimonPageSources sources, LakeTables tables) {
        this.sources = requireNonNull(sources, "sources is null");
        this.tables = requireNonNull(tables, "tables is null");
    }

    @Override
    public ConnectorPageSource createPageSource(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            ConnectorSplit split,
            ConnectorTableHandle table,
            Optional<ConnectorTableCredentials> credentials,
            List<ColumnHandle> columns,
            DynamicFilter dynamicFilter) {
        return createPageSource(
                transaction,
                session,
                split,
                table,
                credentials,
                columns,
                dynamicFilter,
                MemoryContext.NO_LIMIT);
    }

    @Override
    public ConnectorPageSource createPageSource(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            ConnectorSplit split,
            ConnectorTableHandle table,
            Optional<ConnectorTableCredentials> credentials,
            List<ColumnHandle> columns,
            DynamicFilter dynamicFilter,
            MemoryContext memory) {
        List<PaimonColumnHandle> wanted =
                columns.stream().map(PaimonColumnHandle.class::cast).collect(toImmutableList());
        if (wanted.stream().noneMatch(column -> column.id() == MergeRowIds.COLUMN_ID)) {
            return sources.createPageSource(
                    transaction,
                    session,
                    split,
                    table,
                    credentials,
                    columns,
                    dynamicFilter,
                    memory);
        }
        List<PaimonColumnHandle> rowId =
                MergeRowIds.columns(tables.table((PaimonTableHandle) table));
        List<ColumnHandle> read = new ArrayList<>();
        for (PaimonColumnHandle column : wanted) {
            if (column.id() != MergeRowIds.COLUMN_ID) {
                read.add(column);
            }
        }
        for (PaimonColumnHandle column : rowId) {
            if (indexOf(read, column) < 0) {
                read.add(column);
            }
        }
        return new MergeRowPageSource(
                sources.createPageSource(
                        transaction,
                        session,
                        split,
                        table,
                        credentials,
                        read,
                        dynamicFilter,
                        memory),
                wanted.stream()
                        .mapToInt(
                                column ->
                                        column.id() == MergeRowIds.COLUMN_ID
                                                ? MergeRowPageSource.ROW_ID
                                                : indexOf(read, column))
                        .toArray(),
                rowId.stream().mapToInt(column -> indexOf(read, column)).toArray());
    }

    private static int indexOf(List<ColumnHandle> columns, PaimonColumnHandle wanted) {
        for (int i = 0; i < columns.size(); i++) {
            if (((PaimonColumnHandle) columns.get(i)).id() == wanted.id()) {
                return i;
            }
        }
        return -1;
    }
}
