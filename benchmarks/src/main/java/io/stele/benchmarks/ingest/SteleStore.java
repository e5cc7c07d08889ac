package io.stele.benchmarks.ingest;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.ProcessCpu;
import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.client.flight.FlightClient;
import io.stele.protocol.schema.Orientation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/**
 * The store of the ingest benchmark that is Stele: a sidecar in its own process, to which the
 * public client writes over loopback. A batch is acknowledged when it is in the synced log and
 * visible to every reader.
 */
final class SteleStore implements IngestStore {
    private final UserRows rows;
    private final long sidecarPid;
    private final SteleClient client;
    private final FlightClient flight;
    private final String table;
    private final Orientation orientation;

    /** Creates {@code table}; closing drops it. */
    SteleStore(
            UserRows rows,
            long sidecarPid,
            SteleClient client,
            FlightClient flight,
            String table,
            Orientation orientation) {
        this.rows = requireNonNull(rows, "rows is null");
        this.sidecarPid = sidecarPid;
        this.client = requireNonNull(client, "client is null");
        this.flight = requireNonNull(flight, "flight is null");
        this.table = requireNonNull(table, "table is null");
        this.orientation = requireNonNull(orientation, "orientation is null");
        UserTable.create(flight, table, orientation);
    }

    @Override
    public String name() {
        return "stele " + orientation.toString().toLowerCase(Locale.ROOT);
    }

    @Override
    public BatchWriter writer() {
        TableWriter writer = client.writer(UserTable.SCHEMA, table);
        return new BatchWriter() {
            @Override
            public CompletableFuture<?> write(long first, int count) {
                List<Object[]> batch = new ArrayList<>(count);
                for (long number = first; number < first + count; number++) {
                    batch.add(rows.values(number));
                }
                return writer.writeBatch(batch);
            }

            @Override
            public void close() {
                writer.close();
            }
        };
    }

    @Override
    public long otherCpuNanos() throws Exception {
        return ProcessCpu.nanos(sidecarPid);
    }

    @Override
    public long count() {
        return UserTable.count(flight, table);
    }

    @Override
    public void close() {
        UserTable.drop(flight, table);
    }
}
