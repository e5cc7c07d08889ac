package io.stele.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.flink.FlinkJobs.FailOnce;
import io.stele.flink.cluster.GeneratedChanges;
import io.stele.flink.cluster.UntilOpened;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.Orientation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.StatementSet;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Jobs that write a table with a primary key and one without, while the sidecar is killed and the
 * job fails: in the end both have the rows of a run without faults. More seeds with {@code
 * -Dflink.fault-seeds=N}.
 */
final class ExactlyOnceIT extends BaseSidecarIT {
    private static final int CHANGES = 1_500;
    private static final double CHANGES_PER_SECOND = 50;

    static LongStream seeds() {
        return LongStream.range(0, Integer.getInteger("flink.fault-seeds", 5));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aRunWithFaultsEndsAsOneWithout(long seed) throws Exception {
        Random random = new Random(seed);
        // Of odd seeds a commit gives up while the sidecar is away, so the job itself fails of it
        Job job = new Job("faults_" + seed, seed, seed % 2 == 0 ? "1 min" : "100 ms");
        int failAt = 20 + random.nextInt(CHANGES / 10); // in the first seconds
        TableResult result = job.start(job.session(new Configuration(), 2), failAt);
        awaitCommits(job, 1 + random.nextInt(3));
        sidecar.restart();
        job.open();
        result.await(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        job.assertComplete();
        assertThat(FailOnce.hasFailed("faults_" + seed)).isTrue();
    }

    @Test
    void aSavepointIsRestoredWithAnotherParallelism() throws Exception {
        Job job = new Job("rescaled", 77, "1 min");
        JobClient running =
                job.start(job.session(new Configuration(), 2), Integer.MAX_VALUE)
                        .getJobClient()
                        .orElseThrow();
        awaitCommits(job, 1);
        String savepoint = FlinkJobs.stopWithSavepoint(running, directory);
        sidecar.restart();
        job.open();
        job.start(job.session(FlinkJobs.restoredFrom(savepoint), 3), Integer.MAX_VALUE)
                .await(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        job.assertComplete();
    }

    /** Waits until this number of commits of the job is recorded. */
    private static void awaitCommits(Job job, int count) {
        await(count + " commits", () -> job.commits() >= count);
    }

    /** A session of Flink in this JVM. */
    private record Session(StreamExecutionEnvironment environment, StreamTableEnvironment tables) {}

    /** Two tables, and a job that writes both, slowly until it is opened. */
    private record Job(String name, long seed, String patience) {
        Job {
            sidecar.createTable(name, Orientation.COLUMN, 1, "id bigint", "change bigint");
            sidecar.createTable(name + "_log", Orientation.COLUMN, 0, "id bigint", "change bigint");
        }

        private Path opened() {
            return directory.resolve("opened-" + name);
        }

        /** Lets what is left of the changes come all at once. */
        void open() throws IOException {
            Files.createFile(opened());
        }

        Session session(Configuration configuration, int parallelism) {
            StreamExecutionEnvironment environment =
                    FlinkJobs.environment(configuration, parallelism);
            return new Session(environment, StreamTableEnvironment.create(environment));
        }

        TableResult start(Session session, int failAt) {
            DataStream<Row> changes =
                    session.environment()
                            .fromSource(
                                    new DataGeneratorSource<>(
                                            new GeneratedChanges(seed),
                                            CHANGES,
                                            new UntilOpened(
                                                    CHANGES_PER_SECOND, opened().toString()),
                                            GeneratedChanges.ROW),
                                    WatermarkStrategy.noWatermarks(),
                                    "changes")
                            .uid("changes")
                            .setParallelism(1)
                            .map(
                                    new FailOnce<Row>(name, failAt, row -> row.getFieldAs(1)),
                                    GeneratedChanges.ROW)
                            .uid("failing")
                            .setParallelism(1);
            StreamTableEnvironment tables = session.tables();
            Schema.Builder columns =
                    Schema.newBuilder().column("id", "BIGINT NOT NULL").column("change", "BIGINT");
            tables.createTemporaryView(
                    "changes",
                    tables.fromChangelogStream(
                            changes, columns.primaryKey("id").build(), ChangelogMode.upsert()));
            tables.createTemporaryView(
                    "log",
                    tables.fromDataStream(
                            changes.map(new Inserted(), GeneratedChanges.ROW)
                                    .uid("inserted")
                                    .setParallelism(1)));
            declare(tables, name, "id BIGINT, change BIGINT, PRIMARY KEY (id) NOT ENFORCED");
            declare(tables, name + "_log", "id BIGINT, change BIGINT");
            StatementSet statements = tables.createStatementSet();
            statements.addInsertSql("INSERT INTO %s SELECT * FROM changes".formatted(name));
            statements.addInsertSql("INSERT INTO %s_log SELECT * FROM log".formatted(name));
            return statements.execute();
        }

        private void declare(StreamTableEnvironment tables, String table, String columns) {
            BaseSidecarIT.declare(
                    tables,
                    table,
                    columns,
                    ", 'sink.delivery-guarantee' = 'exactly-once', 'sink.commit-timeout' = '%s', 'unavailable-timeout' = '%s', 'sink.commit-schema' = 'commits_of_%s'"
                            .formatted(patience, patience, name));
        }

        int commits() {
            try {
                return sidecar.rows("commits_of_" + name, "commits").size();
            } catch (SteleException notYet) {
                if (notYet.code() == ErrorCode.TABLE_NOT_FOUND
                        || notYet.code() == ErrorCode.SCHEMA_NOT_FOUND) {
                    return 0;
                }
                throw notYet;
            }
        }

        void assertComplete() {
            GeneratedChanges changes = new GeneratedChanges(seed);
            Map<Long, Long> found = new TreeMap<>();
            sidecar.rows("shop", name)
                    .forEach(row -> found.put((Long) row.get(0), (Long) row.get(1)));
            assertThat(found).isEqualTo(changes.state(CHANGES));
            assertThat(sidecar.rows("shop", name + "_log"))
                    .containsExactlyInAnyOrderElementsOf(changes.log(CHANGES));
        }
    }

    /** Each change as an inserted row. */
    private record Inserted() implements MapFunction<Row, Row> {
        @Override
        public Row map(Row row) {
            return Row.of(row.getField(0), row.getField(1));
        }
    }
}
