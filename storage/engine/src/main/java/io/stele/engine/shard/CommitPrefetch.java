package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.orc.ColumnFileCursor;
import io.stele.columnfile.orc.ColumnFileReader;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.tablet.IndexView;
import io.stele.engine.tablet.TableFiles;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.Lsn;
import io.stele.protocol.row.RowMapping;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * A prefetcher of the file blocks that the commit of a prepared transaction reads in one shard: by
 * {@link ConflictCheck} and {@link PartResolution}. These run while the shard's log is held, and
 * find in memory what was read here before the hold. So a slow store delays this commit and no
 * other writes.
 *
 * <p>It is only a hint. What it found is not used, since other writes may change it until the log
 * is held, and a block that is no longer cached is read again. Immutable; {@link #run} blocks and
 * may be called by any thread.
 */
final class CommitPrefetch {
    /** 32 MiB of rows of a part and table: blocks for more would drive out each other. */
    private static final long MAX_BYTES = 32 << 20;

    private final TableFiles files;

    CommitPrefetch(TableFiles files) {
        this.files = requireNonNull(files, "files is null");
    }

    /**
     * Whether it is worth to read ahead: a local disk answers at once, and a part without batches
     * is not checked against the rows of the table.
     */
    boolean isUseful(PreparedPart part) {
        return files.parallelReads().isParallel()
                && (!part.batches().isEmpty() || !part.files().isEmpty());
    }

    /**
     * Reads what the check of a part needs of one table.
     *
     * @throws IOException of the store; the check meets it again if it persists
     */
    void run(PreparedPart part, TableShard table) throws IOException {
        if (!table.schema().hasPrimaryKey()) {
            return;
        }
        List<WriteBatchReader> batches = new ArrayList<>();
        long left = MAX_BYTES;
        for (WriteBatchReader batch : part.batches()) {
            // A batch of an older schema version is mapped at its commit
            if (batch.tableId().equals(table.schema().id())
                    && batch.schemaVersion() == table.schema().schemaVersion()
                    && batch.sizeBytes() <= left) {
                left -= batch.sizeBytes();
                batches.add(
                        new WriteBatchReader(batch.buffer(), batch.offset(), batch.sizeBytes()));
            }
        }
        if (part.readLsn().isPresent()) {
            new ConflictCheck(files).prefetch(table, batches, part.readLsn().get().value());
        }
        List<UniqueIndexCheck> checks = checks(table);
        BatchProbes probes = new BatchProbes(table.schema(), files, checks);
        probes.require(table.view());
        for (WriteBatchReader batch : batches) {
            probes.addRows(batch, key -> false);
            probes.addValues(batch, table.layout());
        }
        if (!checks.isEmpty()) {
            addWorkerRows(part, table, probes, left);
        }
        if (probes.hasOpen()) {
            probes.takeOpen().answer();
        }
    }

    /** Those of a thread of their own: {@link WriteResolver#checks} are the context's. */
    private static List<UniqueIndexCheck> checks(TableShard table) {
        return table.view().indexes().stream()
                .filter(index -> index.keys().index().unique())
                .map(IndexView::indexId)
                .map(id -> new UniqueIndexCheck(table, id))
                .toList();
    }

    private void addWorkerRows(
            PreparedPart part, TableShard table, BatchProbes probes, long maxBytes)
            throws IOException {
        long left = maxBytes;
        for (FileEntry entry : part.files()) {
            if (!entry.tableId().equals(table.schema().id())) {
                continue;
            }
            RowMapping mapping = table.versions().mapping(entry.schemaVersion());
            ColumnFileReader rows =
                    ColumnFileReader.open(
                            files.store(),
                            entry.withIngest(Lsn.MIN, OptionalLong.empty()),
                            mapping.from().columns());
            try (ColumnFileCursor cursor = rows.cursor(mapping)) {
                while (left > 0 && cursor.advance()) {
                    probes.addValues(cursor.row());
                    left -= cursor.row().length();
                }
            }
        }
    }
}
