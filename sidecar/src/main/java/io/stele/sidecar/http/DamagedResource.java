package io.stele.sidecar.http;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.status.DamagedObject;
import io.stele.sidecar.engine.EngineService;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;

/**
 * The HTTP resource {@code /v1/damaged}, which lists damaged stored objects, and drops one on
 * request, for {@code stele-doctor}.
 */
@Path("/v1/damaged")
public final class DamagedResource {
    private final EngineService engine;

    @Inject
    public DamagedResource(EngineService engine) {
        this.engine = requireNonNull(engine, "engine is null");
    }

    @GET
    @Produces(MediaType.APPLICATION_JSON)
    public List<DamagedObject> list() {
        return engine.status().damaged();
    }

    /** The damaged objects as text, for people. */
    @GET
    @Produces(MediaType.TEXT_PLAIN)
    public String describe() {
        List<DamagedObject> damaged = list();
        return damaged.isEmpty()
                ? "Nothing is damaged.\n"
                : damaged.stream().map(DamagedResource::describe).collect(Collectors.joining("\n"));
    }

    private static String describe(DamagedObject damaged) {
        return "%s\n  state:  %s\n  table:  %s\n  shard:  %s\n  since:  %s\n  reason: %s\n"
                .formatted(
                        damaged.object(),
                        damaged.state(),
                        damaged.table()
                                .orElse(damaged.shard().isPresent() ? "all of the shard" : "all"),
                        damaged.shard().map(ShardId::toString).orElse("all"),
                        Instant.ofEpochMilli(damaged.sinceMillis()),
                        damaged.reason());
    }

    /** Drops a damaged object with its content; the next start continues without it. */
    @DELETE
    @Produces(MediaType.TEXT_PLAIN)
    public Response drop(@QueryParam("object") Optional<String> object) {
        try {
            engine.engine().dropDamaged(object.orElse("")).join();
            return Response.ok(
                            "%s is given up. Restart the sidecar: what was set aside for it serves again without it.\n"
                                    .formatted(object.orElse("")))
                    .build();
        } catch (CompletionException failed) {
            return failed.getCause() instanceof SteleException refused
                    ? refused(refused)
                    : Response.serverError().entity(failed + "\n").build();
        } catch (SteleException refused) {
            return refused(refused);
        }
    }

    private static Response refused(SteleException refused) {
        Response.Status status =
                refused.code() == ErrorCode.INVALID_ARGUMENT
                        ? Response.Status.BAD_REQUEST
                        : Response.Status.SERVICE_UNAVAILABLE;
        return Response.status(status).entity(refused.getMessage() + "\n").build();
    }
}
