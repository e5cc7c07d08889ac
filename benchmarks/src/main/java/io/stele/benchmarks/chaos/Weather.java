package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

/**
 * A fault setting of the network between the sidecar and the S3 server: a kind of fault, and the
 * share of the requests that meet one.
 *
 * @param kind of the faults
 * @param share of the requests that meet one, from 0 to 1
 */
record Weather(Kind kind, double share) {
    static final Weather CALM = new Weather(Kind.CALM, 0);

    Weather {
        requireNonNull(kind, "kind is null");
        if (share < 0 || share > 1) {
            throw new IllegalArgumentException("Expected a share from 0 to 1, found " + share);
        }
    }

    /** Faults that come together. */
    enum Kind {
        /** None. */
        CALM("calm"),
        /** 503 and 500 before the effect, and 500 behind it. */
        ERRORS("errors"),
        /** Up to two seconds a request. */
        LATENCY("latency"),
        /** Answers that are lost, end early, or never come. */
        CUTS("cuts"),
        /** Requests that take place when their sender has given up, also one that was killed. */
        LATE("late"),
        /** Connections are refused. */
        OUTAGE("outage");

        private final String key;

        Kind(String key) {
            this.key = key;
        }

        /** Its name in {@code --without} and the report. */
        String key() {
            return key;
        }
    }
}
