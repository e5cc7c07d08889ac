package io.stele.engine.datafile;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.RowVersion;
import io.stele.columnfile.index.SstFileCursor;
import io.stele.columnfile.index.SstFileReader;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.RangeTombstone;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.TableVersions;
import io.stele.objectstore.SequentialReads;
import io.stele.protocol.row.RowMapping;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * An SST file of a table, or of one of its indexes, with its lazily opened reader. Its rows are
 * read in one schema version, independent of the one with which they were written. Reads apply the
 * range tombstones that are newer than the file. Immutable.
 */
public final class SstFile {
    private static final byte[] NO_ROW = {};

    private final FileEntry entry;
    private final LazyReader<SstFileReader> reader;
    private final @Nullable RowMapping mapping; // null: a file of index entries
    private final List<RangeTombstone> tombstones; // not yet applied in the file; by LSN

    private SstFile(
            FileEntry entry,
            LazyReader<SstFileReader> reader,
            @Nullable RowMapping mapping,
            List<RangeTombstone> tombstones) {
        this.entry = requireNonNull(entry, "entry is null");
        this.reader = requireNonNull(reader, "reader is null");
        this.mapping = mapping;
        this.tombstones = List.copyOf(tombstones);
    }

    /** A file whose rows are read in the schema version of {@code versions}. */
    SstFile(FileEntry entry, LazyReader<SstFileReader> reader, TableVersions versions) {
        this(entry, reader, mapping(entry, versions), List.of());
    }

    private static @Nullable RowMapping mapping(FileEntry entry, TableVersions versions) {
        return entry.indexId().isPresent() ? null : versions.mapping(entry.schemaVersion());
    }

    public FileEntry entry() {
        return entry;
    }

    /**
     * The reader of the stored file, for keys, index entries and counts. It must not be used for
     * rows, since it applies neither mapping nor tombstones. Blocks if the file is not open.
     */
    public SstFileReader reader() throws IOException {
        return reader.get();
    }

    /** The reader of the stored file, not necessarily open. */
    public LazyReader<SstFileReader> lazyReader() {
        return reader;
    }

    /**
     * The number of tombstones and of versions with a newer version in the file; empty if it was
     * never open. Does not read the file.
     */
    public OptionalLong staleCount() {
        long known = reader.staleCount();
        return known == LazyReader.UNKNOWN ? OptionalLong.empty() : OptionalLong.of(known);
    }

    /** The same file with another reader. */
    public SstFile withReader(SstFileReader other) {
        return new SstFile(entry, LazyReader.of(other), mapping, tombstones);
    }

    /** The same file under another manifest entry. */
    public SstFile withEntry(FileEntry newEntry) {
        return new SstFile(newEntry, reader, mapping, tombstones);
    }

    /** The same file, read in another schema version. */
    public SstFile as(TableVersions versions) {
        RowMapping known = mapping;
        return known == null || known.to() == versions.layout()
                ? this
                : new SstFile(entry, reader, mapping(entry, versions), tombstones);
    }

    /**
     * The same file after deletions of partitions; this object if no tombstone changes.
     *
     * @param all range tombstones of the table, by LSN; tombstones that are applied in the file or
     *     concern no row of it are ignored
     */
    public SstFile withTombstones(List<RangeTombstone> all, TableSchema schema) {
        if (all.isEmpty() && tombstones.isEmpty()) {
            return this;
        }
        List<RangeTombstone> open = all.stream().filter(end -> isOpen(end, schema)).toList();
        return open.equals(tombstones) ? this : new SstFile(entry, reader, mapping, open);
    }

    private boolean isOpen(RangeTombstone end, TableSchema schema) {
        long lsn = end.lsn().value();
        return entry.minLsn().value() < lsn
                && entry.endsLsn().orElse(0) < lsn
                && (!schema.hasPrimaryKey()
                        || PartitionMatcher.ofKeys(schema, end.partitions())
                                .mayMatchBetween(minKey(), maxKey()));
    }

    /** The range tombstones that may delete rows of the file and are not yet applied in it. */
    public List<RangeTombstone> tombstones() {
        return tombstones;
    }

    /** The LSN up to which range tombstones are applied in a file that is written from this one. */
    public OptionalLong appliedTombstonesLsn() {
        return tombstones.isEmpty()
                ? entry.endsLsn()
                : OptionalLong.of(
                        Math.max(entry.endsLsn().orElse(0), tombstones.getLast().lsn().value()));
    }

    /** Whether range tombstones at or below {@code lsn} are not yet applied in the file. */
    public boolean hasTombstonesBy(long lsn) {
        return !tombstones.isEmpty() && tombstones.getFirst().lsn().value() <= lsn;
    }

    /** Whether range tombstones at or below {@code lsn} delete all rows; does not read the file. */
    public boolean isObsoleteAt(long lsn, TableSchema schema) {
        return tombstones.stream()
                .anyMatch(
                        end ->
                                end.lsn().value() <= lsn
                                        && entry.maxLsn().compareTo(end.lsn()) < 0
                                        && coversAll(end, schema));
    }

    private boolean coversAll(RangeTombstone end, TableSchema schema) {
        return end.partitions().isAll()
                || (schema.hasPrimaryKey()
                        && PartitionMatcher.ofKeys(schema, end.partitions())
                                .matchesAllBetween(minKey(), maxKey()));
    }

    private byte[] minKey() {
        return entry.minKey().orElseThrow();
    }

    private byte[] maxKey() {
        return entry.maxKey().orElseThrow();
    }

    /** The highest LSN of the file's versions and of the tombstones applied to them. */
    public long newestLsn() {
        return Math.max(
                entry.maxLsn().value(),
                tombstones.isEmpty() ? 0 : tombstones.getLast().lsn().value());
    }

    /**
     * The newest version of a key at or below {@code lsn}; null if there is none.
     *
     * @param hash {@link io.stele.protocol.schema.XxHash64} of the key
     */
    public @Nullable RowVersion find(byte[] key, long hash, long lsn) throws IOException {
        RowVersion version = reader.get().find(key, hash, lsn);
        return version == null ? null : ended(mapped(version), lsn);
    }

    /** As {@link #find}. */
    public Optional<RowVersion> get(byte[] key, long lsn) throws IOException {
        return reader.get().get(key, lsn).map(version -> ended(mapped(version), lsn));
    }

    /** All versions, by key ascending, LSN descending. */
    public Iterator<KeyedVersion> versions() throws IOException {
        return versions(reader.get().cursor());
    }

    /** As {@link #versions()}, with prefetching, for a compaction. */
    public Iterator<KeyedVersion> versions(SequentialReads reads) throws IOException {
        return versions(reader.get().cursor(reads));
    }

    /**
     * As {@link #versions()}, from the newest version of the first key at or after {@code key} on;
     * blocks that are read are cached.
     */
    public Iterator<KeyedVersion> versionsFrom(byte[] key) throws IOException {
        SstFileCursor cursor = reader.get().cachedCursor();
        return cursor.seek(key) ? versions(cursor, true) : Collections.emptyIterator();
    }

    private Iterator<KeyedVersion> versions(SstFileCursor cursor) {
        return versions(cursor, false);
    }

    /**
     * @param isOnFirst whether the cursor is on the first version already
     */
    private Iterator<KeyedVersion> versions(SstFileCursor cursor, boolean isOnFirst) {
        RowMapping known = mapping;
        SstFileVersions versions =
                known == null || known.isSameBytes()
                        ? new SstFileVersions(cursor, null, isOnFirst)
                        : new SstFileVersions(cursor, known.mapper(), isOnFirst);
        return known == null || tombstones.isEmpty()
                ? versions
                : new TombstonedVersions(versions, tombstones, known.to());
    }

    private RowVersion mapped(RowVersion version) {
        RowMapping known = mapping;
        if (known == null || known.isSameBytes() || version.deleted()) {
            return version;
        }
        byte[] row = known.mapper().map(version.array(), version.offset(), version.length());
        return new RowVersion(version.lsn(), false, row, 0, row.length);
    }

    private RowVersion ended(RowVersion version, long lsn) {
        RowMapping known = mapping;
        if (tombstones.isEmpty() || known == null || version.deleted()) {
            return version;
        }
        long end =
                new TombstonedVersions.RangeTombstones(tombstones, known.to())
                        .after(version.lsn(), version.array(), version.offset(), version.length());
        return end == TombstonedVersions.RangeTombstones.NONE || end > lsn
                ? version
                : new RowVersion(end, true, NO_ROW, 0, 0);
    }
}
