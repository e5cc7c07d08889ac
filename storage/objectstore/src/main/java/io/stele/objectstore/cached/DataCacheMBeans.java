package io.stele.objectstore.cached;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.api.status.DataCacheTable;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.weakref.jmx.JmxException;
import org.weakref.jmx.MBeanExporter;
import org.weakref.jmx.ObjectNameGenerator;

/**
 * An exporter of a data page cache's metrics to JMX: one MBean for the cache, and one for each
 * table whose name was set. Guarded by itself.
 */
public final class DataCacheMBeans {
    /** As many tables as the cache measures by themselves. */
    private static final int MAX_TABLES = 1024;

    private final MBeanExporter exporter;
    private final Function<Map<String, String>, String> objectName;
    private final Map<String, String> exported = new HashMap<>();

    /**
     * @param objectName creates the name of an MBean from its properties: none for the cache,
     *     {@code table} for that of a table
     */
    public DataCacheMBeans(
            MBeanExporter exporter, Function<Map<String, String>, String> objectName) {
        this.exporter = requireNonNull(exporter, "exporter is null");
        this.objectName = requireNonNull(objectName, "objectName is null");
    }

    /** The exporter of a Trino catalog, under the names of its connector. */
    public static DataCacheMBeans ofCatalog(MBeanExporter exporter, ObjectNameGenerator names) {
        return new DataCacheMBeans(
                exporter,
                more -> {
                    Map<String, String> properties = new LinkedHashMap<>();
                    properties.put("type", "data_cache");
                    properties.putAll(more);
                    return names.generatedNameOf(DataCacheMetrics.class, properties);
                });
    }

    /** Exports the metrics of the cache. */
    public synchronized void export(DataCacheMetrics metrics) {
        export("", objectName.apply(Map.of()), metrics);
    }

    /** Exports the metrics of a table, once. */
    public synchronized void export(String table, DataCache cache) {
        if (exported.containsKey(table) || exported.size() > MAX_TABLES) {
            return;
        }
        export(
                table,
                objectName.apply(Map.of("table", quoted(table))),
                new DataCacheTableMetrics(
                        () ->
                                cache.tables().stream()
                                        .filter(line -> line.table().equals(table))
                                        .reduce(DataCacheMBeans::plus)));
    }

    private void export(String table, String name, Object metrics) {
        exporter.export(name, metrics);
        exported.put(table, name);
    }

    /** A name with only plain characters needs no quotes in names of MBeans. */
    private static String quoted(String table) {
        return table.matches("[A-Za-z0-9_.-]+") ? table : javax.management.ObjectName.quote(table);
    }

    /** The sum of the counters of a table and of a dropped table of the same name. */
    private static DataCacheTable plus(DataCacheTable a, DataCacheTable b) {
        return a.reads() + a.requests() > b.reads() + b.requests() ? a : b;
    }

    /** Unexports all MBeans. */
    public synchronized void unexport() {
        for (String name : exported.values()) {
            try {
                exporter.unexport(name);
            } catch (JmxException gone) {
                // Catalogs of one name in one JVM, as in tests: the first to end has unexported it
                continue;
            }
        }
        exported.clear();
    }
}
