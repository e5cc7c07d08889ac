package io.stele.benchmarks.quickstart;

import io.stele.benchmarks.servers.TrinoSession;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.options.Options;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.types.DataTypes;

/**
 * Part 6 of the demonstration, about existing lakes: Apache Paimon's own library writes a
 * warehouse, and Trino queries it through the catalog {@code lake} beside Stele's tables.
 */
final class QueryLake {
    private static final int INVOICES = 20_000;

    /** Held, since a logger that is not keeps no level. */
    private static final List<Logger> LOGGERS =
            List.of(Logger.getLogger("org.apache.paimon"), Logger.getLogger("org.apache.hadoop"));

    private final Path folder;
    private final TrinoSession trino;
    private final Findings findings;

    private QueryLake(Path folder, TrinoSession trino, Findings findings) {
        this.folder = folder;
        this.trino = trino;
        this.findings = findings;
    }

    static void run(Path folder, TrinoSession trino, Findings findings) throws Exception {
        LOGGERS.forEach(logger -> logger.setLevel(Level.SEVERE));
        findings.heading("6. A lake that Apache Paimon writes, in the same Trino");
        new QueryLake(folder, trino, findings).run();
    }

    private void run() throws Exception {
        Options options = new Options();
        options.set("warehouse", folder.toString());
        try (Catalog catalog = CatalogFactory.createCatalog(CatalogContext.create(options))) {
            Identifier name = Identifier.create("shop", "invoices");
            catalog.createDatabase("shop", true);
            catalog.createTable(
                    name,
                    Schema.newBuilder()
                            .column("account", DataTypes.BIGINT().notNull())
                            .column("amount", DataTypes.DECIMAL(18, 2))
                            .column("state", DataTypes.STRING())
                            .primaryKey("account")
                            .option("bucket", "2")
                            .option("deletion-vectors.enabled", "true")
                            .build(),
                    false);
            Table table = catalog.getTable(name);
            write(table, 1, INVOICES, "open");
            show();
            write(table, 1, 500, "paid");
            showUpdates();
            copy();
        }
    }

    private void write(Table table, long first, long last, String state) throws Exception {
        List<GenericRow> rows = new ArrayList<>();
        for (long account = first; account <= last; account++) {
            rows.add(
                    GenericRow.of(
                            account,
                            Decimal.fromBigDecimal(
                                    BigDecimal.valueOf(account % 1_000 * 100, 2), 18, 2),
                            BinaryString.fromString(state)));
        }
        BatchWriteBuilder builder = table.newBatchWriteBuilder();
        try (BatchTableWrite write = builder.newWrite();
                BatchTableCommit commit = builder.newCommit();
                IOManager disk = IOManager.create(folder.resolveSibling("spill").toString())) {
            write.withIOManager(disk);
            for (GenericRow row : rows) {
                write.write(row);
            }
            commit.commit(write.prepareCommit());
        }
    }

    private void show() throws Exception {
        findings.checkEqual(
                "all invoices that Paimon wrote",
                (long) INVOICES,
                trino.number("SELECT count(*) FROM lake.shop.invoices"));
        findings.checkEqual(
                "a join of Stele's accounts with Paimon's invoices",
                trino.number(
                        "SELECT count(*) FROM stele.live.accounts WHERE id <= %s"
                                .formatted(INVOICES)),
                trino.number(
                        "SELECT count(*) FROM stele.live.accounts a JOIN lake.shop.invoices i ON a.id = i.account"));
        String lookup = "SELECT state FROM lake.shop.invoices WHERE account = 42";
        findings.checkEqual("invoice 42 by its key", List.of(List.of("open")), trino.query(lookup));
        long start = System.nanoTime();
        trino.query(lookup);
        findings.measured(
                "lookup in Paimon's table through Trino",
                "%.0f ms",
                (System.nanoTime() - start) / 1e6);
    }

    private void copy() throws Exception {
        trino.update(
                "CREATE TABLE stele.live.invoices WITH (primary_key = ARRAY['account']) AS SELECT * FROM lake.shop.invoices");
        String sums =
                "SELECT state, count(*), sum(amount), sum(account) FROM %s GROUP BY 1 ORDER BY 1";
        findings.checkEqual(
                "the invoices as CREATE TABLE AS has copied them to Stele",
                trino.query(sums.formatted("lake.shop.invoices")),
                trino.query(sums.formatted("stele.live.invoices")));
        findings.checkEqual(
                "invoice 42 of the copy by its key",
                List.of(List.of("paid")),
                trino.query("SELECT state FROM stele.live.invoices WHERE account = 42"));
    }

    private void showUpdates() throws Exception {
        findings.checkEqual(
                "500 invoices that Paimon updated, as deletion vectors have it",
                500L,
                trino.number(
                        "SELECT count(*) FROM lake.shop.invoices FOR VERSION AS OF %s WHERE state = 'paid'"
                                .formatted(
                                        trino.number(
                                                "SELECT max(snapshot_id) FROM lake.shop.\"invoices$snapshots\""))));
        findings.checkEqual(
                "none of them before the update",
                0L,
                trino.number(
                        "SELECT count(*) FROM lake.shop.invoices FOR VERSION AS OF 1 WHERE state = 'paid'"));
    }
}
