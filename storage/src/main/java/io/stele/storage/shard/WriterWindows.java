package io.stele.storage.shard;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The recent sequences of every writer of a shard, so that a batch sent twice is applied once.
 *
 * <p>A writer's sequences rise in the order sent. The last {@value #WINDOW} are known one by one
 * with their outcome; lower ones are known to be applied at or below the LSN of the window's floor.
 * A batch that was refused for what was there keeps its refusal. One that was refused for itself
 * (nothing logged) leaves no trace, so it may come again although later ones were taken.
 *
 * <p>One that was refused as BUSY is <em>owed</em>: later ones of the writer are refused as BUSY as
 * well until it comes again. So a writer that has many in flight and repeats those that were
 * refused, in its order, keeps its order, and no sequence below an applied one is missing. What is
 * owed is forgotten by a restart, and of writers that were idle for long.
 *
 * <p>Invariant: a sequence in flight has one future, which every repetition gets. Invariant: no
 * sequence above an owed one is taken. Guarded by itself.
 */
final class WriterWindows {
    static final int WINDOW = 256; // more than a client has in flight to one shard
    private static final int MAX_WRITERS =
            65_536; // 16 KiB a full window: 1 GiB if all were busy, a few MiB in practice

    private static final int MAX_OWED = 4096; // more than a connection may have unanswered

    private final Map<UUID, Window> windows = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * Takes a sequence, unless it was taken before.
     *
     * @param acknowledgement what later repetitions get
     * @return the outcome of the earlier one; empty: the sequence is new and now in flight
     * @throws SteleException BUSY: a lower sequence is owed, and now this one as well
     */
    synchronized Optional<CompletableFuture<WriteOutcome>> admit(
            UUID writerId, long sequence, CompletableFuture<WriteOutcome> acknowledgement) {
        requireNonNull(acknowledgement, "acknowledgement is null");
        Window window = windows.computeIfAbsent(writerId, ignored -> new Window());
        Optional<CompletableFuture<WriteOutcome>> earlier = window.find(sequence);
        if (earlier.isPresent()) {
            return earlier;
        }
        if (!window.owed.isEmpty() && window.owed.first() < sequence) {
            long first = window.owed.first();
            window.owe(sequence);
            throw new SteleException(
                    ErrorCode.BUSY,
                    "Expected batch %d of writer %s, which was refused as BUSY, before its batch %d; a writer that gives a batch up goes on under another id"
                            .formatted(first, writerId, sequence));
        }
        window.owed.remove(sequence);
        window.entries.put(sequence, new InFlight(acknowledgement));
        evictIdleWriters();
        return Optional.empty();
    }

    /** The outcome of a sequence that was taken before, if it was. */
    synchronized Optional<CompletableFuture<WriteOutcome>> find(UUID writerId, long sequence) {
        Window window = windows.get(writerId);
        return window == null ? Optional.empty() : window.find(sequence);
    }

    /** The sequence was applied. */
    synchronized void applied(UUID writerId, long sequence, WriteOutcome outcome) {
        decided(writerId, sequence, new Applied(outcome));
    }

    /** The sequence was refused for what was there, by a record at {@code lsn}. */
    synchronized void refusedAt(UUID writerId, long sequence, Lsn lsn, SteleException cause) {
        decided(writerId, sequence, new Refused(lsn, cause));
    }

    private void decided(UUID writerId, long sequence, Entry entry) {
        Window window = windows.computeIfAbsent(writerId, ignored -> new Window());
        if (sequence <= window.floor && !window.entries.containsKey(sequence)) {
            return;
        }
        window.put(sequence, entry);
        window.trim();
    }

    /** The sequence was not applied and never will be under this attempt: it may come again. */
    synchronized void refused(UUID writerId, long sequence) {
        Window window = windows.get(writerId);
        if (window != null) {
            Entry entry = window.entries.get(sequence);
            if (entry instanceof InFlight) {
                window.entries.remove(sequence);
            }
        }
    }

    /**
     * An attempt that was taken has not begun, and will be taken again.
     *
     * @param acknowledgement of the attempt
     */
    synchronized void withdrawn(
            UUID writerId, long sequence, CompletableFuture<WriteOutcome> acknowledgement) {
        Window window = windows.get(writerId);
        if (window != null
                && window.entries.get(sequence) instanceof InFlight known
                && known.outcome() == acknowledgement) {
            window.entries.remove(sequence);
        }
    }

    /**
     * The sequence is refused as BUSY: it is owed from now on, unless another attempt at it was
     * taken, which goes on.
     *
     * @param acknowledgement of the attempt that is refused, taken or not
     */
    synchronized void postponed(
            UUID writerId, long sequence, CompletableFuture<WriteOutcome> acknowledgement) {
        Window window = windows.computeIfAbsent(writerId, ignored -> new Window());
        if (window.entries.get(sequence) instanceof InFlight known
                && known.outcome() == acknowledgement) {
            window.entries.remove(sequence);
        }
        if (window.find(sequence).isEmpty()) {
            window.owe(sequence);
            evictIdleWriters();
        }
    }

    /** The sequence is refused for good before it was taken: nothing waits for it any more. */
    synchronized void givenUp(UUID writerId, long sequence) {
        Window window = windows.get(writerId);
        if (window != null) {
            window.owed.remove(sequence);
        }
    }

    /** The highest decided sequence of each writer, and the refused ones: what a manifest keeps. */
    synchronized Map<UUID, AppliedSequence> snapshot() {
        Map<UUID, AppliedSequence> result = new LinkedHashMap<>();
        windows.forEach(
                (writerId, window) -> {
                    AppliedSequence highest = window.highestApplied();
                    if (highest != null) {
                        result.put(writerId, highest);
                    }
                });
        return result;
    }

    /** Starts a writer at what a manifest kept. */
    synchronized void restore(UUID writerId, AppliedSequence highest) {
        Window window = windows.computeIfAbsent(writerId, ignored -> new Window());
        window.floor = highest.sequence();
        window.floorLsn = highest.lsn();
        highest.refused()
                .forEach(
                        (sequence, code) ->
                                window.put(
                                        sequence,
                                        new Refused(
                                                highest.lsn(),
                                                new SteleException(
                                                        code,
                                                        "The batch was refused before the last restart, which forgot the details"))));
    }

    private void evictIdleWriters() {
        if (windows.size() <= MAX_WRITERS) {
            return;
        }
        var eldest = windows.values().iterator();
        while (windows.size() > MAX_WRITERS && eldest.hasNext()) {
            if (eldest.next().isIdle()) {
                eldest.remove();
            }
        }
    }

    /**
     * A writer's highest decided sequence and its LSN.
     *
     * @param refused sequences up to there that were refused for what was there, and why
     */
    record AppliedSequence(long sequence, Lsn lsn, Map<Long, ErrorCode> refused) {
        AppliedSequence {
            refused = Map.copyOf(refused);
        }
    }

    private sealed interface Entry {
        CompletableFuture<WriteOutcome> outcome();

        /** Of the record that decided it; null: in flight. */
        @Nullable Lsn lsn();
    }

    private record InFlight(CompletableFuture<WriteOutcome> outcome) implements Entry {
        @Override
        public @Nullable Lsn lsn() {
            return null;
        }
    }

    private record Applied(WriteOutcome applied) implements Entry {
        @Override
        public CompletableFuture<WriteOutcome> outcome() {
            return CompletableFuture.completedFuture(applied);
        }

        @Override
        public Lsn lsn() {
            return applied.lsn();
        }
    }

    private record Refused(Lsn lsn, SteleException cause) implements Entry {
        @Override
        public CompletableFuture<WriteOutcome> outcome() {
            return CompletableFuture.failedFuture(cause);
        }
    }

    private static final class Window {
        private final TreeMap<Long, Entry> entries = new TreeMap<>();
        private final TreeSet<Long> owed = new TreeSet<>(); // empty unless the shard is behind
        private long floor = Long.MIN_VALUE;
        private Lsn floorLsn = Lsn.MIN;
        private boolean everRefused;

        private Optional<CompletableFuture<WriteOutcome>> find(long sequence) {
            Entry known = entries.get(sequence);
            if (known == null && sequence <= floor && !owed.contains(sequence)) {
                return Optional.of(
                        CompletableFuture.completedFuture(new WriteOutcome(floorLsn, 0)));
            }
            return Optional.ofNullable(known).map(Entry::outcome);
        }

        // A writer that goes beyond the limit breaks the protocol: its order is its own business.
        private void owe(long sequence) {
            if (owed.size() < MAX_OWED) {
                owed.add(sequence);
            }
        }

        private void put(long sequence, Entry entry) {
            entries.put(sequence, entry);
            everRefused |= entry instanceof Refused;
        }

        // Only decided entries at the low end go, so everything at or below the floor has been
        // decided.
        private void trim() {
            while (entries.size() > WINDOW) {
                Map.Entry<Long, Entry> lowest = entries.firstEntry();
                Lsn lsn = lowest.getValue().lsn();
                if (lsn == null) {
                    return;
                }
                if (lowest.getKey() > floor) {
                    floor = lowest.getKey();
                    floorLsn = lsn;
                }
                entries.remove(lowest.getKey());
            }
        }

        private boolean isIdle() {
            return entries.values().stream().allMatch(entry -> entry.lsn() != null);
        }

        private @Nullable AppliedSequence highestApplied() {
            for (Map.Entry<Long, Entry> entry : entries.descendingMap().entrySet()) {
                Lsn lsn = entry.getValue().lsn();
                if (lsn != null && entry.getKey() > floor) {
                    return new AppliedSequence(entry.getKey(), lsn, refused());
                }
            }
            return floor == Long.MIN_VALUE ? null : new AppliedSequence(floor, floorLsn, refused());
        }

        private Map<Long, ErrorCode> refused() {
            if (!everRefused) {
                return Map.of();
            }
            Map<Long, ErrorCode> refused = new HashMap<>();
            entries.forEach(
                    (sequence, entry) -> {
                        if (entry instanceof Refused known) {
                            refused.put(sequence, known.cause().code());
                        }
                    });
            return refused;
        }
    }
}
