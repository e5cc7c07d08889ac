package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.paimon.Snapshot;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.options.ExpireConfig;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowKind;

/**
 * A table of Paimon in a folder, written by Paimon: {@code dt string, k int, v bigint, s string},
 * partitioned by {@code dt}.
 */
final class LakeTable {
    // Held, since a logger that is not referenced loses its level.
    private static final Logger PAIMON = Logger.getLogger("org.apache.paimon");

    static {
        PAIMON.setLevel(Level.WARNING);
    }

    private final Path folder;
    private final RecordedFiles files = new RecordedFiles();
    private final org.apache.paimon.fs.Path location;

    private LakeTable(Path folder, String name) {
        this.folder = requireNonNull(folder, "folder is null");
        this.location = new org.apache.paimon.fs.Path(folder.resolve(name).toUri());
    }

    static LakeTable create(Path folder, String name, boolean keyed, Map<String, String> options)
            throws Exception {
        LakeTable table = new LakeTable(folder, name);
        table.create(keyed, options);
        return table;
    }

    void create(boolean keyed, Map<String, String> options) throws Exception {
        Schema.Builder schema =
                Schema.newBuilder()
                        .column("dt", DataTypes.STRING())
                        .column("k", DataTypes.INT())
                        .column("v", DataTypes.BIGINT())
                        .column("s", DataTypes.STRING())
                        .partitionKeys("dt")
                        .option("file.format", "avro")
                        .option("snapshot.expire.execution-mode", "sync")
                        .options(options);
        if (keyed) {
            schema.primaryKey("dt", "k");
        }
        new SchemaManager(files, location).createTable(schema.build());
    }

    void drop() {
        files.deleteDirectoryQuietly(location);
    }

    /** The table as it is now, without any cache of Paimon's. */
    FileStoreTable open() {
        return FileStoreTableFactory.create(files, location);
    }

    RecordedFiles files() {
        return files;
    }

    Optional<Snapshot> latest() {
        return Optional.ofNullable(open().snapshotManager().latestSnapshot());
    }

    Snapshot snapshot() {
        return latest().orElseThrow();
    }

    static GenericRow row(RowKind kind, String day, int key, long value) {
        return GenericRow.ofKind(
                kind,
                BinaryString.fromString(day),
                key,
                value,
                BinaryString.fromString("s" + value % 100));
    }

    static GenericRow row(String day, int key, long value) {
        return row(RowKind.INSERT, day, key, value);
    }

    void write(GenericRow... rows) throws Exception {
        write(open(), Optional.empty(), List.of(rows), false);
    }

    void write(List<GenericRow> rows, boolean compact) throws Exception {
        write(open(), Optional.empty(), rows, compact);
    }

    void overwrite(Map<String, String> partition, List<GenericRow> rows) throws Exception {
        write(open(), Optional.of(partition), rows, false);
    }

    /**
     * @param compact also rewrites all files of the buckets it writes to
     */
    void write(
            FileStoreTable table,
            Optional<Map<String, String>> overwritten,
            List<GenericRow> rows,
            boolean compact)
            throws Exception {
        BatchWriteBuilder builder = table.newBatchWriteBuilder();
        overwritten.ifPresent(builder::withOverwrite);
        boolean dynamic = !table.primaryKeys().isEmpty() && table.coreOptions().bucket() == -1;
        try (BatchTableWrite write = builder.newWrite();
                BatchTableCommit commit = builder.newCommit();
                IOManager io = IOManager.create(folder.toString())) {
            write.withIOManager(io);
            Map<BinaryRow, Set<Integer>> written = new HashMap<>();
            for (GenericRow row : rows) {
                int bucket = dynamic ? row.getInt(1) % 3 : write.getBucket(row);
                write.write(row, bucket);
                written.computeIfAbsent(write.getPartition(row).copy(), day -> new HashSet<>())
                        .add(bucket);
            }
            if (compact) {
                for (Map.Entry<BinaryRow, Set<Integer>> day : written.entrySet()) {
                    for (int bucket : day.getValue()) {
                        write.compact(day.getKey(), bucket, true);
                    }
                }
            }
            commit.commit(write.prepareCommit());
        }
    }

    void truncate(String day) throws Exception {
        try (BatchTableCommit commit = open().newBatchWriteBuilder().newCommit()) {
            commit.truncatePartitions(List.of(Map.of("dt", day)));
        }
    }

    void compactManifests() throws Exception {
        try (BatchTableCommit commit = open().newBatchWriteBuilder().newCommit()) {
            commit.compactManifests();
        }
    }

    void alter(SchemaChange change) throws Exception {
        new SchemaManager(files, location).commitChanges(change);
    }

    /** Deletes all snapshots but the latest. */
    void expire() {
        open().newExpireSnapshots()
                .config(
                        ExpireConfig.builder()
                                .snapshotRetainMin(1)
                                .snapshotRetainMax(1)
                                .snapshotTimeRetain(Duration.ofMillis(1))
                                .build())
                .expire();
    }

    /** All files of the latest snapshot by Paimon's own scan. */
    List<ManifestEntry> paimonsFiles() {
        return open().store().newScan().withSnapshot(snapshot()).plan().files();
    }
}
