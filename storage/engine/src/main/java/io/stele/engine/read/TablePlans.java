package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.node.Shards;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.tablet.TableView;
import io.stele.objectstore.Sha256;
import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import io.stele.protocol.api.scan.CachedPlan;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.IndexedMetadata;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.api.scan.TablePlan;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.TimeToLiveStep;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The planner of whole-table scans for clients that cache plans: it returns the plan, or reports
 * that the plan that the client has is still valid.
 *
 * <p>The token of a plan depends on the plan alone, so it survives restarts, and tables that change
 * back and forth. The token of a plan that is too long to be sent depends on its files and the LSN
 * of the table's last change. It exists as long as that LSN is not above the snapshot. The last
 * state of a table is stored, so that an unchanged table is not examined file by file.
 *
 * <p>Thread-safe.
 */
final class TablePlans {
    /** Each entry refers to two lists of files, which are usually the present lists. */
    private static final int REMEMBERED_TABLES = 1_000;

    private static final int TOKEN_BYTES = 16;

    private final Shards shards;
    private final ScanPlanner planner;
    private final Map<TableId, Remembered> remembered = // guarded by itself
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<TableId, Remembered> eldest) {
                    return size() > REMEMBERED_TABLES;
                }
            };

    TablePlans(Shards shards, ScanPlanner planner) {
        this.shards = requireNonNull(shards, "shards is null");
        this.planner = requireNonNull(planner, "planner is null");
    }

    /** Fixes the view of the snapshot for the table, and returns its plan. */
    TablePlan planIfChanged(LeasedSnapshot snapshot, TableSchema schema, CachedPlan known) {
        Look look = look(snapshot, schema, known.schemaVersion());
        boolean isStill = look.changedLsn <= snapshot.lsn().value();
        Optional<String> token = isStill ? rememberedToken(schema.id(), look) : Optional.empty();
        Optional<List<ShardScan>> scans = Optional.empty();
        boolean isLong =
                TablePlan.cells(look.fileCount(), schema.columns().size()) > known.maxCells();
        if (isLong && isStill && token.isEmpty()) {
            token = Optional.of(token(look));
        } else if (!isLong && (token.isEmpty() || !token.equals(known.token()))) {
            scans =
                    Optional.of(
                            planner.plan(snapshot, schema, known.schemaVersion(), ScanPredicate.ALL)
                                    .shards());
            token = Optional.of(token(scans.get()));
        }
        if (isStill) {
            remember(schema.id(), new Remembered(look, token.orElseThrow()));
        }
        return new TablePlan(
                schema.id(),
                known.schemaVersion(),
                token,
                snapshot.firstVisibleLsn(schema),
                look.fileCount(),
                token.equals(known.token()) ? Optional.empty() : scans);
    }

    private Look look(LeasedSnapshot snapshot, TableSchema schema, int schemaVersion) {
        List<TableView> views = new ArrayList<>();
        List<Boolean> inMemory = new ArrayList<>();
        for (ShardId id : schema.shards()) {
            TableView view = VersionedRead.view(snapshot, shards, schema, id, schemaVersion);
            views.add(view);
            inMemory.add(view.memoryVersions() > 0);
        }
        // Last: a change that the lines above saw a part of is above the snapshot, and seen here
        long changedLsn = 0;
        for (ShardId id : schema.shards()) {
            changedLsn = Math.max(changedLsn, shards.shard(id).table(schema.id()).changedLsn());
        }
        return new Look(
                schemaVersion,
                views.stream().map(TableView::columnFiles).toList(),
                views.stream().map(TableView::sstFiles).toList(),
                inMemory,
                schema.options().timeToLiveSteps(),
                changedLsn);
    }

    private Optional<String> rememberedToken(TableId table, Look look) {
        synchronized (remembered) {
            return Optional.ofNullable(remembered.get(table))
                    .filter(before -> before.look.isSameAs(look))
                    .map(Remembered::token);
        }
    }

    private void remember(TableId table, Remembered look) {
        synchronized (remembered) {
            remembered.put(table, look);
        }
    }

    private static String token(List<ShardScan> scans) {
        return "plan-"
                + digest(
                        out -> {
                            for (ShardScan shard : scans) {
                                out.writeInt(shard.shard().index());
                                out.writeBoolean(shard.live());
                                out.writeInt(shard.files().size());
                                for (FileScan file : shard.files()) {
                                    out.writeUTF(file.path());
                                    out.writeLong(file.bitmapIndexBytes().orElse(-1));
                                    out.writeInt(file.checksumBlockBytes().orElse(-1));
                                    out.writeInt(
                                            file.indexedMetadata()
                                                    .map(IndexedMetadata::metadataBytes)
                                                    .orElse(-1));
                                    out.writeInt(file.deletedRows().length);
                                    out.write(file.deletedRows());
                                }
                            }
                        });
    }

    private static String token(Look look) {
        return "files-"
                + digest(
                        out -> {
                            out.writeLong(look.changedLsn);
                            for (TimeToLiveStep step : look.timesToLive) {
                                out.writeLong(step.since().value());
                                out.writeLong(step.millis());
                                out.writeLong(step.floor().value());
                            }
                            for (int i = 0; i < look.inMemory.size(); i++) {
                                out.writeBoolean(look.inMemory.get(i));
                                out.writeInt(look.columnFiles.get(i).size());
                                for (ColumnFile file : look.columnFiles.get(i)) {
                                    out.writeUTF(file.entry().fileId());
                                }
                                out.writeInt(look.sstFiles.get(i).size());
                            }
                        });
    }

    private static String digest(Content content) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (DataOutputStream out = new DataOutputStream(bytes)) {
                content.write(out);
            }
            return Sha256.hex(bytes.toByteArray()).substring(0, 2 * TOKEN_BYTES);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private interface Content {
        void write(DataOutputStream out) throws IOException;
    }

    private record Remembered(Look look, String token) {}

    /**
     * The parts of a table that determine its plan at a snapshot. Two equal looks, with snapshots
     * at or above their last change, have the same plan.
     *
     * @param columnFiles of each shard
     * @param sstFiles of each shard
     * @param inMemory whether a shard has rows in memory
     * @param timesToLive by which files with only expired rows are left out; such a file may return
     *     when a doubt ends
     * @param changedLsn the LSN of the last change, which may be above the snapshot
     */
    private record Look(
            int schemaVersion,
            List<List<ColumnFile>> columnFiles,
            List<List<SstFile>> sstFiles,
            List<Boolean> inMemory,
            List<TimeToLiveStep> timesToLive,
            long changedLsn) {
        int fileCount() {
            return columnFiles.stream().mapToInt(List::size).sum();
        }

        @SuppressWarnings("ReferenceEquality") // lists are replaced when a file is added or removed
        boolean isSameAs(Look other) {
            if (changedLsn != other.changedLsn
                    || schemaVersion != other.schemaVersion
                    || !inMemory.equals(other.inMemory)
                    || !timesToLive.equals(other.timesToLive)) {
                return false;
            }
            for (int i = 0; i < columnFiles.size(); i++) {
                if (columnFiles.get(i) != other.columnFiles.get(i)
                        || sstFiles.get(i) != other.sstFiles.get(i)) {
                    return false;
                }
            }
            return true;
        }
    }
}
