package io.stele.flink.lookup;

import static java.util.Objects.requireNonNull;

import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.lease.LeasedSnapshot;
import io.stele.client.lease.SnapshotLeases;
import io.stele.client.lease.SnapshotService;
import io.stele.flink.source.ShardRows;
import io.stele.flink.table.BoundTable;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.io.DefaultInputSplitAssigner;
import org.apache.flink.api.common.io.InputFormat;
import org.apache.flink.api.common.io.statistics.BaseStatistics;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.io.GenericInputSplit;
import org.apache.flink.core.io.InputSplitAssigner;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/**
 * An input format of all rows of a table at one snapshot, because Flink fills its full cache from
 * input formats only. Serialized into the job; there, each load has a copy, which owns a client and
 * the lease on the snapshot from {@link #open} to {@link #close}. Confined to the loading thread.
 *
 * <p>Invariant: the rows of a shard are handed out after the last was received. So a read that
 * breaks is repeated, and no row is handed out twice.
 */
final class FullCacheFormat implements InputFormat<RowData, GenericInputSplit> {
    private static final long serialVersionUID = 1;

    private final BoundTable table;
    private final Duration snapshotTtl;
    private final int maxRetries;
    private transient @Nullable Load load;

    /**
     * A format of a table's rows.
     *
     * @param snapshotTtl lifetime of the snapshot without renewal
     * @param maxRetries how often a failed read of a shard is retried
     */
    FullCacheFormat(BoundTable table, Duration snapshotTtl, int maxRetries) {
        this.table = requireNonNull(table, "table is null");
        this.snapshotTtl = requireNonNull(snapshotTtl, "snapshotTtl is null");
        this.maxRetries = maxRetries;
        if (maxRetries < 0) {
            throw new ValidationException("Expected lookup retries >= 0, found " + maxRetries);
        }
    }

    @Override
    public void configure(Configuration parameters) {}

    @Override
    public @Nullable BaseStatistics getStatistics(@Nullable BaseStatistics cached) {
        return cached;
    }

    /** One split, so that one lease has one owner, and all shards one snapshot. */
    @Override
    public GenericInputSplit[] createInputSplits(int minCount) {
        return new GenericInputSplit[] {new GenericInputSplit(0, 1)};
    }

    @Override
    public InputSplitAssigner getInputSplitAssigner(GenericInputSplit[] splits) {
        return new DefaultInputSplitAssigner(splits);
    }

    @Override
    public void open(GenericInputSplit split) throws IOException {
        SteleClient client = table.connection().open("flink-lookup");
        try {
            load = new Load(client);
        } catch (SteleException failed) {
            throw failed("a snapshot", failed);
        } finally {
            if (load == null) {
                client.close();
            }
        }
    }

    @Override
    public boolean reachedEnd() throws IOException {
        return opened().isAtEnd();
    }

    @Override
    public @Nullable RowData nextRecord(RowData reused) throws IOException {
        return opened().isAtEnd() ? null : opened().rows.remove();
    }

    private Load opened() {
        return requireNonNull(load, "the format is open");
    }

    @Override
    public void close() {
        Load present = load;
        if (present != null) {
            load = null;
            present.close();
        }
    }

    private IOException failed(String what, SteleException cause) {
        return new IOException(
                "Cannot read %s of table %s of Stele for a full cache: %s"
                        .formatted(what, table, cause.getMessage()),
                cause);
    }

    /** One load of the cache. */
    private final class Load {
        private final SteleClient client;
        private final TableSchema schema;
        private final SnapshotLeases leases;
        private ArrayDeque<RowData> rows = new ArrayDeque<>();
        private LeasedSnapshot snapshot;
        private int nextShard;

        Load(SteleClient client) {
            SteleTable opened = table.open(client);
            this.client = client;
            this.schema = opened.schema();
            this.leases =
                    new SnapshotLeases(
                            SnapshotService.overFlight(() -> opened.flight(0)),
                            schema.id(),
                            snapshotTtl);
            this.snapshot = leases.open(Optional.empty());
        }

        /** Whether all rows were handed out; reads the next shards if there are no others. */
        boolean isAtEnd() throws IOException {
            while (rows.isEmpty() && nextShard < schema.shardCount()) {
                rows = readRetrying(nextShard);
                nextShard++;
            }
            return rows.isEmpty();
        }

        private ArrayDeque<RowData> readRetrying(int shard) throws IOException {
            for (int attempt = 0; ; attempt++) {
                try {
                    return read(shard);
                } catch (SteleException failed) {
                    if (attempt == maxRetries || !SteleAsyncLookupFunction.mayPass(failed)) {
                        throw failed("shard " + shard, failed);
                    }
                }
            }
        }

        /** Reads a shard with the present version of the table, which may have other columns. */
        private ArrayDeque<RowData> read(int shard) {
            snapshot = leases.renew(snapshot); // waits for a sidecar that is away
            SteleTable opened = table.open(client);
            if (!opened.schema().id().equals(schema.id())) {
                throw new SteleException(
                        ErrorCode.TABLE_NOT_FOUND,
                        "Expected table id %s, found %s: the table was replaced during the load"
                                .formatted(schema.id(), opened.schema().id()));
            }
            ArrayDeque<RowData> read = new ArrayDeque<>();
            ShardRows.all(table, List.of())
                    .read(opened, opened.schema(), shard, snapshot, read::add);
            return read;
        }

        void close() {
            try {
                leases.close(snapshot);
            } finally {
                client.close();
            }
        }
    }
}
