package io.stele.benchmarks.manifest;

import static java.util.Objects.requireNonNull;

import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import io.stele.engine.manifest.KeyIndexFile;
import io.stele.protocol.ShardId;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Entries of files that are not there, as compactions would leave them. Files of a partition follow
 * each other by key, and have random bounds of all other columns. Confined to one thread.
 */
final class SyntheticFiles {
    static final DataType TYPE = DataType.parse("bigint");

    private static final int KEYS_A_FILE = 1_000;

    /** Such files are not compacted any more. */
    private static final int LAST_LEVEL = 6;

    private static final long FILE_BYTES = 256_000_000;

    private final TableSchema schema;
    private final FileEntry real;
    private final Optional<KeyIndexFile> keyIndex; // one for all, since starts open some
    private final ShardId shard;
    private final KeyEncoder keys;
    private final KeyEncoder partitions;
    private final ValueCodec values = ValueCodec.of(TYPE);
    private final SplittableRandom random = new SplittableRandom(11);

    /**
     * @param real a file of the table in the shard
     */
    SyntheticFiles(TableSchema schema, FileEntry real, ShardId shard) {
        this.schema = requireNonNull(schema, "schema is null");
        this.real = requireNonNull(real, "real is null");
        KeyIndexFile index = real.keyIndex().orElseThrow();
        this.keyIndex = Optional.of(new KeyIndexFile(index.path(), index.sizeBytes()));
        this.shard = requireNonNull(shard, "shard is null");
        this.keys = KeyEncoder.forPrimaryKey(schema);
        this.partitions = KeyEncoder.forColumns(schema, schema.partitionedBy());
    }

    /** A key of a file of a partition. */
    static long key(int file, int within) {
        return (long) file * KEYS_A_FILE + within;
    }

    FileEntry file(long partition, int number) {
        long least = key(number, 0);
        long greatest = key(number, KEYS_A_FILE - 1);
        Map<Integer, ColumnStats> stats = new HashMap<>();
        for (ColumnSchema column : schema.columns()) {
            switch (column.id()) {
                case 1 -> stats.put(1, bounds(partition, partition));
                case 2 -> stats.put(2, bounds(least, greatest));
                default ->
                        stats.put(
                                column.id(),
                                bounds(
                                        random.nextLong() >>> 2,
                                        random.nextLong() >>> 1 | 1L << 62));
            }
        }
        String id = "5-%x-%x".formatted(partition, number); // of an epoch that was before
        String path = "data/%s/%d/%s".formatted(schema.id(), shard.index(), id);
        return new FileEntry(
                id,
                schema.id(),
                FileKind.COLUMN,
                LAST_LEVEL,
                path + ".orc",
                FILE_BYTES,
                1_000_000,
                real.minLsn(),
                real.maxLsn(),
                real.ingestLsn(),
                real.firstRowId(),
                real.schemaVersion(),
                Optional.of(keys.encodeObjects(List.of(partition, least))),
                Optional.of(keys.encodeObjects(List.of(partition, greatest))),
                Optional.of(partitions.encodeObjects(List.of(partition))),
                stats,
                keyIndex,
                Optional.empty());
    }

    private ColumnStats bounds(long low, long high) {
        return new ColumnStats(
                Optional.of(values.encodeLong(low)),
                Optional.of(values.encodeLong(high)),
                0,
                false);
    }
}
