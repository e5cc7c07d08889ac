package io.stele.engine.wal;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.SteleException;
import java.io.IOException;
import java.util.List;

/**
 * A placeholder, at a start, for a log that cannot be read: it looks empty and refuses all writes,
 * so that the log stays unchanged. Immutable.
 */
public final class UnusableLogFiles implements LogFiles {
    private final SteleException cause;

    public UnusableLogFiles(SteleException cause) {
        this.cause = requireNonNull(cause, "cause is null");
    }

    @Override
    public List<Long> segments() {
        return List.of();
    }

    @Override
    public Writer create(long segment) throws IOException {
        throw refusal();
    }

    @Override
    public Reader open(long segment) throws IOException {
        throw refusal();
    }

    @Override
    public void seal(long segment, long sizeBytes, long rewriteFrom) throws IOException {
        throw refusal();
    }

    @Override
    public void delete(long segment) throws IOException {
        throw refusal();
    }

    @Override
    public String describe(long segment) {
        return "a log that cannot be read";
    }

    @Override
    public void close() {
        // It has nothing.
    }

    private IOException refusal() {
        return new IOException(
                "Expected a log that can be read, found damage: " + cause.getMessage(), cause);
    }
}
