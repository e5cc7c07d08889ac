package io.stele.protocol.arrow;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A converter of the batches of an Arrow stream to binary rows of a layout. Columns are matched by
 * id or, if the stream has no ids, by name without case; columns that the stream lacks are null.
 * Immutable.
 *
 * <p>Types must be equal or convert without loss: integers that fit, real to double, timestamps
 * between units, decimals of equal scale, text to text. Rows of an untrusted sender must still be
 * validated.
 */
public final class ArrowRows {
    private final RowLayout layout;

    /** For each column of the layout, the column of the batch; -1 if there is none. */
    private final int[] sources;

    private final ValueCopier[] copiers;

    /**
     * Prepares the conversion of a stream.
     *
     * @throws SteleException COLUMN_NOT_FOUND or TYPE_MISMATCH, naming the column; INVALID_ARGUMENT
     *     for a duplicate column
     */
    public ArrowRows(List<ArrowField> fields, RowLayout layout) {
        this.layout = layout;
        this.sources = new int[layout.count()];
        this.copiers = new ValueCopier[layout.count()];
        Arrays.fill(sources, -1);
        Map<String, Integer> byName = new HashMap<>();
        Map<Integer, Integer> byId = new HashMap<>();
        for (int i = 0; i < layout.count(); i++) {
            ColumnSchema column = layout.columns().get(i);
            byName.put(column.name().toLowerCase(Locale.ENGLISH), i);
            byId.put(column.id(), i);
        }
        Set<Integer> seen = new HashSet<>();
        for (int source = 0; source < fields.size(); source++) {
            ArrowField field = fields.get(source);
            if (field.id() < 0) {
                continue;
            }
            Integer target =
                    field.id() > 0
                            ? byId.get(field.id())
                            : byName.get(field.name().toLowerCase(Locale.ENGLISH));
            if (target == null) {
                throw new SteleException(
                        ErrorCode.COLUMN_NOT_FOUND,
                        "Expected a column of the table, found Arrow field '"
                                + field.name()
                                + "'"
                                + (field.id() > 0 ? " with id " + field.id() : ""));
            }
            if (!seen.add(target)) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected each column once, found Arrow field '"
                                + field.name()
                                + "' again");
            }
            DataType type = layout.type(target);
            sources[target] = source;
            copiers[target] = ValueCopier.of(field.arrowType(), type, layout.name(target));
        }
    }

    /** Whether the stream has the column at a position of the layout. */
    public boolean hasColumn(int index) {
        return sources[index] >= 0;
    }

    /**
     * Encodes one row of a batch: resets the encoder, sets the values, and finishes the row.
     *
     * @return the row's length in {@code encoder.array()}
     * @throws SteleException NULL_KEY or TYPE_MISMATCH, naming the column
     */
    public int encode(ArrowBatch batch, int row, RowEncoder encoder) {
        encoder.reset();
        for (int i = 0; i < sources.length; i++) {
            if (sources[i] >= 0) {
                ArrowColumn column = batch.columns().get(sources[i]);
                if (!column.isNull(row)) {
                    copiers[i].copy(column, row, encoder, i);
                }
            }
        }
        return encoder.finish();
    }

    public RowLayout layout() {
        return layout;
    }
}
