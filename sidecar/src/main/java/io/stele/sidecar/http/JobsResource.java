package io.stele.sidecar.http;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.maintenance.JobStatus;
import io.stele.sidecar.engine.EngineService;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.Optional;

/**
 * The HTTP resource {@code /v1/jobs}, which lists long-running jobs with their progress, and
 * cancels one on request.
 */
@Path("/v1/jobs")
public final class JobsResource {
    private final EngineService engine;

    @Inject
    public JobsResource(EngineService engine) {
        this.engine = requireNonNull(engine, "engine is null");
    }

    @GET
    @Produces(MediaType.APPLICATION_JSON)
    public List<JobStatus> list() {
        return engine.jobs().jobs();
    }

    /** Requests that a job stops. */
    @DELETE
    @Produces(MediaType.TEXT_PLAIN)
    public Response cancel(@QueryParam("id") Optional<String> id) {
        try {
            engine.engine().jobs().cancel(id.orElse(""), Optional.empty());
            return Response.ok("%s stops.\n".formatted(id.orElse(""))).build();
        } catch (SteleException refused) {
            Response.Status status =
                    refused.code() == ErrorCode.INVALID_ARGUMENT
                            ? Response.Status.BAD_REQUEST
                            : Response.Status.SERVICE_UNAVAILABLE;
            return Response.status(status).entity(refused.getMessage() + "\n").build();
        }
    }
}
