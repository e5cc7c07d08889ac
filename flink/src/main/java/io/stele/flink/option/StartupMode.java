package io.stele.flink.option;

/** The places at which a source of changes begins. */
public enum StartupMode {
    /** The rows of a snapshot first, then the changes since. */
    INITIAL("initial"),
    /** Changes after the start of the job. */
    LATEST("latest"),
    /** Changes from a moment on. */
    TIMESTAMP("timestamp"),
    /** Changes after an LSN. */
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
