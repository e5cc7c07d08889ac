package io.stele.storage.scan;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.schema.XxHash64;
import io.stele.storage.objectstore.NonBlocking;
import io.stele.storage.tablet.IndexKeys;
import io.stele.storage.tablet.IndexView;
import io.stele.storage.tablet.KeyedVersion;
import io.stele.storage.tablet.TableFiles;
import io.stele.storage.tablet.TableView;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the rows whose index columns begin with given values, as of an LSN: walks the entries at or
 * below it, fetches each entry's row as of the LSN, and leaves out rows that have other values.
 * Immutable.
 */
public final class IndexLookup {
    /** Entries whose rows are fetched together from a store that is far away. */
    private static final int PREFETCHED_ENTRIES = 256;

    private final TableFiles files;

    public IndexLookup(TableFiles files) {
        this.files = requireNonNull(files, "files is null");
    }

    /**
     * At most {@code limit} rows by index columns, then primary key. Blocks on files.
     *
     * @param prefix encoded values of the first index columns, with {@link IndexKeys#columns}
     * @param fromLsn rows below have expired
     */
    public List<FoundRow> find(
            TableView view, IndexView index, byte[] prefix, long lsn, long fromLsn, int limit)
            throws IOException {
        IndexKeys keys = index.keys();
        BinaryRow row = new BinaryRow(view.versions().layout());
        GrowingBytes buffer = IndexKeys.buffer();
        List<FoundRow> found = new ArrayList<>();
        List<Entry> next = new ArrayList<>();
        try {
            Iterator<KeyedVersion> entries = index.entries(prefix);
            @Nullable KeyedVersion last = null;
            while (found.size() < limit && entries.hasNext()) {
                int wanted = Math.min(entriesARead(), limit - found.size());
                next.clear();
                while (next.size() < wanted && entries.hasNext()) {
                    KeyedVersion entry = entries.next();
                    if (entry.lsn() <= lsn && (last == null || last.compareKey(entry) != 0)) {
                        last = entry;
                        next.add(Entry.of(entry, keys));
                    }
                }
                KeyLookup rows = lookup(view, next, lsn, fromLsn);
                for (Entry entry : next) {
                    byte[] bytes = rows.find(view, entry.key, entry.hash, lsn, fromLsn).bytes();
                    if (bytes != null
                            && keys.matches(row.wrap(bytes), entry.version, prefix, buffer)) {
                        found.add(new FoundRow(entry.version.key(), bytes, entry.version.lsn()));
                    }
                }
            }
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        return found;
    }

    /** Whose rows are fetched together: what is found is held in memory anyway. */
    private int entriesARead() {
        return isPrefetching() ? PREFETCHED_ENTRIES : 1;
    }

    private boolean isPrefetching() {
        return KeyPrefetch.isUseful(files) && !NonBlocking.isActive();
    }

    private KeyLookup lookup(TableView view, List<Entry> entries, long lsn, long fromLsn)
            throws IOException {
        if (!isPrefetching()) {
            return new KeyLookup(files);
        }
        KeyPrefetch prefetch = new KeyPrefetch(files);
        entries.forEach(entry -> prefetch.add(view, entry.key, entry.hash, lsn, fromLsn));
        return new KeyLookup(files, prefetch.fetch());
    }

    /** An entry of the index and the primary key that it is of. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Entry(KeyedVersion version, byte[] key, long hash) {
        static Entry of(KeyedVersion version, IndexKeys keys) {
            byte[] key = keys.primaryKey(version);
            return new Entry(version, key, XxHash64.hash(key, 0, key.length));
        }
    }

    /**
     * How many entries {@link #find} would look at, each of which costs a lookup by key; counts no
     * further than {@code limit}. Blocks on files.
     */
    public static long count(IndexView index, byte[] prefix, long lsn, long limit)
            throws IOException {
        long count = 0;
        try {
            Iterator<KeyedVersion> entries = index.entries(prefix);
            @Nullable KeyedVersion last = null;
            while (count < limit && entries.hasNext()) {
                KeyedVersion entry = entries.next();
                if (entry.lsn() <= lsn && (last == null || last.compareKey(entry) != 0)) {
                    last = entry;
                    count++;
                }
            }
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        return count;
    }

    /**
     * A row that was found.
     *
     * @param entry the index columns and the primary key, in the order of the index
     * @param lsn of the row's version: each version that has the values has its entry
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record FoundRow(byte[] entry, byte[] row, long lsn) {}
}
