package io.stele.storage.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.row.KeyEncoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes rows, in the table's {@link ClusteringOrder}, into column files: one for each partition
 * and segment, ended at about a given number of bytes. Rows that have ended can go into files of
 * their own, history that readers of the present need not open. Confined to one thread; what it
 * wrote before a failure is unreferenced and collected at the next start.
 */
final class ColumnFileOutput implements AutoCloseable {
    /**
     * A writer holds up to a stripe of memory, so partitions and segments beyond this end the file
     * of the one that was begun first.
     */
    private static final int MAX_OPEN_FILES = 64;

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
    private final @Nullable KeyEncoder partitionEncoder;
    private final GrowingBytes partitionBytes = GrowingBytes.forKey();
    private final Map<Place, ColumnFileBuilder> open = new LinkedHashMap<>();
    private final List<ColumnFileBuilder> builders = new ArrayList<>();
    private @Nullable Place lastPlace; // most rows go where the one before went
    private @Nullable ColumnFileBuilder lastBuilder;

    /** All rows of a partition in one segment. */
    ColumnFileOutput(
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
    ColumnFileOutput(
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
        List<Integer> partitionedBy = versions.schema().partitionedBy();
        this.partitionEncoder =
                partitionedBy.isEmpty()
                        ? null
                        : KeyEncoder.forColumns(versions.schema(), partitionedBy);
    }

    /**
     * Adds a row, by key ascending and LSN descending; of a clustered table in any order, best in
     * its own.
     *
     * @param endLsn the LSN from which the row is not visible; {@link RetainedVersions#PRESENT} if
     *     it is
     */
    Placement add(KeyedVersion version, long endLsn) throws IOException {
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
        if (partitionEncoder == null && cuts.segmentCount() == 1) {
            return isHistory ? HISTORY : PRESENT;
        }
        return new Place(partition(), cuts.segment(row), isHistory);
    }

    /**
     * The file that takes the next row, by key, of a merge that copies columns; for {@link
     * ColumnFileBuilder#pick}.
     *
     * @param partition of all rows
     * @param endLsn as in {@link #add}
     */
    ColumnFileBuilder next(byte @Nullable [] partition, byte[] key, int keyLength, long endLsn)
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

    /** Copies what was picked of files that are about to move on. */
    void copyPicked() throws IOException {
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
        if (open.size() >= MAX_OPEN_FILES) {
            Map.Entry<Place, ColumnFileBuilder> first = open.entrySet().iterator().next();
            end(first.getKey(), first.getValue());
        }
        ColumnFileBuilder builder =
                ColumnFileBuilder.create(
                        files,
                        table,
                        versions,
                        level,
                        builders.size(),
                        partitionEncoder == null ? null : place.partition().array());
        builders.add(builder);
        open.put(place, builder);
        lastPlace = place;
        lastBuilder = builder;
        return builder;
    }

    /** The finished files, in the order that {@link Placement#file} counts. */
    List<ColumnFile> finish() throws IOException {
        List<ColumnFile> finished = new ArrayList<>();
        for (ColumnFileBuilder builder : builders) {
            finished.add(builder.finish());
        }
        open.clear();
        return finished;
    }

    @Override
    public void close() throws IOException {
        for (ColumnFileBuilder builder : builders) {
            builder.close();
        }
    }

    private void endFull(Place place, ColumnFileBuilder builder) throws IOException {
        builder.markFull();
        end(place, builder);
    }

    private void end(Place place, ColumnFileBuilder builder) throws IOException {
        builder.finish();
        open.remove(place);
        lastPlace = null;
    }

    private ByteBuffer partition() {
        if (partitionEncoder == null) {
            return NO_PARTITION;
        }
        partitionBytes.clear();
        partitionEncoder.encode(row, partitionBytes);
        return ByteBuffer.wrap(partitionBytes.toByteArray());
    }

    /** Which file takes a row. */
    private record Place(ByteBuffer partition, int segment, boolean isHistory) {}

    /** Where a row lies: the number of the file and the row's ordinal in it. */
    record Placement(int file, int ordinal) {}
}
