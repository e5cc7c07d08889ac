package io.stele.client;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.ShardRouter;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * A client's iterator over the rows of a key range, merged from the pages of all shards in the
 * order of the keys. It blocks until a page has arrived, and prefetches the next page of each
 * shard. Confined to one thread.
 *
 * <p>A table whose columns are changed while it is scanned fails the scan with STALE_TABLE.
 */
public final class RowScan implements Iterator<List<@Nullable Object>>, AutoCloseable {
    private final RowLayout layout;
    private final BinaryRow view;
    private final PriorityQueue<ShardPages> shards =
            new PriorityQueue<>(Comparator.comparing(ShardPages::key, Arrays::compareUnsigned));
    private long left;
    private @Nullable ShardPages taken; // whose row was returned, to be advanced next

    private RowScan(TableSchema schema, long limit) {
        this.layout = RowLayout.of(schema.columns());
        this.view = new BinaryRow(layout);
        this.left = limit;
    }

    static RowScan open(
            SteleClient client,
            CachedTable table,
            List<? extends @Nullable Object> prefix,
            ScanOptions options) {
        TableSchema schema = table.schema();
        if (!schema.hasPrimaryKey()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a table with a primary key to scan, found " + schema.qualifiedName());
        }
        KeyEncoder keys = KeyEncoder.forPrimaryKey(schema);
        byte[] lower = keys.encodeObjects(prefix);
        Optional<byte[]> upper = successor(lower);
        RowScan scan = new RowScan(schema, options.limit());
        if (options.limit() == 0) {
            return scan;
        }
        List<ShardPages> opened = new ArrayList<>();
        for (int shard : shards(schema, prefix.size(), lower)) {
            opened.add(
                    new ShardPages(
                            client.connection(table.owner(shard)),
                            schema,
                            shard,
                            lower,
                            upper,
                            options,
                            scan.layout,
                            keys));
        }
        for (ShardPages pages : opened) {
            if (pages.advance()) {
                scan.shards.add(pages);
            }
        }
        return scan;
    }

    /**
     * The shards that may have rows of the prefix: one shard if the prefix includes the whole
     * distribution key.
     */
    private static List<Integer> shards(TableSchema schema, int prefixColumns, byte[] prefix) {
        List<Integer> given = schema.primaryKey().subList(0, prefixColumns);
        List<Integer> distribution =
                schema.distributionColumns().stream().map(ColumnSchema::id).toList();
        if (prefixColumns > 0 && given.equals(distribution)) {
            return List.of(ShardRouter.shard(schema.shardCount(), prefix, 0, prefix.length));
        }
        List<Integer> all = new ArrayList<>();
        for (int shard = 0; shard < schema.shardCount(); shard++) {
            all.add(shard);
        }
        return all;
    }

    /** The first key after all keys that begin with a prefix; empty if there is none. */
    private static Optional<byte[]> successor(byte[] prefix) {
        for (int last = prefix.length - 1; last >= 0; last--) {
            if (prefix[last] != -1) {
                byte[] successor = Arrays.copyOf(prefix, last + 1);
                successor[last]++;
                return Optional.of(successor);
            }
        }
        return Optional.empty();
    }

    /**
     * Whether there is a next row; waits for the next page if needed.
     *
     * @throws SteleException STALE_TABLE if the table was changed; SNAPSHOT_EXPIRED if the
     *     snapshot's lease has expired; BUSY or UNAVAILABLE if a sidecar has not served a page for
     *     too long
     */
    @Override
    public boolean hasNext() {
        ShardPages last = taken;
        if (last != null) {
            taken = null;
            if (left > 0 && last.advance()) {
                shards.add(last);
            }
        }
        return left > 0 && !shards.isEmpty();
    }

    /** The next row, one value for each column. */
    @Override
    public List<@Nullable Object> next() {
        if (!hasNext()) {
            throw new NoSuchElementException("The scan has no further row");
        }
        ShardPages first = requireNonNull(shards.poll(), "there is a shard with rows");
        taken = first;
        left--;
        return Rows.toObjects(view.wrap(first.row()));
    }

    /** Ends the scan; pages that arrive later are dropped. */
    @Override
    public void close() {
        left = 0;
        taken = null;
        shards.clear();
    }
}
