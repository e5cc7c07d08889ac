package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.run.ResultRows;
import io.stele.sidecar.postgresql.wire.PostgresException;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A bound statement of a PostgreSQL session, with its parameters, the open cursor on its result,
 * the number of rows sent and the time taken.
 */
final class Portal implements AutoCloseable {
    private final List<@Nullable Object> parameters;
    private final List<Integer> formats;
    private PreparedStatement statement;
    private @Nullable ResultRows rows;
    private long count; // of rows that were sent, or changed
    private boolean isStarted;
    private boolean isDone;
    private boolean isDescribed;
    private long nanos;
    private boolean isFailed;
    private @Nullable Consumer<Portal> whenEnded;

    /**
     * @param whenEnded is called once, when it has ended, or is closed, after it has run
     */
    Portal(
            PreparedStatement statement,
            List<@Nullable Object> parameters,
            List<Integer> formats,
            Consumer<Portal> whenEnded) {
        this.whenEnded = whenEnded;
        this.statement = statement;
        this.parameters = parameters;
        this.formats = List.copyOf(formats);
    }

    PreparedStatement statement() {
        return statement;
    }

    void replan(PreparedStatement planned) {
        statement = planned;
    }

    List<@Nullable Object> parameters() {
        return parameters;
    }

    List<Integer> formats() {
        return formats;
    }

    boolean isStarted() {
        return isStarted;
    }

    boolean isDone() {
        return isDone;
    }

    /** Whether the columns of this portal were sent to the client. */
    boolean isDescribed() {
        return isDescribed;
    }

    void described() {
        isDescribed = true;
    }

    void start(long changed, @Nullable ResultRows found) {
        isStarted = true;
        count = changed;
        rows = found;
    }

    /** Resets the statement to its start, while no row was sent. */
    void restart() {
        release();
        isStarted = false;
    }

    /** Adds the time of one Execute message, which may be one of several. */
    void ran(long elapsedNanos) {
        nanos = Math.max(nanos + elapsedNanos, 1);
    }

    /** The time that it has run, without the time between fetches; 0: it has not. */
    long nanos() {
        return nanos;
    }

    void failed() {
        isFailed = true;
    }

    boolean isFailed() {
        return isFailed;
    }

    void changed(long changed) {
        count = changed;
    }

    @Nullable ResultRows rows() {
        return rows;
    }

    long count() {
        return count;
    }

    void sent() {
        count++;
    }

    void done() {
        isDone = true;
        release();
    }

    /** Ends the statement and releases its result. */
    @Override
    public void close() {
        end();
        release();
    }

    /** Says that it has ended, unless that was said. */
    void end() {
        Consumer<Portal> ended = whenEnded;
        if (ended != null && nanos > 0) {
            whenEnded = null;
            ended.accept(this);
        }
    }

    private void release() {
        ResultRows open = rows;
        rows = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                throw PostgresException.of(e);
            }
        }
    }
}
