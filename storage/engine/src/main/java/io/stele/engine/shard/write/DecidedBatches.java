package io.stele.engine.shard.write;

import static java.util.Objects.requireNonNull;

import io.stele.engine.manifest.DecidedBatch;
import io.stele.engine.manifest.DecidedBatch.Refusal;
import io.stele.engine.manifest.WriterProgress;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of the most recent batches of one writer, by sequence number, for answers to
 * repeated batches. A batch needs 20 bytes. Not thread-safe; guarded by its owner.
 *
 * <p>Invariant: a sequence above the floor that is absent was not decided. The outcome of an absent
 * sequence at or below the floor is unknown.
 */
final class DecidedBatches {
    private static final int REFUSED = -1;

    private final int limit;
    private long floor = Long.MIN_VALUE;
    private long[] sequences = new long[1]; // ascending, from start on
    private long[] lsns = new long[1];
    private int[] skipped = new int[1];
    private int start;
    private int size;
    private @Nullable Map<Long, Refusal> refusals;

    /**
     * @param limit the highest number of batches; beyond it the lowest sequences are dropped
     */
    DecidedBatches(int limit) {
        this.limit = limit;
    }

    int size() {
        return size;
    }

    /** Whether nothing was decided ever. */
    boolean isEmpty() {
        return size == 0 && floor == Long.MIN_VALUE;
    }

    /** Whether the outcome of a sequence is no longer stored, if it ever was. */
    boolean isForgotten(long sequence) {
        return sequence <= floor && find(sequence) < 0;
    }

    /** The answer to a batch; null if it was not decided, or its outcome was dropped. */
    @Nullable CompletableFuture<WriteOutcome> outcome(long sequence) {
        int place = find(sequence);
        if (place < 0) {
            return null;
        }
        return skipped[place] == REFUSED
                ? CompletableFuture.failedFuture(
                        new SteleException(refusal(sequence).code(), refusal(sequence).message()))
                : CompletableFuture.completedFuture(
                        new WriteOutcome(new Lsn(lsns[place]), skipped[place]));
    }

    private Refusal refusal(long sequence) {
        Refusal refusal = refusals == null ? null : refusals.get(sequence);
        return requireNonNull(refusal, "a refused batch has no refusal");
    }

    void applied(long sequence, WriteOutcome outcome) {
        put(sequence, outcome.lsn().value(), outcome.skipped());
    }

    void refused(long sequence, Lsn lsn, Refusal refusal) {
        if (!put(sequence, lsn.value(), REFUSED)) {
            return;
        }
        if (refusals == null) {
            refusals = new TreeMap<>();
        }
        refusals.put(sequence, refusal);
    }

    /** False if the sequence is dropped, as it is at or below the floor. */
    private boolean put(long sequence, long lsn, int skippedCount) {
        int place = find(sequence);
        if (place < 0) {
            if (sequence <= floor) {
                return false;
            }
            if (size == limit) {
                forgetLowest();
            }
            place = makeRoom(sequence);
        } else if (refusals != null) {
            refusals.remove(sequence);
        }
        sequences[place] = sequence;
        lsns[place] = lsn;
        skipped[place] = skippedCount;
        return true;
    }

    private int makeRoom(long sequence) {
        if (start + size == sequences.length) {
            int capacity = start > size / 4 ? sequences.length : Math.min(2 * limit, 2 * size + 1);
            sequences = moved(sequences, new long[capacity]);
            lsns = moved(lsns, new long[capacity]);
            int[] movedSkipped = new int[capacity];
            System.arraycopy(skipped, start, movedSkipped, 0, size);
            skipped = movedSkipped;
            start = 0;
        }
        int place = -find(sequence) - 1;
        int behind = start + size - place;
        System.arraycopy(sequences, place, sequences, place + 1, behind);
        System.arraycopy(lsns, place, lsns, place + 1, behind);
        System.arraycopy(skipped, place, skipped, place + 1, behind);
        size++;
        return place;
    }

    private long[] moved(long[] from, long[] to) {
        System.arraycopy(from, start, to, 0, size);
        return to;
    }

    private int find(long sequence) {
        return Arrays.binarySearch(sequences, start, start + size, sequence);
    }

    private void forgetLowest() {
        floor = Math.max(floor, sequences[start]);
        if (refusals != null) {
            refusals.remove(sequences[start]);
        }
        start++;
        size--;
    }

    /** Deletes all outcomes, and raises the floor to the highest sequence. */
    void forget() {
        floor = Math.max(floor, sequences[start + size - 1]);
        sequences = new long[1];
        lsns = new long[1];
        skipped = new int[1];
        start = 0;
        size = 0;
        refusals = null;
    }

    WriterProgress toProgress(UUID writerId) {
        List<DecidedBatch> batches = new ArrayList<>(size);
        for (int i = start; i < start + size; i++) {
            batches.add(batch(i));
        }
        return new WriterProgress(writerId, floor, batches);
    }

    private DecidedBatch batch(int place) {
        long sequence = sequences[place];
        Lsn lsn = new Lsn(lsns[place]);
        return skipped[place] == REFUSED
                ? new DecidedBatch(sequence, lsn, 0, Optional.of(refusal(sequence)))
                : DecidedBatch.applied(sequence, lsn, skipped[place]);
    }

    /** Restores outcomes from a manifest; only into an empty list. */
    void restore(WriterProgress progress) {
        for (DecidedBatch batch : progress.batches()) {
            batch.refusal()
                    .ifPresentOrElse(
                            refusal -> refused(batch.sequence(), batch.lsn(), refusal),
                            () ->
                                    applied(
                                            batch.sequence(),
                                            new WriteOutcome(batch.lsn(), batch.skipped())));
        }
        floor = Math.max(floor, progress.floor());
    }
}
