package io.stele.columnfile.orc;

import io.stele.protocol.row.RowMapping;

/**
 * A copy of one row of a column file, with its ordinal, LSN and row id: the result of a point read.
 *
 * @param rowId 0 if the table has a primary key
 * @param row in the layout of the columns that the reader was opened with
 */
public record ColumnRow(int ordinal, long lsn, long rowId, byte[] row) {
    /** This row in another schema version. */
    public ColumnRow mapped(RowMapping mapping) {
        return mapping.isSameBytes()
                ? this
                : new ColumnRow(ordinal, lsn, rowId, mapping.mapper().map(row));
    }
}
