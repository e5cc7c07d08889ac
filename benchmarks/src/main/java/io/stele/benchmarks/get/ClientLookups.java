package io.stele.benchmarks.get;

import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.ingest.UserRows;
import io.stele.benchmarks.ingest.UserTable;
import io.stele.benchmarks.servers.Clients;
import io.stele.benchmarks.servers.ProcessCpu;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.TableWriter;
import io.stele.client.flight.FlightClient;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import io.stele.protocol.schema.Orientation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The phase of the point read benchmark with lookups end to end: the Java client asks, over
 * loopback, a sidecar in its own process with the settings of {@code etc/}.
 */
final class ClientLookups {
    private static final String TABLE = "usertable";

    private final Run run;
    private final UserRows rows;
    private final int rowCount;
    private final Duration duration;

    ClientLookups(Run run, UserRows rows, int rowCount, Duration duration) {
        this.run = run;
        this.rows = rows;
        this.rowCount = rowCount;
        this.duration = duration;
    }

    void run(Metrics metrics) throws Exception {
        try (SteleServers servers = new SteleServers(run)) {
            servers.startSidecar();
            try (SteleClient client = Clients.stele(run);
                    FlightClient flight = Clients.flight(run)) {
                UserTable.createSchema(flight);
                UserTable.create(flight, TABLE, Orientation.ROW);
                load(client);
                flight.action(MaintenanceActions.FLUSH, TableRequest.of(UserTable.SCHEMA, TABLE));
                SteleTable table = client.table(UserTable.SCHEMA, TABLE);
                long pid = servers.sidecarPid();
                warm(table);
                measure(metrics, table, pid, 1, 1);
                measure(metrics, table, pid, 16, 1);
                measure(metrics, table, pid, 2, 100);
            }
        }
    }

    private void load(SteleClient client) {
        try (TableWriter writer = client.writer(UserTable.SCHEMA, TABLE)) {
            for (int number = 0; number < rowCount; number++) {
                writer.write(rows.values(number));
            }
            writer.flush();
        }
    }

    private void warm(SteleTable table) {
        for (int first = 0; first < rowCount; first += 100) {
            int[] numbers = new int[Math.min(100, rowCount - first)];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = first + i;
            }
            List<Optional<List<@Nullable Object>>> found = table.multiGet(keys(numbers));
            for (int i = 0; i < numbers.length; i++) {
                GetBenchmark.check(
                        List.of(rows.values(numbers[i])), found.get(i).orElseThrow(), TABLE);
            }
        }
    }

    private void measure(Metrics metrics, SteleTable table, long pid, int threads, int keysAtOnce)
            throws Exception {
        LookupPhase phase = new LookupPhase(threads, rowCount, keysAtOnce, duration);
        LookupPhase.Lookup lookup =
                numbers -> {
                    for (Optional<List<@Nullable Object>> row : table.multiGet(keys(numbers))) {
                        if (row.isEmpty()) {
                            throw new IllegalStateException("Expected a row for every key");
                        }
                    }
                };
        phase.run(lookup, () -> ProcessCpu.nanos(pid), 1); // compiles both sides
        LookupPhase.Result result = phase.run(lookup, () -> ProcessCpu.nanos(pid), 2);
        String name =
                "client to sidecar, %d rows flushed, %d threads, %d keys a call"
                        .formatted(rowCount, threads, keysAtOnce);
        GetBenchmark.put(metrics, name, List.of(result));
    }

    private static List<@Nullable Object[]> keys(int[] numbers) {
        List<@Nullable Object[]> keys = new ArrayList<>(numbers.length);
        for (int number : numbers) {
            keys.add(new Object[] {UserRows.key(number)});
        }
        return keys;
    }
}
