package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.compaction.output.ClusteringOrder;
import io.stele.engine.compaction.output.ClusteringOrder.Placed;
import io.stele.engine.compaction.output.IngestedFileBuilder;
import io.stele.engine.compaction.output.RowPartitions;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.RetainedVersions;
import io.stele.engine.row.TableVersions;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A writer of rows of one shard into column files that a commit will ingest: one file for each
 * partition, in the order of the clustering key, or else of the primary key. Confined to one
 * thread.
 */
final class ShardRowsWriter {
    /** 4,096: about a millisecond of rows. */
    private static final int ROWS_BETWEEN_CHECKS = 1 << 12;

    private static final long NO_LSN = 0; // the commit gives them theirs

    private final TableFiles files;
    private final TableSchema table;
    private final TableVersions versions;
    private final ShardId shard;
    private final Supplier<String> fileIds;
    private final BooleanSupplier isGivenUp;
    private final BinaryRow row;

    /**
     * @param table in the version of the rows
     * @param isGivenUp whether nobody wants the files any more
     */
    ShardRowsWriter(
            TableFiles files,
            TableSchema table,
            ShardId shard,
            Supplier<String> fileIds,
            BooleanSupplier isGivenUp) {
        this.files = requireNonNull(files, "files is null");
        this.table = requireNonNull(table, "table is null");
        this.versions = TableVersions.of(table);
        this.shard = requireNonNull(shard, "shard is null");
        this.fileIds = requireNonNull(fileIds, "fileIds is null");
        this.isGivenUp = requireNonNull(isGivenUp, "isGivenUp is null");
        this.row = new BinaryRow(versions.layout());
    }

    /**
     * Writes the rows of validated batches.
     *
     * @param finished takes each file, whose objects are durable
     * @throws SteleException TRANSACTION_ABORTED if it is given up
     */
    void write(List<byte[]> batches, Consumer<WrittenFile> finished) throws IOException {
        for (Map.Entry<byte[], List<KeyedVersion>> partition : partitions(batches).entrySet()) {
            finished.accept(writeFile(partition.getKey(), ordered(partition.getValue())));
        }
    }

    private Map<byte[], List<KeyedVersion>> partitions(List<byte[]> batches) {
        RowPartitions partitions = new RowPartitions(versions);
        Map<byte[], List<KeyedVersion>> found = new TreeMap<>(Arrays::compareUnsigned);
        for (byte[] bytes : batches) {
            checkNotGivenUp();
            WriteBatchReader batch = new WriteBatchReader(bytes);
            byte[] last = null;
            List<KeyedVersion> ofLast = List.of();
            while (batch.next()) {
                row.wrap(batch.buffer(), batch.rowOffset(), batch.rowLength());
                byte[] partition = partitions.of(row);
                if (partition != last) { // the same array for the same partition
                    last = partition;
                    ofLast = found.computeIfAbsent(partition, _ -> new ArrayList<>());
                }
                ofLast.add(version(batch));
            }
        }
        return found;
    }

    private static KeyedVersion version(WriteBatchReader batch) {
        return KeyedVersion.live(
                batch.buffer(),
                batch.keyOffset(),
                batch.keyLength(),
                NO_LSN,
                batch.buffer(),
                batch.rowOffset(),
                batch.rowLength());
    }

    private List<KeyedVersion> ordered(List<KeyedVersion> rows) {
        if (table.clusteringKey().isEmpty()) {
            if (table.hasPrimaryKey()) {
                rows.sort(null);
            }
            return rows;
        }
        ClusteringOrder order = new ClusteringOrder(versions);
        List<Placed> placed = new ArrayList<>(rows.size());
        rows.forEach(version -> placed.add(order.place(version, RetainedVersions.PRESENT)));
        placed.sort(Placed.ORDER);
        List<KeyedVersion> ordered = new ArrayList<>(rows.size());
        placed.forEach(one -> ordered.add(one.version()));
        return ordered;
    }

    private WrittenFile writeFile(byte[] partition, List<KeyedVersion> rows) throws IOException {
        try (IngestedFileBuilder file =
                IngestedFileBuilder.create(files, table, shard, fileIds.get(), partition)) {
            for (int i = 0; i < rows.size(); i++) {
                if (i % ROWS_BETWEEN_CHECKS == 0) {
                    checkNotGivenUp();
                }
                KeyedVersion version = rows.get(i);
                row.wrap(version.rowArray(), version.rowOffset(), version.rowLength());
                file.add(row, version);
            }
            return file.finish();
        }
    }

    private void checkNotGivenUp() {
        if (isGivenUp.getAsBoolean()) {
            throw new SteleException(ErrorCode.TRANSACTION_ABORTED, "The load was given up");
        }
    }
}
