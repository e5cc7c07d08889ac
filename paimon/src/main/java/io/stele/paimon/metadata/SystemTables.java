package io.stele.paimon.metadata;

import io.trino.spi.connector.SchemaTableName;

/** The naming convention of Paimon's system tables and branches. Stateless. */
final class SystemTables {
    private static final String BRANCH = "branch_";

    private SystemTables() {}

    /**
     * Whether a name is that of a system table: {@code table$snapshots}, or {@code
     * table$branch_name$snapshots} of a branch. The name of a branch alone is that of a table.
     */
    static boolean isSystemTable(SchemaTableName name) {
        int first = name.getTableName().indexOf('$');
        if (first < 0) {
            return false;
        }
        String suffix = name.getTableName().substring(first + 1);
        return !suffix.startsWith(BRANCH) || suffix.indexOf('$') >= 0;
    }
}
