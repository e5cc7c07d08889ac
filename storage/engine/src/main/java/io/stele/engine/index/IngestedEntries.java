package io.stele.engine.index;

import io.stele.columnfile.orc.ColumnFileCursor;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.row.KeyedVersion;
import io.stele.objectstore.SequentialReads;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;

/**
 * The creation of index entries for a Trino worker's column file when it takes effect, which reads
 * the whole file once and blocks. Stateless; runs on the shard's execution context.
 */
public final class IngestedEntries {
    private static final int PUBLISH_BYTES = 256 << 10; // memtable arrays of a useful size

    private IngestedEntries() {}

    public static void add(
            TableFiles files, ColumnFile file, TableSchema schema, IndexEntryWriter indexes)
            throws IOException {
        KeyEncoder keys = KeyEncoder.forPrimaryKey(schema);
        long lsn = file.entry().minLsn().value();
        try (SequentialReads reads = files.sequentialReads();
                ColumnFileCursor cursor = files.openRows(file, reads)) {
            while (cursor.advance()) {
                BinaryRow row = cursor.row();
                byte[] key = keys.encode(row);
                indexes.add(row, key, 0, key.length);
                if (indexes.pendingBytes() >= PUBLISH_BYTES) {
                    indexes.publish(lsn);
                }
            }
        }
        indexes.publish(lsn);
    }

    /** The same of an SST file, whose rows are read in the schema version of the table. */
    public static void add(
            TableFiles files, SstFile file, TableSchema schema, IndexEntryWriter indexes)
            throws IOException {
        BinaryRow row = new BinaryRow(RowLayout.of(schema.columns()));
        long lsn = file.entry().minLsn().value();
        try (SequentialReads reads = files.sequentialReads()) {
            for (Iterator<KeyedVersion> rows = file.versions(reads); rows.hasNext(); ) {
                KeyedVersion version = rows.next();
                row.wrap(version.rowArray(), version.rowOffset(), version.rowLength());
                indexes.add(row, version.keyArray(), version.keyOffset(), version.keyLength());
                if (indexes.pendingBytes() >= PUBLISH_BYTES) {
                    indexes.publish(lsn);
                }
            }
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        indexes.publish(lsn);
    }
}
