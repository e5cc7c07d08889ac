package io.stele.engine.wal;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.wal.LogFixture.Read;
import io.stele.objectstore.FaultInjectingObjectStore;
import io.stele.objectstore.StoreFaults;
import io.stele.objectstore.encryption.Encryption;
import io.stele.objectstore.encryption.TestKeys;
import io.stele.objectstore.fault.CrashPoint;
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
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Owners of a log in an object store, one after the other and several at a time: each writes,
 * stalls, goes on when others have long taken the log over and trimmed it, and even loses it while
 * it waits for an answer. The store fails, takes effect without saying so, or late. {@code
 * -Dsimulation.seed=N} replays one.
 *
 * <p>Oracle: a set of what was acknowledged. Every owner reads all of it when it takes over, and
 * nothing is acknowledged later that a newer owner has not read.
 */
class LogTakeoverSimulation {
    private static final List<ShardId> SHARDS = List.of(LogFixture.A, LogFixture.B);
    private static final int STEPS = 400;
    private static final int MAX_OWNERS = 4;

    private static int takeovers;
    private static int lostInMidWrite;
    private static int refusedLate;

    static LongStream seeds() {
        Long seed = Long.getLong("simulation.seed");
        return seed != null ? LongStream.of(seed) : LongStream.range(0, 300);
    }

    @ParameterizedTest(name = "-Dsimulation.seed={0}")
    @MethodSource("seeds")
    void oneOwnerAtATimeAndNothingIsLost(long seed) throws Exception {
        new Run(seed).run();
        if (seed == 299) {
            // A simulation in which nobody races proves nothing
            assertThat(takeovers).isGreaterThan(2_000);
            assertThat(refusedLate).isGreaterThan(3_000);
            assertThat(lostInMidWrite).isGreaterThan(100);
        }
    }

    /** One history; records are told apart by their text. */
    private static final class Run {
        private final Random random;
        private final FaultInjectingObjectStore store;
        private final List<Owner> owners = new ArrayList<>();
        private final Set<String> submitted = new HashSet<>();

        /** Acknowledged, by text, unless it may have been trimmed since. */
        private final Map<String, Read> acknowledged = new HashMap<>();

        /** Records at or below may be gone. */
        private final Map<ShardId, Lsn> trimmed = new HashMap<>();

        /** What the newest owner read when it took over. */
        private Set<String> readByNewest = Set.of();

        private long newestEpoch;
        private long nextEpoch = 1;
        private long wallMillis = 1_000;
        private int nextText;
        private boolean waiting;

        private final Encryption encryption;

        Run(long seed) {
            random = new Random(seed);
            encryption = seed % 3 == 1 ? TestKeys.encryption("k") : Encryption.NONE;
            store =
                    new FaultInjectingObjectStore(
                            CrashPoint.never(),
                            random.nextInt(3) == 0
                                    ? StoreFaults.NONE
                                    : new StoreFaults(0.05, 0.05, 0.1, 0, 0),
                            new Random(seed + 1),
                            _ -> {});
        }

        private record Owner(long epoch, NodeLog log) {}

        void run() throws IOException {
            for (int step = 0; step < STEPS; step++) {
                wallMillis += random.nextInt(3);
                if (owners.isEmpty() || random.nextInt(25) == 0) {
                    takeOver();
                    continue;
                }
                Owner owner = owners.get(random.nextInt(owners.size()));
                switch (random.nextInt(10)) {
                    case 0 -> trim(owner);
                    case 1, 2, 3, 4 -> owner.log.commitWaiting();
                    default -> append(owner);
                }
            }
            store.setFaults(StoreFaults.NONE);
            store.settle();
            takeOver();
            assertThat(newestEpoch).as("the last one owns the log").isEqualTo(nextEpoch - 1);
        }

        private void takeOver() {
            long epoch = nextEpoch++;
            LogFiles files =
                    new EncryptedLogFiles(
                            new ObjectLogFiles(store, "log/", Runnable::run, _ -> whileWaiting()),
                            encryption);
            List<Read> found = new ArrayList<>();
            NodeLog log;
            try {
                files.takeOver(epoch, LogId.NONE);
                log =
                        NodeLog.unthreaded(
                                RecoveredLog.recover(
                                        files,
                                        LogFixture.SMALL,
                                        new HybridClock(() -> wallMillis),
                                        LogFixture.collector(found)),
                                new LogFixture.Remembering());
            } catch (IOException gaveUp) {
                return; // its fence may be there, or come later
            }
            takeovers++;
            check(found);
            readByNewest = new HashSet<>(found.stream().map(Read::text).toList());
            newestEpoch = epoch;
            owners.add(new Owner(epoch, log));
            if (owners.size() > MAX_OWNERS) {
                owners.remove(random.nextInt(MAX_OWNERS)); // dies
            }
        }

        private void check(List<Read> found) {
            assertThat(found).extracting(Read::text).doesNotHaveDuplicates();
            assertThat(submitted).containsAll(found.stream().map(Read::text).toList());
            for (ShardId shard : SHARDS) {
                assertThat(found.stream().filter(read -> read.shard().equals(shard)))
                        .extracting(Read::lsn)
                        .isSorted()
                        .doesNotHaveDuplicates();
            }
            acknowledged
                    .values()
                    .removeIf(
                            read ->
                                    read.lsn()
                                                    .compareTo(
                                                            trimmed.getOrDefault(
                                                                    read.shard(), Lsn.MIN))
                                            <= 0);
            assertThat(found).as("acknowledged").containsAll(acknowledged.values());
        }

        /** Another engine takes the log over while one waits to ask again. */
        private void whileWaiting() {
            if (!waiting && random.nextInt(4) == 0) {
                waiting = true;
                takeOver();
                waiting = false;
                lostInMidWrite++;
            }
        }

        private void append(Owner owner) {
            ShardId shard = SHARDS.get(random.nextInt(SHARDS.size()));
            String text = nextText++ + "/" + "x".repeat(random.nextInt(300));
            submitted.add(text);
            LogFixture.write(owner.log, shard, text)
                    .whenComplete(
                            (position, failed) -> {
                                if (failed != null) {
                                    refusedLate++;
                                    return;
                                }
                                if (owner.epoch < newestEpoch) {
                                    assertThat(readByNewest)
                                            .as("read by epoch %s", newestEpoch)
                                            .contains(text);
                                }
                                acknowledged.put(
                                        text,
                                        new Read(shard, position.lsn(), RecordType.WRITE, text));
                            });
        }

        /** Only the newest has manifests that were published; the others find out that it has. */
        private void trim(Owner owner) {
            if (owner.epoch != newestEpoch) {
                return;
            }
            Map<ShardId, Lsn> flushed = new HashMap<>();
            for (ShardId shard : SHARDS) {
                Lsn last = owner.log.lastAssigned(shard);
                if (random.nextBoolean()) {
                    flushed.put(shard, last);
                    trimmed.merge(shard, last, (a, b) -> a.compareTo(b) >= 0 ? a : b);
                }
            }
            try {
                owner.log.trim(flushed, ReleasedRecords.NONE);
            } catch (SteleException | IOException e) {
                // lost the log, or the store failed: what was to be deleted may be gone or not
            }
        }
    }
}
