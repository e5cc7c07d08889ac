package io.stele.sidecar.flight.sql;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.arrow.ArrowBatch;
import io.stele.protocol.arrow.ArrowField;
import io.stele.sidecar.postgresql.plan.ParameterTypes;
import io.stele.sidecar.postgresql.run.Cancellation;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.io.IOException;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A DoPut of Flight SQL that keeps its batches of parameters in memory until its end, when a
 * statement runs with them. The room of the call bounds them.
 */
final class CollectedPut implements SqlPut {
    private final List<ParameterTypes.Type> types;
    private final List<ArrowField> fields;
    private final Step step;
    private final Cancellation cancellation;
    private final Executor executor;
    private final boolean isWithoutParameters;
    private final List<ArrowBatch> batches = new ArrayList<>();

    /** The work at the end; returns the metadata of the result. */
    interface Step {
        byte[] run(SqlRunner.ParameterSource parameters) throws IOException;
    }

    /**
     * @param types of the parameters
     * @param fields of the batches
     * @param cancellation of the step
     * @param isWithoutParameters whether the command itself is all that the client sends
     */
    CollectedPut(
            List<ParameterTypes.Type> types,
            List<ArrowField> fields,
            Step step,
            Cancellation cancellation,
            Executor executor,
            boolean isWithoutParameters) {
        this.isWithoutParameters = isWithoutParameters;
        this.types = requireNonNull(types, "types is null");
        this.fields = requireNonNull(fields, "fields is null");
        this.step = requireNonNull(step, "step is null");
        this.cancellation = requireNonNull(cancellation, "cancellation is null");
        this.executor = requireNonNull(executor, "executor is null");
    }

    @Override
    public CompletableFuture<Void> add(ArrowBatch batch) {
        batches.add(batch);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public boolean takesNoBatches() {
        return isWithoutParameters;
    }

    @Override
    public boolean keepsBatches() {
        return true;
    }

    @Override
    public CompletableFuture<byte[]> finish() {
        return Tasks.supply(() -> step.run(source()), executor);
    }

    @Override
    public void close() {
        cancellation.request();
    }

    private SqlRunner.ParameterSource source() {
        long rows = batches.stream().mapToLong(ArrowBatch::rowCount).sum();
        if (types.isEmpty() && rows == 0) {
            return SqlRunner.ParameterSource.of(List.of());
        }
        if (!types.isEmpty() && batches.isEmpty()) {
            throw new PostgresException(
                    SqlState.PROTOCOL_VIOLATION,
                    "Expected a row of %s parameters, found none".formatted(types.size()));
        }
        return new Batches(new ParameterRows(types, fields, ZoneOffset.UTC), batches, rows);
    }

    private record Batches(ParameterRows rows, List<ArrowBatch> batches, long count)
            implements SqlRunner.ParameterSource {
        @Override
        public void forEach(RowAction action) throws IOException {
            for (ArrowBatch batch : batches) {
                for (int row = 0; row < batch.rowCount(); row++) {
                    List<@Nullable Object> values = rows.read(batch, row);
                    action.accept(values);
                }
            }
        }
    }
}
