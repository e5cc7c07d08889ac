package io.stele.connector.metadata;

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
 * The {@code retention_threshold} of table procedures that delete what is older, and its least
 * value, as Iceberg's connector has them. Stateless.
 */
final class RetentionThreshold {
    private static final String NAME = "retention_threshold";
    private static final Duration DEFAULT = new Duration(7, DAYS); // as Iceberg's

    private RetentionThreshold() {}

    /** A procedure that has it as its only argument. */
    static TableProcedureMetadata procedure(String name, String description) {
        return new TableProcedureMetadata(
                name,
                coordinatorOnly(),
                ImmutableList.of(durationProperty(NAME, description, DEFAULT, false)));
    }

    /**
     * The moment up to which a call deletes, in milliseconds since 1970.
     *
     * @param leastName the session property that has the least threshold
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
