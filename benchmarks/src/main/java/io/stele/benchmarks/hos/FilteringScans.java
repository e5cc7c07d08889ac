package io.stele.benchmarks.hos;

import io.stele.benchmarks.ingest.UserTable;
import io.stele.client.flight.FlightClient;
import io.stele.client.flight.FlightStream;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanTicket;
import io.stele.protocol.flight.Ticket;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A background load of clients that scan a table's shards, each client one shard after the other,
 * with a filter that no row passes.
 */
public final class FilteringScans implements AutoCloseable {
    private static final int FILTERED_COLUMN = 3; // field1, which is null in no row

    private final FlightClient flight;
    private final TableSchema table;
    private final QueryIdentity identity;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong finished = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile boolean stopped;

    private FilteringScans(FlightClient flight, TableSchema table, QueryIdentity identity) {
        this.flight = flight;
        this.table = table;
        this.identity = identity;
    }

    /** Starts {@code clients} clients, and returns when each has begun. */
    public static FilteringScans start(FlightClient flight, String tableName, int clients) {
        return start(flight, tableName, clients, QueryIdentity.NONE);
    }

    /** The same as scans of this user's query. */
    static FilteringScans start(
            FlightClient flight, String tableName, int clients, QueryIdentity identity) {
        TableSchema table =
                flight.action(
                                CatalogActions.GET_TABLE,
                                TableRequest.of(UserTable.SCHEMA, tableName))
                        .schema();
        FilteringScans scans = new FilteringScans(flight, table, identity);
        for (int client = 0; client < clients; client++) {
            int first = client;
            scans.threads.add(Thread.startVirtualThread(() -> scans.scanOn(first)));
        }
        return scans;
    }

    /** Scans of a shard that ended. */
    public long finished() {
        return finished.get();
    }

    private void scanOn(int first) {
        try {
            for (int shard = first; !stopped; shard++) {
                scan(shard % table.shardCount());
                finished.incrementAndGet();
            }
        } catch (RuntimeException failed) {
            failure.compareAndSet(null, failed);
        }
    }

    private void scan(int shard) {
        ScanTicket ticket =
                ScanTicket.of(table.id(), ScanMode.SNAPSHOT, List.of(1))
                        .in(table.shard(shard))
                        .where(new ScanPredicate(Map.of(FILTERED_COLUMN, ColumnDomain.onlyNull())))
                        .build();
        try (FlightStream stream = flight.get(new Ticket(ticket.encode()), identity)) {
            int messages = 0;
            while (stream.next().isPresent()) {
                messages++;
            }
            if (messages != 1) {
                throw new IllegalStateException(
                        "Expected a schema and no rows, found %d messages".formatted(messages));
            }
        }
    }

    /** Ends the scans and waits for them; throws if a scan failed. */
    @Override
    public void close() throws InterruptedException {
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("A scan failed", failed);
        }
    }
}
