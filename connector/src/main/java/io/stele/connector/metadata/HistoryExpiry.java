package io.stele.connector.metadata;

import static io.trino.plugin.base.session.PropertyMetadataUtil.durationProperty;
import static io.trino.spi.StandardErrorCode.INVALID_PROCEDURE_ARGUMENT;
import static io.trino.spi.connector.TableProcedureExecutionMode.coordinatorOnly;
import static java.util.concurrent.TimeUnit.DAYS;

import com.google.common.collect.ImmutableList;
import io.airlift.units.Duration;
import io.stele.connector.SteleSessionProperties;
import io.stele.protocol.Lsn;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.TableProcedureMetadata;
import java.util.Map;
import java.util.OptionalLong;

/**
 * {@code ALTER TABLE t EXECUTE expire_snapshots(retention_threshold => '1h')}: forgets history that
 * the table's retention would keep. Stateless.
 */
final class HistoryExpiry {
    private static final String NAME = "EXPIRE_SNAPSHOTS";
    private static final String RETENTION_THRESHOLD = "retention_threshold";
    private static final Duration DEFAULT_RETENTION = new Duration(7, DAYS); // as Iceberg's

    private HistoryExpiry() {}

    static TableProcedureMetadata procedure() {
        return new TableProcedureMetadata(
                NAME,
                coordinatorOnly(),
                ImmutableList.of(
                        durationProperty(
                                RETENTION_THRESHOLD,
                                "History younger than this is kept",
                                DEFAULT_RETENTION,
                                false)));
    }

    /**
     * The LSN below which a call forgets; empty: it is another procedure's.
     *
     * @throws TrinoException INVALID_PROCEDURE_ARGUMENT: less would be kept than the session lets
     */
    static OptionalLong historyLsn(ConnectorSession session, Map<String, Object> properties) {
        Duration threshold = (Duration) properties.get(RETENTION_THRESHOLD);
        if (threshold == null) {
            return OptionalLong.empty();
        }
        Duration least = SteleSessionProperties.expireSnapshotsMinRetention(session);
        if (threshold.compareTo(least) < 0) {
            throw new TrinoException(
                    INVALID_PROCEDURE_ARGUMENT,
                    "Retention specified (%s) is shorter than the minimum retention configured in the system (%s). Minimum retention can be changed with the session property %s of the catalog"
                            .formatted(
                                    threshold,
                                    least,
                                    SteleSessionProperties.EXPIRE_SNAPSHOTS_MIN_RETENTION));
        }
        long oldest = session.getStart().toEpochMilli() - threshold.toMillis();
        return OptionalLong.of(Lsn.of(Math.max(0, oldest), 0).value());
    }
}
