package io.stele.connector.sidecar;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.api.Action;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.maintenance.JobStatus;
import io.stele.protocol.api.maintenance.RunJobRequest;
import io.stele.protocol.api.snapshot.CloseSnapshotRequest;
import io.stele.protocol.api.snapshot.OpenTableRequest;
import io.stele.protocol.api.snapshot.SnapshotActions;
import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What ends snapshots, and that each is ended once and none is forgotten. */
final class TestEndedSnapshots {
    private final List<String> closed = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch gate = new CountDownLatch(1);
    private final ScheduledThreadPoolExecutor later = new ScheduledThreadPoolExecutor(1);
    private boolean fails;
    private final EndedSnapshots ended =
            new EndedSnapshots(
                    new SidecarActions() {
                        @Override
                        public <Q, R> R callNow(Action<Q, R> action, Q request) {
                            assertThat(action).isEqualTo(SnapshotActions.CLOSE_SNAPSHOT);
                            closed.add(((CloseSnapshotRequest) request).snapshotId());
                            if (fails) {
                                throw new TrinoException(
                                        StandardErrorCode.GENERIC_INTERNAL_ERROR, "unreachable");
                            }
                            return action.reply().cast(Done.DONE);
                        }

                        @Override
                        public <Q, R> R call(Action<Q, R> action, Q request) {
                            throw new AssertionError(action);
                        }

                        @Override
                        public <Q, R> R change(Action<Q, R> action, Q request) {
                            throw new AssertionError(action);
                        }

                        @Override
                        public JobStatus runJob(RunJobRequest request) {
                            throw new AssertionError(request.kind());
                        }

                        @Override
                        public <Q, R> R callUntilKnown(
                                Action<Q, R> action, Q request, String unknown) {
                            throw new AssertionError(action);
                        }
                    },
                    later);

    /** Nothing is closed before {@link #finish}, however late this thread is. */
    @BeforeEach
    void holdTheTimer() {
        later.execute(
                () -> {
                    try {
                        gate.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
    }

    @Test
    void theNextRequestTells() throws InterruptedException {
        ended.add("a");
        ended.add("b");
        assertThat(ended.take()).containsExactly("a", "b");
        assertThat(ended.take()).isEmpty();
        finish();
        assertThat(closed).isEmpty();
    }

    @Test
    void withoutOneTheyAreClosed() throws InterruptedException {
        ended.add("a");
        ended.add("b");
        finish();
        assertThat(closed).containsExactly("a", "b");
    }

    @Test
    void aRequestThatFailedToldNobody() throws InterruptedException {
        ended.add("a");
        ended.giveBack(ended.take());
        finish();
        assertThat(closed).containsExactly("a");
    }

    @Test
    void oneFailureDoesNotKeepOthers() throws InterruptedException {
        fails = true;
        ended.add("a");
        ended.add("b");
        finish();
        assertThat(closed).containsExactly("a", "b");
    }

    @Test
    void aRequestTellsAsManyAsItMay() throws InterruptedException {
        for (int i = 0; i <= OpenTableRequest.MAX_ENDED; i++) {
            ended.add("r" + i);
        }
        assertThat(ended.take()).hasSize(OpenTableRequest.MAX_ENDED);
        finish();
        assertThat(closed).containsExactly("r" + OpenTableRequest.MAX_ENDED);
    }

    @Test
    void afterTheEndLeasesEndByThemselves() throws InterruptedException {
        finish();
        ended.add("a");
        assertThat(closed).isEmpty();
    }

    /** Waits for what is to be done later. */
    private void finish() throws InterruptedException {
        gate.countDown();
        later.shutdown();
        assertThat(later.awaitTermination(1, MINUTES)).isTrue();
    }
}
