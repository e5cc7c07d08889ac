package io.stele.sidecar.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class TestArrivalPace {
    private final ArrivalPace pace = new ArrivalPace();
    private long seconds;

    @Test
    void aClientThatSendsNothingIsSlowAfterAMinute() {
        pace.begin();
        assertThat(slowAfter(0)).isFalse();
        assertThat(slowAfter(59)).isFalse();
        assertThat(slowAfter(1)).isTrue();
    }

    @Test
    void aByteFromTimeToTimeDoesNotHelp() {
        pace.begin();
        assertThat(slowAfter(0)).isFalse();
        for (int i = 0; i < 11; i++) {
            pace.received(1);
            assertThat(slowAfter(5)).isFalse();
        }
        pace.received(1);
        assertThat(slowAfter(5)).isTrue();
    }

    @Test
    void aSlowNetworkIsNotTooSlow() {
        pace.begin();
        assertThat(slowAfter(0)).isFalse();
        for (int i = 0; i < 100; i++) {
            pace.received(500_000);
            assertThat(slowAfter(5)).isFalse();
        }
    }

    @Test
    void eachMessageHasItsTime() {
        for (int i = 0; i < 100; i++) {
            pace.begin();
            assertThat(slowAfter(40)).isFalse();
            pace.received(100);
            pace.end();
        }
        pace.begin();
        assertThat(slowAfter(0)).isFalse();
        assertThat(slowAfter(60)).isTrue();
    }

    @Test
    void betweenTwoMessagesAClientMayDoNothing() {
        pace.begin();
        assertThat(slowAfter(0)).isFalse();
        pace.end();
        assertThat(slowAfter(10_000)).isFalse();
        pace.begin();
        assertThat(slowAfter(0)).isFalse();
    }

    private boolean slowAfter(long passedSeconds) {
        seconds += passedSeconds;
        return pace.isTooSlow(TimeUnit.SECONDS.toNanos(seconds));
    }
}
