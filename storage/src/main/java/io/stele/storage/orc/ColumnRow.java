package io.stele.storage.orc;

/**
 * One row of a column file, copied out of it.
 *
 * @param rowId 0 if the table has a primary key
 * @param row in the layout of the columns that the reader was opened with
 */
public record ColumnRow(int ordinal, long lsn, long rowId, byte[] row) {}
