package io.stele.engine.tablet;

import io.stele.columnfile.metadata.FileChecksums;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.KeyIndexFile;
import java.util.Collection;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of the writes to a table in a shard since the start: the bytes that came in, and what
 * flushes and compactions made of them. Thread-safe.
 */
public final class Traffic {
    private final LongAdder batchBytes = new LongAdder();
    private final LongAdder workerFileBytes = new LongAdder();
    private final LongAdder flushes = new LongAdder();
    private final LongAdder flushInputBytes = new LongAdder();
    private final LongAdder flushBytes = new LongAdder();
    private final LongAdder merges = new LongAdder();
    private final LongAdder mergeInputBytes = new LongAdder();
    private final LongAdder mergeBytes = new LongAdder();
    private final LongAdder moves = new LongAdder();

    /** Counts an applied batch of the log. */
    public void ingested(long bytes) {
        batchBytes.add(bytes);
    }

    /** Counts a worker's file that came into effect. */
    public void adopted(FileEntry file) {
        workerFileBytes.add(sizeBytes(file));
    }

    public void flushed(long memTableBytes, Collection<FileEntry> files) {
        flushes.increment();
        flushInputBytes.add(memTableBytes);
        flushBytes.add(sizeBytes(files));
    }

    public void compacted(Collection<FileEntry> inputs, Collection<FileEntry> outputs) {
        merges.increment();
        mergeInputBytes.add(sizeBytes(inputs));
        mergeBytes.add(sizeBytes(outputs));
    }

    public void moved(int files) {
        moves.add(files);
    }

    public Totals totals() {
        return new Totals(
                batchBytes.sum(),
                workerFileBytes.sum(),
                flushes.sum(),
                flushInputBytes.sum(),
                flushBytes.sum(),
                merges.sum(),
                mergeInputBytes.sum(),
                mergeBytes.sum(),
                moves.sum());
    }

    static long sizeBytes(Collection<FileEntry> files) {
        return files.stream().mapToLong(Traffic::sizeBytes).sum();
    }

    static long sizeBytes(FileEntry file) {
        return file.sizeBytes()
                + file.keyIndex().map(KeyIndexFile::sizeBytes).orElse(0L)
                + file.bitmapIndexBytes().orElse(0)
                + checksumBytes(file);
    }

    private static long checksumBytes(FileEntry file) {
        return file.checksumBlockBytes().isPresent()
                ? FileChecksums.sizeBytes(file.sizeBytes(), file.checksumBlockBytes().getAsInt())
                : 0;
    }

    /**
     * The totals since the start. Bytes of files include those of key indexes, bitmaps and
     * checksums.
     *
     * @param batchBytes batches applied, as they came over the wire
     * @param workerFileBytes files that Trino workers wrote
     * @param flushInputBytes bytes of flushed memtables, with their overhead besides keys and rows
     * @param moves files that changed their level without a rewrite (trivial moves)
     */
    public record Totals(
            long batchBytes,
            long workerFileBytes,
            long flushes,
            long flushInputBytes,
            long flushBytes,
            long merges,
            long mergeInputBytes,
            long mergeBytes,
            long moves) {
        /** No traffic. */
        public static final Totals NONE = new Totals(0, 0, 0, 0, 0, 0, 0, 0, 0);

        public Totals plus(Totals other) {
            return new Totals(
                    batchBytes + other.batchBytes,
                    workerFileBytes + other.workerFileBytes,
                    flushes + other.flushes,
                    flushInputBytes + other.flushInputBytes,
                    flushBytes + other.flushBytes,
                    merges + other.merges,
                    mergeInputBytes + other.mergeInputBytes,
                    mergeBytes + other.mergeBytes,
                    moves + other.moves);
        }

        /**
         * Bytes written for each byte that came in: a batch once to the log, a worker's file once
         * by the worker, and the output of flushes and compactions. 0 while nothing came in.
         */
        public double writeAmplification() {
            long ingested = batchBytes + workerFileBytes;
            return ingested == 0 ? 0 : (double) (ingested + flushBytes + mergeBytes) / ingested;
        }
    }
}
