package io.stele.engine.statistics;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.metadata.SketchBuilder;
import io.stele.engine.catalog.ChangeLog;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.PartitionMatcher;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.row.TableVersions;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.tablet.TableView;
import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import io.stele.protocol.api.catalog.ColumnSize;
import io.stele.protocol.api.catalog.TableStatistics;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * The collector of table statistics for the optimizer: the sum of the statistics of the table's
 * files, and of a sample of its rows in memory. Obsolete versions in SST files are counted until a
 * compaction drops them. SST files have no statistics of their columns.
 *
 * <p>Results for a whole table are cached, because planners request them for each query. They are
 * valid until the files change, or the rows in memory grow or shrink by an eighth. Of a large table
 * only a part of the files is then summed again ({@link FileGroups}). A caller that also caches
 * them learns from {@link #changedSince} which tables' statistics are out of date.
 *
 * <p>Invariant: every table whose statistics, without a predicate, were returned is cached, or has
 * changed since. Thread-safe.
 */
public final class TableStatisticsCollector {
    /** The sampled versions of a table: about 5 ms. */
    private static final int SAMPLED_VERSIONS = 10_000;

    private static final int KEPT_TABLES = 1_000;

    /** Of large tables; those of one with 100,000 files and 8 columns take some 3 MB. */
    private static final int KEPT_GROUPS = 50;

    private static final int MEMORY_STEP = 8;
    private static final int REMEMBERED_CHANGES = 10_000;

    private final LinkedHashMap<TableId, Kept> kept = new LinkedHashMap<>(16, 0.75f, true);

    /** Also of tables that have changed since; guarded by {@link #kept}. */
    private final LinkedHashMap<TableId, FileGroups> groups = new LinkedHashMap<>(16, 0.75f, true);

    private final LongAdder summedFiles = new LongAdder();
    private final ChangeLog<TableId> changes = new ChangeLog<>(0, REMEMBERED_CHANGES);

    private final ToLongFunction<ShardId> applied;
    private final FileSelection files;

    /** The selection of files by their statistics, which does not look at every file. */
    @FunctionalInterface
    public interface FileSelection {
        /**
         * The files of a shard that may have rows of a predicate, and perhaps some that have none.
         *
         * @param partitions of the predicate
         */
        List<ColumnFile> select(
                TableVersions versions,
                ShardId shard,
                List<ColumnFile> files,
                PartitionMatcher partitions,
                ScanPredicate predicate);
    }

    /**
     * @param applied the LSN up to which a shard has applied its log
     */
    public TableStatisticsCollector(ToLongFunction<ShardId> applied, FileSelection files) {
        this.applied = requireNonNull(applied, "applied is null");
        this.files = requireNonNull(files, "files is null");
    }

    /**
     * The tables whose statistics have changed since a version.
     *
     * @param known the version
     * @param tables returns the shards of a table; empty if the table does not exist
     */
    Changes changedSince(long known, Function<TableId, Optional<List<TableShard>>> tables) {
        synchronized (kept) {
            kept.entrySet()
                    .removeIf(
                            entry -> {
                                Optional<List<TableShard>> shards = tables.apply(entry.getKey());
                                // A dropped table is not requested again
                                if (shards.isEmpty()) {
                                    groups.remove(entry.getKey());
                                }
                                if (shards.isPresent()
                                        && entry.getValue().isOf(Look.at(shards.get(), applied))) {
                                    return false;
                                }
                                changed(entry.getKey());
                                return true;
                            });
            return new Changes(changes.version(), changes.since(known));
        }
    }

    private void changed(TableId table) {
        changes.advance(changes.version() + 1, List.of(table));
    }

    /**
     * The changes.
     *
     * @param version the present version
     * @param tables empty: any table may have changed
     */
    record Changes(long version, Optional<List<TableId>> tables) {}

    /**
     * The statistics of a table in a version of its columns. Shards adopt a new version one after
     * the other. Until all have it, there are no statistics of columns, since their bounds may be
     * encoded differently, and the predicate is not applied.
     *
     * @param predicate files without a matching row are left out
     */
    public TableStatistics collect(
            TableSchema schema, List<TableShard> tables, ScanPredicate predicate) {
        Look look = Look.at(tables, applied);
        List<TableView> views = look.views();
        if (!State.isSameVersion(schema.schemaVersion(), views)) {
            predicate = ScanPredicate.ALL;
        }
        if (!predicate.domains().isEmpty()) {
            return select(schema, look, predicate);
        }
        synchronized (kept) {
            Kept before = kept.get(schema.id());
            if (before != null && before.isSeen(schema.schemaVersion(), look)) {
                return before.statistics;
            }
        }
        long[] hashes = FileHashes.ofColumnFiles(views);
        State state = State.of(schema.schemaVersion(), views, hashes);
        Optional<FileGroups> former;
        synchronized (kept) {
            Kept before = kept.get(schema.id());
            if (before != null && before.state.isLike(state)) {
                before.seen = look.seen();
                return before.statistics;
            }
            former = Optional.ofNullable(groups.get(schema.id()));
        }
        Optional<FileGroups> present = FileGroups.of(schema, views, hashes, former);
        TableStatistics statistics = sum(schema, look, present);
        synchronized (kept) {
            groups.remove(schema.id());
            present.ifPresent(some -> groups.put(schema.id(), some));
            if (groups.size() > KEPT_GROUPS) {
                groups.pollFirstEntry();
            }
            if (kept.put(schema.id(), new Kept(look, state, statistics)) != null) {
                changed(schema.id());
            }
            if (kept.size() > KEPT_TABLES) {
                changed(kept.pollFirstEntry().getKey());
            }
        }
        return statistics;
    }

    /** How many files were looked at for statistics of whole tables, since the start. */
    public long summedFiles() {
        return summedFiles.sum();
    }

    /** The statistics of the files that may have rows of a predicate. */
    private TableStatistics select(TableSchema schema, Look look, ScanPredicate predicate) {
        FileSum sum = new FileSum(schema);
        PartitionMatcher partitions = new PartitionMatcher(schema, predicate);
        for (int i = 0; i < look.views().size(); i++) {
            TableView view = look.views().get(i);
            List<ColumnFile> candidates =
                    files.select(
                            view.versions(),
                            look.shards().get(i),
                            view.columnFiles(),
                            partitions,
                            predicate);
            for (ColumnFile file : candidates) {
                if (!partitions.matches(file.entry())) {
                    continue;
                }
                Map<Integer, ColumnStats> found = view.versions().statistics(file.entry());
                if (predicate.mayMatch(found, file.entry().rowCount())) {
                    sum.addFile(view, file, found);
                }
            }
        }
        return addOthers(schema, look.views(), sum);
    }

    /** The statistics of all files. */
    private TableStatistics sum(TableSchema schema, Look look, Optional<FileGroups> grouped) {
        FileSum sum = new FileSum(schema);
        if (grouped.isPresent()) {
            grouped.get().addTo(sum);
            summedFiles.add(grouped.get().summedFiles());
        } else {
            for (TableView view : look.views()) {
                for (ColumnFile file : view.columnFiles()) {
                    sum.addFile(view, file, view.versions().statistics(file.entry()));
                    summedFiles.increment();
                }
            }
        }
        return addOthers(schema, look.views(), sum);
    }

    /** Adds what is not in column files. */
    private static TableStatistics addOthers(
            TableSchema schema, List<TableView> views, FileSum sum) {
        boolean hasColumns = schema.orientation().hasColumns();
        for (TableView view : views) {
            for (SstFile file : hasColumns ? List.<SstFile>of() : view.sstFiles()) {
                sum.addUnknown(file.entry().rowCount(), file.entry().sizeBytes());
            }
        }
        boolean known =
                State.isSameVersion(schema.schemaVersion(), views)
                        && (hasColumns
                                || views.stream().allMatch(view -> view.sstFiles().isEmpty()));
        for (TableView view : views) {
            sum.addUnknown(0, view.memoryBytes());
            if (view.memoryVersions() > 0) {
                sum.addMemory(view, SAMPLED_VERSIONS / views.size());
            }
        }
        return statistics(
                schema, sum.rowCount(), sum.sizeBytes(), known ? sum.columns() : Map.of());
    }

    private static TableStatistics statistics(
            TableSchema schema,
            long rowCount,
            long sizeBytes,
            Map<Integer, ColumnStatisticsSum> columns) {
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
            ColumnStatisticsSum sum = columns.get(column.id());
            if (sum != null) {
                sizes.put(column.id(), sum.size(rowCount, unique));
            } else if (unique) {
                sizes.put(column.id(), new ColumnSize(rowCount, -1));
            }
        }
        return new TableStatistics(rowCount, sizeBytes, stats, sizes);
    }

    /** Cached statistics and the state that they were computed from. Guarded by {@link #kept}. */
    private static final class Kept {
        private final State state;
        private final TableStatistics statistics;
        private Seen seen;

        Kept(Look look, State state, TableStatistics statistics) {
            this.seen = look.seen();
            this.state = state;
            this.statistics = statistics;
        }

        /** Whether nothing has changed; looks at no file. */
        boolean isSeen(int schemaVersion, Look now) {
            return state.schemaVersion() == schemaVersion && seen.isSameAs(now.seen());
        }

        /**
         * Whether the statistics are still valid, or nearly. Looks at each file only if the list of
         * files has changed since it was last called.
         */
        boolean isOf(Look now) {
            int schemaVersion = now.views().getFirst().schema().schemaVersion();
            if (isSeen(schemaVersion, now)) {
                return true;
            }
            long[] hashes = FileHashes.ofColumnFiles(now.views());
            if (!state.isLike(State.of(schemaVersion, now.views(), hashes))) {
                return false;
            }
            seen = now.seen();
            return true;
        }
    }

    /**
     * The shards of a table at one moment.
     *
     * @param views of each shard
     * @param changedLsn of the last change of rows; {@link Seen#UNKNOWN} if one was under way, of
     *     which the views may show a part
     */
    private record Look(List<ShardId> shards, List<TableView> views, long changedLsn) {
        static Look at(List<TableShard> tables, ToLongFunction<ShardId> applied) {
            long newest = 0;
            for (TableShard table : tables) {
                long changed = table.changedLsn();
                newest =
                        newest == Seen.UNKNOWN || changed > applied.applyAsLong(table.shard())
                                ? Seen.UNKNOWN
                                : Math.max(newest, changed);
            }
            return new Look(
                    tables.stream().map(TableShard::shard).toList(),
                    tables.stream().map(TableShard::view).toList(),
                    newest);
        }

        Seen seen() {
            return new Seen(views.stream().map(Part::of).toList(), changedLsn);
        }
    }

    /**
     * The part of a look that is kept: two equal ones need no closer comparison. It has no
     * memtables, which would stay in memory after their flush until the next request of the
     * statistics.
     */
    private record Seen(List<Part> parts, long changedLsn) {
        private static final long UNKNOWN = -1;

        boolean isSameAs(Seen other) {
            if (changedLsn == UNKNOWN || changedLsn != other.changedLsn) {
                return false;
            }
            for (int i = 0; i < parts.size(); i++) {
                if (!parts.get(i).isSameAs(other.parts.get(i))) {
                    return false;
                }
            }
            return true;
        }
    }

    /** The part of a look that is kept for one shard. */
    private record Part(int schemaVersion, List<ColumnFile> columnFiles, List<SstFile> sstFiles) {
        static Part of(TableView view) {
            return new Part(view.schema().schemaVersion(), view.columnFiles(), view.sstFiles());
        }

        @SuppressWarnings("ReferenceEquality") // lists are replaced when a file is added or removed
        boolean isSameAs(Part other) {
            return schemaVersion == other.schemaVersion
                    && columnFiles == other.columnFiles
                    && sstFiles == other.sstFiles;
        }
    }

    /**
     * The state that statistics are computed from.
     *
     * @param sameVersion whether all shards have the schema version
     * @param files a hash of the files' ids: a list would take as much memory as their entries
     */
    private record State(
            int schemaVersion,
            boolean sameVersion,
            long files,
            long deleted,
            long sketched,
            long memory) {
        static boolean isSameVersion(int schemaVersion, List<TableView> views) {
            return views.stream().allMatch(view -> view.schema().schemaVersion() == schemaVersion);
        }

        /**
         * Looks at each file.
         *
         * @param hashes {@link FileHashes#ofColumnFiles} of the views
         */
        static State of(int schemaVersion, List<TableView> views, long[] hashes) {
            long files = 0;
            int columnFile = 0;
            long deleted = 0;
            long sketched = 0;
            long memory = 0;
            for (TableView view : views) {
                for (ColumnFile file : view.columnFiles()) {
                    files = FileHashes.next(files, hashes[columnFile++]);
                    deleted += file.deletes().cardinality();
                    sketched += file.entry().sketches().isEmpty() ? 0 : 1;
                }
                for (SstFile file : view.sstFiles()) {
                    files = FileHashes.next(files, FileHashes.of(file.entry()));
                }
                memory += view.memoryVersions();
            }
            return new State(
                    schemaVersion,
                    isSameVersion(schemaVersion, views),
                    files,
                    deleted,
                    sketched,
                    memory);
        }

        boolean isLike(State now) {
            return schemaVersion == now.schemaVersion
                    && sameVersion == now.sameVersion
                    && sketched == now.sketched
                    && Math.abs(memory - now.memory) <= memory / MEMORY_STEP
                    && Math.abs(deleted - now.deleted) <= deleted / MEMORY_STEP
                    && files == now.files;
        }
    }
}
