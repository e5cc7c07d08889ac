package io.stele.connector.metadata.procedure;

import io.stele.connector.config.SteleSessionProperties;
import io.stele.protocol.Lsn;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.TableProcedureMetadata;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The declaration and the argument check of {@code ALTER TABLE t EXECUTE
 * expire_snapshots(retention_threshold => '1h')}, which discards history that the table's retention
 * covers. {@code TableProcedures} executes it. Stateless.
 */
public final class HistoryExpiry {
    private static final String NAME = "EXPIRE_SNAPSHOTS";

    private HistoryExpiry() {}

    static TableProcedureMetadata procedure() {
        return RetentionThreshold.procedure(NAME, "History younger than this is retained");
    }

    /**
     * The LSN below which a call discards history; empty: it is another procedure.
     *
     * @throws io.trino.spi.TrinoException INVALID_PROCEDURE_ARGUMENT: less history would remain
     *     than the session allows
     */
    public static OptionalLong historyLsn(
            ConnectorSession session, String procedure, Map<String, Object> properties) {
        if (!procedure.equals(NAME)) {
            return OptionalLong.empty();
        }
        long oldest =
                RetentionThreshold.millis(
                        session, properties, SteleSessionProperties.EXPIRE_SNAPSHOTS_MIN_RETENTION);
        return OptionalLong.of(Lsn.of(oldest, 0).value());
    }
}
