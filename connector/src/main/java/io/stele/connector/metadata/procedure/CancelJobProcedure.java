package io.stele.connector.metadata.procedure;

import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.lang.invoke.MethodHandles.lookup;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import com.google.inject.Provider;
import io.stele.connector.config.SteleSessionProperties;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.protocol.api.maintenance.CancelJobRequest;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.procedure.Procedure;
import io.trino.spi.procedure.Procedure.Argument;
import java.lang.invoke.MethodHandle;

/**
 * The procedure {@code CALL system.cancel_job(job_id)}, which requests the sidecar to stop a job;
 * statements that wait for the job end.
 */
public final class CancelJobProcedure implements Provider<Procedure> {
    private static final MethodHandle CANCEL;

    static {
        try {
            CANCEL =
                    lookup().unreflect(
                                    CancelJobProcedure.class.getMethod(
                                            "cancel", ConnectorSession.class, String.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SteleSidecar sidecar;

    @Inject
    public CancelJobProcedure(SteleSidecar sidecar) {
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
    }

    @Override
    public Procedure get() {
        return new Procedure(
                "system",
                "cancel_job",
                ImmutableList.of(new Argument("JOB_ID", VARCHAR)),
                CANCEL.bindTo(this));
    }

    /** Called by Trino. */
    public void cancel(ConnectorSession session, String jobId) {
        sidecar.as(SteleSessionProperties.queryIdentity(session))
                .change(MaintenanceActions.CANCEL_JOB, new CancelJobRequest(jobId));
    }
}
