package io.stele.connector.read.live;

import static java.util.Objects.requireNonNull;

import io.stele.client.flight.FlightStream;
import io.stele.connector.error.SteleErrorCode;
import io.stele.connector.read.page.CachedResultMetrics;
import io.stele.connector.read.page.ChannelSourcePage;
import io.stele.connector.read.page.ReadMetrics;
import io.stele.connector.read.page.ScanChannel;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.connector.type.ArrowBlocks;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.scan.ScanTicket;
import io.stele.protocol.api.status.CachedResultUse;
import io.stele.protocol.arrow.ArrowBatch;
import io.stele.protocol.arrow.ArrowBatchDecoder;
import io.stele.protocol.flight.FlightData;
import io.trino.spi.Page;
import io.trino.spi.TrinoException;
import io.trino.spi.block.Block;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import io.trino.spi.type.Type;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A page source of rows that a sidecar streams to this worker. It never blocks; its future
 * completes when the next batch has arrived. Confined to one driver.
 */
final class LivePageSource implements ConnectorPageSource {
    // 9 waits that double from 20 ms: ten seconds of a busy sidecar.
    private static final int MAX_REFUSALS = 9;
    private static final long MIN_PAUSE_MILLIS = 20;
    private static final long MAX_PAUSE_MILLIS = 10_000;

    private final SteleSidecar sidecar;
    private final byte[] ticket;
    private final QueryIdentity identity;
    private final List<Type> types;
    private final List<ScanChannel> channels;
    private final MemoryContext memory;
    private FlightStream stream;
    private boolean startedAgain;
    private int refusals;
    private @Nullable CompletableFuture<?> pause; // until it may request again
    private @Nullable ArrowBatchDecoder decoder;
    private long completedBytes;
    private long readTimeNanos;
    private Metrics metrics = Metrics.EMPTY; // sent with the schema, and at the end
    private boolean finished;

    /**
     * @param ticket the ticket of the stream
     * @param identity the identity of the query
     * @param types types of the stream's columns
     * @param channels the wanted columns, made from the stream's
     */
    LivePageSource(
            SteleSidecar sidecar,
            ScanTicket ticket,
            QueryIdentity identity,
            List<Type> types,
            List<ScanChannel> channels,
            MemoryContext memory) {
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.ticket = ticket.encode();
        this.identity = requireNonNull(identity, "identity is null");
        this.stream = sidecar.scan(this.ticket, identity);
        this.types = List.copyOf(types);
        this.channels = List.copyOf(channels);
        this.memory = requireNonNull(memory, "memory is null");
    }

    @Override
    public CompletableFuture<?> isBlocked() {
        if (finished) {
            return NOT_BLOCKED;
        }
        CompletableFuture<?> waiting = pause;
        return waiting == null ? stream.whenReady() : waiting;
    }

    @Override
    public @Nullable SourcePage getNextSourcePage() {
        if (finished) {
            return null;
        }
        CompletableFuture<?> waiting = pause;
        if (waiting != null) {
            if (!waiting.isDone()) {
                return null;
            }
            pause = null;
            stream = sidecar.scan(ticket, identity);
        }
        long start = System.nanoTime();
        try {
            Optional<FlightData> next = stream.poll();
            if (next.isEmpty()) {
                if (stream.isFinished()) {
                    stream.readCounters()
                            .ifPresent(
                                    counters ->
                                            metrics = metrics.mergeWith(ReadMetrics.of(counters)));
                    close();
                }
                return null;
            }
            return page(next.get());
        } catch (SteleException e) {
            RuntimeException failure = sidecar.streamFailed(e);
            if (startAgain(e) || startLater(e)) {
                return null;
            }
            close();
            throw failure;
        } finally {
            readTimeNanos += System.nanoTime() - start;
        }
    }

    /**
     * Tries a second time if the sidecar could not be reached at all: its address may have changed
     * since this node's last request.
     */
    private boolean startAgain(SteleException failure) {
        if (failure.code() != ErrorCode.UNAVAILABLE || decoder != null || startedAgain) {
            return false;
        }
        startedAgain = true;
        stream = sidecar.scan(ticket, identity);
        return true;
    }

    /** Repeats the request after a pause if the sidecar had no room for the scan. */
    private boolean startLater(SteleException failure) {
        if (failure.code() != ErrorCode.BUSY || decoder != null || refusals == MAX_REFUSALS) {
            return false;
        }
        long millis = Math.max(failure.retryAfterMillis().orElse(0), MIN_PAUSE_MILLIS << refusals);
        refusals++;
        pause =
                new CompletableFuture<@Nullable Void>()
                        .completeOnTimeout(
                                null, Math.min(millis, MAX_PAUSE_MILLIS), TimeUnit.MILLISECONDS);
        return true;
    }

    private @Nullable SourcePage page(FlightData message) {
        if (decoder == null) {
            decoder = ArrowBatchDecoder.forSchema(message.dataHeader());
            if (message.appMetadata().hasRemaining()) {
                metrics =
                        CachedResultMetrics.of(
                                ApiJson.read(bytes(message.appMetadata()), CachedResultUse.class));
            }
            if (decoder.fields().size() != types.size()) {
                throw new TrinoException(
                        SteleErrorCode.STELE_CORRUPT_DATA,
                        "Expected %s columns from the sidecar at %s, found %s"
                                .formatted(types.size(), sidecar.uri(), decoder.fields().size()));
            }
            return null;
        }
        completedBytes += message.bodySizeBytes();
        ArrowBatch batch = decoder.decode(message.dataHeader(), message.bodyBuffer());
        if (batch.rowCount() == 0) {
            return null;
        }
        Block[] blocks = new Block[types.size()];
        for (int index = 0; index < blocks.length; index++) {
            blocks[index] = ArrowBlocks.toBlock(batch.column(index), types.get(index));
        }
        Page page = new Page(batch.rowCount(), blocks);
        memory.setBytes(page.getRetainedSizeInBytes());
        return new ChannelSourcePage(SourcePage.create(page), channels);
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    @Override
    public boolean isFinished() {
        return finished;
    }

    @Override
    public Metrics getMetrics() {
        return metrics;
    }

    @Override
    public long getCompletedBytes() {
        return completedBytes;
    }

    @Override
    public long getReadTimeNanos() {
        return readTimeNanos;
    }

    @Override
    public void close() {
        if (!finished) {
            finished = true;
            stream.close();
            memory.setBytes(0);
        }
    }
}
