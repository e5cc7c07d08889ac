package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import org.apache.paimon.table.FileStoreTable;

/**
 * A place of a table: a table that is dropped and created again has the same.
 *
 * @param location the full location of the table
 * @param branch {@code main}, or another of the table's branches
 */
record TableId(String location, String branch) {
    TableId {
        requireNonNull(location, "location is null");
        requireNonNull(branch, "branch is null");
    }

    static TableId of(FileStoreTable table) {
        return new TableId(table.location().toString(), table.snapshotManager().branch());
    }
}
