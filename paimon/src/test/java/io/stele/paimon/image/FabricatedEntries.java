package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.apache.paimon.data.BinaryArray;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.BinaryRowWriter;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.manifest.FileKind;
import org.apache.paimon.manifest.FileSource;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.stats.SimpleStats;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;

/**
 * Entries of files that do not exist: of a primary key table with ten columns and statistics of
 * each, whose files are on the last level with keys that do not overlap in a bucket.
 */
final class FabricatedEntries {
    static final KeyColumns KEYS = KeyColumns.of(RowType.of(DataTypes.BIGINT().notNull()));
    static final TableId TABLE = new TableId("file:/lake/db.db/t", "main");

    private static final int COLUMNS = 10;

    private final Random random;
    private final int partitions;
    private final int buckets;

    FabricatedEntries(long seed, int partitions, int buckets) {
        this.random = new Random(seed);
        this.partitions = partitions;
        this.buckets = buckets;
    }

    static SnapshotIdentity snapshot(long id) {
        return new SnapshotIdentity(
                id,
                "manifest-list-4a71c0a3-0f65-4a07-8e07-26e1c1a6a3a1-" + id,
                "manifest-list-4a71c0a3-0f65-4a07-8e07-26e1c1a6a3a2-" + id,
                "writer",
                id,
                1_700_000_000_000L + id);
    }

    static ImageBuilder builder() {
        return new ImageBuilder(TABLE, KEYS, 1, new ParallelTasks(Runnable::run, 1));
    }

    List<ManifestEntry> entries(int count) {
        List<ManifestEntry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            entries.add(entry(i));
        }
        return entries;
    }

    ManifestEntry entry(int number) {
        int slice = number % (partitions * buckets);
        long key = number / (partitions * buckets) * 1_000_000L + random.nextInt(1_000);
        return ManifestEntry.create(
                FileKind.ADD,
                partition(slice % partitions),
                slice / partitions,
                buckets,
                file(key, key + 990_000 + random.nextInt(9_000)));
    }

    static ManifestEntry delete(ManifestEntry entry) {
        return ManifestEntry.create(
                FileKind.DELETE,
                entry.partition(),
                entry.bucket(),
                entry.totalBuckets(),
                requireNonNull(entry.file()));
    }

    static BinaryRow partition(int number) {
        return BinaryRow.singleColumn("2026-%02d-%02d".formatted(1 + number / 28, 1 + number % 28));
    }

    private DataFileMeta file(long minKey, long maxKey) {
        long sequence = random.nextInt(1_000_000_000);
        return DataFileMeta.create(
                "data-%s-%s.orc".formatted(uuid(), random.nextInt(10)),
                60_000_000L + random.nextInt(8_000_000),
                900_000L + random.nextInt(200_000),
                longs(minKey),
                longs(maxKey),
                new SimpleStats(longs(minKey), longs(maxKey), zeros(1)),
                new SimpleStats(values(minKey, true), values(maxKey, false), zeros(COLUMNS)),
                sequence,
                sequence + random.nextInt(1_000_000),
                0,
                5,
                List.of(),
                Timestamp.fromEpochMillis(1_760_000_000_000L + random.nextInt(1_000_000_000)),
                0L,
                null,
                FileSource.COMPACT,
                null,
                null,
                null,
                null);
    }

    private UUID uuid() {
        return new UUID(
                random.nextLong() & ~0xf000L | 0x4000L, random.nextLong() & ~(3L << 62) | 2L << 62);
    }

    /**
     * Of the key, the day, four columns of which a file has nearly all values, and four it has not.
     */
    private BinaryRow values(long key, boolean min) {
        BinaryRow row = new BinaryRow(COLUMNS);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeLong(0, key);
        writer.writeString(1, BinaryString.fromString("2026-11-28"));
        for (int column = 2; column < 6; column++) {
            long distance = random.nextInt(1_000);
            writer.writeLong(column, min ? distance : 1_000_000_000L - distance);
        }
        writer.writeLong(6, random.nextLong(1L << 32));
        writer.writeInt(7, random.nextInt(1 << 20));
        writer.writeDouble(8, random.nextInt(10_000_000) / 100.0);
        writer.writeString(9, BinaryString.fromString("customer-" + random.nextInt(1_000_000)));
        writer.complete();
        return row;
    }

    private static BinaryRow longs(long value) {
        BinaryRow row = new BinaryRow(1);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeLong(0, value);
        writer.complete();
        return row;
    }

    private static BinaryArray zeros(int count) {
        Long[] zeros = new Long[count];
        java.util.Arrays.fill(zeros, 0L);
        return BinaryArray.fromLongArray(zeros);
    }
}
