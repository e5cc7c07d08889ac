package io.stele.connector.metadata.procedure;

import static io.trino.spi.StandardErrorCode.PROCEDURE_NOT_FOUND;
import static io.trino.spi.connector.TableProcedureExecutionMode.coordinatorOnly;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.stele.connector.handle.SteleExecuteHandle;
import io.stele.connector.metadata.catalog.CatalogRequests;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.maintenance.JobKind;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.TableProcedureMetadata;
import java.util.Map;
import java.util.Set;

/**
 * The table procedures of {@code ALTER TABLE ... EXECUTE}: the sidecar's own maintenance, run
 * immediately, and the warming of the workers' caches. Stateless.
 */
public final class TableProcedures {
    /**
     * Flushes, then compacts until no files are left to compact, under the name that lake formats
     * use.
     */
    private static final String OPTIMIZE = "OPTIMIZE";

    private static final String FLUSH = "FLUSH";

    private static final Map<String, JobKind> JOBS =
            Map.of(OPTIMIZE, JobKind.COMPACT, FLUSH, JobKind.FLUSH);

    private TableProcedures() {}

    /** All of them, in upper case as Trino requests them. */
    public static Set<TableProcedureMetadata> all() {
        return ImmutableSet.of(
                procedure(OPTIMIZE),
                procedure(FLUSH),
                Warming.procedure(),
                HistoryExpiry.procedure(),
                OrphanRemoval.procedure());
    }

    private static TableProcedureMetadata procedure(String name) {
        return new TableProcedureMetadata(name, coordinatorOnly(), ImmutableList.of());
    }

    /** Runs a procedure; returns the row that the statement shows. */
    public static Map<String, Long> execute(CatalogRequests catalog, SteleExecuteHandle handle) {
        if (handle.orphansBeforeMillis().isPresent()) {
            return OrphanRemoval.run(catalog, handle);
        }
        if (handle.historyLsn().isPresent()) {
            catalog.expireHistory(
                    handle.table().name(),
                    handle.table().table().id(),
                    new Lsn(handle.historyLsn().getAsLong()));
            return Map.of();
        }
        JobKind job = JOBS.get(handle.procedure());
        if (job == null) {
            throw new TrinoException(
                    PROCEDURE_NOT_FOUND,
                    "Expected a procedure of %s, found '%s'"
                            .formatted(JOBS.keySet(), handle.procedure()));
        }
        catalog.maintain(job, handle.table().name());
        return Map.of();
    }
}
