package io.stele.engine.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.RowFileCursor;
import io.stele.columnfile.index.RowFileReader;
import io.stele.columnfile.index.RowVersion;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.PartitionEnd;
import io.stele.objectstore.SequentialReads;
import io.stele.protocol.row.RowMapping;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * An SST file of a table, or of one of its indexes, with its lazily opened reader. Its rows are
 * read in one schema version, independent of the one with which they were written. Range tombstones
 * that are newer than the file are applied to them. Immutable.
 */
public final class RowFile {
    private static final byte[] NO_ROW = {};

    private final FileEntry entry;
    private final LazyReader<RowFileReader> reader;
    private final @Nullable RowMapping mapping; // null: entries of an index, which have no rows
    private final List<PartitionEnd> ends; // that the file does not show; by LSN

    private RowFile(
            FileEntry entry,
            LazyReader<RowFileReader> reader,
            @Nullable RowMapping mapping,
            List<PartitionEnd> ends) {
        this.entry = requireNonNull(entry, "entry is null");
        this.reader = requireNonNull(reader, "reader is null");
        this.mapping = mapping;
        this.ends = List.copyOf(ends);
    }

    /** A file whose rows are read as those of {@code versions}. */
    RowFile(FileEntry entry, LazyReader<RowFileReader> reader, TableVersions versions) {
        this(entry, reader, mapping(entry, versions), List.of());
    }

    private static @Nullable RowMapping mapping(FileEntry entry, TableVersions versions) {
        return entry.indexId().isPresent() ? null : versions.mapping(entry.schemaVersion());
    }

    public FileEntry entry() {
        return entry;
    }

    /**
     * The file itself, for its keys, entries of indexes and counts; not for rows of the table.
     * Blocks if it is not open.
     */
    public RowFileReader reader() throws IOException {
        return reader.get();
    }

    /** The same, to be opened. */
    public LazyReader<RowFileReader> lazyReader() {
        return reader;
    }

    /** The same file, read by another reader of it. */
    public RowFile withReader(RowFileReader other) {
        return new RowFile(entry, LazyReader.of(other), mapping, ends);
    }

    /** The same file under another manifest entry. */
    RowFile withEntry(FileEntry newEntry) {
        return new RowFile(newEntry, reader, mapping, ends);
    }

    /** The same file, read as another version. */
    RowFile as(TableVersions versions) {
        RowMapping known = mapping;
        return known == null || known.to() == versions.layout()
                ? this
                : new RowFile(entry, reader, mapping(entry, versions), ends);
    }

    /**
     * The same file after deletions of partitions; itself if none of them is news to it.
     *
     * @param all of the table, by LSN: those that the file shows or has no rows for are left out
     */
    RowFile withEnds(List<PartitionEnd> all, TableSchema schema) {
        if (all.isEmpty() && ends.isEmpty()) {
            return this;
        }
        List<PartitionEnd> open = all.stream().filter(end -> isOpen(end, schema)).toList();
        return open.equals(ends) ? this : new RowFile(entry, reader, mapping, open);
    }

    private boolean isOpen(PartitionEnd end, TableSchema schema) {
        long lsn = end.lsn().value();
        return entry.minLsn().value() < lsn
                && entry.endsLsn().orElse(0) < lsn
                && (!schema.hasPrimaryKey()
                        || PartitionMatcher.ofKeys(schema, end.partitions())
                                .mayMatchBetween(minKey(), maxKey()));
    }

    /**
     * Deletions of partitions that some rows of the file may have ended by, and it does not show.
     */
    List<PartitionEnd> ends() {
        return ends;
    }

    /** Of a file that is written from this one: the deletions at or below are in it. */
    OptionalLong shownEndsLsn() {
        return ends.isEmpty()
                ? entry.endsLsn()
                : OptionalLong.of(
                        Math.max(entry.endsLsn().orElse(0), ends.getLast().lsn().value()));
    }

    /** Whether some rows may have ended by {@code lsn} that still look as if they had not. */
    boolean hasEndsBy(long lsn) {
        return !ends.isEmpty() && ends.getFirst().lsn().value() <= lsn;
    }

    /** Whether all rows have ended by {@code lsn}, which needs no look into the file. */
    boolean hasEnded(long lsn, TableSchema schema) {
        return ends.stream()
                .anyMatch(
                        end ->
                                end.lsn().value() <= lsn
                                        && entry.maxLsn().compareTo(end.lsn()) < 0
                                        && coversAll(end, schema));
    }

    private boolean coversAll(PartitionEnd end, TableSchema schema) {
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

    /** No change in the file is above this LSN. */
    public long newestLsn() {
        return Math.max(entry.maxLsn().value(), ends.isEmpty() ? 0 : ends.getLast().lsn().value());
    }

    /**
     * The newest version of a key at or below {@code lsn}; null: none.
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

    /** The same for a compaction, which reads ahead. */
    Iterator<KeyedVersion> versions(SequentialReads reads) throws IOException {
        return versions(reader.get().cursor(reads));
    }

    private Iterator<KeyedVersion> versions(RowFileCursor cursor) {
        RowMapping known = mapping;
        RowFileVersions versions =
                known == null || known.isSameBytes()
                        ? new RowFileVersions(cursor)
                        : new RowFileVersions(cursor, known.mapper());
        return known == null || ends.isEmpty()
                ? versions
                : new EndedVersions(versions, ends, known.to());
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
        if (ends.isEmpty() || known == null || version.deleted()) {
            return version;
        }
        long end =
                new EndedVersions.Ends(ends, known.to())
                        .after(version.lsn(), version.array(), version.offset(), version.length());
        return end == EndedVersions.Ends.NONE || end > lsn
                ? version
                : new RowVersion(end, true, NO_ROW, 0, 0);
    }
}
