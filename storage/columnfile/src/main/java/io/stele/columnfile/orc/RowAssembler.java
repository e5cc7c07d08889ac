package io.stele.columnfile.orc;

import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.RowMapping;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.TypeDescription;
import org.jspecify.annotations.Nullable;

/**
 * A converter of rows of ORC batches to binary rows, for cursors and point reads of column files.
 * Confined to one thread.
 */
final class RowAssembler {
    private final ColumnFileReader file;
    private final ColumnExtractor[] extractors;
    private final RowEncoder encoder;
    private final BinaryRow view;
    private final RowMapping.@Nullable Mapper mapper;

    /** An assembler of rows of the reader's columns. */
    RowAssembler(ColumnFileReader file) {
        this(file, null);
    }

    /** An assembler of rows that are mapped to other columns. */
    RowAssembler(ColumnFileReader file, @Nullable RowMapping mapping) {
        this.file = file;
        this.mapper = mapping == null || mapping.isSameBytes() ? null : mapping.mapper();
        RowLayout layout = file.newLayout();
        this.extractors = new ColumnExtractor[layout.count()];
        for (int i = 0; i < extractors.length; i++) {
            extractors[i] = ColumnExtractor.of(layout.value(i));
        }
        this.encoder = RowEncoder.ofStored(layout);
        this.view = new BinaryRow(mapping == null ? layout : mapping.to());
    }

    VectorizedRowBatch newBatch(int rows) {
        return file.fileSchema()
                .createRowBatch(TypeDescription.RowBatchVersion.USE_DECIMAL64, rows);
    }

    /** The row at a position of a batch; valid until the next call. */
    BinaryRow assemble(VectorizedRowBatch batch, int row) {
        encoder.reset();
        for (int i = 0; i < extractors.length; i++) {
            int position = file.position(i);
            if (position != ColumnFileReader.ABSENT) {
                extractors[i].extract(batch.cols[position], row, encoder, i);
            }
        }
        int length = encoder.finish();
        return mapper == null
                ? view.wrap(encoder.array(), 0, length)
                : view.wrap(mapper.map(encoder.array(), 0, length));
    }

    long lsn(VectorizedRowBatch batch, int row) {
        int position = file.lsnPosition();
        return position == ColumnFileReader.ABSENT
                ? file.ingestLsn()
                : longAt(batch.cols[position], row);
    }

    long rowId(VectorizedRowBatch batch, int row, long ordinal) {
        int position = file.rowIdPosition();
        return position == ColumnFileReader.ABSENT
                ? file.firstRowId() + ordinal
                : longAt(batch.cols[position], row);
    }

    private static long longAt(ColumnVector vector, int row) {
        return ((LongColumnVector) vector).vector[vector.isRepeating ? 0 : row];
    }
}
