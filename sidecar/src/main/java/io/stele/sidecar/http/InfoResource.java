package io.stele.sidecar.http;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.node.NodeInfo;
import io.stele.sidecar.process.ServingState;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

/**
 * The HTTP resource {@code GET /v1/info} of the sidecar's readiness and other ports. It needs no
 * authentication, so it shows nothing else.
 */
@Path("/v1/info")
public final class InfoResource {
    private final String nodeId;
    private final ServingState state;

    @Inject
    public InfoResource(NodeInfo node, ServingState state) {
        this.nodeId = requireNonNull(node, "node is null").getNodeId();
        this.state = requireNonNull(state, "state is null");
    }

    @GET
    @Produces(MediaType.APPLICATION_JSON)
    public Info info() {
        return state.ports()
                .map(ports -> new Info(nodeId, true, ports.flightPort(), ports.clientPort()))
                .orElseGet(() -> new Info(nodeId, false, 0, 0));
    }

    /** The reply; the ports are 0 until the sidecar is ready. */
    public record Info(String nodeId, boolean ready, int flightPort, int clientPort) {}
}
