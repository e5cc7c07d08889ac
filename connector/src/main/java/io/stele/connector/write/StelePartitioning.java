package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.connector.error.SteleErrors;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.handle.SteleLiveSplit;
import io.stele.connector.handle.StelePartitioningHandle;
import io.stele.connector.type.KeyRows;
import io.stele.connector.type.RowWriter;
import io.stele.connector.type.TrinoTypes;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.RowBlock;
import io.trino.spi.connector.BucketFunction;
import io.trino.spi.connector.ConnectorBucketNodeMap;
import io.trino.spi.connector.ConnectorNodePartitioningProvider;
import io.trino.spi.connector.ConnectorPartitioningHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.type.IntegerType;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/**
 * Trino's partitioning provider: the assignment of rows and splits to the buckets of their shards.
 * Stateless.
 */
public final class StelePartitioning implements ConnectorNodePartitioningProvider {
    private final TrinoTypes types;

    @Inject
    public StelePartitioning(TrinoTypes types) {
        this.types = requireNonNull(types, "types is null");
    }

    /** As many buckets as shards, each on one node, which Trino chooses. */
    @Override
    public Optional<ConnectorBucketNodeMap> getBucketNodeMapping(
            ConnectorTransactionHandle transactionHandle,
            ConnectorSession session,
            ConnectorPartitioningHandle partitioningHandle) {
        StelePartitioningHandle handle = (StelePartitioningHandle) partitioningHandle;
        // Also by row id: rows that a MERGE inserts and changes go to the same writers
        return Optional.of(
                ConnectorBucketNodeMap.createBucketNodeMap(handle.shardCount())
                        .withCacheKeyHint(handle.shardCount()));
    }

    @Override
    public ToIntFunction<ConnectorSplit> getSplitBucketFunction(
            ConnectorTransactionHandle transactionHandle,
            ConnectorSession session,
            ConnectorPartitioningHandle partitioningHandle,
            int bucketCount) {
        return split ->
                switch (split) {
                    case SteleFileSplit file -> file.shard() % bucketCount;
                    case SteleLiveSplit live -> live.shard() % bucketCount;
                    default ->
                            throw new IllegalArgumentException(
                                    "Expected a split of one shard, found " + split);
                };
    }

    @Override
    public BucketFunction getBucketFunction(
            ConnectorTransactionHandle transactionHandle,
            ConnectorSession session,
            ConnectorPartitioningHandle partitioningHandle,
            List<Type> partitionChannelTypes,
            int bucketCount) {
        StelePartitioningHandle handle = (StelePartitioningHandle) partitioningHandle;
        return handle.rowId()
                ? new OfRowId(bucketCount)
                : new OfKey(keyTable(handle), bucketCount, types);
    }

    private static TableSchema keyTable(StelePartitioningHandle handle) {
        List<ColumnSchema> columns = new ArrayList<>();
        for (int index = 0; index < handle.keyTypes().size(); index++) {
            columns.add(
                    new ColumnSchema(index + 1, "key" + index, handle.keyTypes().get(index))
                            .notNull());
        }
        List<Integer> ids = columns.stream().map(ColumnSchema::id).toList();
        return TableSchema.builder("schema", "keys")
                .columns(columns)
                .primaryKey(ids)
                .shardCount(handle.shardCount())
                .build();
    }

    /** The shard of the distribution key. Guarded by itself: its buffers are reused. */
    private static final class OfKey implements BucketFunction {
        private final KeyRows keys;
        private final int[] channels;
        private final int bucketCount;

        OfKey(TableSchema table, int bucketCount, TrinoTypes types) {
            this.keys = new KeyRows(table, table.columns(), types);
            this.channels = IntStream.range(0, table.columns().size()).toArray();
            this.bucketCount = bucketCount;
        }

        @Override
        public synchronized int getBucket(Page page, int position) {
            return bucket(RowWriter.blocks(page, channels), position);
        }

        @Override
        public synchronized void getBuckets(
                Page page, int positionOffset, int length, int[] buckets) {
            Block[] blocks = RowWriter.blocks(page, channels);
            for (int index = 0; index < length; index++) {
                buckets[index] = bucket(blocks, positionOffset + index);
            }
        }

        private int bucket(Block[] blocks, int position) {
            for (Block block : blocks) {
                if (block.isNull(position)) {
                    // Any writer will do: each refuses a key with nulls, and names the column
                    return 0;
                }
            }
            try {
                keys.read(blocks, position);
                return keys.shard() % bucketCount;
            } catch (SteleException e) {
                if (e.code() != ErrorCode.KEY_TOO_LARGE && e.code() != ErrorCode.ROW_TOO_LARGE) {
                    throw SteleErrors.translate(e);
                }
                // No row of a table has such a key: a join finds none anywhere, and each writer
                // refuses it
                return 0;
            }
        }
    }

    /** The shard in a row id. Stateless. */
    private record OfRowId(int bucketCount) implements BucketFunction {
        @Override
        public int getBucket(Page page, int position) {
            Block rowIds = page.getBlock(0);
            RowBlock values = (RowBlock) rowIds.getUnderlyingValueBlock();
            int shard =
                    IntegerType.INTEGER.getInt(
                            values.getFieldBlock(0), rowIds.getUnderlyingValuePosition(position));
            return shard % bucketCount;
        }
    }
}
