package io.stele.storage.orc;

/** One row group of a file: the stripe, and the position in it. */
record RowGroup(int stripe, int index) {}
