package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A parallel reader of ranges of objects in a remote store with uneven latency (AnyBlob, PVLDB
 * 2023, with hedging added).
 *
 * <p>Large reads are split into parallel requests of 8 to 16 MiB, and near ranges are read by one
 * request. The number of requests in flight follows the fitted model of the store. Bytes that are
 * in flight for another reader are not requested again. Transient failures are retried. Late
 * requests are hedged by a second request, within a budget.
 *
 * <p>Threads: calls block the caller until the bytes have arrived; an interrupted reader cancels
 * its requests. Thread-safe. The source writes into the caller's array itself, without a copy.
 *
 * <p>Invariant: when a call has returned, its target is not written to any more. Invariant: the
 * bytes of a call are those of one version of the object.
 */
public final class DownloadManager implements AutoCloseable {
    /** How often an object may change while it is being read. */
    private static final int MAX_CHANGES = 3;

    /** The greatest length of arrays. */
    private static final int MAX_ARRAY_BYTES = Integer.MAX_VALUE - 16;

    private final RangeSource source;
    private final RangePlanner planner;
    private final GapRule gap;
    private final FetchServices services;
    private final InFlightReads inFlightReads = new InFlightReads();

    public DownloadManager(RangeSource source, RetrievalOptions options, RetrievalRuntime runtime) {
        this.source = requireNonNull(source, "source is null");
        this.planner = options.planner();
        this.gap = options.gap();
        this.services =
                new FetchServices(source, options, requireNonNull(runtime, "runtime is null"));
    }

    /**
     * Reads exactly {@code length} bytes into an array.
     *
     * @param length at least 1
     * @throws EOFException if the object ends before
     * @throws NoSuchFileException if there is no object
     */
    public void read(String object, long offset, byte[] buffer, int bufferOffset, int length)
            throws IOException {
        ByteRange range = new ByteRange(offset, length);
        readAll(
                object,
                List.of(new RangeRead(range, ByteBuffer.wrap(buffer, bufferOffset, length))));
    }

    /**
     * Reads several ranges of one object, near ones together. All have the same version.
     *
     * @throws EOFException if the object ends before one of them does
     * @throws NoSuchFileException if there is no object
     */
    public void readAll(String object, List<RangeRead> reads) throws IOException {
        requireNonNull(object, "object is null");
        try {
            for (int change = 0; !readOnce(object, reads); change++) {
                if (change == MAX_CHANGES) {
                    throw changed(object);
                }
                inFlightReads.forget(object);
            }
        } catch (NoSuchFileException | EOFException e) {
            throw e;
        } catch (IOException e) {
            services.counters.failures.increment();
            throw e;
        }
    }

    /** False if not all bytes are of one version. */
    private boolean readOnce(String object, List<RangeRead> reads) throws IOException {
        List<Gathered> gathered = new ArrayList<>();
        for (RangePlanner.Planned planned :
                merging(reads).merge(reads.stream().map(RangeRead::range).toList())) {
            gathered.add(gather(planned, reads));
        }
        List<PieceRead> pieces = new ArrayList<>();
        for (Gathered one : gathered) {
            for (ByteRange piece : planner.split(one.range)) {
                int at = one.buffer.position() + (int) (piece.offset() - one.range.offset());
                pieces.add(
                        new PieceRead(
                                services,
                                inFlightReads,
                                new RangeRequest(object, piece, false),
                                one.buffer.slice(at, piece.length())));
            }
        }
        List<ObjectVersion> versions = awaitAll(pieces);
        gathered.forEach(one -> one.scatter(reads));
        return versions.stream().distinct().count() <= 1;
    }

    /** The planner with the gap that the present latencies are worth. */
    private RangePlanner merging(List<RangeRead> reads) {
        return reads.size() < 2
                ? planner
                : new RangePlanner(
                        Math.min(gap.bytes(latency()), planner.maxRequestBytes()),
                        planner.maxRequestBytes());
    }

    /**
     * The range of a request and its buffer: the target of its only read, or a new buffer for
     * several reads.
     */
    private record Gathered(ByteRange range, ByteBuffer buffer, List<Integer> wanted) {
        private boolean isDirect() {
            return wanted.size() == 1;
        }

        private void scatter(List<RangeRead> reads) {
            if (isDirect()) {
                return;
            }
            for (int number : wanted) {
                RangeRead read = reads.get(number);
                int at = (int) (read.range().offset() - range.offset());
                read.target().duplicate().put(buffer.slice(at, read.range().length()));
            }
        }
    }

    private static Gathered gather(RangePlanner.Planned planned, List<RangeRead> reads) {
        List<Integer> wanted = planned.wanted();
        ByteBuffer buffer =
                wanted.size() == 1
                        ? reads.get(wanted.getFirst()).target()
                        : ByteBuffer.allocate(planned.range().length());
        return new Gathered(planned.range(), buffer, wanted);
    }

    /** Starts all reads and waits for them; returns the object versions of their bytes. */
    private static List<ObjectVersion> awaitAll(List<PieceRead> pieces) throws IOException {
        List<ObjectVersion> versions = new ArrayList<>(pieces.size());
        try {
            pieces.forEach(PieceRead::start);
            for (PieceRead piece : pieces) {
                versions.add(piece.await());
            }
        } finally {
            pieces.forEach(PieceRead::abandon); // nothing where all went well
        }
        return versions;
    }

    private static IOException changed(String object) {
        return new IOException(
                "Expected one version of %s, found it changed %d times while it was read"
                        .formatted(object, MAX_CHANGES));
    }

    /**
     * Reads a whole object: the reply to the first request has its size, and the rest is requested
     * side by side.
     *
     * @throws NoSuchFileException if there is no object
     */
    public byte[] readFully(String object) throws IOException {
        requireNonNull(object, "object is null");
        try {
            for (int change = 0; change <= MAX_CHANGES; change++) {
                byte[] content = readFullyOnce(object);
                if (content != null) {
                    return content;
                }
            }
            throw changed(object);
        } catch (BehindEndException empty) {
            return new byte[0];
        } catch (NoSuchFileException | EOFException e) {
            throw e;
        } catch (IOException e) {
            services.counters.failures.increment();
            throw e;
        }
    }

    /** Null if not all bytes are of one version. */
    private byte @Nullable [] readFullyOnce(String object) throws IOException {
        WholeObject whole = new WholeObject(object);
        RangeFetch start =
                new RangeFetch(
                        services,
                        new RangeRequest(object, new ByteRange(0, planner.maxRequestBytes()), true),
                        whole);
        ObjectVersion version = awaitStart(start, object);
        byte[] content = requireNonNull(whole.content);
        int have = Math.min(content.length, planner.maxRequestBytes());
        if (have == content.length) {
            return content;
        }
        List<PieceRead> pieces = new ArrayList<>();
        for (ByteRange piece : planner.split(new ByteRange(have, content.length - have))) {
            pieces.add(
                    new PieceRead(
                            services,
                            inFlightReads,
                            new RangeRequest(object, piece, false),
                            ByteBuffer.wrap(
                                    content, Math.toIntExact(piece.offset()), piece.length())));
        }
        List<ObjectVersion> versions = awaitAll(pieces);
        return versions.stream().allMatch(version::equals) ? content : null;
    }

    private static ObjectVersion awaitStart(RangeFetch start, String object) throws IOException {
        start.start();
        try {
            start.ended().get();
        } catch (InterruptedException e) {
            start.cancel();
            start.ended().join();
            start.finish();
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted while reading " + object);
        } catch (ExecutionException e) {
            throw new IllegalStateException("Expected an end without a failure", e);
        }
        return start.finish().orElseThrow(() -> new IOException("Cancelled: " + object));
    }

    /** An array that is allocated when the first response states the size of the object. */
    private static final class WholeObject implements RangeTarget {
        private final String object;
        private volatile byte @Nullable [] content;

        private WholeObject(String object) {
            this.object = object;
        }

        @Override
        public ByteBuffer of(ObjectVersion version, int length) throws IOException {
            if (version.sizeBytes() > MAX_ARRAY_BYTES) {
                throw new IOException(
                        "Expected an object that fits an array, found %d bytes in %s"
                                .formatted(version.sizeBytes(), object));
            }
            byte[] whole = new byte[(int) version.sizeBytes()];
            content = whole;
            return ByteBuffer.wrap(whole, 0, length);
        }
    }

    /** Called when an object may have changed: later readers do not join its reads in flight. */
    public void forget(String object) {
        inFlightReads.forget(object);
    }

    /**
     * The fitted latencies of the store without load from this process; those of S3 before the
     * first measurement.
     */
    public LatencyFit latency() {
        return services.model.least();
    }

    /** Its statistics. */
    public RetrievalStatistics statistics() {
        return services.statistics();
    }

    /** Closes the source; reads under way fail. */
    @Override
    public void close() throws IOException {
        source.close();
    }
}
