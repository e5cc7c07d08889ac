package io.stele.engine.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.KeyIndexSearch;
import io.stele.engine.row.HashBucket;
import io.stele.engine.row.ProbeKeys;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of column files, and of memtables being flushed to column files, that the batches of an
 * apply worker make obsolete. The worker finds them, and may read files to do so. The shard's
 * context marks them later in the order of the log, which deletion vectors require.
 *
 * <p>Confined to the worker until it has handed the finished batches to the shard's context.
 */
public final class ObsoleteRows {
    private final HashBucket bucket;
    private final List<Mark> marks = new ArrayList<>();

    public ObsoleteRows(HashBucket bucket) {
        this.bucket = requireNonNull(bucket, "bucket is null");
    }

    /** A row that becomes obsolete. */
    private sealed interface Mark {
        long lsn();

        void set();
    }

    private record InFile(ColumnFile file, int ordinal, @Override long lsn) implements Mark {
        @Override
        public void set() {
            file.deletes().delete(ordinal, lsn);
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record InMemory(SealedMemTable sealed, byte[] key, @Override long lsn) implements Mark {
        @Override
        public void set() {
            sealed.markObsolete(key, lsn);
        }
    }

    /**
     * Finds the rows that a batch makes obsolete; none of them is added if a file cannot be read.
     *
     * @param sealed memtables that are being flushed into column files
     */
    void find(
            KeyIndexSearch search,
            WriteBatchReader batch,
            List<ColumnFile> files,
            List<SealedMemTable> sealed,
            long lsn)
            throws IOException {
        int known = marks.size();
        ProbeKeys keys = ProbeKeys.of(batch, bucket);
        try {
            search.find(
                    files,
                    keys,
                    lsn,
                    (file, key, ordinal) -> marks.add(new InFile(files.get(file), ordinal, lsn)));
        } catch (IOException | RuntimeException unread) {
            marks.subList(known, marks.size()).clear();
            throw unread;
        }
        for (SealedMemTable table : sealed) {
            for (int i = 0; i < keys.count(); i++) {
                if (table.hasRow(keys.key(i))) {
                    marks.add(new InMemory(table, keys.key(i), lsn));
                }
            }
        }
    }

    /**
     * Marks the rows that several workers found, in the order of the log; on the shard's context.
     */
    public static void mark(List<ObsoleteRows> byWorker) {
        List<Mark> all = new ArrayList<>();
        byWorker.forEach(rows -> all.addAll(rows.marks));
        all.sort((one, other) -> Long.compare(one.lsn(), other.lsn()));
        all.forEach(Mark::set);
    }
}
