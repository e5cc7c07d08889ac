package io.stele.engine.shard.write;

import static java.util.Objects.requireNonNull;

import io.stele.engine.manifest.DecidedBatch.Refusal;
import io.stele.engine.manifest.WriterProgress;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.wire.WireLimits;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The recent batch sequences and outcomes of a shard's writers, in memory and manifests, so that a
 * batch sent twice is applied once.
 *
 * <p>A writer's sequences rise in the order sent. It has at most {@link
 * WireLimits#MAX_UNANSWERED_BATCHES} unanswered, and the outcomes of twice as many are stored one
 * by one. Lower sequences are answered as OUTCOME_UNKNOWN. A batch that was refused for its own
 * content (nothing logged) leaves no trace, so it may come again although later batches were
 * accepted.
 *
 * <p>A batch that was refused as BUSY is <em>owed</em>: later batches of the writer are also
 * refused as BUSY until it comes again. So a writer that has many batches in flight and repeats the
 * refused ones in its order keeps its order, and no sequence below an applied one is missing. A
 * restart forgets which batches are owed.
 *
 * <p>A writer is dropped {@link WireLimits#WRITER_MEMORY} after its last batch, because no client
 * repeats for that long. Nothing is stored for {@link WireLimits#ANONYMOUS_WRITER}.
 *
 * <p>Invariant: a sequence in flight has one future, which every repetition gets. Invariant: no
 * sequence above an owed one is accepted. Invariant: every decided outcome is in the last installed
 * manifest or above {@link #minUnsavedLsn} in the log. Guarded by itself.
 */
public final class WriterWindows {
    /**
     * Outcomes stored per writer. Above an unanswered batch there are at most this many: other
     * unanswered batches, and as many again that were sent behind a repeated batch.
     */
    static final int WINDOW = 2 * WireLimits.MAX_UNANSWERED_BATCHES;

    /** The number of no capture: all writers have changed since. */
    public static final long NEVER = -1;

    private static final int MAX_WRITERS = 65_536; // some 300 bytes each, of one batch
    private static final int MAX_BATCHES = 1 << 18; // 20 bytes each: those of 128 full windows
    private static final long LEAST_MEMORY_MILLIS = // where writers are many: what clients repeat
            WireLimits.WRITER_MEMORY.toMillis() / 6;
    private static final int MAX_MESSAGE_CHARACTERS = 200; // of a refusal, a window has many

    private final LongSupplier nowMillis;
    private final LongSupplier expiryMillis;
    private final Map<UUID, Window> windows = new LinkedHashMap<>(16, 0.75f, true);
    private long batches; // decided ones in all windows
    private long changes;
    private long unsavedLsn = Long.MAX_VALUE; // lowest in no installed manifest
    private long uncapturedLsn = Long.MAX_VALUE; // lowest since the last capture
    private long newestLsn; // of all batches decided here

    /**
     * @param expiryMillis at most the present, and before the present while the machine's clock is
     *     in doubt: a wrong clock must not make a shard forget writers whose batches may come again
     */
    public WriterWindows(LongSupplier nowMillis, LongSupplier expiryMillis) {
        this.nowMillis = requireNonNull(nowMillis, "nowMillis is null");
        this.expiryMillis = requireNonNull(expiryMillis, "expiryMillis is null");
    }

    /**
     * Accepts a sequence, unless it was accepted before.
     *
     * @param acknowledgement the future for later repetitions
     * @return the outcome of the earlier one, OUTCOME_UNKNOWN if that was dropped; empty: the
     *     sequence is new and now in flight
     * @throws SteleException BUSY when a lower sequence is owed or too many are in flight, and now
     *     this sequence is owed too; or when there are too many writers
     */
    public synchronized Optional<CompletableFuture<WriteOutcome>> admit(
            UUID writerId, long sequence, CompletableFuture<WriteOutcome> acknowledgement) {
        requireNonNull(acknowledgement, "acknowledgement is null");
        if (isAnonymous(writerId)) {
            return Optional.empty();
        }
        Window window = windows.get(writerId);
        if (window == null) {
            window = admitWriter(writerId);
        }
        window.touchedMillis = nowMillis.getAsLong();
        Optional<CompletableFuture<WriteOutcome>> earlier = window.find(writerId, sequence);
        if (earlier.isPresent()) {
            return earlier;
        }
        if (window.isOwedBelow(sequence)) {
            long first = window.firstOwed();
            window.owe(sequence);
            throw new SteleException(
                    ErrorCode.BUSY,
                    "Expected batch %d of writer %s, which was refused as BUSY, before its batch %d; a writer that gives a batch up goes on under another id"
                            .formatted(first, writerId, sequence));
        }
        if (window.inFlight.size() >= WireLimits.MAX_UNANSWERED_BATCHES) {
            window.owe(sequence);
            throw new SteleException(
                    ErrorCode.BUSY,
                    "Expected at most %d unanswered batches of writer %s, found %d"
                            .formatted(
                                    WireLimits.MAX_UNANSWERED_BATCHES,
                                    writerId,
                                    window.inFlight.size() + 1));
        }
        window.pay(sequence);
        window.inFlight.put(sequence, acknowledgement);
        return Optional.empty();
    }

    private Window admitWriter(UUID writerId) {
        forgetOld(WireLimits.WRITER_MEMORY.toMillis());
        if (windows.size() >= MAX_WRITERS) {
            forgetOld(LEAST_MEMORY_MILLIS);
        }
        if (windows.size() >= MAX_WRITERS) {
            throw SteleException.busy(
                    "Expected fewer than %d writers within %d s, found a new one; writers are to be kept, not made anew for each batch"
                            .formatted(MAX_WRITERS, LEAST_MEMORY_MILLIS / 1000),
                    LEAST_MEMORY_MILLIS / 60);
        }
        return window(writerId);
    }

    private Window window(UUID writerId) {
        return windows.computeIfAbsent(writerId, ignored -> new Window());
    }

    /** The outcome of a sequence that was accepted before, if it was. */
    public synchronized Optional<CompletableFuture<WriteOutcome>> find(
            UUID writerId, long sequence) {
        Window window = windows.get(writerId);
        return window == null ? Optional.empty() : window.find(writerId, sequence);
    }

    /** The sequence was applied. */
    public synchronized void applied(UUID writerId, long sequence, WriteOutcome outcome) {
        if (!isAnonymous(writerId)) {
            Window window = decided(writerId, sequence, outcome.lsn());
            window.decided.applied(sequence, outcome);
            counted(window);
        }
    }

    /** The sequence was refused because of the present rows, by a record at {@code lsn}. */
    public synchronized void refusedAt(
            UUID writerId, long sequence, Lsn lsn, SteleException cause) {
        if (!isAnonymous(writerId)) {
            String message = String.valueOf(cause.getMessage());
            Window window = decided(writerId, sequence, lsn);
            window.decided.refused(
                    sequence,
                    lsn,
                    new Refusal(
                            cause.code(),
                            message.length() <= MAX_MESSAGE_CHARACTERS
                                    ? message
                                    : message.substring(0, MAX_MESSAGE_CHARACTERS) + "..."));
            counted(window);
        }
    }

    private Window decided(UUID writerId, long sequence, Lsn lsn) {
        Window window = window(writerId);
        batches -= window.decided.size();
        window.inFlight.remove(sequence);
        window.pay(sequence);
        window.touchedMillis = Math.max(window.touchedMillis, lsn.millis());
        window.changed = ++changes;
        unsavedLsn = Math.min(unsavedLsn, lsn.value());
        uncapturedLsn = Math.min(uncapturedLsn, lsn.value());
        newestLsn = Math.max(newestLsn, lsn.value());
        return window;
    }

    private void counted(Window window) {
        batches += window.decided.size();
        if (batches > MAX_BATCHES) {
            forgetBatches(window);
        }
    }

    /**
     * Drops outcomes of the writers that wrote nothing for longest: many at a time, since each call
     * walks over all writers.
     */
    private void forgetBatches(Window window) {
        Iterator<Window> eldest = windows.values().iterator();
        while (batches > MAX_BATCHES - MAX_BATCHES / 8 && eldest.hasNext()) {
            Window old = eldest.next();
            if (old != window && old.decided.size() > 0) {
                batches -= old.decided.size();
                old.decided.forget();
                old.changed = ++changes;
            }
        }
    }

    /** The sequence was not applied and never will be under this attempt: it may come again. */
    public synchronized void refused(UUID writerId, long sequence) {
        Window window = windows.get(writerId);
        if (window != null) {
            window.inFlight.remove(sequence);
        }
    }

    /**
     * An accepted attempt has not begun, and will be accepted again.
     *
     * @param acknowledgement of the attempt
     */
    public synchronized void withdrawn(
            UUID writerId, long sequence, CompletableFuture<WriteOutcome> acknowledgement) {
        Window window = windows.get(writerId);
        if (window != null) {
            window.inFlight.remove(sequence, acknowledgement);
        }
    }

    /**
     * The sequence is refused as BUSY: it is owed from now on, unless another attempt at it was
     * accepted, which continues.
     *
     * @param acknowledgement of the refused attempt, accepted or not
     */
    public synchronized void postponed(
            UUID writerId, long sequence, CompletableFuture<WriteOutcome> acknowledgement) {
        Window window = windows.get(writerId);
        // A new writer among too many is not admitted anyway
        if (isAnonymous(writerId) || (window == null && windows.size() >= MAX_WRITERS)) {
            return;
        }
        if (window == null) {
            window = window(writerId);
        }
        window.touchedMillis = nowMillis.getAsLong();
        window.inFlight.remove(sequence, acknowledgement);
        if (window.find(writerId, sequence).isEmpty()) {
            window.owe(sequence);
        }
    }

    /** The sequence is refused for good before it was accepted: nothing waits for it any more. */
    public synchronized void givenUp(UUID writerId, long sequence) {
        Window window = windows.get(writerId);
        if (window != null) {
            window.pay(sequence);
        }
    }

    /**
     * The progress of writers for a manifest.
     *
     * @param since number of an earlier capture, or {@link #NEVER}: all writers
     */
    public synchronized Capture capture(long since) {
        forgetOld(WireLimits.WRITER_MEMORY.toMillis());
        List<WriterProgress> changed = new ArrayList<>();
        windows.forEach(
                (writerId, window) -> {
                    if (window.changed > since && !window.decided.isEmpty()) {
                        changed.add(window.decided.toProgress(writerId));
                    }
                });
        uncapturedLsn = Long.MAX_VALUE;
        return new Capture(changes, changed);
    }

    /** A manifest with the last capture, and all that changed before it, is installed. */
    public synchronized void saved() {
        unsavedLsn = uncapturedLsn;
    }

    /**
     * The lowest LSN of a record whose outcome is in no installed manifest, as long as a writer may
     * still request it; {@code Long.MAX_VALUE} if there is none.
     */
    public synchronized long minUnsavedLsn() {
        long oldestMillis = expiryMillis.getAsLong() - WireLimits.WRITER_MEMORY.toMillis();
        if (unsavedLsn == Long.MAX_VALUE || new Lsn(newestLsn).millis() < oldestMillis) {
            return Long.MAX_VALUE;
        }
        return new Lsn(unsavedLsn).millis() >= oldestMillis
                ? unsavedLsn
                : Lsn.of(oldestMillis, 0).value();
    }

    /**
     * Restores a writer from a manifest, before the log is replayed.
     *
     * @param changed whether it changed since the object of all writers
     */
    public synchronized void restore(WriterProgress progress, boolean changed) {
        Window window = new Window();
        window.decided.restore(progress);
        // A writer with only a floor may be as young as any
        window.touchedMillis =
                progress.batches().isEmpty()
                        ? nowMillis.getAsLong()
                        : progress.batches().getLast().lsn().millis();
        window.changed = changed ? ++changes : 0;
        Window before = windows.put(progress.writerId(), window);
        batches += window.decided.size() - (before == null ? 0 : before.decided.size());
    }

    /** Drops the writers whose last batch is this old and that have no batch in flight. */
    private void forgetOld(long ageMillis) {
        long oldest = expiryMillis.getAsLong() - ageMillis;
        Iterator<Window> eldest = windows.values().iterator();
        while (eldest.hasNext()) {
            Window window = eldest.next();
            if (window.touchedMillis >= oldest) {
                return; // in the order of their last use
            }
            if (window.inFlight.isEmpty()) {
                batches -= window.decided.size();
                eldest.remove();
            }
        }
    }

    private static boolean isAnonymous(UUID writerId) {
        return writerId.equals(WireLimits.ANONYMOUS_WRITER);
    }

    /**
     * The writers' progress at one moment.
     *
     * @param number of the moment, for later requests of the changes since
     */
    public record Capture(long number, List<WriterProgress> writers) {
        public Capture {
            writers = List.copyOf(writers);
        }
    }

    private static final class Window {
        private final Map<Long, CompletableFuture<WriteOutcome>> inFlight = new TreeMap<>();
        private final DecidedBatches decided = new DecidedBatches(WINDOW);
        private @Nullable TreeSet<Long> owed; // null unless the shard was behind
        private long touchedMillis;
        private long changed;

        private Optional<CompletableFuture<WriteOutcome>> find(UUID writerId, long sequence) {
            CompletableFuture<WriteOutcome> known = inFlight.get(sequence);
            if (known == null) {
                known = decided.outcome(sequence);
            }
            if (known == null && decided.isForgotten(sequence) && !isOwed(sequence)) {
                known =
                        CompletableFuture.failedFuture(
                                new SteleException(
                                        ErrorCode.OUTCOME_UNKNOWN,
                                        "Expected one of the last %d batches of writer %s, found its batch %d: whether it was applied is not known any more"
                                                .formatted(WINDOW, writerId, sequence)));
            }
            return Optional.ofNullable(known);
        }

        private boolean isOwed(long sequence) {
            return owed != null && owed.contains(sequence);
        }

        private boolean isOwedBelow(long sequence) {
            return owed != null && !owed.isEmpty() && owed.first() < sequence;
        }

        private long firstOwed() {
            return requireNonNull(owed).first();
        }

        // A writer beyond the limit breaks the protocol, and its order is not kept.
        private void owe(long sequence) {
            if (owed == null) {
                owed = new TreeSet<>();
            }
            if (owed.size() < WINDOW) {
                owed.add(sequence);
            }
        }

        private void pay(long sequence) {
            if (owed != null) {
                owed.remove(sequence);
                owed = owed.isEmpty() ? null : owed;
            }
        }
    }
}
