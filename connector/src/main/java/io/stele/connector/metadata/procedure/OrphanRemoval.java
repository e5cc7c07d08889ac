package io.stele.connector.metadata.procedure;

import com.google.common.collect.ImmutableMap;
import io.stele.connector.config.SteleSessionProperties;
import io.stele.connector.handle.SteleExecuteHandle;
import io.stele.connector.metadata.catalog.CatalogRequests;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.TableProcedureMetadata;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The table procedure {@code ALTER TABLE t EXECUTE remove_orphan_files(retention_threshold =>
 * '7d')}, which requests the sidecar to delete unreferenced files in the table's folder. Stateless.
 */
public final class OrphanRemoval {
    private static final String NAME = "REMOVE_ORPHAN_FILES";

    private OrphanRemoval() {}

    static TableProcedureMetadata procedure() {
        return RetentionThreshold.procedure(NAME, "Files younger than this are not removed");
    }

    /**
     * The time before which files may be deleted; empty: it is another procedure.
     *
     * @throws io.trino.spi.TrinoException INVALID_PROCEDURE_ARGUMENT: younger files would be
     *     deleted than the session allows
     */
    public static OptionalLong beforeMillis(
            ConnectorSession session, String procedure, Map<String, Object> properties) {
        return procedure.equals(NAME)
                ? OptionalLong.of(
                        RetentionThreshold.millis(
                                session,
                                properties,
                                SteleSessionProperties.REMOVE_ORPHAN_FILES_MIN_RETENTION))
                : OptionalLong.empty();
    }

    /** Runs the procedure; returns the row that the statement shows. */
    static Map<String, Long> run(CatalogRequests catalog, SteleExecuteHandle handle) {
        return ImmutableMap.of(
                "deleted_files_count",
                catalog.removeOrphanFiles(
                        handle.table().name(),
                        handle.table().table().id(),
                        handle.orphansBeforeMillis().orElseThrow()));
    }
}
