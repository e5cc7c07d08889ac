package io.stele.sidecar.http;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.google.inject.Inject;
import io.stele.objectstore.encryption.Encryption.KeyFingerprint;
import io.stele.sidecar.engine.EngineService;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import java.util.Optional;

/**
 * The HTTP resource {@code GET /v1/warehouse} of where the sidecar's files are, and with which
 * master keys they are encrypted. Queries on a node that was just started wait for it.
 */
@Path("/v1/warehouse")
public final class WarehouseResource {
    private final EngineService engine;

    @Inject
    public WarehouseResource(EngineService engine) {
        this.engine = requireNonNull(engine, "engine is null");
    }

    @GET
    @Produces(MediaType.APPLICATION_JSON)
    public Warehouse warehouse() {
        return new Warehouse(engine.warehousePath(), engine.encryptionKeys());
    }

    /** The reply; {@code encryptionKeys} is empty while the sidecar starts. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Warehouse(String warehousePath, Optional<List<KeyFingerprint>> encryptionKeys) {}
}
