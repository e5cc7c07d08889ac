package io.stele.storage.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.row.RowMapping;
import io.stele.storage.format.RowFileCursor;
import io.stele.storage.format.RowFileReader;
import io.stele.storage.format.RowVersion;
import io.stele.storage.manifest.FileEntry;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A row file of a table, or of one of its indexes, and its open reader; its rows are read as those
 * of one schema version, whichever they were written with. Immutable.
 */
public final class RowFile {
    private final FileEntry entry;
    private final RowFileReader reader;
    private final @Nullable RowMapping mapping; // null: entries of an index, which have no rows

    private RowFile(FileEntry entry, RowFileReader reader, @Nullable RowMapping mapping) {
        this.entry = requireNonNull(entry, "entry is null");
        this.reader = requireNonNull(reader, "reader is null");
        this.mapping = mapping;
    }

    /** A file whose rows are read as those of {@code versions}. */
    RowFile(FileEntry entry, RowFileReader reader, TableVersions versions) {
        this(entry, reader, mapping(entry, versions));
    }

    private static @Nullable RowMapping mapping(FileEntry entry, TableVersions versions) {
        return entry.indexId().isPresent() ? null : versions.mapping(entry.schemaVersion());
    }

    public FileEntry entry() {
        return entry;
    }

    /** The file itself, for its keys, entries of indexes and counts; not for rows of the table. */
    public RowFileReader reader() {
        return reader;
    }

    /** The same file under another manifest entry. */
    RowFile withEntry(FileEntry newEntry) {
        return new RowFile(newEntry, reader, mapping);
    }

    /** The same file, read as another version. */
    RowFile as(TableVersions versions) {
        RowMapping known = mapping;
        return known == null || known.to() == versions.layout()
                ? this
                : new RowFile(entry, reader, versions);
    }

    /**
     * The newest version of a key at or below {@code lsn}; null: none.
     *
     * @param hash {@link io.stele.protocol.schema.XxHash64} of the key
     */
    public @Nullable RowVersion find(byte[] key, long hash, long lsn) throws IOException {
        RowVersion version = reader.find(key, hash, lsn);
        return version == null ? null : mapped(version);
    }

    /** As {@link #find}. */
    public Optional<RowVersion> get(byte[] key, long lsn) throws IOException {
        return reader.get(key, lsn).map(this::mapped);
    }

    /** All versions, by key ascending, LSN descending. */
    public RowFileVersions versions() {
        RowFileCursor cursor = reader.cursor();
        RowMapping known = mapping;
        return known == null || known.isSameBytes()
                ? new RowFileVersions(cursor)
                : new RowFileVersions(cursor, known.mapper());
    }

    private RowVersion mapped(RowVersion version) {
        RowMapping known = mapping;
        if (known == null || known.isSameBytes() || version.deleted()) {
            return version;
        }
        byte[] row = known.mapper().map(version.array(), version.offset(), version.length());
        return new RowVersion(version.lsn(), false, row, 0, row.length);
    }
}
