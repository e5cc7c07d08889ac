package io.stele.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.flink.BaseSidecarIT;
import io.stele.flink.option.ConnectionOptions;
import io.stele.flink.option.SinkOptions;
import io.stele.flink.table.BoundTable;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.stream.IntStream;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** A partition of a real sidecar is replaced as a whole or not at all, whatever others write. */
final class OverwriteWriterIT extends BaseSidecarIT {
    private static final SinkWriter.Context NO_CONTEXT =
            new SinkWriter.Context() {
                @Override
                public long currentWatermark() {
                    return Long.MIN_VALUE;
                }

                @Override
                public @Nullable Long timestamp() {
                    return null;
                }
            };

    private String table = "";

    @BeforeEach
    void create(TestInfo test) throws Exception {
        table = test.getTestMethod().orElseThrow().getName().toLowerCase(Locale.ROOT);
        TableEnvironment tables = batch();
        tables.executeSql(
                "CREATE CATALOG s WITH ('type' = 'stele', %s)".formatted(sidecar.options()));
        run(tables, "CREATE DATABASE IF NOT EXISTS s.shop");
        run(
                tables,
                "CREATE TABLE s.shop.%s (id BIGINT, part STRING, n INT, PRIMARY KEY (id, part) NOT ENFORCED) PARTITIONED BY (part)"
                        .formatted(table));
        run(
                tables,
                "INSERT INTO s.shop.%s VALUES (1, 'a', 10), (2, 'a', 20), (3, 'b', 30)"
                        .formatted(table));
    }

    private static RowData row(long id, String part, int n) {
        return GenericRowData.of(id, StringData.fromString(part), n);
    }

    private OverwriteWriter writer(Timers timers) {
        BoundTable bound =
                BoundTable.declare(
                        ConnectionOptions.of(config(Map.of())), "shop", table, List.of());
        SinkTarget target =
                SinkTarget.of(
                        bound, SinkOptions.of(config(Map.of())), IntStream.range(0, 3).toArray());
        return new OverwriteWriter(
                target,
                UnregisteredMetricsGroup.createSinkWriterMetricGroup(),
                timers,
                client -> PartitionReplacement.begin(target, client, Optional.empty()));
    }

    private void write(long id, String part, int n) {
        try (SteleClient client = sidecar.client();
                TableWriter writer = client.writer("shop", table)) {
            writer.write(id, part, n);
        }
    }

    @Test
    void aReplacedRowThatChangesMeanwhileIsAConflict() throws Exception {
        OverwriteWriter writer = writer(new Timers());
        writer.write(row(7, "a", 70), NO_CONTEXT);
        write(1, "a", 11);
        assertThatThrownBy(() -> writer.flush(true))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(
                        "Cannot overwrite table shop.%s of Stele: rows of the partitions were changed meanwhile, so nothing was replaced"
                                .formatted(table))
                .cause()
                .isInstanceOfSatisfying(
                        SteleException.class,
                        failed ->
                                assertThat(failed.code())
                                        .isEqualTo(ErrorCode.TRANSACTION_CONFLICT));
        writer.close();
        assertThat(sidecar.rows("shop", table))
                .containsExactlyInAnyOrder(
                        List.of(1L, "a", 11), List.of(2L, "a", 20), List.of(3L, "b", 30));
    }

    @Test
    void aChangeOfAnotherPartitionIsNone() throws Exception {
        OverwriteWriter writer = writer(new Timers());
        writer.write(row(7, "a", 70), NO_CONTEXT);
        write(3, "b", 31);
        writer.flush(true);
        writer.close();
        assertThat(sidecar.rows("shop", table))
                .containsExactlyInAnyOrder(List.of(7L, "a", 70), List.of(3L, "b", 31));
    }

    @Test
    void aWriterThatIsClosedBeforeTheEndChangesNothing() throws Exception {
        Timers timers = new Timers();
        OverwriteWriter writer = writer(timers);
        writer.write(row(7, "a", 70), NO_CONTEXT);
        writer.flush(false); // as for a checkpoint
        assertThat(sidecar.rows("shop", table)).hasSize(3);
        timers.runNext();
        writer.close();
        timers.runNext(); // its last timer comes too late
        assertThat(timers.waiting).isEmpty();
        assertThat(sidecar.rows("shop", table)).hasSize(3);
    }

    @Test
    void onlyInsertedRowsAreTaken() {
        OverwriteWriter writer = writer(new Timers());
        RowData deleted = row(1, "a", 10);
        deleted.setRowKind(RowKind.DELETE);
        assertThatThrownBy(() -> writer.write(deleted, NO_CONTEXT))
                .hasMessageContaining("found a row of kind DELETE");
        writer.close();
    }

    /** Timers that a test runs. */
    private static final class Timers implements ProcessingTimeService {
        private final ArrayDeque<ProcessingTimeCallback> waiting = new ArrayDeque<>();

        @Override
        public long getCurrentProcessingTime() {
            return 0;
        }

        @Override
        public @Nullable ScheduledFuture<?> registerTimer(
                long time, ProcessingTimeCallback callback) {
            waiting.add(callback);
            return null;
        }

        void runNext() throws Exception {
            waiting.remove().onProcessingTime(0);
        }
    }
}
