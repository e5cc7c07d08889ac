package io.stele.storage.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.TableSchema;
import io.stele.storage.format.DeleteVector;
import io.stele.storage.manifest.FileEntry;
import io.stele.storage.manifest.Manifest;
import io.stele.storage.manifest.ManifestEdit;
import io.stele.storage.tablet.ClusteringOrder.Placed;
import io.stele.storage.tablet.ColumnFileOutput.Placement;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.IntIterator;
import org.roaringbitmap.RoaringBitmap;

/**
 * Merges column files of one partition, in the table's {@link ClusteringOrder}, without the rows
 * that nobody can read any more.
 *
 * <p>Rows go on being superseded in the inputs while they are read. So every row's way from its old
 * to its new place is kept, and {@link #catchUp} carries over what was marked since. Writing runs
 * on a background thread, the rest on the shard's context.
 */
final class ColumnCompaction implements ManifestChange {
    private static final int DROPPED = -1;

    private final TableShard table;
    private final List<Input> inputs;
    private final long retentionLsn;
    private final long expiredLsn;
    private List<ColumnFile> outputs = List.of();

    /**
     * @param retentionLsn rows that ended at or below are dropped
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
        TableSchema schema = schemas.schema();
        KeyEncoder keys = schema.hasPrimaryKey() ? KeyEncoder.forPrimaryKey(schema) : null;
        PriorityQueue<Source> sources =
                new PriorityQueue<>(Comparator.comparing(Source::row, Placed.ORDER));
        List<Source> opened = new ArrayList<>();
        long rows = 0;
        long ended = 0;
        for (Input input : inputs) {
            long deleted = input.file.deletedAt(retentionLsn);
            rows += input.file.entry().rowCount() - deleted;
            ended += input.file.deletes().cardinality() - deleted;
        }
        SegmentCuts cuts =
                SegmentCuts.of(
                        schema,
                        inputs.stream().map(input -> input.file.entry()).toList(),
                        targetBytes);
        boolean historyApart = history.areWorthIt(ended, rows);
        try (ColumnFileOutput output =
                new ColumnFileOutput(
                        files, table, schemas, level, targetBytes, historyApart, cuts)) {
            for (Input input : inputs) {
                if (input.file.hasEnded(retentionLsn)
                        || input.file.entry().maxLsn().value() < expiredLsn) {
                    continue; // nobody reads it any more, and neither do we
                }
                Source source =
                        new Source(
                                input,
                                open(files, input.file.as(schemas), keys),
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
                first.input.place(first.versions.ordinal(), placement);
                if (first.advance()) {
                    sources.add(first);
                }
            }
            outputs = output.finish();
        } finally {
            for (Source source : opened) {
                source.versions.close();
            }
        }
        return this;
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
        inputs.forEach(input -> input.carryOver(outputs, endLsn - 1, retentionLsn));
        if (endLsn != DeleteVector.NOT_DELETED) {
            outputs.forEach(output -> output.endAll(endLsn));
        }
    }

    // As a rule the inputs end together, being of one partition; but history can be of two ends.
    private long commonEndLsn() {
        long endLsn = inputs.getFirst().file.deletes().endLsn();
        boolean isCommon =
                inputs.stream().allMatch(input -> input.file.deletes().endLsn() == endLsn);
        return isCommon ? endLsn : DeleteVector.NOT_DELETED;
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
                .merged(
                        inputs.stream().map(input -> input.file.entry()).toList(),
                        outputs.stream().map(ColumnFile::entry).toList());
    }

    private ColumnFileVersions open(TableFiles files, ColumnFile file, @Nullable KeyEncoder keys)
            throws IOException {
        return new ColumnFileVersions(file, files.openRows(file), keys, retentionLsn, expiredLsn);
    }

    /** An input being read. */
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

    /** A file that goes, and where its rows went. */
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

        private void place(int ordinal, Placement placement) {
            newFiles[ordinal] = placement.file();
            newOrdinals[ordinal] = placement.ordinal();
        }

        private void carryOver(List<ColumnFile> outputs, long lastLsn, long retentionLsn) {
            RoaringBitmap marked = file.deletes().bitmapAt(lastLsn);
            IntIterator added = RoaringBitmap.andNot(marked, carried).getIntIterator();
            while (added.hasNext()) {
                int ordinal = added.next();
                if (newOrdinals[ordinal] != DROPPED) {
                    // When a deletion is forgotten, no reader is left before it; so any LSN up to
                    // then says the same.
                    long lsn =
                            Math.max(file.deletes().deletedAt(ordinal), Math.max(1, retentionLsn));
                    outputs.get(newFiles[ordinal]).deletes().delete(newOrdinals[ordinal], lsn);
                }
            }
            carried = marked;
        }
    }
}
