package io.stele.client;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.PartialRowLayout;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An encoder of values of chosen columns as partial rows, for updates of a {@link TableWriter}. It
 * reuses its buffer; confined to its user's lock.
 */
final class PartialBinding {
    private final PartialRowLayout layout;
    private final RowEncoder encoder;

    /** For each column of the layout, its position among the values. */
    private final int[] places;

    private final @Nullable Object[] ordered;

    private PartialBinding(PartialRowLayout layout, int[] places) {
        this.layout = layout;
        this.places = places;
        this.encoder = new RowEncoder(layout.layout());
        this.ordered = new @Nullable Object[places.length];
    }

    /**
     * An encoder for columns in the order of the values.
     *
     * @throws SteleException COLUMN_NOT_FOUND, INVALID_ARGUMENT for a duplicate column, NULL_KEY
     *     without the primary key
     */
    static PartialBinding of(TableSchema schema, List<String> columns) {
        List<Integer> ids = new ArrayList<>(columns.size());
        for (String column : columns) {
            ids.add(
                    schema.findColumn(column)
                            .orElseThrow(
                                    () ->
                                            new SteleException(
                                                    ErrorCode.COLUMN_NOT_FOUND,
                                                    "Expected a column of "
                                                            + schema.qualifiedName()
                                                            + ", found '"
                                                            + column
                                                            + "'"))
                            .id());
        }
        PartialRowLayout layout = PartialRowLayout.of(schema, ids);
        int[] places =
                layout.layout().columns().stream()
                        .mapToInt(column -> ids.indexOf(column.id()))
                        .toArray();
        return new PartialBinding(layout, places);
    }

    PartialRowLayout layout() {
        return layout;
    }

    /** The partial row of values, one for each column, in the order of the columns. */
    byte[] encode(@Nullable Object[] values) {
        if (values.length != places.length) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected "
                            + places.length
                            + " values, one a given column, found "
                            + values.length);
        }
        for (int i = 0; i < places.length; i++) {
            ordered[i] = values[places[i]];
        }
        int length = Rows.encode(encoder, Arrays.asList(ordered));
        byte[] bytes = new byte[layout.headBytes() + length];
        int head = layout.writeHead(bytes, 0);
        System.arraycopy(encoder.array(), 0, bytes, head, length);
        return bytes;
    }
}
