package io.stele.connector.read;

import static io.stele.connector.handle.SteleColumnHandle.MERGE_ROW_ID;
import static io.trino.spi.type.IntegerType.INTEGER;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.connector.SteleSessionProperties;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleLiveSplit;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.connector.type.ScanPredicates;
import io.stele.connector.type.TrinoTypes;
import io.stele.protocol.api.HiddenColumns;
import io.stele.protocol.api.ScanTicket;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeUtils;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Opens streams of the rows that only a sidecar has. Thread-safe. */
public final class LivePageSources {
    private final SteleSidecar sidecar;
    private final TrinoTypes types;

    @Inject
    public LivePageSources(SteleSidecar sidecar, TrinoTypes types) {
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.types = requireNonNull(types, "types is null");
    }

    /** The wanted columns of a shard's rows. */
    public ConnectorPageSource open(
            ConnectorSession session,
            SteleTableHandle table,
            SteleLiveSplit split,
            List<SteleColumnHandle> columns,
            TupleDomain<SteleColumnHandle> constraint,
            MemoryContext memory) {
        List<Integer> columnIds = new ArrayList<>();
        List<ScanChannel> channels = new ArrayList<>();
        for (SteleColumnHandle column : columns) {
            channels.add(channel(table.table(), split, column, columnIds));
        }
        ScanTicket ticket =
                new ScanTicket(
                        Optional.of(table.readPointId()),
                        Optional.of(table.snapshot()),
                        table.table().id(),
                        table.table().shard(split.shard()),
                        columnIds,
                        ScanPredicates.narrowed(table.table(), table.constraint(), constraint),
                        split.mode(),
                        table.limit(),
                        OptionalInt.of(table.table().schemaVersion()));
        List<Type> columnTypes = columnIds.stream().map(id -> type(table.table(), id)).toList();
        return new LivePageSource(
                sidecar,
                ticket,
                SteleSessionProperties.queryTag(session),
                columnTypes,
                channels,
                memory);
    }

    private static ScanChannel channel(
            TableSchema table,
            SteleLiveSplit split,
            SteleColumnHandle column,
            List<Integer> columnIds) {
        if (column.id() != MERGE_ROW_ID) {
            return new ScanChannel.Direct(ask(column.id(), columnIds));
        }
        List<ScanChannel> fields = new ArrayList<>();
        fields.add(
                new ScanChannel.Constant(
                        TypeUtils.writeNativeValue(INTEGER, (long) split.shard())));
        if (table.hasPrimaryKey()) {
            for (int columnId : table.primaryKey()) {
                fields.add(new ScanChannel.Direct(ask(columnId, columnIds)));
            }
        } else {
            fields.add(new ScanChannel.Direct(ask(HiddenColumns.ROW_ID, columnIds)));
        }
        return new ScanChannel.RowOf(List.copyOf(fields));
    }

    /** Adds a column to those asked for, once, and tells its channel. */
    private static int ask(int columnId, List<Integer> columnIds) {
        int channel = columnIds.indexOf(columnId);
        if (channel < 0) {
            channel = columnIds.size();
            columnIds.add(columnId);
        }
        return channel;
    }

    private Type type(TableSchema table, int columnId) {
        return columnId < 0 ? BigintType.BIGINT : types.toTrino(table.column(columnId).type());
    }
}
