package io.stele.benchmarks.serving.ycsb;

import io.stele.client.RowScan;
import io.stele.client.ScanOptions;
import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.TableWriter;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;

/**
 * A YCSB binding of Stele's Java client. The properties are {@code stele.host}, {@code stele.port}
 * and {@code stele.schema}; the secret is in the environment, as {@code STELE_SHARED_SECRET}.
 */
public final class SteleYcsbClient extends DB {
    private @Nullable SteleClient client;
    private final Map<String, SteleTable> tables = new HashMap<>();
    private final Map<String, TableWriter> writers = new HashMap<>();

    @Override
    public void init() throws DBException {
        String secret = System.getenv("STELE_SHARED_SECRET");
        if (secret == null) {
            throw new DBException("Expected STELE_SHARED_SECRET in the environment");
        }
        client =
                SteleClient.builder()
                        .endpoint(
                                getProperties().getProperty("stele.host", "127.0.0.1"),
                                Integer.parseInt(getProperties().getProperty("stele.port")))
                        .secret(secret)
                        .build();
    }

    @Override
    public void cleanup() {
        writers.values().forEach(TableWriter::close);
        if (client != null) {
            client.close();
        }
    }

    private SteleClient client() {
        if (client == null) {
            throw new IllegalStateException("Expected init() before the first operation");
        }
        return client;
    }

    private String schema() {
        return getProperties().getProperty("stele.schema", "bench");
    }

    private SteleTable table(String name) {
        return tables.computeIfAbsent(name, absent -> client().table(schema(), absent));
    }

    private TableWriter writer(String name) {
        return writers.computeIfAbsent(name, absent -> client().writer(schema(), absent));
    }

    @Override
    public Status read(
            String tableName,
            String key,
            @Nullable Set<String> fields,
            Map<String, ByteIterator> result) {
        try {
            SteleTable table = table(tableName);
            Optional<List<@Nullable Object>> row = table.get(key);
            if (row.isEmpty()) {
                return Status.NOT_FOUND;
            }
            copy(table, row.orElseThrow(), fields, result);
            return Status.OK;
        } catch (SteleException e) {
            return failed(e);
        }
    }

    private static void copy(
            SteleTable table,
            List<@Nullable Object> row,
            @Nullable Set<String> fields,
            Map<String, ByteIterator> result) {
        List<ColumnSchema> columns = table.schema().columns();
        for (int column = 1; column < columns.size(); column++) {
            String name = columns.get(column).name();
            if (fields == null || fields.contains(name)) {
                result.put(name, new StringByteIterator(String.valueOf(row.get(column))));
            }
        }
    }

    @Override
    public Status scan(
            String tableName,
            String startKey,
            int recordCount,
            @Nullable Set<String> fields,
            Vector<HashMap<String, ByteIterator>> result) {
        ScanOptions options = ScanOptions.DEFAULT.withLimit(recordCount);
        SteleTable table = table(tableName);
        try (RowScan rows = table.scanBetween(List.of(startKey), List.of(), options)) {
            while (rows.hasNext()) {
                HashMap<String, ByteIterator> row = new HashMap<>();
                copy(table, rows.next(), fields, row);
                result.add(row);
            }
            return Status.OK;
        } catch (SteleException e) {
            return failed(e);
        }
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        List<String> columns = new ArrayList<>();
        List<Object> row = new ArrayList<>();
        columns.add("ycsb_key");
        row.add(key);
        values.forEach(
                (name, value) -> {
                    columns.add(name);
                    row.add(value.toString());
                });
        try {
            writer(table).update(columns, row.toArray()).join();
            return Status.OK;
        } catch (SteleException | CompletionException e) {
            return failed(e);
        }
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        try {
            List<ColumnSchema> columns = table(table).schema().columns();
            Object[] row = new Object[columns.size()];
            row[0] = key;
            for (int column = 1; column < row.length; column++) {
                row[column] = String.valueOf(values.get(columns.get(column).name()));
            }
            writer(table).insert(row).join();
            return Status.OK;
        } catch (SteleException | CompletionException e) {
            return failed(e);
        }
    }

    @Override
    public Status delete(String table, String key) {
        try {
            writer(table).delete(key).join();
            return Status.OK;
        } catch (SteleException | CompletionException e) {
            return failed(e);
        }
    }

    private static Status failed(RuntimeException e) {
        System.err.println("Stele: " + e);
        return Status.ERROR;
    }
}
