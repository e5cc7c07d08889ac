package io.stele.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.flink.FlinkJobs.FailOnce;
import io.stele.flink.cluster.FollowingJob;
import io.stele.protocol.schema.Orientation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.StatementSet;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Jobs that follow a table while the sidecar is killed, they fail, or are restored with another
 * parallelism: the rows of the snapshot and each change since come once. More seeds with {@code
 * -Dflink.fault-seeds=N}.
 */
final class ChangeSourceIT extends BaseSidecarIT {
    private static final int CHANGES = 150;
    private static final String COLUMNS =
            "id BIGINT, n BIGINT, note STRING, PRIMARY KEY (id) NOT ENFORCED";

    static LongStream seeds() {
        return LongStream.range(0, Integer.getInteger("flink.fault-seeds", 2));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void eachChangeComesOnceThroughFaults(long seed) throws Exception {
        // Of odd seeds the job itself fails while the sidecar is away
        LogJob job = new LogJob("followed_" + seed, seed, seed % 2 == 0 ? "1 min" : "100 ms");
        job.table.change(CHANGES);
        List<List<Object>> expected = new ArrayList<>(job.table.snapshot());
        job.table.clearLog();
        JobClient running =
                job.start(new Configuration(), 2, job.table.next() + CHANGES + CHANGES / 2);
        awaitRows(job.log(), expected.size());
        job.table.change(CHANGES);
        sidecar.restart();
        job.table.change(CHANGES);
        expected.addAll(job.table.log());
        job.table.assertLogged(expected);
        assertThat(FailOnce.hasFailed(job.name)).isTrue();
        FlinkJobs.cancel(running);
    }

    @Test
    void aSavepointIsRestoredWithAnotherParallelism() throws Exception {
        LogJob job = new LogJob("rescaled", 77, "1 min");
        job.table.change(CHANGES);
        List<List<Object>> expected = new ArrayList<>(job.table.snapshot());
        job.table.clearLog();
        JobClient running = job.start(new Configuration(), 2, Long.MAX_VALUE);
        awaitRows(job.log(), expected.size());
        job.table.change(CHANGES);
        String savepoint = FlinkJobs.stopWithSavepoint(running, directory);
        job.table.change(CHANGES); // while there is no job
        sidecar.restart();
        JobClient restored = job.start(FlinkJobs.restoredFrom(savepoint), 3, Long.MAX_VALUE);
        job.table.change(CHANGES);
        expected.addAll(job.table.log());
        job.table.assertLogged(expected);
        FlinkJobs.cancel(restored);
    }

    /** One subtask has all shards, of which those that are ahead wait for the others. */
    @Test
    void shardsWhoseWatermarksAreAlignedComeOnceAsWell() throws Exception {
        LogJob job = new LogJob("aligned", 79, "1 min");
        job.table.change(CHANGES);
        List<List<Object>> expected = new ArrayList<>(job.table.snapshot());
        job.table.clearLog();
        JobClient running =
                job.start(
                        new Configuration(),
                        1,
                        Long.MAX_VALUE,
                        WatermarkStrategy.<RowData>forMonotonousTimestamps()
                                .withIdleness(Duration.ofMillis(500))
                                .withWatermarkAlignment(
                                        "shards", Duration.ofMillis(20), Duration.ofMillis(50)));
        awaitRows(job.log(), expected.size());
        job.table.change(2 * CHANGES);
        expected.addAll(job.table.log());
        job.table.assertLogged(expected);
        FlinkJobs.cancel(running);
    }

    @Test
    void aTableThatWasTruncatedMeanwhileFailsTheRestoredJob() throws Exception {
        LogJob job = new LogJob("restored", 78, "1 min");
        job.table.change(CHANGES);
        JobClient running = job.start(new Configuration(), 2, Long.MAX_VALUE);
        awaitRows(job.log(), job.table.snapshot().size());
        String savepoint = FlinkJobs.stopWithSavepoint(running, directory);
        TableEnvironment batch = batch();
        declare(batch, "restored", COLUMNS, "");
        batch.executeSql("TRUNCATE TABLE restored").await();
        Configuration once = FlinkJobs.restoredFrom(savepoint);
        once.setString("restart-strategy.type", "none");
        JobClient restored = job.start(once, 2, Long.MAX_VALUE);
        assertThatThrownBy(
                        () ->
                                restored.getJobExecutionResult()
                                        .get(LIMIT.toMillis(), TimeUnit.MILLISECONDS))
                .hasStackTraceContaining("Cannot read the changes of shard ")
                .hasStackTraceContaining("Expected the changes of table shop.restored after LSN ")
                .hasStackTraceContaining(
                        "found it replaced or truncated since: start without the state of the job");
    }

    /** So do the sums of another statement, from which rows that are gone are taken back. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCopyEndsAsItsTable(boolean beforeImages) throws Exception {
        String name = "copied_" + beforeImages;
        ChangedTable table =
                new ChangedTable(
                        sidecar, name, beforeImages ? Orientation.COLUMN : Orientation.ROW, 5);
        sidecar.createTable(
                name + "_copy", Orientation.ROW, 1, "id bigint", "n bigint", "note varchar");
        sidecar.createTable(
                name + "_sums", Orientation.ROW, 1, "note varchar", "count bigint", "total bigint");
        table.changeAtOnce(CHANGES);
        StreamTableEnvironment tables =
                StreamTableEnvironment.create(FlinkJobs.environment(new Configuration(), 2));
        declare(
                tables,
                name,
                COLUMNS,
                ", 'scan.startup.mode' = 'initial', 'scan.before-images' = '%s'"
                        .formatted(beforeImages));
        declare(tables, name + "_copy", COLUMNS, "");
        declare(
                tables,
                name + "_sums",
                "note STRING, `count` BIGINT, total BIGINT, PRIMARY KEY (note) NOT ENFORCED",
                "");
        StatementSet statements = tables.createStatementSet();
        statements.addInsertSql("INSERT INTO %s_copy SELECT * FROM %s".formatted(name, name));
        statements.addInsertSql(
                "INSERT INTO %s_sums SELECT note, COUNT(*), SUM(n) FROM %s GROUP BY note"
                        .formatted(name, name));
        JobClient running = statements.execute().getJobClient().orElseThrow();
        for (int i = 0; i < 4; i++) {
            table.changeAtOnce(CHANGES);
            table.change(CHANGES / 10);
            if (i == 2) {
                sidecar.restart();
            }
            assertSame(name + "_copy", sidecar.rows("shop", name));
            assertSame(name + "_sums", sums(sidecar.rows("shop", name)));
        }
        FlinkJobs.cancel(running);
    }

    private static List<List<Object>> sums(List<List<Object>> rows) {
        Map<Object, long[]> sums = new TreeMap<>();
        for (List<Object> row : rows) {
            long[] sum = sums.computeIfAbsent(row.get(2), note -> new long[2]);
            sum[0]++;
            sum[1] += (Long) row.get(1);
        }
        List<List<Object>> found = new ArrayList<>();
        sums.forEach((note, sum) -> found.add(List.of(note, sum[0], sum[1])));
        return found;
    }

    /** Waits until a table has these rows. */
    private static void assertSame(String table, List<List<Object>> rows) {
        Set<List<Object>> expected = Set.copyOf(rows);
        await(
                "the rows of " + table,
                () -> Set.copyOf(sidecar.rows("shop", table)).equals(expected));
        assertThat(sidecar.rows("shop", table)).containsExactlyInAnyOrderElementsOf(rows);
    }

    /** A table, and a job that logs what comes of it. */
    private static final class LogJob {
        private final String name;
        private final String patience;
        private final ChangedTable table;

        LogJob(String name, long seed, String patience) {
            this.name = name;
            this.patience = patience;
            this.table = new ChangedTable(sidecar, name, Orientation.COLUMN, seed);
            table.createLog();
        }

        String log() {
            return FollowingJob.logOf(name);
        }

        JobClient start(Configuration configuration, int parallelism, long failAt)
                throws Exception {
            return start(configuration, parallelism, failAt, WatermarkStrategy.noWatermarks());
        }

        JobClient start(
                Configuration configuration,
                int parallelism,
                long failAt,
                WatermarkStrategy<RowData> watermarks)
                throws Exception {
            StreamExecutionEnvironment environment =
                    FlinkJobs.environment(configuration, parallelism);
            DataStream<RowData> changes =
                    FollowingJob.changes(
                            environment, sidecar.endpoint(), name, patience, watermarks);
            FollowingJob.write(
                    changes.map(new FailOnce<RowData>(name, failAt, row -> row.getLong(1)))
                            .returns(changes.getType())
                            .uid("failing"),
                    sidecar.endpoint(),
                    name);
            return environment.executeAsync(name);
        }
    }
}
