package io.stele.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.protocol.Lsn;
import io.stele.protocol.schema.Orientation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Statements on the changes of tables of a real sidecar: where they begin, end, and what of. */
@Timeout(600)
final class ChangeSourceSqlIT extends BaseSidecarIT {
    private static final String KEYED = "id BIGINT, n BIGINT, PRIMARY KEY (id) NOT ENFORCED";
    private static final String INITIAL = ", 'scan.startup.mode' = 'initial'";
    private static final String METADATA =
            "id BIGINT, n BIGINT, lsn BIGINT NOT NULL METADATA FROM 'change-lsn' VIRTUAL, changed_at TIMESTAMP_LTZ(3) NOT NULL METADATA FROM 'change-timestamp' VIRTUAL, PRIMARY KEY (id) NOT ENFORCED";

    /** A job of it that fails is not started again. */
    private static StreamTableEnvironment streaming() {
        Configuration configuration = new Configuration();
        configuration.setString("restart-strategy.type", "none");
        StreamTableEnvironment tables =
                StreamTableEnvironment.create(
                        StreamExecutionEnvironment.createLocalEnvironment(2, configuration));
        tables.getConfig().set("table.local-time-zone", "UTC");
        return tables;
    }

    /** Creates a table (id, n) with the key id. */
    private static void create(String name, Orientation orientation) {
        sidecar.createTable(name, orientation, 1, "id bigint", "n bigint");
    }

    /** A session that has such a table. */
    private static StreamTableEnvironment following(String name, String options) {
        StreamTableEnvironment tables = streaming();
        declare(tables, name, KEYED, options);
        return tables;
    }

    /** Options of changes after an LSN. */
    private static String after(Object lsn) {
        return ", 'scan.startup.mode' = 'lsn', 'scan.startup.lsn' = '%s'".formatted(lsn);
    }

    /** Rows (id, n) of the same number, each a commit of its own; returns the LSN of the last. */
    private static Lsn write(String table, long from, long to) {
        try (SteleClient client = sidecar.client();
                TableWriter writer = client.writer("shop", table)) {
            Lsn last = Lsn.MIN;
            for (long id = from; id < to; id++) {
                writer.write(id, id);
                last = writer.flush();
            }
            return last;
        }
    }

    /** The first rows of a query that has no end. */
    private static List<Row> first(TableEnvironment tables, String sql, int count)
            throws Exception {
        List<Row> rows = new ArrayList<>();
        try (CloseableIterator<Row> found = tables.executeSql(sql).collect()) {
            while (rows.size() < count && found.hasNext()) {
                rows.add(found.next());
            }
        }
        return rows;
    }

    @Test
    void changesBeginAfterAnLsnOrAtAMoment() throws Exception {
        create("begun", Orientation.COLUMN);
        Lsn before = write("begun", 0, 20);
        while (System.currentTimeMillis() <= before.millis() + 1) {
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
        write("begun", 20, 30);
        StreamTableEnvironment tables = following("begun", after(before));
        List<Row> later = new ArrayList<>();
        for (long id = 20; id < 30; id++) {
            later.add(Row.of(id, id));
        }
        assertThat(first(tables, "SELECT * FROM begun", 10))
                .containsExactlyInAnyOrderElementsOf(later);
        declareAgain(
                tables,
                "begun",
                KEYED,
                ", 'scan.startup.mode' = 'timestamp', 'scan.startup.timestamp-millis' = '%d'"
                        .formatted(before.millis() + 1));
        assertThat(first(tables, "SELECT * FROM begun", 10))
                .containsExactlyInAnyOrderElementsOf(later);
    }

    @Test
    void latestBeginsAtOneMomentForAllShards() throws Exception {
        create("newest", Orientation.ROW);
        write("newest", 0, 100);
        StreamTableEnvironment tables = following("newest", ", 'scan.startup.mode' = 'latest'");
        AtomicLong next = new AtomicLong(100);
        AtomicBoolean isEnough = new AtomicBoolean();
        Thread writing =
                new Thread(
                        () -> {
                            while (!isEnough.get()) {
                                write("newest", next.get(), next.get() + 1);
                                next.incrementAndGet();
                            }
                        });
        TreeSet<Long> found = new TreeSet<>();
        try (CloseableIterator<Row> rows = tables.executeSql("SELECT id FROM newest").collect()) {
            writing.start();
            while (found.size() < 20) {
                assertThat(found.add(rows.next().getFieldAs(0))).isTrue();
            }
            isEnough.set(true);
            writing.join(LIMIT.toMillis());
            assertThat(writing.isAlive()).isFalse();
            long end = next.get();
            // Of a shard that began later, the first ones would be missing for ever
            while (found.size() < end - found.first()) {
                assertThat(found.add(rows.next().getFieldAs(0))).isTrue();
            }
            assertThat(found.first()).isGreaterThanOrEqualTo(100);
            assertThat(found.last()).isEqualTo(end - 1);
        } finally {
            isEnough.set(true);
        }
    }

    @Test
    void kindsOfRowsAndMetadataAreThoseOfTheirCommits() throws Exception {
        create("told", Orientation.COLUMN);
        Lsn before = write("told", 1, 2);
        Lsn updated;
        Lsn deleted;
        try (SteleClient client = sidecar.client();
                TableWriter writer = client.writer("shop", "told")) {
            updated = writer.upsert(1L, 7L).get(1, TimeUnit.MINUTES);
            deleted = writer.delete(1L).get(1, TimeUnit.MINUTES);
        }
        String options = after(before);
        StreamTableEnvironment tables = streaming();
        declare(tables, "told", METADATA, options);
        assertThat(first(tables, "SELECT id, n, lsn, changed_at FROM told", 3))
                .containsExactly(
                        row(RowKind.UPDATE_BEFORE, 1L, updated),
                        row(RowKind.UPDATE_AFTER, 7L, updated),
                        row(RowKind.DELETE, 7L, deleted));
        assertThat(first(tables, "SELECT lsn FROM told", 3))
                .extracting(row -> row.<Long>getFieldAs(0))
                .containsExactly(updated.value(), updated.value(), deleted.value());
        declareAgain(tables, "told", METADATA, options + ", 'scan.before-images' = 'false'");
        assertThat(
                        tables.explainSql(
                                "INSERT INTO told SELECT id, n FROM told",
                                ExplainDetail.CHANGELOG_MODE))
                .contains("changelogMode=[I,UA,D]");
    }

    private static Row row(RowKind kind, long n, Lsn lsn) {
        return Row.ofKind(kind, 1L, n, lsn.value(), Instant.ofEpochMilli(lsn.millis()));
    }

    @Test
    void boundedScansHaveTheMetadataOfTheirSnapshot() throws Exception {
        create("seen", Orientation.COLUMN);
        Lsn last = write("seen", 0, 10);
        TableEnvironment tables = batch();
        declare(tables, "seen", METADATA, "");
        List<Row> rows = query(tables, "SELECT lsn, id FROM seen");
        assertThat(rows)
                .extracting(row -> row.<Long>getFieldAs(0))
                .containsOnly(rows.get(0).<Long>getFieldAs(0));
        assertThat(rows.get(0).<Long>getFieldAs(0)).isGreaterThanOrEqualTo(last.value());
        assertThat(rows).extracting(row -> row.<Long>getFieldAs(1)).hasSize(10);
    }

    /** Each shard has a watermark of its own; those without rows are idle. */
    @Test
    void rowsThatAreOnlyInsertedGoThroughWindowsOfTheirCommits() throws Exception {
        sidecar.createTable("events", Orientation.COLUMN, 0, "id bigint", "n bigint");
        write("events", 0, 20);
        StreamTableEnvironment tables = streaming();
        tables.getConfig().set("table.exec.source.idle-timeout", "500 ms");
        declare(
                tables,
                "events",
                "id BIGINT, n BIGINT, changed_at TIMESTAMP_LTZ(3) NOT NULL METADATA FROM 'change-timestamp' VIRTUAL, WATERMARK FOR changed_at AS changed_at",
                ", 'scan.startup.mode' = 'initial', 'scan.insert-only' = 'true'");
        String windows =
                "SELECT SUM(n) FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(changed_at), INTERVAL '1' SECOND)) GROUP BY window_start, window_end";
        AtomicBoolean isEnough = new AtomicBoolean();
        Thread writing =
                new Thread(
                        () -> {
                            for (long id = 20; !isEnough.get(); id++) {
                                write("events", id, id + 1);
                                LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
                            }
                        });
        writing.start();
        try {
            List<Row> sums = first(tables, windows, 2);
            assertThat(sums.get(0).<Long>getFieldAs(0)).isGreaterThanOrEqualTo(190);
        } finally {
            isEnough.set(true);
            writing.join(LIMIT.toMillis());
            assertThat(writing.isAlive()).isFalse();
        }
    }

    @Test
    void anUpdateFailsAJobThatTakesInsertsOnly() throws Exception {
        create("promised", Orientation.ROW);
        Lsn before = write("promised", 0, 1);
        try (SteleClient client = sidecar.client();
                TableWriter writer = client.writer("shop", "promised")) {
            writer.write(0L, 7L);
        }
        StreamTableEnvironment tables =
                following("promised", after(before) + ", 'scan.insert-only' = 'true'");
        assertFails(
                tables.executeSql("SELECT * FROM promised"),
                "Expected inserted rows only, as 'scan.insert-only' promises, found UPDATE_BEFORE at LSN");
    }

    private static void assertFails(TableResult result, String... messages) {
        assertThatThrownBy(
                        () -> {
                            try (CloseableIterator<Row> rows = result.collect()) {
                                rows.forEachRemaining(row -> {});
                            }
                        })
                .satisfies(
                        failed -> {
                            for (String message : messages) {
                                assertThat(failed).hasStackTraceContaining(message);
                            }
                        });
    }

    @Test
    void aDroppedTableFailsTheJob() throws Exception {
        create("dropped", Orientation.COLUMN);
        write("dropped", 0, 1);
        StreamTableEnvironment tables = following("dropped", INITIAL);
        TableResult result = tables.executeSql("SELECT * FROM dropped");
        try (CloseableIterator<Row> rows = result.collect()) {
            rows.next();
            sidecar.dropTable("dropped");
            assertThatThrownBy(() -> rows.forEachRemaining(row -> {}))
                    .hasStackTraceContaining("Cannot read the changes of shard ")
                    .hasStackTraceContaining(" of table shop.dropped of Stele after LSN ");
        }
    }

    @Test
    void aTruncatedTableFailsTheJob() throws Exception {
        create("emptied", Orientation.COLUMN);
        write("emptied", 0, 1);
        StreamTableEnvironment tables = following("emptied", INITIAL);
        TableEnvironment batch = batch();
        declare(batch, "emptied", KEYED, "");
        try (CloseableIterator<Row> rows = tables.executeSql("SELECT * FROM emptied").collect()) {
            rows.next();
            batch.executeSql("TRUNCATE TABLE emptied").await();
            assertThatThrownBy(() -> rows.forEachRemaining(row -> {}))
                    .hasStackTraceContaining("Cannot read the changes of shard ")
                    .hasStackTraceContaining("Expected changes of table shop.emptied after LSN ");
        }
    }

    @Test
    void aColumnThatIsAddedDoesNotStopTheJob() throws Exception {
        create("widened", Orientation.COLUMN);
        write("widened", 0, 1);
        StreamTableEnvironment tables = following("widened", INITIAL);
        try (CloseableIterator<Row> rows = tables.executeSql("SELECT * FROM widened").collect()) {
            assertThat(rows.next()).isEqualTo(Row.of(0L, 0L));
            sidecar.addColumn("widened", "more varchar");
            try (SteleClient client = sidecar.client();
                    TableWriter writer = client.writer("shop", "widened")) {
                writer.write(1L, 1L, "more");
            }
            assertThat(rows.next()).isEqualTo(Row.of(1L, 1L));
        }
    }

    @Test
    void anLsnThatCannotBeReadFailsTheJob() throws Exception {
        create("past", Orientation.COLUMN);
        write("past", 0, 1);
        for (long lsn : new long[] {1, Long.MAX_VALUE}) {
            StreamTableEnvironment tables = following("past", after(lsn));
            assertFails(
                    tables.executeSql("SELECT * FROM past"),
                    "Cannot read the changes of table shop.past of Stele after LSN " + lsn + " (");
        }
    }

    @Test
    void whatCannotBeReadIsRefusedWhenItIsPlanned() throws Exception {
        create("refused", Orientation.COLUMN);
        TableEnvironment batch = batch();
        declare(batch, "refused", KEYED, INITIAL);
        assertPlanFails(
                batch,
                "SELECT * FROM refused",
                "Expected table shop.refused without 'scan.startup.mode' in batch mode, found 'initial': its changes have no end");
        StreamTableEnvironment streaming = following("refused", ", 'scan.startup.mode' = 'lsn'");
        assertPlanFails(
                streaming,
                "SELECT * FROM refused",
                "Expected 'scan.startup.lsn' with 'scan.startup.mode' = 'lsn', and only there, found it missing with 'lsn'");
        declareAgain(streaming, "refused", KEYED, ", 'scan.startup.mode' = 'soon'");
        assertPlanFails(streaming, "SELECT * FROM refused", "scan.startup.mode");
        declareAgain(streaming, "refused", KEYED, ", 'scan.before-images' = 'true'");
        assertPlanFails(
                streaming,
                "SELECT * FROM refused",
                "Expected 'scan.before-images' with 'scan.startup.mode' only, found it in a bounded scan");
        declareAgain(streaming, "refused", METADATA, ", 'scan.startup.mode' = 'latest'");
        assertPlanFails(
                streaming,
                "SELECT e.id, r.lsn FROM (SELECT id, PROCTIME() AS p FROM refused) AS e JOIN refused FOR SYSTEM_TIME AS OF e.p AS r ON r.id = e.id",
                "in a lookup join");
    }

    private static void assertPlanFails(TableEnvironment tables, String sql, String message) {
        assertThatThrownBy(() -> tables.explainSql(sql)).hasStackTraceContaining(message);
    }

    /** A row that no longer meets a condition is taken back. */
    @Test
    void conditionsAreFlinksToCheck() throws Exception {
        create("limited", Orientation.ROW);
        write("limited", 5, 6);
        StreamTableEnvironment tables =
                following("limited", INITIAL + ", 'scan.before-images' = 'false'");
        try (CloseableIterator<Row> rows =
                tables.executeSql("SELECT id FROM limited WHERE n < 10").collect()) {
            assertThat(rows.next()).isEqualTo(Row.of(5L));
            try (SteleClient client = sidecar.client();
                    TableWriter writer = client.writer("shop", "limited")) {
                writer.write(5L, 10L);
            }
            Row next = rows.next();
            assertThat(next.getKind()).isIn(RowKind.DELETE, RowKind.UPDATE_BEFORE);
            assertThat(next.<Long>getFieldAs(0)).isEqualTo(5);
        }
    }
}
