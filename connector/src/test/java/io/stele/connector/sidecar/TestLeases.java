package io.stele.connector.sidecar;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.api.snapshot.RenewLeasesReply;
import io.stele.protocol.api.snapshot.RenewLeasesRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class TestLeases {
    private final List<RenewLeasesRequest> requests = new ArrayList<>();
    private RenewLeasesReply reply = new RenewLeasesReply(List.of(), List.of());
    private boolean fails;
    private final Leases leases =
            new Leases(this::answer, Duration.ofMinutes(1), Duration.ofMinutes(5));

    @AfterEach
    void stop() {
        leases.stop();
    }

    @Test
    void oneRequestRenewsAll() {
        leases.renew();
        assertThat(requests).isEmpty();
        leases.addSnapshot("r1");
        leases.addSnapshot("r2");
        leases.addTransaction("t1");
        leases.removeSnapshot("r1");
        leases.renew();
        assertThat(requests)
                .containsExactly(
                        new RenewLeasesRequest(List.of("r2"), 60_000, List.of("t1"), 300_000));
    }

    @Test
    void aFailureIsTriedAgainWithTheNext() {
        leases.addTransaction("t1");
        fails = true;
        leases.renew();
        fails = false;
        leases.renew();
        assertThat(requests).hasSize(2);
    }

    @Test
    void aTransactionThatHasEndedIsNotRenewed() {
        leases.addTransaction("t1");
        leases.addTransaction("t2");
        reply = new RenewLeasesReply(List.of(), List.of("t1"));
        leases.renew();
        leases.renew();
        assertThat(requests.getLast().transactionIds()).containsExactly("t2");
    }

    @Test
    void manyAreSeveralRequests() {
        for (int i = 0; i < 25_000; i++) {
            leases.addSnapshot("r" + i);
        }
        leases.addTransaction("t");
        leases.renew();
        assertThat(requests).hasSize(3);
        assertThat(requests.stream().mapToInt(request -> request.snapshotIds().size()).sum())
                .isEqualTo(25_000);
        assertThat(requests.stream().mapToInt(request -> request.transactionIds().size()).sum())
                .isEqualTo(1);
    }

    private RenewLeasesReply answer(RenewLeasesRequest request) {
        requests.add(request);
        if (fails) {
            throw new IllegalStateException("unreachable");
        }
        return reply;
    }
}
