package io.stele.engine.wal;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.wal.LogFixture.Read;
import io.stele.objectstore.encryption.Encryption;
import io.stele.objectstore.encryption.TestKeys;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.objectstore.fault.SimulatedCrash;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random appends, holds, trims and commits on a log whose process dies at a random operation, again
 * and again; unsynced bytes are cut anywhere or lose sectors. The oracle is the set of acknowledged
 * records. Of records that are appended together, all are there or none, at one LSN. {@code
 * -Dsimulation.seed=N} replays one.
 */
class LogSimulation {
    private static final List<ShardId> SHARDS =
            List.of(new ShardId(0, 0), new ShardId(0, 1), new ShardId(1, 0), new ShardId(1, 1));
    private static final int LIVES = 40;

    static LongStream seeds() {
        Long seed = Long.getLong("simulation.seed");
        return seed != null ? LongStream.of(seed) : LongStream.range(0, 150);
    }

    @ParameterizedTest(name = "-Dsimulation.seed={0}")
    @MethodSource("seeds")
    void acknowledgedRecordsSurvive(long seed) throws Exception {
        new Run(seed).run();
    }

    /** One history; records are told apart by their text. */
    private static final class Run {
        private final Random random;
        private final HybridClock[] clock = new HybridClock[1];
        private long wallMillis = 1_000;
        private InMemoryLogFiles files;
        private final Encryption encryption;
        private int nextText;

        /** Per shard, in order: everything that is known to be durable. */
        private final Map<ShardId, List<Read>> durable = new HashMap<>();

        /** Texts of records that were submitted in this life, per shard in order. */
        private final Map<ShardId, List<String>> submitted = new HashMap<>();

        /** Texts of records that were appended together, unacknowledged, in this life. */
        private final Map<String, Set<ShardId>> together = new HashMap<>();

        /** Records up to here may be gone. */
        private final Map<ShardId, Lsn> trimmed = new HashMap<>();

        Run(long seed) {
            random = new Random(seed);
            encryption = seed % 3 == 1 ? TestKeys.encryption("k") : Encryption.NONE;
            files = new InMemoryLogFiles(nextCrash(), random);
        }

        private CrashPoint nextCrash() {
            return CrashPoint.after(1 + random.nextInt(60));
        }

        void run() throws IOException {
            for (int life = 0; life < LIVES; life++) {
                try {
                    NodeLog log = NodeLog.unthreaded(recover(), new LogFixture.Remembering());
                    live(log);
                } catch (SimulatedCrash e) {
                    // died while recovering
                }
                files = files.surviving(nextCrash());
            }
            files = files.surviving(CrashPoint.never());
            recover();
        }

        private RecoveredLog recover() throws IOException {
            clock[0] = new HybridClock(() -> wallMillis);
            List<Read> found = new ArrayList<>();
            RecoveredLog recovered =
                    RecoveredLog.recover(
                            new EncryptedLogFiles(files, encryption),
                            LogFixture.SMALL,
                            clock[0],
                            LogFixture.collector(found));
            check(found);
            return recovered;
        }

        /**
         * Compares a recovered log with what must and what may be in it, and takes it as the truth
         * from here on.
         */
        private void check(List<Read> found) {
            for (ShardId shard : SHARDS) {
                List<Read> ofShard =
                        found.stream().filter(read -> read.shard().equals(shard)).toList();
                assertThat(ofShard).extracting(Read::lsn).isSorted().doesNotHaveDuplicates();
                Lsn limit = trimmed.getOrDefault(shard, Lsn.MIN);
                List<Read> expected =
                        durable.getOrDefault(shard, List.of()).stream()
                                .filter(read -> read.lsn().compareTo(limit) > 0)
                                .toList();
                List<Read> needed =
                        ofShard.stream().filter(read -> read.lsn().compareTo(limit) > 0).toList();
                assertPrefix(expected, needed);
                // Anything more was submitted, unacknowledged, and comes in the order of submission
                // without a gap.
                List<String> more =
                        needed.subList(expected.size(), needed.size()).stream()
                                .filter(read -> read.type() == RecordType.WRITE)
                                .map(Read::text)
                                .toList();
                assertPrefix(more, submitted.getOrDefault(shard, List.of()));
                durable.put(shard, new ArrayList<>(needed));
            }
            for (Map.Entry<String, Set<ShardId>> all : together.entrySet()) {
                List<Read> parts =
                        found.stream().filter(read -> read.text().equals(all.getKey())).toList();
                if (!parts.isEmpty()) {
                    assertThat(parts).extracting(Read::shard).hasSameElementsAs(all.getValue());
                    assertThat(parts).extracting(Read::lsn).containsOnly(parts.getFirst().lsn());
                }
            }
            submitted.clear();
            together.clear();
        }

        private static <T> void assertPrefix(List<T> prefix, List<T> list) {
            assertThat(list).hasSizeGreaterThanOrEqualTo(prefix.size());
            assertThat(list.subList(0, prefix.size())).isEqualTo(prefix);
        }

        private void live(NodeLog log) {
            List<LogHold> holds = new ArrayList<>();
            Set<ShardId> held = new HashSet<>();
            for (int step = 0; step < 120 && !log.status().failed(); step++) {
                wallMillis += random.nextInt(3) - 1;
                switch (random.nextInt(14)) {
                    case 0 -> hold(log, holds, held);
                    case 1 -> release(holds, held);
                    case 2 -> trim(log);
                    case 3, 4, 5, 6 -> log.commitWaiting();
                    case 12, 13 -> appendTogether(log, held);
                    default -> append(log);
                }
            }
            if (random.nextInt(4) == 0 && !log.status().failed()) {
                log.close();
            }
        }

        private void append(NodeLog log) {
            ShardId shard = SHARDS.get(random.nextInt(SHARDS.size()));
            String text =
                    nextText++
                            + "/"
                            + (random.nextBoolean() ? "x" : "\0").repeat(random.nextInt(900));
            CompletableFuture<LogPosition> future = LogFixture.write(log, shard, text);
            if (future.isCompletedExceptionally()) {
                return;
            }
            submitted.computeIfAbsent(shard, ignored -> new ArrayList<>()).add(text);
            acknowledge(future, shard, RecordType.WRITE, text);
        }

        /** More than a group takes, at times. */
        private void appendTogether(NodeLog log, Set<ShardId> held) {
            String text = nextText++ + "/" + "t".repeat(random.nextInt(300));
            List<NodeLog.Entry> records = new ArrayList<>();
            Set<ShardId> shards = new HashSet<>();
            for (ShardId shard : SHARDS) {
                if (!held.contains(shard) && random.nextInt(3) > 0) {
                    shards.add(shard);
                    records.add(
                            new NodeLog.Entry(
                                    shard, RecordType.WRITE, LogFixture.text(text), null));
                }
            }
            if (records.isEmpty()) {
                return;
            }
            CompletableFuture<Lsn> future;
            try {
                future = log.appendTogether(records);
            } catch (SteleException ended) {
                return;
            }
            together.put(text, shards);
            for (ShardId shard : shards) {
                submitted.computeIfAbsent(shard, ignored -> new ArrayList<>()).add(text);
                acknowledge(
                        future.thenApply(lsn -> new LogPosition(lsn, 0, 0)),
                        shard,
                        RecordType.WRITE,
                        text);
            }
            future.thenAccept(lsn -> together.remove(text));
        }

        private void acknowledge(
                CompletableFuture<LogPosition> future,
                ShardId shard,
                RecordType type,
                String text) {
            future.thenAccept(
                    position -> {
                        durable.computeIfAbsent(shard, ignored -> new ArrayList<>())
                                .add(new Read(shard, position.lsn(), type, text));
                        if (type == RecordType.WRITE) {
                            assertThat(submitted.get(shard).removeFirst()).isEqualTo(text);
                        }
                    });
        }

        private void hold(NodeLog log, List<LogHold> holds, Set<ShardId> held) {
            Set<ShardId> shards = new HashSet<>();
            for (ShardId shard : SHARDS) {
                if (!held.contains(shard) && random.nextBoolean()) {
                    shards.add(shard);
                }
            }
            if (!shards.isEmpty() && !log.status().failed()) {
                holds.add(log.hold(shards).join());
                held.addAll(shards);
            }
        }

        /**
         * Gives some shards an outcome. The others get a void record, which nobody acknowledges.
         */
        private void release(List<LogHold> holds, Set<ShardId> held) {
            if (holds.isEmpty()) {
                return;
            }
            LogHold hold = holds.remove(random.nextInt(holds.size()));
            for (ShardId shard : hold.previous().keySet()) {
                String text = "outcome " + hold.lsn();
                acknowledge(
                        hold.append(shard, RecordType.OUTCOME, LogFixture.text(text), null),
                        shard,
                        RecordType.OUTCOME,
                        text);
            }
            hold.release();
            held.removeAll(hold.previous().keySet());
        }

        private void trim(NodeLog log) {
            Map<ShardId, Lsn> flushed = new HashMap<>();
            for (ShardId shard : SHARDS) {
                List<Read> records = durable.getOrDefault(shard, List.of());
                if (!records.isEmpty()) {
                    Lsn limit = records.get(random.nextInt(records.size())).lsn();
                    flushed.put(shard, limit);
                    trimmed.merge(shard, limit, (a, b) -> a.compareTo(b) >= 0 ? a : b);
                }
            }
            try {
                log.trim(flushed, ReleasedRecords.NONE);
            } catch (SteleException | IOException e) {
                // died; what was to be deleted may be gone or not
            }
        }
    }
}
