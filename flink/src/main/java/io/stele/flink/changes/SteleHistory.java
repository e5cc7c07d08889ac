package io.stele.flink.changes;

import static java.util.Objects.requireNonNull;

import io.stele.client.Change;
import io.stele.client.ChangeOptions;
import io.stele.client.ShardChanges;
import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.flight.FlightClient;
import io.stele.client.lease.LeasedSnapshot;
import io.stele.client.lease.SnapshotLease;
import io.stele.client.lease.SnapshotLeases;
import io.stele.client.lease.SnapshotService;
import io.stele.flink.option.SteleOptions;
import io.stele.flink.source.ShardRows;
import io.stele.flink.table.RowReader;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.scan.ChangeKind;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/**
 * The history of a table's shards, read from sidecars over Flight. Owns its client. Thread-safe,
 * except for its feeds.
 */
final class SteleHistory implements ShardHistory {
    private final ChangeTarget target;
    private final SteleClient client;

    /** The last opened table, by which the sidecars of shards are found. */
    private volatile @Nullable SteleTable latest;

    SteleHistory(ChangeTarget target, SteleClient client) {
        this.target = target;
        this.client = client;
    }

    /** Opens the current table, if it is still the table to which the LSN belongs; blocks. */
    static SteleTable open(ChangeTarget target, SteleClient client, TableId expected, Lsn lsn) {
        SteleTable opened = target.table().open(client);
        if (!opened.schema().id().equals(expected)) {
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "Expected the changes of table %s after LSN %s, found it replaced or truncated since: start without the state of the job"
                            .formatted(target.table(), lsn.withTime()));
        }
        return opened;
    }

    private SteleTable open(ChangeSplit split) {
        SteleTable opened = open(target, client, split.tableId(), split.position());
        latest = opened;
        return opened;
    }

    private FlightClient flight(int shard) {
        return requireNonNull(latest, "nothing is held").flight(shard);
    }

    private Duration leaseTime() {
        return target.options().leaseTime();
    }

    @Override
    public SnapshotLease hold(ChangeSplit split) {
        open(split);
        SnapshotLeases leases =
                new SnapshotLeases(
                        SnapshotService.overFlight(() -> flight(split.shard())),
                        split.tableId(),
                        leaseTime());
        return leases.hold(Optional.of(split.position()), System::nanoTime);
    }

    @Override
    public void read(ChangeSplit split, LeasedSnapshot snapshot, Consumer<RowData> rows) {
        new RepeatedRead(
                        (isFirst, consumer) -> {
                            if (isFirst) {
                                readOnce(split, snapshot, consumer);
                            } else {
                                readAgain(split, consumer);
                            }
                        },
                        target.table().connection().unavailableTimeout())
                .read(rows);
    }

    /** Reads with a new lease: a restarted sidecar has lost the others. */
    private void readAgain(ChangeSplit split, Consumer<RowData> rows) {
        try (SnapshotLease again = hold(split)) {
            readOnce(split, again.snapshot(), rows);
        }
    }

    private void readOnce(ChangeSplit split, LeasedSnapshot snapshot, Consumer<RowData> rows) {
        SteleTable opened = open(split); // columns may have been added since the job was planned
        ShardRows.all(target.table(), target.metadata())
                .read(opened, opened.schema(), split.shard(), snapshot, rows);
    }

    @Override
    public ShardFeed follow(ChangeSplit split) {
        SteleTable opened = open(split);
        TableSchema schema = opened.schema();
        ChangeOptions options =
                new ChangeOptions(
                        Optional.of(split.position()),
                        columnIds(schema),
                        target.options().beforeImages(),
                        target.options().pollInterval(),
                        leaseTime());
        RowReader reader = RowReader.ofDeclared(target.table(), schema, target.metadata());
        return new Feed(
                opened.changes(split.shard(), options), reader, target.options().insertOnly());
    }

    /**
     * The columns to read. For a count, which needs none, the first column: an empty list means
     * all.
     */
    private List<Integer> columnIds(TableSchema schema) {
        List<Integer> declared = target.table().columnIds();
        if (!declared.isEmpty()) {
            return declared;
        }
        ColumnSchema first = schema.columns().get(0);
        return List.of(first.id());
    }

    @Override
    public void close() {
        client.close();
    }

    /** The client's change feed, with rows converted to Flink's. */
    private record Feed(ShardChanges changes, RowReader reader, boolean insertOnly)
            implements ShardFeed {
        @Override
        public boolean poll(Consumer consumer) {
            return changes.poll(
                    Duration.ZERO,
                    change -> consumer.accept(row(change), change.lsn(), change.row().length()));
        }

        private RowData row(Change change) {
            if (insertOnly && change.kind() != ChangeKind.INSERT) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected inserted rows only, as '%s' promises, found %s at LSN %s"
                                .formatted(
                                        SteleOptions.SCAN_INSERT_ONLY.key(),
                                        change.kind(),
                                        change.lsn().withTime()));
            }
            return reader.read(rowKind(change.kind()), change.lsn(), change.values());
        }

        private static RowKind rowKind(ChangeKind kind) {
            return switch (kind) {
                case INSERT -> RowKind.INSERT;
                case UPDATE -> RowKind.UPDATE_AFTER;
                case UPDATE_BEFORE -> RowKind.UPDATE_BEFORE;
                case DELETE -> RowKind.DELETE;
            };
        }

        @Override
        public boolean isPending() {
            return changes.isPending();
        }

        @Override
        public Lsn position() {
            return changes.position();
        }

        @Override
        public void renew() {
            changes.renew();
        }

        @Override
        public void close() {
            changes.close();
        }
    }
}
