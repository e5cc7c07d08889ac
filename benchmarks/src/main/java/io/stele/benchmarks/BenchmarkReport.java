package io.stele.benchmarks;

import static java.util.Objects.requireNonNull;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The results of one benchmark, in the form that {@code bin/stele bench NAME --json FILE} writes.
 *
 * @param name the benchmark's name
 * @param machine cores, memory, processor and Java of the machine that ran it
 * @param metrics every number by name, in the order measured; the name carries the unit
 * @param targets a row for every number that the benchmark's issue names, met or not
 */
public record BenchmarkReport(
        String name, String machine, Map<String, Double> metrics, List<Target> targets) {
    public BenchmarkReport {
        requireNonNull(name, "name is null");
        requireNonNull(machine, "machine is null");
        metrics = new LinkedHashMap<>(metrics);
        targets = List.copyOf(targets);
    }

    /** The same report of a smaller run, which meets no target at any value. */
    BenchmarkReport ofQuickRun() {
        return new BenchmarkReport(
                name,
                machine + ", a quick run, which meets no target",
                metrics,
                targets.stream()
                        .map(
                                target ->
                                        new Target(
                                                target.name(),
                                                target.target(),
                                                target.measured(),
                                                false))
                        .toList());
    }

    /** The report as aligned text for a terminal. */
    public String text() {
        StringBuilder text = new StringBuilder();
        text.append(name).append(" on ").append(machine).append('\n');
        int width = metrics.keySet().stream().mapToInt(String::length).max().orElse(0);
        metrics.forEach(
                (metric, value) ->
                        text.append("  ")
                                .append(padded(metric, width))
                                .append("  ")
                                .append(number(value))
                                .append('\n'));
        for (Target target : targets) {
            text.append(target.met() ? "  met     " : "  NOT MET ")
                    .append(target.name())
                    .append(": target ")
                    .append(number(target.target()))
                    .append(", measured ")
                    .append(number(target.measured()))
                    .append('\n');
        }
        return text.toString();
    }

    private static String padded(String value, int width) {
        return value + " ".repeat(width - value.length());
    }

    private static String number(double value) {
        if (Math.abs(value) >= 1000) {
            return "%,.0f".formatted(value);
        }
        return "%.3f".formatted(value);
    }
}
