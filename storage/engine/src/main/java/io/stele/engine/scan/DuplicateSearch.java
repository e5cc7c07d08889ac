package io.stele.engine.scan;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.TableFiles;
import io.stele.engine.index.IndexKeys;
import io.stele.engine.index.IndexView;
import io.stele.engine.row.KeyText;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.tablet.TableView;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.XxHash64;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A search for two rows with equal values in the columns of a unique index, as of an LSN, when the
 * index is built. It walks all entries of the index. Where entries of several primary keys have the
 * same prefix, it fetches their rows.
 *
 * <p>It is exact at the LSN, except that it may miss a pair whose rows changed after the LSN. Such
 * a pair is no longer a duplicate, if changes after the LSN were checked. Confined to one thread at
 * a time.
 */
public final class DuplicateSearch {
    /** Entries checked in one step: about a second. */
    private static final int STEP_ENTRIES = 1 << 20;

    private final TableSchema schema;
    private final KeyLookup rows;
    private final TableView view;
    private final IndexKeys keys;
    private final long lsn;
    private final long fromLsn;
    private final BinaryRow row;
    private final GrowingBytes buffer = IndexKeys.buffer();
    private final IndexView index;
    private @Nullable Iterator<KeyedVersion> entries; // from the first step on

    // The state of the entries with the column values of the last one:
    private byte @Nullable [] columns;
    private byte @Nullable [] lastKey;
    private boolean single; // only one primary key so far, whose row was not read
    private boolean ignored; // one of the values is null

    /** Primary keys by values, of the rows that were found to have them. */
    private final Map<ByteBuffer, byte[]> holders = new HashMap<>();

    /**
     * @param view taken when every row at {@code lsn} had its entries
     * @param index of the view
     * @param fromLsn rows below have expired
     */
    public DuplicateSearch(
            TableFiles files, TableView view, IndexView index, long lsn, long fromLsn) {
        this.schema = view.schema();
        this.rows = new KeyLookup(files);
        this.view = view;
        this.keys = index.keys();
        this.lsn = lsn;
        this.fromLsn = fromLsn;
        this.row = new BinaryRow(view.versions().layout());
        this.index = index;
    }

    /**
     * Does a part of the search.
     *
     * @return whether there is more
     * @throws SteleException DUPLICATE_KEY when two rows have equal values
     */
    public boolean step() throws IOException {
        Iterator<KeyedVersion> left = entries == null ? index.allEntries() : entries;
        entries = left;
        try {
            for (int i = 0; i < STEP_ENTRIES && left.hasNext(); i++) {
                KeyedVersion entry = left.next();
                if (entry.lsn() <= lsn) {
                    add(entry);
                }
            }
            return left.hasNext();
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    private void add(KeyedVersion entry) throws IOException {
        int length = keys.columnBytes(entry.keyArray(), entry.keyOffset(), entry.keyLength());
        byte[] primaryKey = keys.primaryKey(entry);
        byte[] begun = columns;
        if (begun == null || !begins(entry, length, begun)) {
            columns =
                    Arrays.copyOfRange(
                            entry.keyArray(), entry.keyOffset(), entry.keyOffset() + length);
            lastKey = primaryKey;
            single = true;
            ignored = false;
            holders.clear();
            return;
        }
        byte[] before = requireNonNull(lastKey);
        if (ignored || Arrays.equals(primaryKey, before)) {
            return;
        }
        lastKey = primaryKey;
        if (single) {
            single = false;
            ignored = keys.hasNull(begun);
            if (ignored) {
                return;
            }
            hold(before);
        }
        hold(primaryKey);
    }

    /** Notes the values of the row of a key; throws when another row has equal values. */
    private void hold(byte[] primaryKey) throws IOException {
        long hash = XxHash64.hash(primaryKey, 0, primaryKey.length);
        byte[] bytes = rows.find(view, primaryKey, hash, lsn, fromLsn).bytes();
        if (bytes == null) {
            return;
        }
        Optional<byte[]> values = keys.uniqueValues(row.wrap(bytes), buffer);
        if (values.isEmpty() || !begins(values.get(), requireNonNull(columns))) {
            return;
        }
        byte[] other = holders.put(ByteBuffer.wrap(values.get()), primaryKey);
        if (other != null) {
            throw duplicate(values.get(), other, primaryKey);
        }
    }

    private SteleException duplicate(byte[] values, byte[] one, byte[] other) {
        KeyEncoder primaryKeys = KeyEncoder.forPrimaryKey(schema);
        return new SteleException(
                ErrorCode.DUPLICATE_KEY,
                "Expected unique values for index '%s' of table %s, found the duplicate key %s in the rows %s and %s"
                        .formatted(
                                keys.index().name(),
                                schema.qualifiedName(),
                                KeyText.of(keys.columns(), values),
                                KeyText.of(primaryKeys, one),
                                KeyText.of(primaryKeys, other)));
    }

    private static boolean begins(KeyedVersion entry, int length, byte[] begun) {
        return length == begun.length && entry.startsWith(begun);
    }

    // An entry has the values as they are, or the first of them.
    private static boolean begins(byte[] values, byte[] begun) {
        return Arrays.equals(IndexKeys.entryPrefix(values), begun);
    }
}
