package io.stele.benchmarks.paimon;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.paimon.catalog.CachingCatalog;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.FileSystemCatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.Path;
import org.apache.paimon.options.Options;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.reader.RecordReaderIterator;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;

/** Paimon's own library over a lake, as engines use it. Confined to one thread. */
final class PaimonPeer implements AutoCloseable {
    /** Takes manifests of all sizes into its cache, which it does not by default. */
    static final Map<String, String> ALL_MANIFESTS = Map.of("cache.manifest.max-memory", "4 gb");

    /** Filters rows while it reads ORC, which it does not by default. */
    private static final Map<String, String> FILTERING =
            Map.of("orc.sarg.to.filter", "true", "orc.filter.use.selected", "true");

    private final Catalog catalog;

    private PaimonPeer(Catalog catalog) {
        this.catalog = requireNonNull(catalog, "catalog is null");
    }

    /** Opens a lake with empty caches. */
    static PaimonPeer open(java.nio.file.Path lake, FileIO files, Map<String, String> properties) {
        Options options = new Options(properties);
        Path warehouse = new Path(lake.toUri());
        options.set("warehouse", warehouse.toString());
        return new PaimonPeer(
                CachingCatalog.tryToCreate(
                        new FileSystemCatalogFactory()
                                .create(files, warehouse, CatalogContext.create(options)),
                        options));
    }

    /** What is to be read of a table. */
    record Scan(ReadBuilder builder, List<Split> splits) {
        Scan {
            requireNonNull(builder, "builder is null");
            splits = List.copyOf(requireNonNull(splits, "splits is null"));
        }
    }

    /**
     * @param equal the wanted values of columns
     */
    Scan plan(String database, String table, Map<String, Object> equal) throws Exception {
        Table found = catalog.getTable(Identifier.create(database, table)).copy(FILTERING);
        PredicateBuilder predicates = new PredicateBuilder(found.rowType());
        List<Predicate> all = new ArrayList<>();
        equal.forEach(
                (column, value) -> all.add(predicates.equal(predicates.indexOf(column), value)));
        ReadBuilder builder = found.newReadBuilder();
        if (!all.isEmpty()) {
            builder.withFilter(all);
        }
        return new Scan(builder, builder.newScan().plan().splits());
    }

    /** Reads the rows whose first column, a number, has a value, and returns their second ones. */
    static List<Long> find(Scan scan, long value) throws IOException {
        List<Long> result = new ArrayList<>();
        try (RecordReaderIterator<InternalRow> rows =
                new RecordReaderIterator<>(scan.builder().newRead().createReader(scan.splits()))) {
            while (rows.hasNext()) {
                InternalRow row = rows.next();
                if (row.getLong(0) == value) {
                    result.add(row.getLong(1));
                }
            }
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
        return result;
    }

    @Override
    public void close() throws Exception {
        catalog.close();
    }
}
