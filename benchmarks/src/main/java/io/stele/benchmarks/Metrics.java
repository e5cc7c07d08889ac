package io.stele.benchmarks;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The collector of a benchmark's numbers by name, in the order measured. Confined to one thread.
 */
public final class Metrics {
    private final Map<String, Double> values = new LinkedHashMap<>();

    public void put(String name, double value) {
        values.put(name, value);
    }

    /** The value of a metric that was put before. */
    public double value(String name) {
        Double value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException(
                    "Expected one of the metrics %s, found '%s'".formatted(values.keySet(), name));
        }
        return value;
    }

    public Map<String, Double> asMap() {
        return Collections.unmodifiableMap(values);
    }
}
