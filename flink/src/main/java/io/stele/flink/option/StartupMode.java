package io.stele.flink.option;

/** The starting points of a change source. */
public enum StartupMode {
    /** A snapshot of all rows, then the changes after it. */
    INITIAL("initial"),
    /** The changes after the start of the job. */
    LATEST("latest"),
    /** The changes since a timestamp. */
    TIMESTAMP("timestamp"),
    /** The changes after an LSN. */
    LSN("lsn");

    private final String text;

    StartupMode(String text) {
        this.text = text;
    }

    /** The value of the option. */
    @Override
    public String toString() {
        return text;
    }
}
