package io.stele.columnfile.orc;

/**
 * The position of a row group in a column file: the number of its stripe, and its number in the
 * stripe, from 0.
 */
record RowGroup(int stripe, int index) {}
