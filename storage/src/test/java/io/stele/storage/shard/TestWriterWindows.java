package io.stele.storage.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.storage.shard.WriterWindows.AppliedSequence;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class TestWriterWindows {
    private static final UUID WRITER = new UUID(1, 2);

    private final WriterWindows windows = new WriterWindows();

    @Test
    void aRepetitionInFlightSharesTheOutcome() {
        CompletableFuture<WriteOutcome> first = new CompletableFuture<>();
        assertThat(windows.admit(WRITER, 1, first)).isEmpty();
        assertThat(windows.admit(WRITER, 1, new CompletableFuture<>())).containsSame(first);
    }

    @Test
    void aRepetitionOfAnAppliedSequenceGetsItsLsn() {
        windows.admit(WRITER, 1, new CompletableFuture<>());
        windows.applied(WRITER, 1, new WriteOutcome(new Lsn(10), 0));
        assertThat(windows.admit(WRITER, 1, new CompletableFuture<>()).orElseThrow().join())
                .isEqualTo(new WriteOutcome(new Lsn(10), 0));
    }

    @Test
    void aRefusedSequenceMayComeAgainAlthoughLaterOnesWereTaken() {
        windows.admit(WRITER, 1, new CompletableFuture<>());
        windows.refused(WRITER, 1);
        windows.admit(WRITER, 2, new CompletableFuture<>());
        windows.applied(WRITER, 2, new WriteOutcome(new Lsn(10), 0));
        assertThat(windows.admit(WRITER, 1, new CompletableFuture<>())).isEmpty();
    }

    @Test
    void sequencesBelowTheWindowAreKnownToBeApplied() {
        for (int sequence = 1; sequence <= WriterWindows.WINDOW + 10; sequence++) {
            windows.admit(WRITER, sequence, new CompletableFuture<>());
            windows.applied(WRITER, sequence, new WriteOutcome(new Lsn(sequence * 10L), 0));
        }
        assertThat(windows.admit(WRITER, 3, new CompletableFuture<>()).orElseThrow().join())
                .isEqualTo(
                        new WriteOutcome(
                                new Lsn(100), 0)); // of the floor, which is at or above its own
        assertThat(windows.admit(WRITER, 11, new CompletableFuture<>()).orElseThrow().join())
                .isEqualTo(new WriteOutcome(new Lsn(110), 0));
    }

    @Test
    void onlyWhatIsAppliedGoesIntoAManifestAndComesBack() {
        windows.admit(WRITER, 1, new CompletableFuture<>());
        windows.applied(WRITER, 1, new WriteOutcome(new Lsn(10), 0));
        windows.admit(WRITER, 2, new CompletableFuture<>());
        Map<UUID, AppliedSequence> snapshot = windows.snapshot();
        assertThat(snapshot)
                .containsExactly(Map.entry(WRITER, new AppliedSequence(1, new Lsn(10), Map.of())));

        WriterWindows restored = new WriterWindows();
        snapshot.forEach(restored::restore);
        assertThat(restored.admit(WRITER, 1, new CompletableFuture<>()).orElseThrow().join())
                .isEqualTo(new WriteOutcome(new Lsn(10), 0));
        assertThat(restored.admit(WRITER, 2, new CompletableFuture<>())).isEmpty();
    }

    @Test
    void aRefusalIsTheAnswerToEveryRepetition() {
        SteleException cause = new SteleException(ErrorCode.DUPLICATE_KEY, "there already");
        windows.admit(WRITER, 1, new CompletableFuture<>());
        windows.refusedAt(WRITER, 1, new Lsn(10), cause);
        assertThat(windows.admit(WRITER, 1, new CompletableFuture<>()).orElseThrow())
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCause(cause);
    }

    @Test
    void refusalsGoIntoAManifestAndComeBack() {
        windows.admit(WRITER, 1, new CompletableFuture<>());
        windows.refusedAt(
                WRITER, 1, new Lsn(10), new SteleException(ErrorCode.DUPLICATE_KEY, "there"));
        windows.admit(WRITER, 2, new CompletableFuture<>());
        windows.applied(WRITER, 2, new WriteOutcome(new Lsn(20), 0));
        Map<UUID, AppliedSequence> snapshot = windows.snapshot();
        assertThat(snapshot)
                .containsExactly(
                        Map.entry(
                                WRITER,
                                new AppliedSequence(
                                        2, new Lsn(20), Map.of(1L, ErrorCode.DUPLICATE_KEY))));

        WriterWindows restored = new WriterWindows();
        snapshot.forEach(restored::restore);
        assertThat(restored.snapshot()).isEqualTo(snapshot);
        assertThat(restored.admit(WRITER, 1, new CompletableFuture<>()).orElseThrow())
                .isCompletedExceptionally();
        assertThat(restored.admit(WRITER, 2, new CompletableFuture<>()).orElseThrow().join())
                .isEqualTo(new WriteOutcome(new Lsn(20), 0));
        for (int sequence = 3; sequence <= WriterWindows.WINDOW + 10; sequence++) {
            restored.applied(WRITER, sequence, new WriteOutcome(new Lsn(sequence * 10L), 0));
        }
        assertThat(restored.snapshot().get(WRITER).refused()).isEmpty();
    }
}
