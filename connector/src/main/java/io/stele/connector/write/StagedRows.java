package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import io.stele.client.flight.FlightPut;
import io.stele.connector.error.SteleErrors;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.write.PutReply;
import io.stele.protocol.api.write.PutTarget;
import io.stele.protocol.arrow.ArrowBatchEncoder;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowMessage;
import io.stele.protocol.arrow.ArrowSchemas;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.FlightDescriptor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A stream of a writer's rows or deletions, in Arrow batches, into a transaction of the sidecar,
 * which stages them. Nothing is sent before the first batch is full or {@link #finish} is called;
 * all are staged when finish returns. Confined to one thread.
 */
final class StagedRows implements AutoCloseable {
    // 1 MiB: many rows a message, and little memory in the messages that are on their way
    private static final int BATCH_BYTES = 1 << 20;
    // Asking for the size of a batch costs a walk over its columns
    private static final int ROWS_PER_SIZE_CHECK = 64;

    private final SteleSidecar sidecar;
    private final PutTarget target;
    private final List<ArrowField> fields;
    private final ArrowBatchEncoder encoder;
    private final List<CompletableFuture<PutReply>> replies = new ArrayList<>();
    private @Nullable FlightPut put;
    private long batchBytes; // of the rows of the next batch
    private long sentBytes;

    // Of messages that the sidecar has not answered, and that may stay in memory until then
    private final AtomicLong unansweredBytes = new AtomicLong();

    StagedRows(
            SteleSidecar sidecar,
            PutTarget target,
            List<ArrowField> fields,
            ArrowBatchEncoder encoder) {
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.target = requireNonNull(target, "target is null");
        this.fields = List.copyOf(fields);
        this.encoder = requireNonNull(encoder, "encoder is null");
    }

    /** The encoder to which rows are appended; {@link #rowAppended} must follow each. */
    ArrowBatchEncoder encoder() {
        return encoder;
    }

    /**
     * @param length of the row, encoded
     */
    void rowAppended(int length) {
        batchBytes += length;
        // A batch may be larger than its rows, which have no room for nulls
        if (batchBytes >= BATCH_BYTES
                || encoder.rowCount() % ROWS_PER_SIZE_CHECK == 0
                        && encoder.sizeBytes() >= BATCH_BYTES) {
            send();
        }
    }

    long retainedBytes() {
        return encoder.sizeBytes() + unansweredBytes.get();
    }

    long sentBytes() {
        return sentBytes;
    }

    /** Sends the remaining rows and ends the stream; {@link #finish} must follow. */
    void end() {
        sendRemaining();
        if (put == null) {
            return;
        }
        try {
            put.end();
        } catch (SteleException e) {
            throw sidecar.streamFailed(e);
        }
    }

    /** Sends the remaining rows, ends the stream, and waits until all are staged. */
    void finish() {
        sendRemaining();
        if (put == null) {
            return;
        }
        try {
            put.finish();
            replies.forEach(CompletableFuture::join);
        } catch (SteleException e) {
            throw sidecar.streamFailed(e);
        } catch (CompletionException e) {
            throw SteleErrors.unwrap(e);
        }
    }

    @Override
    public void close() {
        if (put != null) {
            put.close();
        }
    }

    private void sendRemaining() {
        if (encoder.rowCount() > 0) {
            send();
        }
    }

    private void send() {
        ArrowMessage message = encoder.finish();
        batchBytes = 0;
        try {
            FlightPut stream = put;
            if (stream == null) {
                stream = sidecar.put();
                put = stream;
                stream.sendSchema(
                        FlightDescriptor.command(ApiJson.write(target)),
                        FlightData.schema(ByteBuffer.wrap(ArrowSchemas.toMessage(fields))));
            }
            long size = message.bodySizeBytes();
            sentBytes += size;
            unansweredBytes.addAndGet(size);
            replies.removeIf(reply -> reply.isDone() && !reply.isCompletedExceptionally());
            replies.add(
                    stream.sendBatch(FlightData.of(message.header(), message.body()))
                            .whenComplete((_, _) -> unansweredBytes.addAndGet(-size)));
        } catch (SteleException e) {
            throw sidecar.streamFailed(e);
        }
    }
}
