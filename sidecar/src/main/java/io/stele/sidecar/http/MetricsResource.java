package io.stele.sidecar.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.sidecar.metrics.MetricsExposition;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.BufferedWriter;
import java.io.OutputStreamWriter;
import java.io.Writer;

/**
 * The HTTP resource {@code GET /metrics}, from which scrapers of Prometheus and OpenMetrics read
 * all metrics.
 */
@Path("/metrics")
public final class MetricsResource {
    private static final String OPEN_METRICS =
            "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private final MetricsExposition metrics;

    @Inject
    public MetricsResource(MetricsExposition metrics) {
        this.metrics = requireNonNull(metrics, "metrics is null");
    }

    @GET
    @Produces(OPEN_METRICS)
    public StreamingOutput metrics() {
        return output -> {
            Writer writer = new BufferedWriter(new OutputStreamWriter(output, UTF_8));
            metrics.write(writer);
            writer.flush();
        };
    }
}
