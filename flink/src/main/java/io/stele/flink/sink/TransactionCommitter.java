package io.stele.flink.sink;

import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.flight.FlightClient;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.metrics.groups.SinkCommitterMetricGroup;
import org.jspecify.annotations.Nullable;

/**
 * A committer of an {@link ExactlyOnceSink}: it commits committables one after the other, in order,
 * each with its record. Owns its client. Confined to the task's thread, which waits for the
 * sidecar.
 *
 * <p>An attempt may be repeated after any failure, even if its outcome is unknown: the record
 * exists if it was committed. A committable that cannot be committed in time fails the job. Flink
 * then restores the checkpoint and commits it again.
 */
final class TransactionCommitter implements Committer<Committable> {
    private static final long MIN_RETRY_NANOS = Duration.ofMillis(50).toNanos();
    private static final long MAX_RETRY_NANOS = Duration.ofSeconds(1).toNanos();

    private final SinkTarget target;
    private final SinkCommitterMetricGroup metrics;
    private final SteleClient client;
    private @Nullable CommitRecords records;

    TransactionCommitter(SinkTarget target, SinkCommitterMetricGroup metrics) {
        this.target = target;
        this.metrics = metrics;
        this.client = target.table().connection().open("flink-committer");
    }

    @Override
    public void commit(Collection<CommitRequest<Committable>> requests)
            throws IOException, InterruptedException {
        for (CommitRequest<Committable> request : requests) {
            if (!commit(request.getCommittable())) {
                request.signalAlreadyCommitted();
            }
        }
    }

    /** Commits; false if it was committed before. */
    private boolean commit(Committable committable) throws IOException, InterruptedException {
        long start = System.nanoTime();
        long pause = MIN_RETRY_NANOS;
        while (true) {
            try {
                return attempt(committable);
            } catch (SteleException failed) {
                metrics.getNumCommittablesRetryCounter().inc();
                if (Thread.interrupted()) {
                    throw new InterruptedException("Interrupted while committing " + committable);
                }
                long waited = System.nanoTime() - start;
                if (!StagedTransaction.mayPass(failed.code())
                        || waited >= target.options().commitTimeout().toNanos()) {
                    throw new IOException(
                            "Cannot commit %s to table %s of Stele, tried for %d ms: %s"
                                    .formatted(
                                            committable,
                                            target.table(),
                                            waited / 1_000_000,
                                            failed.getMessage()),
                            failed);
                }
            }
            LockSupport.parkNanos(this, pause);
            pause = Math.min(2 * pause, MAX_RETRY_NANOS);
        }
    }

    private boolean attempt(Committable committable) {
        SteleTable table = target.table().open(client);
        CommitRecords recorded = records;
        if (recorded == null) {
            recorded =
                    CommitRecords.open(
                            client, table, target.options().commitSchema(), Clock.systemUTC());
            records = recorded;
        }
        if (recorded.has(committable)) {
            return false;
        }
        TableSchema encodedWith = ApiJson.read(committable.schemaJson(), TableSchema.class);
        TableId tableId = successor(encodedWith, table.schema());
        FlightClient flight = table.flight(0);
        StagedTransaction transaction = StagedTransaction.begin(flight, tableId);
        try {
            for (RowGroup group : committable.groups()) {
                transaction.stage(group, encodedWith, tableId);
            }
            for (CommitRecords.RecordRows row :
                    recorded.of(committable, encodedWith.qualifiedName())) {
                transaction.stage(row, recorded.schema().id());
            }
            transaction.commit();
            return true;
        } catch (SteleException failed) {
            transaction.abort(failed);
            if (failed.code() == ErrorCode.DUPLICATE_KEY && recorded.has(committable)) {
                return false; // another attempt has committed it
            }
            if (failed.code() == ErrorCode.STALE_TABLE) {
                records = null;
            }
            throw failed;
        }
    }

    /** The current id of the table, which changes if the table is truncated. */
    private static TableId successor(TableSchema before, TableSchema present) {
        boolean emptied = before.columns().equals(present.columns());
        if (!before.id().equals(present.id()) && !emptied) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Table %s was replaced by one with other columns since rows for it were taken (id %s, now %s)"
                            .formatted(before.qualifiedName(), before.id(), present.id()));
        }
        return present.id();
    }

    @Override
    public void close() {
        client.close();
    }
}
