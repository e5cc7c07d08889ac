package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.run.ResultRows;
import io.stele.sidecar.postgresql.wire.PostgresException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A bound statement of a PostgreSQL session, with its parameters, the open cursor on its result,
 * and the number of rows sent.
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

    Portal(PreparedStatement statement, List<@Nullable Object> parameters, List<Integer> formats) {
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
        close();
        isStarted = false;
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
        close();
    }

    /** Ends the statement and releases its result. */
    @Override
    public void close() {
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
