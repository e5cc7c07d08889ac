package io.stele.sidecar.framed;

import io.airlift.log.Logger;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/** The error replies, and the log lines, of framed requests other than writes that failed. */
final class FailureReplies {
    private static final Logger log = Logger.get(FailureReplies.class);

    private FailureReplies() {}

    /** Runs {@code action}, which replies to the request, or replies with its failure. */
    static void answer(Request request, Consumer<Request> action) {
        try {
            action.accept(request);
        } catch (RuntimeException e) {
            fail(request, e);
        }
    }

    static void fail(Request request, Throwable failure) {
        switch (unwrapped(failure)) {
            case SteleException known -> request.fail(known);
            case IOException unreadable -> {
                log.warn(unreadable, "Cannot read for %s", request.connection());
                request.fail(
                        new SteleException(
                                ErrorCode.STORE_FAILED,
                                "The warehouse cannot be read: " + unreadable.getMessage(),
                                unreadable));
            }
            case Throwable e -> {
                log.error(
                        e,
                        "A request %s of %s failed",
                        request.frame().type(),
                        request.connection());
                request.fail(
                        new SteleException(
                                ErrorCode.INTERNAL,
                                "The sidecar failed; its log says why: "
                                        + e.getClass().getSimpleName(),
                                e));
            }
        }
    }

    static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null
                ? failure.getCause()
                : failure;
    }
}
