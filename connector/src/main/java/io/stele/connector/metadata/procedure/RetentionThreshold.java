package io.stele.connector.metadata.procedure;

import static io.trino.plugin.base.session.PropertyMetadataUtil.durationProperty;
import static io.trino.spi.StandardErrorCode.INVALID_PROCEDURE_ARGUMENT;
import static io.trino.spi.connector.TableProcedureExecutionMode.coordinatorOnly;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.DAYS;

import com.google.common.collect.ImmutableList;
import io.airlift.units.Duration;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.TableProcedureMetadata;
import java.util.Map;

/**
 * The argument {@code retention_threshold} of table procedures that delete older history or files,
 * and its minimum, as in Iceberg's connector. Stateless.
 */
final class RetentionThreshold {
    private static final String NAME = "retention_threshold";
    private static final Duration DEFAULT = new Duration(7, DAYS); // as in Iceberg

    private RetentionThreshold() {}

    /** A procedure with this as its only argument. */
    static TableProcedureMetadata procedure(String name, String description) {
        return new TableProcedureMetadata(
                name,
                coordinatorOnly(),
                ImmutableList.of(durationProperty(NAME, description, DEFAULT, false)));
    }

    /**
     * The moment before which a call deletes, in milliseconds since 1970.
     *
     * @param leastName the session property with the least threshold
     * @throws TrinoException INVALID_PROCEDURE_ARGUMENT: less would remain than the session allows
     */
    static long millis(ConnectorSession session, Map<String, Object> properties, String leastName) {
        Duration threshold = (Duration) requireNonNull(properties.get(NAME), NAME + " is null");
        Duration least = session.getProperty(leastName, Duration.class);
        if (threshold.compareTo(least) < 0) {
            throw new TrinoException(
                    INVALID_PROCEDURE_ARGUMENT,
                    "Retention specified (%s) is shorter than the minimum retention configured in the system (%s). Minimum retention can be changed with the session property %s of the catalog"
                            .formatted(threshold, least, leastName));
        }
        return Math.max(0, session.getStart().toEpochMilli() - threshold.toMillis());
    }
}
