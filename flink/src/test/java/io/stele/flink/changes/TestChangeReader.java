package io.stele.flink.changes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.metrics.groups.InternalSourceReaderMetricGroup;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.UserCodeClassLoader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** States of a reader say exactly what it has passed on. */
@Timeout(300)
final class TestChangeReader {
    private static final long START = Lsn.of(1_000, 0).value();
    private static final long POLL_NANOS = 1_000_000;

    private final FakeHistory history = new FakeHistory();
    private final Context context = new Context();
    private final Rows rows = new Rows();
    private final List<ChangeReader> readers = new ArrayList<>();

    @AfterEach
    void stop() {
        readers.forEach(ChangeReader::close);
        assertThat(history.openLeases()).isZero();
    }

    private ChangeReader start(List<ChangeSplit> splits) {
        ChangeReader reader =
                new ChangeReader(
                        "shop.orders",
                        context,
                        history,
                        new ChangeFetcher.Times(
                                Duration.ofMillis(1),
                                Duration.ofMinutes(1),
                                Duration.ofMinutes(1)));
        readers.add(reader);
        reader.addSplits(splits);
        reader.start();
        return reader;
    }

    private static ChangeSplit split(int shard, long lsn, boolean readsSnapshot) {
        return new ChangeSplit(new TableId(1), shard, new Lsn(lsn), readsSnapshot);
    }

    /** Polls until this number of rows was passed on in all. */
    private void poll(ChangeReader reader, int count) throws Exception {
        while (rows.texts.size() < count) {
            reader.isAvailable().get(120, TimeUnit.SECONDS);
            reader.pollNext(rows);
        }
    }

    @Test
    void theSnapshotComesFirstAndThenTheChanges() throws Exception {
        history.commit(0, START + 1, 2);
        ChangeReader reader = start(List.of(split(0, START, true)));
        assertThat(reader.snapshotState(1)).containsExactly(split(0, START, true));
        poll(reader, 1);
        assertThat(rows.texts).containsExactly("0: 0/%d/-1 at 1000".formatted(START));
        assertThat(reader.snapshotState(2)).containsExactly(split(0, START, false));
        poll(reader, 3);
        assertThat(rows.texts.subList(1, 3))
                .containsExactly(
                        "0: 0/%d/0 at 1000".formatted(START + 1),
                        "0: 0/%d/1 at 1000".formatted(START + 1));
        assertThat(reader.snapshotState(3)).containsExactly(split(0, START + 1, false));
        assertThat(context.events).contains(new ShardHeld(0));
        assertThat(context.events)
                .filteredOn(ShardPositions.class::isInstance)
                .extracting(event -> ((ShardPositions) event).lsns()[0])
                .containsExactly(START, START, START + 1);
    }

    @Test
    void aCommitIsPassedOnInOneCallHoweverLargeItIs() throws Exception {
        int count = (int) (2 * ChangeFetcher.BUFFER_BYTES / FakeHistory.ROW_BYTES);
        history.commit(0, START + 1, count);
        ChangeReader reader = start(List.of(split(0, START, false)));
        poll(reader, 1);
        assertThat(rows.texts).hasSize(count);
        assertThat(reader.snapshotState(1)).containsExactly(split(0, START + 1, false));
    }

    @Test
    void aRestoredReaderGoesOnBehindItsState() throws Exception {
        for (int i = 1; i <= 20; i++) {
            history.commit(i % 2, START + i, 3);
        }
        ChangeReader first = start(List.of(split(0, START, false), split(1, START, false)));
        poll(first, 1);
        List<ChangeSplit> state = first.snapshotState(1);
        first.close();
        for (int i = 21; i <= 40; i++) {
            history.commit(i % 2, START + i, 3);
        }
        ChangeReader second = start(state);
        poll(second, 120);
        assertThat(rows.texts).hasSize(120).doesNotHaveDuplicates();
    }

    @Test
    void aPausedShardIsHeldBackAndOthersGoOn() throws Exception {
        history.commit(0, START + 1, 1);
        ChangeReader reader = start(List.of(split(0, START, false), split(1, START, false)));
        poll(reader, 1);
        pause(reader, 0);
        history.commit(0, START + 2, 2);
        for (int i = 0; i < 20; i++) {
            history.commit(1, START + 3 + i, 1);
            poll(reader, i + 2);
        }
        assertThat(rows.texts.subList(1, rows.texts.size())).allMatch(row -> row.startsWith("1: "));
        assertThat(reader.snapshotState(1))
                .containsExactly(split(0, START + 1, false), split(1, START + 22, false));
        pause(reader, 1);
        reader.pauseOrResumeSplits(List.of(), List.of("0"));
        history.commit(1, START + 30, 1);
        history.commit(0, START + 31, 1);
        poll(reader, 24);
        assertThat(rows.texts.subList(21, 24))
                .containsExactly(
                        "0: 0/%d/0 at 1000".formatted(START + 2),
                        "0: 0/%d/1 at 1000".formatted(START + 2),
                        "0: 0/%d/0 at 1000".formatted(START + 31));
        reader.pauseOrResumeSplits(List.of(), List.of("1"));
        poll(reader, 25);
        assertThat(rows.texts.get(24)).isEqualTo("1: 1/%d/0 at 1000".formatted(START + 30));
    }

    /** Pauses a shard, and waits until its history is kept without being read. */
    private void pause(ChangeReader reader, int shard) {
        reader.pauseOrResumeSplits(List.of(Integer.toString(shard)), List.of());
        int before = history.renewals(shard);
        while (history.renewals(shard) == before) {
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    @Test
    void positionsMoveWithoutChanges() throws Exception {
        ChangeReader reader = start(List.of(split(0, START, false)));
        history.pass(START + 9);
        List<ChangeSplit> moved = List.of(split(0, START + 9, false));
        while (!reader.snapshotState(1).equals(moved)) {
            LockSupport.parkNanos(POLL_NANOS);
        }
        assertThat(rows.texts).isEmpty();
    }

    @Test
    void aReaderWithoutShardsEndsAndOthersDoNot() throws Exception {
        ChangeReader idle = start(List.of());
        assertThat(idle.pollNext(rows)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        idle.notifyNoMoreSplits();
        assertThat(idle.isAvailable()).isDone();
        assertThat(idle.pollNext(rows)).isEqualTo(InputStatus.END_OF_INPUT);
        ChangeReader other = start(List.of(split(0, START, false)));
        other.notifyNoMoreSplits();
        while (!context.events.contains(new ShardHeld(0))) {
            assertThat(other.pollNext(rows)).isNotEqualTo(InputStatus.END_OF_INPUT);
        }
        assertThat(other.pollNext(rows)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
    }

    @Test
    void aFailureIsCountedAndThrown() {
        history.commit(0, START + 1, 1);
        history.breakAt(START + 1, 0, ErrorCode.STALE_TABLE, Integer.MAX_VALUE);
        ChangeReader reader = start(List.of(split(0, START, false)));
        assertThatThrownBy(() -> poll(reader, 1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("shard 0 of table shop.orders");
        assertThat(context.metrics.getNumRecordsInErrorsCounter().getCount()).isEqualTo(1);
    }

    /** Collects what readers send. */
    private static final class Context implements SourceReaderContext {
        private final SourceReaderMetricGroup metrics =
                InternalSourceReaderMetricGroup.mock(new UnregisteredMetricsGroup());
        private final List<SourceEvent> events = new ArrayList<>();

        @Override
        public SourceReaderMetricGroup metricGroup() {
            return metrics;
        }

        @Override
        public Configuration getConfiguration() {
            return new Configuration();
        }

        @Override
        public String getLocalHostName() {
            return "localhost";
        }

        @Override
        public int getIndexOfSubtask() {
            return 0;
        }

        @Override
        public void sendSplitRequest() {
            throw new AssertionError("Shards are given without being asked for");
        }

        @Override
        public void sendSourceEventToCoordinator(SourceEvent event) {
            events.add(event);
        }

        @Override
        public UserCodeClassLoader getUserCodeClassLoader() {
            throw new AssertionError("Not needed");
        }
    }

    /** Collects rows as texts, with their splits and times. */
    private static final class Rows implements ReaderOutput<RowData> {
        private final List<String> texts = new ArrayList<>();

        private void add(String split, RowData row, long millis) {
            texts.add("%s: %s at %d".formatted(split, FakeHistory.text(row), millis));
        }

        @Override
        public void collect(RowData row) {
            throw new AssertionError("Rows have a time");
        }

        @Override
        public void collect(RowData row, long millis) {
            throw new AssertionError("Rows have a split");
        }

        @Override
        public SourceOutput<RowData> createOutputForSplit(String split) {
            return new SourceOutput<>() {
                @Override
                public void collect(RowData row) {
                    throw new AssertionError("Rows have a time");
                }

                @Override
                public void collect(RowData row, long millis) {
                    add(split, row, millis);
                }

                @Override
                public void emitWatermark(Watermark watermark) {}

                @Override
                public void markIdle() {}

                @Override
                public void markActive() {}
            };
        }

        @Override
        public void releaseOutputForSplit(String split) {}

        @Override
        public void emitWatermark(Watermark watermark) {}

        @Override
        public void markIdle() {}

        @Override
        public void markActive() {}
    }
}
