package io.stele.engine.shard.write;

import static io.stele.protocol.ErrorCode.DUPLICATE_KEY;
import static io.stele.protocol.ErrorCode.OUTCOME_UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.manifest.DecidedBatch;
import io.stele.engine.manifest.WriterProgress;
import io.stele.engine.shard.write.WriterWindows.Capture;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.wire.WireLimits;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TestWriterWindows {
    private static final UUID WRITER = new UUID(1, 2);

    private long nowMillis = 1000;
    private final WriterWindows windows = new WriterWindows(() -> nowMillis, () -> nowMillis);

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
        windows.restore(
                new WriterProgress(WRITER, 4, List.of(DecidedBatch.applied(5, new Lsn(10), 0))),
                false);
        CompletableFuture<WriteOutcome> attempt = new CompletableFuture<>();
        assertThat(windows.admit(WRITER, 6, attempt)).isEmpty();
        windows.postponed(WRITER, 6, attempt);
        assertThat(windows.find(WRITER, 6)).isEmpty();
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
    void ofSequencesBelowTheWindowNothingIsKnown() {
        for (int sequence = 1; sequence <= WriterWindows.WINDOW + 10; sequence++) {
            windows.admit(WRITER, sequence, new CompletableFuture<>());
            windows.applied(WRITER, sequence, new WriteOutcome(new Lsn(sequence * 10L), 3));
        }
        assertCode(windows.admit(WRITER, 10, new CompletableFuture<>()), OUTCOME_UNKNOWN);
        assertThat(windows.admit(WRITER, 11, new CompletableFuture<>()).orElseThrow().join())
                .isEqualTo(new WriteOutcome(new Lsn(110), 3));
        CompletableFuture<WriteOutcome> late = new CompletableFuture<>();
        windows.postponed(WRITER, 10, late);
        assertThat(windows.admit(WRITER, WriterWindows.WINDOW + 11, late))
                .as("10 is not owed")
                .isEmpty();
    }

    @Test
    void noMoreAreInFlightThanAreRemembered() {
        int most = WireLimits.MAX_UNANSWERED_BATCHES;
        for (int sequence = 1; sequence <= most; sequence++) {
            assertThat(windows.admit(WRITER, sequence, new CompletableFuture<>())).isEmpty();
        }
        int beyond = most + 1;
        assertThatThrownBy(() -> windows.admit(WRITER, beyond, new CompletableFuture<>()))
                .hasMessageContaining("Expected at most 1024 unanswered batches");
        windows.applied(WRITER, 1, new WriteOutcome(new Lsn(10), 0));
        assertOutOfTurn(beyond + 1);
        assertThat(windows.admit(WRITER, beyond, new CompletableFuture<>())).isEmpty();
    }

    @Test
    void aRefusalIsTheAnswerToEveryRepetition() {
        windows.admit(WRITER, 1, new CompletableFuture<>());
        windows.refusedAt(
                WRITER, 1, new Lsn(10), new SteleException(DUPLICATE_KEY, "there already"));
        assertThat(windows.admit(WRITER, 1, new CompletableFuture<>()).orElseThrow())
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withMessageContaining("there already");
        assertCode(windows.find(WRITER, 1), DUPLICATE_KEY);
    }

    @Test
    void onlyChangesAreCapturedUnlessAllAreWanted() {
        windows.applied(WRITER, 1, new WriteOutcome(new Lsn(10), 0));
        UUID other = new UUID(3, 4);
        windows.admit(other, 7, new CompletableFuture<>());
        Capture first = windows.capture(0);
        assertThat(first.writers()).extracting(WriterProgress::writerId).containsExactly(WRITER);
        windows.applied(other, 7, new WriteOutcome(new Lsn(20), 0));
        Capture second = windows.capture(first.number());
        assertThat(second.writers()).extracting(WriterProgress::writerId).containsExactly(other);
        assertThat(windows.capture(second.number()).writers()).isEmpty();
        assertThat(windows.capture(WriterWindows.NEVER).writers()).hasSize(2);

        WriterWindows restored = new WriterWindows(() -> nowMillis, () -> nowMillis);
        first.writers().forEach(writer -> restored.restore(writer, false));
        second.writers().forEach(writer -> restored.restore(writer, true));
        assertThat(restored.capture(0).writers()).isEqualTo(second.writers());
        assertThat(restored.capture(WriterWindows.NEVER).writers()).hasSize(2);
    }

    @Test
    void theLogIsNeededUntilAManifestHasIt() {
        long lsn = Lsn.of(nowMillis, 0).value();
        assertThat(windows.minUnsavedLsn()).isEqualTo(Long.MAX_VALUE);
        windows.applied(WRITER, 1, new WriteOutcome(new Lsn(lsn), 0));
        windows.capture(0);
        windows.applied(WRITER, 2, new WriteOutcome(new Lsn(lsn + 1), 0));
        assertThat(windows.minUnsavedLsn()).as("the manifest may fail").isEqualTo(lsn);
        windows.saved();
        assertThat(windows.minUnsavedLsn()).isEqualTo(lsn + 1);
        nowMillis += WireLimits.WRITER_MEMORY.toMillis() + 1;
        assertThat(windows.minUnsavedLsn()).as("nobody repeats it").isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void youngRecordsAreNeededBehindOnesThatAreTooOld() {
        applyAt(WRITER, 1);
        nowMillis += WireLimits.WRITER_MEMORY.toMillis();
        long young = Lsn.of(nowMillis, 0).value();
        windows.applied(WRITER, 2, new WriteOutcome(new Lsn(young), 0));
        nowMillis += 10;
        assertThat(windows.minUnsavedLsn()).isBetween(Lsn.of(1_001, 0).value(), young);
    }

    @Test
    void aWriterIsForgottenByAge() {
        UUID young = new UUID(3, 4);
        UUID busy = new UUID(5, 6);
        windows.admit(busy, 1, new CompletableFuture<>());
        applyAt(WRITER, 1);
        nowMillis += WireLimits.WRITER_MEMORY.toMillis();
        applyAt(young, 1);
        assertThat(windows.capture(0).writers()).hasSize(2);
        nowMillis++;
        assertThat(windows.capture(0).writers())
                .extracting(WriterProgress::writerId)
                .containsExactly(young);
        assertThat(windows.find(WRITER, 1)).isEmpty();
        assertThat(windows.find(young, 1)).isPresent();
        assertThat(windows.find(busy, 1)).as("in flight").isPresent();
    }

    /** Its batches were forgotten because others had many; it may be as young as any. */
    @Test
    void aWriterOfWhichOnlyTheFloorIsLeftIsNotTakenForANewOneAfterARestart() {
        nowMillis += 2 * WireLimits.WRITER_MEMORY.toMillis();
        windows.restore(new WriterProgress(WRITER, 7, List.of()), false);
        windows.admit(new UUID(3, 4), 1, new CompletableFuture<>()); // looks for old ones
        assertCode(windows.admit(WRITER, 7, new CompletableFuture<>()), OUTCOME_UNKNOWN);
        nowMillis += WireLimits.WRITER_MEMORY.toMillis() + 1;
        windows.admit(new UUID(5, 6), 1, new CompletableFuture<>());
        assertThat(windows.find(WRITER, 7)).isEmpty();
    }

    @Test
    void tooManyYoungWritersAreBusyAndNoneIsForgottenEarly() {
        for (int i = 1; i <= 65_536; i++) {
            applyAt(new UUID(9, i), 1);
        }
        assertThatThrownBy(() -> windows.admit(WRITER, 1, new CompletableFuture<>()))
                .hasMessageContaining("Expected fewer than 65536 writers within 600 s");
        assertThat(windows.find(new UUID(9, 1), 1)).isPresent();
        nowMillis += WireLimits.WRITER_MEMORY.toMillis() / 6 + 1;
        assertThat(windows.admit(WRITER, 1, new CompletableFuture<>())).isEmpty();
    }

    @Test
    void beyondTheLimitOfBatchesTheOldestAreUnknownNotNew() {
        for (int i = 1; i <= 300; i++) {
            for (int sequence = 1; sequence <= WriterWindows.WINDOW; sequence++) {
                applyAt(new UUID(9, i), sequence);
            }
        }
        assertCode(
                windows.admit(new UUID(9, 1), WriterWindows.WINDOW, new CompletableFuture<>()),
                OUTCOME_UNKNOWN);
        assertThat(
                        windows.admit(
                                new UUID(9, 1),
                                WriterWindows.WINDOW + 1,
                                new CompletableFuture<>()))
                .isEmpty();
        assertThat(windows.find(new UUID(9, 300), 1).orElseThrow()).isCompleted();
    }

    @Test
    void nothingIsKeptOfAnonymousWriters() {
        UUID anonymous = WireLimits.ANONYMOUS_WRITER;
        assertThat(windows.admit(anonymous, 1, new CompletableFuture<>())).isEmpty();
        assertThat(windows.admit(anonymous, 1, new CompletableFuture<>())).isEmpty();
        windows.postponed(anonymous, 1, new CompletableFuture<>());
        assertThat(windows.admit(anonymous, 2, new CompletableFuture<>())).isEmpty();
        applyAt(anonymous, 2);
        assertThat(windows.find(anonymous, 2)).isEmpty();
        assertThat(windows.capture(WriterWindows.NEVER).writers()).isEmpty();
    }

    /**
     * A writer that sends in order, at most a window at a time, and sends again what is unanswered
     * when it reconnects or the shard restarts from a manifest and the log behind: every answer is
     * the first one.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void answersComeAgainAsTheyWere(long seed) {
        new RandomWriter(seed).run();
    }

    private void applyAt(UUID writer, long sequence) {
        windows.applied(writer, sequence, new WriteOutcome(Lsn.of(nowMillis, (int) sequence), 0));
    }

    private static void assertCode(
            Optional<CompletableFuture<WriteOutcome>> outcome, ErrorCode code) {
        assertThat(outcome.orElseThrow())
                .isCompletedExceptionally()
                .satisfies(
                        failed ->
                                assertThat(((SteleException) failed.exceptionNow()).code())
                                        .isEqualTo(code));
    }

    private static final class RandomWriter {
        private final SplittableRandom random;
        private final Map<Long, String> answers = new HashMap<>();
        private final TreeSet<Long> unanswered = new TreeSet<>();
        private final ArrayDeque<Long> inLog = new ArrayDeque<>(); // taken, in order
        private final ArrayDeque<Long> onTheWay = new ArrayDeque<>(); // answers, in order
        private final List<Record> log = new ArrayList<>(); // decided
        private List<WriterProgress> manifest = List.of();
        private List<WriterProgress> object = List.of();
        private long objectNumber;
        private int logStart; // of the records that the manifest does not have
        private WriterWindows windows = new WriterWindows(() -> 0, () -> 0);
        private long nextSequence = 1;

        private RandomWriter(long seed) {
            random = new SplittableRandom(seed);
        }

        private void run() {
            for (int i = 0; i < 20_000; i++) {
                int dice = random.nextInt(1000);
                if (dice < 500) {
                    sendNew();
                } else if (dice < 750) {
                    decide();
                } else if (dice < 990) {
                    Optional.ofNullable(onTheWay.poll()).ifPresent(unanswered::remove);
                } else if (dice < 994) {
                    reconnect();
                } else if (dice < 998) {
                    capture();
                } else {
                    restart();
                }
                if (random.nextInt(2000) == 0) {
                    for (int j = 0; j < WireLimits.MAX_UNANSWERED_BATCHES; j++) {
                        sendNew();
                        decide();
                    }
                }
            }
        }

        private void sendNew() {
            if (unanswered.size() < WireLimits.MAX_UNANSWERED_BATCHES) {
                nextSequence += 1 + random.nextInt(3); // others are for other shards
                unanswered.add(nextSequence);
                send(nextSequence);
            }
        }

        private void send(long sequence) {
            CompletableFuture<WriteOutcome> attempt = new CompletableFuture<>();
            Optional<CompletableFuture<WriteOutcome>> earlier =
                    windows.admit(WRITER, sequence, attempt);
            if (earlier.isPresent()) {
                if (earlier.get().isDone()) {
                    onTheWay.add(sequence);
                    assertThat(text(earlier.get()))
                            .as("batch %s", sequence)
                            .isEqualTo(answers.get(sequence));
                }
                return;
            }
            assertThat(answers).as("a batch that is decided").doesNotContainKey(sequence);
            if (random.nextInt(20) == 0) {
                windows.refused(WRITER, sequence); // for itself: nothing is logged
                onTheWay.add(sequence);
            } else {
                inLog.add(sequence);
            }
        }

        private static String text(CompletableFuture<WriteOutcome> outcome) {
            return outcome.isCompletedExceptionally()
                    ? ((SteleException) outcome.exceptionNow()).code().name()
                            + outcome.exceptionNow().getMessage()
                    : outcome.join().toString();
        }

        private void decide() {
            Long sequence = inLog.poll();
            if (sequence == null) {
                return;
            }
            Optional<ErrorCode> refusal =
                    switch (random.nextInt(4)) {
                        case 0 -> Optional.of(DUPLICATE_KEY);
                        case 1 -> Optional.of(ErrorCode.NULL_KEY);
                        default -> Optional.empty();
                    };
            Record record =
                    new Record(
                            sequence,
                            new WriteOutcome(
                                    new Lsn(log.size() + 1),
                                    refusal.isPresent() ? 0 : random.nextInt(3)),
                            refusal);
            log.add(record);
            apply(record);
            answers.put(
                    sequence,
                    refusal.map(code -> code.name() + "refused " + sequence)
                            .orElse(record.outcome().toString()));
            onTheWay.add(sequence);
        }

        /** What is on the way is lost, and all that is unanswered comes again in order. */
        private void reconnect() {
            onTheWay.clear();
            unanswered.forEach(this::send);
        }

        private void apply(Record record) {
            if (record.refusal().isPresent()) {
                windows.refusedAt(
                        WRITER,
                        record.sequence(),
                        record.outcome().lsn(),
                        new SteleException(record.refusal().get(), "refused " + record.sequence()));
            } else {
                windows.applied(WRITER, record.sequence(), record.outcome());
            }
        }

        private void capture() {
            boolean all = random.nextInt(3) == 0;
            Capture capture = windows.capture(all ? WriterWindows.NEVER : objectNumber);
            if (random.nextInt(4) == 0) {
                return; // not stored
            }
            if (all) {
                object = capture.writers();
                objectNumber = capture.number();
            }
            manifest = all ? List.of() : capture.writers();
            windows.saved();
            logStart = log.size();
        }

        private void restart() {
            inLog.clear();
            windows = new WriterWindows(() -> 0, () -> 0);
            objectNumber = 0;
            object.forEach(writer -> windows.restore(writer, false));
            manifest.forEach(writer -> windows.restore(writer, true));
            int from = Math.max(0, logStart - random.nextInt(50)); // some it has already
            log.subList(from, log.size()).forEach(this::apply);
            reconnect();
        }
    }

    private record Record(long sequence, WriteOutcome outcome, Optional<ErrorCode> refusal) {}
}
