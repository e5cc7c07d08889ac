package io.stele.storage.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
    void whatIsBehindAnOwedSequenceIsOwedToo() {
        windows.postponed(WRITER, 1, new CompletableFuture<>());
        assertOutOfTurn(2);
        assertOutOfTurn(3);
        assertThat(windows.admit(WRITER, 1, new CompletableFuture<>())).isEmpty();
        assertOutOfTurn(3);
        assertThat(windows.admit(WRITER, 2, new CompletableFuture<>())).isEmpty();
        assertThat(windows.admit(WRITER, 3, new CompletableFuture<>())).isEmpty();
        assertThat(windows.admit(WRITER, 4, new CompletableFuture<>())).isEmpty();
        assertThat(windows.admit(new UUID(3, 4), 2, new CompletableFuture<>()))
                .as("another writer")
                .isEmpty();
    }

    @Test
    void anOwedSequenceIsNotTakenForAnAppliedOne() {
        windows.restore(WRITER, new AppliedSequence(5, new Lsn(10), Map.of()));
        CompletableFuture<WriteOutcome> attempt = new CompletableFuture<>();
        assertThat(windows.admit(WRITER, 6, attempt)).isEmpty();
        windows.postponed(WRITER, 6, attempt);
        assertThat(windows.find(WRITER, 6)).isEmpty();
        assertThat(windows.snapshot().get(WRITER).sequence()).isEqualTo(5);
        windows.postponed(WRITER, 5, new CompletableFuture<>());
        assertThat(windows.find(WRITER, 5)).as("applied before, whatever came again").isPresent();
        assertThat(windows.admit(WRITER, 6, new CompletableFuture<>())).isEmpty();
    }

    @Test
    void anAttemptThatIsPostponedLeavesAnotherOneAlone() {
        CompletableFuture<WriteOutcome> taken = new CompletableFuture<>();
        windows.admit(WRITER, 1, taken);
        windows.postponed(WRITER, 1, new CompletableFuture<>());
        assertThat(windows.find(WRITER, 1)).containsSame(taken);
        assertThat(windows.admit(WRITER, 2, new CompletableFuture<>())).isEmpty();
    }

    @Test
    void whatIsGivenUpIsOwedNoMore() {
        windows.postponed(WRITER, 1, new CompletableFuture<>());
        assertOutOfTurn(2);
        windows.givenUp(WRITER, 1);
        assertOutOfTurn(3);
        windows.givenUp(WRITER, 2);
        windows.givenUp(WRITER, 3);
        assertThat(windows.admit(WRITER, 4, new CompletableFuture<>())).isEmpty();
    }

    private void assertOutOfTurn(long sequence) {
        assertThatThrownBy(() -> windows.admit(WRITER, sequence, new CompletableFuture<>()))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ErrorCode.BUSY))
                .hasMessageContaining("which was refused as BUSY");
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
