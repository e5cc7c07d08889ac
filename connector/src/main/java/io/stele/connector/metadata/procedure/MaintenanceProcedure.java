package io.stele.connector.metadata.procedure;

import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.lang.invoke.MethodHandles.lookup;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.stele.connector.config.SteleSessionProperties;
import io.stele.connector.metadata.catalog.CatalogRequests;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.protocol.api.maintenance.JobKind;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.procedure.Procedure;
import io.trino.spi.procedure.Procedure.Argument;
import java.lang.invoke.MethodHandle;

/**
 * The procedures {@code CALL system.flush(schema_name, table_name)} and {@code system.compact},
 * which request a sidecar's maintenance of a table immediately and wait for its end.
 */
public final class MaintenanceProcedure {
    private static final MethodHandle RUN;

    static {
        try {
            RUN =
                    lookup().unreflect(
                                    MaintenanceProcedure.class.getMethod(
                                            "run",
                                            ConnectorSession.class,
                                            String.class,
                                            String.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SteleSidecar sidecar;
    private final JobKind job;

    private MaintenanceProcedure(SteleSidecar sidecar, JobKind job) {
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.job = requireNonNull(job, "job is null");
    }

    /** Writes the rows in memory into files. */
    public static Procedure flush(SteleSidecar sidecar) {
        return procedure("flush", new MaintenanceProcedure(sidecar, JobKind.FLUSH));
    }

    /** Flushes, then compacts until no files are left to compact. */
    public static Procedure compact(SteleSidecar sidecar) {
        return procedure("compact", new MaintenanceProcedure(sidecar, JobKind.COMPACT));
    }

    private static Procedure procedure(String name, MaintenanceProcedure of) {
        return new Procedure(
                "system",
                name,
                ImmutableList.of(
                        new Argument("SCHEMA_NAME", VARCHAR), new Argument("TABLE_NAME", VARCHAR)),
                RUN.bindTo(of));
    }

    /** Called by Trino. */
    public void run(ConnectorSession session, String schemaName, String tableName) {
        new CatalogRequests(sidecar.as(SteleSessionProperties.queryIdentity(session)))
                .maintain(job, new SchemaTableName(schemaName, tableName));
    }
}
