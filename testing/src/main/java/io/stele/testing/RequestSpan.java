package io.stele.testing;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A request to a store, from when it had come to the end of its answer.
 *
 * @param method of HTTP
 * @param target of the request, with its query
 * @param range the header, or nothing
 * @param startNanos when the request had come
 * @param endNanos when the last byte of the answer had been sent
 */
public record RequestSpan(
        String method, String target, String range, long startNanos, long endNanos) {
    public RequestSpan {
        requireNonNull(method, "method is null");
        requireNonNull(target, "target is null");
        requireNonNull(range, "range is null");
    }

    static RequestSpan of(HttpHead request, long startNanos, long endNanos) throws IOException {
        return new RequestSpan(
                request.firstWord(),
                request.secondWord(),
                request.find("range").orElse(""),
                startNanos,
                endNanos);
    }

    /** Whether it reads an object or a list. */
    public boolean isRead() {
        return method.equals("GET");
    }

    /**
     * The length of the longest chain of requests that each began when the one before had ended.
     */
    public static int rounds(List<RequestSpan> spans) {
        List<RequestSpan> byEnd = new ArrayList<>(spans);
        byEnd.sort(Comparator.comparingLong(RequestSpan::endNanos));
        int rounds = 0;
        long end = 0;
        for (RequestSpan span : byEnd) {
            if (rounds == 0 || span.startNanos >= end) {
                rounds++;
                end = span.endNanos;
            }
        }
        return rounds;
    }

    /** The greatest number in flight together. */
    public static int mostInFlight(List<RequestSpan> spans) {
        int most = 0;
        for (RequestSpan begun : spans) {
            int together = 0;
            for (RequestSpan other : spans) {
                if (other.startNanos <= begun.startNanos && begun.startNanos < other.endNanos) {
                    together++;
                }
            }
            most = Math.max(most, together);
        }
        return most;
    }
}
