package io.stele.paimon.table;

import java.util.OptionalLong;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;

/** The number of rows of a split that a scan would find, by its metadata alone. Stateless. */
public final class VisibleRowCount {
    private VisibleRowCount() {}

    /**
     * The rows of a split; empty: unknown without reading its files.
     *
     * @param table of the split
     */
    public static OptionalLong of(FileStoreTable table, DataSplit split) {
        // Paimon takes the files of old writers, which did not count deletions, as without any
        boolean areCounted =
                table.primaryKeys().isEmpty()
                        || split.dataFiles().stream()
                                .allMatch(file -> file.deleteRowCount().isPresent());
        return areCounted ? split.mergedRowCount() : OptionalLong.empty();
    }
}
