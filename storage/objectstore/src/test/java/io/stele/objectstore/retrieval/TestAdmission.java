package io.stele.objectstore.retrieval;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class TestAdmission {
    private final VirtualTime time = new VirtualTime();
    private final List<Integer> started = new ArrayList<>();
    private int limit = 2;

    @Test
    void requestsBeyondTheLimitWaitInOrder() {
        Admission admission = admission(Long.MAX_VALUE, OptionalLong.empty());
        List<Admission.Ticket> tickets = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int number = i;
            tickets.add(admission.enter(10, () -> started.add(number)));
        }
        assertThat(started).containsExactly(0, 1); // at once, by this thread
        assertThat(admission.waiting()).isEqualTo(2);
        tickets.get(1).giveBack();
        tickets.get(1).giveBack(); // the second time does nothing
        time.run();
        assertThat(started).containsExactly(0, 1, 2);
        limit = 3;
        tickets.get(0).giveBack();
        time.run();
        assertThat(started).containsExactly(0, 1, 2, 3);
        tickets.forEach(Admission.Ticket::giveBack);
        assertThat(admission.requests()).isZero();
        assertThat(admission.bytes()).isZero();
    }

    @Test
    void bytesInFlightHaveALimitThatOneMayExceed() {
        Admission admission = admission(100, OptionalLong.empty());
        Admission.Ticket large = admission.enter(1_000, () -> started.add(1));
        Admission.Ticket small = admission.enter(1, () -> started.add(2));
        assertThat(started).containsExactly(1);
        large.giveBack();
        time.run();
        assertThat(started).containsExactly(1, 2);
        admission.enter(100, () -> started.add(3));
        assertThat(started).hasSize(2);
        small.giveBack();
        time.run();
        assertThat(started).containsExactly(1, 2, 3);
    }

    @Test
    void whoLeavesTheQueueIsNotStarted() {
        limit = 1;
        Admission admission = admission(100, OptionalLong.empty());
        Admission.Ticket first = admission.enter(1, () -> started.add(1));
        Admission.Ticket second = admission.enter(1, () -> started.add(2));
        Admission.Ticket third = admission.enter(1, () -> started.add(3));
        second.giveBack();
        first.giveBack();
        time.run();
        assertThat(started).containsExactly(1, 3);
        third.giveBack();
        assertThat(admission.requests()).isZero();
    }

    @Test
    void bandwidthIsNotExceeded() {
        limit = 1_000;
        Admission admission = admission(Long.MAX_VALUE, OptionalLong.of(1_000));
        long start = time.getAsLong();
        List<Long> times = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            admission.enter(100, () -> times.add(time.getAsLong() - start));
        }
        time.run();
        assertThat(times).hasSize(100);
        for (int i = 0; i < times.size(); i++) {
            // So many bytes by now: a quarter of a second's worth, one request, and the rate
            double allowed = 250 + 100 + times.get(i) / 1e6;
            assertThat((i + 1) * 100.0).isLessThanOrEqualTo(allowed + 1);
        }
        assertThat(times.getLast()).isBetween(9_000_000_000L, 10_000_000_000L);
    }

    /** A lookup of twenty keys wants a hundred ranges of some 100 KiB. */
    @Test
    void smallOnesGoBeyondTheLimitWhileTheyAreFewBytes() {
        Admission admission = admission(6, Long.MAX_VALUE, OptionalLong.empty());
        long quarter = Admission.SMALL_BYTES / 4;
        List<Admission.Ticket> tickets = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            tickets.add(admission.enter(quarter, () -> started.add(number)));
        }
        assertThat(started).as("as many bytes as may be").containsExactly(0, 1, 2, 3);
        tickets.getFirst().giveBack();
        time.run();
        assertThat(started).hasSize(5);
        tickets.forEach(Admission.Ticket::giveBack);
        started.clear();
        for (int i = 0; i < 8; i++) {
            int number = i;
            tickets.add(admission.enter(1, () -> started.add(number)));
        }
        assertThat(started).as("as many as may ever be").hasSize(6);
        tickets.forEach(Admission.Ticket::giveBack);
        time.run();
        assertThat(admission.requests()).isZero();
        assertThat(admission.bytes()).isZero();
    }

    /** Without requests beyond the limit. */
    private Admission admission(long maxBytes, OptionalLong bandwidth) {
        return admission(1, maxBytes, bandwidth);
    }

    private Admission admission(int maxRequests, long maxBytes, OptionalLong bandwidth) {
        return new Admission(
                () -> limit,
                maxRequests,
                maxBytes,
                new BandwidthLimit(bandwidth, time.getAsLong()),
                time,
                time,
                time);
    }
}
