package io.stele.engine.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.engine.index.IndexMemTable;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.KeyedVersion;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A memtable that waits for its flush, with the worker files that were ingested before it was
 * sealed, and the later changes of its keys.
 *
 * <p>A later change must mark the row in the column file that the flush writes, which does not
 * exist yet, so the change is noted here. Confined to the shard's execution context, except for the
 * memtable itself.
 */
public final class SealedMemTable {
    private final MemTable memTable;
    private final Map<String, IngestedFile> ingested; // by file id
    private final Map<Integer, List<IndexMemTable>> indexes;
    private final long sealLsn;
    private final long endedLogLsn;
    private final List<ObsoleteKey> obsolete = new ArrayList<>();

    /**
     * @param ingested by file id
     * @param indexes the entries of the rows, by index id
     * @param sealLsn every change of the table at or below is in this memtable, or an older one, or
     *     in files
     * @param endedLogLsn the oldest log record of a range tombstone on files, which the manifest of
     *     the flush will store; {@code Long.MAX_VALUE}: none
     */
    SealedMemTable(
            MemTable memTable,
            Map<String, IngestedFile> ingested,
            Map<Integer, List<IndexMemTable>> indexes,
            long sealLsn,
            long endedLogLsn) {
        this.memTable = requireNonNull(memTable, "memTable is null");
        this.ingested = new LinkedHashMap<>(ingested);
        this.indexes = Map.copyOf(indexes);
        this.sealLsn = sealLsn;
        this.endedLogLsn = endedLogLsn;
    }

    public MemTable memTable() {
        return memTable;
    }

    public Collection<IngestedFile> ingested() {
        return Collections.unmodifiableCollection(ingested.values());
    }

    boolean hasIngested(String fileId) {
        return ingested.containsKey(fileId);
    }

    public Map<Integer, List<IndexMemTable>> indexes() {
        return indexes;
    }

    public long sealLsn() {
        return sealLsn;
    }

    /** The lowest log LSN that a replay of these changes needs. */
    long minLogLsn() {
        long lowest = Math.min(memTable.minLogLsn(), endedLogLsn);
        for (IngestedFile file : ingested.values()) {
            lowest = Math.min(lowest, file.logLsn());
        }
        return lowest;
    }

    /** If the key has a row here, notes that it became obsolete at {@code lsn}. */
    void markObsolete(byte[] key, long lsn) {
        if (hasRow(key)) {
            obsolete.add(new ObsoleteKey(key, lsn));
        }
    }

    /** Whether the key's newest version here is a row; any thread. */
    boolean hasRow(byte[] key) {
        KeyedVersion version = memTable.find(key, 0, key.length, Long.MAX_VALUE);
        return version != null && !version.isDeleted();
    }

    public List<ObsoleteKey> obsolete() {
        return obsolete;
    }

    /** From {@code lsn} on the key's row of the sealed memtable is not visible. */
    @SuppressWarnings("ArrayRecordComponent")
    public // never compared
    record ObsoleteKey(byte[] key, long lsn) {}

    /** A worker's file in effect that no manifest names yet. */
    public record IngestedFile(FileEntry entry, long logLsn) {}
}
