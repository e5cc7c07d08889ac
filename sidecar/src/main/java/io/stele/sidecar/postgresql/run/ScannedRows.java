package io.stele.sidecar.postgresql.run;

import io.stele.engine.StorageEngine;
import io.stele.engine.scan.RowCursor;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.predicate.RowMatcher;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.postgresql.plan.Access.ScanKind;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import io.stele.sidecar.scheduling.ReadAdmission;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A row source that scans a table within bounds, shard after shard, at one snapshot, with the
 * transaction's own changes. A scan of many rows lets other threads run in between.
 */
final class ScannedRows implements RowSource {
    private static final int STEPS_A_TURN = 256;

    /**
     * The most rows of a table that had a tenth of them, or less, when the statement was planned.
     */
    private static final long MAX_SMALL_TABLE_ROWS = 100_000;

    private final StorageEngine engine;
    private final RowBuilder builder;
    private final ScanPredicate predicate;
    private final ScanMode mode;
    private final Optional<RowTransaction> transaction;
    private final Client client;
    private final ReadAdmission.Permit permit;
    private final OwnChanges changes;
    private final LeasedSnapshot snapshot;
    private final Iterator<ShardId> shards;
    private final BinaryRow own;
    private @Nullable RowCursor cursor;
    private @Nullable RowMatcher matcher;
    private @Nullable Iterator<byte[]> written; // of this transaction, after the shards
    private BinaryRow present;
    private final long maxRows;
    private long scanned;
    private int steps;
    private boolean isClosed;

    /**
     * @param permit released at the end
     */
    ScannedRows(
            StorageEngine engine,
            RowBuilder builder,
            ScanPredicate predicate,
            ScanKind kind,
            Optional<RowTransaction> transaction,
            Client client,
            ReadAdmission.Permit permit) {
        this.engine = engine;
        this.builder = builder;
        this.predicate = predicate;
        this.mode = kind == ScanKind.INDEX ? ScanMode.LOOKUP : ScanMode.SNAPSHOT;
        this.maxRows = kind == ScanKind.SMALL_TABLE ? MAX_SMALL_TABLE_ROWS : Long.MAX_VALUE;
        this.transaction = transaction;
        this.client = client;
        this.permit = permit;
        this.shards = builder.table().shards().iterator();
        this.own = new BinaryRow(builder.layout());
        this.present = own;
        try {
            this.changes =
                    transaction.isPresent()
                            ? transaction.get().changes(builder.table())
                            : OwnChanges.NONE;
            this.snapshot =
                    transaction.isPresent()
                            ? transaction.get().snapshot()
                            : Snapshots.open(engine, client);
        } catch (RuntimeException | Error e) {
            permit.close();
            throw e;
        }
    }

    @Override
    public boolean next() {
        try {
            return advance();
        } catch (IOException e) {
            throw new SteleException(
                    ErrorCode.STORE_FAILED,
                    "Cannot read table %s: %s".formatted(builder.table().qualifiedName(), e),
                    e);
        }
    }

    private boolean advance() throws IOException {
        while (written == null) {
            RowCursor open = cursor;
            if (open == null) {
                if (!shards.hasNext()) {
                    written = writtenRows();
                    break;
                }
                open = open(shards.next());
                cursor = open;
            }
            RowCursor.Step step = open.step();
            if (++steps % STEPS_A_TURN == 0) {
                client.cancellation().check();
                engine.renewSnapshot(snapshot.id(), Snapshots.LEASE); // clients may be slow
                Thread.yield();
            }
            if (step == RowCursor.Step.END) {
                cursor = null;
                open.close();
            } else if (step == RowCursor.Step.ROW && isCounted() && isWanted(open.row())) {
                present = open.row();
                return true;
            }
        }
        if (!written.hasNext()) {
            return false;
        }
        present = own.wrap(written.next());
        return true;
    }

    private boolean isCounted() {
        if (++scanned > maxRows) {
            throw new PostgresException(
                    SqlState.LIMIT_EXCEEDED,
                    "Expected a small table, found more than %s rows in %s"
                            .formatted(maxRows, builder.table().qualifiedName()),
                    Optional.of("Prepare the statement again, or ask Trino."));
        }
        return true;
    }

    private RowCursor open(ShardId shard) throws IOException {
        client.cancellation().check();
        TableSchema table = builder.table();
        RowCursor opened;
        try {
            opened =
                    engine.scan(
                            snapshot,
                            table.id(),
                            table.schemaVersion(),
                            shard,
                            mode,
                            predicate,
                            List.of());
        } catch (SteleException failed) {
            if (failed.code() == ErrorCode.STALE_TABLE) {
                throw new StalePlanException(table.qualifiedName());
            }
            throw failed;
        }
        matcher = predicate.matcher(RowLayout.of(opened.schema().columns()));
        return opened;
    }

    private boolean isWanted(BinaryRow row) {
        RowMatcher bounds = matcher;
        return (bounds == null || bounds.matches(row))
                && (changes.byKey().isEmpty()
                        || !changes.byKey().containsKey(KeyList.of(builder, row)));
    }

    private Iterator<byte[]> writtenRows() {
        RowMatcher bounds = predicate.matcher(builder.layout());
        BinaryRow view = new BinaryRow(builder.layout());
        return Stream.concat(
                        changes.appended().stream(),
                        changes.byKey().values().stream().flatMap(Optional::stream))
                .filter(row -> bounds.matches(view.wrap(row)))
                .iterator();
    }

    @Override
    public BinaryRow row() {
        return present;
    }

    @Override
    public void close() throws IOException {
        if (isClosed) {
            return;
        }
        isClosed = true;
        try {
            RowCursor open = cursor;
            cursor = null;
            if (open != null) {
                open.close();
            }
        } finally {
            permit.close();
            if (transaction.isEmpty()) {
                engine.closeSnapshot(snapshot.id());
            }
        }
    }
}
