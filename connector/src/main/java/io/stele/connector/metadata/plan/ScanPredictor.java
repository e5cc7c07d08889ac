package io.stele.connector.metadata.plan;

import io.stele.protocol.TableId;
import io.stele.protocol.api.snapshot.OpenTableRequest;
import io.trino.spi.connector.SchemaTableName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A predictor of the tables that a query scans, by the table or view that the query accesses first.
 * Most queries resemble earlier ones. A wrong prediction costs the sidecar the access to a table; a
 * missing one costs a request.
 *
 * <p>Guarded by itself.
 */
final class ScanPredictor {
    private static final int MAX_NAMES = 1_000;

    /**
     * Consecutive queries with the same first name that do not scan a table, before its prediction
     * is dropped.
     */
    static final int PATIENCE = 8;

    private final Map<SchemaTableName, List<Scan>> byFirst =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<SchemaTableName, List<Scan>> eldest) {
                    return size() > MAX_NAMES;
                }
            };

    synchronized List<Scan> of(SchemaTableName first) {
        return byFirst.getOrDefault(first, List.of());
    }

    /**
     * @param scanned tables with the schema versions in which they were scanned
     */
    synchronized void ended(SchemaTableName first, Map<TableId, Integer> scanned) {
        List<Scan> scans = new ArrayList<>();
        scanned.forEach((table, version) -> scans.add(new Scan(table, version, 0)));
        for (Scan before : byFirst.getOrDefault(first, List.of())) {
            if (!scanned.containsKey(before.tableId) && before.missed < PATIENCE) {
                scans.add(new Scan(before.tableId, before.schemaVersion, before.missed + 1));
            }
        }
        scans.sort(Comparator.comparingInt(Scan::missed));
        if (scans.isEmpty()) {
            byFirst.remove(first);
        } else {
            byFirst.put(
                    first,
                    List.copyOf(
                            scans.subList(0, Math.min(scans.size(), OpenTableRequest.MAX_PLANS))));
        }
    }

    /**
     * A table that is likely to be scanned.
     *
     * @param missed how many queries in a row did not scan it
     */
    record Scan(TableId tableId, int schemaVersion, int missed) {}
}
