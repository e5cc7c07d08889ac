package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import io.stele.engine.node.WriteRoom;
import io.stele.protocol.arrow.ArrowBatchDecoder;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.PutResult;
import io.stele.sidecar.flight.call.SqlCallerInterceptor;
import io.stele.sidecar.flight.sql.FlightSqlService;
import io.stele.sidecar.flight.sql.SqlPut;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The receiver of a DoPut of Flight SQL, which passes batches to a {@link SqlPut}. Its messages
 * keep their room until the call ends, because they may be needed until then, unless their rows
 * were passed to the engine.
 */
final class SqlPutReceiver implements PutReceiver {
    private final SqlPut put;
    private final ArrowBatchDecoder decoder;
    private final boolean keepsBatches;

    private SqlPutReceiver(SqlPut put, ArrowBatchDecoder decoder) {
        this.put = requireNonNull(put, "put is null");
        this.decoder = requireNonNull(decoder, "decoder is null");
        this.keepsBatches = put.keepsBatches();
    }

    /**
     * Begins with the first message of a stream, which has the command and, unless there are no
     * batches, the Arrow schema.
     */
    static SqlPutReceiver open(FlightSqlService sql, byte[] command, FlightData first) {
        ArrowBatchDecoder decoder =
                first.dataHeader().hasRemaining()
                        ? ArrowBatchDecoder.forSchema(first.dataHeader())
                        : new ArrowBatchDecoder(List.of());
        return new SqlPutReceiver(
                sql.put(command, decoder.fields(), SqlCallerInterceptor.current()), decoder);
    }

    @Override
    public CompletableFuture<Optional<PutResult>> write(
            FlightData message, WriteRoom room, long heldBytes) {
        return put.add(decoder.decode(message.dataHeader(), message.bodyBuffer()))
                .thenApply(
                        nothing -> {
                            if (!keepsBatches) {
                                room.shrink(heldBytes);
                            }
                            return Optional.empty();
                        });
    }

    @Override
    public boolean takesNoBatches() {
        return put.takesNoBatches();
    }

    @Override
    public long encodedBytes() {
        return 0;
    }

    @Override
    public CompletableFuture<Optional<PutResult>> finish() {
        return put.finish()
                .thenApply(
                        metadata ->
                                metadata.length == 0
                                        ? Optional.empty()
                                        : Optional.of(new PutResult(metadata)));
    }

    @Override
    public void close() {
        put.close();
    }
}
