package io.stele.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.flink.BaseSidecarIT;
import io.stele.flink.option.ConnectionOptions;
import io.stele.flink.option.SinkOptions;
import io.stele.flink.option.SteleOptions;
import io.stele.flink.table.BoundTable;
import io.stele.protocol.schema.Orientation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.flink.api.connector.sink2.Committer.CommitRequest;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.metrics.groups.InternalSinkCommitterMetricGroup;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;

/** Commits to a real sidecar: each takes effect once, however often and by whom it is tried. */
final class TransactionCommitterIT extends BaseSidecarIT {
    private static final RowType DECLARED =
            RowType.of(
                    new LogicalType[] {new BigIntType(false), VarCharType.STRING_TYPE},
                    new String[] {"id", "name"});

    private static SinkTarget target(String table, boolean keyed, Map<String, String> options) {
        Configuration config = config(options);
        return SinkTarget.of(
                BoundTable.plan(
                        ConnectionOptions.of(config),
                        "shop",
                        table,
                        DECLARED,
                        keyed ? List.of("id") : List.of()),
                SinkOptions.of(config),
                IntStream.range(0, 2).toArray());
    }

    private static RowData row(RowKind kind, long id, String name) {
        return GenericRowData.ofKind(kind, id, StringData.fromString(name));
    }

    private static ExactlyOnceWriter writer(SinkTarget target) {
        return new ExactlyOnceWriter(
                target, UUID.randomUUID(), UnregisteredMetricsGroup.createSinkWriterMetricGroup());
    }

    private static TransactionCommitter committer(SinkTarget target) {
        return new TransactionCommitter(
                target,
                InternalSinkCommitterMetricGroup.wrap(
                        UnregisteredMetricsGroup.createOperatorMetricGroup()));
    }

    /** A request that came out of a checkpoint: what it has went through its bytes. */
    private static final class Request implements CommitRequest<Committable> {
        private final Committable committable;
        private boolean wasCommitted;

        Request(Committable committable) throws IOException {
            CommittableSerializer serializer = new CommittableSerializer();
            this.committable =
                    serializer.deserialize(
                            serializer.getVersion(), serializer.serialize(committable));
        }

        @Override
        public Committable getCommittable() {
            return committable;
        }

        @Override
        public int getNumberOfRetries() {
            return 0;
        }

        @Override
        public void signalAlreadyCommitted() {
            wasCommitted = true;
        }

        @Override
        public void signalFailedWithKnownReason(Throwable cause) {
            throw new AssertionError("Flink would only log it", cause);
        }

        @Override
        public void signalFailedWithUnknownReason(Throwable cause) {
            throw new AssertionError(cause);
        }

        @Override
        public void retryLater() {
            throw new AssertionError("Flink would give it up at some time");
        }

        @Override
        public void updateAndRetryLater(Committable changed) {
            throw new AssertionError("Flink would give it up at some time");
        }
    }

    private static boolean commit(SinkTarget target, Committable committable) throws Exception {
        try (TransactionCommitter committer = committer(target)) {
            Request request = new Request(committable);
            committer.commit(List.<CommitRequest<Committable>>of(request));
            return !request.wasCommitted;
        }
    }

    @Test
    void aCommitIsRepeatedWithoutEffect() throws Exception {
        sidecar.createTable("repeated", Orientation.COLUMN, 0, "id bigint", "name varchar");
        SinkTarget target = target("repeated", false, Map.of());
        ExactlyOnceWriter writer = writer(target);
        List<Committable> all = new ArrayList<>();
        for (long i = 0; i < 40; i++) { // more than there are records of single commits
            writer.write(row(RowKind.INSERT, i, "a"), null);
            all.addAll(writer.prepareCommit());
        }
        for (Committable committable : all) {
            assertThat(commit(target, committable)).as(committable.toString()).isTrue();
        }
        sidecar.restart();
        for (Committable committable : List.of(all.get(0), all.get(30), all.get(39))) {
            assertThat(commit(target, committable)).as(committable.toString()).isFalse();
        }
        assertThat(sidecar.rows("shop", "repeated")).hasSize(40);
        assertThat(sidecar.rows("stele_flink", "commits")).hasSizeBetween(17, 60);
    }

    @Test
    void oneOfManyCommittersWins() throws Exception {
        sidecar.createTable("contended", Orientation.COLUMN, 0, "id bigint", "name varchar");
        SinkTarget target = target("contended", false, Map.of());
        ExactlyOnceWriter writer = writer(target);
        for (long i = 0; i < 100; i++) {
            writer.write(row(RowKind.INSERT, i, "a"), null);
        }
        Committable committable = writer.prepareCommit().iterator().next();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<Boolean>> commits = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                commits.add(threads.submit(() -> commit(target, committable)));
            }
            int winners = 0;
            for (Future<Boolean> commit : commits) {
                winners += commit.get() ? 1 : 0;
            }
            assertThat(winners).isEqualTo(1);
        } finally {
            threads.shutdownNow();
        }
        assertThat(sidecar.rows("shop", "contended")).hasSize(100);
    }

    @Test
    void rowsOfACheckpointAreSplitAndAKeyIsWrittenOnce() throws Exception {
        sidecar.createTable("split", Orientation.ROW, 1, "id bigint", "name varchar");
        SinkTarget target =
                target("split", true, Map.of(SteleOptions.SINK_TRANSACTION_MAX_SIZE.key(), "1 kb"));
        ExactlyOnceWriter writer = writer(target);
        for (int round = 0; round < 3; round++) {
            for (long id = 0; id < 100; id++) {
                writer.write(row(RowKind.UPDATE_BEFORE, id, "ignored"), null);
                writer.write(row(RowKind.UPDATE_AFTER, id, "name " + round), null);
            }
        }
        writer.write(row(RowKind.DELETE, 5, "name 2"), null);
        List<Committable> parts = List.copyOf(writer.prepareCommit());
        assertThat(parts).hasSizeGreaterThan(2);
        assertThat(parts.stream().mapToLong(Committable::rowCount).sum()).isEqualTo(100);
        for (Committable part : parts) {
            assertThat(commit(target, part)).isTrue();
        }
        assertThat(sidecar.rows("shop", "split"))
                .hasSize(99)
                .allMatch(row -> row.get(1).equals("name 2") && !row.get(0).equals(5L));
        assertThat(writer.prepareCommit()).isEmpty();
    }

    @Test
    void whatCannotBeCommittedFailsTheJob() throws Exception {
        sidecar.createTable("replaced", Orientation.ROW, 1, "id bigint", "name varchar");
        SinkTarget target =
                target("replaced", true, Map.of(SteleOptions.SINK_COMMIT_TIMEOUT.key(), "1 ms"));
        ExactlyOnceWriter writer = writer(target);
        writer.write(row(RowKind.INSERT, 1, "a"), null);
        Committable committable = writer.prepareCommit().iterator().next();
        sidecar.dropTable("replaced");
        assertThatThrownBy(() -> commit(target, committable))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Cannot commit " + committable + " to table shop.replaced");
        sidecar.createTable("replaced", Orientation.ROW, 1, "id bigint", "name integer");
        assertThatThrownBy(() -> commit(target, committable))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("was replaced by one with other columns");
    }

    @Test
    void tooManyRowsBetweenCheckpointsFailClearly() throws Exception {
        sidecar.createTable("full", Orientation.COLUMN, 0, "id bigint", "name varchar");
        SinkTarget target =
                target("full", false, Map.of(SteleOptions.SINK_CHECKPOINT_MAX_SIZE.key(), "1 kb"));
        ExactlyOnceWriter writer = writer(target);
        assertThatThrownBy(
                        () -> {
                            for (long i = 0; i < 100; i++) {
                                writer.write(row(RowKind.INSERT, i, "a"), null);
                            }
                        })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Expected at most 1024 bytes of rows for table shop.full")
                .hasMessageContaining(SteleOptions.SINK_CHECKPOINT_MAX_SIZE.key());
    }

    @Test
    void rowsThatTheTableCannotTakeFailTheWriter() throws Exception {
        sidecar.createTable("refusing", Orientation.COLUMN, 0, "id bigint", "name varchar(3)");
        SinkTarget target = target("refusing", false, Map.of());
        ExactlyOnceWriter writer = writer(target);
        assertThatThrownBy(() -> writer.write(row(RowKind.INSERT, 1, "four"), null))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Expected a value of type varchar(3) in column 'name'");
        assertThatThrownBy(() -> writer.write(row(RowKind.DELETE, 1, "a"), null))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Expected inserted rows only for table shop.refusing");
    }
}
