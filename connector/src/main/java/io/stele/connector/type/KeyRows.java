package io.stele.connector.type;

import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.PartitionEncoder;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.ShardRouter;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.block.Block;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An encoder of the keys, partitions and shards of rows in Trino's pages, without encoding whole
 * rows. Confined to one thread, because it reuses buffers.
 */
public final class KeyRows {
    private final TableSchema keyTable;
    private final RowWriter writer;
    private final BinaryRow row;
    private final Optional<KeyEncoder> primaryKey;
    private final Optional<KeyEncoder> distributionKey;
    private final Optional<KeyEncoder> clusteringKey;
    private final Optional<PartitionEncoder> partitions;
    private final GrowingBytes buffer = GrowingBytes.forKey();
    private final GrowingBytes sortBuffer;
    private final Block[] channels;
    private final int[] columnIndexes;

    /**
     * @param columns the columns of the pages, of which the table's key columns are used
     */
    public KeyRows(TableSchema table, List<ColumnSchema> columns, TrinoTypes types) {
        this(table, columns, types, GrowingBytes.forStored("clustering key"));
    }

    private KeyRows(
            TableSchema table,
            List<ColumnSchema> columns,
            TrinoTypes types,
            GrowingBytes sortBuffer) {
        List<ColumnSchema> keyColumns = new ArrayList<>();
        List<Integer> indexes = new ArrayList<>();
        for (int index = 0; index < columns.size(); index++) {
            ColumnSchema column = columns.get(index);
            if (isKey(table, column)) {
                keyColumns.add(column);
                indexes.add(index);
            }
        }
        this.sortBuffer = sortBuffer;
        this.keyTable = keyTable(table, keyColumns);
        this.writer = new RowWriter(keyColumns, types);
        this.row = new BinaryRow(writer.layout());
        this.primaryKey =
                table.hasPrimaryKey()
                        ? Optional.of(KeyEncoder.forPrimaryKey(keyTable))
                        : Optional.empty();
        this.distributionKey =
                table.distributionColumns().isEmpty()
                        ? Optional.empty()
                        : Optional.of(KeyEncoder.forDistribution(keyTable));
        this.clusteringKey =
                table.clusteringKey().isEmpty()
                        ? Optional.empty()
                        : Optional.of(KeyEncoder.forColumns(keyTable, table.clusteringKey()));
        this.partitions =
                table.partitionedBy().isEmpty()
                        ? Optional.empty()
                        : Optional.of(PartitionEncoder.of(keyTable));
        this.channels = new Block[keyColumns.size()];
        this.columnIndexes = indexes.stream().mapToInt(Integer::intValue).toArray();
    }

    /**
     * Reads keys of the primary key, as {@link #key} returns them. It does not use the clustering
     * key, which may have other columns.
     */
    public static KeyRows ofPrimaryKey(TableSchema table, TrinoTypes types) {
        List<ColumnSchema> columns = table.columns(table.primaryKey());
        TableSchema unsorted =
                table.narrowedTo(columns)
                        .primaryKey(table.primaryKey())
                        .distributionKey(table.distributionKey())
                        .build();
        return new KeyRows(unsorted, columns, types);
    }

    /** Reads keys of an index on these columns, as {@link #sortKey} returns them. */
    public static KeyRows ofIndex(TableSchema table, List<ColumnSchema> columns, TrinoTypes types) {
        List<Integer> ids = columns.stream().map(ColumnSchema::id).toList();
        TableSchema sorted =
                table.narrowedTo(columns)
                        .clusteringKey(ids)
                        .orientation(Orientation.COLUMN)
                        .build();
        return new KeyRows(sorted, columns, types, GrowingBytes.forKey());
    }

    /** Whether a table has any key column, without which there is nothing to find. */
    public static boolean hasKeys(TableSchema table) {
        return table.columns().stream().anyMatch(column -> isKey(table, column));
    }

    /** Moves to a row, to which the following calls refer. */
    public void read(Block[] blocks, int position) {
        for (int index = 0; index < channels.length; index++) {
            channels[index] = blocks[columnIndexes[index]];
        }
        int length = writer.write(channels, position);
        row.wrap(writer.array(), 0, length);
    }

    /** The shard of the row; the table has a distribution or primary key. */
    public int shard() {
        buffer.clear();
        distributionKey.orElseThrow().encode(row, buffer);
        return ShardRouter.shard(keyTable.shardCount(), buffer.array(), 0, buffer.length());
    }

    /** The key of the row; the table has a primary key. */
    public byte[] key() {
        buffer.clear();
        primaryKey.orElseThrow().encode(row, buffer);
        return buffer.toByteArray();
    }

    /**
     * The key by which the rows of files are sorted: the clustering key, else the primary key; the
     * table has one of them.
     */
    public byte[] sortKey() {
        if (clusteringKey.isEmpty()) {
            return key();
        }
        sortBuffer.clear();
        clusteringKey.get().encode(row, sortBuffer);
        return sortBuffer.toByteArray();
    }

    /** The values of the partition columns; the table has some. */
    public byte[] partition() {
        return partitions.orElseThrow().encode(row);
    }

    private static boolean isKey(TableSchema table, ColumnSchema column) {
        return table.primaryKey().contains(column.id())
                || table.distributionKey().contains(column.id())
                || table.clusteringKey().contains(column.id())
                || table.partitionedBy().contains(column.id());
    }

    /** A table reduced to its key columns, as the schema of rows with only these columns. */
    private static TableSchema keyTable(TableSchema table, List<ColumnSchema> keyColumns) {
        return table.narrowedTo(keyColumns)
                .primaryKey(table.primaryKey())
                .distributionKey(table.distributionKey())
                .clusteringKey(table.clusteringKey())
                .partitionedBy(table.partitionedBy())
                .build();
    }
}
