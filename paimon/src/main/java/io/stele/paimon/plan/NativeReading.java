package io.stele.paimon.plan;

import java.util.Locale;
import org.apache.paimon.table.AppendOnlyFileStoreTable;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.PrimaryKeyFileStoreTable;

/** The rules for what readers of this plugin read; Paimon's reader reads the rest. Stateless. */
final class NativeReading {
    private NativeReading() {}

    /**
     * Whether the files of a table whose rows need no merge are complete: those of a table with
     * data evolution have some of the columns only.
     */
    static boolean isPossible(FileStoreTable table) {
        return (table instanceof AppendOnlyFileStoreTable
                        || table instanceof PrimaryKeyFileStoreTable)
                && !table.coreOptions().dataEvolutionEnabled();
    }

    static boolean hasReader(String format) {
        return switch (format.toLowerCase(Locale.ROOT)) {
            case "orc", "parquet" -> false;
            default -> false;
        };
    }
}
