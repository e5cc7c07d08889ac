package io.stele.engine.memtable;

import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.LsnOrder;
import io.stele.engine.row.MergingVersions;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The memtable of a table without a primary key: an array of rows by ascending row id, and a skip
 * list of tombstones and out-of-order rows.
 *
 * <p>Rows are in chunks that are never moved; a reader sees the first {@code size} rows, and {@code
 * size} is written after the row. A row is out of order, rarely, if its id was assigned before a
 * transaction overtook it.
 */
final class AppendMemTable extends CountedMemTable {
    private static final int CHUNK_BITS = 12;
    private static final int CHUNK_SIZE =
            1 << CHUNK_BITS; // 4,096 references: 16 KiB, allocated when needed

    private final ConcurrentSkipListMap<KeyedVersion, KeyedVersion> others =
            new ConcurrentSkipListMap<>();
    private KeyedVersion[][] chunks =
            new KeyedVersion[16][]; // written before size, so readers of size see it
    private volatile int size;

    AppendMemTable(int schemaVersion) {
        super(schemaVersion);
    }

    @Override
    public void put(KeyedVersion version, long logLsn) {
        totals().add(version, logLsn);
        if (version.isDeleted() || !follows(version)) {
            others.put(version, version);
        } else {
            append(version);
        }
    }

    @Override
    public @Nullable KeyedVersion find(byte[] key, int offset, int length, long lsn) {
        KeyedVersion probe = KeyedVersion.probe(key, offset, length, lsn);
        KeyedVersion other = others.ceilingKey(probe);
        if (other != null && other.hasKey(key, offset, length)) {
            return other;
        }
        KeyedVersion row = findRow(probe);
        return row != null && row.lsn() <= lsn ? row : null;
    }

    @Override
    public Iterator<KeyedVersion> versions() {
        if (others.isEmpty()) {
            return new RowIterator(size);
        }
        return new MergingVersions(List.of(others.values().iterator(), new RowIterator(size)));
    }

    @Override
    public Iterator<KeyedVersion> versionsBetween(long fromLsn, long toLsn) {
        int end = LsnOrder.firstAfter(index -> row(index).lsn(), 0, size, toLsn);
        int first = LsnOrder.firstAfter(index -> row(index).lsn(), 0, end, fromLsn);
        Iterator<KeyedVersion> rows =
                IntStream.range(first, end)
                        .mapToObj(this::row)
                        .filter(row -> !others.containsKey(row)) // else deleted at its own LSN
                        .iterator();
        return others.isEmpty()
                ? rows
                : new ChainedVersions(List.of(others.values().iterator(), rows));
    }

    private void append(KeyedVersion version) {
        int index = size;
        int chunk = index >>> CHUNK_BITS;
        if (chunk == chunks.length) {
            KeyedVersion[][] grown = new KeyedVersion[chunks.length * 2][];
            System.arraycopy(chunks, 0, grown, 0, chunks.length);
            chunks = grown;
        }
        if ((index & (CHUNK_SIZE - 1)) == 0) {
            chunks[chunk] = new KeyedVersion[CHUNK_SIZE];
        }
        chunks[chunk][index & (CHUNK_SIZE - 1)] = version;
        size = index + 1;
    }

    private boolean follows(KeyedVersion version) {
        return size == 0 || row(size - 1).compareKey(version) < 0;
    }

    private KeyedVersion row(int index) {
        return chunks[index >>> CHUNK_BITS][index & (CHUNK_SIZE - 1)];
    }

    private @Nullable KeyedVersion findRow(KeyedVersion probe) {
        int low = 0;
        int high = size - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = row(middle).compareKey(probe);
            if (order == 0) {
                return row(middle);
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return null;
    }

    private final class RowIterator implements Iterator<KeyedVersion> {
        private final int limit;
        private int next;

        private RowIterator(int limit) {
            this.limit = limit;
        }

        @Override
        public boolean hasNext() {
            return next < limit;
        }

        @Override
        public KeyedVersion next() {
            if (next >= limit) {
                throw new NoSuchElementException("No row after " + limit);
            }
            return row(next++);
        }
    }
}
