package io.stele.connector.write;

import static java.util.Comparator.comparing;

import io.stele.columnfile.index.BlockFileOptions;
import io.stele.columnfile.index.KeyIndexSummary;
import io.stele.columnfile.index.KeyIndexWriter;
import io.stele.columnfile.metadata.FileChecksums;
import io.stele.columnfile.metadata.FileMetadata;
import io.stele.connector.type.KeyRows;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.ShardRouter;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.Type;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A full buffer of a sink's rows, which it sorts by shard, partition and key, and writes into
 * column files with key indexes. Confined to one thread.
 */
final class SortedRows {
    // The rows that trino-orc reads as one page
    private static final int PAGE_ROWS = 8_192;
    private static final byte[] NONE = new byte[0];
    private static final int ANY_SHARD = -1; // not chosen yet

    private static final Comparator<Row> BY_PRIMARY_KEY =
            Comparator.<Row>comparingInt(Row::shard)
                    .thenComparing(Row::primaryKey, Arrays::compareUnsigned)
                    .thenComparingInt(Row::position);
    private static final Comparator<Row> BY_FILE_ORDER =
            Comparator.<Row>comparingInt(Row::shard)
                    .thenComparing(Row::partition, Arrays::compareUnsigned)
                    .thenComparing(Row::sortKey, Arrays::compareUnsigned)
                    .thenComparingInt(Row::position);

    private final WriteContext context;
    private final List<Page> pages;
    private final List<Row> rows;
    private final SinkFiles files;
    private Block @Nullable [] columns;

    /**
     * @param files the files of the sink, to which it adds the files that it writes
     */
    SortedRows(WriteContext context, List<Page> pages, List<Row> rows, SinkFiles files) {
        this.context = context;
        this.pages = pages;
        this.rows = rows;
        this.files = files;
    }

    /** Reads the values that sorting needs of the current row of {@code keys}. */
    static Row read(WriteContext context, KeyRows keys, int position) {
        boolean hasPrimaryKey = context.table().hasPrimaryKey();
        boolean isClustered = !context.table().clusteringKey().isEmpty();
        byte[] primaryKey = hasPrimaryKey ? keys.key() : NONE;
        boolean anyShard = context.table().distributionColumns().isEmpty();
        return new Row(
                anyShard ? ANY_SHARD : keys.shard(),
                context.table().partitionedBy().isEmpty() ? NONE : keys.partition(),
                primaryKey,
                isClustered ? keys.sortKey() : primaryKey,
                position);
    }

    /** The blocks of all channels of a page. */
    static Block[] blocks(Page page) {
        Block[] blocks = new Block[page.getChannelCount()];
        for (int channel = 0; channel < blocks.length; channel++) {
            blocks[channel] = page.getBlock(channel);
        }
        return blocks;
    }

    /** The rows by file and in file order, with only the last row of each primary key. */
    List<Run> runs() {
        List<Row> order = context.table().hasPrimaryKey() ? lastOfEachKey() : new ArrayList<>(rows);
        order.sort(BY_FILE_ORDER);
        List<List<Row>> parts = new ArrayList<>();
        int start = 0;
        for (int end = 1; end <= order.size(); end++) {
            if (end == order.size() || startsFile(order.get(end - 1), order.get(end))) {
                parts.add(order.subList(start, end));
                start = end;
            }
        }
        boolean spread = parts.size() > SmallPartitions.FEW;
        return parts.stream().map(part -> new Run(shard(part.getFirst(), spread), part)).toList();
    }

    /**
     * The shard of a row's file. If any shard will do and there are many partitions, each stays
     * together, so that it is one file.
     */
    private int shard(Row row, boolean spread) {
        if (row.shard != ANY_SHARD) {
            return row.shard;
        }
        return spread
                ? ShardRouter.shard(
                        context.table().shardCount(), row.partition, 0, row.partition.length)
                : context.firstShard();
    }

    /** Writes a file for each run, one after the other. */
    void write(List<Run> runs) throws IOException {
        for (Run run : runs) {
            files.finished(writeFile(run));
        }
    }

    /** The approximate number of bytes of a row. */
    long rowBytes() {
        long bytes = pages.stream().mapToLong(Page::getSizeInBytes).sum();
        return bytes / Math.max(1, rows.size()) + 1;
    }

    private List<Row> lastOfEachKey() {
        rows.sort(BY_PRIMARY_KEY);
        List<Row> kept = new ArrayList<>(rows.size());
        for (int index = 0; index < rows.size(); index++) {
            Row row = rows.get(index);
            boolean replaced =
                    index + 1 < rows.size()
                            && rows.get(index + 1).shard == row.shard
                            && Arrays.equals(rows.get(index + 1).primaryKey, row.primaryKey);
            if (!replaced) {
                kept.add(row);
            }
        }
        return kept;
    }

    private static boolean startsFile(Row previous, Row next) {
        return previous.shard != next.shard || !Arrays.equals(previous.partition, next.partition);
    }

    /** The rows of all pages, a block a column. */
    private Block[] columns() {
        Block[] made = columns;
        if (made == null) {
            made = makeColumns();
            columns = made;
        }
        return made;
    }

    private Block[] makeColumns() {
        List<ColumnSchema> schema = context.columns();
        Block[] columns = new Block[schema.size()];
        for (int channel = 0; channel < columns.length; channel++) {
            Type type = context.types().toTrino(schema.get(channel).type());
            BlockBuilder builder = type.createBlockBuilder(null, rows.size());
            for (Page page : pages) {
                builder.appendBlockRange(page.getBlock(channel), 0, page.getPositionCount());
            }
            columns[channel] = builder.build();
        }
        return columns;
    }

    private WrittenFile writeFile(Run run) throws IOException {
        List<Row> order = run.rows;
        WriteContext.FileName name = files.begin(run.shard);
        OrcFileWriter.Summary summary;
        try (OrcFileWriter file = context.create(name, OrcFileWriter.STRIPE_BYTES)) {
            for (Page page : pages(run)) {
                file.write(page);
            }
            summary = context.finish(name, file);
        }
        Optional<KeyIndexSummary> index =
                context.table().hasPrimaryKey()
                        ? Optional.of(writeKeyIndex(name, order, summary))
                        : Optional.empty();
        byte[] partition = order.getFirst().partition;
        return new WrittenFile(
                context.table().id(),
                name.shard(),
                name.fileId(),
                name.orcPath(),
                index.map(_ -> name.keyIndexPath()),
                summary.sizeBytes(),
                index.map(KeyIndexSummary::sizeBytes).orElse(0L),
                summary.rowCount(),
                context.table().schemaVersion(),
                index.map(KeyIndexSummary::minKey),
                index.map(KeyIndexSummary::maxKey),
                partition.length == 0 ? Optional.empty() : Optional.of(partition),
                summary.statistics(),
                summary.bitmapIndexBytes(),
                index.isPresent()
                        ? OptionalInt.empty() // the index has them
                        : OptionalInt.of(FileChecksums.BLOCK_BYTES),
                summary.sketches(),
                index.map(KeyIndexSummary::metadataBytes).orElse(OptionalInt.empty()));
    }

    /** The rows of one run, built on demand. */
    Iterable<Page> pages(Run run) {
        Block[] all = columns();
        int pageCount = (run.rows.size() + PAGE_ROWS - 1) / PAGE_ROWS;
        return () ->
                IntStream.range(0, pageCount)
                        .map(page -> page * PAGE_ROWS)
                        .mapToObj(
                                start ->
                                        page(
                                                run.rows,
                                                start,
                                                Math.min(PAGE_ROWS, run.rows.size() - start),
                                                all))
                        .iterator();
    }

    private static Page page(List<Row> order, int start, int count, Block[] columns) {
        int[] positions = new int[count];
        for (int index = 0; index < count; index++) {
            positions[index] = order.get(start + index).position;
        }
        Block[] blocks = new Block[columns.length];
        for (int channel = 0; channel < blocks.length; channel++) {
            blocks[channel] = columns[channel].copyPositions(positions, 0, count);
        }
        return new Page(count, blocks);
    }

    private KeyIndexSummary writeKeyIndex(
            WriteContext.FileName name, List<Row> order, OrcFileWriter.Summary file)
            throws IOException {
        boolean inKeyOrder = context.table().clusteringKey().isEmpty();
        try (KeyIndexWriter index =
                inKeyOrder
                        ? KeyIndexWriter.byRank(
                                context.warehouse(),
                                name.keyIndexPath(),
                                BlockFileOptions.KEY_INDEX)
                        : KeyIndexWriter.explicit(
                                context.warehouse(),
                                name.keyIndexPath(),
                                BlockFileOptions.KEY_INDEX)) {
            if (inKeyOrder) {
                for (Row row : order) {
                    index.add(row.primaryKey);
                }
            } else {
                addByKey(index, order);
            }
            return index.finish(
                    Optional.of(
                            new FileMetadata(file.checksums(), file.metadata()).encodeStored()));
        }
    }

    private static void addByKey(KeyIndexWriter index, List<Row> order) throws IOException {
        List<Integer> ordinals = new ArrayList<>(order.size());
        for (int ordinal = 0; ordinal < order.size(); ordinal++) {
            ordinals.add(ordinal);
        }
        ordinals.sort(comparing(ordinal -> order.get(ordinal).primaryKey, Arrays::compareUnsigned));
        for (int ordinal : ordinals) {
            index.add(order.get(ordinal).primaryKey, ordinal);
        }
    }

    /**
     * Rows of one partition, of one shard, in the order of their file.
     *
     * @param shard the shard that receives them
     */
    record Run(int shard, List<Row> rows) {
        Group group() {
            return rows.getFirst().group();
        }
    }

    /**
     * The shard and the partition of the rows of one file.
     *
     * @param shard the shard of {@link Row}
     */
    record Group(int shard, ByteBuffer partition) {
        /** The order of files. */
        static final Comparator<Group> ORDER =
                Comparator.<Group>comparingInt(Group::shard)
                        .thenComparing(group -> group.partition.array(), Arrays::compareUnsigned);
    }

    /**
     * One buffered row.
     *
     * @param shard of its key; {@link #ANY_SHARD} where the table has none that distributes
     * @param partition empty where the table has no partitions
     * @param primaryKey empty where the table has no primary key
     * @param sortKey the key by which rows of a file are ordered
     * @param position among all rows of the buffer
     */
    record Row(int shard, byte[] partition, byte[] primaryKey, byte[] sortKey, int position) {
        // Object headers, references and array headers
        private static final int OVERHEAD_BYTES = 96;

        /** The same row at another position. */
        Row at(int other) {
            return new Row(shard, partition, primaryKey, sortKey, other);
        }

        Group group() {
            return new Group(shard, ByteBuffer.wrap(partition));
        }

        boolean isOf(Group group) {
            return shard == group.shard && Arrays.equals(partition, group.partition.array());
        }

        long retainedBytes() {
            return (long) OVERHEAD_BYTES + partition.length + primaryKey.length + sortKey.length;
        }
    }
}
