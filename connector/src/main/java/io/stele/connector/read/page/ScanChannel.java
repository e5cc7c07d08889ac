package io.stele.connector.read.page;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static io.trino.spi.type.VarcharType.VARCHAR;

import io.airlift.slice.Slices;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.type.KeyRows;
import io.stele.connector.type.OrcTypes;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.scan.ChangeKind;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.DictionaryBlock;
import io.trino.spi.block.IntArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.RowBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.type.TypeUtils;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A producer of the block of one scan column from a page of the scan's source. Stateless, unless
 * the implementation states otherwise.
 */
public sealed interface ScanChannel {
    /** The column's block for the page's present positions. */
    Block load(SourcePage page);

    /** A column of the source, possibly in another form. */
    record FromSource(int channel, OrcTypes.Mapping mapping) implements ScanChannel {
        @Override
        public Block load(SourcePage page) {
            return mapping.fromFile(page.getBlock(channel));
        }
    }

    /** A text column of the source; see {@link ShortText}. */
    record Text(int channel) implements ScanChannel {
        @Override
        public Block load(SourcePage page) {
            return ShortText.encode(page.getBlock(channel));
        }
    }

    /** A column of doubles, decoded from whole numbers in the source. */
    record Scaled(int channel, ScaledDoubles doubles) implements ScanChannel {
        @Override
        public Block load(SourcePage page) {
            return doubles.decode(page.getBlock(channel));
        }
    }

    /** A column of the source as it is. */
    record Direct(int channel) implements ScanChannel {
        @Override
        public Block load(SourcePage page) {
            return page.getBlock(channel);
        }
    }

    /**
     * A field inside a column of rows; null where the row is null.
     *
     * @param positions of the field in its row, from the outside in
     */
    record FieldOf(ScanChannel column, List<Integer> positions) implements ScanChannel {
        @Override
        public Block load(SourcePage page) {
            Block block = column.load(page);
            for (int position : positions) {
                block = RowBlock.getRowFieldsFromBlock(block).get(position);
            }
            return block;
        }
    }

    /** The kind of a row's change, from its number in a stream of changes. */
    record ChangeType(int channel) implements ScanChannel {
        private static final Block NAMES = names();

        private static Block names() {
            BlockBuilder names = VARCHAR.createBlockBuilder(null, ChangeKind.values().length);
            for (ChangeKind kind : ChangeKind.values()) {
                VARCHAR.writeString(names, kind.name().toLowerCase(Locale.ROOT));
            }
            return names.build();
        }

        @Override
        public Block load(SourcePage page) {
            Block codes = page.getBlock(channel);
            int[] ids = new int[codes.getPositionCount()];
            for (int position = 0; position < ids.length; position++) {
                ids[position] = ChangeKind.of(BIGINT.getLong(codes, position)).ordinal();
            }
            return DictionaryBlock.create(ids.length, NAMES, ids);
        }
    }

    /** The time of an LSN, in UTC. */
    record TimeOfLsn(int channel) implements ScanChannel {
        @Override
        public Block load(SourcePage page) {
            Block lsns = page.getBlock(channel);
            long[] times = new long[lsns.getPositionCount()];
            for (int position = 0; position < times.length; position++) {
                long lsn = BIGINT.getLong(lsns, position);
                times[position] = packDateTimeWithZone(new Lsn(lsn).millis(), UTC_KEY);
            }
            return new LongArrayBlock(times.length, Optional.empty(), times);
        }
    }

    /** The value of an expression of the source's columns. */
    record Computed(BlockExpression expression) implements ScanChannel {
        @Override
        public Block load(SourcePage page) {
            return expression.evaluate(page);
        }
    }

    /** The same value in every row. */
    record Constant(Block value) implements ScanChannel {
        @Override
        public Block load(SourcePage page) {
            return RunLengthEncodedBlock.create(value, page.getPositionCount());
        }
    }

    /**
     * The shard of each row. Has buffers: confined to one driver.
     *
     * @param channels the distribution columns, in their order
     */
    record ShardOf(KeyRows keys, List<Integer> channels) implements ScanChannel {
        @Override
        public Block load(SourcePage page) {
            Block[] blocks = new Block[channels.size()];
            for (int column = 0; column < blocks.length; column++) {
                blocks[column] = page.getBlock(channels.get(column));
            }
            int[] shards = new int[page.getPositionCount()];
            for (int position = 0; position < shards.length; position++) {
                keys.read(blocks, position);
                shards[position] = keys.shard();
            }
            return new IntArrayBlock(shards.length, Optional.empty(), shards);
        }
    }

    /** The same shard in every row. */
    static ScanChannel shard(int shard) {
        return new Constant(TypeUtils.writeNativeValue(INTEGER, (long) shard));
    }

    /** The value of a hidden column that is the same for all rows of the file. */
    static ScanChannel ofFile(SteleColumnHandle column, SteleFileSplit split) {
        Object value =
                column.id() == SteleColumnHandle.PATH_ID
                        ? Slices.utf8Slice(split.path())
                        : packDateTimeWithZone(new Lsn(split.maxLsn()).millis(), UTC_KEY);
        return new Constant(TypeUtils.writeNativeValue(column.type(), value));
    }

    /** Null in every row. */
    static ScanChannel ofNull(SteleColumnHandle column) {
        return new Constant(TypeUtils.writeNativeValue(column.type(), null));
    }

    /** The row number in the file plus a base: the row id in a file that a worker wrote. */
    record RowNumber(int channel, long base) implements ScanChannel {
        @Override
        public Block load(SourcePage page) {
            Block rowNumbers = page.getBlock(channel);
            long[] rowIds = new long[rowNumbers.getPositionCount()];
            for (int position = 0; position < rowIds.length; position++) {
                rowIds[position] = BIGINT.getLong(rowNumbers, position) + base;
            }
            return new LongArrayBlock(rowIds.length, Optional.empty(), rowIds);
        }
    }

    /** Other channels as the fields of a row. */
    record RowOf(List<ScanChannel> fields) implements ScanChannel {
        @Override
        public Block load(SourcePage page) {
            Block[] blocks = new Block[fields.size()];
            for (int field = 0; field < blocks.length; field++) {
                blocks[field] = fields.get(field).load(page);
            }
            return RowBlock.fromFieldBlocks(page.getPositionCount(), blocks);
        }
    }
}
