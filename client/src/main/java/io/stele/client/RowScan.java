package io.stele.client;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.KeyBytes;
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
 * A client's iterator over the rows of a key range, merged from the pages of all shards in or
 * against the order of the keys. It blocks until a page has arrived, and prefetches the next page
 * of each shard. Confined to one thread.
 *
 * <p>A table whose columns are changed while it is scanned fails the scan with STALE_TABLE.
 */
public final class RowScan implements Iterator<List<@Nullable Object>>, AutoCloseable {
    private final RowLayout layout;
    private final BinaryRow view;
    private final PriorityQueue<ShardPages> shards;
    private long left;
    private @Nullable ShardPages taken; // whose row was returned, to be advanced next

    private RowScan(TableSchema schema, ScanOptions options) {
        this.layout = RowLayout.of(schema.columns());
        this.view = new BinaryRow(layout);
        Comparator<byte[]> ascending = Arrays::compareUnsigned;
        this.shards =
                new PriorityQueue<>(
                        Comparator.comparing(
                                ShardPages::key,
                                options.isDescending() ? ascending.reversed() : ascending));
        this.left = options.limit();
    }

    static RowScan open(
            SteleClient client, CachedTable table, KeyBounds bounds, ScanOptions options) {
        TableSchema schema = table.schema();
        if (!schema.hasPrimaryKey()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a table with a primary key to scan, found " + schema.qualifiedName());
        }
        KeyEncoder keys = KeyEncoder.forPrimaryKey(schema);
        byte[] lower = keys.encodeObjects(bounds.from());
        Optional<byte[]> upper =
                bounds.before().isEmpty()
                        ? KeyBytes.afterPrefix(keys.encodeObjects(bounds.prefix()))
                        : Optional.of(keys.encodeObjects(bounds.before()));
        RowScan scan = new RowScan(schema, options);
        if (options.limit() == 0) {
            return scan;
        }
        List<ShardPages> opened = new ArrayList<>();
        for (int shard : shards(schema, bounds.prefix(), keys)) {
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
     * The shards that may have rows of the prefix: one shard if the prefix is the whole
     * distribution key.
     */
    private static List<Integer> shards(
            TableSchema schema, List<? extends @Nullable Object> values, KeyEncoder keys) {
        List<Integer> given = schema.primaryKey().subList(0, values.size());
        List<Integer> distribution =
                schema.distributionColumns().stream().map(ColumnSchema::id).toList();
        if (!given.isEmpty() && given.equals(distribution)) {
            byte[] prefix = keys.encodeObjects(values);
            return List.of(ShardRouter.shard(schema.shardCount(), prefix, 0, prefix.length));
        }
        List<Integer> all = new ArrayList<>();
        for (int shard = 0; shard < schema.shardCount(); shard++) {
            all.add(shard);
        }
        return all;
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
