package io.stele.engine.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.engine.index.IndexEntryWriter;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.HashBucket;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.RowCache;
import io.stele.engine.row.TableVersions;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowMapping;
import io.stele.protocol.wire.WriteBatchReader;
import org.jspecify.annotations.Nullable;

/**
 * A writer of the rows of logged batches into a memtable, with their index entries. It writes all
 * rows of a batch, or the rows of one apply worker's hash bucket. The writer of a worker reads each
 * batch by itself and skips the keys of the other hash buckets.
 *
 * <p>Confined to its worker, or to code that runs while the apply workers are idle.
 */
final class BatchWriter {
    private static final byte[] NO_ROW_IDS = new byte[0];

    private final TableVersions versions;
    private final RowCache.Slice rowCache;
    private final HashBucket bucket;
    private final MemTable rows;
    private final IndexEntryWriter entries;

    BatchWriter(
            TableVersions versions,
            RowCache.Slice rowCache,
            HashBucket bucket,
            MemTable rows,
            IndexEntryWriter entries) {
        this.versions = requireNonNull(versions, "versions is null");
        this.rowCache = requireNonNull(rowCache, "rowCache is null");
        this.bucket = requireNonNull(bucket, "bucket is null");
        this.rows = requireNonNull(rows, "rows is null");
        this.entries = requireNonNull(entries, "entries is null");
    }

    /**
     * @param batch a batch of plain operations, whose cursor only this call moves
     * @param firstRowId row id of the first appended row of the whole batch
     * @param logLsn the LSN of the oldest log record that a replay of the rows needs
     * @return the row id after that of the last appended row of the whole batch
     */
    long write(WriteBatchReader batch, long lsn, long firstRowId, long logLsn) {
        RowMapping.Mapper mapper = mapper(batch);
        byte[] rowIds =
                versions.schema().hasPrimaryKey() || bucket.count() > 1
                        ? NO_ROW_IDS
                        : new byte[Long.BYTES * batch.operationCount()];
        int appended = 0;
        batch.rewind();
        while (batch.next()) {
            switch (batch.kind()) {
                case UPSERT -> {
                    if (has(batch)) {
                        upsert(batch, lsn, logLsn, mapper);
                    }
                }
                case DELETE -> {
                    if (has(batch)) {
                        delete(batch, lsn, logLsn);
                    }
                }
                case APPEND -> {
                    byte[] key = KeyEncoder.rowIdKey(firstRowId + appended);
                    if (bucket.count() == 1) {
                        System.arraycopy(key, 0, rowIds, Long.BYTES * appended, Long.BYTES);
                        append(batch, rowIds, Long.BYTES * appended, lsn, logLsn, mapper);
                    } else if (bucket.has(key, 0, key.length)) {
                        append(batch, key, 0, lsn, logLsn, mapper);
                    }
                    appended++;
                }
                case INSERT_IF_ABSENT, INSERT, UPDATE, UPDATE_OR_INSERT ->
                        throw new IllegalStateException(
                                "Expected a batch of plain operations, found " + batch.kind());
            }
        }
        entries.publish(lsn);
        return firstRowId + appended;
    }

    private boolean has(WriteBatchReader batch) {
        return bucket.has(batch.buffer(), batch.keyOffset(), batch.keyLength());
    }

    private void upsert(
            WriteBatchReader batch, long lsn, long logLsn, RowMapping.@Nullable Mapper mapper) {
        byte[] source = batch.buffer();
        RowCache.@Nullable Key changed =
                rowCache.beginChange(source, batch.keyOffset(), batch.keyLength());
        KeyedVersion version =
                inEffect(
                        KeyedVersion.live(
                                source,
                                batch.keyOffset(),
                                batch.keyLength(),
                                lsn,
                                source,
                                batch.rowOffset(),
                                batch.rowLength()),
                        mapper);
        rows.put(version, logLsn);
        entries.add(version);
        rowCache.endChange(changed);
    }

    private void append(
            WriteBatchReader batch,
            byte[] keys,
            int keyOffset,
            long lsn,
            long logLsn,
            RowMapping.@Nullable Mapper mapper) {
        rows.put(
                inEffect(
                        KeyedVersion.live(
                                keys,
                                keyOffset,
                                Long.BYTES,
                                lsn,
                                batch.buffer(),
                                batch.rowOffset(),
                                batch.rowLength()),
                        mapper),
                logLsn);
    }

    private void delete(WriteBatchReader batch, long lsn, long logLsn) {
        byte[] source = batch.buffer();
        RowCache.@Nullable Key changed =
                rowCache.beginChange(source, batch.keyOffset(), batch.keyLength());
        rows.put(KeyedVersion.deleted(source, batch.keyOffset(), batch.keyLength(), lsn), logLsn);
        rowCache.endChange(changed);
    }

    /** Maps the rows of a batch of an earlier version; null: they have the version in effect. */
    private RowMapping.@Nullable Mapper mapper(WriteBatchReader batch) {
        if (batch.schemaVersion() == versions.schemaVersion()) {
            return null;
        }
        RowMapping mapping = versions.mapping(batch.schemaVersion());
        return mapping.isSameBytes() ? null : mapping.mapper();
    }

    private static KeyedVersion inEffect(KeyedVersion version, RowMapping.@Nullable Mapper mapper) {
        return mapper == null
                ? version
                : version.withRow(
                        mapper.map(version.rowArray(), version.rowOffset(), version.rowLength()));
    }
}
