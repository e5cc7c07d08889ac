package io.stele.engine.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TestLanePolicy {
    private static final ApplyOptions OPTIONS = new ApplyOptions(1, 4, 32, 100);

    private final LanePolicy policy = new LanePolicy(OPTIONS);

    @Test
    void growsAtOnceWhenTheLogIsFaster() {
        assertThat(policy.lanes(1, behind(20, 20_000))).isEqualTo(2);
        assertThat(policy.lanes(2, behind(20, 40_000))).isEqualTo(4);
        assertThat(policy.lanes(4, behind(20, 80_000))).isEqualTo(4);
    }

    @Test
    void growsNotBeyondAnOddLimit() {
        LanePolicy three = new LanePolicy(OPTIONS.withLanes(1, 3));
        assertThat(three.lanes(1, behind(20, 20_000))).isEqualTo(2);
        assertThat(three.lanes(2, behind(20, 40_000))).isEqualTo(3);
        assertThat(three.lanes(3, behind(20, 40_000))).isEqualTo(3);
    }

    @Test
    void staysWhenTheLogIsTheBottleneck() {
        assertThat(policy.lanes(1, new ApplyWindow(100, 20, 9, 20_000, 0))).isEqualTo(1);
    }

    @Test
    void staysWhenGroupsAreTooSmallToDivide() {
        assertThat(policy.lanes(1, behind(20, 20 * 63))).isEqualTo(1);
        assertThat(policy.lanes(1, behind(20, 20 * 64))).isEqualTo(2);
    }

    @Test
    void staysWhenBarriersAreFrequent() {
        assertThat(policy.lanes(1, new ApplyWindow(100, 20, 20, 20_000, 5))).isEqualTo(1);
        assertThat(policy.lanes(1, new ApplyWindow(100, 20, 20, 20_000, 4))).isEqualTo(2);
    }

    @Test
    void fewGroupsSayNothing() {
        assertThat(policy.lanes(1, behind(3, 3_000))).isEqualTo(1);
    }

    @Test
    void aLoadThatMadeItGrowKeepsTheLanes() {
        assertThat(policy.lanes(1, behind(20, 20_000))).isEqualTo(2);
        for (int window = 0; window < 500; window++) {
            // The lanes keep up now, with as much as one could not.
            assertThat(policy.lanes(2, new ApplyWindow(100, 20, 1, 20_000, 0))).isEqualTo(2);
        }
    }

    @Test
    void shrinksAfterTwoSecondsOfLessThanHalfTheLanesCanDo() {
        assertThat(policy.lanes(1, behind(20, 20_000))).isEqualTo(2);
        for (int window = 0; window < 19; window++) {
            assertThat(policy.lanes(2, new ApplyWindow(100, 20, 1, 13_000, 0))).isEqualTo(2);
        }
        assertThat(policy.lanes(2, new ApplyWindow(100, 20, 1, 13_000, 0))).isEqualTo(1);
        assertThat(policy.lanes(1, behind(20, 20_000))).isEqualTo(2);
    }

    @Test
    void aBurstBeginsTheWaitAnew() {
        policy.lanes(1, behind(20, 20_000));
        for (int round = 0; round < 10; round++) {
            for (int window = 0; window < 19; window++) {
                assertThat(policy.lanes(2, new ApplyWindow(100, 0, 0, 0, 0))).isEqualTo(2);
            }
            assertThat(policy.lanes(2, new ApplyWindow(100, 20, 1, 20_000, 0))).isEqualTo(2);
        }
    }

    @Test
    void lanesThatRestMoreThanTheyWorkAreNotTriedAgainForAMinute() {
        ApplyWindow often = new ApplyWindow(100, 20, 20, 20_000, 20);
        policy.lanes(1, behind(20, 20_000));
        for (int window = 0; window < 19; window++) {
            assertThat(policy.lanes(2, often)).isEqualTo(2);
        }
        assertThat(policy.lanes(2, often)).isEqualTo(1);
        for (int window = 0; window < 599; window++) {
            assertThat(policy.lanes(1, behind(20, 20_000))).isEqualTo(1);
        }
        assertThat(policy.lanes(1, behind(20, 20_000))).isEqualTo(2);
    }

    @Test
    void neverFewerThanTheLeast() {
        LanePolicy fixed = new LanePolicy(OPTIONS.withLanes(2, 4));
        for (int window = 0; window < 100; window++) {
            assertThat(fixed.lanes(2, new ApplyWindow(100, 0, 0, 0, 0))).isEqualTo(2);
        }
    }

    @Test
    void optionsAreChecked() {
        assertThatThrownBy(() -> OPTIONS.withLanes(0, 1))
                .hasMessage("Expected lanes from 1 to 16, found 0 to 1");
        assertThatThrownBy(() -> OPTIONS.withLanes(3, 2))
                .hasMessage("Expected lanes from 1 to 16, found 3 to 2");
        assertThatThrownBy(() -> OPTIONS.withLanes(1, 17))
                .hasMessage("Expected lanes from 1 to 16, found 1 to 17");
        assertThatThrownBy(() -> new ApplyOptions(1, 1, -1, 1))
                .hasMessage("Expected rowsPerLane >= 0 and windowMillis > 0, found -1 and 1");
    }

    private static ApplyWindow behind(long groups, long rows) {
        return new ApplyWindow(100, groups, groups, rows, 0);
    }
}
