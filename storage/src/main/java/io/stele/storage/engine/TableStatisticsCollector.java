package io.stele.storage.engine;

import io.stele.protocol.TableId;
import io.stele.protocol.api.ColumnSize;
import io.stele.protocol.api.TableStatistics;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.storage.format.SketchBuilder;
import io.stele.storage.manifest.FileEntry;
import io.stele.storage.tablet.ColumnFile;
import io.stele.storage.tablet.PartitionMatcher;
import io.stele.storage.tablet.RowFile;
import io.stele.storage.tablet.TableShard;
import io.stele.storage.tablet.TableView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Adds up what files say of themselves, and what a sample of the rows in memory shows. Rows that
 * are superseded in row files are counted until they are merged away; row files say nothing of
 * their columns.
 *
 * <p>What came out is kept until the files are others, or there is an eighth more or less in
 * memory: planners ask for each query. Thread-safe.
 */
final class TableStatisticsCollector {
    /** Of a table: about 5 ms. */
    private static final int SAMPLED_VERSIONS = 10_000;

    private static final int KEPT_TABLES = 1_000;
    private static final int MEMORY_STEP = 8;

    private final Map<TableId, Kept> kept =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<TableId, Kept> eldest) {
                    return size() > KEPT_TABLES;
                }
            };

    /**
     * @param predicate files without a row of it are left out
     */
    TableStatistics collect(TableSchema schema, List<TableShard> tables, ScanPredicate predicate) {
        List<TableView> views = tables.stream().map(TableShard::view).toList();
        if (!predicate.domains().isEmpty()) {
            return sum(schema, views, predicate);
        }
        State state = State.of(schema, views);
        synchronized (kept) {
            Kept before = kept.get(schema.id());
            if (before != null && before.state.isLike(state)) {
                return before.statistics;
            }
        }
        TableStatistics statistics = sum(schema, views, predicate);
        synchronized (kept) {
            kept.put(schema.id(), new Kept(state, statistics));
        }
        return statistics;
    }

    private static TableStatistics sum(
            TableSchema schema, List<TableView> views, ScanPredicate predicate) {
        double rowCount = 0;
        long sizeBytes = 0;
        PartitionMatcher partitions = new PartitionMatcher(schema, predicate);
        Map<Integer, KnownColumn> columns = new HashMap<>();
        schema.columns().forEach(column -> columns.put(column.id(), new KnownColumn()));
        boolean hasColumns = schema.orientation().hasColumns();
        for (TableView view : views) {
            for (ColumnFile file : view.columnFiles()) {
                Map<Integer, ColumnStats> found = view.versions().statistics(file.entry());
                if (partitions.matches(file.entry())
                        && predicate.mayMatch(found, file.entry().rowCount())) {
                    rowCount += add(columns, view, file, found);
                    sizeBytes += file.entry().sizeBytes();
                }
            }
            for (RowFile file : hasColumns ? List.<RowFile>of() : view.rowFiles()) {
                rowCount += file.entry().rowCount();
                sizeBytes += file.entry().sizeBytes();
            }
        }
        boolean known = hasColumns || views.stream().allMatch(view -> view.rowFiles().isEmpty());
        for (TableView view : views) {
            sizeBytes += view.memoryBytes();
            if (view.memoryVersions() > 0) {
                rowCount += addMemory(columns, view, SAMPLED_VERSIONS / views.size());
            }
        }
        return statistics(schema, Math.round(rowCount), sizeBytes, known ? columns : Map.of());
    }

    private static long add(
            Map<Integer, KnownColumn> columns,
            TableView view,
            ColumnFile file,
            Map<Integer, ColumnStats> found) {
        FileEntry entry = file.entry();
        long live = entry.rowCount() - file.deletes().cardinality();
        if (live > 0) {
            List<ColumnSchema> written =
                    view.versions().mapping(entry.schemaVersion()).from().columns();
            columns.forEach(
                    (id, column) ->
                            column.addFile(
                                    entry,
                                    id,
                                    found.getOrDefault(id, ColumnStats.UNKNOWN),
                                    written.stream().anyMatch(there -> there.id() == id),
                                    live));
        }
        return live;
    }

    private static double addMemory(Map<Integer, KnownColumn> columns, TableView view, int limit) {
        MemorySample sample = MemorySample.of(view, limit);
        double rows =
                sample.versions() == 0
                        ? 0
                        : (double) sample.rows()
                                * (sample.complete()
                                        ? 1
                                        : (double) view.memoryVersions() / sample.versions());
        columns.forEach(
                (id, column) ->
                        column.addMemory(
                                sample,
                                rows,
                                sample.columns().getOrDefault(id, ColumnStats.UNKNOWN),
                                sample.sketches().get(id)));
        return rows;
    }

    private static TableStatistics statistics(
            TableSchema schema, long rowCount, long sizeBytes, Map<Integer, KnownColumn> columns) {
        Map<Integer, ColumnStats> stats = new HashMap<>();
        Map<Integer, ColumnSize> sizes = new HashMap<>();
        columns.forEach(
                (id, column) -> {
                    Optional.ofNullable(column.stats()).ifPresent(sum -> stats.put(id, sum));
                });
        List<ColumnSchema> sketchable = new ArrayList<>();
        SketchBuilder.sketched(schema.columns())
                .forEach(position -> sketchable.add(schema.columns().get(position)));
        for (ColumnSchema column : sketchable) {
            boolean unique = schema.primaryKey().equals(List.of(column.id()));
            KnownColumn sum = columns.get(column.id());
            if (sum != null) {
                sizes.put(column.id(), sum.size(rowCount, unique));
            } else if (unique) {
                sizes.put(column.id(), new ColumnSize(rowCount, -1));
            }
        }
        return new TableStatistics(rowCount, sizeBytes, stats, sizes);
    }

    private record Kept(State state, TableStatistics statistics) {}

    /** What statistics rest on. */
    private record State(
            int schemaVersion, List<String> files, long deleted, long sketched, long memory) {
        static State of(TableSchema schema, List<TableView> views) {
            List<String> files = new ArrayList<>();
            long deleted = 0;
            long sketched = 0;
            long memory = 0;
            for (TableView view : views) {
                for (ColumnFile file : view.columnFiles()) {
                    files.add(file.entry().fileId());
                    deleted += file.deletes().cardinality();
                    sketched += file.entry().sketches().isEmpty() ? 0 : 1;
                }
                view.rowFiles().forEach(file -> files.add(file.entry().fileId()));
                memory += view.memoryVersions();
            }
            return new State(schema.schemaVersion(), files, deleted, sketched, memory);
        }

        boolean isLike(State now) {
            return schemaVersion == now.schemaVersion
                    && sketched == now.sketched
                    && Math.abs(memory - now.memory) <= memory / MEMORY_STEP
                    && Math.abs(deleted - now.deleted) <= deleted / MEMORY_STEP
                    && files.equals(now.files);
        }
    }
}
