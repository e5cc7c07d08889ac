package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.cache.ReadAccount;
import io.stele.protocol.api.status.ReadCounters;
import io.stele.protocol.api.status.RetrievalUse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A process's report of its reads of a warehouse, by table and by query: of the tables with the
 * most requests since the start, and of the newest queries. A scan is added when it ends.
 * Thread-safe: guarded by itself.
 *
 * <p>Invariant: the sum of the tables, {@link #OTHERS} included, is that of all added scans.
 */
public final class RetrievalReport {
    /** Some minutes of a busy dashboard; 50 kB of heap. */
    static final int MAX_QUERIES = 500;

    /** The tables that have a row of their own. */
    static final int MAX_TABLES = 500;

    /** The name under which the tables beyond are counted together. */
    public static final String OTHERS = "(others)";

    /** The use of one query in one table. */
    private record Key(String queryId, String tableName) {}

    @GuardedBy("this")
    private final Map<Key, RetrievalUse> queries = new LinkedHashMap<>(); // the newest last

    @GuardedBy("this")
    private final Map<String, RetrievalUse> tables = new HashMap<>();

    /** The counters of an account at present. */
    public static ReadCounters counters(ReadAccount account) {
        return new ReadCounters(
                account.requests(),
                account.rounds(),
                account.hedges(),
                account.storeBytes(),
                account.diskBytes(),
                account.memoryBytes());
    }

    /**
     * Adds a scan that has ended.
     *
     * @param tableName {@code schema.table}
     * @param queryId empty: of no query of Trino
     */
    public synchronized void add(String tableName, String queryId, ReadCounters scan) {
        requireNonNull(tableName, "tableName is null");
        requireNonNull(scan, "scan is null");
        if (tables.size() >= MAX_TABLES && !tables.containsKey(tableName)) {
            moveLeastToOthers();
        }
        tables.merge(tableName, first(tableName, "", scan), RetrievalUse::plus);
        if (!queryId.isEmpty()) {
            Key key = new Key(queryId, tableName);
            RetrievalUse known = queries.remove(key);
            queries.put(key, known == null ? first(tableName, queryId, scan) : known.plus(scan));
            if (queries.size() > MAX_QUERIES) {
                queries.remove(queries.keySet().iterator().next());
            }
        }
    }

    private static RetrievalUse first(String tableName, String queryId, ReadCounters scan) {
        return new RetrievalUse(tableName, queryId, 1, scan);
    }

    /** Makes room for another table: the one with the fewest requests joins the others. */
    @GuardedBy("this")
    private void moveLeastToOthers() {
        RetrievalUse least =
                tables.values().stream()
                        .filter(use -> !use.tableName().equals(OTHERS))
                        .min(Comparator.comparingLong(use -> use.counters().requests()))
                        .orElseThrow();
        tables.remove(least.tableName());
        tables.merge(
                OTHERS,
                new RetrievalUse(OTHERS, "", least.scans(), least.counters()),
                RetrievalUse::plus);
    }

    /**
     * The process, then the tables with the most requests first, then the newest queries first.
     *
     * @param all of the warehouse's reads since the start, also of work that no scan is; empty:
     *     they are not counted
     */
    public synchronized List<RetrievalUse> uses(Optional<RetrievalStatistics> all) {
        List<RetrievalUse> uses = new ArrayList<>();
        all.map(
                        sum ->
                                new RetrievalUse(
                                        "",
                                        "",
                                        0,
                                        new ReadCounters(
                                                sum.requests(),
                                                0,
                                                sum.hedges(),
                                                sum.bytes(),
                                                0,
                                                0)))
                .ifPresent(uses::add);
        tables.values().stream()
                .sorted(
                        Comparator.comparingLong((RetrievalUse use) -> use.counters().requests())
                                .reversed()
                                .thenComparing(RetrievalUse::tableName))
                .forEach(uses::add);
        uses.addAll(new ArrayList<>(queries.values()).reversed());
        return List.copyOf(uses);
    }
}
