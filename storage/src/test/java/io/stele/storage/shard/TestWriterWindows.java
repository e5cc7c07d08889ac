package io.stele.storage.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.Lsn;
import io.stele.storage.shard.WriterWindows.AppliedSequence;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class TestWriterWindows {
    private static final UUID WRITER = new UUID(1, 2);

    private final WriterWindows windows = new WriterWindows();

    @Test
    void aRepetitionInFlightSharesTheOutcome() {
        CompletableFuture<Lsn> first = new CompletableFuture<>();
        assertThat(windows.admit(WRITER, 1, first)).isEmpty();
        assertThat(windows.admit(WRITER, 1, new CompletableFuture<>())).containsSame(first);
    }

    @Test
    void aRepetitionOfAnAppliedSequenceGetsItsLsn() {
        windows.admit(WRITER, 1, new CompletableFuture<>());
        windows.applied(WRITER, 1, new Lsn(10));
        assertThat(windows.admit(WRITER, 1, new CompletableFuture<>()).orElseThrow().join())
                .isEqualTo(new Lsn(10));
    }

    @Test
    void aRefusedSequenceMayComeAgainAlthoughLaterOnesWereTaken() {
        windows.admit(WRITER, 1, new CompletableFuture<>());
        windows.refused(WRITER, 1);
        windows.admit(WRITER, 2, new CompletableFuture<>());
        windows.applied(WRITER, 2, new Lsn(10));
        assertThat(windows.admit(WRITER, 1, new CompletableFuture<>())).isEmpty();
    }

    @Test
    void sequencesBelowTheWindowAreKnownToBeApplied() {
        for (int sequence = 1; sequence <= WriterWindows.WINDOW + 10; sequence++) {
            windows.admit(WRITER, sequence, new CompletableFuture<>());
            windows.applied(WRITER, sequence, new Lsn(sequence * 10L));
        }
        assertThat(windows.admit(WRITER, 3, new CompletableFuture<>()).orElseThrow().join())
                .isEqualTo(new Lsn(100)); // of the floor, which is at or above its own
        assertThat(windows.admit(WRITER, 11, new CompletableFuture<>()).orElseThrow().join())
                .isEqualTo(new Lsn(110));
    }

    @Test
    void onlyWhatIsAppliedGoesIntoAManifestAndComesBack() {
        windows.admit(WRITER, 1, new CompletableFuture<>());
        windows.applied(WRITER, 1, new Lsn(10));
        windows.admit(WRITER, 2, new CompletableFuture<>());
        Map<UUID, AppliedSequence> snapshot = windows.snapshot();
        assertThat(snapshot)
                .containsExactly(Map.entry(WRITER, new AppliedSequence(1, new Lsn(10))));

        WriterWindows restored = new WriterWindows();
        snapshot.forEach(restored::restore);
        assertThat(restored.admit(WRITER, 1, new CompletableFuture<>()).orElseThrow().join())
                .isEqualTo(new Lsn(10));
        assertThat(restored.admit(WRITER, 2, new CompletableFuture<>())).isEmpty();
    }
}
