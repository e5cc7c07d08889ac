package io.stele.storage.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowMapping;
import io.stele.protocol.schema.XxHash64;
import io.stele.storage.format.DeleteVector;
import io.stele.storage.format.KeyIndexProbe;
import io.stele.storage.format.KeyIndexReader;
import io.stele.storage.manifest.FileEntry;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A column file of a table: what the manifest says of it, its key index, and the delete vector that
 * grows as its rows are superseded.
 *
 * <p>Rows are found by key index; only worker-written files of tables without a primary key have
 * none, because there the ordinal is the row id less the first one.
 *
 * <p>Rows are read as those of one schema version, whichever they were written with.
 *
 * <p>The delete vector has one writer, the shard's execution context; everything else is immutable.
 */
public final class ColumnFile {
    /** No row of the file has the key. */
    public static final int ABSENT = KeyIndexReader.ABSENT;

    private final FileEntry entry;
    private final @Nullable KeyIndexReader keyIndex;
    private final DeleteVector deletes;
    private final RowMapping mapping;

    /**
     * @param versions the version that rows are read as
     */
    public ColumnFile(
            FileEntry entry,
            Optional<KeyIndexReader> keyIndex,
            DeleteVector deletes,
            TableVersions versions) {
        this(entry, keyIndex, deletes, versions.mapping(entry.schemaVersion()));
    }

    private ColumnFile(
            FileEntry entry,
            Optional<KeyIndexReader> keyIndex,
            DeleteVector deletes,
            RowMapping mapping) {
        this.mapping = requireNonNull(mapping, "mapping is null");
        this.entry = requireNonNull(entry, "entry is null");
        this.keyIndex = keyIndex.orElse(null);
        this.deletes = requireNonNull(deletes, "deletes is null");
        if (this.keyIndex == null && entry.firstRowId().isEmpty()) {
            throw new IllegalArgumentException(
                    "Expected a key index or a first row id, found neither for " + entry.path());
        }
    }

    public FileEntry entry() {
        return entry;
    }

    public DeleteVector deletes() {
        return deletes;
    }

    /** The key index; empty where rows are found by row id. */
    public Optional<KeyIndexReader> keyIndex() {
        return Optional.ofNullable(keyIndex);
    }

    /** The same file, its rows found by another reader of its key index. */
    public ColumnFile withKeyIndex(KeyIndexReader index) {
        return new ColumnFile(entry, Optional.of(index), deletes, mapping);
    }

    /** The same file after the manifest's entry for it changed. */
    public ColumnFile withEntry(FileEntry newEntry) {
        return new ColumnFile(newEntry, keyIndex(), deletes, mapping);
    }

    /** The same file, read as another version. */
    ColumnFile as(TableVersions versions) {
        return mapping.to() == versions.layout()
                ? this
                : new ColumnFile(
                        entry, keyIndex(), deletes, versions.mapping(entry.schemaVersion()));
    }

    /** From the rows of the file to those that readers want. */
    RowMapping mapping() {
        return mapping;
    }

    /** How many rows a reader at {@code lsn} must skip. */
    long deletedAt(long lsn) {
        return deletes.cardinalityAt(lsn);
    }

    /** Whether a reader at {@code lsn} sees none of the rows: of history files, as a rule. */
    public boolean hasEnded(long lsn) {
        return deletes.cardinalityAt(lsn) == entry.rowCount();
    }

    /** The ordinal of the newest version of the key in this file, or {@link #ABSENT}. */
    public int find(byte[] key) throws IOException {
        return find(key, XxHash64.hash(key, 0, key.length));
    }

    /**
     * As {@link #find(byte[])}.
     *
     * @param hash {@link XxHash64} of the key
     */
    public int find(byte[] key, long hash) throws IOException {
        if (keyIndex != null) {
            return entry.mayContain(key) ? keyIndex.find(key, hash) : ABSENT;
        }
        long ordinal = KeyEncoder.rowId(key, 0, key.length) - entry.firstRowId().getAsLong();
        return ordinal >= 0 && ordinal < entry.rowCount() ? (int) ordinal : ABSENT;
    }

    /**
     * If a row of the file has the key and is at or below {@code lsn}, marks it as ended at {@code
     * lsn}; a row that ended before stays as it is.
     *
     * <p>A file can hold rows above {@code lsn} only while the log is replayed over an ingested
     * file that a manifest already names; such a file has one LSN.
     */
    void supersede(byte[] key, long lsn) throws IOException {
        int ordinal = hasRowsToEnd(lsn) ? find(key) : ABSENT;
        if (ordinal != ABSENT) {
            deletes.delete(ordinal, lsn);
        }
    }

    /**
     * As {@link #supersede(byte[], long)} for each of the keys.
     *
     * @param lsns of the batches that the keys are of, ascending
     */
    void supersede(ProbeKeys keys, long[] lsns) throws IOException {
        FoundRows found = new FoundRows(keys, lsns.length);
        findSuperseded(keys, lsns[lsns.length - 1], found);
        for (int batch = 0; batch < lsns.length; batch++) {
            if (entry.minLsn().value() <= lsns[batch]) {
                deletes.deleteAll(found.ordinals[batch], found.counts[batch], lsns[batch]);
            }
        }
    }

    /**
     * The rows that {@link #supersede(ProbeKeys, long[])} would mark, one by one; any thread.
     *
     * @param lsn the highest of the keys' batches
     */
    void findSuperseded(ProbeKeys keys, long lsn, Found found) throws IOException {
        if (!hasRowsToEnd(lsn)) {
            return;
        }
        if (keyIndex == null) {
            for (int i = 0; i < keys.count(); i++) {
                tell(i, find(keys.key(i)), found);
            }
            return;
        }
        KeyIndexProbe probe = keyIndex.probe();
        int end = keys.firstAfter(entry.maxKey());
        for (int i = keys.firstAtOrAfter(entry.minKey()); i < end; i++) {
            tell(i, probe.find(keys.key(i), keys.hash(i)), found);
        }
    }

    private static void tell(int key, int ordinal, Found found) {
        if (ordinal != ABSENT) {
            found.accept(key, ordinal);
        }
    }

    /** Takes rows that keys were found to have. */
    @FunctionalInterface
    interface Found {
        /**
         * @param key position among the keys
         */
        void accept(int key, int ordinal);
    }

    private boolean hasRowsToEnd(long lsn) {
        return entry.minLsn().value() <= lsn && !hasEnded(lsn);
    }

    /** Ends every row that is there at {@code lsn}, which is above all of them. */
    void endAll(long lsn) {
        if (entry.minLsn().value() <= lsn) { // else it is newer, and the log is replayed
            deletes.endAll(Math.toIntExact(entry.rowCount()), lsn);
        }
    }

    /** What batches end of this file. */
    private static final class FoundRows implements Found {
        private final ProbeKeys keys;
        private final int[][] ordinals; // by batch
        private final int[] counts;

        private FoundRows(ProbeKeys keys, int batches) {
            this.keys = keys;
            this.ordinals = new int[batches][16];
            this.counts = new int[batches];
        }

        @Override
        public void accept(int key, int ordinal) {
            int batch = keys.batch(key);
            int count = counts[batch]++;
            if (count == ordinals[batch].length) {
                ordinals[batch] = Arrays.copyOf(ordinals[batch], 2 * count);
            }
            ordinals[batch][count] = ordinal;
        }
    }
}
