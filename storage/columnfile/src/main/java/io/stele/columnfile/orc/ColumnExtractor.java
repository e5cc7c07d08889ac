package io.stele.columnfile.orc;

import io.stele.protocol.row.ArrayEncoder;
import io.stele.protocol.row.MapEncoder;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.ValueEncoder;
import io.stele.protocol.row.ValueLayout;
import io.stele.protocol.schema.PhysicalForm;
import java.math.BigInteger;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DecimalColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DoubleColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ListColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.MapColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.StructColumnVector;

/**
 * A copier of the values of one column, or nested element, from ORC vectors into binary rows, for
 * readers of column files. Stateless.
 */
public abstract class ColumnExtractor {
    /** Sets the value at {@code index} to the value of a row; does not set it if that is null. */
    public final void extract(ColumnVector source, int row, ValueEncoder target, int index) {
        int at = source.isRepeating ? 0 : row;
        if (source.noNulls || !source.isNull[at]) {
            extractValue(source, at, target, index);
        }
    }

    abstract void extractValue(ColumnVector source, int at, ValueEncoder target, int index);

    public static ColumnExtractor of(ValueLayout layout) {
        return switch (layout.type().kind()) {
            case BOOLEAN -> new OfBoolean();
            case TINYINT, SMALLINT, INTEGER, BIGINT, DATE, TIME -> new OfLong();
            case REAL -> new OfFloat();
            case DOUBLE -> new OfDouble();
            case DECIMAL, TIMESTAMP, TIMESTAMP_WITH_TIME_ZONE ->
                    layout.form() == PhysicalForm.INT64
                            ? new OfLong()
                            : new OfInt128(layout.type().scale());
            case VARCHAR, CHAR, JSON, VARBINARY -> new OfBytes();
            case UUID -> new OfUuid();
            case ARRAY -> new OfArray(layout);
            case MAP -> new OfMap(layout);
            case ROW -> new OfRow(layout);
        };
    }

    private static final class OfBoolean extends ColumnExtractor {
        @Override
        void extractValue(ColumnVector source, int at, ValueEncoder target, int index) {
            target.setBoolean(index, ((LongColumnVector) source).vector[at] != 0);
        }
    }

    private static final class OfLong extends ColumnExtractor {
        @Override
        void extractValue(ColumnVector source, int at, ValueEncoder target, int index) {
            target.setLong(index, ((LongColumnVector) source).vector[at]);
        }
    }

    private static final class OfFloat extends ColumnExtractor {
        @Override
        void extractValue(ColumnVector source, int at, ValueEncoder target, int index) {
            target.setFloat(index, (float) ((DoubleColumnVector) source).vector[at]);
        }
    }

    private static final class OfDouble extends ColumnExtractor {
        @Override
        void extractValue(ColumnVector source, int at, ValueEncoder target, int index) {
            target.setDouble(index, ((DoubleColumnVector) source).vector[at]);
        }
    }

    private static final class OfInt128 extends ColumnExtractor {
        private final int scale;

        OfInt128(int scale) {
            this.scale = scale;
        }

        @Override
        void extractValue(ColumnVector source, int at, ValueEncoder target, int index) {
            // ORC drops trailing zeros of the fraction, so the stored scale may be smaller.
            BigInteger unscaled =
                    ((DecimalColumnVector) source)
                            .vector[at]
                            .getHiveDecimal()
                            .bigDecimalValue()
                            .setScale(scale)
                            .unscaledValue();
            target.setInt128(
                    index, unscaled.shiftRight(Long.SIZE).longValueExact(), unscaled.longValue());
        }
    }

    private static final class OfBytes extends ColumnExtractor {
        @Override
        void extractValue(ColumnVector source, int at, ValueEncoder target, int index) {
            BytesColumnVector bytes = (BytesColumnVector) source;
            target.setBytes(index, bytes.vector[at], bytes.start[at], bytes.length[at]);
        }
    }

    private static final class OfUuid extends ColumnExtractor {
        @Override
        void extractValue(ColumnVector source, int at, ValueEncoder target, int index) {
            BytesColumnVector bytes = (BytesColumnVector) source;
            target.setInt128(
                    index,
                    Int128.high(bytes.vector[at], bytes.start[at]),
                    Int128.low(bytes.vector[at], bytes.start[at]));
        }
    }

    private static final class OfArray extends ColumnExtractor {
        private final ColumnExtractor element;

        OfArray(ValueLayout layout) {
            this.element = of(layout.element());
        }

        @Override
        void extractValue(ColumnVector source, int at, ValueEncoder target, int index) {
            ListColumnVector list = (ListColumnVector) source;
            int count = (int) list.lengths[at];
            ArrayEncoder array = target.beginArray(index, count);
            extractAll(list.child, (int) list.offsets[at], count, element, array);
            array.end();
        }
    }

    private static final class OfMap extends ColumnExtractor {
        private final ColumnExtractor key;
        private final ColumnExtractor value;

        OfMap(ValueLayout layout) {
            this.key = of(layout.key());
            this.value = of(layout.value());
        }

        @Override
        void extractValue(ColumnVector source, int at, ValueEncoder target, int index) {
            MapColumnVector vector = (MapColumnVector) source;
            int start = (int) vector.offsets[at];
            int count = (int) vector.lengths[at];
            MapEncoder map = target.beginMap(index, count);
            ArrayEncoder keys = map.beginKeys();
            extractAll(vector.keys, start, count, key, keys);
            keys.end();
            ArrayEncoder values = map.beginValues();
            extractAll(vector.values, start, count, value, values);
            values.end();
            map.end();
        }
    }

    private static final class OfRow extends ColumnExtractor {
        private final ColumnExtractor[] fields;

        OfRow(ValueLayout layout) {
            this.fields = new ColumnExtractor[layout.row().count()];
            for (int i = 0; i < fields.length; i++) {
                fields[i] = of(layout.row().value(i));
            }
        }

        @Override
        void extractValue(ColumnVector source, int at, ValueEncoder target, int index) {
            StructColumnVector struct = (StructColumnVector) source;
            RowEncoder row = target.beginRow(index);
            for (int i = 0; i < fields.length; i++) {
                fields[i].extract(struct.fields[i], at, row, i);
            }
            row.end();
        }
    }

    private static void extractAll(
            ColumnVector source,
            int start,
            int count,
            ColumnExtractor element,
            ArrayEncoder target) {
        for (int i = 0; i < count; i++) {
            element.extract(source, start + i, target, i);
        }
    }
}
