package io.stele.engine.memtable;

import static java.util.Objects.requireNonNull;

import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.TableVersions;
import io.stele.protocol.row.RowMapping;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * A read-only view of a memtable of an earlier schema version, which maps each row to a later
 * version when it is read.
 */
public final class MappedMemTable implements MemTable {
    private final MemTable written;
    private final RowMapping mapping;

    private MappedMemTable(MemTable written, RowMapping mapping) {
        this.written = requireNonNull(written, "written is null");
        this.mapping = requireNonNull(mapping, "mapping is null");
    }

    /** The memtable, read in a schema version; itself if its rows need not be mapped. */
    public static MemTable of(MemTable table, TableVersions versions) {
        MemTable written = table instanceof MappedMemTable mapped ? mapped.written : table;
        if (written.schemaVersion() == versions.schemaVersion()) {
            return written;
        }
        RowMapping mapping = versions.mapping(written.schemaVersion());
        if (mapping.isSameBytes()) {
            return written;
        }
        boolean mappedAlready =
                table instanceof MappedMemTable mapped && mapped.mapping.to() == mapping.to();
        return mappedAlready ? table : new MappedMemTable(written, mapping);
    }

    @Override
    public void put(KeyedVersion version, long logLsn) {
        throw new IllegalStateException(
                "Expected no more rows in a memtable of schema version " + schemaVersion());
    }

    @Override
    public @Nullable KeyedVersion find(byte[] key, int offset, int length, long lsn) {
        KeyedVersion version = written.find(key, offset, length, lsn);
        return version == null ? null : map(version, mapping.mapper());
    }

    @Override
    public Iterator<KeyedVersion> versions() {
        return mapped(written.versions());
    }

    @Override
    public Iterator<KeyedVersion> versionsBetween(long fromLsn, long toLsn) {
        return mapped(written.versionsBetween(fromLsn, toLsn));
    }

    @Override
    public Iterator<KeyedVersion> versionsFrom(byte[] key) {
        return mapped(written.versionsFrom(key));
    }

    @Override
    public byte @Nullable [] keyBelow(byte @Nullable [] end, int versions) {
        return written.keyBelow(end, versions);
    }

    private Iterator<KeyedVersion> mapped(Iterator<KeyedVersion> versions) {
        RowMapping.Mapper mapper = mapping.mapper();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return versions.hasNext();
            }

            @Override
            public KeyedVersion next() {
                return map(versions.next(), mapper);
            }
        };
    }

    private static KeyedVersion map(KeyedVersion version, RowMapping.Mapper mapper) {
        if (version.isDeleted()) {
            return version;
        }
        return version.withRow(
                mapper.map(version.rowArray(), version.rowOffset(), version.rowLength()));
    }

    @Override
    public int schemaVersion() {
        return written.schemaVersion();
    }

    @Override
    public long sizeBytes() {
        return written.sizeBytes();
    }

    @Override
    public long versionCount() {
        return written.versionCount();
    }

    @Override
    public long olderVersionCount() {
        return written.olderVersionCount();
    }

    @Override
    public long minLogLsn() {
        return written.minLogLsn();
    }

    @Override
    public long maxLsn() {
        return written.maxLsn();
    }
}
