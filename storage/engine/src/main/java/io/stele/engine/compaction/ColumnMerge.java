package io.stele.engine.compaction;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.orc.ColumnBatches;
import io.stele.columnfile.orc.write.ColumnFileWriter;
import io.stele.engine.compaction.output.ColumnFileBuilder;
import io.stele.engine.compaction.output.ColumnFileOutput;
import io.stele.engine.compaction.policy.SegmentCuts;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.row.RowRetention;
import io.stele.engine.row.TableVersions;
import io.stele.objectstore.SequentialReads;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A compaction's merge of column files that are sorted by key, which compares keys only and copies
 * column values in batches without decoding rows. Confined to one thread.
 */
final class ColumnMerge {
    private final ColumnFileOutput output;
    private final byte @Nullable [] partition;
    private final SequentialReads reads;
    private final Placements placements;
    private final List<ColumnBatches> batches = new ArrayList<>();
    private final List<ColumnMergeSource> sources = new ArrayList<>();
    private final List<ColumnMergeSource> heap = new ArrayList<>(); // lowest key first

    /**
     * @param partition of all inputs; null: the table is not partitioned
     * @param reads prefetches the inputs
     * @param placements receives the new place of each row
     */
    ColumnMerge(
            ColumnFileOutput output,
            byte @Nullable [] partition,
            SequentialReads reads,
            Placements placements) {
        this.output = requireNonNull(output, "output is null");
        this.partition = partition;
        this.reads = requireNonNull(reads, "reads is null");
        this.placements = requireNonNull(placements, "placements is null");
    }

    /** A receiver of the new place of each row. */
    @FunctionalInterface
    interface Placements {
        void place(int input, int ordinal, int newFile, int newOrdinal);
    }

    /**
     * Whether files of a table can be merged without decoding rows: their rows are in key order,
     * need no mapping to the present schema version, and are assigned to output files by key alone.
     *
     * @param inputs files, opened in the present schema version
     */
    static boolean isPossible(TableVersions versions, List<ColumnFile> inputs, SegmentCuts cuts)
            throws IOException {
        TableSchema schema = versions.schema();
        if (!schema.clusteringKey().isEmpty()
                || !schema.options().bitmapColumns().isEmpty()
                || cuts.segmentCount() != 1
                || !ColumnFileWriter.copiesColumns(schema)) {
            return false;
        }
        for (ColumnFile file : inputs) {
            if (!file.mapping().isSameBytes()
                    || !isOfKnownPartition(schema, file)
                    || !isByKey(schema, file)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isOfKnownPartition(TableSchema schema, ColumnFile file) {
        return schema.partitionedBy().isEmpty() || file.entry().partition().isPresent();
    }

    private static boolean isByKey(TableSchema schema, ColumnFile file) throws IOException {
        return !schema.hasPrimaryKey() || (file.hasKeyIndex() && file.keyIndex().isByRank());
    }

    /**
     * Adds an input, to be called before {@link #run}.
     *
     * @param number the input's number, which the placements receive
     */
    void add(int number, ColumnFile file, ColumnBatches rows, boolean keyed, RowRetention retained)
            throws IOException {
        batches.add(rows);
        sources.add(
                new ColumnMergeSource(
                        number,
                        batches.size() - 1,
                        file,
                        rows,
                        keyed ? file.keyIndex().cursor(reads) : null,
                        retained,
                        output::copyPicked));
    }

    void run() throws IOException {
        for (ColumnMergeSource source : sources) {
            if (source.advance()) {
                heap.add(source);
            }
        }
        for (int at = heap.size() / 2 - 1; at >= 0; at--) {
            siftDown(at);
        }
        while (!heap.isEmpty()) {
            ColumnMergeSource first = heap.getFirst();
            ColumnFileBuilder builder =
                    output.next(partition, first.key(), first.keyLength(), first.endLsn());
            int ordinal =
                    builder.pick(
                            batches,
                            first.source(),
                            first.position(),
                            first.key(),
                            first.keyLength(),
                            first.endLsn());
            placements.place(first.number(), first.ordinal(), builder.number(), ordinal);
            if (!first.advance()) {
                ColumnMergeSource last = heap.removeLast();
                if (heap.isEmpty()) {
                    break;
                }
                heap.set(0, last);
            }
            siftDown(0);
        }
    }

    private void siftDown(int from) {
        ColumnMergeSource moved = heap.get(from);
        int at = from;
        while (true) {
            int child = 2 * at + 1;
            if (child >= heap.size()) {
                break;
            }
            if (child + 1 < heap.size() && heap.get(child + 1).compareTo(heap.get(child)) < 0) {
                child++;
            }
            if (moved.compareTo(heap.get(child)) <= 0) {
                break;
            }
            heap.set(at, heap.get(child));
            at = child;
        }
        heap.set(at, moved);
    }
}
