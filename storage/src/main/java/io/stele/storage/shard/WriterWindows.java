package io.stele.storage.shard;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The recent sequences of every writer of a shard, so that a batch sent twice is applied once.
 *
 * <p>A writer's sequences rise in the order sent. The last {@value #WINDOW} are known one by one
 * with their LSN; lower ones are known to be applied at or below the LSN of the window's floor. A
 * batch that was refused (nothing logged) leaves no trace, so it may come again although later ones
 * were taken.
 *
 * <p>Invariant: a sequence in flight has one future, which every repetition gets. Guarded by
 * itself.
 */
final class WriterWindows {
    static final int WINDOW = 256; // more than a client has in flight to one shard
    private static final int MAX_WRITERS =
            65_536; // 16 KiB a full window: 1 GiB if all were busy, a few MiB in practice

    private final Map<UUID, Window> windows = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * Takes a sequence, unless it was taken before.
     *
     * @param acknowledgement what later repetitions get
     * @return the outcome of the earlier one; empty: the sequence is new and now in flight
     */
    synchronized Optional<CompletableFuture<Lsn>> admit(
            UUID writerId, long sequence, CompletableFuture<Lsn> acknowledgement) {
        requireNonNull(acknowledgement, "acknowledgement is null");
        Window window = windows.computeIfAbsent(writerId, ignored -> new Window());
        Entry known = window.entries.get(sequence);
        if (known != null) {
            return Optional.of(known.outcome());
        }
        if (sequence <= window.floor) {
            return Optional.of(CompletableFuture.completedFuture(window.floorLsn));
        }
        window.entries.put(sequence, new Entry(acknowledgement, null));
        evictIdleWriters();
        return Optional.empty();
    }

    /** The sequence was applied at {@code lsn}. */
    synchronized void applied(UUID writerId, long sequence, Lsn lsn) {
        Window window = windows.computeIfAbsent(writerId, ignored -> new Window());
        if (sequence <= window.floor) {
            return;
        }
        window.entries.put(sequence, new Entry(null, lsn));
        window.trim();
    }

    /** The sequence was not applied and never will be under this attempt: it may come again. */
    synchronized void refused(UUID writerId, long sequence) {
        Window window = windows.get(writerId);
        if (window != null) {
            Entry entry = window.entries.get(sequence);
            if (entry != null && entry.lsn() == null) {
                window.entries.remove(sequence);
            }
        }
    }

    /** The highest applied sequence of each writer: what a manifest keeps. */
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

    /** A writer's sequence and the LSN it was applied at. */
    record AppliedSequence(long sequence, Lsn lsn) {}

    /** Either in flight (a future) or applied (an LSN). */
    private record Entry(@Nullable CompletableFuture<Lsn> inFlight, @Nullable Lsn lsn) {
        CompletableFuture<Lsn> outcome() {
            return inFlight != null
                    ? inFlight
                    : CompletableFuture.completedFuture(requireNonNull(lsn));
        }
    }

    private static final class Window {
        private final TreeMap<Long, Entry> entries = new TreeMap<>();
        private long floor = Long.MIN_VALUE;
        private Lsn floorLsn = Lsn.MIN;

        // Only applied entries at the low end go, so everything at or below the floor has been
        // applied.
        private void trim() {
            while (entries.size() > WINDOW) {
                Map.Entry<Long, Entry> lowest = entries.firstEntry();
                Lsn lsn = lowest.getValue().lsn();
                if (lsn == null) {
                    return;
                }
                floor = lowest.getKey();
                floorLsn = lsn;
                entries.remove(lowest.getKey());
            }
        }

        private boolean isIdle() {
            return entries.values().stream().allMatch(entry -> entry.lsn() != null);
        }

        private @Nullable AppliedSequence highestApplied() {
            for (Map.Entry<Long, Entry> entry : entries.descendingMap().entrySet()) {
                Lsn lsn = entry.getValue().lsn();
                if (lsn != null) {
                    return new AppliedSequence(entry.getKey(), lsn);
                }
            }
            return floor == Long.MIN_VALUE ? null : new AppliedSequence(floor, floorLsn);
        }
    }
}
