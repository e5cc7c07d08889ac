package io.stele.sidecar.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.Change;
import io.stele.client.ChangeOptions;
import io.stele.client.ShardChanges;
import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.TableWriter;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.catalog.AlterTableRequest;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import io.stele.protocol.api.scan.ChangeKind;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.ShardRouter;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Change feeds of the Java client from a real sidecar. */
@Timeout(600)
final class ShardChangesIT {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(20);

    /** Changes come in many rounds of the sidecar, and only leases hold the history. */
    private static final Map<String, String> SMALL =
            Map.of("stele.table-changes.max-size", "1kB", "stele.retention", "1ms");

    private TestingSidecar sidecar;
    private SteleClient client;

    @BeforeEach
    void start(@TempDir Path directory) {
        sidecar = TestingSidecar.start(directory, SMALL);
        client = sidecar.client();
    }

    @AfterEach
    void stop() {
        client.close();
        sidecar.close();
    }

    private SteleTable orders(Orientation orientation) {
        sidecar.createTable(SampleTables.orders(orientation));
        return client.table("shop", "orders");
    }

    /** The changes of the next commit. */
    private static List<String> next(ShardChanges changes) {
        List<String> commit = new ArrayList<>();
        assertThat(changes.poll(LONG, change -> commit.add(text(change)))).isTrue();
        assertThat(commit).isNotEmpty();
        return commit;
    }

    private static String text(Change change) {
        return change.kind() + " " + change.values().subList(0, 2);
    }

    /** The feed of the shard of a row. */
    private static ShardChanges feedOf(SteleTable table, long id, ChangeOptions options) {
        byte[] key = KeyEncoder.forPrimaryKey(table.schema()).encodeObjects(List.of(id));
        return table.changes(
                ShardRouter.shard(table.schema().shardCount(), key, 0, key.length), options);
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void commitsComeInOrderAndAgainFromAnyPosition(Orientation orientation) throws Exception {
        SteleTable orders = orders(orientation);
        try (TableWriter writer = orders.writer();
                ShardChanges changes =
                        feedOf(orders, 1, ChangeOptions.DEFAULT.withBeforeImages(true))) {
            Lsn start = changes.position();
            Lsn first = writer.upsert(1L, "open", 1.0, null).get();
            Lsn second = writer.upsert(1L, "paid", 1.0, null).get();
            Lsn third = writer.delete(1L).get();
            try (ShardChanges some =
                    feedOf(orders, 1, ChangeOptions.DEFAULT.after(first).withColumns(List.of(2)))) {
                assertThat(some.layout().count()).isOne();
                List<@Nullable Object> values = new ArrayList<>();
                assertThat(some.poll(LONG, change -> values.addAll(change.values()))).isTrue();
                assertThat(values).containsExactly("paid");
            }

            assertThat(next(changes)).containsExactly("INSERT [1, open]");
            assertThat(changes.position()).isEqualTo(first);
            assertThat(next(changes))
                    .containsExactly("UPDATE_BEFORE [1, open]", "UPDATE [1, paid]");
            assertThat(changes.position()).isEqualTo(second);
            assertThat(next(changes)).containsExactly("DELETE [1, paid]");
            assertThat(changes.position()).isGreaterThanOrEqualTo(third);
            assertThat(changes.poll(Duration.ZERO, change -> {})).isFalse();

            // The first feed no longer holds it, and the retention is over
            sidecar.flight().action(MaintenanceActions.FLUSH, TableRequest.of("shop", "orders"));
            assertThatThrownBy(() -> feedOf(orders, 1, ChangeOptions.DEFAULT.after(start)))
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.SNAPSHOT_EXPIRED));
        }
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void feedsHoldTheHistoryAndEndWithWhatTheTableHas(Orientation orientation) throws Exception {
        SteleTable orders = orders(orientation);
        Random random = new Random(5);
        Map<Long, String> written = new TreeMap<>();
        Map<Long, String> told = new TreeMap<>();
        List<ShardChanges> feeds = new ArrayList<>();
        try (TableWriter writer = orders.writer()) {
            for (int shard = 0; shard < orders.schema().shardCount(); shard++) {
                feeds.add(orders.changes(shard, ChangeOptions.DEFAULT.withBeforeImages(true)));
            }
            for (int round = 0; round < 6; round++) {
                for (int i = 0; i < 300; i++) {
                    long id = random.nextInt(200);
                    if (random.nextInt(4) == 0) {
                        CompletableFuture<Lsn> ignored = writer.delete(id);
                        written.remove(id);
                    } else {
                        CompletableFuture<Lsn> ignored =
                                writer.upsert(id, "r" + round + "-" + i, 1.0, null);
                        written.put(id, "r" + round + "-" + i);
                    }
                }
                writer.flush();
                if (round % 2 == 0) {
                    sidecar.flight()
                            .action(MaintenanceActions.COMPACT, TableRequest.of("shop", "orders"));
                } else if (round == 3) {
                    continue; // what was told last stays held
                }
                Lsn last = writer.lastLsn();
                for (ShardChanges feed : feeds) {
                    while (feed.position().compareTo(last) < 0) {
                        boolean ignored = feed.poll(SHORT, change -> apply(change, told));
                    }
                }
                assertThat(told).isEqualTo(written);
            }
        } finally {
            feeds.forEach(ShardChanges::close);
        }
    }

    private static void apply(Change change, Map<Long, String> rows) {
        Long id = (Long) change.values().get(0);
        String status = (String) change.values().get(1);
        switch (change.kind()) {
            case INSERT -> assertThat(rows.put(id, status)).isNull();
            case UPDATE_BEFORE -> assertThat(rows).containsEntry(id, status);
            case UPDATE -> assertThat(rows.put(id, status)).isNotNull();
            case DELETE -> assertThat(rows.remove(id)).isEqualTo(status);
        }
    }

    @Test
    void aFeedGoesOnBesideNewColumnsAndEndsWithTheTable() throws Exception {
        SteleTable orders = orders(Orientation.COLUMN);
        try (TableWriter writer = orders.writer();
                ShardChanges changes = feedOf(orders, 1, ChangeOptions.DEFAULT)) {
            writer.upsert(1L, "open", 1.0, null).get();
            TableDescription wider =
                    sidecar.flight()
                            .action(
                                    CatalogActions.ALTER_TABLE,
                                    new AlterTableRequest(
                                            orders.schema().id(),
                                            orders.schema().schemaVersion(),
                                            ColumnChange.addColumn(
                                                    "more",
                                                    DataType.parse("varchar"),
                                                    Optional.empty())));
            assertThat(wider.schema().columns()).hasSize(5);
            writer.upsert(1L, "paid", 1.0, null).get();
            assertThat(next(changes)).containsExactly("INSERT [1, open]");
            assertThat(next(changes)).containsExactly("UPDATE [1, paid]");
            assertThat(changes.layout().count()).isEqualTo(4);

            writer.upsert(1L, "last", 1.0, null, null).get();
            sidecar.flight()
                    .action(CatalogActions.TRUNCATE_TABLE, TableRequest.of("shop", "orders"));
            assertThat(next(changes)).containsExactly("UPDATE [1, last]");
            assertFails(changes, ErrorCode.STALE_TABLE);
            sidecar.flight().action(CatalogActions.DROP_TABLE, TableRequest.of("shop", "orders"));
            assertFails(changes, ErrorCode.STALE_TABLE);
        }
    }

    private static void assertFails(ShardChanges changes, ErrorCode code) {
        assertThatThrownBy(() -> changes.poll(LONG, change -> {}))
                .isInstanceOfSatisfying(
                        SteleException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void rowsWithoutAKeyComeAndGo() throws Exception {
        sidecar.createTable(SampleTables.events());
        SteleTable events = client.table("shop", "events");
        List<ShardChanges> feeds = new ArrayList<>();
        List<String> told = new ArrayList<>();
        try (TableWriter writer = events.writer()) {
            for (int shard = 0; shard < events.schema().shardCount(); shard++) {
                feeds.add(events.changes(shard, ChangeOptions.DEFAULT));
            }
            for (long id = 0; id < 200; id++) {
                writer.append(id, "event", 1.0, null);
            }
            Lsn last = writer.flush();
            for (ShardChanges feed : feeds) {
                while (feed.position().compareTo(last) < 0) {
                    boolean ignored =
                            feed.poll(
                                    SHORT,
                                    change -> {
                                        assertThat(change.kind()).isEqualTo(ChangeKind.INSERT);
                                        told.add(change.values().get(0).toString());
                                    });
                }
            }
            assertThat(told).hasSize(200).doesNotHaveDuplicates();
        } finally {
            feeds.forEach(ShardChanges::close);
        }
    }

    @Test
    void wrongShardsAreRefused() {
        SteleTable orders = orders(Orientation.ROW);
        assertThatThrownBy(() -> orders.changes(4, ChangeOptions.DEFAULT))
                .hasMessage("Expected a shard from 0 to 3 of table shop.orders, found 4");
    }
}
