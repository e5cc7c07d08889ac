package io.stele.paimon.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestLeases {
    private static final Duration BOUND = Duration.ofMillis(200);
    private static final Duration MILLI = Duration.ofMillis(1);
    private static final LeaseOptions DEFAULTS = new LeaseOptions(BOUND, BOUND);

    private final ManualChecks checks = new ManualChecks();
    private int value;

    private Leases<String, String, Integer> leases(LeaseOptions options) {
        return leases(options, (subject, before) -> value);
    }

    private Leases<String, String, Integer> leases(
            LeaseOptions options, Leases.Check<String, Integer> check) {
        return new Leases<>(
                options, check, found -> found >= 0, checks, Runnable::run, checks::nanos);
    }

    /**
     * A lake whose checks take two requests of up to 45 ms, as S3's, at the default bound of 200
     * ms: in none of the milliseconds of a minute would a query have to wait.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 10, 30, 60, 90})
    void noQueryWaitsWhileAChecksDurationIsUnderHalfTheBound(int checkMillis) throws Exception {
        List<String> waits = new ArrayList<>();
        AtomicInteger looks = new AtomicInteger();
        SlowChecks slow = new SlowChecks(checkMillis, waits, looks);
        Leases<String, String, Integer> leases = leases(DEFAULTS, slow);
        slow.leases = leases;

        leases.find("t", "t", BOUND);
        for (int milli = 0; milli < 10_000; milli++) {
            checks.pass(MILLI);
            slow.look();
            if (milli % 100 == 0) {
                assertThat(leases.find("t", "t", BOUND)).isEqualTo(1);
            }
        }

        assertThat(waits).isEmpty();
        assertThat(leases.waitCount()).as("the first query").isEqualTo(1);
        assertThat(looks.get()).isGreaterThan(5_000);
    }

    /** Checks that take some milliseconds, at each of which a query could come. */
    private final class SlowChecks implements Leases.Check<String, Integer> {
        private final int checkMillis;
        private final List<String> waits;
        private final AtomicInteger looks;
        private @Nullable Leases<String, String, Integer> leases;
        private boolean isFirst = true;

        private SlowChecks(int checkMillis, List<String> waits, AtomicInteger looks) {
            this.checkMillis = checkMillis;
            this.waits = waits;
            this.looks = looks;
        }

        @Override
        public Integer check(String subject, @Nullable Integer before) {
            for (int i = 0; i < checkMillis; i++) {
                checks.passWithoutChecks(MILLI);
                if (!isFirst) {
                    look();
                }
            }
            isFirst = false;
            return 1;
        }

        private void look() {
            looks.incrementAndGet();
            if (!leases.isFresh("t", BOUND)) {
                waits.add(checks.nanos() / 1_000_000 + " ms");
            }
        }
    }

    @Test
    void checksAreNotMoreFrequentThanTheBoundNeeds() throws Exception {
        Leases<String, String, Integer> leases = leases(DEFAULTS);
        leases.find("t", "t", BOUND);
        checks.pass(Duration.ofSeconds(10));
        assertThat(leases.checkCount()).isBetween(95L, 101L);
        assertThat(DEFAULTS.periodNanos(0)).isEqualTo(BOUND.toNanos() / 2);
        assertThat(DEFAULTS.periodNanos(Duration.ofMillis(60).toNanos()))
                .isEqualTo(Duration.ofMillis(80).toNanos());
        // One after the other where they cannot be in time
        assertThat(DEFAULTS.periodNanos(Duration.ofMillis(150).toNanos()))
                .isEqualTo(BOUND.toNanos() / 2);
        assertThat(
                        new LeaseOptions(Duration.ofHours(1), BOUND)
                                .periodNanos(Duration.ofMillis(60).toNanos()))
                .isEqualTo(BOUND.toNanos());
        assertThat(new LeaseOptions(Duration.ZERO, BOUND).periodNanos(7))
                .isEqualTo(BOUND.toNanos());
    }

    @Test
    void anEntryThatNoQueryUsesIsDropped() throws Exception {
        Leases<String, String, Integer> leases = leases(DEFAULTS);
        leases.find("used", "used", BOUND);
        leases.find("unused", "unused", BOUND);
        for (int i = 0; i < 90; i++) {
            checks.pass(Duration.ofSeconds(1));
            leases.find("used", "used", BOUND);
        }
        assertThat(leases.entryCount()).isEqualTo(1);
        checks.pass(Duration.ofSeconds(90));
        assertThat(leases.entryCount()).isZero();
        assertThat(checks.hasTasks()).isFalse();
        assertThat(leases.waitCount()).isEqualTo(2);
    }

    @Test
    void entriesAreBounded() throws Exception {
        Leases<String, String, Integer> leases =
                leases(new LeaseOptions(BOUND, BOUND, Duration.ofMinutes(1), 3));
        for (int i = 0; i < 10; i++) {
            checks.passWithoutChecks(MILLI);
            leases.find("t" + i, "t", BOUND);
        }
        assertThat(leases.entryCount()).isEqualTo(3);
        assertThat(leases.isFresh("t9", BOUND)).isTrue();
        assertThat(leases.isFresh("t6", BOUND)).isFalse();
    }

    @Test
    void valuesThatAreNotKeptAreCheckedAgain() throws Exception {
        Leases<String, String, Integer> leases = leases(DEFAULTS);
        value = -1;
        assertThat(leases.find("t", "t", BOUND)).isEqualTo(-1);
        value = 2;
        assertThat(leases.find("t", "t", BOUND)).isEqualTo(2);
        value = -1;
        checks.pass(BOUND);
        assertThat(leases.entryCount()).isZero();
    }

    @Test
    void aFailedCheckProlongsNothing() throws Exception {
        Leases<String, String, Integer> leases =
                leases(
                        DEFAULTS,
                        (subject, before) -> {
                            if (value == 1) {
                                throw new IOException("no answer");
                            }
                            return value;
                        });
        leases.find("t", "t", BOUND);
        value = 1;
        checks.pass(BOUND);
        assertThat(leases.find("t", "t", BOUND)).isZero();
        checks.pass(MILLI);
        assertThatThrownBy(() -> leases.find("t", "t", BOUND))
                .isInstanceOf(IOException.class)
                .hasMessage("no answer");
        value = 2;
        checks.pass(BOUND);
        assertThat(leases.isFresh("t", BOUND)).as("checks go on").isTrue();
        assertThat(leases.find("t", "t", BOUND)).isEqualTo(2);
    }

    @Test
    void ownChangesAreSeen() throws Exception {
        Leases<String, String, Integer> leases = leases(DEFAULTS);
        leases.find("t", "t", BOUND);
        value = 1;
        assertThat(leases.find("t", "t", BOUND)).isZero();
        leases.expire("t");
        assertThat(leases.find("t", "t", BOUND)).isEqualTo(1);
        value = 2;
        leases.forget("t"::equals);
        assertThat(leases.find("t", "t", BOUND)).isEqualTo(2);
    }

    @Test
    void queriesJoinARunningCheck() throws Exception {
        try (BlockedCheck blocked = new BlockedCheck()) {
            List<Future<Integer>> queries = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                queries.add(blocked.threads.submit(() -> blocked.leases.find("t", "t", BOUND)));
            }
            while (blocked.leases.waitCount() < 1 + queries.size()) {
                Thread.onSpinWait();
            }
            blocked.answer.countDown();
            for (Future<Integer> query : queries) {
                assertThat(query.get(1, TimeUnit.MINUTES)).isEqualTo(2);
            }
            assertThat(blocked.begun.get()).as("checks").isEqualTo(2);
        }
    }

    @Test
    void aRunningCheckThatBeganBeforeAChangeIsNotJoined() throws Exception {
        try (BlockedCheck blocked = new BlockedCheck()) {
            assertThat(blocked.leases.find("t", "t", Duration.ZERO)).isEqualTo(3);
            blocked.leases.expire("t");
            assertThat(blocked.leases.find("t", "t", BOUND)).isEqualTo(4);
            blocked.answer.countDown();
            blocked.threads.shutdown();
            assertThat(blocked.threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
            assertThat(blocked.leases.find("t", "t", BOUND)).as("the newest").isEqualTo(4);
        }
    }

    /** An entry that is too old, and whose second check runs in the background until released. */
    private static final class BlockedCheck implements AutoCloseable {
        private final AtomicLong nanos = new AtomicLong(5);
        private final AtomicInteger begun = new AtomicInteger();
        private final CountDownLatch running = new CountDownLatch(1);
        private final CountDownLatch answer = new CountDownLatch(1);
        private final ManualChecks timer = new ManualChecks();
        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        private final Leases<String, String, Integer> leases =
                new Leases<>(DEFAULTS, this::check, found -> true, timer, threads, nanos::get);

        private BlockedCheck() throws Exception {
            leases.find("t", "t", BOUND);
            nanos.addAndGet(BOUND.toNanos() + 1);
            timer.pass(BOUND);
            assertThat(running.await(1, TimeUnit.MINUTES)).isTrue();
        }

        private Integer check(String subject, @Nullable Integer before) throws IOException {
            int number = begun.incrementAndGet();
            if (number == 2) {
                running.countDown();
                awaitUninterrupted(answer);
            }
            return number;
        }

        @Override
        public void close() {
            leases.close();
            answer.countDown();
            threads.close();
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
