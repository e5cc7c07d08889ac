package io.stele.connector.read.file;

import static java.util.Objects.requireNonNull;

import io.stele.cache.LoadTimes;
import io.stele.objectstore.cached.DataFiles;
import io.stele.protocol.schema.TableSchema;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of the use of an in-memory cache layer for each table, which is derived from the paths
 * of files. Thread-safe.
 *
 * <p>Tables are counted under their ids, which a rename does not change; {@link #reading} sets
 * their present names.
 */
public final class TableUses {
    /** The largest number of tables that are counted. */
    private static final int MAX_TABLES = 10_000;

    private final ConcurrentMap<String, Counts> tables = new ConcurrentHashMap<>();
    private final Map<String, String> names = new ConcurrentHashMap<>();

    /** Sets the present name of a table. */
    public void reading(TableSchema table) {
        String id = table.id().toString();
        String name = table.schemaName() + "." + table.tableName();
        if (!name.equals(names.get(id)) && (names.size() < MAX_TABLES || names.containsKey(id))) {
            names.put(id, name);
        }
    }

    /**
     * Counts a hit.
     *
     * @param path of a file of the table
     */
    public void found(String path, long bytes) {
        Counts counts = counts(path);
        counts.hits.increment();
        counts.hitBytes.add(bytes);
    }

    /** Counts a miss, whose load took {@code nanos} nanoseconds. */
    public void missed(String path, long nanos) {
        Counts counts = counts(path);
        counts.misses.increment();
        counts.loadTimes.loaded(nanos);
    }

    private Counts counts(String path) {
        String table = DataFiles.tableId(path).orElse("");
        Counts known = tables.get(table);
        if (known == null) {
            known =
                    tables.size() < MAX_TABLES
                            ? tables.computeIfAbsent(table, _ -> new Counts())
                            : new Counts();
        }
        return known;
    }

    /** The counters of each table so far. */
    public List<Use> uses() {
        return tables.entrySet().stream()
                .filter(table -> !table.getKey().isEmpty())
                .map(
                        table ->
                                table.getValue()
                                        .use(names.getOrDefault(table.getKey(), table.getKey())))
                .toList();
    }

    /**
     * The counters of one table.
     *
     * @param savedMillis hits times the mean time of a miss, in milliseconds
     */
    public record Use(String table, long hits, long misses, long hitBytes, long savedMillis) {
        public Use {
            requireNonNull(table, "table is null");
        }
    }

    private static final class Counts {
        private final LongAdder hits = new LongAdder();
        private final LongAdder hitBytes = new LongAdder();
        private final LongAdder misses = new LongAdder();
        private final LoadTimes loadTimes = new LoadTimes();

        private Use use(String name) {
            long found = hits.sum();
            return new Use(
                    name,
                    found,
                    misses.sum(),
                    hitBytes.sum(),
                    TimeUnit.NANOSECONDS.toMillis(loadTimes.savedNanos(found)));
        }
    }
}
