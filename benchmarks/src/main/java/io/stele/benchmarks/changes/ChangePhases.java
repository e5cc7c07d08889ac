package io.stele.benchmarks.changes;

import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.client.ChangeOptions;
import io.stele.client.ShardChanges;
import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.TableWriter;
import io.stele.client.flight.FlightClient;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateSchemaRequest;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The phases of the change feed benchmark, each on tables of its own, with one writer and one
 * thread that reads the feeds of all shards in turn. The writer upserts rows of a text of 100 bytes
 * under scattered keys; half of the upserts are updates. Confined to one thread.
 */
public final class ChangePhases {
    /** Changes a second of one consumer that is behind, of a table of rows. */
    public static final String CONSUMED = "one consumer behind, row table: changes/s";

    /** The part of a writer's rate that is lost when feeds are open and nobody reads them. */
    public static final String COST = "nobody reads: part of the writer's rate";

    private static final String SCHEMA = "bench_changes";
    private static final String TEXT = "stele".repeat(16);
    private static final int SHARDS = 2;
    private static final long SCATTER = 7_919; // a prime, so that no key comes twice
    private static final Duration WAIT = Duration.ofMillis(20);

    private final SteleClient client;
    private final FlightClient flight;
    private final Metrics metrics;
    private final int rows;
    private final int rounds;
    private final int seconds;
    private int tables;

    /**
     * @param flight of the sidecar that the client speaks to
     */
    public ChangePhases(boolean isQuick, SteleClient client, FlightClient flight, Metrics metrics) {
        this.client = client;
        this.flight = flight;
        this.metrics = metrics;
        this.rows = isQuick ? 20_000 : 1_000_000;
        this.rounds = isQuick ? 1 : 5;
        this.seconds = isQuick ? 3 : 20;
    }

    /** Measures everything. */
    public void measure() throws InterruptedException {
        flight.action(CatalogActions.CREATE_SCHEMA, new CreateSchemaRequest(SCHEMA, true));
        behind(Orientation.ROW, CONSUMED);
        behind(Orientation.COLUMN, CONSUMED.replace("row", "column"));
        beside();
        cost();
    }

    private SteleTable table(Orientation orientation) {
        String name = "changed" + tables++;
        TableSchema schema =
                TableSchema.builder(SCHEMA, name)
                        .columns(
                                List.of(
                                        new ColumnSchema(1, "id", DataType.parse("bigint"))
                                                .notNull(),
                                        new ColumnSchema(2, "payload", DataType.parse("varchar"))))
                        .primaryKey(List.of(1))
                        .orientation(orientation)
                        .shardCount(SHARDS)
                        .build();
        flight.action(
                CatalogActions.CREATE_TABLE, new CreateTableRequest(schema, "", false, false));
        return client.table(SCHEMA, name);
    }

    private static List<ShardChanges> open(SteleTable table) {
        List<ShardChanges> feeds = new ArrayList<>();
        for (int shard = 0; shard < SHARDS; shard++) {
            feeds.add(table.changes(shard, ChangeOptions.DEFAULT));
        }
        return feeds;
    }

    /** Rows a second, durable. */
    private double write(TableWriter writer, int count) {
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            writer.write(id(i), TEXT + (1_000_000_000_000_000_000L + i));
        }
        writer.flush();
        return count * 1e9 / (System.nanoTime() - start);
    }

    /** Scattered, and the same again after half of the rows. */
    private long id(long number) {
        long keys = rows / 2;
        return number % keys * SCATTER % keys;
    }

    /** The consumer begins when the writer has ended. */
    private void behind(Orientation orientation, String name) {
        List<Double> rates = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            SteleTable table = table(orientation);
            List<ShardChanges> feeds = open(table);
            Lsn last;
            try (TableWriter writer = table.writer()) {
                metrics.put("writer, " + name, write(writer, rows));
                last = writer.lastLsn();
            }
            long start = System.nanoTime();
            long[] count = new long[1];
            for (ShardChanges feed : feeds) {
                while (feed.position().compareTo(last) < 0) {
                    boolean ignored = feed.poll(WAIT, change -> count[0]++);
                }
            }
            if (count[0] != rows) {
                throw new IllegalStateException(
                        "Expected %d changes, found %d".formatted(rows, count[0]));
            }
            rates.add(rows * 1e9 / (System.nanoTime() - start));
            feeds.forEach(ShardChanges::close);
        }
        metrics.put(name, Medians.median(rates));
    }

    /** How late changes are while a writer writes a quarter of what it could. */
    private void beside() throws InterruptedException {
        SteleTable table = table(Orientation.ROW);
        List<ShardChanges> feeds = open(table);
        List<Double> late = new ArrayList<>();
        AtomicBoolean isWritten = new AtomicBoolean();
        double perSecond = metrics.value("writer, " + CONSUMED) / 4;
        try (TableWriter writer = table.writer()) {
            CompletableFuture<Void> writing =
                    CompletableFuture.runAsync(() -> writePaced(writer, perSecond))
                            .whenComplete((done, failed) -> isWritten.set(true));
            while (!isWritten.get()) {
                for (ShardChanges feed : feeds) {
                    boolean ignored =
                            feed.poll(
                                    WAIT,
                                    change ->
                                            late.add(
                                                    (double)
                                                            (System.currentTimeMillis()
                                                                    - (change.lsn().value()
                                                                            >> 16))));
                }
            }
            writing.join();
        }
        feeds.forEach(ShardChanges::close);
        late.sort(null);
        metrics.put("beside a writer: changes/s", late.size() / (double) seconds);
        metrics.put("beside a writer: ms late, p50", late.get(late.size() / 2));
        metrics.put("beside a writer: ms late, p99", late.get((int) (late.size() * 0.99)));
    }

    private void writePaced(TableWriter writer, double perSecond) {
        long start = System.nanoTime();
        long written = 0;
        while (System.nanoTime() - start < seconds * 1_000_000_000L) {
            long due = (long) ((System.nanoTime() - start) / 1e9 * perSecond);
            for (; written < due; written++) {
                writer.write(id(written), TEXT + written);
            }
            writer.flush();
        }
    }

    /** A writer's rate without feeds, and with open feeds that nobody reads, in turn. */
    private void cost() {
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < 2 * rounds; round++) {
            boolean isFirst = round % 2 == 0;
            double before = rate(!isFirst);
            double after = rate(isFirst);
            ratios.add(isFirst ? after / before : before / after);
        }
        metrics.put(COST, 1 - Medians.median(ratios));
    }

    private double rate(boolean hasFeeds) {
        SteleTable table = table(Orientation.ROW);
        List<ShardChanges> feeds = hasFeeds ? open(table) : List.of();
        try (TableWriter writer = table.writer()) {
            return write(writer, rows / 2);
        } finally {
            feeds.forEach(ShardChanges::close);
        }
    }
}
