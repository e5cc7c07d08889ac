package io.stele.flink.option;

/** The delivery guarantees of a sink for rows that Flink sends again after a failure. */
public enum DeliveryGuarantee {
    /**
     * Each row takes effect once. Rows become visible when the checkpoint that contains them
     * completes.
     */
    EXACTLY_ONCE("exactly-once"),
    /**
     * Rows become visible within milliseconds, and may be written again after a failure. A repeated
     * row has no further effect in a table with a primary key.
     */
    AT_LEAST_ONCE("at-least-once");

    private final String text;

    DeliveryGuarantee(String text) {
        this.text = text;
    }

    /** The value of the option. */
    @Override
    public String toString() {
        return text;
    }
}
