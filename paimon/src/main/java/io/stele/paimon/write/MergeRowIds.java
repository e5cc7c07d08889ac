package io.stele.paimon.write;

import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.type.PaimonTypes;
import io.trino.spi.type.RowType;
import java.util.Arrays;
import java.util.List;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataField;

/**
 * The definition of the hidden row-id column by which MERGE, UPDATE and DELETE name a row, made of
 * columns of the row itself. Stateless.
 */
public final class MergeRowIds {
    /** No field of Paimon has a negative id. */
    public static final int COLUMN_ID = -1;

    private static final String COLUMN_NAME = "$row_id";

    private MergeRowIds() {}

    /** The row-id column of a table. */
    public static PaimonColumnHandle column(FileStoreTable table) {
        List<RowType.Field> fields =
                columns(table).stream()
                        .map(column -> RowType.field(column.name(), column.type()))
                        .toList();
        return new PaimonColumnHandle(COLUMN_ID, COLUMN_NAME, RowType.from(fields));
    }

    /** The columns of a table that its row id consists of. */
    static List<PaimonColumnHandle> columns(FileStoreTable table) {
        return RowChangeRules.rowIdFields(table).stream()
                .map(
                        field ->
                                new PaimonColumnHandle(
                                        field.id(), field.name(), PaimonTypes.toTrino(field)))
                .toList();
    }

    /** The index in the row id of each field of a row; -1: not in the row id. */
    static int[] channels(FileStoreTable table) {
        return channels(
                table.rowType().getFields(),
                RowChangeRules.rowIdFields(table).stream().map(DataField::id).toList());
    }

    /** The index in a list of ids of each field; -1: not in the list. */
    static int[] channels(List<DataField> fields, List<Integer> ids) {
        int[] channels = new int[fields.size()];
        Arrays.setAll(channels, i -> ids.indexOf(fields.get(i).id()));
        return channels;
    }
}
