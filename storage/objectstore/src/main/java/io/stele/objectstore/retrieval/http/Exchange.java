package io.stele.objectstore.retrieval.http;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.retrieval.ContentRange;
import io.stele.objectstore.retrieval.ObjectVersion;
import io.stele.objectstore.retrieval.RangeSource;
import io.stele.objectstore.retrieval.TransientReadException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The state of one GET on a connection, from its request to the last byte of the response, which is
 * written into the caller's buffer. Confined to its event loop, except for {@link #cancel} and
 * {@link #receivedBytes}.
 *
 * <p>Invariant: the listener is notified of the end once, and the buffer is not used after that.
 */
final class Exchange implements RangeSource.Attempt {
    /** Errors of S3 have a few hundred bytes. */
    private static final int MAX_ERROR_BYTES = 64 << 10;

    private final EventLoop loop;
    private final GetRequest request;
    private final RangeSource.Listener listener;
    private final Refusal refusal;
    private final BodyChecksums checksums;
    private @Nullable HttpConnection connection;
    private @Nullable ResponseHead head;
    private @Nullable ByteBuffer body; // of bytes that are wanted
    private OptionalInt expectedCrc = OptionalInt.empty(); // of the body
    private final CRC32C foundCrc = new CRC32C();
    private byte @Nullable [] error; // of an answer that refuses
    private int errorLength;
    private OptionalLong errorBytes = OptionalLong.empty();
    private @Nullable IOException refused;
    private boolean over;
    private volatile long receivedBytes;

    Exchange(
            EventLoop loop,
            GetRequest request,
            RangeSource.Listener listener,
            Refusal refusal,
            BodyChecksums checksums) {
        this.loop = loop;
        this.request = requireNonNull(request, "request is null");
        this.listener = requireNonNull(listener, "listener is null");
        this.refusal = requireNonNull(refusal, "refusal is null");
        this.checksums = requireNonNull(checksums, "checksums is null");
    }

    /** The target of the rest of a response. */
    enum Next {
        /** Into {@link #target}. */
        MORE,
        /** Nowhere: the response has ended. */
        END,
        /** Nowhere: the rest of the response is not wanted, and the connection must be closed. */
        DROP
    }

    byte[] requestHead() {
        return request.head();
    }

    Endpoint endpoint() {
        return request.endpoint();
    }

    boolean isOver() {
        return over;
    }

    /** Whether any part of the response has arrived. */
    boolean hasBegun() {
        return head != null;
    }

    void sendOn(HttpConnection chosen) {
        connection = chosen;
    }

    @Override
    public void cancel() {
        IOException cancelled = new IOException("Cancelled: " + request.wanted());
        if (!loop.execute(() -> fail(cancelled))) {
            fail(cancelled);
        }
    }

    @Override
    public long receivedBytes() {
        return receivedBytes;
    }

    /** Ends the exchange with a failure, and closes its connection, if it has one. */
    void fail(IOException failure) {
        synchronized (this) { // once the loop is closed, any thread may call this
            if (over) {
                return;
            }
            over = true;
        }
        HttpConnection own = connection;
        if (own != null) {
            own.drop();
        }
        listener.failed(failure);
    }

    /** Called when the head of the response has arrived. */
    Next begins(ResponseHead answer) {
        head = answer;
        try {
            if (answer.status() == 206 || answer.status() == 200) {
                return beginsWell(answer);
            }
            return beginsBadly(answer);
        } catch (IOException e) {
            fail(e);
            return Next.DROP;
        }
    }

    private Next beginsWell(ResponseHead answer) throws IOException {
        if (answer.isChunked() || answer.contentLength().isEmpty()) {
            throw new IOException(
                    "Expected an answer with a length, found none for " + request.wanted());
        }
        long length = answer.contentLength().getAsLong();
        ContentRange part;
        if (answer.status() == 206) {
            part = answer.contentRange();
        } else {
            part = new ContentRange(0, length - 1, length);
            if (request.wanted().range().offset() != 0) {
                throw new IOException(
                        "Expected a part of the object, found all of it for " + request.wanted());
            }
        }
        request.wanted().checkAnswer(part, length, request.wanted().object());
        ObjectVersion version = new ObjectVersion(part.sizeBytes(), answer.find("etag").orElse(""));
        expectedCrc = checksums.crc32c(answer, part);
        ByteBuffer target = listener.begins(version, (int) length);
        body = target.limit(target.position() + (int) length);
        return Next.MORE;
    }

    private Next beginsBadly(ResponseHead answer) throws IOException {
        error = new byte[MAX_ERROR_BYTES];
        errorBytes = answer.isChunked() ? OptionalLong.empty() : answer.contentLength();
        if (errorBytes.isPresent() && errorBytes.getAsLong() == 0) {
            return refuse(new byte[0], Next.END);
        }
        return Next.MORE;
    }

    /** The buffer for the next bytes of the body; never full. */
    ByteBuffer target() {
        return body != null
                ? body
                : ByteBuffer.wrap(
                        requireNonNull(error), errorLength, MAX_ERROR_BYTES - errorLength);
    }

    /** Counts bytes that were written into {@link #target}. */
    Next received(int count) {
        ByteBuffer wanted = body;
        if (wanted == null) {
            errorLength += count;
            return receivedError();
        }
        long before = receivedBytes; // this loop alone changes it
        receivedBytes = before + count;
        if (expectedCrc.isPresent()) {
            foundCrc.update(wanted.slice(wanted.position() - count, count));
        }
        return wanted.hasRemaining() ? Next.MORE : complete();
    }

    private Next complete() {
        over = true;
        int found = (int) foundCrc.getValue();
        if (expectedCrc.isPresent() && expectedCrc.getAsInt() != found) {
            refused =
                    new TransientReadException(
                            "Expected checksum %08x, found %08x in the answer for %s"
                                    .formatted(expectedCrc.getAsInt(), found, request.wanted()));
        }
        return Next.END;
    }

    private Next receivedError() {
        byte[] bytes = requireNonNull(error);
        try {
            if (requireNonNull(head).isChunked()) {
                Optional<byte[]> decoded = ChunkedBody.decode(bytes, errorLength);
                if (decoded.isPresent()) {
                    return refuse(decoded.get(), Next.DROP); // simpler than to find its end
                }
            } else if (errorBytes.isPresent() && errorLength >= errorBytes.getAsLong()) {
                return refuse(
                        Arrays.copyOf(bytes, errorLength),
                        errorLength == errorBytes.getAsLong() ? Next.END : Next.DROP);
            }
        } catch (IOException e) {
            return refuse(new byte[0], Next.DROP);
        }
        return errorLength < MAX_ERROR_BYTES
                ? Next.MORE
                : refuse(Arrays.copyOf(bytes, errorLength), Next.DROP);
    }

    private Next refuse(byte[] content, Next next) {
        refused = refusal.explain(requireNonNull(head), content);
        over = true;
        return next;
    }

    /** Called when the connection ended before the response was complete. */
    void ended(IOException cause) {
        if (over) {
            return;
        }
        if (head != null && error != null) {
            // An error of unknown length ends with its connection
            if (errorBytes.isEmpty() && !head.isChunked()) {
                refuse(Arrays.copyOf(error, errorLength), Next.DROP);
                notifyListener();
                return;
            }
        }
        fail(
                new TransientReadException(
                        "Cannot read the answer for %s: %s"
                                .formatted(request.wanted(), cause.getMessage()),
                        cause));
    }

    /** Notifies the listener of the end, after the connection was returned or closed. */
    void notifyListener() {
        IOException cause = refused;
        if (cause == null) {
            listener.completed();
        } else {
            listener.failed(cause);
        }
    }

    /** Whether the store sent an error response instead of the bytes. */
    boolean wasRefused() {
        return refused != null;
    }
}
