package io.stele.paimon.write;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.BooleanType.BOOLEAN;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.RealType.REAL;
import static io.trino.spi.type.SmallintType.SMALLINT;
import static io.trino.spi.type.TinyintType.TINYINT;
import static java.util.Objects.requireNonNull;

import io.stele.paimon.type.PaimonTypes;
import io.trino.spi.block.Block;
import io.trino.spi.type.TimeType;
import io.trino.spi.type.Type;
import java.util.List;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Blob;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.InternalVector;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.data.variant.Variant;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;
import org.jspecify.annotations.Nullable;

/**
 * A mutable view of one position of Trino's blocks as a row of Paimon, so that writers copy values
 * without an object for each row. Fields without a block are null. Confined to one thread; a row
 * that is kept must be copied.
 */
final class PageRow implements InternalRow {
    private final List<DataField> fields;
    private final @Nullable Type[] types;
    private @Nullable Block[] blocks;
    private int position;
    private RowKind kind = RowKind.INSERT;

    /** A view without blocks; fields whose types Trino does not have stay null. */
    PageRow(RowType type) {
        this.fields = type.getFields();
        this.types = new Type[fields.size()];
        for (int i = 0; i < types.length; i++) {
            types[i] = PaimonTypes.find(fields.get(i).type()).orElse(null);
        }
        this.blocks = new Block[types.length];
    }

    /**
     * Sets the blocks of the next rows.
     *
     * @param newBlocks of the fields, in order; null: a field that is null
     */
    void set(@Nullable Block[] newBlocks) {
        if (newBlocks.length != fields.size()) {
            throw new IllegalArgumentException(
                    "Expected %s blocks, found %s".formatted(fields.size(), newBlocks.length));
        }
        blocks = newBlocks;
    }

    /** Moves to another position. */
    PageRow at(int newPosition, RowKind newKind) {
        position = newPosition;
        kind = newKind;
        return this;
    }

    private Block block(int field) {
        return requireNonNull(blocks[field], "the field has no block");
    }

    private Object read(int field) {
        DataField target = fields.get(field);
        // The writer refuses nulls, and names the column
        DataType type = target.type().copy(true);
        return requireNonNull(
                BlockValues.read(
                        target.name(), type, requireNonNull(types[field]), block(field), position));
    }

    @Override
    public int getFieldCount() {
        return fields.size();
    }

    @Override
    public RowKind getRowKind() {
        return kind;
    }

    @Override
    public void setRowKind(RowKind newKind) {
        kind = newKind;
    }

    @Override
    public boolean isNullAt(int field) {
        Block block = blocks[field];
        return block == null || block.isNull(position);
    }

    @Override
    public boolean getBoolean(int field) {
        return BOOLEAN.getBoolean(block(field), position);
    }

    @Override
    public byte getByte(int field) {
        return TINYINT.getByte(block(field), position);
    }

    @Override
    public short getShort(int field) {
        return SMALLINT.getShort(block(field), position);
    }

    @Override
    public int getInt(int field) {
        return types[field] instanceof TimeType time
                ? BlockValues.time(time, block(field), position)
                : INTEGER.getInt(block(field), position);
    }

    @Override
    public long getLong(int field) {
        return BIGINT.getLong(block(field), position);
    }

    @Override
    public float getFloat(int field) {
        return REAL.getFloat(block(field), position);
    }

    @Override
    public double getDouble(int field) {
        return DOUBLE.getDouble(block(field), position);
    }

    @Override
    public BinaryString getString(int field) {
        return (BinaryString) read(field);
    }

    @Override
    public Decimal getDecimal(int field, int precision, int scale) {
        return (Decimal) read(field);
    }

    @Override
    public Timestamp getTimestamp(int field, int precision) {
        return (Timestamp) read(field);
    }

    @Override
    public byte[] getBinary(int field) {
        return (byte[]) read(field);
    }

    @Override
    public InternalArray getArray(int field) {
        return (InternalArray) read(field);
    }

    @Override
    public InternalMap getMap(int field) {
        return (InternalMap) read(field);
    }

    @Override
    public InternalRow getRow(int field, int fieldCount) {
        return (InternalRow) read(field);
    }

    @Override
    public Variant getVariant(int field) {
        throw unsupported(field);
    }

    @Override
    public Blob getBlob(int field) {
        throw unsupported(field);
    }

    @Override
    public InternalVector getVector(int field) {
        throw unsupported(field);
    }

    private IllegalStateException unsupported(int field) {
        return new IllegalStateException(
                "Expected a type that Trino has, found " + fields.get(field));
    }
}
