package io.stele.engine.shard.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TestApplyWorkerPolicy {
    private static final ApplyOptions OPTIONS = new ApplyOptions(1, 4, 32, 100);

    private final ApplyWorkerPolicy policy = new ApplyWorkerPolicy(OPTIONS);

    @Test
    void growsAtOnceWhenTheLogIsFaster() {
        assertThat(policy.workers(1, behind(20, 20_000))).isEqualTo(2);
        assertThat(policy.workers(2, behind(20, 40_000))).isEqualTo(4);
        assertThat(policy.workers(4, behind(20, 80_000))).isEqualTo(4);
    }

    @Test
    void growsNotBeyondAnOddLimit() {
        ApplyWorkerPolicy three = new ApplyWorkerPolicy(OPTIONS.withWorkers(1, 3));
        assertThat(three.workers(1, behind(20, 20_000))).isEqualTo(2);
        assertThat(three.workers(2, behind(20, 40_000))).isEqualTo(3);
        assertThat(three.workers(3, behind(20, 40_000))).isEqualTo(3);
    }

    @Test
    void staysWhenTheLogIsTheBottleneck() {
        assertThat(policy.workers(1, new ApplyWindow(100, 20, 9, 20_000, 0))).isEqualTo(1);
    }

    @Test
    void staysWhenGroupsAreTooSmallToDivide() {
        assertThat(policy.workers(1, behind(20, 20 * 63))).isEqualTo(1);
        assertThat(policy.workers(1, behind(20, 20 * 64))).isEqualTo(2);
    }

    @Test
    void staysWhenBarriersAreFrequent() {
        assertThat(policy.workers(1, new ApplyWindow(100, 20, 20, 20_000, 5))).isEqualTo(1);
        assertThat(policy.workers(1, new ApplyWindow(100, 20, 20, 20_000, 4))).isEqualTo(2);
    }

    @Test
    void fewGroupsSayNothing() {
        assertThat(policy.workers(1, behind(3, 3_000))).isEqualTo(1);
    }

    @Test
    void aLoadThatMadeItGrowKeepsTheWorkers() {
        assertThat(policy.workers(1, behind(20, 20_000))).isEqualTo(2);
        for (int window = 0; window < 500; window++) {
            // The workers keep up now, with as much as one could not.
            assertThat(policy.workers(2, new ApplyWindow(100, 20, 1, 20_000, 0))).isEqualTo(2);
        }
    }

    @Test
    void shrinksAfterTwoSecondsOfLessThanHalfTheWorkersCanDo() {
        assertThat(policy.workers(1, behind(20, 20_000))).isEqualTo(2);
        for (int window = 0; window < 19; window++) {
            assertThat(policy.workers(2, new ApplyWindow(100, 20, 1, 13_000, 0))).isEqualTo(2);
        }
        assertThat(policy.workers(2, new ApplyWindow(100, 20, 1, 13_000, 0))).isEqualTo(1);
        assertThat(policy.workers(1, behind(20, 20_000))).isEqualTo(2);
    }

    @Test
    void aBurstBeginsTheWaitAnew() {
        policy.workers(1, behind(20, 20_000));
        for (int round = 0; round < 10; round++) {
            for (int window = 0; window < 19; window++) {
                assertThat(policy.workers(2, new ApplyWindow(100, 0, 0, 0, 0))).isEqualTo(2);
            }
            assertThat(policy.workers(2, new ApplyWindow(100, 20, 1, 20_000, 0))).isEqualTo(2);
        }
    }

    @Test
    void workersThatRestMoreThanTheyWorkAreNotTriedAgainForAMinute() {
        ApplyWindow often = new ApplyWindow(100, 20, 20, 20_000, 20);
        policy.workers(1, behind(20, 20_000));
        for (int window = 0; window < 19; window++) {
            assertThat(policy.workers(2, often)).isEqualTo(2);
        }
        assertThat(policy.workers(2, often)).isEqualTo(1);
        for (int window = 0; window < 599; window++) {
            assertThat(policy.workers(1, behind(20, 20_000))).isEqualTo(1);
        }
        assertThat(policy.workers(1, behind(20, 20_000))).isEqualTo(2);
    }

    @Test
    void neverFewerThanTheLeast() {
        ApplyWorkerPolicy fixed = new ApplyWorkerPolicy(OPTIONS.withWorkers(2, 4));
        for (int window = 0; window < 100; window++) {
            assertThat(fixed.workers(2, new ApplyWindow(100, 0, 0, 0, 0))).isEqualTo(2);
        }
    }

    @Test
    void optionsAreChecked() {
        assertThatThrownBy(() -> OPTIONS.withWorkers(0, 1))
                .hasMessage("Expected apply workers from 1 to 16, found 0 to 1");
        assertThatThrownBy(() -> OPTIONS.withWorkers(3, 2))
                .hasMessage("Expected apply workers from 1 to 16, found 3 to 2");
        assertThatThrownBy(() -> OPTIONS.withWorkers(1, 17))
                .hasMessage("Expected apply workers from 1 to 16, found 1 to 17");
        assertThatThrownBy(() -> new ApplyOptions(1, 1, -1, 1))
                .hasMessage("Expected rowsPerWorker >= 0 and windowMillis > 0, found -1 and 1");
    }

    private static ApplyWindow behind(long groups, long rows) {
        return new ApplyWindow(100, groups, groups, rows, 0);
    }
}
