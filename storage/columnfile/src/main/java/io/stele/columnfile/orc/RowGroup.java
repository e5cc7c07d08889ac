package io.stele.columnfile.orc;

/** One row group of a file: the stripe, and the position in it. */
record RowGroup(int stripe, int index) {}
