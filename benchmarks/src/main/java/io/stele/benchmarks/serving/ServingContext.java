package io.stele.benchmarks.serving;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.SteleServers;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The servers of a serving benchmark's run, and the collector of its numbers. Confined to one
 * thread.
 *
 * @param pgbench psql and pgbench, where they are installed
 */
record ServingContext(
        Run run,
        SteleServers servers,
        Optional<PostgresPeer> postgres,
        Optional<RedisPeer> redis,
        Optional<Pgbench> pgbench,
        ServingSize size,
        Metrics metrics,
        List<Target> targets) {
    static final String PORT = "Stele's PostgreSQL port";
    static final String POSTGRESQL = "PostgreSQL";

    ServingContext {
        requireNonNull(run, "run is null");
        requireNonNull(servers, "servers is null");
        requireNonNull(postgres, "postgres is null");
        requireNonNull(redis, "redis is null");
        requireNonNull(pgbench, "pgbench is null");
        requireNonNull(size, "size is null");
        requireNonNull(metrics, "metrics is null");
        requireNonNull(targets, "targets is null");
    }

    PostgresAddress stele() {
        return new PostgresAddress(
                run.port("sidecar.postgresql.port"), "stele", "benchmark", run.secret());
    }

    /** A folder of this benchmark in the run's folder. */
    Path folder() {
        return run.path("state").resolve("serving");
    }

    /** A row for a number that should be at least {@code target}. */
    void atLeast(String name, double target, Optional<Double> measured) {
        targets.add(
                measured.map(value -> Target.atLeast(name, target, value))
                        .orElseGet(() -> absent(name, target)));
    }

    /** A row for a number that should be at most {@code target}. */
    void atMost(String name, double target, Optional<Double> measured) {
        targets.add(
                measured.map(value -> Target.atMost(name, target, value))
                        .orElseGet(() -> absent(name, target)));
    }

    private static Target absent(String name, double target) {
        return new Target(name + " (not met, peer absent)", target, 0, false);
    }

    /** The value of a metric, if it was measured. */
    Optional<Double> measured(String metric) {
        return Optional.ofNullable(metrics.asMap().get(metric));
    }

    /** One metric divided by another, if both were measured. */
    Optional<Double> ratio(String metric, String byMetric) {
        return measured(metric)
                .flatMap(value -> measured(byMetric).map(divisor -> value / divisor));
    }
}
