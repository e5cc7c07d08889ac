package io.stele.sidecar.metrics;

import java.util.Map;

/**
 * A family of histograms whose labels are values of data, so that they come and go. Thread-safe.
 */
public interface LabelledHistograms {
    /** The name of the family in the exposition. */
    String family();

    /** The help text of the family. */
    String description();

    /** Hands over the present histograms; there are few, because each is many lines. */
    void forEach(HistogramConsumer consumer);

    /** A consumer of one histogram. */
    interface HistogramConsumer {
        /**
         * @param labels values by name; values may have any characters
         */
        void accept(Map<String, String> labels, Histogram histogram);
    }
}
