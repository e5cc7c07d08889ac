package io.stele.benchmarks.paimon;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.TrinoSession;
import io.trino.tpch.TpchColumn;
import io.trino.tpch.TpchEntity;
import io.trino.tpch.TpchTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.stats.ColStats;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;

/**
 * The loader of TPC-H tables into a lake by Paimon's writers, from the generator of Trino's {@code
 * tpch}. It writes append tables in ORC and Parquet, and tables with a primary key and deletion
 * vectors, once as loaded and once with a part of the rows updated to the same values. Confined to
 * one thread.
 */
final class TpchLake {
    static final String ORC = "tpch_orc";
    static final String PARQUET = "tpch_parquet";
    static final String KEYED = "tpch_keyed";
    static final String UPDATED = "tpch_updated";

    /** One in twenty: 5 %. */
    private static final int UPDATED_PART = 20;

    private static final Map<String, List<String>> KEYS =
            Map.of(
                    "customer", List.of("c_custkey"),
                    "lineitem", List.of("l_orderkey", "l_linenumber"),
                    "nation", List.of("n_nationkey"),
                    "orders", List.of("o_orderkey"),
                    "part", List.of("p_partkey"),
                    "partsupp", List.of("ps_partkey", "ps_suppkey"),
                    "region", List.of("r_regionkey"),
                    "supplier", List.of("s_suppkey"));

    private final LakeWriter writer;
    private final Path folder;
    private final double scale;

    TpchLake(LakeWriter writer, Path folder, double scale) {
        this.writer = requireNonNull(writer, "writer is null");
        this.folder = requireNonNull(folder, "folder is null");
        this.scale = scale;
    }

    /** Writes all tables, as many at once as there are processors. */
    void write() throws Exception {
        List<TpchTable<?>> tables = new ArrayList<>(TpchTable.getTables());
        // The largest first, so that no processor waits for it at the end
        tables.sort(Comparator.comparing(table -> !table.equals(TpchTable.LINE_ITEM)));
        List<Callable<Void>> loads = new ArrayList<>();
        for (TpchTable<?> table : tables) {
            for (String database : List.of(KEYED, ORC, PARQUET)) {
                loads.add(
                        () -> {
                            load(table, database);
                            return null;
                        });
            }
        }
        runAll(loads);
        copyKeyed();
        List<Callable<Void>> updates = new ArrayList<>();
        for (TpchTable<?> table : tables) {
            updates.add(
                    () -> {
                        writer.write(UPDATED, table.getTableName(), rows(table, UPDATED_PART));
                        return null;
                    });
        }
        runAll(updates);
    }

    private static void runAll(List<Callable<Void>> tasks) throws Exception {
        try (ExecutorService executor =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors())) {
            for (Future<Void> task : executor.invokeAll(tasks)) {
                task.get();
            }
        }
    }

    private <E extends TpchEntity> void load(TpchTable<E> table, String database) throws Exception {
        Schema.Builder schema =
                Schema.newBuilder().option("file.format", database.equals(ORC) ? "orc" : "parquet");
        List<String> keys = KEYS.getOrDefault(table.getTableName(), List.of());
        for (TpchColumn<E> column : table.getColumns()) {
            schema.column(column.getColumnName(), type(column));
        }
        if (database.equals(KEYED)) {
            schema.primaryKey(keys)
                    .option("bucket", "1")
                    .option("deletion-vectors.enabled", "true");
        } else {
            schema.option("bucket", "-1");
        }
        writer.create(database, table.getTableName(), schema.build());
        writer.write(database, table.getTableName(), rows(table, 1));
    }

    private static DataType type(TpchColumn<?> column) {
        return switch (column.getType().getBase()) {
            case IDENTIFIER -> DataTypes.BIGINT();
            case INTEGER -> DataTypes.INT();
            case DATE -> DataTypes.DATE();
            case DOUBLE -> DataTypes.DOUBLE();
            case VARCHAR ->
                    DataTypes.VARCHAR(
                            Math.toIntExact(column.getType().getPrecision().orElseThrow()));
        };
    }

    /** One row in {@code part}. */
    private <E extends TpchEntity> Iterable<GenericRow> rows(TpchTable<E> table, int part) {
        List<TpchColumn<E>> columns = table.getColumns();
        return () ->
                StreamSupport.stream(table.createGenerator(scale, 1, 1).spliterator(), false)
                        .filter(entity -> entity.rowNumber() % part == 0)
                        .map(
                                entity ->
                                        GenericRow.of(
                                                columns.stream()
                                                        .map(column -> value(column, entity))
                                                        .toArray()))
                        .iterator();
    }

    private static <E extends TpchEntity> Object value(TpchColumn<E> column, E entity) {
        return switch (column.getType().getBase()) {
            case IDENTIFIER -> column.getIdentifier(entity);
            case INTEGER -> column.getInteger(entity);
            case DATE -> column.getDate(entity);
            case DOUBLE -> column.getDouble(entity);
            case VARCHAR -> BinaryString.fromString(column.getString(entity));
        };
    }

    /** Data files never change, so that both have them. */
    private void copyKeyed() throws IOException {
        Path source = folder.resolve(KEYED + ".db");
        Path target = folder.resolve(UPDATED + ".db");
        List<Path> all;
        try (Stream<Path> found = Files.walk(source)) {
            all = found.toList(); // folders before what is in them
        }
        for (Path path : all) {
            Path copy = target.resolve(source.relativize(path));
            if (Files.isDirectory(path)) {
                Files.createDirectories(copy);
            } else if (source.relativize(path).toString().contains("/bucket-")) {
                Files.createLink(copy, path);
            } else {
                Files.copy(path, copy);
            }
        }
    }

    /** Gives all tables the statistics that another catalog has of the same rows. */
    void analyze(TrinoSession trino, String otherSchema) throws Exception {
        for (TpchTable<?> table : TpchTable.getTables()) {
            String name = table.getTableName();
            Map<String, List<Object>> found = new HashMap<>();
            double rows = 0;
            for (List<Object> row :
                    trino.query("SHOW STATS FOR %s.%s".formatted(otherSchema, name))) {
                if (row.get(0) instanceof String column) {
                    found.put(column, row);
                } else if (row.get(4) instanceof Double count) {
                    rows = count;
                }
            }
            for (String database : List.of(ORC, PARQUET, KEYED, UPDATED)) {
                Map<String, ColStats<?>> columns = new HashMap<>();
                for (DataField field : writer.table(database, name).rowType().getFields()) {
                    List<Object> row = found.getOrDefault(field.name(), List.of());
                    if (!row.isEmpty()) {
                        columns.put(field.name(), statistics(field, row, rows));
                    }
                }
                writer.analyze(database, name, (long) rows, columns);
            }
        }
    }

    /** Of bytes, distinct values and the share of nulls, where they are known. */
    private static ColStats<?> statistics(DataField field, List<Object> row, double rows) {
        return ColStats.newColStats(
                field.id(),
                row.get(2) instanceof Double distinct ? Math.round(distinct) : null,
                null,
                null,
                row.get(3) instanceof Double nulls ? Math.round(nulls * rows) : null,
                row.get(1) instanceof Double bytes ? Math.round(bytes / rows) : null,
                null);
    }
}
