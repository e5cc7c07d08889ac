package io.stele.engine.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class TestRetries {
    private final List<Throwable> uncaught = new ArrayList<>();
    private long nowMillis = 1_000;
    private int attempts;

    @Test
    void aStepIsTriedAgainAlsoWhileTheClockStands() {
        Retries retries = new Retries(() -> nowMillis, uncaught::add);
        CompletableFuture<String> done = retries.untilDone("try", this::third);
        for (int tick = 0; tick < 19; tick++) {
            retries.tick();
        }
        assertThat(attempts).isEqualTo(1);
        retries.tick();
        assertThat(attempts).isEqualTo(2);
        nowMillis += 200;
        retries.tick();
        assertThat(done).isCompletedWithValue("done");
        assertThat(uncaught).hasSize(1);
    }

    private CompletableFuture<String> third() {
        return ++attempts < 3
                ? CompletableFuture.failedFuture(new IllegalStateException("not yet"))
                : CompletableFuture.completedFuture("done");
    }
}
