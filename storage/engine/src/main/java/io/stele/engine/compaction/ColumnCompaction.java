package io.stele.engine.compaction;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.orc.ColumnBatches;
import io.stele.engine.compaction.output.ClusteringOrder;
import io.stele.engine.compaction.output.ClusteringOrder.Placed;
import io.stele.engine.compaction.output.ColumnFileOutput;
import io.stele.engine.compaction.output.ColumnFileOutput.Placement;
import io.stele.engine.compaction.policy.HistoryFiles;
import io.stele.engine.compaction.policy.SegmentCuts;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.ColumnFileVersions;
import io.stele.engine.datafile.DeletionVector;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.Manifest;
import io.stele.engine.manifest.ManifestEdit;
import io.stele.engine.row.RetainedRows;
import io.stele.engine.row.TableVersions;
import io.stele.engine.tablet.TableShard;
import io.stele.objectstore.SequentialReads;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.IntIterator;
import org.roaringbitmap.RoaringBitmap;

/**
 * A compaction job that rewrites column files within each partition, in the table's {@link
 * ClusteringOrder}, without the rows that no reader can see any more.
 *
 * <p>Rows of the inputs become obsolete while they are read. So the job records the old and new
 * place of every row, and {@link #catchUp} copies the deletions marked since. Writing runs on a
 * background thread, all other steps on the shard's context.
 */
final class ColumnCompaction implements ManifestChange {
    private static final int DROPPED = -1;
    private static final byte[] NO_PARTITION = new byte[0];

    private final TableShard table;
    private final List<Input> inputs;
    private final long retentionLsn;
    private final long expiredLsn;
    private List<ColumnFile> outputs = List.of();

    /**
     * @param retentionLsn rows that became obsolete at or below this LSN are dropped
     */
    ColumnCompaction(TableShard table, List<ColumnFile> files, long retentionLsn) {
        this.table = requireNonNull(table, "table is null");
        this.inputs = files.stream().map(Input::new).toList();
        this.retentionLsn = retentionLsn;
        this.expiredLsn = table.expiredLsn();
    }

    ColumnCompaction write(TableFiles files, HistoryFiles history, int level, long targetBytes)
            throws IOException {
        TableVersions schemas = table.versions();
        long rows = 0;
        long ended = 0;
        for (Input input : inputs) {
            long deleted = input.file.deletedAt(retentionLsn);
            rows += input.file.entry().rowCount() - deleted;
            ended += input.file.deletes().cardinality() - deleted;
        }
        SegmentCuts cuts =
                SegmentCuts.of(
                        schemas.schema(),
                        inputs.stream().map(input -> input.file.entry()).toList(),
                        targetBytes);
        boolean historyApart = history.areWorthIt(ended, rows);
        List<ColumnFile> present = inputs.stream().map(input -> input.file.as(schemas)).toList();
        try (ColumnFileOutput output =
                new ColumnFileOutput(
                        files, table, schemas, level, targetBytes, historyApart, cuts)) {
            for (List<Integer> partition : partitions(present)) {
                try (SequentialReads reads = files.sequentialReads()) {
                    if (ColumnMerge.isPossible(schemas, present, cuts)) {
                        mergeColumns(files, reads, present, partition, output);
                    } else {
                        mergeRows(files, reads, schemas, present, partition, output);
                    }
                }
            }
            outputs = output.finish();
        }
        return this;
    }

    /** The indexes of the inputs, by partition. */
    private static List<List<Integer>> partitions(List<ColumnFile> files) {
        Map<ByteBuffer, List<Integer>> partitions = new LinkedHashMap<>();
        for (int i = 0; i < files.size(); i++) {
            byte[] partition = files.get(i).entry().partition().orElse(NO_PARTITION);
            partitions.computeIfAbsent(ByteBuffer.wrap(partition), _ -> new ArrayList<>()).add(i);
        }
        return List.copyOf(partitions.values());
    }

    /** Whether no reader sees any row of a file, so that it need not be read. */
    private boolean isGone(ColumnFile file) {
        return file.isObsoleteAt(retentionLsn) || file.entry().maxLsn().value() < expiredLsn;
    }

    private void mergeColumns(
            TableFiles files,
            SequentialReads reads,
            List<ColumnFile> present,
            List<Integer> numbers,
            ColumnFileOutput output)
            throws IOException {
        byte @Nullable [] partition =
                present.get(numbers.getFirst()).entry().partition().orElse(null);
        ColumnMerge merge =
                new ColumnMerge(
                        output,
                        partition,
                        reads,
                        (input, ordinal, newFile, newOrdinal) ->
                                inputs.get(input).place(ordinal, newFile, newOrdinal));
        RetainedRows retained = new RetainedRows(retentionLsn, expiredLsn);
        List<ColumnBatches> opened = new ArrayList<>();
        try {
            for (int i : numbers) {
                if (!isGone(present.get(i))) {
                    ColumnBatches batches = files.openBatches(present.get(i), reads);
                    opened.add(batches);
                    merge.add(i, present.get(i), batches, table.schema().hasPrimaryKey(), retained);
                }
            }
            merge.run();
            output.copyPicked();
        } finally {
            for (ColumnBatches batches : opened) {
                batches.close();
            }
        }
    }

    private void mergeRows(
            TableFiles files,
            SequentialReads reads,
            TableVersions schemas,
            List<ColumnFile> present,
            List<Integer> numbers,
            ColumnFileOutput output)
            throws IOException {
        TableSchema schema = schemas.schema();
        KeyEncoder keys = schema.hasPrimaryKey() ? KeyEncoder.forPrimaryKey(schema) : null;
        PriorityQueue<Source> sources =
                new PriorityQueue<>(Comparator.comparing(Source::row, Placed.ORDER));
        List<Source> opened = new ArrayList<>();
        try {
            for (int i : numbers) {
                if (isGone(present.get(i))) {
                    continue;
                }
                Source source =
                        new Source(
                                inputs.get(i),
                                open(files, reads, present.get(i), keys),
                                new ClusteringOrder(schemas));
                opened.add(source);
                if (source.advance()) {
                    sources.add(source);
                }
            }
            while (true) {
                Source first = sources.poll();
                if (first == null) {
                    break;
                }
                Placement placement = output.add(first.row().version(), first.row().endLsn());
                first.input.place(first.versions.ordinal(), placement.file(), placement.ordinal());
                if (first.advance()) {
                    sources.add(first);
                }
            }
        } finally {
            for (Source source : opened) {
                source.versions.close();
            }
        }
    }

    @Override
    public TableShard table() {
        return table;
    }

    @Override
    public List<ColumnFile> newColumnFiles() {
        return outputs;
    }

    @Override
    public Set<String> removedFileIds() {
        Set<String> removed = new HashSet<>();
        inputs.forEach(input -> removed.add(input.file.entry().fileId()));
        return removed;
    }

    @Override
    public void catchUp() {
        long endLsn = commonEndLsn();
        List<Carried> carried = new ArrayList<>();
        inputs.forEach(input -> input.carryOver(endLsn - 1, retentionLsn, carried));
        // Deletion vectors accept marks in LSN order only, and each input has its own order
        carried.sort(Comparator.comparingLong(Carried::lsn));
        carried.forEach(
                mark -> outputs.get(mark.file()).deletes().delete(mark.ordinal(), mark.lsn()));
        if (endLsn != DeletionVector.NOT_DELETED) {
            outputs.forEach(output -> output.endAll(endLsn));
        }
    }

    /** A row of an output that became obsolete in its input. */
    private record Carried(int file, int ordinal, long lsn) {}

    // Inputs of one partition usually have one end LSN. Inputs of several partitions, and history
    // files, may have different ones.
    private long commonEndLsn() {
        long endLsn = inputs.getFirst().file.deletes().endLsn();
        boolean isCommon =
                inputs.stream().allMatch(input -> input.file.deletes().endLsn() == endLsn);
        return isCommon ? endLsn : DeletionVector.NOT_DELETED;
    }

    @Override
    public void edit(Manifest base, ManifestEdit edit, Function<ColumnFile, FileEntry> entryOf) {
        outputs.forEach(file -> edit.addFile(entryOf.apply(file)));
    }

    @Override
    public void install() {
        catchUp();
        table.installCompaction(removedFileIds(), List.of(), outputs);
        table.traffic()
                .compacted(
                        inputs.stream().map(input -> input.file.entry()).toList(),
                        outputs.stream().map(ColumnFile::entry).toList());
    }

    private ColumnFileVersions open(
            TableFiles files, SequentialReads reads, ColumnFile file, @Nullable KeyEncoder keys)
            throws IOException {
        return new ColumnFileVersions(
                file, files.openRows(file, reads), keys, retentionLsn, expiredLsn);
    }

    /** An input that is being read, at its next row. */
    private static final class Source {
        private final Input input;
        private final ColumnFileVersions versions;
        private final ClusteringOrder order;
        private @Nullable Placed row;

        private Source(Input input, ColumnFileVersions versions, ClusteringOrder order) {
            this.input = input;
            this.versions = versions;
            this.order = order;
        }

        private boolean advance() throws IOException {
            boolean found = versions.advance();
            row = found ? order.place(versions.version(), versions.endLsn()) : null;
            return found;
        }

        private Placed row() {
            return requireNonNull(row, "no row");
        }
    }

    /** A replaced file, with the new place of each of its rows. */
    private static final class Input {
        private final ColumnFile file;
        private final int[] newFiles;
        private final int[] newOrdinals;
        private RoaringBitmap carried = new RoaringBitmap();

        private Input(ColumnFile file) {
            this.file = file;
            int rowCount = Math.toIntExact(file.entry().rowCount());
            this.newFiles = new int[rowCount];
            this.newOrdinals = new int[rowCount];
            Arrays.fill(newOrdinals, DROPPED);
        }

        private void place(int ordinal, int newFile, int newOrdinal) {
            newFiles[ordinal] = newFile;
            newOrdinals[ordinal] = newOrdinal;
        }

        /**
         * Adds the rows that became obsolete at or below {@code lastLsn} and were not carried over
         * before.
         */
        private void carryOver(long lastLsn, long retentionLsn, List<Carried> target) {
            RoaringBitmap marked = file.deletes().bitmapAt(lastLsn);
            IntIterator added = RoaringBitmap.andNot(marked, carried).getIntIterator();
            while (added.hasNext()) {
                int ordinal = added.next();
                if (newOrdinals[ordinal] != DROPPED) {
                    // No reader is below the retention LSN, so a deletion below it may have the
                    // retention LSN.
                    long lsn =
                            Math.max(file.deletes().deletedAt(ordinal), Math.max(1, retentionLsn));
                    target.add(new Carried(newFiles[ordinal], newOrdinals[ordinal], lsn));
                }
            }
            carried = marked;
        }
    }
}
