package io.stele.paimon.type;

import io.trino.spi.block.Block;
import io.trino.spi.block.RowBlock;
import java.util.ArrayList;
import java.util.List;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowType;

/** The way from a column to fields nested in it, by Paimon's ids of the fields. Stateless. */
public final class NestedFields {
    private NestedFields() {}

    /**
     * A type with only the fields on some paths.
     *
     * @param paths an empty one: all of the type
     */
    static DataType select(DataType type, List<List<Integer>> paths) {
        if (paths.stream().anyMatch(List::isEmpty)) {
            return type;
        }
        RowType row = (RowType) type;
        List<DataField> fields = new ArrayList<>();
        for (DataField field : row.getFields()) {
            List<List<Integer>> inField =
                    paths.stream()
                            .filter(path -> path.get(0) == field.id())
                            .map(path -> path.subList(1, path.size()))
                            .toList();
            if (!inField.isEmpty()) {
                fields.add(field.newType(select(field.type(), inField)));
            }
        }
        return new RowType(row.isNullable(), fields);
    }

    /** The positions of the fields on a path, each in the row before it. */
    static List<Integer> positions(DataType type, List<Integer> path) {
        List<Integer> positions = new ArrayList<>();
        DataType present = type;
        for (int id : path) {
            RowType row = (RowType) present;
            int position = position(row, id);
            positions.add(position);
            present = row.getTypeAt(position);
        }
        return positions;
    }

    /** The type of the field at the end of a path. */
    public static DataType type(DataType type, List<Integer> path) {
        DataType present = type;
        for (int id : path) {
            RowType row = (RowType) present;
            present = row.getTypeAt(position(row, id));
        }
        return present;
    }

    private static int position(RowType row, int id) {
        for (int i = 0; i < row.getFieldCount(); i++) {
            if (row.getFields().get(i).id() == id) {
                return i;
            }
        }
        throw new IllegalArgumentException("Expected a field of id " + id + " in " + row);
    }

    /** The field at positions in rows; null where a row around it is null. */
    public static Block field(Block rows, List<Integer> positions) {
        Block present = rows;
        for (int position : positions) {
            present = RowBlock.getRowFieldsFromBlock(present).get(position);
        }
        return present;
    }

    /** The value at the end of a path in a column of Paimon's rows. */
    public static InternalRow.FieldGetter getter(int column, DataType type, List<Integer> path) {
        InternalRow.FieldGetter outer = InternalRow.createFieldGetter(type, column);
        if (path.isEmpty()) {
            return outer;
        }
        RowType row = (RowType) type;
        int position = position(row, path.get(0));
        InternalRow.FieldGetter inner =
                getter(position, row.getTypeAt(position), path.subList(1, path.size()));
        return rows -> {
            Object found = outer.getFieldOrNull(rows);
            return found == null ? null : inner.getFieldOrNull((InternalRow) found);
        };
    }
}
