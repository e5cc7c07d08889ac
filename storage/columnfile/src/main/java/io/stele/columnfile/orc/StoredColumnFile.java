package io.stele.columnfile.orc;

import io.stele.protocol.Lsn;
import io.stele.protocol.api.scan.IndexedMetadata;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The description of a stored column file that its readers need, as in its manifest entry: path,
 * size, rows and the place of its metadata. Immutable.
 *
 * <p>Invariant: a file without a column {@code _lsn} has {@code ingestLsn}.
 */
public interface StoredColumnFile {
    String path();

    /** Exact size; readers refuse a file of another size. */
    long sizeBytes();

    /** Rows in the file, deleted ones included. */
    long rowCount();

    /** The LSN of every row of a file that has no column {@code _lsn}. */
    Optional<Lsn> ingestLsn();

    /** The row id of row 0, if the file has no column {@code _row_id}. */
    OptionalLong firstRowId();

    /** Block size of the checksums beside the file; empty if there are none. */
    OptionalInt checksumBlockBytes();

    /**
     * The place of its metadata, which include its checksums; empty if the checksums are beside the
     * file, or it has none.
     */
    Optional<IndexedMetadata> indexedMetadata();

    /** The path of its key index, for messages; empty if it has none. */
    Optional<String> keyIndexPath();
}
