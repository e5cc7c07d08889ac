package io.stele.benchmarks.serving;

import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Values of rounds by metric, of which the medians are reported. Confined to one thread. */
final class Samples {
    private final Map<String, List<Double>> values = new LinkedHashMap<>();

    void add(String metric, double value) {
        values.computeIfAbsent(metric, _ -> new ArrayList<>()).add(value);
    }

    /** The rate and the times of a measurement. */
    void add(String name, KeyLoad.Result result) {
        add(name + ": ops/s", result.perSecond());
        add(name + ": p50 ms", result.millis(50));
        add(name + ": p99 ms", result.millis(99));
    }

    /** Puts the medians, each name behind a prefix. */
    void report(String prefix, Metrics metrics) {
        values.forEach((metric, all) -> metrics.put(prefix + metric, Medians.median(all)));
    }

    void report(Metrics metrics) {
        report("", metrics);
    }
}
