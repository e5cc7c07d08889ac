package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.orc.ColumnFileCursor;
import io.stele.columnfile.orc.ColumnFileReader;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.index.IndexView;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import io.stele.engine.scan.KeyPrefetch;
import io.stele.engine.shard.record.PreparedPart;
import io.stele.engine.shard.write.BatchProbes;
import io.stele.engine.shard.write.KeySlice;
import io.stele.engine.shard.write.UniqueIndexCheck;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.Lsn;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowMapping;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * A prefetcher of the file blocks that the commit of a transaction reads in one shard, before the
 * shard's log is held. {@link ConflictCheck} and {@link PartResolution} read these blocks while the
 * log is held, and {@link TableShard#ingest} reads them on the shard's context. So a slow store
 * delays this commit and no other writes, as far as the blocks fit into the cache. The keys of
 * workers' files themselves are read on the context.
 *
 * <p>It is only a hint. Its results are not used, since other writes may change the rows until the
 * log is held, and a block that is no longer cached is read again. Immutable; {@link #run} blocks
 * and may be called by any thread.
 */
final class CommitPrefetch {
    /** 8 MiB of batches of a part and table: blocks for more would evict each other. */
    private static final long MAX_BYTES = 8 << 20;

    /**
     * 32 MiB of other files' key indexes, for all files of a part and table: more would be evicted.
     */
    private static final long MAX_INGEST_BYTES = 32 << 20;

    /** Portions of {@link KeyPrefetch#keysAFetch} lookups each, whose rows need some 16 MiB. */
    private static final int MAX_PORTIONS = 16;

    private final TableFiles files;

    CommitPrefetch(TableFiles files) {
        this.files = requireNonNull(files, "files is null");
    }

    /**
     * Whether reading ahead is worth its cost: a local disk answers at once, and a part without
     * batches and files is not checked against the rows of the table.
     */
    boolean isUseful(PreparedPart part) {
        return files.parallelReads().isParallel()
                && (!part.batches().isEmpty() || !part.files().isEmpty());
    }

    /**
     * Reads the blocks that the check of a part needs of one table.
     *
     * @throws IOException when the store fails; the check fails in turn if that persists
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
        Portions portions = new Portions(table);
        for (WriteBatchReader batch : batches) {
            portions.add(batch);
        }
        portions.addRowsOf(part.files());
        portions.read();
        long ingestLeft = MAX_INGEST_BYTES;
        for (FileEntry entry : part.files()) {
            if (entry.tableId().equals(table.schema().id())
                    && entry.kind() == FileKind.COLUMN
                    && ingestLeft > 0) {
                ColumnFile file =
                        files.openColumn(
                                entry.withIngest(Lsn.MIN, OptionalLong.empty()), table.versions());
                ingestLeft -= table.prefetchIngest(files, file, ingestLeft);
            }
        }
    }

    /** Lookups of keys and values, so many at a time that their rows fit into memory. */
    private final class Portions {
        private final TableShard table;
        private final BatchProbes probes;
        private final BinaryRow row;
        private final int portion;
        private int added;
        private int left = MAX_PORTIONS;

        private Portions(TableShard table) {
            this.table = table;
            this.probes = new BatchProbes(table.schema(), files, checks(table));
            this.row = new BinaryRow(table.layout());
            this.portion = KeyPrefetch.keysAFetch(table.view());
            probes.require(table.view());
        }

        private void add(WriteBatchReader batch) throws IOException {
            batch.rewind();
            while (left > 0 && batch.next()) {
                if (batch.kind().isConditional()) {
                    KeySlice key =
                            new KeySlice(batch.buffer(), batch.keyOffset(), batch.keyLength());
                    probes.addRow(batch, key);
                    added();
                }
                // The whole rows of partial updates are not known yet
                if (batch.kind().hasRow() && !batch.kind().isPartial()) {
                    row.wrap(batch.buffer(), batch.rowOffset(), batch.rowLength());
                    add(row);
                }
            }
        }

        private void add(BinaryRow added) throws IOException {
            if (!probes.checks().isEmpty()) {
                probes.addValues(added);
                added();
            }
        }

        private void addRowsOf(List<FileEntry> entries) throws IOException {
            if (probes.checks().isEmpty()) {
                return;
            }
            for (FileEntry entry : entries) {
                if (entry.tableId().equals(table.schema().id())
                        && entry.kind() == FileKind.COLUMN) {
                    addRowsOf(entry);
                }
            }
        }

        private void addRowsOf(FileEntry entry) throws IOException {
            RowMapping mapping = table.versions().mapping(entry.schemaVersion());
            ColumnFileReader rows =
                    ColumnFileReader.open(
                            files.store(),
                            entry.withIngest(Lsn.MIN, OptionalLong.empty()),
                            mapping.from().columns());
            try (ColumnFileCursor cursor = rows.cursor(mapping)) {
                while (left > 0 && cursor.advance()) {
                    add(cursor.row());
                }
            }
        }

        private void added() throws IOException {
            added++;
            if (added == portion) {
                read();
            }
        }

        private void read() throws IOException {
            added = 0;
            left--;
            if (probes.hasOpen()) {
                probes.takeOpen().answer();
            }
        }
    }

    /**
     * New checks for the calling thread: the checks of {@link UniqueIndexChecks} are confined to
     * the context.
     */
    private static List<UniqueIndexCheck> checks(TableShard table) {
        return table.view().indexes().stream()
                .filter(index -> index.keys().index().unique())
                .map(IndexView::indexId)
                .map(id -> new UniqueIndexCheck(table, id))
                .toList();
    }
}
