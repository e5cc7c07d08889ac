package io.stele.flink.option;

/** The promises that a sink can make about rows that are replayed after a failure. */
public enum DeliveryGuarantee {
    /** Each row takes effect once; rows become visible with the checkpoint that has them. */
    EXACTLY_ONCE("exactly-once"),
    /**
     * Rows become visible within milliseconds, and again after a failure: without effect in the end
     * where the table has a primary key.
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
