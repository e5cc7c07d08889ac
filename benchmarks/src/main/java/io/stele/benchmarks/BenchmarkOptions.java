package io.stele.benchmarks;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The command-line options of a benchmark run.
 *
 * @param quick run small, in under 50 seconds: shows that the benchmark works, not what Stele can
 *     do
 * @param only run only the cases whose names contain this; a benchmark without cases runs whole
 * @param scale the factor by which a full run's amount of rows and files is multiplied; empty: 1
 * @param jsonFile the file to which the report is also written as JSON
 * @param repository the root of the checkout, which has {@code bin/} and the built servers
 */
public record BenchmarkOptions(
        boolean quick,
        Optional<String> only,
        Optional<Double> scale,
        Optional<Path> jsonFile,
        Path repository) {
    public BenchmarkOptions {
        requireNonNull(only, "only is null");
        requireNonNull(scale, "scale is null");
        requireNonNull(jsonFile, "jsonFile is null");
        requireNonNull(repository, "repository is null");
    }
}
