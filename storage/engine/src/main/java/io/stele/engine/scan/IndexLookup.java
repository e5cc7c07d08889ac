package io.stele.engine.scan;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.TableFiles;
import io.stele.engine.index.IndexKeys;
import io.stele.engine.index.IndexView;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.tablet.TableView;
import io.stele.objectstore.NonBlocking;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.schema.XxHash64;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A lookup of the rows whose index columns begin with given values, by a secondary index, as of an
 * LSN. It walks the index entries at or below the LSN and fetches the row of each entry as of the
 * LSN. Rows that have other values are left out. Immutable.
 */
public final class IndexLookup {
    /** Entries whose rows are fetched together. */
    private static final int PREFETCHED_ENTRIES = 256;

    /** Keys whose entries are read together to count them: the first keys may be enough. */
    private static final int COUNTED_KEYS = 64;

    private final TableFiles files;

    public IndexLookup(TableFiles files) {
        this.files = requireNonNull(files, "files is null");
    }

    /**
     * At most {@code limit} rows, prefix by prefix, and for each prefix by index columns, then
     * primary key. Blocks on files; index blocks for all prefixes are read together, and so are
     * rows.
     *
     * @param prefixes encoded values of the first index columns, with {@link IndexKeys#columns}
     * @param fromLsn rows below have expired
     */
    public List<FoundRow> find(
            TableView view,
            IndexView index,
            List<byte[]> prefixes,
            long lsn,
            long fromLsn,
            int limit)
            throws IOException {
        IndexKeys keys = index.keys();
        BinaryRow row = new BinaryRow(view.versions().layout());
        GrowingBytes buffer = IndexKeys.buffer();
        List<FoundRow> found = new ArrayList<>();
        try {
            Entries entries = new Entries(prefetched(files, index, prefixes), prefixes, lsn);
            while (found.size() < limit) {
                List<Entry> next = entries.next(Math.min(entriesARead(view), limit - found.size()));
                if (next.isEmpty()) {
                    break;
                }
                KeyLookup rows = lookup(view, next, lsn, fromLsn);
                for (Entry entry : next) {
                    byte[] bytes = rows.find(view, entry.key, entry.hash, lsn, fromLsn).bytes();
                    if (bytes != null
                            && keys.matches(row.wrap(bytes), entry.version, entry.prefix, buffer)) {
                        found.add(new FoundRow(entry.version.key(), bytes, entry.version.lsn()));
                    }
                }
            }
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        return found;
    }

    private static IndexView prefetched(TableFiles files, IndexView index, List<byte[]> prefixes)
            throws IOException {
        return NonBlocking.isActive() ? index : index.prefetched(prefixes, files.parallelReads());
    }

    /** The entries of some prefixes, one after the other, at or below an LSN. */
    private static final class Entries {
        private final IndexView index;
        private final Iterator<byte[]> prefixes;
        private final long lsn;
        private byte[] prefix = new byte[0];
        private Iterator<KeyedVersion> ofPrefix = Collections.emptyIterator();
        private @Nullable KeyedVersion last;

        private Entries(IndexView index, List<byte[]> prefixes, long lsn) {
            this.index = index;
            this.prefixes = prefixes.iterator();
            this.lsn = lsn;
        }

        /** The next {@code wanted} entries, or fewer if there are no more. */
        private List<Entry> next(int wanted) throws IOException {
            List<Entry> next = new ArrayList<>();
            while (next.size() < wanted && advance()) {
                KeyedVersion entry = ofPrefix.next();
                if (isNext(entry)) {
                    next.add(Entry.of(entry, prefix, index.keys()));
                }
            }
            return next;
        }

        /** The number of entries, counted up to a limit. */
        private long count(int limit) throws IOException {
            long count = 0;
            while (count < limit && advance()) {
                KeyedVersion entry = ofPrefix.next();
                if (isNext(entry)) {
                    count++;
                }
            }
            return count;
        }

        /** Several versions of a row have an entry each, the newest first. */
        private boolean isNext(KeyedVersion entry) {
            boolean isNext = entry.lsn() <= lsn && (last == null || last.compareKey(entry) != 0);
            if (isNext) {
                last = entry;
            }
            return isNext;
        }

        private boolean advance() throws IOException {
            while (!ofPrefix.hasNext() && prefixes.hasNext()) {
                prefix = prefixes.next();
                last = null;
                ofPrefix = index.entries(prefix);
            }
            return ofPrefix.hasNext();
        }
    }

    /**
     * The number of entries whose rows are fetched together; found rows are held in memory anyway.
     */
    private int entriesARead(TableView view) {
        return isPrefetching(view, PREFETCHED_ENTRIES) ? PREFETCHED_ENTRIES : 1;
    }

    private boolean isPrefetching(TableView view, int entries) {
        return KeyPrefetch.isUseful(files, view.schema(), entries) && !NonBlocking.isActive();
    }

    private KeyLookup lookup(TableView view, List<Entry> entries, long lsn, long fromLsn)
            throws IOException {
        if (!isPrefetching(view, entries.size())) {
            return new KeyLookup(files);
        }
        KeyPrefetch prefetch = new KeyPrefetch(files);
        entries.forEach(entry -> prefetch.add(view, entry.key, entry.hash, lsn, fromLsn));
        return new KeyLookup(files, prefetch.fetch());
    }

    /** An entry of the index, and the primary key that it belongs to. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Entry(KeyedVersion version, byte[] prefix, byte[] key, long hash) {
        static Entry of(KeyedVersion version, byte[] prefix, IndexKeys keys) {
            byte[] key = keys.primaryKey(version);
            return new Entry(version, prefix, key, XxHash64.hash(key, 0, key.length));
        }
    }

    /**
     * The number of entries that {@link #find} would check, each with a lookup by key; counted up
     * to {@code limit}. Blocks on files; reads the index blocks of several keys together.
     */
    public long count(IndexView index, List<byte[]> prefixes, long lsn, int limit)
            throws IOException {
        long count = 0;
        try {
            for (int first = 0; first < prefixes.size() && count < limit; first += COUNTED_KEYS) {
                int end = Math.min(prefixes.size(), first + COUNTED_KEYS);
                List<byte[]> some = prefixes.subList(first, end);
                IndexView read = prefetched(files, index, some);
                count += new Entries(read, some, lsn).count((int) (limit - count));
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
