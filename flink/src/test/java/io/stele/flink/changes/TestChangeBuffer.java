package io.stele.flink.changes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.Lsn;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.flink.table.data.GenericRowData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The hand-over has a limit, wakes its task, and lets both sides go. */
@Timeout(600)
final class TestChangeBuffer {
    private static final Duration LONG = Duration.ofMinutes(10);

    private final ChangeBuffer buffer = new ChangeBuffer(100);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        buffer.close();
        threads.shutdownNow();
    }

    private static ChangeChunk chunk(int shard, long lsn, long sizeBytes, boolean isWhole) {
        return new ChangeChunk(
                shard,
                List.of(GenericRowData.of(lsn)),
                new long[] {lsn},
                isWhole,
                new Lsn(lsn),
                sizeBytes);
    }

    @Test
    void aFullBufferTakesNothingUntilThereIsRoom() throws Exception {
        assertThat(buffer.offer(chunk(0, 1, 60, true), Duration.ZERO)).isTrue();
        assertThat(buffer.isHalfFull()).isTrue();
        assertThat(buffer.offer(chunk(0, 2, 60, true), Duration.ofMillis(1))).isFalse();
        Future<Boolean> waiting = threads.submit(() -> buffer.offer(chunk(0, 2, 60, true), LONG));
        assertThat(buffer.take().orElseThrow().position()).isEqualTo(new Lsn(1));
        assertThat(waiting.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(buffer.take().orElseThrow().position()).isEqualTo(new Lsn(2));
        assertThat(buffer.take()).isEmpty();
        assertThat(buffer.isHalfFull()).isFalse();
    }

    @Test
    void anEmptyBufferTakesAnyChunk() throws Exception {
        assertThat(buffer.offer(chunk(0, 1, 1_000, true), Duration.ZERO)).isTrue();
        assertThat(buffer.offer(chunk(0, 2, 1, true), Duration.ZERO)).isFalse();
    }

    @Test
    void whatComesIsAnnounced() throws Exception {
        CompletableFuture<Void> first = buffer.available();
        assertThat(first).isNotDone();
        assertThat(buffer.available()).isSameAs(first);
        buffer.offer(chunk(0, 1, 1, true), Duration.ZERO);
        assertThat(first).isDone();
        assertThat(buffer.available()).isDone();
        buffer.take();
        assertThat(buffer.available()).isNotDone();
        buffer.wake();
        assertThat(buffer.available()).isDone();
        assertThat(buffer.take()).isEmpty();
        assertThat(buffer.available()).isNotDone();
        buffer.hold(new ChangeBuffer.Held(2, Optional.empty()));
        assertThat(buffer.available()).isDone();
        assertThat(buffer.takeHeld().orElseThrow().shard()).isEqualTo(2);
        assertThat(buffer.takeHeld()).isEmpty();
        assertThat(buffer.available()).isNotDone();
    }

    @Test
    void theRestOfACommitIsWaitedFor() throws Exception {
        buffer.offer(chunk(0, 1, 60, false), Duration.ZERO);
        assertThat(buffer.take().orElseThrow().isWhole()).isFalse();
        Future<ChangeChunk> rest = threads.submit(buffer::takeRest);
        buffer.offer(chunk(0, 1, 60, true), Duration.ZERO);
        assertThat(rest.get(60, TimeUnit.SECONDS).isWhole()).isTrue();
    }

    @Test
    void aPositionCountsWhenAllBeforeItWasTaken() throws Exception {
        assertThat(buffer.drainedTo(0)).isEmpty();
        buffer.reach(0, new Lsn(5));
        assertThat(buffer.drainedTo(0)).contains(new Lsn(5));
        assertThat(buffer.drainedTo(1)).isEmpty();
        buffer.offer(chunk(0, 7, 1, true), Duration.ZERO);
        buffer.reach(0, new Lsn(9));
        assertThat(buffer.drainedTo(0)).isEmpty();
        buffer.take();
        assertThat(buffer.drainedTo(0)).contains(new Lsn(9));
    }

    @Test
    void aFailureReachesTheTaskAlsoInTheMiddleOfACommit() throws Exception {
        buffer.offer(chunk(0, 1, 60, false), Duration.ZERO);
        buffer.take();
        CompletableFuture<Void> available = buffer.available();
        Future<ChangeChunk> rest = threads.submit(buffer::takeRest);
        buffer.fail(new IOException("broken"));
        assertThat(available).isDone();
        assertThatThrownBy(() -> rest.get(60, TimeUnit.SECONDS)).hasRootCauseMessage("broken");
        assertThatThrownBy(buffer::take).hasMessage("broken");
    }

    @Test
    void closingLetsBothSidesGo() throws Exception {
        buffer.offer(chunk(0, 1, 100, false), Duration.ZERO);
        Future<Boolean> offer = threads.submit(() -> buffer.offer(chunk(0, 1, 100, true), LONG));
        buffer.close();
        assertThat(offer.get(60, TimeUnit.SECONDS)).isFalse();
        assertThatThrownBy(buffer::takeRest).hasMessageStartingWith("Closed");
        assertThat(buffer.offer(chunk(0, 1, 1, true), LONG)).isFalse();
    }
}
