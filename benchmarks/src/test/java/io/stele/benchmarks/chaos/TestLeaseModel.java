package io.stele.benchmarks.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TestLeaseModel {
    private final LeaseModel lease = new LeaseModel(100, 1_000);

    @Test
    void itIsHeldForItsTimeFromWhenItWasSent() {
        assertThat(lease.isHeld(1_000)).isTrue();
        assertThat(lease.isHeld(1_099)).isTrue();
        assertThat(lease.isHeld(1_100)).isFalse();
    }

    @Test
    void aRenewalCountsFromWhenItWasSent() {
        lease.renewed(1_050, 1_090);
        assertThat(lease.isHeld(1_149)).isTrue();
        assertThat(lease.isHeld(1_150)).isFalse();
        lease.renewed(1_120, 1_149);
        assertThat(lease.isHeld(1_219)).isTrue();
    }

    @Test
    void afterALateAnswerNothingIsCertainAnyMore() {
        lease.renewed(1_050, 1_100);
        assertThat(lease.isHeld(1_101)).isFalse();
        lease.renewed(1_110, 1_111);
        assertThat(lease.isHeld(1_112)).isFalse();
    }
}
