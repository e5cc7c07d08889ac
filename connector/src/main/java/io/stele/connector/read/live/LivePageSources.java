package io.stele.connector.read.live;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.stele.connector.config.SteleSessionProperties;
import io.stele.connector.handle.SteleAggregation;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleLiveSplit;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.handle.TableChangesHandle;
import io.stele.connector.read.page.ScanChannel;
import io.stele.connector.read.prune.ShardPruning;
import io.stele.connector.read.prune.SplitLimits;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.connector.type.KeyRows;
import io.stele.connector.type.ScanPredicates;
import io.stele.connector.type.TrinoTypes;
import io.stele.protocol.ShardId;
import io.stele.protocol.api.scan.HiddenColumns;
import io.stele.protocol.api.scan.LookupKeys;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanTicket;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.FixedPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** A factory of page sources over streams of the rows that only a sidecar has. Thread-safe. */
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
        ScanChannel shard = ScanChannel.shard(split.shard());
        return open(
                session,
                table,
                Optional.of(table.table().shard(split.shard())),
                split.mode(),
                StreamColumns.of(table.table(), columns, _ -> shard),
                constraint,
                Optional.empty(),
                memory);
    }

    /** The wanted columns of the rows that a lookup finds in all shards. */
    public ConnectorPageSource lookUp(
            ConnectorSession session,
            SteleTableHandle table,
            List<SteleColumnHandle> columns,
            TupleDomain<SteleColumnHandle> constraint,
            MemoryContext memory) {
        return open(
                session,
                table,
                Optional.empty(),
                ScanMode.LOOKUP,
                StreamColumns.of(
                        table.table(), columns, stream -> shardOfKey(table.table(), stream)),
                constraint,
                Optional.empty(),
                memory);
    }

    /** The wanted columns of the rows of some keys that satisfy the table's constraint. */
    public ConnectorPageSource lookUp(
            ConnectorSession session,
            SteleTableHandle table,
            List<SteleColumnHandle> columns,
            LookupKeys keys) {
        return open(
                session,
                table,
                Optional.empty(),
                ScanMode.LOOKUP,
                StreamColumns.of(
                        table.table(), columns, stream -> shardOfKey(table.table(), stream)),
                table.constraint(),
                Optional.of(keys),
                MemoryContext.NO_LIMIT);
    }

    /** The wanted columns of the results of a table's aggregation. */
    public ConnectorPageSource aggregate(
            ConnectorSession session,
            SteleTableHandle table,
            List<SteleColumnHandle> columns,
            MemoryContext memory) {
        SteleAggregation made = table.aggregation().orElseThrow();
        ScanTicket ticket =
                ticket(table, ScanMode.AGGREGATE, List.of())
                        .where(ScanPredicates.of(table.table(), table.constraint()))
                        .aggregate(Optional.of(made.aggregation()))
                        .build();
        return new LivePageSource(
                sidecar,
                ticket,
                SteleSessionProperties.queryIdentity(session),
                made.columns().stream().map(SteleColumnHandle::type).toList(),
                columns.stream()
                        .<ScanChannel>map(
                                column -> new ScanChannel.Direct(made.columns().indexOf(column)))
                        .toList(),
                memory);
    }

    /** The changes of the rows of a shard, with the wanted columns of the table function. */
    public ConnectorPageSource changes(
            ConnectorSession session,
            TableChangesHandle changes,
            int shard,
            List<SteleColumnHandle> wanted,
            MemoryContext memory) {
        ChangeLsnRange lsns = ChangeLsnRange.of(changes);
        if (lsns.isEmpty() || changes.constraint().isNone()) {
            return new FixedPageSource(ImmutableList.of());
        }
        SteleTableHandle table = changes.table();
        ScanChannel ofShard = ScanChannel.shard(shard);
        StreamColumns columns =
                StreamColumns.of(
                        table.table(),
                        wanted.stream().filter(column -> column.id() > 0).toList(),
                        _ -> ofShard);
        Iterator<ScanChannel> ofTable = columns.channels().iterator();
        List<ScanChannel> channels = new ArrayList<>();
        for (SteleColumnHandle column : wanted) {
            if (column.equals(TableChangesHandle.TYPE)) {
                channels.add(new ScanChannel.ChangeType(columns.ask(HiddenColumns.ROW_ID)));
            } else if (column.equals(TableChangesHandle.VERSION)) {
                channels.add(new ScanChannel.Direct(columns.ask(HiddenColumns.LSN)));
            } else if (column.equals(TableChangesHandle.TIMESTAMP)) {
                channels.add(new ScanChannel.TimeOfLsn(columns.ask(HiddenColumns.LSN)));
            } else {
                channels.add(ofTable.next());
            }
        }
        ScanTicket ticket =
                ticket(table, ScanMode.CHANGES, columns.ids())
                        .in(table.table().shard(shard))
                        .changesAfter(Optional.of(lsns.after()))
                        .changesUpTo(lsns.upTo())
                        .where(ScanPredicates.of(table.table(), changes.constraint()))
                        .build();
        return new LivePageSource(
                sidecar,
                ticket,
                SteleSessionProperties.queryIdentity(session),
                types(columns),
                channels,
                memory);
    }

    /** A ticket at the snapshot of a query. */
    private static ScanTicket.Builder ticket(
            SteleTableHandle table, ScanMode mode, List<Integer> columnIds) {
        return ScanTicket.of(table.table().id(), mode, columnIds)
                .at(table.snapshotId(), table.snapshot())
                .ofVersion(table.table().schemaVersion());
    }

    private List<Type> types(StreamColumns columns) {
        return columns.ids().stream()
                .map(id -> id < 0 ? BigintType.BIGINT : types.toTrino(columns.type(id)))
                .toList();
    }

    private ConnectorPageSource open(
            ConnectorSession session,
            SteleTableHandle table,
            Optional<ShardId> shard,
            ScanMode mode,
            StreamColumns columns,
            TupleDomain<SteleColumnHandle> constraint,
            Optional<LookupKeys> keys,
            MemoryContext memory) {
        ScanTicket ticket =
                ticket(table, mode, columns.ids())
                        .in(shard)
                        .where(
                                ScanPredicates.narrowed(
                                        table.table(),
                                        table.constraint(),
                                        table.constraint().intersect(constraint)))
                        .limit(SplitLimits.ofStream(table, mode))
                        .keys(keys)
                        .fields(columns.fields())
                        .build();
        return new LivePageSource(
                sidecar,
                ticket,
                SteleSessionProperties.queryIdentity(session),
                types(columns),
                columns.channels(),
                memory);
    }

    private ScanChannel shardOfKey(TableSchema table, StreamColumns stream) {
        List<ColumnSchema> key = table.distributionColumns();
        return new ScanChannel.ShardOf(
                new KeyRows(ShardPruning.distributionTable(table), key, types),
                key.stream().map(column -> stream.ask(column.id())).toList());
    }
}
