package io.stele.sidecar.postgresql.plan;

import io.stele.protocol.row.BinaryRow;
import io.stele.sidecar.postgresql.sql.CurrentTimes;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.time.ZoneId;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The values to which the expressions of a fixed plan refer: parameters, session, present row and
 * proposed row. Confined to one thread.
 */
public final class Scope {
    private final List<? extends @Nullable Object> parameters;
    private final Session session;
    private @Nullable BinaryRow row;
    private @Nullable BinaryRow excluded;

    /**
     * The values of the session and its transaction that a statement uses.
     *
     * @param uuids makes random UUIDs
     */
    public record Session(String user, CurrentTimes times, Supplier<UUID> uuids) {
        /** The zone of timestamps that name none. */
        public ZoneId zone() {
            return times.zone();
        }
    }

    /**
     * @param parameters values of the classes of their types
     */
    public Scope(List<? extends @Nullable Object> parameters, Session session) {
        this.parameters = parameters;
        this.session = session;
    }

    public Session session() {
        return session;
    }

    @Nullable Object parameter(int number) {
        if (number > parameters.size()) {
            throw new PostgresException(
                    SqlState.UNDEFINED_PARAMETER,
                    "Expected at most %s parameters, found $%s"
                            .formatted(parameters.size(), number));
        }
        return parameters.get(number - 1);
    }

    /** The present row of the table. */
    BinaryRow row() {
        if (row == null) {
            throw new IllegalStateException("There is no row here");
        }
        return row;
    }

    /** The row that was to be inserted. */
    BinaryRow excluded() {
        if (excluded == null) {
            throw new IllegalStateException("No row was to be inserted here");
        }
        return excluded;
    }

    public Scope withRow(@Nullable BinaryRow present) {
        this.row = present;
        return this;
    }

    public Scope withExcluded(@Nullable BinaryRow proposed) {
        this.excluded = proposed;
        return this;
    }
}
