package io.stele.objectstore.retrieval.http;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.retrieval.RangeSource;
import io.stele.objectstore.retrieval.TransientReadException;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;

/**
 * A non-blocking HTTP client for ranged GET requests that reads response bodies directly into the
 * buffers of the callers. It uses no streams and no thread per request, and creates no garbage in
 * proportion to the bytes. Thread-safe.
 */
public final class HttpRangeClient implements Closeable {
    private final List<EventLoop> loops;
    private final List<ConnectionPool> pools = new ArrayList<>();
    private final EndpointResolver resolver;
    private final AtomicInteger turn = new AtomicInteger();

    private HttpRangeClient(
            List<EventLoop> loops, HttpOptions options, SSLContext tls, EndpointResolver resolver) {
        this.loops = List.copyOf(loops);
        this.resolver = requireNonNull(resolver, "resolver is null");
        for (EventLoop loop : loops) {
            pools.add(new ConnectionPool(loop, options, tls, resolver));
        }
    }

    /**
     * Starts a client with its threads.
     *
     * @param factory creates the threads that run connections
     * @param uncaught called with failures that belong to no request
     */
    public static HttpRangeClient start(
            HttpOptions options,
            SSLContext tls,
            EndpointResolver resolver,
            ThreadFactory factory,
            LongSupplier nanoTime,
            Consumer<Throwable> uncaught)
            throws IOException {
        List<EventLoop> loops = new ArrayList<>();
        for (int i = 0; i < options.threads(); i++) {
            loops.add(EventLoop.start(factory, nanoTime, uncaught));
        }
        return new HttpRangeClient(loops, options, tls, resolver);
    }

    /** Timers on one of the threads. */
    public EventLoop timers() {
        return loops.getFirst();
    }

    /**
     * Sends a request. May block to look up the host.
     *
     * @param refusal converts a response without the bytes to a failure
     */
    public RangeSource.Attempt send(
            GetRequest request, RangeSource.Listener listener, Refusal refusal) {
        return send(request, listener, refusal, BodyChecksums.NONE);
    }

    /**
     * Sends a request whose response has a checksum. A body that does not match the checksum is a
     * transient failure.
     */
    public RangeSource.Attempt send(
            GetRequest request,
            RangeSource.Listener listener,
            Refusal refusal,
            BodyChecksums checksums) {
        int number = Math.floorMod(turn.getAndIncrement(), loops.size());
        EventLoop loop = loops.get(number);
        Exchange exchange = new Exchange(loop, request, listener, refusal, checksums);
        InetSocketAddress address;
        try {
            address = resolver.connect(request.endpoint());
        } catch (UnknownHostException e) {
            exchange.fail(
                    new TransientReadException(
                            "Cannot find the host " + request.endpoint().host(), e));
            return exchange;
        }
        ConnectionPool pool = pools.get(number);
        if (!loop.execute(() -> pool.send(exchange, address))) {
            exchange.fail(new IOException("The store is closed"));
        }
        return exchange;
    }

    @Override
    public void close() {
        loops.forEach(EventLoop::close);
    }
}
