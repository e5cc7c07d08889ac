package io.stele.sidecar.postgresql.run;

import static java.util.Objects.requireNonNull;

import io.stele.engine.StorageEngine;
import io.stele.engine.transaction.BulkLoad;
import io.stele.protocol.TableId;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.postgresql.plan.FixedPlan.InsertPlan;
import io.stele.sidecar.postgresql.plan.Scope;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An insertion of many rows that needs nothing of the rows that are there: they go to a {@link
 * BulkLoad} of the engine as they come, and become visible at once. The shards find keys that have
 * a row when it commits. Confined to one thread at a time.
 */
public final class StagedInsert implements AutoCloseable {
    /** The client may pause as long between two rows. */
    private static final Duration LEASE = Duration.ofMinutes(10);

    private final StorageEngine engine;
    private final RowBuilder builder;
    private final BinaryRow view;
    private final LongSupplier nanoTime;
    private final Cancellation cancellation;
    private final String id;
    private final BulkLoad load;
    private boolean hasEnded;

    /**
     * @param cancellation of the statement: it ends the wait for files, and for the search for keys
     */
    StagedInsert(
            StorageEngine engine,
            TableSchema table,
            Cancellation cancellation,
            LongSupplier nanoTime) {
        this.engine = requireNonNull(engine, "engine is null");
        this.cancellation = requireNonNull(cancellation, "cancellation is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.builder = new RowBuilder(table);
        this.view = new BinaryRow(builder.layout());
        this.id = engine.beginSessionTransaction(table.id(), Optional.empty(), Optional.of(LEASE));
        try {
            this.load =
                    engine.load(
                            id,
                            table,
                            LEASE,
                            step -> {
                                var unused = cancellation.await(step);
                            });
        } catch (RuntimeException | Error failed) {
            var unused = engine.abort(id);
            throw failed;
        }
    }

    /**
     * Adds rows.
     *
     * @param plan of the table
     * @param rows the values of the plan's parameters of each row
     */
    public long add(InsertPlan plan, List<List<@Nullable Object>> rows, Scope.Session session) {
        for (List<@Nullable Object> values : rows) {
            for (byte[] row : PlanExecutor.rows(plan, builder, new Scope(values, session))) {
                add(row, row.length);
            }
        }
        return rows.size();
    }

    /**
     * Adds a row.
     *
     * @param row in the layout of the table's columns; not kept
     */
    public void add(byte[] row, int length) {
        view.wrap(row, 0, length);
        int shard = builder.shardOf(view);
        if (load.add(shard, builder.keyOf(view), row, length)) {
            var unused =
                    BusyRetry.call(
                            nanoTime,
                            () -> {
                                load.drain(shard);
                                return id;
                            });
        }
    }

    /** Makes all rows visible, or fails and writes none. */
    public void commit() {
        commit(Optional.empty());
    }

    /**
     * The same.
     *
     * @param publish the table, if it is staged and becomes public with its rows
     */
    public void commit(Optional<TableId> publish) {
        List<WrittenFile> written = BusyRetry.call(nanoTime, load::finish);
        hasEnded = true;
        Commits.commit(engine, id, written, publish, cancellation, nanoTime);
    }

    /** Gives up what was not committed, and frees its memory; more than once is no error. */
    @Override
    public void close() {
        load.close();
        if (!hasEnded) {
            hasEnded = true;
            var unused = engine.abort(id);
        }
    }
}
