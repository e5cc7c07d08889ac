package io.stele.engine.compaction.output;

import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.RetainedVersions;
import io.stele.engine.row.TableVersions;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.TableSchema;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * The sort order of rows within a column file: by clustering key, if there is one, then by primary
 * key or row id, newest first. No read depends on this order, since the key index of a clustered
 * file has the position of each row. It lets scans skip stripes by their statistics. Confined to
 * one thread.
 */
public final class ClusteringOrder {
    // Zero bytes of text are doubled, and each column has markers.
    private static final int MAX_BYTES = 3 * RowLayout.MAX_STORED_ROW_BYTES;
    private static final byte[] NONE = new byte[0];

    private final BinaryRow row;
    private final @Nullable KeyEncoder encoder;
    private final GrowingBytes bytes = buffer("clustering key");

    /**
     * @param versions the schema version of the rows
     */
    public ClusteringOrder(TableVersions versions) {
        TableSchema schema = versions.schema();
        this.row = new BinaryRow(versions.layout());
        this.encoder =
                schema.clusteringKey().isEmpty()
                        ? null
                        : KeyEncoder.forColumns(schema, schema.clusteringKey());
    }

    /** A buffer for the encoded values of some columns of any row. */
    static GrowingBytes buffer(String what) {
        return new GrowingBytes(64, MAX_BYTES, ErrorCode.KEY_TOO_LARGE, what);
    }

    /** Whether the files of a table are sorted by a clustering key. */
    public static boolean isClustered(TableShard table) {
        return !table.schema().clusteringKey().isEmpty();
    }

    /**
     * A version with its clustering key, to be sorted, and with the LSN from which it is not
     * visible.
     */
    public Placed place(KeyedVersion version, long endLsn) {
        return new Placed(clusteringKey(version), version, endLsn);
    }

    private byte[] clusteringKey(KeyedVersion version) {
        if (encoder == null) {
            return NONE;
        }
        row.wrap(version.rowArray(), version.rowOffset(), version.rowLength());
        bytes.clear();
        encoder.encode(row, bytes);
        return bytes.toByteArray();
    }

    /**
     * A row to be sorted and written into a file.
     *
     * @param endLsn the LSN from which the row is not visible; {@link RetainedVersions#PRESENT} if
     *     it is
     */
    public record Placed(byte[] clusteringKey, KeyedVersion version, long endLsn) {
        public static final Comparator<Placed> ORDER =
                Comparator.comparing(Placed::clusteringKey, Arrays::compareUnsigned)
                        .thenComparing(Placed::version);
    }
}
