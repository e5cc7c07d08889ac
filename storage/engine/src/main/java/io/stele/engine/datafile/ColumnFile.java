package io.stele.engine.datafile;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.KeyIndexProbe;
import io.stele.columnfile.index.KeyIndexReader;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.row.ProbeKeys;
import io.stele.engine.row.TableVersions;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.WouldBlockException;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowMapping;
import io.stele.protocol.schema.XxHash64;
import java.io.IOException;
import java.util.Optional;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An open column file of a table: its manifest entry, its lazily opened key index, and its deletion
 * vector, which grows as rows become obsolete.
 *
 * <p>Rows are found by key index. Only worker-written files of tables without a primary key have no
 * key index, because there the ordinal is the row id minus the first row id.
 *
 * <p>Rows are read in one schema version, independent of the one with which they were written.
 *
 * <p>The deletion vector has one writer, the shard's execution context; everything else is
 * immutable.
 */
public final class ColumnFile {
    /** The result if no row of the file has the key. */
    public static final int ABSENT = KeyIndexReader.ABSENT;

    private final FileEntry entry;
    private final @Nullable LazyReader<KeyIndexReader> keyIndex;
    private final DeletionVector deletes;
    private final RowMapping mapping;

    /**
     * @param versions the schema version in which rows are read
     */
    public ColumnFile(
            FileEntry entry,
            Optional<LazyReader<KeyIndexReader>> keyIndex,
            DeletionVector deletes,
            TableVersions versions) {
        this(entry, keyIndex, deletes, versions.mapping(entry.schemaVersion()));
    }

    private ColumnFile(
            FileEntry entry,
            Optional<LazyReader<KeyIndexReader>> keyIndex,
            DeletionVector deletes,
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

    public DeletionVector deletes() {
        return deletes;
    }

    /** Whether rows are found by a key index, and not by row id. */
    public boolean hasKeyIndex() {
        return keyIndex != null;
    }

    /** The smallest key; the file has a key index. */
    public byte[] minKey() {
        return entry.minKey().orElseThrow();
    }

    /** The greatest key; the file has a key index. */
    public byte[] maxKey() {
        return entry.maxKey().orElseThrow();
    }

    /** The key index, which must exist; blocks if it is not open. */
    public KeyIndexReader keyIndex() throws IOException {
        return requireNonNull(keyIndex, "the file has no key index").get();
    }

    /** The key index, not necessarily open; empty if there is none. */
    public Optional<LazyReader<KeyIndexReader>> lazyKeyIndex() {
        return Optional.ofNullable(keyIndex);
    }

    /** The same file with another reader of its key index. */
    public ColumnFile withKeyIndex(KeyIndexReader index) {
        return new ColumnFile(entry, Optional.of(LazyReader.of(index)), deletes, mapping);
    }

    /** The same file after the manifest's entry for it changed. */
    public ColumnFile withEntry(FileEntry newEntry) {
        return new ColumnFile(newEntry, lazyKeyIndex(), deletes, mapping);
    }

    /** The same file, read in another schema version. */
    public ColumnFile as(TableVersions versions) {
        return mapping.to() == versions.layout()
                ? this
                : new ColumnFile(
                        entry, lazyKeyIndex(), deletes, versions.mapping(entry.schemaVersion()));
    }

    /** The mapping of the file's rows to the schema version in which they are read. */
    public RowMapping mapping() {
        return mapping;
    }

    /** The number of rows that a reader at {@code lsn} must skip. */
    public long deletedAt(long lsn) {
        return deletes.cardinalityAt(lsn);
    }

    /** Whether a reader at {@code lsn} sees none of the rows, as is usual for history files. */
    public boolean isObsoleteAt(long lsn) {
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
            return entry.mayContain(key) ? keyIndex.get().find(key, hash) : ABSENT;
        }
        long ordinal = KeyEncoder.rowId(key, 0, key.length) - entry.firstRowId().getAsLong();
        return ordinal >= 0 && ordinal < entry.rowCount() ? (int) ordinal : ABSENT;
    }

    /**
     * Finds the rows of the file that have one of the keys, unless all rows are obsolete or newer
     * at {@code lsn}; any thread. Blocks.
     *
     * <p>A file can hold rows above {@code lsn} only while the log is replayed over an ingested
     * file that a manifest already lists; such a file has one LSN.
     *
     * @param lsn the highest LSN of the keys' batches
     */
    void find(ProbeKeys keys, long lsn, Found found) throws IOException {
        if (!hasRowsToEnd(lsn)) {
            return;
        }
        if (keyIndex == null) {
            for (int i = 0; i < keys.count(); i++) {
                report(i, find(keys.key(i)), found);
            }
            return;
        }
        int first = keys.firstAtOrAfter(entry.minKey());
        int end = keys.firstAfter(entry.maxKey());
        if (first >= end) {
            return;
        }
        KeyIndexProbe probe = keyIndex.get().probe();
        for (int i = first; i < end; i++) {
            report(i, probe.find(keys.key(i), keys.hash(i)), found);
        }
    }

    /**
     * As {@link #find(ProbeKeys, long, Found)}, for the keys that can be decided without a read, if
     * the file has a key index.
     *
     * @param left receives the positions of the other keys, ascending
     */
    void findInMemory(ProbeKeys keys, long lsn, Found found, IntConsumer left) throws IOException {
        if (keyIndex == null || !hasRowsToEnd(lsn)) {
            find(keys, lsn, found);
            return;
        }
        int first = keys.firstAtOrAfter(entry.minKey());
        int end = keys.firstAfter(entry.maxKey());
        Optional<KeyIndexReader> index = keyIndex.find();
        if (index.isEmpty()) {
            for (int i = first; i < end; i++) {
                left.accept(i);
            }
            return;
        }
        KeyIndexProbe probe = index.get().probeFar();
        int leftPart = -1; // if a part is missing, all its keys are left, to save further attempts
        for (int i = first; i < end; i++) {
            byte[] key = keys.key(i);
            if (leftPart >= 0 && probe.part(key) == leftPart) {
                left.accept(i);
                continue;
            }
            try {
                long hash = keys.hash(i);
                report(i, NonBlocking.read(() -> probe.find(key, hash)), found);
            } catch (WouldBlockException missing) {
                leftPart = probe.part(key);
                left.accept(i);
            }
        }
    }

    private static void report(int key, int ordinal, Found found) {
        if (ordinal != ABSENT) {
            found.accept(key, ordinal);
        }
    }

    /** A receiver of the rows that were found. */
    @FunctionalInterface
    interface Found {
        /**
         * @param key position of the key among the searched keys
         */
        void accept(int key, int ordinal);
    }

    private boolean hasRowsToEnd(long lsn) {
        return entry.minLsn().value() <= lsn && !isObsoleteAt(lsn);
    }

    /**
     * Marks all rows of the file as deleted from {@code lsn} on, which must be above their LSNs;
     * does nothing for a newer file.
     */
    public void endAll(long lsn) {
        if (entry.minLsn().value() <= lsn) { // else the file is newer, during replay of the log
            deletes.endAll(Math.toIntExact(entry.rowCount()), lsn);
        }
    }
}
