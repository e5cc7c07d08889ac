package io.stele.paimon.write;

import static java.util.Objects.requireNonNull;

import io.stele.paimon.handle.PaimonPartitioningHandle;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.RowBlock;
import io.trino.spi.connector.BucketFunction;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.paimon.CoreOptions.BucketFunctionType;
import org.apache.paimon.codegen.CodeGenUtils;
import org.apache.paimon.codegen.Projection;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeJsonParser;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;
import org.jspecify.annotations.Nullable;

/**
 * Trino's bucket function for written rows, which assigns a row to a writer by its partition and
 * the bucket of Paimon's own hash function. Guarded by itself, since its buffers are reused.
 */
final class WriterOfBucket implements BucketFunction {
    private final PaimonPartitioningHandle handle;
    private final int writers;
    private final PageRow row;
    private final Projection partition;
    private final Projection bucketKey;
    private final org.apache.paimon.bucket.@Nullable BucketFunction buckets;

    WriterOfBucket(PaimonPartitioningHandle handle, int writers) {
        this.handle = requireNonNull(handle, "handle is null");
        this.writers = writers;
        // Nullable, since the writers refuse nulls and name the column
        RowType type =
                RowType.builder()
                        .fields(
                                handle.types().stream()
                                        .map(DataTypeJsonParser::parseAtomicTypeSQLString)
                                        .map(DataType::nullable)
                                        .toArray(DataType[]::new))
                        .build();
        this.row = new PageRow(type);
        this.partition = CodeGenUtils.newProjection(type, ints(handle.partition()));
        this.bucketKey = CodeGenUtils.newProjection(type, ints(handle.bucketKey()));
        this.buckets =
                handle.buckets() == 0
                        ? null
                        : org.apache.paimon.bucket.BucketFunction.create(
                                BucketFunctionType.of(handle.function()),
                                type.project(ints(handle.bucketKey())));
    }

    private static int[] ints(List<Integer> list) {
        return list.stream().mapToInt(Integer::intValue).toArray();
    }

    @Override
    public synchronized int getBucket(Page page, int position) {
        return writer(blocks(page), position);
    }

    @Override
    public synchronized void getBuckets(Page page, int positionOffset, int length, int[] result) {
        Block[] blocks = blocks(page);
        for (int i = 0; i < length; i++) {
            result[i] = writer(blocks, positionOffset + i);
        }
    }

    private Block[] blocks(Page page) {
        if (handle.rowIdFields().isEmpty()) {
            return IntStream.range(0, page.getChannelCount())
                    .mapToObj(page::getBlock)
                    .toArray(Block[]::new);
        }
        List<Block> fields = RowBlock.getRowFieldsFromBlock(page.getBlock(0));
        return handle.rowIdFields().stream().map(fields::get).toArray(Block[]::new);
    }

    private int writer(Block[] blocks, int position) {
        if (buckets == null) {
            return 0;
        }
        row.set(blocks);
        row.at(position, RowKind.INSERT);
        int bucket = buckets.bucket(bucketKey.apply(row), handle.buckets());
        if (handle.partition().isEmpty()) {
            return bucket % writers;
        }
        return Math.floorMod(31 * partition.apply(row).hashCode() + bucket, writers);
    }
}
