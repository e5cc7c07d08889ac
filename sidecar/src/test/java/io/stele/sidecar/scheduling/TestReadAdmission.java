package io.stele.sidecar.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.sidecar.scheduling.ReadAdmission.Permit;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class TestReadAdmission {
    private final AtomicLong nanos = new AtomicLong();

    private ReadAdmission admission(int maxRunning, int maxQueued) {
        return admission(maxRunning, maxQueued, Long.MAX_VALUE);
    }

    private ReadAdmission admission(int maxRunning, int maxQueued, long maxBytes) {
        return new ReadAdmission("Scans of group g", maxRunning, maxQueued, maxBytes, nanos::get);
    }

    @Test
    void someRunSomeWaitInOrderAndTheRestIsBusy() {
        ReadAdmission admission = admission(1, 2);
        Permit first = admission.enter(1).join();
        CompletableFuture<Permit> second = admission.enter(1);
        CompletableFuture<Permit> third = admission.enter(1);
        assertThatThrownBy(() -> admission.enter(1))
                .hasMessageContaining("Scans of group g: 1 run and 2 wait")
                .extracting(failure -> ((SteleException) failure).code())
                .isEqualTo(ErrorCode.BUSY);
        assertThat(admission.running()).isEqualTo(1);
        assertThat(admission.queued()).isEqualTo(2);
        assertThat(admission.rejected()).isEqualTo(1);
        first.close();
        first.close();
        assertThat(second).isCompleted();
        assertThat(third).isNotDone();
        second.join().close();
        third.join().close();
        assertThat(admission.running()).isZero();
    }

    @Test
    void whoHasGivenUpLeavesHisPlace() {
        ReadAdmission admission = admission(1, 2);
        Permit first = admission.enter(1).join();
        CompletableFuture<Permit> second = admission.enter(1);
        CompletableFuture<Permit> third = admission.enter(1);
        second.cancel(false);
        CompletableFuture<Permit> fourth = admission.enter(1);
        first.close();
        assertThat(third).isCompleted();
        assertThat(fourth).isNotDone();
    }

    @Test
    void whoPausesLetsOthersInAndComesBackBeforeNewcomers() {
        ReadAdmission admission = admission(1, 2);
        Permit first = admission.enter(1).join();
        CompletableFuture<Permit> second = admission.enter(1);
        first.pause();
        assertThat(second).isCompleted();
        CompletableFuture<Permit> third = admission.enter(1);
        CompletableFuture<Permit> back = first.resume();
        assertThat(back).isNotDone();
        second.join().close();
        assertThat(back).isCompleted();
        assertThat(third).isNotDone();
        first.close();
        assertThat(third).isCompleted();
        assertThat(admission.running()).isEqualTo(1);
    }

    @Test
    void whatDoesNotFitIntoMemoryWaitsAndTheRestIsBusy() {
        ReadAdmission admission = admission(10, 2, 100);
        Permit half = admission.enter(50).join();
        CompletableFuture<Permit> large = admission.enter(60);
        assertThat(large).isNotDone();
        // It would fit, but the large one was there first and must not starve.
        CompletableFuture<Permit> small = admission.enter(10);
        assertThat(small).isNotDone();
        assertThatThrownBy(() -> admission.enter(10))
                .hasMessageContaining(
                        "Scans of group g: 1 run with 50 of 100 bytes of memory and 2 wait")
                .extracting(failure -> ((SteleException) failure).code())
                .isEqualTo(ErrorCode.BUSY);
        half.close();
        assertThat(large).isCompleted();
        assertThat(small).isCompleted();
        assertThat(admission.reservedBytes()).isEqualTo(70);
        large.join().close();
        small.join().close();
        assertThat(admission.reservedBytes()).isZero();
    }

    @Test
    void aRequestAboveTheMemoryRunsAlone() {
        ReadAdmission admission = admission(10, 2, 100);
        Permit alone = admission.enter(1_000).join();
        assertThat(admission.reservedBytes()).isEqualTo(100);
        CompletableFuture<Permit> next = admission.enter(1);
        assertThat(next).isNotDone();
        alone.pause();
        assertThat(next).as("its memory is free while its client takes nothing").isCompleted();
        CompletableFuture<Permit> back = alone.resume();
        assertThat(back).isNotDone();
        next.join().close();
        assertThat(back).isCompleted();
    }

    @Test
    void aLargeRequestThatGivesUpLetsSmallOnesIn() {
        ReadAdmission admission = admission(10, 2, 100);
        Permit half = admission.enter(50).join();
        CompletableFuture<Permit> large = admission.enter(60);
        CompletableFuture<Permit> small = admission.enter(10);
        assertThat(small).isNotDone();
        large.cancel(false);
        assertThat(small).isCompleted();
        half.close();
        small.join().close();
        assertThat(admission.running()).isZero();
    }

    @Test
    void hintsGrowWithWhatIsAhead() {
        ReadAdmission admission = admission(2, 4);
        for (int i = 0; i < 200; i++) {
            Permit permit = admission.enter(1).join();
            nanos.addAndGet(100_000_000);
            permit.close();
        }
        admission.enter(1).join();
        admission.enter(1).join();
        for (int i = 0; i < 4; i++) {
            assertThat(admission.enter(1)).isNotDone();
        }
        // About 100 ms each, 2 at a time, and it would be the fifth that waits.
        assertThat(retryAfter(admission)).isBetween(240L, 250L);
    }

    private static long retryAfter(ReadAdmission admission) {
        try {
            admission.enter(1);
        } catch (SteleException busy) {
            OptionalLong millis = busy.retryAfterMillis();
            return millis.orElseThrow();
        }
        throw new AssertionError("Expected BUSY");
    }

    @Test
    void noHistoryLosesAPlaceOrLetsTooManyIn() {
        for (int seed = 0; seed < 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            ReadAdmission admission =
                    admission(1 + random.nextInt(3), random.nextInt(4), 1 + random.nextInt(20));
            List<CompletableFuture<Permit>> entered = new ArrayList<>();
            for (int step = 0; step < 200; step++) {
                CompletableFuture<Permit> any =
                        entered.isEmpty() ? null : entered.get(random.nextInt(entered.size()));
                switch (random.nextInt(5)) {
                    case 0, 1 -> enter(admission, entered, random.nextInt(25));
                    case 2 -> giveUp(any);
                    case 3 -> close(any);
                    default -> pauseOrResume(any, random.nextBoolean());
                }
                assertThat(admission.running()).as("seed %s", seed).isLessThanOrEqualTo(3);
                assertThat(admission.reservedBytes())
                        .as("seed %s", seed)
                        .isBetween(0L, admission.maxBytes());
            }
            for (int round = 0; round < entered.size(); round++) {
                entered.forEach(TestReadAdmission::close);
            }
            assertThat(admission.running()).as("seed %s", seed).isZero();
            assertThat(admission.queued()).as("seed %s", seed).isZero();
            assertThat(admission.reservedBytes()).as("seed %s", seed).isZero();
        }
    }

    private static void enter(
            ReadAdmission admission, List<CompletableFuture<Permit>> entered, long bytes) {
        try {
            entered.add(admission.enter(bytes));
        } catch (SteleException busy) {
            assertThat(busy.code()).isEqualTo(ErrorCode.BUSY);
        }
    }

    private static void giveUp(CompletableFuture<Permit> waiting) {
        if (waiting != null) {
            waiting.cancel(false);
        }
    }

    private static void close(CompletableFuture<Permit> entered) {
        if (entered != null && entered.isDone() && !entered.isCancelled()) {
            entered.join().close();
        }
    }

    private static void pauseOrResume(CompletableFuture<Permit> entered, boolean pause) {
        if (entered != null && entered.isDone() && !entered.isCancelled()) {
            if (pause) {
                entered.join().pause();
            } else {
                CompletableFuture<Permit> resumed = entered.join().resume();
                if (!resumed.isDone()) {
                    resumed.cancel(false);
                }
            }
        }
    }
}
