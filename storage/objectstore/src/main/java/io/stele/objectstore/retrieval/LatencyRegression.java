package io.stele.objectstore.retrieval;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * A robust linear regression of request durations on response sizes that stragglers do not distort.
 * The slope is the median over all pairs of requests (Theil and Sen), and the base is the median of
 * the remainders. Up to 29 % of the requests may be arbitrary. If the sizes differ too little, the
 * slope is the median of the single requests' rates from first byte to last byte. Pure.
 */
final class LatencyRegression {
    /** A pair of sizes that differ less shows noise rather than the slope. */
    private static final int MIN_DIFFERENCE_BYTES = 64 << 10;

    /** At least one pair in this many must differ enough in size. */
    private static final int MIN_PAIRS_DIVISOR = 4;

    private LatencyRegression() {}

    static LatencyFit fit(List<RequestSample> samples) {
        if (samples.isEmpty()) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "Expected at least one sample, found none"));
        }
        double slope = Math.max(0, slope(samples));
        double base =
                median(
                        samples.stream()
                                .mapToDouble(sample -> sample.nanos() - slope * sample.bytes())
                                .toArray());
        return new LatencyFit(Math.max(0, base), slope);
    }

    private static double slope(List<RequestSample> samples) {
        int pairs = samples.size() * (samples.size() - 1) / 2;
        double[] slopes = new double[pairs];
        int count = 0;
        for (int i = 0; i < samples.size(); i++) {
            RequestSample first = samples.get(i);
            for (int j = 0; j < i; j++) {
                RequestSample second = samples.get(j);
                long difference = first.bytes() - second.bytes();
                if (Math.abs(difference) >= MIN_DIFFERENCE_BYTES) {
                    slopes[count++] = (double) (first.nanos() - second.nanos()) / difference;
                }
            }
        }
        if (count > 0 && count >= pairs / MIN_PAIRS_DIVISOR) {
            return median(Arrays.copyOf(slopes, count));
        }
        return median(
                samples.stream()
                        .mapToDouble(
                                sample ->
                                        (double) (sample.nanos() - sample.firstByteNanos())
                                                / sample.bytes())
                        .toArray());
    }

    static double median(double[] values) {
        Arrays.sort(values);
        int middle = values.length / 2;
        return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    }
}
