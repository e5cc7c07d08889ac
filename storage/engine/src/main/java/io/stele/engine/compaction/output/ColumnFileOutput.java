package io.stele.engine.compaction.output;

import static java.util.Objects.requireNonNull;

import io.stele.engine.compaction.policy.SegmentCuts;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.RetainedVersions;
import io.stele.engine.row.TableVersions;
import io.stele.engine.tablet.TableShard;
import io.stele.objectstore.CloseAll;
import io.stele.objectstore.ParallelWrites;
import io.stele.protocol.row.BinaryRow;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A writer of rows into column files, for flushes and compactions. Rows are added partition by
 * partition and in the table's {@link ClusteringOrder}. Each partition and segment gets its own
 * files of about a given size. Obsolete row versions can be written into separate history files,
 * which readers of the present need not open. Confined to one thread. Files written before a
 * failure are unreferenced and are deleted after the next start. Finished files are published in
 * parallel, while the next ones are written.
 *
 * <p>Invariant: open files are of one partition, so at most two per segment, since each has up to a
 * stripe in memory. Only the metadata that readers need stays in memory of a published file. Files
 * that wait for publication are bounded by {@link ParallelWrites}.
 */
public final class ColumnFileOutput implements AutoCloseable {
    private static final ByteBuffer NO_PARTITION = ByteBuffer.allocate(0);
    private static final Place PRESENT = new Place(NO_PARTITION, 0, false);
    private static final Place HISTORY = new Place(NO_PARTITION, 0, true);

    private final TableFiles files;
    private final TableShard table;
    private final TableVersions versions;
    private final int level;
    private final long targetBytes;
    private final boolean historyApart;
    private final SegmentCuts cuts;
    private final BinaryRow row;
    private final RowPartitions partitions;
    private final Map<Place, ColumnFileBuilder> open = new LinkedHashMap<>();
    private final ParallelWrites publishing;
    private final List<@Nullable FinishedFile> finished = new ArrayList<>(); // null: still open
    private @Nullable Place lastPlace; // most rows have the place of the row before
    private @Nullable ColumnFileBuilder lastBuilder;

    /** An output without segments. */
    public ColumnFileOutput(
            TableFiles files,
            TableShard table,
            TableVersions versions,
            int level,
            long targetBytes,
            boolean historyApart) {
        this(files, table, versions, level, targetBytes, historyApart, SegmentCuts.none());
    }

    /**
     * @param versions the schema version of the rows
     */
    public ColumnFileOutput(
            TableFiles files,
            TableShard table,
            TableVersions versions,
            int level,
            long targetBytes,
            boolean historyApart,
            SegmentCuts cuts) {
        this.files = requireNonNull(files, "files is null");
        this.table = requireNonNull(table, "table is null");
        this.level = level;
        this.targetBytes = targetBytes;
        this.historyApart = historyApart;
        this.cuts = requireNonNull(cuts, "cuts is null");
        this.versions = requireNonNull(versions, "versions is null");
        this.row = new BinaryRow(versions.layout());
        this.partitions = new RowPartitions(versions);
        this.publishing = ParallelWrites.to(files.store());
    }

    /**
     * Adds a row. Within a partition, rows must be added by key ascending and LSN descending; in a
     * clustered table any order is allowed, best the clustering order. A partition that appears
     * again gets another file.
     *
     * @param endLsn the LSN from which the row is not visible; {@link RetainedVersions#PRESENT} if
     *     it is
     */
    public Placement add(KeyedVersion version, long endLsn) throws IOException {
        table.checkNotDropped();
        row.wrap(version.rowArray(), version.rowOffset(), version.rowLength());
        boolean isHistory = historyApart && endLsn != RetainedVersions.PRESENT;
        Place place = place(isHistory);
        ColumnFileBuilder builder = find(place);
        if (builder != null && builder.isFullBefore(version, targetBytes)) {
            endFull(place, builder);
            builder = null;
        }
        if (builder == null) {
            builder = begin(place);
        }
        return new Placement(builder.number(), builder.add(row, version, endLsn));
    }

    // Most tables have neither partitions nor segments.
    private Place place(boolean isHistory) {
        if (partitions.isSingle() && cuts.segmentCount() == 1) {
            return isHistory ? HISTORY : PRESENT;
        }
        return new Place(ByteBuffer.wrap(partitions.of(row)), cuts.segment(row), isHistory);
    }

    /**
     * The builder of the file for the next row in key order, for a compaction that copies columns
     * by {@link ColumnFileBuilder#pick}.
     *
     * @param partition of all rows
     * @param endLsn as in {@link #add}
     */
    public ColumnFileBuilder next(
            byte @Nullable [] partition, byte[] key, int keyLength, long endLsn)
            throws IOException {
        boolean isHistory = historyApart && endLsn != RetainedVersions.PRESENT;
        Place place =
                partition == null
                        ? isHistory ? HISTORY : PRESENT
                        : new Place(ByteBuffer.wrap(partition), 0, isHistory);
        ColumnFileBuilder builder = find(place);
        if (builder != null && builder.isFullBefore(key, keyLength, targetBytes)) {
            endFull(place, builder);
            builder = null;
        }
        return builder == null ? begin(place) : builder;
    }

    /** Copies all picked rows; to be called before an input file advances. */
    public void copyPicked() throws IOException {
        table.checkNotDropped();
        for (ColumnFileBuilder builder : open.values()) {
            builder.copyPicked();
        }
    }

    private @Nullable ColumnFileBuilder find(Place place) {
        if (place != lastPlace) {
            lastBuilder = open.get(place);
            lastPlace = place;
        }
        return lastBuilder;
    }

    private ColumnFileBuilder begin(Place place) throws IOException {
        if (!open.isEmpty()
                && !open.keySet().iterator().next().partition().equals(place.partition())) {
            endAll();
        }
        ColumnFileBuilder builder =
                ColumnFileBuilder.create(
                        files,
                        table,
                        versions,
                        level,
                        finished.size(),
                        partitions.isSingle() ? null : place.partition().array());
        finished.add(null);
        open.put(place, builder);
        lastPlace = place;
        lastBuilder = builder;
        return builder;
    }

    /**
     * Finishes and publishes all files, and returns them, durable and opened, in the order of
     * {@link Placement#file}.
     */
    public List<ColumnFile> finish() throws IOException {
        endAll();
        publishing.finish();
        List<ColumnFile> all = new ArrayList<>(finished.size());
        for (FinishedFile file : finished) {
            all.add(requireNonNull(file, "file is open").opened());
        }
        return all;
    }

    @Override
    public void close() throws IOException {
        publishing.close();
        CloseAll.of(List.copyOf(open.values()));
    }

    private void endAll() throws IOException {
        for (Map.Entry<Place, ColumnFileBuilder> entry : List.copyOf(open.entrySet())) {
            end(entry.getKey(), entry.getValue());
        }
    }

    private void endFull(Place place, ColumnFileBuilder builder) throws IOException {
        builder.markFull();
        end(place, builder);
    }

    private void end(Place place, ColumnFileBuilder builder) throws IOException {
        FinishedFile file = builder.finish();
        finished.set(builder.number(), file);
        open.remove(place); // from now on another thread may have it
        lastPlace = null;
        lastBuilder = null;
        publishing.add(file, file.heldBytes());
    }

    /** The key by which a row's output file is selected. */
    private record Place(ByteBuffer partition, int segment, boolean isHistory) {}

    /** The place of a row: the number of the file and the row's ordinal in it. */
    public record Placement(int file, int ordinal) {}
}
