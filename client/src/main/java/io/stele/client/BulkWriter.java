package io.stele.client;

import static java.util.Objects.requireNonNull;

import io.stele.client.flight.FlightClient;
import io.stele.client.flight.FlightPut;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.write.PutMode;
import io.stele.protocol.api.write.PutReply;
import io.stele.protocol.api.write.PutTarget;
import io.stele.protocol.arrow.ArrowBatchEncoder;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowMessage;
import io.stele.protocol.arrow.ArrowSchemas;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.FlightDescriptor;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.TableSchema;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A client's writer of many rows to one table, as Arrow batches over Flight's DoPut; it blocks. It
 * is for bulk loads, in which the latency of a row does not matter. The sidecar routes the rows to
 * shards. A stream that breaks, or ends because a shard is BUSY, is opened again. Its unanswered
 * batches are sent again with their sequence numbers. No shard applies a batch twice, or in another
 * order. Any failure except a wrong row ends the writer: it sends nothing any more. Confined to one
 * thread.
 */
public final class BulkWriter implements AutoCloseable {
    // 16 Ki rows or 4 MiB: the cost of a message is negligible then.
    private static final int MAX_BATCH_ROWS = 16 << 10;
    private static final long MAX_BATCH_BYTES = 4 << 20;
    private static final long MIN_RETRY_NANOS = Duration.ofMillis(50).toNanos();
    private static final long MAX_RETRY_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long MAX_HINT_MILLIS = 10_000; // upper limit of a sidecar's hint

    private final FlightClient flight;
    private final TableSchema schema;
    private final Optional<TableName> name;
    private final UUID writerId;
    private final long unavailableNanos;
    private final long busyNanos;
    private final LongSupplier ticker;
    private final RowEncoder rowEncoder;
    private final BinaryRow view;
    private final ByteBuffer schemaMessage;
    private final ArrowBatchEncoder encoder;
    private final ArrayDeque<Unanswered> unanswered = new ArrayDeque<>();
    private @Nullable FlightPut put;
    private boolean isOpened; // the stream has a connection, since {@link #openedNanos}
    private long openedNanos;
    private @Nullable SteleException failure;
    private long nextSequence = 1;
    private Lsn lastLsn = Lsn.MIN;
    private long acknowledgedRows;

    /**
     * A writer of the table with this name; if the name is empty, of the table with the schema's
     * id, whatever its name.
     */
    BulkWriter(
            FlightClient flight,
            TableSchema schema,
            Optional<TableName> name,
            UUID writerId,
            Duration unavailable,
            Duration busy,
            LongSupplier ticker) {
        this.flight = requireNonNull(flight, "flight is null");
        this.schema = requireNonNull(schema, "schema is null");
        this.name = requireNonNull(name, "name is null");
        this.writerId = requireNonNull(writerId, "writerId is null");
        this.unavailableNanos = unavailable.toNanos();
        this.busyNanos = busy.toNanos();
        this.ticker = requireNonNull(ticker, "ticker is null");
        RowLayout layout = RowLayout.of(schema.columns());
        List<ArrowField> fields = ArrowSchemas.fields(schema.columns());
        this.rowEncoder = new RowEncoder(layout);
        this.view = new BinaryRow(layout);
        this.schemaMessage = ByteBuffer.wrap(ArrowSchemas.toMessage(fields));
        this.encoder = ArrowBatchEncoder.forRows(fields, layout);
    }

    /**
     * Writes a row, one value for each column in table order. It replaces the row of its primary
     * key, or is appended to a table without a primary key. Sends a batch when it is full, and
     * waits while too many batches are unanswered.
     *
     * @throws SteleException if the row is wrong; if an earlier batch was refused, which ends this
     *     writer; or if the sidecar stays unavailable
     */
    public void write(@Nullable Object... values) {
        int length = Rows.encode(rowEncoder, Arrays.asList(values));
        encoder.append(view.wrap(rowEncoder.array(), 0, length));
        if (encoder.rowCount() >= MAX_BATCH_ROWS || encoder.sizeBytes() >= MAX_BATCH_BYTES) {
            send();
        }
    }

    /**
     * Waits until every row written so far is durable and applied; returns an LSN that sees all of
     * them.
     */
    public Lsn flush() {
        if (encoder.rowCount() > 0) {
            send();
        }
        while (!unanswered.isEmpty()) {
            retrying(
                    () -> {
                        reopen();
                        takeReply(unanswered.getFirst());
                    });
        }
        return lastLsn;
    }

    /** The number of rows that are durable and applied. */
    public long acknowledgedRows() {
        return acknowledgedRows;
    }

    /** Flushes and ends the stream; after a failure, which was thrown before, only ends it. */
    @Override
    public void close() {
        if (failure != null) {
            return;
        }
        try {
            flush();
            if (put != null) {
                put.finish();
            }
        } finally {
            abandon();
        }
    }

    private void send() {
        ArrowMessage message = encoder.finish();
        Unanswered batch =
                new Unanswered(FlightData.of(message.header(), message.body()), message.rowCount());
        unanswered.add(batch);
        nextSequence++;
        retrying(this::reopen);
        while (!unanswered.isEmpty() && unanswered.getFirst().isAnswered()) {
            retrying(
                    () -> {
                        reopen();
                        takeReply(unanswered.getFirst());
                    });
        }
    }

    /** Opens the stream if it is not open, and sends the batches that were not sent on it. */
    private void reopen() {
        FlightPut current = put;
        if (current == null) {
            unanswered.forEach(batch -> batch.reply = null);
            current = flight.put();
            put = current;
            PutTarget target =
                    new PutTarget(
                            name,
                            Optional.of(schema.id()),
                            schema.hasPrimaryKey() ? PutMode.UPSERT : PutMode.APPEND,
                            Optional.empty(),
                            Optional.empty(),
                            Optional.of(writerId),
                            nextSequence - unanswered.size(),
                            Optional.empty());
            current.sendSchema(
                    FlightDescriptor.command(ApiJson.write(target)),
                    FlightData.schema(schemaMessage)); // waits for the connection
            isOpened = true;
            openedNanos = ticker.getAsLong();
        }
        for (Unanswered batch : unanswered) {
            if (batch.reply == null) {
                batch.reply = current.sendBatch(batch.data);
            }
        }
    }

    private void takeReply(Unanswered first) {
        PutReply reply = SteleClient.await(requireNonNull(first.reply, "the batch was sent"));
        unanswered.remove();
        acknowledgedRows += first.rowCount;
        if (reply.lsn().compareTo(lastLsn) > 0) {
            lastLsn = reply.lsn();
        }
    }

    private void retrying(Runnable step) {
        if (failure != null) {
            throw new SteleException(
                    failure.code(), "The writer ended: " + failure.getMessage(), failure);
        }
        long retryNanos = MIN_RETRY_NANOS;
        boolean isAway = false;
        long awaySince = 0;
        while (true) {
            try {
                step.run();
                return;
            } catch (SteleException e) {
                long now = ticker.getAsLong();
                // Time in which the step waited while the sidecar was available is no outage
                boolean wasThere =
                        isOpened
                                && e.code() == ErrorCode.UNAVAILABLE
                                && now - openedNanos > MAX_RETRY_NANOS;
                abandon();
                if (!isAway || wasThere) {
                    isAway = true;
                    awaySince = now;
                    retryNanos = MIN_RETRY_NANOS;
                }
                if (now - awaySince >= patienceNanos(e.code())) {
                    failure =
                            new SteleException(
                                    e.code(), e.getMessage() + "; " + unansweredRows(), e);
                    throw failure;
                }
                LockSupport.parkNanos(this, Math.max(retryNanos, hintNanos(e)));
                retryNanos = Math.min(2 * retryNanos, MAX_RETRY_NANOS);
            }
        }
    }

    private static long hintNanos(SteleException failure) {
        long millis = Math.min(failure.retryAfterMillis().orElse(0), MAX_HINT_MILLIS);
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private long patienceNanos(ErrorCode code) {
        return switch (code) {
            case UNAVAILABLE -> unavailableNanos;
            case BUSY -> busyNanos;
            default -> 0;
        };
    }

    private String unansweredRows() {
        long rows = 0;
        for (Unanswered batch : unanswered) {
            rows += batch.rowCount;
        }
        return rows + " rows are unacknowledged and may or may not have been applied";
    }

    private void abandon() {
        isOpened = false;
        if (put != null) {
            put.close();
            put = null;
        }
    }

    private static final class Unanswered {
        private final FlightData data;
        private final int rowCount;
        private @Nullable CompletableFuture<PutReply> reply;

        Unanswered(FlightData data, int rowCount) {
            this.data = data;
            this.rowCount = rowCount;
        }

        boolean isAnswered() {
            return reply != null && reply.isDone();
        }
    }
}
