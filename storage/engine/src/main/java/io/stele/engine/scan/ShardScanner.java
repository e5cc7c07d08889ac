package io.stele.engine.scan;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.ColumnFileVersions;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.MergingVersions;
import io.stele.engine.row.VisibleVersions;
import io.stele.engine.tablet.TableView;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An immutable factory of cursors over a given view of one table in one shard, inside the engine.
 * The caller owns the snapshot; nothing is pinned here.
 */
public final class ShardScanner {
    private final TableFiles files;

    public ShardScanner(TableFiles files) {
        this.files = requireNonNull(files, "files is null");
    }

    /**
     * A cursor over the rows of a view as of an LSN, in the view's schema version: with mode LIVE
     * the rows in memory, otherwise all rows.
     *
     * @param fromLsn rows below have expired
     */
    public RowCursor scan(
            TableView view, Lsn lsn, long fromLsn, ScanMode mode, ScanPredicate predicate)
            throws IOException {
        TableSchema schema = view.schema();
        boolean withFiles = mode != ScanMode.LIVE;
        boolean mergesSstFiles = withFiles && schema.orientation().hasRows();
        List<Opener> openers = new ArrayList<>();
        openers.add(() -> merged(view, lsn, fromLsn, mergesSstFiles));
        if (withFiles && !mergesSstFiles) {
            for (ColumnFile file : view.columnFiles()) {
                boolean inTime =
                        file.entry().minLsn().compareTo(lsn) <= 0
                                && file.entry().maxLsn().value() >= fromLsn
                                && !file.isObsoleteAt(lsn.value());
                if (inTime
                        && predicate.mayMatch(
                                view.versions().statistics(file.entry()),
                                file.entry().rowCount())) {
                    openers.add(() -> columns(schema, file, lsn, fromLsn));
                }
            }
        }
        return new FilteringCursor(openers, view.versions(), predicate);
    }

    private static ScanSource merged(TableView view, Lsn lsn, long fromLsn, boolean withSstFiles)
            throws IOException {
        return new MergedSource(
                new VisibleVersions(versions(view, withSstFiles), lsn.value(), fromLsn));
    }

    /** Every version in memory, and in SST files, by key ascending, LSN descending. */
    static Iterator<KeyedVersion> versions(TableView view, boolean withSstFiles)
            throws IOException {
        List<Iterator<KeyedVersion>> sources = new ArrayList<>();
        for (MemTable table : view.memTables()) {
            sources.add(table.versions());
        }
        if (withSstFiles) {
            for (SstFile file : view.sstFiles()) {
                sources.add(file.versions());
            }
        }
        try {
            return sources.size() == 1 ? sources.getFirst() : new MergingVersions(sources);
        } catch (UncheckedIOException failed) {
            throw failed.getCause(); // merging reads the first version of every file
        }
    }

    private ScanSource columns(TableSchema schema, ColumnFile file, Lsn lsn, long fromLsn)
            throws IOException {
        @Nullable KeyEncoder keys =
                schema.hasPrimaryKey() ? KeyEncoder.forPrimaryKey(schema) : null;
        ColumnFileVersions versions =
                new ColumnFileVersions(file, files.openRows(file), keys, lsn.value(), fromLsn);
        return new ColumnFileSource(versions, lsn.value());
    }

    /** Opens a source when the one before it has ended. */
    @FunctionalInterface
    interface Opener {
        ScanSource open() throws IOException;
    }
}
