package io.stele.columnfile.orc.write;

import io.stele.columnfile.orc.Int128;
import io.stele.protocol.row.BinaryArray;
import io.stele.protocol.row.BinaryMap;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.BinaryValues;
import io.stele.protocol.row.ValueLayout;
import io.stele.protocol.schema.PhysicalForm;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DecimalColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DoubleColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ListColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.MapColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.StructColumnVector;

/**
 * A copier of the values of one column, or nested element, from binary rows into ORC vectors, for
 * the column file writer. Confined to one thread.
 */
abstract class ColumnAppender {
    private static final int INT128_BYTES = 16;

    /** Appends the value at {@code index}, null or not. */
    final void append(BinaryValues values, int index, ColumnVector target, int row) {
        if (values.isNull(index)) {
            target.noNulls = false;
            target.isNull[row] = true;
        } else {
            appendValue(values, index, target, row);
        }
    }

    abstract void appendValue(BinaryValues values, int index, ColumnVector target, int row);

    static ColumnAppender of(ValueLayout layout) {
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

    private static final class OfBoolean extends ColumnAppender {
        @Override
        void appendValue(BinaryValues values, int index, ColumnVector target, int row) {
            ((LongColumnVector) target).vector[row] = values.booleanAt(index) ? 1 : 0;
        }
    }

    private static final class OfLong extends ColumnAppender {
        @Override
        void appendValue(BinaryValues values, int index, ColumnVector target, int row) {
            ((LongColumnVector) target).vector[row] = values.longAt(index);
        }
    }

    private static final class OfFloat extends ColumnAppender {
        @Override
        void appendValue(BinaryValues values, int index, ColumnVector target, int row) {
            ((DoubleColumnVector) target).vector[row] = values.floatAt(index);
        }
    }

    private static final class OfDouble extends ColumnAppender {
        @Override
        void appendValue(BinaryValues values, int index, ColumnVector target, int row) {
            ((DoubleColumnVector) target).vector[row] = values.doubleAt(index);
        }
    }

    private static final class OfInt128 extends ColumnAppender {
        private final int scale;
        private final byte[] scratch = new byte[INT128_BYTES];

        OfInt128(int scale) {
            this.scale = scale;
        }

        @Override
        void appendValue(BinaryValues values, int index, ColumnVector target, int row) {
            Int128.put(scratch, values.highAt(index), values.lowAt(index));
            ((DecimalColumnVector) target)
                    .vector[row].setFromBigIntegerBytesAndScale(scratch, 0, INT128_BYTES, scale);
        }
    }

    private static final class OfBytes extends ColumnAppender {
        @Override
        void appendValue(BinaryValues values, int index, ColumnVector target, int row) {
            ((BytesColumnVector) target)
                    .setVal(
                            row,
                            values.array(),
                            values.bytesOffset(index),
                            values.bytesLength(index));
        }
    }

    private static final class OfUuid extends ColumnAppender {
        private final byte[] scratch = new byte[INT128_BYTES];

        @Override
        void appendValue(BinaryValues values, int index, ColumnVector target, int row) {
            Int128.put(scratch, values.highAt(index), values.lowAt(index));
            ((BytesColumnVector) target).setVal(row, scratch, 0, INT128_BYTES);
        }
    }

    private static final class OfArray extends ColumnAppender {
        private final BinaryArray view;
        private final ColumnAppender element;

        OfArray(ValueLayout layout) {
            this.view = new BinaryArray(layout.element());
            this.element = of(layout.element());
        }

        @Override
        void appendValue(BinaryValues values, int index, ColumnVector target, int row) {
            ListColumnVector list = (ListColumnVector) target;
            values.arrayAt(index, view);
            int start = list.childCount;
            int count = view.count();
            list.offsets[row] = start;
            list.lengths[row] = count;
            list.childCount = start + count;
            list.child.ensureSize(list.childCount, true);
            appendAll(view, element, list.child, start);
        }
    }

    private static final class OfMap extends ColumnAppender {
        private final BinaryMap view;
        private final ColumnAppender key;
        private final ColumnAppender value;

        OfMap(ValueLayout layout) {
            this.view = new BinaryMap(layout);
            this.key = of(layout.key());
            this.value = of(layout.value());
        }

        @Override
        void appendValue(BinaryValues values, int index, ColumnVector target, int row) {
            MapColumnVector map = (MapColumnVector) target;
            values.mapAt(index, view);
            int start = map.childCount;
            map.offsets[row] = start;
            map.lengths[row] = view.count();
            map.childCount = start + view.count();
            map.keys.ensureSize(map.childCount, true);
            map.values.ensureSize(map.childCount, true);
            appendAll(view.keys(), key, map.keys, start);
            appendAll(view.values(), value, map.values, start);
        }
    }

    private static final class OfRow extends ColumnAppender {
        private final BinaryRow view;
        private final ColumnAppender[] fields;

        OfRow(ValueLayout layout) {
            this.view = new BinaryRow(layout.row());
            this.fields = new ColumnAppender[layout.row().count()];
            for (int i = 0; i < fields.length; i++) {
                fields[i] = of(layout.row().value(i));
            }
        }

        @Override
        void appendValue(BinaryValues values, int index, ColumnVector target, int row) {
            StructColumnVector struct = (StructColumnVector) target;
            values.rowAt(index, view);
            for (int i = 0; i < fields.length; i++) {
                fields[i].append(view, i, struct.fields[i], row);
            }
        }
    }

    private static void appendAll(
            BinaryArray array, ColumnAppender element, ColumnVector target, int start) {
        for (int i = 0; i < array.count(); i++) {
            element.append(array, i, target, start + i);
        }
    }
}
