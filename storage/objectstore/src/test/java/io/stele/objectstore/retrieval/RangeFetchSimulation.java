package io.stele.objectstore.retrieval;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Fetches in virtual time from a store that answers late, fails and is given up on; each seed is a
 * history. {@code -Dsimulation.seed=N} runs one.
 */
class RangeFetchSimulation {
    private static final int SEEDS = 200;
    private static final int READERS = 8;
    private static final int REQUEST_BYTES = 64 << 10; // stand for 16 MiB
    private static final int OBJECTS = 40;

    @Test
    void everyFetchEndsOnceWithItsBytesAndGivesEverythingBack() throws IOException {
        Long single = Long.getLong("simulation.seed");
        for (long seed = single == null ? 0 : single;
                seed <= (single == null ? SEEDS : single);
                seed++) {
            Random random = new Random(seed);
            Readers readers = new Readers(seed, 2, random.nextBoolean() ? 0.05 : 0.3);
            readers.store.stragglers = random.nextDouble() * 0.3;
            readers.store.failures = random.nextDouble() * 0.5;
            readers.cancellations = random.nextDouble() * 0.3;
            readers.readAll(120);
            assertThat(readers.read + readers.cancelled + readers.failed)
                    .as("seed %d", seed)
                    .isEqualTo(120);
            assertThat(readers.wrong).as("seed %d", seed).isZero();
            readers.checkNothingIsLeft(seed);
            assertThat(readers.store.mostUnderWay)
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(2 * READERS);
        }
    }

    @Test
    void readsThatFailForGoodSayWhy() throws IOException {
        Readers readers = new Readers(1, 2, 0.05);
        readers.store.failures = 1;
        readers.readAll(20);
        assertThat(readers.failed).isEqualTo(20);
        assertThat(readers.store.requests).isEqualTo(20 * 4);
        readers.checkNothingIsLeft(1);
    }

    /** The numbers of benchmark {@code tail}, without a network. */
    @Test
    void hedgesCutTheTailWithinTheirBudget() throws IOException {
        for (long seed = 0; seed < 5; seed++) {
            Readers without = new Readers(seed, READERS, 0);
            without.store.stragglers = 0.05;
            without.readAll(2_000);
            Readers with = new Readers(seed, READERS, 0.05);
            with.store.stragglers = 0.05;
            with.readAll(2_000);
            assertThat(with.percentile(99))
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(without.percentile(99) / 4);
            assertThat(with.percentile(50)).isLessThan(1.1 * without.percentile(50));
            long wanted = 2_000L * REQUEST_BYTES;
            assertThat(with.store.sentBytes - wanted)
                    .isBetween(1L, (long) (0.05 * wanted) + 2L * REQUEST_BYTES);
            assertThat(with.services.budget.wastedBytes())
                    .isLessThanOrEqualTo((long) (0.05 * wanted) + 2L * REQUEST_BYTES);
            assertThat(without.services.counters.hedges.sum()).isZero();
            assertThat(without.store.sentBytes).isEqualTo(wanted);
            assertThat(with.services.counters.hedgeWins.sum()).isGreaterThan(50);
            with.checkNothingIsLeft(seed);
        }
    }

    /** A reader that is slow to see that its answer has begun sends a hedge that costs nothing. */
    @Test
    void aHedgeThatWasTooEarlyIsTakenBack() throws IOException {
        Readers readers = new Readers(4, READERS, 1);
        readers.readAll(100); // learns what is usual
        long sent = readers.store.sentBytes;
        readers.store.baseNanos = 110e6; // late by its first byte, but then as fast as ever
        readers.store.jitter = 0;
        readers.readAll(READERS);
        assertThat(readers.services.counters.hedges.sum()).isGreaterThanOrEqualTo(READERS);
        assertThat(readers.services.counters.hedgeWins.sum()).isZero();
        assertThat(readers.store.sentBytes - sent).isEqualTo((long) READERS * REQUEST_BYTES);
        assertThat(readers.services.budget.wastedBytes()).isZero();
        readers.checkNothingIsLeft(4);
    }

    /** A process that has no time for the answers it has got does not take the store for late. */
    @Test
    void aBusyProcessSendsFewHedges() throws IOException {
        for (long seed = 0; seed < 5; seed++) {
            Readers readers = new Readers(seed, READERS, 1);
            readers.store.nanosPerByte = 0; // small ones
            readers.readAll(100); // learns what is usual
            long before = readers.services.counters.hedges.sum();
            Random random = new Random(seed);
            readers.time.setLateness(() -> (long) (random.nextDouble() * 150e6));
            readers.readAll(32); // fewer than change what is usual
            assertThat(readers.services.counters.hedges.sum() - before)
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(2);
            readers.checkNothingIsLeft(seed);
        }
    }

    /** One hedge a range at a time, however late both are. */
    @Test
    void noRangeIsAskedForThreeTimesAtOnce() throws IOException {
        Readers readers = new Readers(3, READERS, 1);
        readers.readAll(100); // learns what is usual
        readers.store.stragglers = 1;
        readers.store.mostUnderWay = 0;
        int before = readers.store.requests;
        readers.readAll(READERS);
        assertThat(readers.store.requests - before).isBetween(READERS + 1, 3 * READERS);
        assertThat(readers.store.mostUnderWay).isLessThanOrEqualTo(2 * READERS);
    }

    /** Several readers, each with one fetch at a time. */
    private static final class Readers {
        private final VirtualTime time = new VirtualTime();
        private final Random random;
        private final SimulatedStore store;
        private final FetchServices services;
        private final List<byte[]> contents = new ArrayList<>();
        private final List<Long> latencies = new ArrayList<>();
        private double cancellations;
        private int left;
        private int read;
        private int cancelled;
        private int failed;
        private int wrong;

        Readers(long seed, int minRequests, double hedgeShare) {
            random = new Random(seed);
            store = new SimulatedStore(time, new Random(seed + 1));
            store.nanosPerByte = 320e6 / REQUEST_BYTES;
            for (int i = 0; i < OBJECTS; i++) {
                byte[] content = new byte[REQUEST_BYTES];
                random.nextBytes(content);
                contents.add(content);
                store.put("o" + i, content);
            }
            services =
                    new FetchServices(
                            store,
                            new RetrievalOptions(
                                    minRequests,
                                    READERS,
                                    (long) READERS * REQUEST_BYTES,
                                    OptionalLong.empty(),
                                    hedgeShare,
                                    (long) READERS * REQUEST_BYTES,
                                    0,
                                    new RangePlanner(0, REQUEST_BYTES),
                                    GapRule.fixed(0),
                                    new RetryPolicy(4, 1_000_000, 50_000_000)),
                            new RetrievalRuntime(time, random, time, time));
        }

        void readAll(int count) {
            left = count;
            for (int i = 0; i < READERS; i++) {
                next();
            }
            time.run();
        }

        private void next() {
            if (left == 0) {
                return;
            }
            left--;
            int number = random.nextInt(OBJECTS);
            byte[] target = new byte[REQUEST_BYTES];
            RangeFetch fetch =
                    new RangeFetch(
                            services,
                            new RangeRequest("o" + number, new ByteRange(0, REQUEST_BYTES), false),
                            (_, length) -> ByteBuffer.wrap(target, 0, length));
            long start = time.getAsLong();
            fetch.start();
            fetch.ended().thenRun(() -> end(fetch, number, target, start));
            if (random.nextDouble() < cancellations) {
                time.schedule(
                        (long) (random.nextDouble() * 500e6),
                        () -> {
                            fetch.cancel();
                            fetch.cancel();
                        });
            }
        }

        private void end(RangeFetch fetch, int number, byte[] target, long start) {
            try {
                if (fetch.finish().isPresent()) {
                    read++;
                    latencies.add(time.getAsLong() - start);
                    wrong += Arrays.equals(target, contents.get(number)) ? 0 : 1;
                } else {
                    cancelled++;
                }
            } catch (IOException e) {
                failed++;
            }
            Arrays.fill(target, (byte) 0);
            time.schedule(
                    TimeUnit.SECONDS.toNanos(20), // nobody writes into it any more
                    () -> wrong += isZero(target) ? 0 : 1);
            next();
        }

        private static boolean isZero(byte[] bytes) {
            return Arrays.equals(bytes, new byte[bytes.length]);
        }

        double percentile(int percent) {
            return latencies.stream()
                    .sorted()
                    .skip(latencies.size() * (long) percent / 100)
                    .findFirst()
                    .orElseThrow();
        }

        void checkNothingIsLeft(long seed) {
            assertThat(store.underWay).as("seed %d", seed).isZero();
            assertThat(time.pending()).as("seed %d", seed).isZero();
            assertThat(services.admission.requests()).as("seed %d", seed).isZero();
            assertThat(services.admission.bytes()).as("seed %d", seed).isZero();
            assertThat(services.admission.waiting()).as("seed %d", seed).isZero();
            assertThat(services.budget.reservedBytes()).as("seed %d", seed).isZero();
            assertThat(services.hedgeBuffers.lentBytes()).as("seed %d", seed).isZero();
        }
    }
}
