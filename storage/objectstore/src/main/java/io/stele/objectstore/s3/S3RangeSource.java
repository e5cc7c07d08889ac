package io.stele.objectstore.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.stele.objectstore.retrieval.ObjectVersion;
import io.stele.objectstore.retrieval.RangeRequest;
import io.stele.objectstore.retrieval.RangeSource;
import io.stele.objectstore.retrieval.http.Endpoint;
import io.stele.objectstore.retrieval.http.GetRequest;
import io.stele.objectstore.retrieval.http.HttpRangeClient;
import io.stele.objectstore.retrieval.http.ResponseHead;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * A range source that reads S3 objects over Stele's own HTTP connections, with credentials from the
 * SDK. A redirect to another host (307, as for new buckets of S3) is followed once. Thread-safe.
 */
final class S3RangeSource implements RangeSource {
    private static final Attempt NOT_SENT =
            new Attempt() {
                @Override
                public void cancel() {}

                @Override
                public long receivedBytes() {
                    return 0;
                }
            };

    private final HttpRangeClient client;
    private final S3Signer signer;
    private final ServiceClock clock;
    private final Function<String, URI> urls;
    private final Function<String, String> locations;
    private final S3Checksums checksums;
    private final Executor executor;

    /**
     * @param clock the signer's clock, which refusals correct
     * @param urls of objects
     * @param locations of objects, for messages
     * @param executor runs tasks that may block, such as the signing of a redirected request
     */
    S3RangeSource(
            HttpRangeClient client,
            S3Signer signer,
            ServiceClock clock,
            Function<String, URI> urls,
            Function<String, String> locations,
            S3Checksums checksums,
            Executor executor) {
        this.client = requireNonNull(client, "client is null");
        this.signer = requireNonNull(signer, "signer is null");
        this.clock = requireNonNull(clock, "clock is null");
        this.urls = requireNonNull(urls, "urls is null");
        this.locations = requireNonNull(locations, "locations is null");
        this.checksums = requireNonNull(checksums, "checksums is null");
        this.executor = requireNonNull(executor, "executor is null");
    }

    @Override
    public Attempt start(RangeRequest request, Listener listener) {
        URI url = urls.apply(request.object());
        Following attempt = new Following(request, listener, url);
        attempt.send(url);
        return attempt;
    }

    @Override
    public void close() {
        client.close();
    }

    private static final class Moved extends IOException {
        private static final long serialVersionUID = 1;

        private final transient URI to;

        private Moved(URI to) {
            super("Moved to " + to);
            this.to = to;
        }
    }

    /**
     * A request that may be sent once more, after a redirect or a correction of the clock.
     * Thread-safe.
     */
    private final class Following implements Attempt {
        private final RangeRequest request;
        private final Listener listener;
        private final URI first;
        private volatile Attempt present = NOT_SENT;
        private volatile boolean cancelled;
        private volatile boolean corrected; // signed by the service's clock after a refusal

        Following(RangeRequest request, Listener listener, URI first) {
            this.request = request;
            this.listener = listener;
            this.first = first;
        }

        void send(URI url) {
            GetRequest get;
            try {
                get =
                        new GetRequest(
                                Endpoint.of(url),
                                signer.head(url, request.range(), checksums.isAskedFor(request)),
                                request);
            } catch (IOException e) {
                listener.failed(e);
                return;
            }
            boolean mayMove = url.equals(first);
            Attempt sent =
                    client.send(
                            get,
                            mayMove ? new MoveListener(this) : listener,
                            (head, body) -> explain(head, body, mayMove),
                            checksums::expected);
            present = sent;
            if (cancelled) {
                sent.cancel();
            }
        }

        private IOException explain(ResponseHead head, byte[] body, boolean mayMove) {
            Optional<URI> to = mayMove && head.status() == 307 ? target(head) : Optional.empty();
            if (to.isEmpty() && mayMove && isSkewed(head, body)) {
                return new Moved(first);
            }
            return to.isPresent()
                    ? new Moved(to.get())
                    : S3Refusal.explain(head, body, locations.apply(request.object()));
        }

        /**
         * Whether the request was refused because of our clock; then corrects the clock, at most
         * once.
         */
        private boolean isSkewed(ResponseHead head, byte[] body) {
            if (corrected
                    || head.status() != S3Failures.FORBIDDEN
                    || !new String(body, UTF_8).contains("<Code>RequestTimeTooSkewed</Code>")) {
                return false;
            }
            corrected = true;
            return head.find("date").map(clock::correct).orElse(false);
        }

        /** The target of a redirect, unless it is outside S3, or less secure. */
        private Optional<URI> target(ResponseHead head) {
            try {
                return head.find("location")
                        .map(URI::create)
                        .filter(to -> to.getHost() != null && to.getRawQuery() == null)
                        .filter(to -> first.getScheme().equalsIgnoreCase(to.getScheme()));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            present.cancel();
        }

        @Override
        public long receivedBytes() {
            return present.receivedBytes();
        }
    }

    private final class MoveListener implements Listener {
        private final Following attempt;

        MoveListener(Following attempt) {
            this.attempt = attempt;
        }

        @Override
        public ByteBuffer begins(ObjectVersion version, int length) throws IOException {
            return attempt.listener.begins(version, length);
        }

        @Override
        public void completed() {
            attempt.listener.completed();
        }

        @Override
        public void failed(IOException failure) {
            if (failure instanceof Moved moved) {
                executor.execute(() -> attempt.send(moved.to));
            } else {
                attempt.listener.failed(failure);
            }
        }
    }
}
