package io.stele.storage.scan;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.schema.XxHash64;
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
        KeyLookup rows = new KeyLookup(files);
        BinaryRow row = new BinaryRow(view.versions().layout());
        GrowingBytes buffer = IndexKeys.buffer();
        List<FoundRow> found = new ArrayList<>();
        try {
            Iterator<KeyedVersion> entries = index.entries(prefix);
            @Nullable KeyedVersion last = null;
            while (found.size() < limit && entries.hasNext()) {
                KeyedVersion entry = entries.next();
                if (entry.lsn() > lsn || (last != null && last.compareKey(entry) == 0)) {
                    continue;
                }
                last = entry;
                byte[] key = keys.primaryKey(entry);
                long hash = XxHash64.hash(key, 0, key.length);
                byte[] bytes = rows.find(view, key, hash, lsn, fromLsn).bytes();
                if (bytes != null && keys.matches(row.wrap(bytes), entry, prefix, buffer)) {
                    found.add(new FoundRow(entry.key(), bytes, entry.lsn()));
                }
            }
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        return found;
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
