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
 * The order of the rows within a column file: by clustering key, then by key, newest version first;
 * of a table without a clustering key by key alone. No read depends on this order, since the key
 * indexes of clustered files have the place of each row. It produces stripes that a predicate can
 * skip. Confined to one thread.
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

    /** Room for some columns of any row, encoded. */
    static GrowingBytes buffer(String what) {
        return new GrowingBytes(64, MAX_BYTES, ErrorCode.KEY_TOO_LARGE, what);
    }

    /** Whether files of the table have an order of their own. */
    public static boolean isClustered(TableShard table) {
        return !table.schema().clusteringKey().isEmpty();
    }

    /** A version in its place, with the LSN from which it is not visible. */
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
     * A row on its way into a file.
     *
     * @param endLsn {@link RetainedVersions#PRESENT} if it is visible
     */
    public record Placed(byte[] clusteringKey, KeyedVersion version, long endLsn) {
        public static final Comparator<Placed> ORDER =
                Comparator.comparing(Placed::clusteringKey, Arrays::compareUnsigned)
                        .thenComparing(Placed::version);
    }
}
