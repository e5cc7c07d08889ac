package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import org.apache.paimon.table.FileStoreTable;

/**
 * The location and branch of a table, by which caches of this package name it; a table that is
 * dropped and created again keeps them.
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
