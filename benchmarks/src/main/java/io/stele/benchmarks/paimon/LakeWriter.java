package io.stele.benchmarks.paimon;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.util.Map;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.options.Options;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.stats.ColStats;
import org.apache.paimon.stats.Statistics;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;

/** Paimon's own writers over a lake in a folder. Thread-safe for different tables. */
final class LakeWriter implements AutoCloseable {
    private final Catalog catalog;
    private final Path spill;

    private LakeWriter(Catalog catalog, Path spill) {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.spill = requireNonNull(spill, "spill is null");
    }

    /**
     * @param spill a folder for files of a moment
     */
    static LakeWriter open(Path lake, Path spill) {
        Options options = new Options();
        options.set("warehouse", lake.toString());
        // A snapshot of others' making is seen
        options.set("cache-enabled", "false");
        return new LakeWriter(CatalogFactory.createCatalog(CatalogContext.create(options)), spill);
    }

    void create(String database, String name, Schema schema) throws Exception {
        catalog.createDatabase(database, true);
        catalog.createTable(Identifier.create(database, name), schema, false);
    }

    /** Commits rows to a table. */
    void write(String database, String name, Iterable<? extends InternalRow> rows)
            throws Exception {
        BatchWriteBuilder builder = table(database, name).newBatchWriteBuilder();
        try (BatchTableWrite write = builder.newWrite();
                BatchTableCommit commit = builder.newCommit();
                IOManager disk = IOManager.create(spill.toString())) {
            write.withIOManager(disk);
            for (InternalRow row : rows) {
                write.write(row);
            }
            commit.commit(write.prepareCommit());
        }
    }

    /** Commits statistics of the latest snapshot, as Paimon's ANALYZE does. */
    void analyze(String database, String name, long rows, Map<String, ColStats<?>> columns)
            throws Exception {
        FileStoreTable table = table(database, name);
        try (BatchTableCommit commit = table.newBatchWriteBuilder().newCommit()) {
            commit.updateStatistics(
                    new Statistics(
                            table.latestSnapshot().orElseThrow().id(),
                            table.schema().id(),
                            rows,
                            null,
                            columns));
        }
    }

    FileStoreTable table(String database, String name) throws Exception {
        return (FileStoreTable) catalog.getTable(Identifier.create(database, name));
    }

    @Override
    public void close() throws Exception {
        catalog.close();
    }
}
