package io.stele.sidecar.postgresql.run;

import io.stele.protocol.SteleException;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.PartialRowLayout;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.RowRouter;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.ShardRouter;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.postgresql.plan.Computation;
import io.stele.sidecar.postgresql.plan.Scope;
import io.stele.sidecar.postgresql.type.ColumnValues;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * An encoder of one table's rows and keys from values, which also finds their shards. Confined to
 * one thread.
 */
final class RowBuilder {
    private static final byte[] NO_KEY = new byte[0];

    private final TableSchema table;
    private final RowLayout layout;
    private final @Nullable KeyEncoder keys;
    private final Optional<KeyEncoder> distribution;
    private final Optional<RowRouter> sharedRouter;
    // Made when they are needed first, which is never in a lookup
    private @Nullable RowRouter router;
    private @Nullable RowEncoder encoder;

    RowBuilder(TableSchema table) {
        TableCodecs codecs = TableCodecs.of(table);
        this.table = table;
        this.layout = codecs.layout();
        this.keys = codecs.keys().orElse(null);
        this.distribution = codecs.distribution();
        this.sharedRouter = codecs.router();
    }

    TableSchema table() {
        return table;
    }

    RowLayout layout() {
        return layout;
    }

    BinaryRow view(byte[] row) {
        return new BinaryRow(layout).wrap(row);
    }

    /** The value of a column as the table stores it; null for NULL. */
    @Nullable Object columnValue(int column, Computation value, Scope scope) {
        Object found = value.evaluate(scope);
        ColumnSchema schema = table.columns().get(column);
        return found == null
                ? null
                : ColumnValues.toColumn(
                        schema.type(), found, scope.session().zone(), schema.name());
    }

    /** A row of values, one a column. */
    byte[] row(List<? extends @Nullable Object> values) {
        try {
            RowEncoder rows = encoder;
            if (rows == null) {
                rows = new RowEncoder(layout);
                encoder = rows;
            }
            Rows.encode(rows, values);
            return rows.finishToArray();
        } catch (SteleException refused) {
            throw ColumnValues.refused(refused);
        }
    }

    /** A row of the values of some columns, by position, in table order. */
    byte[] partialRow(PartialRowLayout partial, List<? extends @Nullable Object> values) {
        try {
            RowEncoder some = new RowEncoder(partial.layout());
            int length = Rows.encode(some, values);
            byte[] bytes = new byte[partial.headBytes() + length];
            int head = partial.writeHead(bytes, 0);
            System.arraycopy(some.array(), 0, bytes, head, length);
            return bytes;
        } catch (SteleException refused) {
            throw ColumnValues.refused(refused);
        }
    }

    PartialRowLayout partialLayout(List<Integer> columns) {
        List<Integer> ids = new ArrayList<>();
        columns.forEach(column -> ids.add(table.columns().get(column).id()));
        return PartialRowLayout.of(table, ids);
    }

    /** The primary key of a row; empty in a table without one. */
    byte[] keyOf(BinaryRow row) {
        return keys == null ? NO_KEY : keys.encode(row);
    }

    /** The primary key of values in key order; of fewer values the first bytes of such keys. */
    byte[] key(List<? extends @Nullable Object> values) {
        if (keys == null) {
            throw new IllegalStateException("Expected a table with a primary key");
        }
        return keys.encodeObjects(values);
    }

    /** The shard of a row; a random one in a table without a distribution key. */
    int shardOf(BinaryRow row) {
        return sharedRouter.isEmpty()
                ? ThreadLocalRandom.current().nextInt(table.shardCount())
                : router().shardOfRow(row);
    }

    /** The shard of the rows with these values in the distribution columns, which there must be. */
    int shardOfDistribution(List<? extends @Nullable Object> values) {
        return ShardRouter.shard(table, distribution.orElseThrow().encodeObjects(values));
    }

    int shardOfKey(byte[] key) {
        return router().shardOfKey(key);
    }

    private RowRouter router() {
        RowRouter own = router;
        if (own == null) {
            own =
                    sharedRouter
                            .map(RowRouter::copy)
                            .orElseThrow(
                                    () ->
                                            new IllegalStateException(
                                                    "Expected a table with a distribution key"));
            router = own;
        }
        return own;
    }
}
