package io.stele.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The collector of a peer's values divided by Stele's, one of each query. Confined to one thread.
 */
public final class Ratios {
    private final List<Double> values = new ArrayList<>();

    public void add(double ratio) {
        values.add(ratio);
    }

    /** Their geometric mean; NaN without any. */
    public double geometricMean() {
        return Math.exp(values.stream().mapToDouble(Math::log).average().orElse(Double.NaN));
    }

    /** The lowest; NaN without any. */
    public double least() {
        return values.isEmpty() ? Double.NaN : Collections.min(values);
    }
}
