package io.stele.columnfile.orc.write;

import io.stele.columnfile.orc.DecimalScale;
import io.stele.columnfile.orc.ScaledColumn;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TypeKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hive.ql.exec.vector.DoubleColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.TypeDescription;

/**
 * The encoder of DOUBLE columns, chosen by a sample, into hidden scaled whole-number columns beside
 * them, for batches of a file being written. It chooses the columns by a sample and adds them to
 * each batch. Confined to one thread.
 */
final class ScaledVectors {
    private final List<Column> columns = new ArrayList<>();

    /**
     * Chooses by the first rows which columns get a scaled column.
     *
     * @param schema the columns whose vectors are the first of the batches, in their order
     */
    ScaledVectors(List<ColumnSchema> schema, List<VectorizedRowBatch> sample) {
        for (int position = 0; position < schema.size(); position++) {
            ColumnSchema column = schema.get(position);
            if (column.type().kind() == TypeKind.DOUBLE) {
                Optional<DecimalScale> scale = scale(sample, position);
                if (scale.isPresent()) {
                    columns.add(new Column(position, new ScaledColumn(column.id(), scale.get())));
                }
            }
        }
    }

    private static Optional<DecimalScale> scale(List<VectorizedRowBatch> sample, int position) {
        DecimalScale.Chooser chooser = new DecimalScale.Chooser();
        for (VectorizedRowBatch batch : sample) {
            DoubleColumnVector doubles = (DoubleColumnVector) batch.cols[position];
            int count = doubles.isRepeating ? Math.min(1, batch.size) : batch.size;
            for (int row = 0; row < count; row++) {
                if (doubles.noNulls || !doubles.isNull[row]) {
                    chooser.add(doubles.vector[row]);
                }
            }
        }
        return chooser.choice();
    }

    /** The file's schema with the scaled columns at its end. */
    TypeDescription addTo(TypeDescription fileSchema) {
        TypeDescription extended = fileSchema.clone();
        for (Column column : columns) {
            TypeDescription type = TypeDescription.createLong();
            column.scaled.attributes().forEach(type::setAttribute);
            extended.addField(column.scaled.name(extended.getFieldNames()), type);
        }
        return extended;
    }

    /** The batch with the scaled columns; valid until the next call. */
    VectorizedRowBatch with(VectorizedRowBatch batch) {
        if (columns.isEmpty()) {
            return batch;
        }
        int count = batch.cols.length;
        VectorizedRowBatch extended = new VectorizedRowBatch(count + columns.size(), batch.size);
        System.arraycopy(batch.cols, 0, extended.cols, 0, count);
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            extended.cols[count + i] =
                    column.encode((DoubleColumnVector) batch.cols[column.position], batch.size);
        }
        extended.size = batch.size;
        return extended;
    }

    private static final class Column {
        private final int position; // of the doubles
        private final ScaledColumn scaled;
        private LongColumnVector whole = new LongColumnVector(0);
        private boolean givenUp;

        Column(int position, ScaledColumn scaled) {
            this.position = position;
            this.scaled = scaled;
        }

        LongColumnVector encode(DoubleColumnVector doubles, int count) {
            if (whole.vector.length < count) {
                whole = new LongColumnVector(count);
            }
            whole.noNulls = doubles.noNulls;
            whole.isRepeating = doubles.isRepeating;
            System.arraycopy(doubles.isNull, 0, whole.isNull, 0, count);
            int values = doubles.isRepeating ? Math.min(1, count) : count;
            for (int row = 0; row < values && !givenUp; row++) {
                if (doubles.noNulls || !doubles.isNull[row]) {
                    whole.vector[row] = scaled.scale().encode(doubles.vector[row]);
                    givenUp = whole.vector[row] == DecimalScale.NONE;
                }
            }
            if (givenUp) {
                whole.noNulls = false;
                whole.isRepeating = true;
                Arrays.fill(whole.isNull, true);
            }
            return whole;
        }
    }
}
