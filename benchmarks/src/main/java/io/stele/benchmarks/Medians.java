package io.stele.benchmarks;

import java.util.Collection;

/**
 * The computation of medians for reports, since a mean on a shared machine depends more on its
 * other users than on the code.
 */
public final class Medians {
    private Medians() {}

    public static double median(Collection<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        if (sorted.length == 0) {
            throw new IllegalArgumentException("Expected at least one value, found none");
        }
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
