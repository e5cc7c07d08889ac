package io.stele.benchmarks.paimon;

import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The values of rounds by the names of their metrics. Confined to one thread. */
final class Samples {
    private final Map<String, List<Double>> values = new LinkedHashMap<>();

    /**
     * @param counts whether the round is not one that warms up
     */
    void add(boolean counts, String name, double value) {
        if (counts) {
            values.computeIfAbsent(name, _ -> new ArrayList<>()).add(value);
        }
    }

    void putMedians(String prefix, Metrics metrics) {
        values.forEach((name, found) -> metrics.put(prefix + name, Medians.median(found)));
    }
}
