package io.stele.flink.changes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.lease.LeasedSnapshot;
import io.stele.flink.option.FeedOptions;
import io.stele.flink.option.StartupMode;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.FlinkRuntimeException;
import org.junit.jupiter.api.Test;

/** All shards begin at one LSN, each reader gets its own, and the history is held long enough. */
final class TestChangeEnumerator {
    private static final int SHARDS = 4;
    private static final Lsn START = new Lsn(100);
    private static final TableSchema SCHEMA =
            TableSchema.builder("shop", "orders")
                    .columns(List.of(new ColumnSchema(1, "id", DataType.parse("bigint")).notNull()))
                    .primaryKey(List.of(1))
                    .orientation(Orientation.ROW)
                    .shardCount(SHARDS)
                    .build();

    private final Lease lease = new Lease();
    private Context context = new Context(2);
    private ChangeEnumerator enumerator = enumerator(StartupMode.INITIAL, ChangeProgress.NONE);

    private ChangeEnumerator enumerator(StartupMode mode, ChangeProgress progress) {
        return enumerator(mode, progress, true);
    }

    private ChangeEnumerator enumerator(
            StartupMode mode, ChangeProgress progress, boolean hasCheckpoints) {
        long start = mode == StartupMode.LSN ? START.value() : -1;
        return new ChangeEnumerator(
                SCHEMA,
                new FeedOptions(
                        mode, start, true, false, Duration.ofMillis(1), Duration.ofMinutes(1)),
                lease,
                context,
                progress,
                hasCheckpoints);
    }

    private static ChangeSplit split(int shard, long lsn, boolean readsSnapshot) {
        return new ChangeSplit(new TableId(1), shard, new Lsn(lsn), readsSnapshot);
    }

    @Test
    void readersGetTheirShardsBeforeOrAfterTheStartIsKnown() {
        enumerator.start();
        context.register(0);
        enumerator.addReader(0);
        assertThat(context.given).isEmpty();
        context.runRequests();
        assertThat(context.given)
                .containsOnlyKeys(0)
                .containsEntry(0, List.of(split(0, 100, true), split(2, 100, true)));
        context.register(1);
        enumerator.addReader(1);
        assertThat(context.given)
                .containsEntry(1, List.of(split(1, 100, true), split(3, 100, true)));
        assertThat(context.ended).containsExactly(0, 1);
    }

    @Test
    void changesAfterAnLsnComeWithoutASnapshot() {
        enumerator = enumerator(StartupMode.LSN, ChangeProgress.NONE);
        start();
        assertThat(lease.asked).containsExactly(Optional.of(START));
        assertThat(context.given.get(0)).contains(split(0, 100, false));
    }

    private void start() {
        enumerator.start();
        for (int subtask = 0; subtask < context.currentParallelism(); subtask++) {
            context.register(subtask);
            enumerator.addReader(subtask);
        }
        context.runRequests();
    }

    @Test
    void aReaderThatFailedGetsItsShardsAgain() {
        start();
        List<ChangeSplit> had = context.given.remove(1);
        context.readers.remove(1);
        enumerator.addSplitsBack(had, 1);
        assertThat(enumerator.snapshotState(1).splits()).isEqualTo(had);
        context.register(1);
        enumerator.addReader(1);
        assertThat(context.given).containsEntry(1, had);
        assertThat(enumerator.snapshotState(2).splits()).isEmpty();
    }

    @Test
    void aStartThatIsRefusedFailsTheJob() {
        enumerator = enumerator(StartupMode.LSN, ChangeProgress.NONE);
        lease.refusal = new SteleException(ErrorCode.SNAPSHOT_EXPIRED, "its history is gone");
        enumerator.start();
        assertThatThrownBy(context::runRequests)
                .isInstanceOf(FlinkRuntimeException.class)
                .hasMessageStartingWith(
                        "Cannot read the changes of table shop.orders of Stele after LSN 100 (")
                .hasMessageEndingWith("): its history is gone");
    }

    @Test
    void withoutCheckpointsTheHistoryIsReleasedWhenAllReadersHoldIt() {
        enumerator = enumerator(StartupMode.INITIAL, ChangeProgress.NONE, false);
        start();
        for (int shard = 0; shard < SHARDS; shard++) {
            assertThat(lease.held).as("shard %d", shard).isPresent();
            enumerator.handleSourceEvent(shard % 2, new ShardHeld(shard));
            context.runRequests();
        }
        assertThat(lease.held).isEmpty();
    }

    /** Only the readers hold its history, so that of a reader that failed is not held. */
    @Test
    void withoutCheckpointsAReaderThatFailsIsTheEndOfTheJob() {
        enumerator = enumerator(StartupMode.INITIAL, ChangeProgress.NONE, false);
        start();
        enumerator.addSplitsBack(context.given.remove(1), 1); // while the beginning is held
        enumerator.addReader(1);
        for (int shard = 0; shard < SHARDS; shard++) {
            enumerator.handleSourceEvent(shard % 2, new ShardHeld(shard));
        }
        assertThatThrownBy(() -> enumerator.addSplitsBack(context.given.get(1), 1))
                .isInstanceOf(FlinkRuntimeException.class)
                .hasMessageContaining("table shop.orders of Stele in subtask 1");
    }

    @Test
    void beforeTheFirstCheckpointTheBeginningIsHeld() {
        start();
        for (int shard = 0; shard < SHARDS; shard++) {
            enumerator.handleSourceEvent(shard % 2, new ShardHeld(shard));
        }
        context.runRequests();
        assertThat(lease.held.orElseThrow().lsn()).isEqualTo(START);
        List<ChangeSplit> had = context.given.remove(1);
        enumerator.addSplitsBack(had, 1);
        enumerator.addReader(1);
        assertThat(context.given).containsEntry(1, had);
    }

    @Test
    void theLeaseThatACompleteCheckpointNamesIsHeld() {
        start();
        ChangeProgress first = checkpoint(1, 200);
        complete(1);
        ChangeProgress second = checkpoint(2, 300);
        ChangeProgress third = checkpoint(3, 400); // before the second one is complete
        complete(2);
        assertThat(first.held().orElseThrow().lsn()).isEqualTo(START);
        assertThat(second.held().orElseThrow().lsn()).isEqualTo(new Lsn(200));
        assertThat(third.held()).isEqualTo(second.held());
        assertThat(lease.moves).containsExactly("200 and 100", "300 and 200");
        complete(3);
        assertThat(lease.moves).endsWith("400 and 200");
        checkpoint(4, 500);
        complete(4);
        assertThat(lease.moves).endsWith("500 and 400");
    }

    private ChangeProgress checkpoint(long id, long lsn) {
        ChangeProgress progress = enumerator.snapshotState(id);
        report(id, 0, lsn, lsn);
        report(id, 1, lsn, lsn);
        return progress;
    }

    @Test
    void withCheckpointsTheHistoryIsHeldAfterTheLastCompleteOne() {
        start();
        assertThat(enumerator.snapshotState(1))
                .isEqualTo(new ChangeProgress(true, lease.held, List.of()));
        report(1, 0, 100, 120);
        report(1, 1, 110, 130);
        for (int shard = 0; shard < SHARDS; shard++) {
            enumerator.handleSourceEvent(shard % 2, new ShardHeld(shard));
        }
        complete(1);
        assertThat(lease.held.orElseThrow().lsn()).isEqualTo(START);
        enumerator.snapshotState(2);
        report(2, 0, 150, 170);
        complete(2); // of which a notice was lost
        assertThat(lease.held.orElseThrow().lsn()).isEqualTo(START);
        enumerator.snapshotState(3);
        report(3, 0, 180, 190);
        report(3, 1, 200, 170);
        complete(3);
        assertThat(lease.held.orElseThrow().lsn()).isEqualTo(new Lsn(170));
    }

    /** Of the shards {@code subtask} and {@code subtask + 2}. */
    private void report(long checkpoint, int subtask, long first, long second) {
        enumerator.handleSourceEvent(
                subtask,
                ShardPositions.of(
                        checkpoint,
                        List.of(split(subtask, first, false), split(subtask + 2, second, false))));
    }

    private void complete(long checkpoint) {
        enumerator.notifyCheckpointComplete(checkpoint);
        context.runRequests();
    }

    @Test
    void aRestoredOneBeginsWhereItWas() {
        context = new Context(3);
        lease.held = Optional.of(new LeasedSnapshot("before", new Lsn(50)));
        enumerator =
                enumerator(
                        StartupMode.LATEST,
                        new ChangeProgress(
                                true,
                                lease.held,
                                List.of(split(1, 60, false), split(2, 70, true))));
        start();
        assertThat(lease.asked).isEmpty();
        assertThat(lease.renewals).isEqualTo(1);
        assertThat(context.given)
                .isEqualTo(
                        Map.of(
                                1, List.of(split(1, 60, false)),
                                2, List.of(split(2, 70, true))));
    }

    @Test
    void aSidecarThatIsAwayIsAskedAgainForALease() {
        start();
        enumerator.snapshotState(1);
        report(1, 0, 110, 120);
        report(1, 1, 110, 130);
        lease.refusal = new SteleException(ErrorCode.UNAVAILABLE, "away");
        complete(1);
        assertThat(lease.held.orElseThrow().lsn()).isEqualTo(START);
        assertThat(context.periodic).hasSize(1);
    }

    /** A lease in memory. */
    private static final class Lease implements HistoryLease {
        private final List<Optional<Lsn>> asked = new ArrayList<>();
        private Optional<LeasedSnapshot> held = Optional.empty();
        private SteleException refusal;
        private final List<String> moves = new ArrayList<>();
        private int renewals;

        private void refuse() {
            if (refusal != null) {
                throw refusal;
            }
        }

        @Override
        public LeasedSnapshot open(Optional<Lsn> after) {
            refuse();
            asked.add(after);
            LeasedSnapshot opened = new LeasedSnapshot("opened", after.orElse(START));
            held = Optional.of(opened);
            return opened;
        }

        @Override
        public void renew() {
            refuse();
            renewals++;
        }

        @Override
        public void moveTo(Lsn lsn, Lsn kept) {
            refuse();
            moves.add(lsn.value() + " and " + kept.value());
            held = Optional.of(new LeasedSnapshot("moved", lsn));
        }

        @Override
        public void release() {
            refuse();
            held = Optional.empty();
        }

        @Override
        public Optional<LeasedSnapshot> held() {
            return held;
        }

        @Override
        public void close() {}
    }

    /** A coordinator whose requests wait until the test runs them. */
    private static final class Context implements SplitEnumeratorContext<ChangeSplit> {
        private final int parallelism;
        private final Map<Integer, ReaderInfo> readers = new TreeMap<>();
        private final Map<Integer, List<ChangeSplit>> given = new TreeMap<>();
        private final TreeSet<Integer> ended = new TreeSet<>();
        private final List<Runnable> requests = new ArrayList<>();
        private final List<Callable<?>> periodic = new ArrayList<>();

        Context(int parallelism) {
            this.parallelism = parallelism;
        }

        void register(int subtask) {
            readers.put(subtask, new ReaderInfo(subtask, "localhost"));
        }

        void runRequests() {
            List<Runnable> waiting = List.copyOf(requests);
            requests.clear();
            waiting.forEach(Runnable::run);
        }

        @Override
        public SplitEnumeratorMetricGroup metricGroup() {
            return UnregisteredMetricsGroup.createSplitEnumeratorMetricGroup();
        }

        @Override
        public void sendEventToSourceReader(
                int subtask, org.apache.flink.api.connector.source.SourceEvent event) {
            throw new AssertionError("Readers are told nothing");
        }

        @Override
        public int currentParallelism() {
            return parallelism;
        }

        @Override
        public Map<Integer, ReaderInfo> registeredReaders() {
            return readers;
        }

        @Override
        public void assignSplits(SplitsAssignment<ChangeSplit> assigned) {
            assigned.assignment()
                    .forEach(
                            (subtask, splits) -> {
                                assertThat(readers).containsKey(subtask);
                                assertThat(given.put(subtask, splits)).isNull();
                            });
        }

        @Override
        public void signalNoMoreSplits(int subtask) {
            ended.add(subtask);
        }

        @Override
        public <T> void callAsync(Callable<T> request, BiConsumer<T, Throwable> handler) {
            requests.add(() -> run(request, handler));
        }

        private static <T> void run(Callable<T> request, BiConsumer<T, Throwable> handler) {
            T reply = null;
            Throwable failure = null;
            try {
                reply = request.call();
            } catch (Exception failed) {
                failure = failed;
            }
            handler.accept(reply, failure);
        }

        @Override
        public <T> void callAsync(
                Callable<T> request,
                BiConsumer<T, Throwable> handler,
                long initialDelayMillis,
                long periodMillis) {
            periodic.add(request);
        }

        @Override
        public void runInCoordinatorThread(Runnable task) {
            task.run();
        }
    }
}
